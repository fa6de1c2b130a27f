//! Reduced searches of random models against plain ones, with and without a quotient; what instances read and write, and which of them are
//! independent, executed; known-wrong variants that the comparison has to catch.

mod random;

use std::collections::BTreeMap;
use std::ops::Range;

use ::symmetry::murphi::ValidatedGroup;
use explore::plan::Plan;
use explore::question::{Limits, SearchOrder};
use explore::reductions::{Outcome, ReductionKind, Reductions, Representative};
use explore::report::{Report, Verdict};
use explore::run::reached;
use frontend::diagnostics::Diagnostics;
use frontend::murphi::interpret::{Deadlock, State, Step, successors};
use frontend::murphi::trace::Trace;
use frontend::murphi::{Options, parse};

use self::random::{alike_text, random_text};
use super::super::check;
use super::super::packing::cell;
use super::super::space::Space;
use super::*;
use crate::question::Question;
use crate::tests::Rng;

const SMALL: u64 = 1_500;

/// The seeds of random models: a larger campaign sets `SEED` and `COUNT`.
fn seeds() -> Range<u64> {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let first = number("SEED").unwrap_or(0);
    first..first + number("COUNT").unwrap_or(1_000)
}

fn program(text: &str) -> Program {
    let mut sink = Diagnostics::new();
    parse(text, &Options::default(), &mut sink).program.unwrap_or_else(|| panic!("{:?}\n{text}", sink.list))
}

/// The question of a seed.
fn question(seed: u64, program: &Program) -> Question<Vec<Claim>> {
    let mut rng = Rng::new(seed ^ 0x77);
    Question {
        properties: if rng.below(4) == 0 { Vec::new() } else { program.claims() },
        deadlock: rng.below(3) > 0,
        stuck: rng.below(2) == 0,
        faults: rng.below(2) == 0,
        assertions: rng.below(2) == 0,
        keep_going: true,
        order: if rng.below(3) == 0 { SearchOrder::DepthFirst } else { SearchOrder::BreadthFirst },
        limits: Limits { max_states: Some(SMALL), ..Limits::default() },
        ..Question::default()
    }
}

/// A search, reduced as a variant has it and by a group; nothing where a counterexample is not confirmed, or where the order of loops shows.
fn run(
    program: &Program,
    question: &Question<Vec<Claim>>,
    plan: Option<Wrong>,
    group: Option<&ValidatedGroup>,
) -> Option<Report<Trace>> {
    let symmetry = match group {
        Some(group) => Some(Symmetry::new(program, group, &BTreeSet::new(), Representative::Auto)?),
        None => None,
    };
    if symmetry.as_ref().is_some_and(|symmetry| !symmetry.watched.is_empty()) {
        return None;
    }
    let deadlock = if question.stuck { Deadlock::Stuck } else { Deadlock::Stuttering };
    let mut space = Space::new(program, symmetry.map(std::sync::Arc::new), deadlock, &question.limits);
    space.ample = plan.map(|wrong| {
        let more_than_deadlock = question.faults
            || question.assertions
            || !question.properties.is_empty()
            || question.deadlock && !question.stuck;
        let symmetry = space.symmetry.as_deref();
        let query = Query { claims: &question.properties, symmetry, more_than_deadlock, wrong };
        Ample::new(program, &space.packing, query).expect("a small model")
    });
    reached(space, question, Plan::default(), &mut ()).ok()
}

fn verdicts(report: &Report<Trace>) -> BTreeMap<String, Verdict> {
    report.answers.iter().map(|answer| (answer.name.clone(), answer.verdict)).collect()
}

#[test]
fn reduced_searches_agree_with_plain_ones() {
    let (mut checked, mut counts, mut reduced) = (0, [0; 2], 0);
    for seed in seeds() {
        let text = random_text(seed, false);
        let program = program(&text);
        let question = question(seed, &program);
        let plain = run(&program, &question, None, None).expect("confirmed");
        if plain.limit.is_some() {
            continue;
        }
        let found = run(&program, &question, Some(Wrong::default()), None).expect("confirmed");
        assert_eq!(verdicts(&found), verdicts(&plain), "seed {seed}\n{text}\n{question:?}");
        counts = [counts[0] + plain.states, counts[1] + found.states];
        reduced += u32::from(found.states < plain.states);
        checked += 1;
    }
    println!("{checked} models, {reduced} of them reduced: {counts:?} states");
    assert!(checked > 700 && reduced > 100, "{checked} {reduced}");
}

