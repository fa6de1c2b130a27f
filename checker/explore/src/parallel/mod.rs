//! Breadth-first search on several threads, which visits state by state the same as the search on one.
//!
//! A hash distributes the states: each worker owns the visited set of its shard, and a fork of the space with its own
//! tables. The search proceeds in rounds. In a round the workers expand the next states in the order of their
//! numbers, and successors go to their owners in boxes (`merge`); owners store them in the order in which one
//! thread would, which gives them their numbers. Workers share nothing while they work; the driver only passes boxes
//! on, and lets a round begin before the last one is stored wherever its states have their numbers.
//!
//! A fork gives no numbers to local states. Steps that need a number are deferred to the driver, which takes them in
//! order before anything of the round is stored, and reports the numbers to the forks. When most states are deferred,
//! the driver expands all states for a while.
//!
//! Where memory is short, each worker keeps to its share and moves its index to the disk (`room`); where that is too little, one
//! thread continues with all states (`joined`, `index_on_disk`).
//!
//! Invariant: numbers of states and of local states are those of the search on one thread, whatever the number of
//! workers and their speed. So verdicts, counts, representatives and traces are the same, also when the search ends
//! early: nothing behind the first event that ends it is counted (`account`). Time and memory aside, limits end it at
//! the same state.
//!
//! Soundness: a worker that panics ends the run without an answer; states count as expanded only when the owners of
//! all successors have stored them.
//!
//! Complexity: the work of one thread divided by the workers, and one more copy per successor; workers wait for each
//! other where a level ends, or where one is a whole round ahead.

mod account;
mod driver;
mod index_on_disk;
mod joined;
mod merge;
mod messages;
mod room;
mod witness;
mod worker;

use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::thread;

use self::driver::{Driver, Ended};
use self::messages::{Link, WorkerEnded};
use self::worker::{Worker, owner};
use crate::growth::{LEVELS, Numbered, last_levels};
use crate::memory::Halt;
use crate::report::InternalError;
use crate::search::{Clock, End, GRACE, Handover, Sharded, Summary, limit_of, limit_of_stop};
use crate::states::Store;
use crate::watch::{TimedViolation, ViolationLog, Watch, Watched};

/// The stack of a worker, in bytes: expressions are walked by recursion.
const STACK: usize = 256 << 20;

/// The most workers: exchanges are quadratic.
const MOST_WORKERS: usize = 64;

/// The distribution of a search over workers.
pub struct Shared<'w, S: Watched> {
    /// The number of workers.
    pub workers: usize,
    /// The number of waiting states from which a search is shared among workers.
    pub from: u32,
    /// Steps from an initial state.
    pub max_depth: Option<u64>,
    /// A watch that has seen nothing.
    pub watch: &'w dyn Fn(&S) -> Watch<S>,
    /// Known to be wrong: the worker that expands this state panics.
    #[cfg(any(test, feature = "mutants"))]
    pub panics_at: Option<u32>,
    /// A worker has too little memory for the expansion of this state, and whether, known to be wrong, the search on one thread leaves
    /// out a state of the rounds that did not count.
    #[cfg(any(test, feature = "mutants"))]
    pub short_at: Option<(u32, bool)>,
}

/// The result of the search.
pub struct Explored<S> {
    /// The work of the search, and its end.
    pub summary: Summary,
    /// The spaces with the states.
    pub spaces: Vec<S>,
    /// The places of their states where the last levels begin, if a limit ended the search after many levels.
    pub levels: Option<Vec<Vec<u32>>>,
    /// Whether spaces that were dropped cut ties.
    pub has_cut_ties: bool,
    /// Whether the spaces counted every execution once.
    pub is_counted: bool,
    /// The failure, if there was one.
    pub fault: Option<InternalError>,
}

impl<S> Explored<S> {
    /// The result of a search that has all its states in one space.
    pub fn single(summary: Summary) -> Explored<S> {
        Explored { summary, spaces: Vec::new(), levels: None, has_cut_ties: false, is_counted: true, fault: None }
    }
}

