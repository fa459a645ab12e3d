//! The listing of an agent's variables: name, type, size and first line, for all kinds of values.

use sandbox::Config;
use sandbox::message::Variable;

use crate::driver::{isolations, root_of, run, sandbox};

const CELL: &str = include_str!("variables.js");
const LISTED: &str = include_str!("variables.txt");

fn line(variable: &Variable) -> String {
    let Variable {
        name,
        kind,
        size,
        first,
    } = variable;
    let size = size.as_deref().unwrap_or("-");
    let first = first.as_deref().unwrap_or("-");
    format!("{name} | {kind} | {size} | {first}")
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_variables_without_running_code() {
    for isolation in isolations() {
        let sandbox = sandbox(Config::default(), isolation);
        let mut root = root_of(&sandbox, "").await;
        let outcome = run(&mut root, CELL).await;
        assert_eq!(outcome.error, None);
        let listing = root.lister().list().await.unwrap();
        let lines: Vec<String> = listing.listed.iter().map(line).collect();
        assert_eq!(lines.join("\n") + "\n", LISTED);
        assert_eq!(listing.left_out, 0);
        // Listing neither left traces nor ran the agent's code.
        let outcome = run(&mut root, "console.log(ran)").await;
        assert_eq!(outcome.output, "0");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_newest_variables() {
    let many: String = (0..250).map(|n| format!("var v{n:03} = {n};\n")).collect();
    for isolation in isolations() {
        let sandbox = sandbox(Config::default(), isolation);
        let mut root = root_of(&sandbox, "").await;
        run(&mut root, &many).await;
        let listing = root.lister().list().await.unwrap();
        assert_eq!((listing.listed.len(), listing.left_out), (100, 150));
        assert_eq!(line(&listing.listed[99]), "v249 | number | - | 249");
    }
}
