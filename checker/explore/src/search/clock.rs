//! The events outside a search that end it (the watch of the thread: time and signals; the search itself keeps an
//! account of memory), and progress at most ten times per second.
//!
//! The watch is checked once in [`Tuning::visits`](crate::tuning::Tuning::visits) visits, and after each visit that
//! ran the interpreter.

use std::time::Duration;

use limits::{Cause, Stopped, Watch};

use crate::report::{Control, Limit, LimitKind, Progress};

/// The least time between two reports of progress.
const INTERVAL: Duration = Duration::from_millis(100);

/// The words of successors that a visit makes for nothing more than its own count.
const WORDS: usize = 1 << 8;

/// Checks of the watch between two measurements of the memory in which visits have room.
const ACCOUNTED: u32 = 16;

/// The clock of one search: that of the watch.
pub struct Clock<'c> {
    control: &'c mut dyn Control,
    watch: Watch,
    started: Duration,
    now: Duration,
    shown: Duration,
    visits: usize,
    /// The number of checks, modulo its range.
    checks: u32,
}

impl<'c> Clock<'c> {
    /// A clock that starts now.
    pub fn new(control: &'c mut dyn Control) -> Clock<'c> {
        let watch = limits::watch().with_own_account();
        let now = watch.world().now();
        Clock { control, watch, started: now, now, shown: now, visits: 0, checks: 0 }
    }

    /// A clock that started before.
    pub fn since(control: &'c mut dyn Control, started: Duration) -> Clock<'c> {
        Clock { started, ..Clock::new(control) }
    }

    /// Whether a check is due, once in so many visits.
    #[inline]
    pub fn is_due(&mut self, visits: u32, words: usize) -> bool {
        // All of these words are in memory.
        self.visits += 1 + words / WORDS;
        self.visits >= visits as usize
    }

    /// The watch of the search: time and signals stop the code that runs under it.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Checks the watch; returns the limit that ends the search, if there is one.
    pub fn ended(&mut self) -> Option<Limit> {
        self.visits = 0;
        self.now = self.watch.world().now();
        if let Err(stopped) = self.watch.consult() {
            return Some(limit_of(stopped));
        }
        self.checks = self.checks.wrapping_add(1);
        if self.checks.is_multiple_of(ACCOUNTED) {
            self.watch.account();
        }
        None
    }

    /// Bytes that the process holds outside the search, measured before it begins.
    pub fn held(&self) -> u64 {
        self.watch.held()
    }

    /// The control that follows the search.
    pub fn control(&mut self) -> &mut dyn Control {
        self.control
    }

    /// Whether progress is to be shown.
    pub fn is_showing(&self) -> bool {
        self.now - self.shown >= INTERVAL
    }

    /// Shows progress; the seconds are filled in.
    pub fn show(&mut self, progress: Progress) {
        self.shown = self.now;
        self.control.progress(&Progress { seconds: (self.now - self.started).as_secs_f64(), ..progress });
    }
}

/// The bound behind a stop.
pub fn limit_of(stopped: Stopped) -> Limit {
    let (kind, value) = match stopped.cause {
        Cause::Time(time) => (LimitKind::Time, u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
        Cause::Memory(bytes) => (LimitKind::Memory, bytes),
        Cause::Work(steps) => (LimitKind::Work, steps),
        Cause::Signal(signal) => (LimitKind::Interrupt, u64::from(signal.unsigned_abs())),
    };
    Limit { kind, value }
}
