//! What the simulation prints.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program of its own"
)]

/// A table in Markdown.
pub fn print(title: &str, header: &[&str], rows: &[Vec<String>]) {
    println!(
        "\n{title}\n\n| {} |\n|{}",
        header.join(" | "),
        "---|".repeat(header.len())
    );
    for row in rows {
        println!("| {} |", row.join(" | "));
    }
}

/// A line of its own.
pub fn say(line: &str) {
    println!("{line}");
}

/// How many bars were missed.
pub fn complain(missed: usize) {
    eprintln!("error: {missed} figures miss their bar");
}
