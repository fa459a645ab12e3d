//! Names of runs in tables that show several.

/// Returns the name of the run at an index: `A` to `Z`, then `AA`, `AB`, ….
pub fn run_name(index: usize) -> String {
    let mut name = String::new();
    let mut rest = index + 1;
    while rest > 0 {
        let letter = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(rest - 1) % 26];
        name.insert(0, char::from(letter));
        rest = (rest - 1) / 26;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::run_name;

    #[test]
    fn names_runs_by_letters() {
        let names = [0, 1, 25, 26, 27, 701, 702].map(run_name);
        assert_eq!(names, ["A", "B", "Z", "AA", "AB", "ZZ", "AAA"]);
    }
}
