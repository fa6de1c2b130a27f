//! The watch, which decides when a computation must stop.
//!
//! A watch is shared by threads and cloned freely. A watch made from another one stops when the other one stops, and
//! earlier if it has limits of its own: a share of the remaining time, or a number of elementary steps. A limit on
//! steps is deterministic: the same input stops at the same place on every machine.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::ambient;
use crate::world::{System, World};

/// The most bytes that a thread takes between two looks without a call of [`reserve`](crate::reserve), and for its report afterwards, whose
/// code is not yet in memory: a computation stops this far below its limit on memory, or at a 24th of the limit below it if that is less.
const MARGIN: u64 = 1 << 21;

/// The bytes below the limit on memory from which on each look measures anew: the most that a process takes within the age of a figure.
const NEAR: u64 = 1 << 25;

/// The cause that stopped a computation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The limit on time, with its length.
    Time(Duration),
    /// The limit on the memory of the process, in bytes.
    Memory(u64),
    /// The limit on elementary steps.
    Work(u64),
    /// A signal, with its number.
    Signal(i32),
}

impl fmt::Display for Cause {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Time(_) => write!(out, "the limit on time"),
            Cause::Memory(_) => write!(out, "the limit on memory"),
            Cause::Work(_) => write!(out, "the limit on work"),
            Cause::Signal(_) => write!(out, "a signal"),
        }
    }
}

/// A computation stopped before it had a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// The cause.
    pub cause: Cause,
    /// The phase of the thread at the stop.
    pub phase: &'static str,
    /// Whether only a part of the limits was used up, a share or a limit on work: the surrounding computation
    /// continues.
    pub is_share: bool,
}

impl Stopped {
    /// Whether a limit on the steps of a part ended it, and not one on the whole.
    pub fn is_of_steps(&self) -> bool {
        self.is_share && matches!(self.cause, Cause::Work(_))
    }

    /// Unwinds to the surrounding [`Watch::run`].
    pub fn throw(self) -> ! {
        resume_unwind(Box::new(self))
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} came", self.cause)?;
        if self.phase.is_empty() { Ok(()) } else { write!(out, " while {}", self.phase) }
    }
}

/// Decides when a computation must stop.
#[derive(Clone)]
pub struct Watch {
    inner: Arc<Inner>,
}

struct Inner {
    world: Arc<dyn World>,
    /// The deadline, and its distance from the start.
    time: Option<(Duration, Duration)>,
    /// The limit of this watch itself; the surrounding ones have their own limits.
    max_memory: Option<u64>,
    /// Whether the limits on memory, of this watch and of the surrounding ones, count.
    counts_memory: bool,
    /// The bytes that the process may hold until the next [`Watch::account`], where the caller accounts for memory.
    room: Option<Arc<AtomicU64>>,
    /// Whether signals stop it.
    observes_signals: bool,
    /// The reason why the previous watch stopped, if this watch is one that follows it ([`Watch::or_afterwards`]).
    after: Option<Stopped>,
    max_work: Option<u64>,
    worked: AtomicU64,
    stopped: OnceLock<Cause>,
    parent: Option<Watch>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { time, max_memory, max_work, stopped, .. } = &*self.inner;
        write!(out, "Watch {{ {time:?}, {max_memory:?} bytes, {max_work:?} steps, {stopped:?} }}")
    }
}

impl Default for Watch {
    fn default() -> Watch {
        Watch::unlimited()
    }
}

impl Watch {
    /// A watch that never stops.
    pub fn unlimited() -> Watch {
        Watch::new(Arc::new(System::default()), None, None)
    }

    /// A watch over a world that starts now.
    pub fn new(world: Arc<dyn World>, timeout: Option<Duration>, max_memory: Option<u64>) -> Watch {
        let time = timeout.map(|timeout| (world.now().saturating_add(timeout), timeout));
        Watch { inner: Arc::new(Inner::new(world, time, max_memory)) }
    }

