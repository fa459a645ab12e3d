//! Scores of `arc-grid/1` for single answers.

use benchmarks::scorer;
use serde_json::json;

use crate::check;

#[test]
fn scores_one_grid() {
    const MATCH: &str = "the grid matches";
    const NO_GRID: &str = "no grid found in the answer ";
    let none = |answer: &str| format!("{NO_GRID}{answer:?}");
    check(
        &*scorer("arc-grid").unwrap(),
        &json!([[1, 2, 3], [4, 5, 6]]),
        &[
            ("[[1,2,3],[4,5,6]]", 1.0, MATCH),
            ("\n[ [1, 2, 3],\r\n\t[4, 5, 6] ]\n", 1.0, MATCH),
            ("```json\n[[1,2,3],\n [4,5,6]]\n```", 1.0, MATCH),
            (
                "The rule [see train[0]] gives [[1,2,3],[4,5,6]]. [Done]",
                1.0,
                MATCH,
            ),
            ("\\boxed{[[1,2,3],[4,5,6]]}", 1.0, MATCH),
            ("grid = [[1,2,3],[4,5,6]];", 1.0, MATCH),
            ("\"[[1,2,3],[4,5,6]]\"", 1.0, MATCH),
            ("[unclosed [[1,2,3],[4,5,6]]", 1.0, MATCH),
            ("[\"unclosed [[1,2,3],[4,5,6]]", 1.0, MATCH),
            (
                "[[9]] is wrong, [[1,2,3],[4,5,6]] is right, of size [2, 3]",
                1.0,
                MATCH,
            ),
            ("[[1,2,3],[4,5,6]]]]", 1.0, MATCH),
            ("[[[[[[[[[[[[[[[[[[[[[[1,2,3],[4,5,6]]", 1.0, MATCH),
            // Grids in an additional list, and in objects.
            ("[[[1,2,3],[4,5,6]]]", 1.0, MATCH),
            ("{\"output\":[[1,2,3],[4,5,6]]}", 1.0, MATCH),
            ("{\"output\":[[[1,2,3],[4,5,6]]]}", 1.0, MATCH),
            ("[{\"output\":[[1,2,3],[4,5,6]]}]", 1.0, MATCH),
            ("{\"output\":[[1,2,3],[4,5,6]],\"input\":[[9]]}", 1.0, MATCH),
            (
                "{\"note\":\"a \\\"[[9]]\\\"\",\"grid\":[[1,2,3],[4,5,6]],\"sure\":true,\"size\":[2,3]}",
                1.0,
                MATCH,
            ),
            (
                "{\"test\":[{\"input\":[[9]],\"output\":[[1,2,3],[4,5,6]]}]}",
                1.0,
                MATCH,
            ),
            ("{output: [[1,2,3],[4,5,6]]}", 1.0, MATCH),
            // Integers in other notations.
            ("[[1.0,2,3e0],[4,5,6]]", 1.0, MATCH),
            // Well-formed but wrong grids.
            ("[[1,2,3],[4,5,7]]", 0.0, "1 of 6 cells differ"),
            ("[[1,2,3],[4,5,-6]]", 0.0, "1 of 6 cells differ"),
            (
                "[[11,12,13],[14,15,99999999999999999999999]]",
                0.0,
                "6 of 6 cells differ",
            ),
            (
                "[[1,2,3]]",
                0.0,
                "wrong shape, number of rows is 1, expected 2",
            ),
            (
                "[[1,2,3],[4,5]]",
                0.0,
                "wrong shape, width of row 2 is 2, expected 3",
            ),
            (
                "[[1,4],[2,5],[3,6]]",
                0.0,
                "wrong shape, number of rows is 3, expected 2",
            ),
            (
                "[[1,2,3],[4,5,6]] or rather [[0,0,0],[0,0,0]]",
                0.0,
                "6 of 6 cells differ",
            ),
            (
                "{\"a\":[[1,2,3],[4,5,6]],\"b\":[[9]]}",
                0.0,
                "wrong shape, number of rows is 1, expected 2",
            ),
            (
                "[[[1,2,3],[4,5,6]],[[1,2,3],[4,5,6]]]",
                0.0,
                "the answer has 2 grids, expected 1",
            ),
            // Not grids.
            ("", 0.0, "the answer is empty"),
            (" \n", 0.0, "the answer is empty"),
            ("I cannot tell", 0.0, &none("I cannot tell")),
            ("[]", 0.0, &none("[]")),
            ("[[]]", 0.0, &none("[[]]")),
            ("[1,2,3]", 0.0, &none("[1,2,3]")),
            ("[[1,2,3],[4,5,6]", 0.0, &none("[[1,2,3],[4,5,6]")),
            ("[[1,2,3],[4,5,6],]", 0.0, &none("[[1,2,3],[4,5,6],]")),
            ("[[1,2,3] [4,5,6]]", 0.0, &none("[[1,2,3] [4,5,6]]")),
            ("[[1,2,3},[4,5,6]]", 0.0, &none("[[1,2,3},[4,5,6]]")),
            ("[[1.5,2,3],[4,5,6]]", 0.0, &none("[[1.5,2,3],[4,5,6]]")),
            ("[[1e999,2,3],[4,5,6]]", 0.0, &none("[[1e999,2,3],[4,5,6]]")),
            ("[[01,2,3],[4,5,6]]", 0.0, &none("[[01,2,3],[4,5,6]]")),
            ("[[\"1\",2,3],[4,5,6]]", 0.0, &none("[[\"1\",2,3],[4,5,6]]")),
            (
                "[[true,null,false],[4,5,6]]",
                0.0,
                &none("[[true,null,false],[4,5,6]]"),
            ),
            ("[[[[1,2,3],[4,5,6]]]]", 0.0, &none("[[[[1,2,3],[4,5,6]]]]")),
            (
                "{\"output\":\"[[1,2,3],[4,5,6]]\"}",
                0.0,
                &none("{\"output\":\"[[1,2,3],[4,5,6]]\"}"),
            ),
            (
                "[\"text\",[[1,2,3],[4,5,6]]]",
                0.0,
                &none("[\"text\",[[1,2,3],[4,5,6]]]"),
            ),
        ],
    );
}

