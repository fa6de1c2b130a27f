//! States that memory has no room for, as files: `--spill DIR`.
//!
//! A file is made when memory is short, and has no name: the system frees it when the process ends, however it ends.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use checker::{SpillFile, Spilling};

use crate::codes;
use crate::outcome::Failure;

/// A folder for files.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Files in a folder, or in that of the system for temporary files.
    ///
    /// # Errors
    /// There is no such folder.
    pub(crate) fn new(path: Option<&Path>) -> Result<Folder, Failure> {
        if let Some(path) = path.filter(|path| !path.is_dir()) {
            let name = crate::io::display(path);
            let message = format!("there is no folder `{name}` for states that memory has no room for");
            return Err(Failure::file(&name, codes::UNWRITABLE, message));
        }
        Ok(Folder { path: path.map_or_else(std::env::temp_dir, Path::to_owned) })
    }
}

impl Spilling for Folder {
    fn file(&self) -> io::Result<Box<dyn SpillFile>> {
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", crate::io::display(&self.path)));
        let file = tempfile::tempfile_in(&self.path).map_err(named)?;
        Ok(Box::new(UnnamedFile(file)))
    }
}

/// A file without a name.
#[derive(Debug)]
struct UnnamedFile(File);

#[cfg(unix)]
impl SpillFile for UnnamedFile {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.0, bytes, at)
    }

    fn read_at(&mut self, at: u64, to: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, to, at)
    }
}

#[cfg(not(unix))]
impl SpillFile for UnnamedFile {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        io::Seek::seek(&mut self.0, io::SeekFrom::Start(at))?;
        io::Write::write_all(&mut self.0, bytes)
    }

    fn read_at(&mut self, at: u64, to: &mut [u8]) -> io::Result<()> {
        io::Seek::seek(&mut self.0, io::SeekFrom::Start(at))?;
        io::Read::read_exact(&mut self.0, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spilled_states_are_read_and_no_name_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = Folder::new(Some(folder.path())).expect("a folder");
        let mut file = files.file().expect("a file");
        file.write_at(0, b"first").expect("writes");
        file.write_at(5, b"second").expect("writes");
        file.write_at(2, b"X").expect("writes");
        let mut bytes = [0; 7];
        file.read_at(1, &mut bytes).expect("reads");
        assert_eq!(&bytes, b"iXstsec");
        assert!(file.read_at(8, &mut bytes).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).expect("lists").count(), 0);
    }

    #[test]
    fn a_folder_that_is_missing_is_an_error() {
        assert!(Folder::new(Some(Path::new("there/is/no/such/folder"))).is_err());
    }
}
