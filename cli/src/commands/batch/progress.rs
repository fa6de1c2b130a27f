//! Progress of a batch on a terminal.

use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use crate::paint::{clean, time};

/// Progress on a terminal: how many are done, which one runs, and how long the rest takes if it is like what is done.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    started: Instant,
    total: usize,
    done: usize,
    current: String,
}

impl Progress {
    /// Of so many rows; shown on a terminal only.
    pub(super) fn new(total: usize, shows: bool) -> Progress {
        let bar = (shows && total > 0).then(|| {
            let bar = ProgressBar::new(total as u64);
            let style = ProgressStyle::with_template("[{pos}/{len}] {wide_bar} {msg}").expect("the template is valid");
            bar.set_style(style);
            bar
        });
        Progress { bar, started: Instant::now(), total, done: 0, current: String::new() }
    }

    /// A row was begun.
    pub(super) fn begun(&mut self, name: &str) {
        self.current = clean(name);
        self.show();
    }

    /// A row ended.
    pub(super) fn ended(&mut self) {
        self.done += 1;
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
        self.show();
    }

    /// Time passed.
    pub(super) fn tick(&self) {
        if let Some(bar) = &self.bar {
            bar.tick();
        }
    }

    /// An estimate needs some models, and is no promise: one model can take longer than all before it.
    fn show(&self) {
        let Some(bar) = &self.bar else { return };
        #[expect(clippy::cast_precision_loss)]
        let left = self.started.elapsed().as_secs_f64() / self.done.max(1) as f64 * (self.total - self.done) as f64;
        let estimate =
            if self.done >= 3 { format!("   about {} if the rest is alike", time(left)) } else { String::new() };
        let name = self.current.rsplit('/').next().unwrap_or_default();
        bar.set_message(format!("{name}{estimate}"));
    }

    /// Takes the line away.
    pub(super) fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
