//! Following and stopping a search: signals, and progress on a terminal.
//!
//! The first signal asks the search to stop, which gives a partial report; a second one ends the process at once.
//! Progress appears after a second, so that short searches stay silent.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use checker::{Control, Progress, Spilling};
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};

use super::paint::{count, size, time};
use crate::checkpoint::Keeper;
use crate::spill::Folder;

/// Seconds before progress is shown.
const PATIENCE: f64 = 1.0;

/// The control of a search from the command line.
pub(crate) struct Watch {
    signal: Arc<AtomicUsize>,
    shows: bool,
    bar: Option<ProgressBar>,
    /// Who keeps checkpoints.
    pub(crate) keeper: Option<Keeper>,
    /// The checkpoint to go on from.
    pub(crate) resumed: Option<Vec<u8>>,
    /// Where states are put that memory has no room for.
    pub(crate) spilling: Option<Arc<Folder>>,
}

impl Watch {
    /// Takes over SIGINT and SIGTERM for the rest of the process.
    pub(crate) fn install(shows: bool) -> Watch {
        let (signal, again) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        for number in [SIGINT, SIGTERM] {
            let code = 128 + number;
            let value = usize::try_from(number).unwrap_or(0);
            // The order matters: the check for a second signal comes before the mark of a first one.
            let _ = signal_hook::flag::register_conditional_shutdown(number, code, Arc::clone(&again));
            let _ = signal_hook::flag::register_usize(number, Arc::clone(&signal), value);
            let _ = signal_hook::flag::register(number, Arc::clone(&again));
        }
        Watch { signal, shows, bar: None, keeper: None, resumed: None, spilling: None }
    }

    /// The number of the signal that came; 0 for none.
    pub(crate) fn signal(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.signal)
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

    fn interrupted(&self) -> Option<i32> {
        match self.signal.load(Ordering::Relaxed) {
            0 => None,
            signal => i32::try_from(signal).ok(),
        }
    }

    fn held(&self) -> u64 {
        crate::commands::check::resident_memory().unwrap_or(0)
    }

    fn spilling(&mut self) -> Option<Arc<dyn Spilling>> {
        self.spilling.as_ref().map(|folder| Arc::clone(folder) as Arc<dyn Spilling>)
    }

    fn resumed(&mut self) -> Option<Vec<u8>> {
        self.resumed.take()
    }

    fn is_checkpoint_due(&mut self, last: bool) -> bool {
        self.keeper.as_ref().is_some_and(|keeper| keeper.is_due(last))
    }

    fn checkpoint(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        if let Some(keeper) = &mut self.keeper {
            keeper.keep(write);
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
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