/// Continues a search that was begun on one thread. Afterwards the space holds the states that counterexamples need,
/// and all states are in the returned spaces.
///
/// After a panic of a worker, the summary is that of the rounds before, and no violation can be shown.
///
/// # Errors
/// A state of a counterexample is lost.
pub fn explore<S: Watched + Sharded>(
    space: &mut S,
    watch: &mut Watch<S>,
    handover: Handover,
    clock: Clock<'_>,
    shared: &Shared<'_, S>,
) -> Result<Explored<S>, InternalError> {
    let delays = space.store().delays();
    let workers = match shared_out(space, &handover, shared) {
        Ok(workers) => workers,
        Err(Halt::Memory) if delays => {
            return Ok(Explored::single(explore_with_index_on_disk(space, watch, handover, clock, shared)));
        }
        Err(cause) => {
            let limit = limit_of(space, clock.watch(), cause);
            let summary = handover.summary(u64::from(space.store().len()), Some(End::Limit(limit)));
            return Ok(Explored::single(summary));
        }
    };
    let (stop, watched) = (AtomicBool::new(false), clock.watch().or_afterwards(GRACE));
    let own = ViolationLog::new((shared.watch)(space));
    let run = thread::scope(|scope| {
        let mut links = Vec::new();
        let mut handles = Vec::new();
        for worker in workers {
            let ((to, commands), (replies, from)) = (channel(), channel());
            let (stop, watch) = (&stop, &watched);
            let thread = thread::Builder::new().stack_size(STACK).name("worker".to_owned());
            let handle = thread.spawn_scoped(scope, move || worker.work(&commands, &replies, stop, watch));
            // The other workers end, since they receive no more messages.
            let Ok(handle) = handle else { return Ok(None) };
            handles.push(handle);
            links.push(Link { to, from });
        }
        let mut driver = Driver::new(&mut *space, own, clock, &stop, links, handover, shared.from);
        (driver.keeps_going, driver.delays) = (watch.keeps_going(), delays);
        driver.undecided = watch.undecided();
        let ended = watched.run(|| driver.run());
        let ended = ended.unwrap_or_else(|stopped| Ok(Some(End::Limit(limit_of_stop(stopped)))));
        let ended = ended.and_then(|end| driver.publish_numbers().map(|()| end));
        let reached = driver.ended(watch, ended.as_ref().ok().copied().flatten());
        let workers: Result<Vec<Worker<S>>, _> = handles.into_iter().map(thread::ScopedJoinHandle::join).collect();
        let workers = match (workers, ended) {
            (Ok(workers), Ok(_)) => Ok(workers),
            (Err(panic), _) => Err(InternalError(format!("a worker panicked: {}", panic_message(&*panic)))),
            (Ok(_), Err(WorkerEnded)) => Err(InternalError("a worker ended before the search".to_owned())),
        };
        Ok::<_, InternalError>(Some((reached, workers)))
    })?;
    let Some((Ended { mut summary, seen, short, clock }, workers)) = run else {
        watch.forget();
        let summary =
            handover.summary(u64::from(handover.states), Some(End::Limit(limit_of(space, &watched, Halt::Memory))));
        return Ok(Explored::single(summary));
    };
    let workers = match workers {
        Ok(workers) => workers,
        Err(fault) => {
            watch.forget();
            summary = Summary { complete: false, limit: None, ..summary };
            return Ok(Explored { is_counted: false, fault: Some(fault), ..Explored::single(summary) });
        }
    };
    if let Some(short) = short.filter(|_| joined::is_possible(&workers)) {
        #[cfg(any(test, feature = "mutants"))]
        let short = Handover { next: short.next + u32::from(shared.short_at.is_some_and(|(_, skips)| skips)), ..short };
        let has_cut_ties = workers.iter().any(|worker| worker.space.has_cut_ties());
        let join = || joined::join(space, watch, &short, workers, seen);
        let joined = watched.run(join).map_err(limit_of_stop);
        let summary = match joined.and_then(|joined| joined.map_err(|cause| limit_of(space, &watched, cause))) {
            Ok(()) => explore_with_index_on_disk(space, watch, short, clock, shared),
            Err(limit) => {
                watch.forget();
                short.summary(u64::from(short.states), Some(End::Limit(limit)))
            }
        };
        // The workers counted the rounds that are expanded again.
        return Ok(Explored { has_cut_ties, is_counted: false, ..Explored::single(summary) });
    }
    let gathered = watched.or_afterwards(GRACE).run(|| witness::gather(space, watch, seen, &workers));
    let gathered = gathered.unwrap_or_else(|stopped| {
        // There is no time to show the violations.
        watch.forget();
        summary = Summary { complete: false, limit: Some(limit_of_stop(stopped)), ..summary };
        Ok(())
    });
    if workers.iter().all(|worker| worker.space.store().is_whole().is_ok()) {
        gathered?;
    }
    let is_long = summary.limit.is_some() && summary.depth > LEVELS as u64;
    let levels = || {
        // States that the round which the limit ended found have no numbers: they come behind all others, if they count.
        let numbers: u32 = workers.iter().map(|worker| worker.globals.len()).sum();
        let others = numbers..u32::try_from(summary.states).unwrap_or(u32::MAX).max(numbers);
        last_levels(workers.iter().map(|worker| numbered(worker, others.clone())).collect(), LEVELS)
    };
    let levels = if is_long { watched.or_afterwards(GRACE).run(levels).ok().flatten() } else { None };
    let spaces = workers.into_iter().map(|mut worker| {
        worker.space.part();
        worker.space.store_mut().end_delay();
        worker.space
    });
    Ok(Explored { spaces: spaces.collect(), levels, ..Explored::single(summary) })
}

