//! Following a search: progress on a terminal, checkpoints, and the place for states that memory has no room for.
//!
//! Progress appears after a second, so that short searches stay silent.

use std::io::{self, Write};
use std::sync::Arc;

use checker::{Control, Progress, Spilling};
use indicatif::{ProgressBar, ProgressStyle};

use crate::checkpoint::CheckpointWriter;
use crate::paint::{count, size, time};
use crate::spill::Folder;

/// Seconds before progress is shown.
const PATIENCE: f64 = 1.0;

/// The control of a search from the command line.
pub(crate) struct Watch {
    shows: bool,
    bar: Option<ProgressBar>,
    /// The keeper of checkpoints.
    pub(crate) checkpoint_writer: Option<CheckpointWriter>,
    /// The checkpoint to continue from.
    pub(crate) resumed: Option<Vec<u8>>,
    /// The place for states that memory has no room for.
    pub(crate) spilling: Option<Arc<Folder>>,
}

impl Watch {
    /// A control that shows progress or does not.
    pub(crate) fn new(shows: bool) -> Watch {
        Watch { shows, bar: None, checkpoint_writer: None, resumed: None, spilling: None }
    }

    /// Takes progress off the terminal until there is more of it.
    pub(crate) fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Control for Watch {
    fn progress(&mut self, progress: &Progress) {
        if !self.shows || progress.seconds < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::new_spinner();
            bar.set_style(ProgressStyle::with_template("{spinner} {msg}").expect("the template is valid"));
            bar
        });
        bar.set_message(line(progress));
        bar.tick();
    }

    fn spilling(&mut self) -> Option<Arc<dyn Spilling>> {
        self.spilling.as_ref().map(|folder| Arc::clone(folder) as Arc<dyn Spilling>)
    }

    fn is_saved(&self) -> bool {
        self.checkpoint_writer.is_some() || self.resumed.is_some()
    }

    fn resumed(&mut self) -> Option<Vec<u8>> {
        self.resumed.take()
    }

    fn is_checkpoint_due(&mut self, last: bool) -> bool {
        self.checkpoint_writer.as_ref().is_some_and(|checkpoint_writer| checkpoint_writer.is_due(last))
    }

    fn checkpoint(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        if let Some(checkpoint_writer) = &mut self.checkpoint_writer {
            checkpoint_writer.keep(write);
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.clear();
    }
}

fn line(progress: &Progress) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let rate = (progress.states as f64 / progress.seconds.max(0.001)) as u64;
    format!(
        "{} states  {}/s  frontier {}  depth {}  {}  {}",
        count(progress.states),
        count(rate),
        count(progress.frontier),
        count(progress.depth),
        size(progress.memory),
        time(progress.seconds),
    )
}

#[cfg(test)]
mod tests {
    use super::{Progress, line};

    #[test]
    fn the_line_has_the_rate() {
        let progress =
            Progress { states: 30_000, transitions: 90_000, frontier: 12, depth: 7, memory: 1 << 20, seconds: 2.0 };
        assert_eq!(line(&progress), "30,000 states  15,000/s  frontier 12  depth 7  1 MiB  2.00 s");
    }
}