    /// A watch that stops with this one, or when a share of the remaining time is used up.
    pub fn share(&self, part: u32, of: u32) -> Watch {
        assert!(0 < part && part <= of, "a share is a part of a whole");
        let time = self.inner.time.map(|(end, _)| {
            let left = end.saturating_sub(self.inner.world.now());
            let own = left / of * part;
            (end - (left - own), own)
        });
        self.child(Inner { time, ..self.own() })
    }

    /// A watch that stops with this one, or after this number of elementary steps.
    pub fn at_most(&self, work: u64) -> Watch {
        self.child(Inner { max_work: Some(work), ..self.own() })
    }

    /// Stops this watch and those made from it: their owner has another way. It counts as a limit on work.
    pub fn stop(&self) {
        let _ = self.inner.stopped.set(Cause::Work(self.inner.worked.load(Ordering::Relaxed)));
    }

    /// A watch that stops with this one, or when its own time from now is over, or when the process holds more than its
    /// own limit.
    pub fn within(&self, timeout: Option<Duration>, max_memory: Option<u64>) -> Watch {
        let own = timeout.map(|timeout| (self.inner.world.now().saturating_add(timeout), timeout));
        let time = match (own, self.inner.time) {
            (Some(own), Some(outer)) => Some(own.min(outer)),
            (own, outer) => own.or(outer),
        };
        self.child(Inner { time, max_memory, ..self.own() })
    }

    /// A watch that stops with this one, except for its limits on memory: for callers that account for their own
    /// memory between two parts of their work. A part may take the memory up to the limit; where most of it is in use,
    /// a sixteenth of the limit above that. The caller begins each part by [`Watch::account`].
    pub fn with_own_account(&self) -> Watch {
        let room = Some(Arc::new(AtomicU64::new(self.room())));
        self.child(Inner { counts_memory: false, room, ..self.own() })
    }

    /// Begins a part of the work of a caller that accounts for its own memory.
    pub fn account(&self) {
        if let Some(room) = &self.inner.room {
            room.store(self.room(), Ordering::Relaxed);
        }
    }

    /// The bytes that the process may hold in the next part.
    fn room(&self) -> u64 {
        let Some(most) = self.enclosing().filter_map(|watch| watch.inner.max_memory).min() else { return u64::MAX };
        let held = self.inner.world.held();
        if held < most / 4 * 3 { most } else { held.saturating_add(most / 16) }
    }

    /// This watch, or if it has stopped, one for the given time after it: for assembling the result of a search that a
    /// limit or a signal ended. Such a watch stops for the cause that stopped the first one;
    /// [`consult`](Watch::consult) reports that cause. Its limit on memory is the least one that did not stop the first watch, but at
    /// least a sixteenth above the memory that the process holds, and twice the margin at which a watch stops.
    #[must_use]
    pub fn or_afterwards(&self, grace: Duration) -> Watch {
        let Err(stopped) = self.consult() else { return self.clone() };
        if self.inner.after.is_some() {
            return self.clone();
        }
        let world = Arc::clone(&self.inner.world);
        let time = Some((world.now().saturating_add(grace), grace));
        let max_memory = self.memory_afterwards(stopped.cause);
        let inner = Inner { observes_signals: false, after: Some(stopped), ..Inner::new(world, time, max_memory) };
        Watch { inner: Arc::new(inner) }
    }

    /// The limit on memory after a stop for a cause.
    fn memory_afterwards(&self, cause: Cause) -> Option<u64> {
        let limits = || self.enclosing().filter_map(|watch| watch.inner.max_memory);
        let passed = if let Cause::Memory(most) = cause { most } else { 0 };
        let most = limits().filter(|&most| most > passed).min().or_else(|| limits().max())?;
        Some(most.max(self.inner.world.held_now().saturating_add((most / 16).max(2 * MARGIN))))
    }

