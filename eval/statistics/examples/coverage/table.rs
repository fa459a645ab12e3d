//! Prints the tables of the simulations.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a standalone program"
)]

/// Prints a table in Markdown.
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

pub fn print_line(line: &str) {
    println!("{line}");
}

/// Reports the number of missed thresholds on stderr.
pub fn report_missed(missed: usize) {
    eprintln!("error: {missed} figures missed their threshold");
}
