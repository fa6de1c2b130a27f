//! A search that moves its states to the disk is the search that has them all in memory: whole reports are compared,
//! on random models, under every reduction, on one thread and on several, in one piece and in many. Where writing or
//! reading fails, the search never gives an answer that the whole search does not give.

use std::fmt::Debug;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use frontend::diagnostics::Diagnostics;
use frontend::model::Model;
use frontend::sequential::{Options, parse};

use super::partial_order::{random_ring, rotations};
use super::signal::Signal;
use super::{philosophers, random_model};
use crate::actors::Space;
use crate::question::Report;
use crate::{Limits, Question, Quotient, Reductions, Representative, Threads, check_reduced, sequential};
use explore::parallel::{self, Explored, Shared};
use explore::report::{Control, LimitKind, Progress, Verdict};
use explore::search::{Clock, FirstPart, StateSpace as _, begin};
use explore::spill::{SpillFile, Spilled, Spilling};
use explore::watch::Watch;

/// Files in memory, of which only so many operations succeed.
#[derive(Debug)]
struct Files {
    writes: Arc<AtomicU64>,
    reads: Arc<AtomicU64>,
    is_eager: bool,
    compresses: bool,
    delays: bool,
}

#[derive(Debug)]
struct InMemory {
    bytes: Vec<u8>,
    writes: Arc<AtomicU64>,
    reads: Arc<AtomicU64>,
}

fn counted(left: &AtomicU64) -> io::Result<()> {
    let one_less = |left: u64| left.checked_sub(1);
    let counted = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
    counted.map(drop).map_err(|_| io::Error::other("no more"))
}

impl Spilling for Files {
    fn file(&self) -> io::Result<Box<dyn SpillFile>> {
        let (writes, reads) = (Arc::clone(&self.writes), Arc::clone(&self.reads));
        Ok(Box::new(InMemory { bytes: Vec::new(), writes, reads }))
    }

    fn is_eager(&self) -> bool {
        self.is_eager
    }

    fn compresses(&self) -> bool {
        self.compresses
    }

    fn delays(&self) -> bool {
        self.delays
    }
}

impl SpillFile for InMemory {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        counted(&self.writes)?;
        let at = usize::try_from(at).expect("small");
        assert!(at <= self.bytes.len());
        self.bytes.resize(self.bytes.len().max(at + bytes.len()), 0);
        self.bytes[at..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn read_at(&mut self, at: u64, to: &mut [u8]) -> io::Result<()> {
        counted(&self.reads)?;
        to.copy_from_slice(&self.bytes[usize::try_from(at).expect("small")..][..to.len()]);
        Ok(())
    }
}

/// Gives files, stops after so many checks, and keeps the last checkpoint.
struct Place {
    files: Arc<Files>,
    looks: Signal,
    saved: Option<Vec<u8>>,
    /// Whether the index stays in memory.
    is_saved: bool,
}

impl Place {
    fn failing(writes: u64, reads: u64) -> Place {
        let (writes, reads) = (Arc::new(AtomicU64::new(writes)), Arc::new(AtomicU64::new(reads)));
        let files = Arc::new(Files { writes, reads, is_eager: true, compresses: false, delays: false });
        Place { files, looks: Signal::after(u32::MAX), saved: None, is_saved: true }
    }

    fn new() -> Place {
        Place::failing(u64::MAX, u64::MAX)
    }

    /// Files that are used, and halves that are stored separately, when memory is short or as soon as possible.
    fn with(is_eager: bool, compresses: bool) -> Place {
        let never = || Arc::new(AtomicU64::new(u64::MAX));
        let files = Files { writes: never(), reads: never(), is_eager, compresses, delays: false };
        Place { files: Arc::new(files), ..Place::new() }
    }