    /// A watch with the limits of this one, but with at least the given time from now and at least the given number of
    /// bytes above the memory that the process holds: for work that must be done irrespective of the limits, and that
    /// is short unless a fault occurred.
    #[must_use]
    pub fn at_least(&self, time: Duration, bytes: u64) -> Watch {
        let (world, outer) = (Arc::clone(&self.inner.world), &*self.inner);
        let least = world.now().saturating_add(time);
        let time = outer.time.map(|(end, whole)| (end.max(least), whole));
        let max_memory = self.max_memory().map(|most| most.max(world.held().saturating_add(bytes)));
        Watch {
            inner: Arc::new(Inner { observes_signals: outer.observes_signals, ..Inner::new(world, time, max_memory) }),
        }
    }

    /// The initial content of a watch made from this one.
    fn own(&self) -> Inner {
        let outer = &*self.inner;
        let inner = Inner::new(Arc::clone(&outer.world), outer.time, None);
        let Inner { counts_memory, observes_signals, after, .. } = *outer;
        Inner { counts_memory, observes_signals, after, room: outer.room.clone(), ..inner }
    }

    fn child(&self, inner: Inner) -> Watch {
        let end = |of: &Inner| of.time.map_or(Duration::MAX, |(end, _)| end);
        assert!(end(&inner) <= end(&self.inner), "a part of a computation ends with the whole at the latest");
        Watch { inner: Arc::new(Inner { parent: Some(self.clone()), ..inner }) }
    }

    /// Runs a function under this watch, on this thread.
    ///
    /// # Errors
    /// The watch or a surrounding one stopped.
    pub fn run<R>(&self, function: impl FnOnce() -> R) -> Result<R, Stopped> {
        self.enter(|| {
            ambient::check();
            function()
        })
    }

    /// As [`Watch::run`], without a look before the function begins: the parts of it decide what a limit that is over already means.
    ///
    /// # Errors
    /// The watch stopped, or one around it did.
    pub fn enter<R>(&self, function: impl FnOnce() -> R) -> Result<R, Stopped> {
        let _entered = ambient::enter(self.clone());
        // What was stopped is dropped by the caller, who has no result of it.
        match catch_unwind(AssertUnwindSafe(function)) {
            Ok(result) => Ok(result),
            Err(payload) => match payload.downcast::<Stopped>() {
                Ok(stopped) => Err(*stopped),
                Err(panic) => resume_unwind(panic),
            },
        }
    }

    /// Looks at the world and decides whether to stop.
    ///
    /// # Errors
    /// The watch stopped.
    pub fn consult(&self) -> Result<(), Stopped> {
        self.inner.after.map_or_else(|| self.look(0, 0), Err)
    }

    /// The limit on time of the whole computation, as it was at the start.
    pub fn timeout(&self) -> Option<Duration> {
        self.enclosing().filter_map(|watch| watch.inner.time.map(|(_, whole)| whole)).last()
    }

    /// The remaining time; `None` without a limit.
    pub fn left(&self) -> Option<Duration> {
        self.inner.time.map(|(end, _)| end.saturating_sub(self.inner.world.now()))
    }

    /// The limit on the memory of the process: the least of this watch and of the surrounding ones.
    pub fn max_memory(&self) -> Option<u64> {
        if !self.inner.counts_memory {
            return None;
        }
        self.enclosing().filter_map(|watch| watch.inner.max_memory).min()
    }

    /// The bytes that the process holds.
    pub fn held(&self) -> u64 {
        self.inner.world.held()
    }

    /// The world at which the watch looks.
    pub fn world(&self) -> &Arc<dyn World> {
        &self.inner.world
    }

