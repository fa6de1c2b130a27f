//! A world without time in which a signal comes when a counter is down to zero.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The number of the signal.
pub(crate) const SIGNAL: i32 = 15;

/// The number of looks until the signal comes.
#[derive(Clone, Debug)]
pub(crate) struct Signal {
    left: Arc<AtomicU32>,
    /// Whether a look takes one.
    by_looks: bool,
}

impl Signal {
    /// A signal that comes when [`Signal::count_down`] was called so often.
    pub(crate) fn after(times: u32) -> Signal {
        Signal { left: Arc::new(AtomicU32::new(times)), by_looks: false }
    }

    /// A signal that comes at the look of this number.
    pub(crate) fn at_look(number: u32) -> Signal {
        Signal { by_looks: true, ..Signal::after(number) }
    }

    /// Comes closer; returns whether it has come.
    pub(crate) fn count_down(&self) -> bool {
        let down = |left: u32| Some(left.saturating_sub(1));
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, down).is_ok_and(|before| before <= 1)
    }

    /// Runs a search under a watch that hears the signal.
    pub(crate) fn watching<R>(&self, search: impl FnOnce() -> R) -> R {
        let watch = limits::Watch::new(Arc::new(self.clone()), None, None);
        watch.enter(search).expect("a search that is stopped has a report")
    }
}

impl limits::World for Signal {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn signal(&self) -> Option<i32> {
        if self.by_looks {
            self.count_down();
        }
        (self.left.load(Ordering::Relaxed) == 0).then_some(SIGNAL)
    }
}