/// Continues, on this thread and with the index on the disk, a search that was begun on one thread.
pub fn explore_with_index_on_disk<S: Watched + Sharded>(
    space: &mut S,
    watch: &mut Watch<S>,
    handover: Handover,
    clock: Clock<'_>,
    shared: &Shared<'_, S>,
) -> Summary {
    let (stop, own) = (AtomicBool::new(false), ViolationLog::new((shared.watch)(space)));
    let watched = clock.watch().or_afterwards(GRACE);
    let mut driver = Driver::new(&mut *space, own, clock, &stop, Vec::new(), handover, shared.from);
    (driver.keeps_going, driver.undecided) = (watch.keeps_going(), watch.undecided());
    // The limit on memory is the store's to keep; a round that is stopped does not count.
    let ended = watched.run(|| driver.run_with_index_on_disk(shared.max_depth));
    let ended = ended.unwrap_or_else(|stopped| Some(End::Limit(limit_of_stop(stopped))));
    driver.space.store_mut().end_delay();
    let Ended { summary, seen, .. } = driver.ended(watch, ended);
    for TimedViolation { query, place: (_, number), last, .. } in seen {
        if !watch.is_violated(query) {
            watch.see(query, number, last);
        }
    }
    summary
}

/// The numbers and the parents of the states of a worker; those without a number get others.
fn numbered<S: Watched + Sharded>(worker: &Worker<S>, others: Range<u32>) -> Numbered<'_> {
    Box::new(worker.globals.iter().chain(others).zip(worker.space.store().parents()))
}

/// The text of a panic.
fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a reason")
}

/// Workers with all states of a space.
///
/// # Errors
/// No room; the space then keeps its states.
fn shared_out<S: Watched + Sharded>(
    space: &mut S,
    handover: &Handover,
    shared: &Shared<'_, S>,
) -> Result<Vec<Worker<S>>, Halt> {
    let count = shared.workers.clamp(1, MOST_WORKERS);
    let (size, most, tuning) = (space.store().size(), u64::from(space.store().most()), space.store().tuning());
    let stored = std::mem::replace(space.store_mut(), Store::new(size, most, tuning));
    let share = room::share(space, handover.held, count);
    let mut workers: Vec<Worker<S>> = Vec::with_capacity(count);
    for index in 0..count {
        let index = u32::try_from(index).expect("few workers");
        let mut worker = Worker::new(index, count, space.fork(share), ViolationLog::new((shared.watch)(space)));
        worker.space.store_mut().spill_to(stored.spilling());
        worker.max_depth = shared.max_depth;
        #[cfg(any(test, feature = "mutants"))]
        {
            worker.panics_at = shared.panics_at;
            worker.short_at = shared.short_at.map(|(number, _)| number);
        }
        workers.push(worker);
    }
    let found = deal(space, &stored, handover.next, &mut workers);
    for worker in &mut workers {
        worker.space.store_mut().may_delay(stored.delays());
        worker.space.store_mut().copy_keys();
    }
    if found.is_err() {
        *space.store_mut() = stored;
    }
    found.map(|()| workers)
}

fn deal<S: Watched + Sharded>(space: &S, stored: &Store, next: u32, workers: &mut [Worker<S>]) -> Result<(), Halt> {
    let apart = workers.len().ilog2();
    for worker in &mut *workers {
        worker.space.store_mut().spread(apart);
        worker.space.settle(0, 0)?;
    }
    let shards = workers.len();
    for number in 0..stored.len() {
        limits::poll(stored.stride() as u64)?;
        let state = stored.state(number);
        let worker = &mut workers[owner(space.shard_hash(&state), shards)];
        worker.space.store_mut().insert(&state, stored.parent(number))?;
        worker.globals.push(number);
    }
    for worker in workers {
        worker.next = worker.globals.cursor(worker.globals.below(next));
    }
    stored.is_whole()
}