    /// Looks at the world, after this number of steps and before this number of bytes is allocated.
    pub(crate) fn look(&self, work: u64, bytes: u64) -> Result<(), Stopped> {
        let stop = |cause, is_share| Err(Stopped { cause, phase: ambient::phase_now(), is_share });
        let inner = &*self.inner;
        for Watch { inner: own } in self.enclosing() {
            let worked = own.worked.fetch_add(work, Ordering::Relaxed).saturating_add(work);
            if own.max_work.is_some_and(|most| worked > most) {
                let _ = own.stopped.set(Cause::Work(own.max_work.unwrap_or(0)));
            }
        }
        let now = inner.world.now();
        if inner.observes_signals
            && let Some(signal) = inner.world.signal()
        {
            return stop(self.mark_root(Cause::Signal(signal)), false);
        }
        let held = if inner.counts_memory { self.held_near_limits(bytes) } else { 0 };
        // Callers that account for their own memory know of what they allocate, and of what they hold where they only consult.
        let room = inner.room.as_ref().map_or(u64::MAX, |room| room.load(Ordering::Relaxed));
        if work > 0 && bytes == 0 && room != u64::MAX && inner.world.held() > room {
            let most = self.enclosing().filter_map(|watch| watch.inner.max_memory).min().unwrap_or(room);
            let _ = inner.stopped.set(inner.cause(Cause::Memory(most)));
        }
        let mut found = None;
        for Watch { inner: own } in self.enclosing() {
            if let Some((end, whole)) = own.time
                && now >= end
            {
                let _ = own.stopped.set(own.cause(Cause::Time(whole)));
            }
            let over = own.max_memory.filter(|&most| held > most - MARGIN.min(most / 24));
            let over = over.map(|most| own.cause(Cause::Memory(most)));
            // A refused allocation does not mark the watch as stopped: another way may need less memory.
            if let Some(cause) = over.filter(|_| bytes == 0) {
                let _ = own.stopped.set(cause);
            }
            // The outermost watch that has stopped gives the cause: the others are shares of it.
            if let Some(cause) = own.stopped.get().copied().or(over) {
                found = Some((cause, own.parent.is_some()));
            }
        }
        found.map_or(Ok(()), |(cause, is_share)| stop(cause, is_share))
    }

    /// The bytes that the process holds and is about to allocate, measured now where they are near the least limit; 0 without a limit.
    fn held_near_limits(&self, bytes: u64) -> u64 {
        let Some(most) = self.enclosing().filter_map(|watch| watch.inner.max_memory).min() else { return 0 };
        let held = self.inner.world.held().saturating_add(bytes);
        if held.saturating_add(NEAR) < most { held } else { self.inner.world.held_now().saturating_add(bytes) }
    }

    /// The end of a computation whose allocation failed. The watch goes on: another method may need less.
    pub(crate) fn refused(&self, bytes: u64) -> Stopped {
        let most = self.enclosing().filter_map(|watch| watch.inner.max_memory).min().unwrap_or(bytes);
        Stopped { cause: self.inner.cause(Cause::Memory(most)), phase: ambient::phase_now(), is_share: false }
    }

    /// This watch and those around it, the outermost last.
    fn enclosing(&self) -> impl Iterator<Item = &Watch> {
        std::iter::successors(Some(self), |watch| watch.inner.parent.as_ref())
    }

    /// Marks the outermost watch as stopped; returns the cause that stopped it first.
    fn mark_root(&self, cause: Cause) -> Cause {
        let root = self.enclosing().last().expect("it is around itself");
        *root.inner.stopped.get_or_init(|| cause)
    }
}

impl Inner {
    fn new(world: Arc<dyn World>, time: Option<(Duration, Duration)>, max_memory: Option<u64>) -> Inner {
        Inner {
            world,
            time,
            max_memory,
            counts_memory: true,
            room: None,
            observes_signals: true,
            after: None,
            max_work: None,
            worked: AtomicU64::new(0),
            stopped: OnceLock::new(),
            parent: None,
        }
    }

    /// What is said to stop it where one of its limits is met: the cause that stopped the watch that it follows, if it follows one.
    fn cause(&self, own: Cause) -> Cause {
        self.after.map_or(own, |stopped| stopped.cause)
    }
}