#[test]
fn reduced_quotients_agree_with_plain_searches() {
    let texts = seeds().flat_map(|seed| [(seed, random_text(seed, true)), (seed, alike_text(seed))]);
    let (mut checked, mut counts, mut exchanged) = (0, [0; 4], 0);
    for (seed, text) in texts {
        let program = program(&text);
        let question = question(seed, &program);
        let plain = run(&program, &question, None, None).expect("confirmed");
        if plain.limit.is_some() {
            continue;
        }
        let group = ValidatedGroup::of(&program, &question.properties, false);
        let Some(quotient) = run(&program, &question, None, Some(&group)) else { continue };
        let runs = [
            run(&program, &question, Some(Wrong::default()), None).expect("confirmed"),
            run(&program, &question, Some(Wrong::default()), Some(&group)).expect("confirmed"),
        ];
        for (found, count) in [&plain, &quotient, &runs[0], &runs[1]].into_iter().zip(&mut counts) {
            assert_eq!(verdicts(found), verdicts(&plain), "seed {seed}\n{text}\n{question:?}");
            *count += found.states;
        }
        exchanged += u32::from(!group.exchanges().is_empty());
        checked += 1;
    }
    println!("{checked} models, {exchanged} of them by names; states none, symmetry, partial order, both: {counts:?}");
    assert!(checked > 200 && exchanged > 100, "{checked} {exchanged}");
    assert!(counts[3] < counts[1] && counts[3] < counts[2], "{counts:?}");
}

/// A state has the rank of its representative, under exchanges of values and of names.
#[test]
fn images_have_the_same_rank() {
    let texts = (0..100).flat_map(|seed| [random_text(seed, true), alike_text(seed)]);
    let (mut moved, mut ranked) = (0, 0);
    for text in texts {
        let program = program(&text);
        let group = ValidatedGroup::of(&program, &[], false);
        let Some(symmetry) = Symmetry::new(&program, &group, &BTreeSet::new(), Representative::Auto) else { continue };
        let packing = Packing::new(&program);
        let query = Query { claims: &[], symmetry: Some(&symmetry), more_than_deadlock: true, wrong: Wrong::default() };
        let ample = Ample::new(&program, &packing, query).expect("a small model");
        let rank = |state: &State| {
            let mut words = Vec::new();
            packing.pack(state.iter().copied().map(value), &mut words);
            ample.sets.rank(&packing.layout, &words)
        };
        let mut representatives = symmetry.representatives();
        for state in states(&program, 60) {
            let mut words = packing.packed(&state);
            representatives.replace(None, &mut words).expect("there is room");
            let least = packing.unpack(&words);
            moved += u32::from(least != state);
            ranked += u32::from(rank(&state).values().any(|&number| number != 0));
            assert_eq!(rank(&state), rank(&least), "{state:?}\n{text}");
        }
    }
    println!("{moved} states are moved, {ranked} have a rank");
    assert!(moved > 500 && ranked > 500, "{moved} {ranked}");
}

/// The verdict of a search of one claim, or of faults if there is none, reduced as a variant has it.
fn verdict(text: &str, wrong: Wrong, is_quotient: bool) -> Option<Verdict> {
    let program = program(text);
    let properties = program.claims();
    let group = is_quotient.then(|| ValidatedGroup::of(&program, &properties, false));
    let question = Question {
        faults: properties.is_empty(),
        properties,
        deadlock: false,
        assertions: false,
        keep_going: true,
        ..Question::default()
    };
    let report = run(&program, &question, Some(wrong), group.as_ref())?;
    report.answers.first().map(|answer| answer.verdict)
}

