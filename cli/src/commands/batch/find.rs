//! The models that paths, folders and patterns name, in the order of their paths.
//!
//! Hidden entries are passed over and links to folders are not followed, so that a walk ends. A file that is named
//! itself is a model whatever its name, except for property files, which come with patterns of the shell.
//!
//! Invariant: the same paths give the same list, whatever the order in which the system lists folders.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::codes;
use crate::io;
use crate::outcome::Failure;

/// The extensions of models.
const MODELS: [&str; 6] = ["rebeca", "lpe", "m", "dve", "pml", "pnml"];

/// Finds the models.
///
/// # Errors
/// A path that names nothing, a folder that cannot be listed, or no model at all.
pub(crate) fn models(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = BTreeSet::new();
    for path in paths {
        if path.is_dir() {
            walk(path, &mut found)?;
        } else if path.exists() {
            if !has_extension(path, &["property"]) {
                found.insert(path.clone());
            }
        } else {
            matching(path, &mut found)?;
        }
    }
    if found.is_empty() {
        let extensions = MODELS.map(|extension| format!(".{extension}")).join(", ");
        let message = format!("there is no model ({extensions}) among the paths");
        return Err(Failure::usage(codes::FILE_NOT_FOUND, message));
    }
    Ok(found.into_iter().collect())
}

fn walk(folder: &Path, found: &mut BTreeSet<PathBuf>) -> Result<(), Failure> {
    for entry in io::entries(folder)? {
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if hidden {
            continue;
        }
        if kind.is_dir() {
            walk(&path, found)?;
        } else if has_extension(&path, &MODELS) && path.is_file() {
            found.insert(path);
        }
    }
    Ok(())
}

fn matching(path: &Path, found: &mut BTreeSet<PathBuf>) -> Result<(), Failure> {
    let name = io::display(path);
    let missing = |message: String| Failure::file(&*name, codes::FILE_NOT_FOUND, message);
    if !path.to_string_lossy().contains(['*', '?', '[']) {
        return Err(missing(format!("there is no file or folder `{name}`")));
    }
    let matches = glob::glob(&path.to_string_lossy())
        .map_err(|error| missing(format!("`{name}` is not a pattern: {}", error.msg)))?;
    let mut any = false;
    for path in matches.filter_map(Result::ok) {
        any = true;
        if path.is_dir() {
            walk(&path, found)?;
        } else if has_extension(&path, &MODELS) {
            found.insert(path);
        }
    }
    if any { Ok(()) } else { Err(missing(format!("nothing matches `{name}`"))) }
}

fn has_extension(path: &Path, wanted: &[&str]) -> bool {
    path.extension().is_some_and(|extension| wanted.iter().any(|wanted| extension.eq_ignore_ascii_case(wanted)))
}

#[cfg(test)]
mod tests {
    use super::models;

    #[test]
    fn folders_are_walked_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(path("b/.hidden")).expect("a folder");
        for name in ["b/z.rebeca", "b/a.lpe", "a.rebeca", "a.property", "b/.hidden/x.rebeca", "notes.txt"] {
            std::fs::write(path(name), "").expect("a file");
        }
        let found = models(&[folder.path().to_owned()]).expect("models");
        assert_eq!(found, ["a.rebeca", "b/a.lpe", "b/z.rebeca"].map(path));
        let found = models(&[path("b/*.lpe"), path("a.rebeca"), path("a.property")]).expect("models");
        assert_eq!(found, ["a.rebeca", "b/a.lpe"].map(path));
        assert!(models(&[path("none.rebeca")]).is_err() && models(&[path("*.none")]).is_err());
        assert!(models(&[path("a.property")]).is_err());
    }
}
