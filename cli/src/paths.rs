//! The files that a command reads and writes: no input is overwritten, and no two results go to one file or both to standard output.
//!
//! Two paths mean one file if they lead to the same place (links are followed, and a file that does not exist yet
//! lies in the folder that its path leads to), or if the system gives both the same number (hard links).
//!
//! Invariant: [`refuse_overwriting`] is called before any work is done. A terminal, a pipe or another irregular file
//! is never refused.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::codes;
use crate::io::{STANDARD, display};
use crate::outcome::Failure;

/// The identity of a file.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    /// The target of a path.
    Place(PathBuf),
    /// Device and number.
    #[cfg(unix)]
    Node(u64, u64),
}

fn identities(path: &Path) -> Vec<Identity> {
    if path == Path::new(STANDARD) {
        return Vec::new();
    }
    let known = std::fs::metadata(path).ok();
    if known.as_ref().is_some_and(|known| !known.is_file()) {
        return Vec::new();
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let missing = || Some(parent.canonicalize().ok()?.join(path.file_name()?));
    let place = path.canonicalize().ok().or_else(missing).unwrap_or_else(|| path.to_owned());
    let mut found = vec![Identity::Place(place)];
    #[cfg(unix)]
    if let Some(known) = known {
        use std::os::unix::fs::MetadataExt;
        found.push(Identity::Node(known.dev(), known.ino()));
    }
    found
}

/// Refuses results that would overwrite an input, or each other.
///
/// # Errors
/// There is such a result.
pub(crate) fn refuse_overwriting<'p>(
    reads: impl IntoIterator<Item = &'p Path>,
    writes: impl IntoIterator<Item = &'p Path>,
) -> Result<(), Failure> {
    let mut known: HashMap<Identity, bool> = HashMap::new();
    for path in reads {
        known.extend(identities(path).into_iter().map(|identity| (identity, true)));
    }
    for path in writes {
        for identity in identities(path) {
            if let Some(is_read) = known.insert(identity, false) {
                return Err(refused(path, is_read));
            }
        }
    }
    Ok(())
}

/// Refuses several results on standard output, where nobody can tell them apart. The main result goes there unless it has a file.
///
/// # Errors
/// There are several.
pub(crate) fn refuse_two_on_standard_output<'p>(
    main: Option<&'p Path>,
    others: impl IntoIterator<Item = &'p Path>,
) -> Result<(), Failure> {
    let main = main.unwrap_or(Path::new(STANDARD));
    let count = others.into_iter().chain([main]).filter(|path| *path == Path::new(STANDARD)).count();
    if count < 2 {
        return Ok(());
    }
    Err(Failure::contradiction("two results would be written to standard output")
        .help("name a file for all but one of them; without `-o FILE` the main result goes there"))
}

fn refused(path: &Path, is_read: bool) -> Failure {
    let name = display(path);
    let message = match is_read {
        true => format!("the result would overwrite `{name}`, which the command reads"),
        false => format!("two results would be written to `{name}`"),
    };
    Failure::file(&name, codes::OVERWRITES, message).help("name another file")
}

#[cfg(test)]
mod tests {
    use super::{refuse_overwriting, refuse_two_on_standard_output};
    use std::path::{Path, PathBuf};

    #[test]
    fn one_file_by_several_names_is_one_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("inner")).expect("a folder");
        std::fs::write(path("model"), "text").expect("a file");
        std::fs::write(path("inner/other"), "text").expect("a file");
        let mut names = vec![path("model"), path("inner/../model"), path("./model")];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(path("model"), path("soft")).expect("a link");
            std::os::unix::fs::symlink(path("inner"), path("folder")).expect("a link");
            std::fs::hard_link(path("model"), path("hard")).expect("a link");
            names.extend([path("soft"), path("hard")]);
            assert!(refuse_overwriting([&*path("folder/other")], [&*path("inner/other")]).is_err());
            assert!(refuse_overwriting([], [&*path("folder/new"), &*path("inner/new")]).is_err());
        }
        let none: [&Path; 0] = [];
        for name in &names {
            assert!(refuse_overwriting([&*path("model")], [&**name]).is_err(), "{}", name.display());
            assert!(refuse_overwriting(none, [&*path("model"), &**name]).is_err(), "{}", name.display());
            assert!(refuse_overwriting([&*path("inner/other")], [&**name]).is_ok());
        }
        let (new, again): (PathBuf, PathBuf) = (path("new"), path("inner/../new"));
        assert!(refuse_overwriting(none, [&*new, &*again]).is_err());
        assert!(refuse_overwriting([&*path("model")], [&*new]).is_ok());
        let standard = Path::new("-");
        assert!(refuse_overwriting([standard], [standard, standard]).is_ok());
        assert!(refuse_overwriting([folder.path()], [folder.path()]).is_ok());
    }

    #[test]
    fn standard_output_has_one_result() {
        let (standard, file) = (Path::new("-"), Path::new("file"));
        assert!(refuse_two_on_standard_output(None, [file]).is_ok());
        assert!(refuse_two_on_standard_output(Some(file), [standard]).is_ok());
        assert!(refuse_two_on_standard_output(Some(standard), []).is_ok());
        assert!(refuse_two_on_standard_output(None, [standard]).is_err());
        assert!(refuse_two_on_standard_output(Some(standard), [standard]).is_err());
        assert!(refuse_two_on_standard_output(Some(file), [standard, standard]).is_err());
    }
}