/// Each variant misses a violation that the reduction keeps.
#[test]
fn known_wrong_variants_are_caught() {
    let wrong = Wrong::default();
    let start = "startstate begin a := 0; b := 0; e := 0; bad := false; end;";
    let variables = "var a: 0 .. 2; b: 0 .. 2; e: 0 .. 2; bad: boolean;";
    let cases = [
        (
            Wrong { nothing_is_visible: true, ..wrong },
            "rule a = 0 ==> begin a := 1; end; rule b = 0 ==> begin b := 1; end; invariant !(b = 1 & a = 0);",
        ),
        // `a` goes round for ever.
        (
            Wrong { no_proviso: true, ..wrong },
            "rule a = 0 ==> begin a := 1; end; rule a = 1 ==> begin a := 0; end; rule begin bad := true; end; invariant !bad;",
        ),
        (
            Wrong { reads_forgotten: true, ..wrong },
            "rule a = 0 ==> begin a := 1; end; rule e = 0 ==> begin e := 1; bad := a = 0; end; invariant !bad;",
        ),
        (
            Wrong { enabling_forgotten: true, ..wrong },
            "rule a = 0 ==> begin a := 1; end; rule e = 0 ==> begin e := 1; end;
             rule e = 1 & a = 0 ==> begin bad := true; end; invariant !bad;",
        ),
        // The last rule faults now, and not once the second one was performed.
        (
            Wrong { faults_ignored: true, ..wrong },
            "rule a = 0 ==> begin a := 1; end; rule e = 0 ==> begin e := 1; end;
             rule begin b := 2 / e; if a = 0 then bad := true; end; end; invariant !bad;",
        ),
        // The step of `a` excludes that of `b`.
        (
            Wrong { assumptions_forgotten: true, ..wrong },
            "rule a = 0 ==> begin a := 1; end; rule b = 0 ==> begin b := 1; end; assume !(a = 1 & b = 1); invariant b != 1;",
        ),
        // The last rule faults once `e` is undefined, and not after the first one.
        (
            Wrong { undefined_forgotten: true, ..wrong },
            "rule a = 0 ==> begin a := 1; end; rule b = 0 ==> begin b := 1; undefine e; end;
             rule a = 0 & e = 1 ==> begin bad := true; end;",
        ),
    ];
    for (variant, rules) in cases {
        let text = format!("{variables} {start} {rules}");
        assert_eq!(verdict(&text, wrong, false), Some(Verdict::Violated), "{text}");
        assert_eq!(verdict(&text, variant, false), Some(Verdict::Holds), "{variant:?} is not caught by {text}");
    }
}

/// The token goes round, and every state but for `x` is an image of the first one.
#[test]
fn ranks_that_are_not_those_of_orbits_are_caught() {
    let at = "type n: scalarset(2); var at: n; x: boolean;
        ruleset i: n do startstate begin at := i; x := false; end; end;
        ruleset i: n; j: n do rule at = i & i != j ==> begin at := j; end; end;
        rule begin x := true; end; invariant !x;";
    let has = "type n: scalarset(2); var has: array [n] of boolean; x: boolean;
        ruleset i: n do startstate begin for j: n do has[j] := i = j; end; x := false; end; end;
        ruleset i: n; j: n do rule has[i] & i != j ==> begin has[i] := false; has[j] := true; end; end;
        rule begin x := true; end; invariant !x;";
    let hides = has.replace("i = j", "i != j").replace("has[i] &", "!has[i] &");
    let hides = hides.replace("has[i] := false; has[j] := true", "has[i] := true; has[j] := false");
    let of = |wrong: Wrong| [at, has, &hides].map(|text| verdict(text, wrong, true));
    assert_eq!(of(Wrong::default()), [Some(Verdict::Violated); 3]);
    // It depends on the representatives whether a step away from one goes to a greater rank.
    let wrong = of(Wrong { open_ranks: true, ..Wrong::default() });
    assert!(wrong.contains(&Some(Verdict::Holds)), "{wrong:?}");
}

/// The facts about a model, and their relations.
struct Analysis {
    facts: Vec<Facts>,
    conditions: Vec<Condition>,
    independence: Independence,
    slots: Vec<bool>,
    undefined: Vec<bool>,
}

impl Analysis {
    fn new(program: &Program, packing: &Packing) -> Option<Analysis> {
        let early: Vec<bool> = program.procedures.iter().map(|procedure| returns(&procedure.body)).collect();
        let own = orbits(program, packing, None).elements;
        let Found { facts, conditions, .. } = Found::new(program, packing, &early, &own, Wrong::default())?;
        let independence =
            Independence::new(facts.clone(), &conditions, Vec::new(), program.cells(), Wrong::default(), &mut |_| {
                false
            })?;
        let mut slots = Vec::new();
        program.variables.iter().for_each(|variable| in_multisets(program, variable.of, false, &mut slots));
        let mut undefined = vec![false; program.cells()];
        for start in starts(program).into_iter().filter_map(|start| start.result.ok()) {
            (0..undefined.len()).for_each(|at| undefined[at] |= start[at].is_none());
        }
        for track in facts.iter().flat_map(|facts| &facts.tracks) {
            undefined[track.element] |= track.after[1..].iter().any(|after| after & 1 == 1);
        }
        Some(Analysis { facts, conditions, independence, slots, undefined })
    }

