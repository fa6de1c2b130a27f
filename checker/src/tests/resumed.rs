//! A search that is stopped and resumed ends as one that is not.

use std::io::{self, Write};

use frontend::diagnostics::Diagnostics;
use frontend::sequential::{Options, Sequential, parse};

use super::signal::Signal;
use super::{philosophers, random_model};
use crate::actors::Space;
use crate::question::Question;
use crate::question::Report;
use crate::{InternalError, Reductions, check, check_reduced, sequential};
use explore::question::Limits;
use explore::report::{Control, LimitKind, Progress};
use explore::search::Observer;
use explore::watch::Watch;

/// Stops a search after so many checks, with a checkpoint.
struct Stopping {
    looks: Signal,
    resumed: Option<Vec<u8>>,
    saved: Option<Vec<u8>>,
}

impl Stopping {
    fn after(looks: u32, resumed: Option<Vec<u8>>) -> Stopping {
        Stopping { looks: Signal::after(looks), resumed, saved: None }
    }

    /// Runs a search that it stops.
    fn stopping<R>(&mut self, run: impl FnOnce(&mut dyn Control) -> R) -> R {
        self.looks.clone().watching(|| run(self))
    }
}

impl Control for Stopping {
    fn progress(&mut self, _: &Progress) {}

    fn resumed(&mut self) -> Option<Vec<u8>> {
        self.resumed.take()
    }

    fn is_checkpoint_due(&mut self, _: bool) -> bool {
        self.looks.count_down()
    }

    fn checkpoint(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let mut bytes = Vec::new();
        write(&mut bytes).expect("memory");
        self.saved = Some(bytes);
    }
}

fn comparable<T>(report: &Report<T>) -> String {
    let answers: Vec<_> = report.answers.iter().map(|answer| (&answer.name, answer.verdict, &answer.finding)).collect();
    let Report { verdict, complete, states, transitions, depth, deadlock_states, limit, reductions, .. } = report;
    format!(
        "{verdict:?} {complete} {states} {transitions} {depth} {deadlock_states:?} {limit:?} {reductions:?} {answers:?}"
    )
}

/// Runs in pieces of so many checks, and returns the number of pieces.
fn in_pieces<T>(
    looks: u32,
    whole: &Report<T>,
    mut run: impl FnMut(&mut dyn Control) -> Result<Report<T>, InternalError>,
) -> u32 {
    let (mut saved, mut pieces) = (None, 0);
    loop {
        let mut control = Stopping::after(looks, saved.take());
        let report = control.stopping(&mut run).expect("confirmed");
        pieces += 1;
        let stopped = report.limit.is_some_and(|limit| limit.kind == LimitKind::Interrupt);
        match control.saved {
            Some(bytes) if stopped => saved = Some(bytes),
            _ => {
                assert_eq!(comparable(&report), comparable(whole));
                return pieces;
            }
        }
    }
}

#[test]
fn actors_in_pieces() {
    let mut pieces = 0;
    for seed in 0..60 {
        let model = random_model(seed);
        for keep_going in [true, false] {
            let limits = Limits { max_states: Some(3_000), ..Limits::default() };
            let question = Question { keep_going, limits, ..Question::default() };
            let whole = check(&model, &question, &mut ()).expect("confirmed");
            pieces += in_pieces(3, &whole, |control| check(&model, &question, control));
        }
    }
    assert!(pieces > 400, "only {pieces} pieces");
}

#[test]
fn partial_order_in_pieces() {
    let reductions = Reductions { partial_order: true, ..Reductions::default() };
    let (mut pieces, mut reduced) = (0, 0);
    for seed in 0..60 {
        let model = random_model(seed);
        let limits = Limits { max_states: Some(3_000), ..Limits::default() };
        let question = Question { keep_going: true, overflow: false, limits, ..Question::default() };
        let run = |control: &mut dyn Control| check_reduced(&model, &question, reductions, control);
        let whole = run(&mut ()).expect("confirmed");
        reduced += u32::from(whole.reductions.iter().any(explore::reductions::Reduction::is_applied));
        pieces += in_pieces(3, &whole, run);
    }
    assert!(pieces > 60 && reduced > 0, "{pieces} pieces, {reduced} reduced");
}

fn process(text: &str) -> Sequential {
    parse(text, &Options::default(), &mut Diagnostics::new()).model.expect("a model")
}

#[test]
fn processes_in_pieces() {
    let model = process(
        "type I : 0..4; type V : 0..4;
         proc P(x : V[I], y : V) =
             sum i:I . [x[i] < 4] up(i) { x[i] := x[i] + 1; } -> P
           + sum i:I . [x[i] = 4 && y < 4] next(i) { y := y + 1; x[i] := 0; } -> P
           + [y = 3 && x[0] = 2] divide { y := 1 / (x[1] - 4); } -> P;
         init P(x = 0, y = 0); assert A = !(y = 2 && x[3] = 1);",
    );
    let question = Question { keep_going: true, properties: model.properties.clone(), ..Question::default() };
    let whole = sequential::check(&model, &question, &mut ()).expect("confirmed");
    assert!(whole.states > 1_000, "{}", whole.states);
    for looks in [2, 5, 40] {
        assert!(in_pieces(looks, &whole, |control| sequential::check(&model, &question, control)) > 3);
    }
}

