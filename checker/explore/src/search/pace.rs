//! The events outside a search that end it (the watch of the thread: time and signals; the search itself keeps an
//! account of memory), and progress at most ten times a second.
//!
//! The watch is checked once in [`Tuning::visits`](crate::tuning::Tuning::visits) visits, and after each visit that
//! ran the interpreter.

use std::time::{Duration, Instant};

use limits::{Cause, Stopped, Watch};

use crate::report::{Control, Limit, LimitKind, Progress};

/// The least time between two reports of progress.
const INTERVAL: Duration = Duration::from_millis(100);

/// The words of successors that a visit makes for nothing more than its own count.
const WORDS: usize = 1 << 8;

/// The clock of one search.
pub struct Pace<'c> {
    control: &'c mut dyn Control,
    watch: Watch,
    started: Instant,
    timeout: Option<Duration>,
    now: Instant,
    shown: Instant,
    visits: u32,
}

impl<'c> Pace<'c> {
    /// A clock that starts now.
    pub fn new(control: &'c mut dyn Control, timeout: Option<Duration>) -> Pace<'c> {
        let now = Instant::now();
        let watch = limits::watch().with_own_account();
        Pace { control, watch, started: now, timeout, now, shown: now, visits: 0 }
    }

    /// A clock that started before.
    pub fn since(control: &'c mut dyn Control, timeout: Option<Duration>, started: Instant) -> Pace<'c> {
        Pace { started, ..Pace::new(control, timeout) }
    }

    /// Whether a check is due, once in so many visits.
    #[inline]
    pub fn is_due(&mut self, visits: u32, words: usize) -> bool {
        self.visits = self.visits.saturating_add(1 + u32::try_from(words / WORDS).unwrap_or(u32::MAX - 1));
        self.visits >= visits
    }

    /// The watch of the search: time and signals stop the code that runs under it.
    pub fn watch(&self) -> Watch {
        self.watch.clone()
    }

    /// Checks the watch; returns the limit that ends the search, if there is one.
    pub fn ended(&mut self) -> Option<Limit> {
        self.visits = 0;
        self.now = Instant::now();
        if let Some(signal) = self.control.interrupted() {
            return Some(Limit { kind: LimitKind::Interrupt, value: u64::from(signal.unsigned_abs()) });
        }
        if let Err(stopped) = self.watch.consult() {
            return Some(limit_of(stopped));
        }
        self.watch.account();
        let timeout = self.timeout.filter(|&timeout| self.now - self.started >= timeout)?;
        Some(Limit { kind: LimitKind::Time, value: u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX) })
    }

    /// Bytes that the process holds outside the search, measured before it begins.
    pub fn held(&self) -> u64 {
        self.control.held()
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
