//! Visits with many wide successors are stopped inside, and lose nothing then.

use std::cell::Cell;
use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use explore::question::{Limits, SearchOrder};
use explore::report::{Control, LimitKind, Progress};
use explore::search::{Clock, Observer, Search, StateSpace, Summary};
use frontend::diagnostics::Diagnostics;
use frontend::sequential::{Options, Sequential, parse};

use super::super::space::Space;

/// A world whose time jumps at the look of a number, and advances by a microsecond per look.
struct Jumping {
    at: u64,
    looks: AtomicU64,
}

impl limits::World for Jumping {
    fn now(&self) -> Duration {
        let look = self.looks.fetch_add(1, Ordering::Relaxed);
        Duration::from_micros(look) + if look >= self.at { HOUR } else { Duration::ZERO }
    }
}

const HOUR: Duration = Duration::from_secs(3600);

/// Counts the states that it received.
struct Counting(Rc<Cell<u32>>);

impl<S: StateSpace> Observer<S> for Counting {
    fn start_failed(&mut self, _: &S, _: &S::FailedStart) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn stored(&mut self, _: &S, numbers: Range<u32>) -> ControlFlow<()> {
        assert_eq!(numbers.start, self.0.get());
        self.0.set(numbers.end);
        ControlFlow::Continue(())
    }

    fn expanded(&mut self, _: &S, _: u32, _: &S::Expansion) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Keeps one checkpoint, with the number of states that the observer had received before.
struct Keeping {
    described: Rc<Cell<u32>>,
    kept: Option<u32>,
}

impl Control for Keeping {
    fn progress(&mut self, _: &Progress) {}

    fn is_checkpoint_due(&mut self, last: bool) -> bool {
        last
    }

    fn checkpoint(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        write(&mut Vec::new()).expect("memory");
        self.kept = Some(self.described.get());
    }
}

/// The one visit of the first state of this model has `count` successors of `count` bits.
fn wide(count: u32) -> Sequential {
    let text = format!(
        "type P : 0..{}; proc X(on : BOOL[P]) = sum i:P . [!on[i]] get(i) {{ on[i] := 1; }} -> X; init X(on = 0);",
        count - 1
    );
    parse(&text, &Options::default(), &mut Diagnostics::new()).model.expect("a model")
}

/// Stops a search at a look; returns its work, and the number of states that the observer had received when the checkpoint was
/// written.
fn stopped(model: &Sequential, at: u64, forgets: bool) -> (Summary, Option<u32>) {
    let world = Arc::new(Jumping { at, looks: AtomicU64::new(0) });
    let watch = limits::Watch::new(world, Some(HOUR), None);
    let described = Rc::new(Cell::new(0));
    let mut control = Keeping { described: Rc::clone(&described), kept: None };
    let limits = Limits { max_states: Some(10_000), ..Limits::default() };
    let mut space = Space::new(model, limits.max_states, None);
    let mut observer = Counting(described);
    let run = || {
        let mut search = Search::new(&mut space, &mut observer, Clock::new(&mut control), &limits);
        search.forgets_stopped = forgets;
        search.run(SearchOrder::BreadthFirst).expect("no checkpoint")
    };
    let summary = watch.run(run).expect("the search has a summary when it is stopped");
    (summary, control.kept)
}

/// The numbers of states of searches that were stopped inside the first visit, where the observer had not received them all before
/// the checkpoint was written; and the number of these searches.
fn unsent(forgets: bool) -> (Vec<u64>, usize) {
    let (model, mut inside, mut unsent) = (wide(2048), 0, Vec::new());
    for at in 3..80 {
        let (summary, kept) = stopped(&model, at, forgets);
        if summary.transitions == 0 && (2..2048).contains(&summary.states) {
            assert_eq!(summary.limit.map(|limit| limit.kind), Some(LimitKind::Time));
            inside += 1;
            if kept.map(u64::from) != Some(summary.states) {
                unsent.push(summary.states);
            }
        }
    }
    (unsent, inside)
}

#[test]
fn a_visit_is_stopped_inside_and_its_states_are_reported_before_a_checkpoint() {
    let (unsent, inside) = unsent(false);
    assert!(unsent.is_empty(), "{unsent:?}");
    assert!(inside > 3, "only {inside} searches were stopped inside a visit");
}

#[test]
fn a_search_that_forgets_the_states_of_a_stopped_visit_is_caught() {
    assert!(!unsent(true).0.is_empty());
}

#[test]
fn a_search_whose_time_is_over_before_its_first_visit_is_incomplete_however_small() {
    let text = "proc X(b : BOOL) = [!b] on { b := 1; } -> X + [b] off { b := 0; } -> X; init X(b = 0);";
    let model = parse(text, &Options::default(), &mut Diagnostics::new()).model.expect("a model");
    let (summary, _) = stopped(&model, 3, false);
    assert_eq!(summary.limit.map(|limit| limit.kind), Some(LimitKind::Time));
    assert!(!summary.complete && summary.transitions == 0 && summary.states <= 1);
}
