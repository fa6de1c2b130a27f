//! A control that lets every search move its states to files in memory as soon as possible.

use std::io;
use std::sync::Arc;

use checker::{Control, Progress, SpillFile, Spilling};

/// The control.
#[derive(Clone, Copy, Debug)]
pub struct Elsewhere;

impl Control for Elsewhere {
    fn progress(&mut self, _: &Progress) {}

    fn spilling(&mut self) -> Option<Arc<dyn Spilling>> {
        Some(Arc::new(Elsewhere))
    }
}

impl Spilling for Elsewhere {
    fn file(&self) -> io::Result<Box<dyn SpillFile>> {
        Ok(Box::new(Bytes(Vec::new())))
    }

    fn is_eager(&self) -> bool {
        true
    }
}

/// A file in memory.
#[derive(Debug)]
struct Bytes(Vec<u8>);

impl SpillFile for Bytes {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.truncate(usize::try_from(at).map_err(io::Error::other)?);
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn read_at(&mut self, at: u64, to: &mut [u8]) -> io::Result<()> {
        let at = usize::try_from(at).map_err(io::Error::other)?;
        let bytes = self.0.get(at..at + to.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        to.copy_from_slice(bytes);
        Ok(())
    }
}
