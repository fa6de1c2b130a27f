//! A search that is stopped and resumed ends as one that is not.

use std::io::{self, Write};

use frontend::diagnostics::Diagnostics;
use frontend::sequential::{Options, Sequential, parse};

use super::{philosophers, random_model};
use crate::question::Question;
use crate::question::Report;
use crate::{InternalError, Reductions, check, check_reduced, sequential};
use explore::question::Limits;
use explore::report::{Control, LimitKind, Progress};

/// Stops a search after so many looks, with a checkpoint.
struct Stopping {
    looks: u32,
    resumed: Option<Vec<u8>>,
    saved: Option<Vec<u8>>,
}

impl Stopping {
    fn after(looks: u32, resumed: Option<Vec<u8>>) -> Stopping {
        Stopping { looks, resumed, saved: None }
    }
}

impl Control for Stopping {
    fn progress(&mut self, _: &Progress) {}

    fn interrupted(&self) -> Option<i32> {
        (self.looks == 0).then_some(2)
    }

    fn resumed(&mut self) -> Option<Vec<u8>> {
        self.resumed.take()
    }

    fn is_checkpoint_due(&mut self, _: bool) -> bool {
        self.looks = self.looks.saturating_sub(1);
        self.looks == 0
    }

    fn checkpoint(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let mut bytes = Vec::new();
        write(&mut bytes).expect("memory");
        self.saved = Some(bytes);
    }
}

fn told<T>(report: &Report<T>) -> String {
    let answers: Vec<_> = report.answers.iter().map(|answer| (&answer.name, answer.verdict, &answer.message)).collect();
    let Report { verdict, complete, states, transitions, depth, deadlock_states, limit, reductions, .. } = report;
    format!(
        "{verdict:?} {complete} {states} {transitions} {depth} {deadlock_states:?} {limit:?} {reductions:?} {answers:?}"
    )
}

/// Runs in pieces of so many looks, and gives how many pieces there were.
fn in_pieces<T>(
    looks: u32,
    whole: &Report<T>,
    mut run: impl FnMut(&mut dyn Control) -> Result<Report<T>, InternalError>,
) -> u32 {
    let (mut saved, mut pieces) = (None, 0);
    loop {
        let mut control = Stopping::after(looks, saved.take());
        let report = run(&mut control).expect("confirmed");
        pieces += 1;
        let stopped = report.limit.is_some_and(|limit| limit.kind == LimitKind::Interrupt);
        match control.saved {
            Some(bytes) if stopped => saved = Some(bytes),
            _ => {
                assert_eq!(told(&report), told(whole));
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
        reduced += u32::from(whole.reductions.iter().any(|reduction| reduction.applied));
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

#[test]
fn what_is_no_checkpoint_is_an_error_and_never_a_panic() {
    let (model, question) = (philosophers(2), Question::default());
    let mut control = Stopping::after(2, None);
    check(&model, &question, &mut control).expect("confirmed");
    let saved = control.saved.expect("it is stopped");
    for cut in 0..saved.len() {
        let mut control = Stopping::after(u32::MAX, Some(saved[..cut].to_vec()));
        assert!(check(&model, &question, &mut control).is_err(), "cut at {cut}");
    }
    let mut control = Stopping::after(u32::MAX, Some(saved));
    assert!(check(&model, &question, &mut control).is_ok());
}
