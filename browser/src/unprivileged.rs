//! The unprivileged user that Chromium runs as instead of root. Unlike root, it owns no files and
//! can use Chromium's sandbox.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::Path;

/// User on systems that do not define `nobody`.
const NOBODY: User = User {
    id: 65_534,
    group: 65_534,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) id: u32,
    pub(crate) group: u32,
}

impl User {
    /// Returns `nobody`, who runs Chromium, if this process runs as root; otherwise `None`.
    pub(crate) fn in_place_of_root() -> Option<Self> {
        let own = fs::metadata("/proc/self").map(|about| about.uid());
        if own.unwrap_or(1) != 0 {
            return None;
        }
        let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
        Some(nobody_of(&users).unwrap_or(NOBODY))
    }

    /// Makes this user the owner of a directory.
    ///
    /// # Errors
    /// Returns an error if root lacks the privilege, as in some containers.
    pub(crate) fn own(self, directory: &Path) -> std::io::Result<()> {
        chown(directory, Some(self.id), Some(self.group))
    }
}

/// Parses the entry of `nobody` in `/etc/passwd` (passwd(5)).
fn nobody_of(users: &str) -> Option<User> {
    let entry = users.lines().find(|line| line.starts_with("nobody:"))?;
    let mut fields = entry.split(':').skip(2);
    let id = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    (id != 0).then_some(User { id, group })
}

#[cfg(test)]
mod tests {
    use super::{User, nobody_of};

    #[test]
    fn finds_nobody_by_name() {
        let rows = [
            (
                "root:x:0:0::/:/bin/sh\nnobody:x:99:98:n:/:/x\n",
                Some((99, 98)),
            ),
            ("nobody:x:0:0::/:/x", None),
            ("nobody:x::1", None),
            ("", None),
        ];
        for (users, expected) in rows {
            let expected = expected.map(|(id, group)| User { id, group });
            assert_eq!(nobody_of(users), expected, "{users}");
        }
    }
}
