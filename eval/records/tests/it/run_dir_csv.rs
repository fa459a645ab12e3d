//! `results.csv`: its columns, the order of its rows, and escaping of cells that look like
//! formulas.

use records::AttemptRecord;
use records::run_dir::{COLUMNS, plain_text, to_csv};
use run_fixture::{failed, identity, record};
use serde_json::json;

#[test]
fn csv_has_documented_columns() {
    let csv = to_csv(&identity("run"), &[], &[]).unwrap();
    assert_eq!(
        String::from_utf8(csv).unwrap(),
        "run_id,benchmark,model,protocol,prompt_mode,drivers,max_depth,max_iterations,id,attempt,cluster,score,status,\
         error,answer,expected,iterations,agents,depth_reached,llm_calls,input_tokens,cached_input_tokens,\
         output_tokens,reasoning_tokens,cost_usd,total_time_s,working_time_s,overhead_ms,retries,protocol_faults,\
         dataset_digest,scorer,fingerprint,program,refused\n"
    );
}

#[test]
fn csv_rows_follow_dataset_then_attempt() {
    let records = [
        record("stray", 1),
        record("b", 2),
        AttemptRecord {
            cluster: Some("k".to_owned()),
            score: Some(0.5),
            cost_usd: Some(0.0125),
            expected: json!([[1, 2], [3, 4]]),
            ..record("a", 1)
        },
        failed("b", 1, "refused, twice"),
    ];
    let order = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
    let csv = to_csv(&identity("run"), &records, &order).unwrap();
    let row = |cells: &str| {
        format!(
            "run,s-niah,scripted/needle,rlm,coordinator,no-tables+verify,2,15,{cells},2.5,2.5,12.5,0,0,d1,needle/1,f1,,0\n"
        )
    };
    let rows = String::from_utf8(csv).unwrap();
    let (_, rows) = rows.split_once('\n').unwrap();
    assert_eq!(
        rows,
        [
            row(r#"a,1,k,0.5,ok,,42,"[[1,2],[3,4]]",3,2,1,4,1000,600,50,20,0.0125"#),
            row(r#"b,1,,,error,"refused, twice",,42,3,2,1,4,1000,600,50,20,"#),
            row("b,2,,1,ok,,42,42,3,2,1,4,1000,600,50,20,"),
            row("stray,1,,1,ok,,42,42,3,2,1,4,1000,600,50,20,"),
        ]
        .concat()
    );
}

#[test]
fn csv_cells_are_not_formulas() {
    let rows = [
        ("plain", "plain"),
        ("", ""),
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-5", "'-5"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("\rx", "\\u{d}x"),
        ("1=2", "1=2"),
        ("'=1", "''=1"),
        ("''-1", "'''-1"),
        ("'quoted'", "'quoted'"),
        (" =1", " =1"),
        ("a,\"b\"\r\n=c", "a,\"b\"\r\n=c"),
        ("=HYPERLINK(\"x\",\"y\")", "'=HYPERLINK(\"x\",\"y\")"),
        ("\u{1b}[31m\0", "\\u{1b}[31m\\u{0}"),
        ("a\tb\nc\rd", "a\tb\nc\\u{d}d"),
        ("\\u{1b}", "\\u{5c}u{1b}"),
        ("\\u{5c}u{1b}", "\\u{5c}u{5c}u{1b}"),
        ("\\u{x} \\u{", "\\u{x} \\u{"),
    ];
    for (given, shown) in rows {
        let record = AttemptRecord {
            cluster: Some(given.to_owned()),
            error: Some(given.to_owned()),
            answer: Some(given.to_owned()),
            expected: json!(given),
            ..record(given, 1)
        };
        let csv = to_csv(&identity("run"), &[record], &[]).unwrap();
        let mut reader = csv::Reader::from_reader(csv.as_slice());
        let cells: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(cells.len(), 1, "{given:?}");
        for column in ["id", "cluster", "error", "answer", "expected"] {
            let place = COLUMNS.iter().position(|name| *name == column).unwrap();
            assert_eq!(&cells[0][place], shown, "{column}");
            assert_eq!(plain_text(&cells[0][place]), given, "{column}");
        }
    }
    // In the column `expected`, a number is escaped like a string.
    let negative = AttemptRecord {
        expected: json!(-5),
        ..record("a", 1)
    };
    let csv = String::from_utf8(to_csv(&identity("run"), &[negative], &[]).unwrap()).unwrap();
    assert!(csv.contains(",42,'-5,"), "{csv}");
}
