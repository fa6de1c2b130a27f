//! Formulas on random models, with and without `new`: the line gives the verdicts of the fair search.

use battery::random::Rng;
use checker::{Question, Reductions, Verdict};
use frontend::diagnostics::Diagnostics;

use super::{MOST_STATES, Wrong};
use crate::found::Found;
use crate::line::{Plan, of_formula};
use crate::read::{AnyModel, Reading, read, read_properties};

/// Lamps that press each other or themselves, next to a maker of jobs that end, answer, or make no difference.
fn model(rng: &mut Rng) -> (String, String) {
    let statements = [
        "on = !on;",
        "n = (n + 1) % 3;",
        "n = 0;",
        "on = ?(true, false);",
        "if (on) n = 1;",
        "if (n == 2) on = false;",
    ];
    let mut server = |name: &str, sends: &[&str]| {
        let body: String = (0..rng.below(3)).map(|_| *rng.pick(&statements)).collect();
        format!("  msgsrv {name}() {{ {body} {} }}\n", rng.pick(sends))
    };
    let press = server("press", &["self.press();", "self.again();", "if (on) self.press(); else next.press();", ""]);
    let again = server("again", &["self.press();", "self.press();", "next.press();"]);
    let made = rng.below(3);
    let work = *rng.pick(&["", "lamp.press();", "if (lamp == boss) { self.work(lamp); }", "self.work(lamp);"]);
    let makes = *rng.pick(&["job = new Job():(lamp);", "new Job():(lamp);", "job = new Job():(lamp); job = null;"]);
    let (jobs, maker) = if made == 0 {
        (String::new(), String::new())
    } else {
        let job = format!(
            "reactiveclass Job(4) {{\n  statevars {{ Lamp boss; }}\n  Job(Lamp lamp) {{ self.work(lamp); }}\n  \
             msgsrv work(Lamp lamp) {{ {work} }}\n}}\n"
        );
        let class = format!(
            "reactiveclass Maker(3) {{\n  knownrebecs {{ Lamp lamp; }}\n  statevars {{ Job job; byte made; }}\n  \
             Maker() {{ self.make(); }}\n  msgsrv make() {{ if (made < {made}) {{ {makes} made++; }} self.make(); }}\n}}\n"
        );
        (job + &class, "Maker maker(a0):();".to_owned())
    };
    let lamp = format!(
        "reactiveclass Lamp(5) {{\n  knownrebecs {{ Lamp next; }}\n  statevars {{ boolean on; int n; }}\n  \
         Lamp() {{ self.press(); }}\n{press}{again}}}\n"
    );
    let text = format!("{lamp}{jobs}main {{ Lamp a0(a1):(); Lamp a1(a0):(); {maker} }}\n");
    let atoms = ["a0.on", "a1.on", "a0.n == 1", "a1.n == 0", "a0.n <= 2", "(a0.on || a1.on)"];
    let (one, other) = (*rng.pick(&atoms), *rng.pick(&atoms));
    let formula = match rng.below(8) {
        0 => format!("G(F({one}))"),
        1 => format!("F(G({one}))"),
        2 => format!("G({one} -> F({other}))"),
        3 => format!("F({one})"),
        4 => format!("G(F({one})) -> G(F({other}))"),
        5 => format!("G({one} -> ({one} W {other}))"),
        6 => format!("G({one} || !({one}))"),
        _ => format!("F({one} && X({other}))"),
    };
    (text, format!("property {{ LTL {{ L: {formula}; }} }}"))
}

#[test]
fn verdicts_are_those_of_the_fair_search() {
    let (mut on_all, mut held, mut violated, mut invented, mut with_new) = (0, 0, 0, 0, 0);
    for seed in 0..600 {
        let (text, properties) = model(&mut Rng::new(seed));
        let mut sink = Diagnostics::new();
        let Ok(AnyModel::Actors(model)) = read("a.rebeca", &text, &Reading::default(), &mut sink) else {
            panic!("seed {seed}: {:?}\n{text}", sink.list)
        };
        let Ok(properties) = read_properties(&properties, &model, &mut sink) else {
            panic!("seed {seed}: {:?}\n{properties}", sink.list)
        };
        let mut question = Question { properties, overflow: false, deadlock: false, ..Question::default() };
        (question.assertions, question.faults) = (false, false);
        question.limits.max_states = Some(2 * MOST_STATES);
        let separate = checker::check_reduced(&model, &question, Reductions::default(), &mut ()).expect("confirmed");
        if separate.verdict == Verdict::Inconclusive {
            continue;
        }
        let line =
            |wrong| of_formula(&model, &question, Plan::default(), Found::whole(), wrong, &mut ()).expect("a report");
        let report = line(Wrong::default());
        assert_eq!(report.verdict_of_answers(), separate.verdict, "seed {seed}\n{text}");
        let is_first = report.reductions.iter().any(|reduction| reduction.kind == checker::ReductionKind::AllRuns);
        assert!(!is_first || separate.verdict == Verdict::Holds, "seed {seed}");
        on_all += u32::from(is_first);
        held += u32::from(separate.verdict == Verdict::Holds && !is_first);
        violated += u32::from(separate.verdict == Verdict::Violated);
        with_new += u32::from(is_first && !model.creatable.is_empty());
        let wrong = line(Wrong { takes_violations: true });
        invented += u32::from(wrong.verdict_of_answers() != separate.verdict);
    }
    println!(
        "{on_all} hold on all runs, {with_new} of them with `new`; {held} on the fair ones only, {violated} are violated; \
         {invented} violations are invented by the wrong variant"
    );
    assert!(on_all > 30 && with_new > 15 && held > 15 && violated > 50 && invented > 15);
}