    fn dependent(&self, one: u32, other: u32) -> bool {
        self.independence.dependent.has(one, other as usize)
    }

    /// Whether a cell is always defined.
    fn always(&self, at: usize) -> bool {
        !self.undefined[at]
    }

    /// The conditions that are false for an instance that is not enabled, or what else it depends on.
    fn closed(&self, packing: &Packing, instance: u32, state: &State) -> Vec<u32> {
        let part = &self.independence.parts[instance as usize];
        let is_false = |at: &&u32| match &self.conditions[**at as usize] {
            Condition::Enters(list) => list
                .iter()
                .all(|among| among.values >> packing.content(among.element, value(state[among.element])) & 1 == 0),
            Condition::Reads(_) => false,
        };
        let closed: Vec<u32> = part.conjuncts.iter().filter(is_false).copied().collect();
        if closed.is_empty() { vec![part.rest] } else { closed }
    }
}

/// The outcome of an instance at a state: its successor, or a fault; nothing where it is not enabled.
type Outcomes = BTreeMap<u32, Vec<Option<State>>>;

fn outcomes(program: &Program, ample: &Ample, state: &State) -> Outcomes {
    let mut found = Outcomes::new();
    for Step { rule, values, result, .. } in successors(program, state) {
        found.entry(ample.number(rule.index(), &values)).or_default().push(result.ok());
    }
    found
}

/// The first states of a model.
fn states(program: &Program, most: usize) -> Vec<State> {
    let mut list: Vec<State> = starts(program).into_iter().filter_map(|start| start.result.ok()).collect();
    let mut at = 0;
    while at < list.len() && list.len() < most {
        let next = successors(program, &list[at]).into_iter().filter_map(|step| step.result.ok());
        for state in next.collect::<Vec<_>>() {
            if !list.contains(&state) {
                list.push(state);
            }
        }
        at += 1;
    }
    list
}

/// Instances change only what they write, in the way that is known; what they do depends only on what they read; independent ones commute,
/// in every state that is met; an instance that becomes enabled does so by one that is known to enable it.
#[test]
fn claims_about_instances_are_executed() {
    let texts =
        (0..120).map(|seed| random_text(seed, seed % 2 == 0)).chain(super::super::tests::twins::random_texts(150));
    let (mut commuting, mut enabled, mut unread) = (0, 0, 0);
    for (seed, text) in texts.enumerate() {
        let mut sink = Diagnostics::new();
        let Some(program) = parse(&text, &Options::default(), &mut sink).program else { continue };
        let packing = Packing::new(&program);
        let query = Query { claims: &[], symmetry: None, more_than_deadlock: true, wrong: Wrong::default() };
        let Some(analysis) = Analysis::new(&program, &packing) else { continue };
        let ample = Ample::new(&program, &packing, query).expect("a small model");
        let mut rng = Rng::new(seed as u64);
        for state in &states(&program, 60) {
            let here = outcomes(&program, &ample, state);
            for (&one, results) in &here {
                let facts = &analysis.facts[one as usize];
                for next in results.iter().flatten() {
                    for at in (0..state.len()).filter(|&at| state[at] != next[at]) {
                        assert!(facts.writes.contains(&at), "{one} writes {at}\n{text}");
                        let content = |of: &State| packing.content(at, value(of[at]));
                        if let Some(track) = facts.tracks.iter().find(|track| track.element == at) {
                            assert!(
                                track.after[content(state) as usize] >> content(next) & 1 == 1,
                                "{one} {at}\n{text}"
                            );
                        }
                    }
                }
                let [Some(after)] = &results[..] else { continue };
                let there = outcomes(&program, &ample, after);
                for (&other, then) in &there {
                    match here.get(&other) {
                        Some(before) if one != other && !analysis.dependent(one, other) => {
                            commuting += 1;
                            let [before] = &before[..] else { continue };
                            let Some(before) = before else {
                                assert_eq!(then, &vec![None], "a fault vanishes\n{text}");
                                continue;
                            };
                            let back = outcomes(&program, &ample, before);
                            assert_eq!(back.get(&one), Some(then), "the orders of {one} and {other} differ\n{text}");
                        }
                        None if one != other => {
                            enabled += 1;
                            for condition in analysis.closed(&packing, other, state) {
                                let row = &analysis.independence.enabling;
                                assert!(row.has(condition, one as usize), "{one} enables {other}\n{text}");
                            }
                        }
                        _ => {}
                    }
                }
                for (&other, _) in here.iter().filter(|&(&other, _)| other != one && !analysis.dependent(one, other)) {
                    assert!(there.contains_key(&other), "{one} disables {other}\n{text}");
                }
            }
            // A cell that an instance does not read does not matter for it.
            let at = rng.below(u32::try_from(state.len()).expect("few cells")) as usize;
            let contents = u32::try_from(packing.contents(at)).expect("few values");
            let mut other = state.clone();
            other[at] = cell(packing.value_of(at, rng.below(contents) as usize));
            if analysis.slots[at] || analysis.always(at) && other[at].is_none() {
                continue;
            }
            let changed = outcomes(&program, &ample, &other);
            for (number, facts) in (0..).zip(&analysis.facts) {
                if facts.reads.contains(&at) {
                    continue;
                }
                unread += 1;
                let (before, after) = (here.get(&number), changed.get(&number));
                let with = |results: &Vec<Option<State>>, keep: bool| -> Vec<Option<State>> {
                    let own = |next: &State| {
                        let mut next = next.clone();
                        if keep && !facts.writes.contains(&at) {
                            next[at] = other[at];
                        }
                        next
                    };
                    results.iter().map(|next| next.as_ref().map(own)).collect()
                };
                if facts.writes.contains(&at) {
                    assert_eq!(before.map(Vec::len), after.map(Vec::len), "{number} reads {at}\n{text}");
                } else {
                    assert_eq!(
                        before.map(|r| with(r, true)),
                        after.map(|r| with(r, false)),
                        "{number} reads {at}\n{text}"
                    );
                }
            }
        }
    }
    println!("{commuting} commute, {enabled} are enabled, {unread} do not read");
    assert!(commuting > 5_000 && enabled > 1_000 && unread > 10_000, "{commuting} {enabled} {unread}");
}