#[test]
fn scores_several_grids() {
    const MATCH: &str = "all 2 grids match";
    check(
        &*scorer("arc-grid").unwrap(),
        &json!([[[1, 2]], [[3], [4]]]),
        &[
            ("[[[1,2]],[[3],[4]]]", 1.0, MATCH),
            ("```\n[[[1,2]],[[3],[4]]]\n``` [as asked]", 1.0, MATCH),
            ("[{\"output\":[[1,2]]},{\"output\":[[3],[4]]}]", 1.0, MATCH),
            (
                "{\"test\":[{\"output\":[[1,2]]},{\"output\":[[3],[4]]}]}",
                1.0,
                MATCH,
            ),
            ("{\"output\":[[[1,2]],[[3],[4]]]}", 1.0, MATCH),
            ("{\"grids\":[[[1,2]],[[3],[4]]]}", 1.0, MATCH),
            (
                "[[[1,2]],[[3],[4]]] since the last is [[3],[4]]",
                1.0,
                MATCH,
            ),
            (
                "[[[3],[4]],[[1,2]]]",
                0.0,
                "grid 1 of 2: wrong shape, number of rows is 2, expected 1",
            ),
            (
                "[[[1,2]],[[3],[5]]]",
                0.0,
                "grid 2 of 2: 1 of 2 cells differ",
            ),
            ("[[1,2]]", 0.0, "the answer has 1 grid, expected 2"),
            (
                "[[1,2]]\n[[3],[4]]",
                0.0,
                "the answer has 1 grid, expected 2",
            ),
            ("[[[1,2]]]", 0.0, "the answer has 1 grid, expected 2"),
            (
                "[[[1,2]],[[3],[4]],[[5]]]",
                0.0,
                "the answer has 3 grids, expected 2",
            ),
        ],
    );
}

#[test]
fn rejects_expected_value_without_grids() {
    for expected in [json!(null), json!("[[1]]"), json!([]), json!([[1], 2])] {
        let why = "the sample's expected value is neither a grid nor a list of grids";
        check(
            &*scorer("arc-grid").unwrap(),
            &expected,
            &[("[[1]]", 0.0, why)],
        );
    }
}