    /// Files to which the index moves as soon as possible, with so many operations that succeed.
    fn delaying(writes: u64, reads: u64, compresses: bool) -> Place {
        let (writes, reads) = (Arc::new(AtomicU64::new(writes)), Arc::new(AtomicU64::new(reads)));
        let files = Arc::new(Files { writes, reads, is_eager: false, compresses, delays: true });
        Place { files, is_saved: false, ..Place::new() }
    }
}

impl Control for Place {
    fn progress(&mut self, _: &Progress) {}

    fn spilling(&mut self) -> Option<Arc<dyn Spilling>> {
        Some(Arc::clone(&self.files) as Arc<dyn Spilling>)
    }

    fn is_saved(&self) -> bool {
        self.is_saved
    }

    fn resumed(&mut self) -> Option<Vec<u8>> {
        self.saved.take()
    }

    fn is_checkpoint_due(&mut self, _: bool) -> bool {
        self.looks.count_down()
    }

    fn checkpoint(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let mut bytes = Vec::new();
        if write(&mut bytes).is_ok() {
            self.saved = Some(bytes);
        }
    }
}

/// Everything but times, threads, the states that were moved to the disk, and counts of executions, which are lost where one thread takes
/// over.
fn comparable<T: Debug + Clone>(report: &Report<T>) -> String {
    let spilled = Spilled::default();
    format!("{:?}", Report { seconds: 0.0, threads: 1, spilled, executed: None, ..report.clone() })
}

fn question(keep_going: bool, threads: u32) -> Question {
    let limits = Limits { max_states: Some(1_500), ..Limits::default() };
    let threads = Threads { most: threads, from: 1 };
    Question { keep_going, overflow: false, limits, threads, ..Question::default() }
}

/// The number of states that are stored before the index moves to the disk.
const SOON: u64 = 5;

/// Compares searches with and without files; returns the number of bytes that were written there.
fn compare(model: &Model, reductions: Reductions<'_>, keep_going: bool, name: &str) -> u64 {
    let whole = check_reduced(model, &question(keep_going, 1), reductions, &mut ()).expect("confirmed");
    let mut bytes = 0;
    for (threads, is_eager, compresses) in [(1, true, false), (2, true, false), (1, true, true), (2, false, true)] {
        let posed = question(keep_going, threads);
        let place = &mut Place::with(is_eager, compresses);
        let spilled = check_reduced(model, &posed, reductions, place).expect("confirmed");
        assert_eq!(comparable(&spilled), comparable(&whole), "{name}, {threads} threads, {is_eager} {compresses}");
        assert_eq!(spilled.spilled.failure, None);
        bytes += spilled.spilled.bytes;
    }
    for (threads, compresses) in [(1, false), (1, true), (2, false), (3, false)] {
        let place = &mut Place::delaying(u64::MAX, u64::MAX, compresses);
        let delayed = check_reduced(model, &question(keep_going, threads), reductions, place).expect("confirmed");
        assert_eq!(
            comparable(&delayed),
            comparable(&whole),
            "{name}, {threads} threads, index on the disk, {compresses}"
        );
        let goes = threads == 1 && whole.complete && whole.states > SOON && whole.depth > 0;
        assert!(!goes || delayed.spilled.bytes > 0, "{name}: nothing is on the disk");
    }
    bytes
}

#[test]
fn actors_with_states_elsewhere() {
    let mut bytes = 0;
    for seed in 0..80 {
        let model = random_model(seed);
        let partial_order = seed % 3 == 0;
        let reductions = Reductions { partial_order, ..Reductions::default() };
        bytes += compare(&model, reductions, seed % 4 > 0, &format!("seed {seed}"));
    }
    assert!(bytes > 1 << 20, "only {bytes} bytes");
}

#[test]
fn quotients_with_states_elsewhere() {
    let mut bytes = 0;
    for seed in 30_000..30_080 {
        let model = random_ring(seed);
        let group = rotations(&model, &question(true, 1));
        if group.generators().is_empty() {
            continue;
        }
        let representative = Representative::Auto;
        let quotient = Some(Quotient { group: &group, representative, counts_orbits: seed % 2 == 0 });
        let reductions = Reductions { quotient, partial_order: seed % 4 < 2, ..Reductions::default() };
        bytes += compare(&model, reductions, true, &format!("seed {seed}"));
    }
    assert!(bytes > 1 << 19, "only {bytes} bytes");
}

const WIDE: &str = "type I : 0..4; type V : 0..4; type W : 0..4000000;
    proc P(x : V[I], y : V, w : W[I]) =
        sum i:I . [x[i] < 4 && w[i] < 4000000 - 9] up(i) { x[i] := x[i] + 1; w[i] := w[i] + y * 7; } -> P
      + sum i:I . [x[i] = 4 && y < 4] next(i) { y := y + 1; x[i] := 0; } -> P
      + [y = 3 && x[0] = 2] divide { y := 1 / (x[1] - 4); } -> P;
    init P(x = 0, y = 0, w = 0); assert A = !(y = 2 && x[3] = 1);";

#[test]
fn processes_with_states_elsewhere() {
    let model = parse(WIDE, &Options::default(), &mut Diagnostics::new()).model.expect("a model");
    for (keep_going, most) in [(true, 4_000), (false, 4_000), (true, 1_000)] {
        let posed = |threads| Question {
            limits: Limits { max_states: Some(most), ..Limits::default() },
            properties: model.properties.clone(),
            ..question(keep_going, threads).clone_without_properties()
        };
        let whole = sequential::check(&model, &posed(1), &mut ()).expect("confirmed");
        for (threads, compresses) in [(1, false), (2, false), (3, false), (1, true), (2, true)] {
            let place = &mut Place::with(true, compresses);
            let spilled = sequential::check(&model, &posed(threads), place).expect("confirmed");
            assert_eq!(comparable(&spilled), comparable(&whole));
            assert_eq!(spilled.spilled.compressed, compresses);
            assert!(spilled.spilled.bytes > 10_000 || !keep_going, "{:?}", spilled.spilled);
        }
        for threads in [1, 2] {
            let place = &mut Place::delaying(u64::MAX, u64::MAX, false);
            let delayed = sequential::check(&model, &posed(threads), place).expect("confirmed");
            assert_eq!(comparable(&delayed), comparable(&whole));
        }
    }
}

#[test]
fn pieces_with_states_elsewhere() {
    let mut pieces = 0;
    for seed in 0..30 {
        let (model, posed) = (random_model(seed), question(true, 1));
        let whole = check_reduced(&model, &posed, Reductions::default(), &mut ()).expect("confirmed");
        let mut saved = None;
        loop {
            let signal = Signal::after(3);
            let mut place = Place { looks: signal.clone(), saved, ..Place::new() };
            let run = || check_reduced(&model, &posed, Reductions::default(), &mut place);
            let report = signal.watching(run).expect("confirmed");
            pieces += 1;
            if report.limit.is_none_or(|limit| limit.kind != LimitKind::Interrupt) {
                assert_eq!(comparable(&report), comparable(&whole), "seed {seed}");
                break;
            }
            saved = place.saved;
        }
    }
    assert!(pieces > 150, "only {pieces} pieces");
}

/// Under little memory the search continues in files, and ends by itself where even that is not enough.
#[test]
fn the_search_continues_when_memory_is_short() {
    let model = philosophers(3);
    let posed = |most, threads| {
        let limits = Limits { max_memory: Some(most), ..Limits::default() };
        let threads = Threads { most: threads, from: 200 };
        Question { limits, threads, keep_going: true, ..Question::default() }
    };
    let whole = check_reduced(&model, &posed(u64::MAX, 1), Reductions::default(), &mut ()).expect("no trace");
    let (mut further, mut finished) = (0, 0);
    for memory in (50_000..700_000).step_by(5_000) {
        for (threads, is_saved) in [(1, true), (2, true), (1, false)] {
            let posed = posed(memory, threads);
            let without = check_reduced(&model, &posed, Reductions::default(), &mut ()).expect("no trace");
            let place = &mut Place { is_saved: threads == 1 && is_saved, ..Place::with(false, false) };
            let with = check_reduced(&model, &posed, Reductions::default(), place).expect("no trace");
            // On several threads the blocks of each one count in so little memory.
            let is_further = with.states >= without.states || threads > 1;
            assert!(is_further, "{memory}: {} with, {} without", with.states, without.states);
            further += u32::from(with.states > without.states);
            if with.complete {
                assert_eq!(comparable(&with), comparable(&whole));
                finished += u32::from(!without.complete);
            } else {
                assert_eq!(with.verdict, Verdict::Inconclusive);
                assert_eq!(with.limit.map(|limit| limit.kind), Some(LimitKind::Memory));
            }
        }
    }
    assert!(further > 20 && finished > 0, "{further} went further, {finished} to the end");
}

/// Bytes below which a search may end inconclusive: its local states and the least tables.
const FLOOR: u64 = 120_000;

/// Searches with parts of the memory that they need, on one thread and on several: these find the same, and are inconclusive only
/// below the floor. Returns the number of searches that finished with the disk.
fn with_parts<T: Debug + Clone>(name: &str, check: impl Fn(u64, u32, &mut dyn Control) -> Report<T>) -> u32 {
    let whole = check(u64::MAX, 1, &mut ());
    let need = (16..24).map(|bits| 1 << bits).find(|&most| check(most, 1, &mut ()).complete).expect("little");
    let mut finished = 0;
    for most in (1..=16).map(|part| need * part / 16) {
        for threads in [1, 2, 4] {
            let place = &mut Place { is_saved: false, ..Place::with(false, false) };
            let report = check(most, threads, place);
            let name = format!("{name}, {threads} threads, {most} of {need} bytes");
            if report.complete {
                assert_eq!(comparable(&report), comparable(&whole), "{name}");
                finished += u32::from(report.spilled.bytes > 0);
            } else {
                assert!(most < FLOOR, "{name}: {:?} after {} states", report.limit, report.states);
                assert_eq!(
                    report.limit.map(|limit| (limit.kind, limit.value)),
                    Some((LimitKind::Memory, most)),
                    "{name}"
                );
                assert!(report.states <= whole.states && report.verdict != Verdict::Holds, "{name}");
            }
        }
    }
    finished
}

fn with_memory(most: u64, threads: u32) -> Question {
    let limits = Limits { max_memory: Some(most), ..Limits::default() };
    let threads = Threads { most: threads, from: 20 };
    Question { limits, threads, overflow: false, keep_going: true, ..Question::default() }
}

#[test]
fn a_part_of_the_memory_is_enough_for_actors() {
    let mut finished = 0;
    for seed in 0..40 {
        let model = if seed == 0 { philosophers(3) } else { random_model(seed) };
        let check = |model: &Model, posed: &Question, place: &mut dyn Control| {
            check_reduced(model, posed, Reductions::default(), place).expect("confirmed")
        };
        if seed == 0 || check(&model, &question(true, 1), &mut ()).complete {
            let name = format!("seed {seed}");
            finished += with_parts(&name, |most, threads, place| check(&model, &with_memory(most, threads), place));
        }
    }
    assert!(finished > 20, "{finished} finished with the disk");
}

/// A search on several threads that finds too little memory at a state: its summary, its answers, and its deadlocks if it is complete.
fn short_at(model: &Model, keep_going: bool, workers: usize, short_at: Option<(u32, bool)>) -> String {
    let question = Question { keep_going, overflow: false, ..Question::default() };
    let bounds = &question.bounds;
    let mut space = Space::new(model, bounds, None, None);
    let mut watch = Watch::new(&space, &question);
    space.store_mut().spill_to(Place::delaying(u64::MAX, u64::MAX, false).spilling());
    space.store_mut().may_delay(short_at.is_some());
    let begun = begin(&mut space, &mut watch, Clock::new(&mut ()), &question.limits, 1);
    let shared = Shared {
        workers,
        from: 1,
        max_depth: None,
        watch: &|space: &Space<'_>| Watch::new(space, &question),
        panics_at: None,
        short_at,
    };
    let summary = match begun {
        FirstPart::Over(summary) => summary,
        FirstPart::ShortOfMemory(_) => panic!("it begins with room"),
        FirstPart::Wide(handover) => {
            let ended = parallel::explore(&mut space, &mut watch, handover, Clock::new(&mut ()), &shared);
            let Explored { summary, fault, spaces, .. } = ended.expect("a report");
            let is_met = short_at.is_some_and(|(number, skips)| !skips && u64::from(number) < summary.states);
            assert!(fault.is_none() && (!is_met || !keep_going || spaces.is_empty()));
            summary
        }
    };
    let answers = watch.answers(&mut space, &summary, true).expect("no trace");
    let deadlocks = summary.complete.then(|| watch.deadlocks());
    format!("{summary:?} {deadlocks:?} {answers:?}")
}

/// Wherever the memory ends for several threads, one continues with the same findings.
#[test]
fn one_thread_takes_over_at_any_state() {
    let models = (0..12).map(random_model).chain([philosophers(2)]);
    let mut differ = 0;
    for (at, model) in models.enumerate() {
        for keep_going in [true, false] {
            let whole = check_reduced(&model, &question(keep_going, 1), Reductions::default(), &mut ());
            let whole_states = whole.expect("confirmed").states;
            if whole_states >= 1_500 {
                continue;
            }
            let expected = short_at(&model, keep_going, 2, None);
            for number in (0..u32::try_from(whole_states).expect("few")).step_by(13) {
                for workers in [2, 3] {
                    let found = short_at(&model, keep_going, workers, Some((number, false)));
                    assert_eq!(found, expected, "model {at}, {workers} workers, state {number}");
                }
                differ += u32::from(short_at(&model, keep_going, 2, Some((number, true))) != expected);
            }
        }
    }
    assert!(differ > 20, "a state that is left out changes only {differ} reports");
}

/// A search with a fault in its files gives no answer that the whole search does not give.
#[test]
fn failing_files_give_no_answer() {
    let (mut lost, mut full) = (0, 0);
    for seed in [0, 3, 8, 11, 14, 20] {
        let model = random_model(seed);
        for (keep_going, threads) in [(true, 1), (false, 1), (true, 2)] {
            let posed = question(keep_going, threads);
            let whole = check_reduced(&model, &posed, Reductions::default(), &mut ()).expect("confirmed");
            for after in (0..30).chain([40, 60, 100, 300, 1_000]) {
                let failing = [(after, u64::MAX), (u64::MAX, after)];
                for ((writes, reads), delays) in failing.into_iter().flat_map(|one| [(one, false), (one, true)]) {
                    let mut place = match delays {
                        true => Place::delaying(writes, reads, false),
                        false => Place::failing(writes, reads),
                    };
                    let report = check_reduced(&model, &posed, Reductions::default(), &mut place).expect("confirmed");
                    let is_lost = report.limit.is_some_and(|limit| limit.kind == LimitKind::Disk);
                    // Without an index in memory, a failed write ends the search.
                    let is_full = delays && report.limit.is_some_and(|limit| limit.kind == LimitKind::Memory);
                    if is_lost || is_full {
                        let is_seen = is_full && keep_going && report.verdict == whole.verdict;
                        let is_open = report.verdict == Verdict::Inconclusive;
                        assert!(is_open || is_seen && whole.verdict == Verdict::Violated, "seed {seed}, {reads} reads");
                        assert!(report.states <= whole.states && !report.complete);
                    } else {
                        assert_eq!(
                            comparable(&report),
                            comparable(&whole),
                            "seed {seed}, {writes} writes, {reads} reads"
                        );
                    }
                    lost += u32::from(is_lost);
                    full += u32::from(report.spilled.failure.is_some());
                }
            }
        }
    }
    assert!(lost > 100 && full > 100, "{lost} could not be read, {full} not written");
}