#[test]
fn partial_order_of_processes_in_pieces() {
    let model = process(
        "type I : 0..5; type V : 0..4;
         proc P(x : V[I], y : V[I]) =
             sum i:I . [x[i] < 4] up(i) { x[i] := x[i] + 1; } -> P
           + sum i:I . [x[i] = 4 && y[i] < 3] next(i) { y[i] := y[i] + 1; x[i] := 0; } -> P;
         init P(x = 0, y = 0);",
    );
    let limits = Limits { max_states: Some(5_000), ..Limits::default() };
    let question: Question<Vec<_>> = Question { keep_going: true, faults: false, limits, ..Question::default() };
    let reductions = || Reductions { partial_order: true, ..Reductions::default() };
    let run = |control: &mut dyn Control| sequential::check_reduced(&model, &question, reductions(), control);
    let whole = run(&mut ()).expect("confirmed");
    let plain = sequential::check(&model, &question, &mut ()).expect("confirmed");
    assert!(whole.complete && whole.states * 2 < plain.states, "{} of {}", whole.states, plain.states);
    for looks in [2, 3] {
        assert!(in_pieces(looks, &whole, run) > 1);
    }
}

/// Resumes with each byte of a checkpoint changed: an error, or the report of the whole run; returns the number of
/// errors. Nothing if the search ends before, or saves much.
fn with_damages<T>(
    name: &str,
    looks: u32,
    mut run: impl FnMut(&mut dyn Control) -> Result<Report<T>, InternalError>,
) -> Option<usize> {
    let mut control = Stopping::after(looks, None);
    control.stopping(&mut run).expect("confirmed");
    let saved = control.saved.filter(|saved| saved.len() < 3_000)?;
    let whole = comparable(&run(&mut ()).expect("confirmed"));
    let mut refused = 0;
    let mut check_resumed = |at: usize, damaged: Vec<u8>| {
        let mut control = Stopping::after(u32::MAX, Some(damaged));
        match run(&mut control) {
            Ok(report) => assert_eq!(comparable(&report), whole, "{name}, byte {at}"),
            Err(_) => refused += 1,
        }
    };
    for at in 0..saved.len() {
        let byte = saved[at];
        let others = [byte ^ 1 << (at % 8), byte.wrapping_add(1), byte.wrapping_sub(1), 255];
        let mut damaged = saved.clone();
        damaged[at] = others[at % others.len()];
        if damaged[at] != byte {
            check_resumed(at, damaged);
        }
    }
    Some(refused)
}

#[test]
fn a_checkpoint_with_any_byte_changed_is_refused_or_changes_nothing() {
    let mut damaged = 0;
    for seed in 0..60 {
        let model = random_model(seed);
        let limits = Limits { max_states: Some(300), ..Limits::default() };
        let question = Question { keep_going: seed % 2 == 0, overflow: seed % 3 == 0, limits, ..Question::default() };
        let reductions = Reductions { partial_order: seed % 3 == 1, ..Reductions::default() };
        let run = |control: &mut dyn Control| check_reduced(&model, &question, reductions, control);
        if let Some(refused) = with_damages(&format!("seed {seed}"), 2, run) {
            assert!(refused > 100, "seed {seed}: only {refused} refused");
            damaged += 1;
        }
        if damaged == 8 {
            break;
        }
    }
    assert!(damaged > 2, "only {damaged} checkpoints");
    let model = process(
        "type I : 0..2; type V : 0..2;
         proc P(x : V[I], y : V) =
             sum i:I . [x[i] < 2] up(i) { x[i] := x[i] + 1; } -> P
           + sum i:I . [x[i] = 2 && y < 2] next(i) { y := y + 1; x[i] := 0; } -> P;
         init P(x = 0, y = 0);",
    );
    let question: Question<Vec<_>> = Question { keep_going: true, ..Question::default() };
    let refused = with_damages("process", 3, |control| sequential::check(&model, &question, control));
    assert!(refused.is_some_and(|refused| refused > 100), "{refused:?}");
}

#[test]
fn texts_that_are_no_checkpoints_are_errors_and_never_panics() {
    let (model, question) = (philosophers(2), Question::default());
    let mut control = Stopping::after(2, None);
    control.stopping(|control| check(&model, &question, control)).expect("confirmed");
    let saved = control.saved.expect("it is stopped");
    for cut in 0..saved.len() {
        let mut control = Stopping::after(u32::MAX, Some(saved[..cut].to_vec()));
        assert!(check(&model, &question, &mut control).is_err(), "cut at {cut}");
    }
    let mut control = Stopping::after(u32::MAX, Some(saved));
    assert!(check(&model, &question, &mut control).is_ok());
}

#[test]
fn a_fault_outside_the_question_is_remembered() {
    let (model, question) = (philosophers(2), Question { overflow: false, ..Question::default() });
    let space = Space::new(&model, &question.bounds, None, None);
    let watch = || Watch::new(&space, &question);
    let mut first = watch();
    first.keep(3, true);
    let found = Observer::<Space<'_>>::found(&first);
    let mut again = watch();
    again.keep(found.deadlocks, found.faults);
    assert!(found.faults && found.deadlocks == 3);
    assert_eq!(Observer::<Space<'_>>::found(&again), found);
}
