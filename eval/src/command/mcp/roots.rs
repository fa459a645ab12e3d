//! Checks the paths that clients name.
//!
//! Paths are untrusted input. A path is canonicalized, so that neither `..` nor a link leads
//! outside, and rejected unless it is inside a folder that the user allowed. The error does not
//! reveal whether a path outside exists.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose files clients may read.
#[derive(Debug)]
pub(super) struct Roots {
    /// Canonical folders of `--root`.
    files: Vec<PathBuf>,
    /// Folder of this server's run directories, which may not exist yet; `None` if several clients
    /// share it, because a client could read the questions of the others.
    runs: Option<PathBuf>,
}

impl Roots {
    pub(super) fn new(files: Vec<PathBuf>, runs: Option<PathBuf>) -> Self {
        Self { files, runs }
    }

    /// Returns the canonical path of a file or folder to read.
    ///
    /// # Errors
    /// A sentence that names the allowed folders.
    pub(super) fn file(&self, path: &str) -> Result<PathBuf, String> {
        within(&self.files, path)
    }

    /// Returns the canonical path of a run directory, in an allowed folder or in this server's own.
    ///
    /// # Errors
    /// A sentence that names the allowed folders.
    pub(super) fn run(&self, path: &str) -> Result<PathBuf, String> {
        let mut roots = self.files.clone();
        roots.extend(self.runs.iter().flat_map(fs::canonicalize));
        let run = within(&roots, path)?;
        // The run directory may be untrusted, so its links must not lead outside.
        for name in ["config.json", "lock.json", "samples.jsonl", "trajectories"] {
            let inside = run.join(name);
            let is_outside = |real: &PathBuf| !real.starts_with(&run);
            if fs::canonicalize(&inside).is_ok_and(|real| is_outside(&real)) {
                return Err(format!("{path:?}: `{name}` in it leads outside the run"));
            }
        }
        Ok(run)
    }

    /// Whether a file found in an allowed folder is still inside an allowed folder after resolving
    /// links.
    pub(super) fn holds(&self, path: &Path) -> bool {
        fs::canonicalize(path).is_ok_and(|real| is_inside(&self.files, &real))
    }
}

fn is_inside(roots: &[PathBuf], path: &Path) -> bool {
    roots.iter().any(|root| path.starts_with(root))
}

fn within(roots: &[PathBuf], path: &str) -> Result<PathBuf, String> {
    if roots.is_empty() {
        return Err(format!(
            "{path:?} cannot be read: this server allows no folder; start it with --root DIR"
        ));
    }
    // A relative path is resolved against each folder.
    let candidates = roots.iter().map(|root| root.join(path));
    let mut real = candidates.filter_map(|candidate| fs::canonicalize(candidate).ok());
    if let Some(real) = real.find(|real| is_inside(roots, real)) {
        return Ok(real);
    }
    let allowed: Vec<String> = roots
        .iter()
        .map(|root| root.display().to_string())
        .collect();
    Err(format!(
        "{path:?} does not exist in a folder that this server allows: {}",
        allowed.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::Roots;

    #[test]
    fn rejects_paths_that_lead_outside() {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        let root = base.join("root");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::create_dir_all(base.join("root2")).unwrap();
        fs::write(root.join("sub/a.txt"), "a").unwrap();
        fs::write(base.join("secret"), "s").unwrap();
        fs::write(base.join("root2/secret"), "s").unwrap();
        symlink(base.join("secret"), root.join("link")).unwrap();
        symlink(root.join("sub"), root.join("inner")).unwrap();
        let roots = Roots::new(vec![root.clone()], None);
        let outside = root.join("../secret").display().to_string();
        for (path, expected) in [
            ("sub/a.txt", Some("sub/a.txt")),
            ("inner/a.txt", Some("sub/a.txt")),
            ("sub/../sub/a.txt", Some("sub/a.txt")),
            ("", Some("")),
            ("..", None),
            ("../secret", None),
            ("link", None),
            ("../root2/secret", None),
            ("/etc/passwd", None),
            ("/", None),
            ("sub/b.txt", None),
            ("a\0b", None),
            (&outside, None),
            (&"x/".repeat(5000), None),
        ] {
            let found = roots.file(path).ok();
            assert_eq!(found, expected.map(|path| root.join(path)), "{path:?}");
        }
        assert!(!roots.holds(&root.join("link")));
        let refusals =
            ["/etc/passwd", "/etc/no-such-file"].map(|path| roots.file(path).unwrap_err());
        assert_eq!(
            refusals[0].replace("passwd", "no-such-file"),
            refusals[1],
            "a refusal must not reveal what exists"
        );
    }

    #[test]
    fn rejects_runs_whose_links_lead_outside() {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(base.join("root/run")).unwrap();
        fs::write(base.join("samples.jsonl"), "").unwrap();
        let roots = Roots::new(vec![base.join("root")], None);
        assert!(roots.run("run").is_ok());
        symlink(
            base.join("samples.jsonl"),
            base.join("root/run/samples.jsonl"),
        )
        .unwrap();
        let refusal = roots.run("run").unwrap_err();
        assert!(refusal.contains("samples.jsonl"), "{refusal}");
    }
}
