//! The watch of the thread, and the calls by which loops consult it.
//!
//! `work` subtracts its steps from a credit of the thread; when the credit is used up, the watch looks at the world. A
//! step takes some nanoseconds: a visit of a table, a copy of a few words. A loop with longer rounds passes larger
//! numbers of steps.
//!
//! Invariant: between two looks of a thread lie at most [`QUANTUM`] steps and the steps of one call.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::time::Duration;

use crate::watch::{Stopped, Watch};

/// The elementary steps between two looks at the world: some tens of microseconds.
pub const QUANTUM: u64 = 1 << 13;

thread_local! {
    /// The entered watches, the innermost last.
    static ENTERED: RefCell<Vec<Watch>> = const { RefCell::new(Vec::new()) };
    /// The steps until the next look; the largest number if there is nothing to look at.
    static CREDIT: Cell<u64> = const { Cell::new(u64::MAX) };
    /// The current phase of the thread, and its start.
    static PHASE: Cell<(&'static str, Duration)> = const { Cell::new(("", Duration::ZERO)) };
}

/// Leaves a watch when it is dropped.
pub(crate) struct Entered {
    phase: (&'static str, Duration),
}

/// Enters a watch.
pub(crate) fn enter(watch: Watch) -> Entered {
    ENTERED.with_borrow_mut(|entered| entered.push(watch));
    CREDIT.set(QUANTUM);
    Entered { phase: PHASE.get() }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let is_last = ENTERED.with_borrow_mut(|entered| {
            let left = entered.pop();
            debug_assert!(left.is_some(), "a watch that is left was entered");
            entered.is_empty()
        });
        CREDIT.set(if is_last { u64::MAX } else { QUANTUM });
        PHASE.set(self.phase);
    }
}

/// The watch of this thread, to be passed to other threads; one that never stops if there is none.
pub fn watch() -> Watch {
    ENTERED.with_borrow(|entered| entered.last().cloned()).unwrap_or_default()
}

/// Runs a function under a share of the watch of this thread, which is a share of the remaining time.
///
/// # Errors
/// The share was used up, or the watch stopped.
pub fn share<R>(part: u32, of: u32, function: impl FnOnce() -> R) -> Result<R, Stopped> {
    watch().share(part, of).run(function)
}

/// The result of a function that takes at most this number of elementary steps; unwinds where another limit ended it.
pub fn at_most<R>(steps: u64, function: impl FnOnce() -> R) -> Option<R> {
    match watch().at_most(steps).run(function) {
        Ok(result) => Some(result),
        Err(stopped) if stopped.is_of_steps() => {
            // The steps may be those of a watch around this one.
            check();
            None
        }
        Err(stopped) => stopped.throw(),
    }
}

/// The result of a computation that keeps a limit on time but knows no signals: it runs for a second, and begins again with twice the time after
/// each look at the watch, so that a signal waits for no more than was computed so far. `None` if it needs more than `most` at once.
pub fn in_growing_parts<R>(most: Duration, mut within: impl FnMut(Duration) -> Option<R>) -> Option<R> {
    const FIRST: Duration = Duration::from_secs(1);
    let mut part = FIRST.min(most);
    loop {
        check();
        let left = watch().left().unwrap_or(Duration::MAX);
        let found = within(part.min(left));
        if found.is_some() || part >= most {
            return found;
        }
        part = part.saturating_mul(2).min(most);
    }
}

/// Sets the phase of the thread, which progress and the reason of a stop show: `finding automorphisms`.
pub fn phase(name: &'static str) {
    let now = ENTERED.with_borrow(|entered| entered.last().map(|watch| watch.world().now()));
    PHASE.set((name, now.unwrap_or_default()));
    check();
}

/// The phase of the thread.
pub(crate) fn phase_now() -> &'static str {
    PHASE.get().0
}

/// Consults the watch about the elementary steps that come next; unwinds to [`Watch::run`] if it has stopped.
#[inline]
pub fn work(steps: u64) {
    let credit = CREDIT.get();
    if steps < credit {
        CREDIT.set(credit - steps);
    } else {
        stop_if(look(steps, 0));
    }
}

/// As [`work`], without unwinding.
///
/// # Errors
/// The watch stopped.
#[inline]
pub fn poll(steps: u64) -> Result<(), Stopped> {
    let credit = CREDIT.get();
    if steps < credit {
        CREDIT.set(credit - steps);
        Ok(())
    } else {
        look(steps, 0)
    }
}

/// Consults the watch now, irrespective of the credit.
pub fn check() {
    stop_if(look(0, 0));
}

/// Consults the watch before this number of bytes is allocated at once; unwinds if they would exceed the limit on
/// memory.
pub fn reserve(bytes: u64) {
    if bytes >= 1 << 20 {
        stop_if(look(0, bytes));
    } else {
        work(bytes / 64);
    }
}

/// Consults the watch before one more value is added to a list: by the bytes by which the list grows if it is full.
#[inline]
pub fn reserve_in_list<T>(list: &Vec<T>) {
    if list.len() == list.capacity() {
        reserve((list.len() * size_of::<T>()) as u64);
    }
}

/// As [`reserve_in_list`] for a hash table, which is written anew when it grows.
#[inline]
pub fn reserve_in_table<K, V, S>(table: &HashMap<K, V, S>) {
    if table.len() == table.capacity() {
        // Seven of eight places may be taken, and each has a byte more.
        reserve((table.len() * (size_of::<(K, V)>() + 1) * 16 / 7) as u64);
    }
}

/// The system has no room for so many bytes: unwinds as where they would pass the limit on memory.
pub fn refused(bytes: u64) -> ! {
    watch().refused(bytes).throw()
}

fn stop_if(looked: Result<(), Stopped>) {
    if let Err(stopped) = looked {
        stopped.throw();
    }
}

#[cold]
fn look(steps: u64, bytes: u64) -> Result<(), Stopped> {
    let Some(watch) = ENTERED.with_borrow(|entered| entered.last().cloned()) else {
        CREDIT.set(u64::MAX);
        return Ok(());
    };
    if std::thread::panicking() {
        return Ok(());
    }
    debug_assert!(CREDIT.get() <= QUANTUM, "a thread under a watch looks at the world after a quantum");
    let done = QUANTUM.saturating_sub(CREDIT.get()).saturating_add(steps);
    CREDIT.set(QUANTUM);
    let (name, since) = PHASE.get();
    watch.world().at(name, since);
    watch.world().worked(done);
    watch.look(done, bytes)
}