/// Ranks are those of orbits: without that, verdicts in quotients differ.
#[test]
fn ranks_are_closed_under_the_group() {
    let text = "type n: scalarset(3); var on: array [n] of boolean; at: n; p: array [n] of 0 .. 3;
        startstate begin for i: n do on[i] := false; p[i] := 0; end; undefine at; end;
        ruleset i: n do rule \"go\" !on[i] ==> begin on[i] := true; p[i] := 2; end;
          rule \"back\" on[i] & p[i] = 2 ==> begin on[i] := false; p[i] := 0; at := i; end;
          rule \"at\" at = i ==> begin undefine at; end; end;";
    let program = program(text);
    let packing = Packing::new(&program);
    let group = ValidatedGroup::of(&program, &[], false);
    let symmetry = Symmetry::new(&program, &group, &BTreeSet::new(), Representative::Auto).expect("a group");
    let orbits = orbits(&program, &packing, Some(&symmetry));
    let [first, last] = [0, 2].map(|at| &orbits.literals[at]);
    assert_eq!(first, last, "equal values of cells that change places are one literal");
    assert_eq!(orbits.elements[0], orbits.elements[2]);
    let own = &orbits.literals[3];
    assert!(own[1] == own[2] && own[2] == own[3] && own[0] != own[1], "members of the set are one literal: {own:?}");
}

/// Partial order is left to those that ask for it while faults are checked, as for processes; reports say what was done.
#[test]
fn reports_say_what_was_reduced() {
    let text = "var a: 0 .. 5; b: 0 .. 5; startstate begin a := 0; b := 0; end;
        ruleset i: 0 .. 4 do rule a = i ==> begin a := i + 1; end; end;
        ruleset i: 0 .. 4 do rule b = i ==> begin b := i + 1; end; end;";
    let program = program(text);
    let question = Question { stuck: true, keep_going: true, overflow: false, ..Question::default() };
    let reductions = Reductions { partial_order: true, ..Reductions::default() };
    let report = check(&program, &question, &reductions, &mut ()).expect("confirmed");
    assert_eq!((report.states, report.deadlock_states), (11, Some(1)));
    let own = report.reductions.iter().find(|reduction| reduction.kind == ReductionKind::PartialOrder);
    assert!(
        matches!(own.map(|own| &own.outcome), Some(Outcome::Instances { expansions: 5, free: 10, instances: 10 })),
        "{own:?}"
    );
}
