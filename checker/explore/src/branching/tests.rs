//! Truth of formulas in random graphs, against fixed points that are written down operator by operator.

use bitvec::vec::BitVec;
use ltl::{Formula, Paths};

use super::reasons::{Reason, Reasons};
use super::sweeps::{Again, Sweeps};
use super::{Edges, Graph, Truth, Wrong, truths};

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// The steps of a graph, looked up each time.
struct Looked<'g>(&'g Edges);

impl Again for Looked<'_> {
    fn targets(&mut self, state: u32, visit: &mut dyn FnMut(u32)) -> Result<(), ()> {
        self.0.of(state as usize).iter().copied().for_each(visit);
        Ok(())
    }
}

fn graph(random: &mut Random) -> Graph {
    let states = 1 + random.below(8);
    let mut steps = Edges::new();
    let mut ends = BitVec::new();
    for number in 0..states {
        let targets: Vec<u32> = (0..random.below(4)).map(|_| u32::try_from(random.below(states)).unwrap()).collect();
        steps.push(u32::try_from(number).unwrap(), &targets).expect("memory");
        ends.push(targets.is_empty() || random.below(8) == 0);
    }
    Graph { back: steps.reversed(), steps, ends }
}

fn formula(random: &mut Random, depth: usize) -> Formula<usize> {
    if depth == 0 || random.below(8) == 0 {
        return Formula::Atom(random.below(2));
    }
    let one = formula(random, depth - 1);
    let paths = if random.below(2) == 0 { Paths::All } else { Paths::Some };
    match random.below(8) {
        0 => Formula::Not(one.into()),
        1 => Formula::And(vec![one, formula(random, depth - 1)]),
        2 => Formula::Or(vec![one, formula(random, depth - 1)]),
        3 => Formula::Implies(one.into(), formula(random, depth - 1).into()),
        4 => Formula::Quantified(paths, Formula::Next(one.into()).into()),
        5 => Formula::Quantified(paths, Formula::Finally(one.into()).into()),
        6 => Formula::Quantified(paths, Formula::Globally(one.into()).into()),
        _ => Formula::Quantified(paths, Formula::Until(one.into(), formula(random, depth - 1).into()).into()),
    }
}

/// The naive twin: the relation with a step to itself where a run may end, and each operator as its own fixed point.
fn naive(graph: &Graph, formula: &Formula<usize>, atoms: &[Truth; 2]) -> Vec<bool> {
    let states = graph.steps.states();
    let next = |paths: Paths, set: &[bool]| -> Vec<bool> {
        let of = |state: usize| {
            let mut targets: Vec<usize> = graph.steps.of(state).iter().map(|&to| to as usize).collect();
            targets.extend(graph.ends[state].then_some(state));
            match paths {
                Paths::All => targets.iter().all(|&to| set[to]),
                Paths::Some => targets.iter().any(|&to| set[to]),
            }
        };
        (0..states).map(of).collect()
    };
    let fixed = |first: bool, step: &dyn Fn(&[bool]) -> Vec<bool>| {
        let mut set = vec![first; states];
        loop {
            let more = step(&set);
            if more == set {
                return set;
            }
            set = more;
        }
    };
    let parts = |formula: &Formula<usize>| -> Vec<Vec<bool>> {
        formula.operands().into_iter().map(|part| naive(graph, part, atoms)).collect()
    };
    let each = |of: &dyn Fn(usize) -> bool| (0..states).map(of).collect::<Vec<bool>>();
    match formula {
        Formula::Atom(atom) => atoms[*atom].iter().by_vals().collect(),
        Formula::Quantified(paths, path) => {
            let own = parts(path);
            match &**path {
                Formula::Next(_) => next(*paths, &own[0]),
                Formula::Finally(_) => fixed(false, &|set| {
                    let next = next(*paths, set);
                    each(&|state| own[0][state] || next[state])
                }),
                Formula::Globally(_) => fixed(true, &|set| {
                    let next = next(*paths, set);
                    each(&|state| own[0][state] && next[state])
                }),
                _ => fixed(false, &|set| {
                    let next = next(*paths, set);
                    each(&|state| own[1][state] || own[0][state] && next[state])
                }),
            }
        }
        formula => {
            let own = parts(formula);
            each(&|state| match formula {
                Formula::Not(_) => !own[0][state],
                Formula::And(_) => own.iter().all(|part| part[state]),
                Formula::Or(_) => own.iter().any(|part| part[state]),
                _ => !own[0][state] || own[1][state],
            })
        }
    }
}

/// The random cases in which a variant differs from the twin: with kept steps, and in sweeps.
fn differences(cases: usize, wrong: Wrong) -> [usize; 2] {
    let mut random = Random(7);
    let mut different = [0; 2];
    for _ in 0..cases {
        let mut graph = graph(&mut random);
        let formula = formula(&mut random, 3);
        assert!(formula.is_ctl(), "{formula:?}");
        let mut some = || -> Truth { (0..graph.steps.states()).map(|_| random.below(2) == 0).collect() };
        let atoms = [some(), some()];
        let expected = naive(&graph, &formula, &atoms);
        let mut sweeps = Sweeps::new(Looked(&graph.steps), graph.ends.clone());
        let swept = truths(&mut sweeps, &formula, &mut |&atom| atoms[atom].clone(), wrong).own;
        assert!(!sweeps.has_failed);
        let kept = truths(&mut graph, &formula, &mut |&atom| atoms[atom].clone(), wrong).own;
        for (at, found) in [kept, swept].into_iter().enumerate() {
            different[at] += usize::from(found.iter().by_vals().collect::<Vec<bool>>() != expected);
        }
    }
    different
}

#[test]
fn truths_are_those_of_plain_fixed_points() {
    assert_eq!(differences(20_000, Wrong::default()), [0, 0]);
}

#[test]
fn wrong_truths_are_noticed() {
    for wrong in
        [Wrong { ends_without_next: true, ..Wrong::default() }, Wrong { keeps_cut_states: true, ..Wrong::default() }]
    {
        assert!(differences(2_000, wrong).iter().all(|&count| count > 0), "{wrong:?}");
    }
}

/// Whether a run shows its part of a formula in a state, by the truths of plain fixed points, and the runs that branch off theirs.
fn shows(graph: &Graph, formula: &Formula<usize>, atoms: &[Truth; 2], (reason, at): (&Reason, u32)) -> bool {
    let part = formula.part(&reason.part);
    let Formula::Quantified(paths, path) = part else { return false };
    let holds = reason.holds;
    let states: Vec<usize> =
        std::iter::once(at).chain(reason.path.iter().copied()).map(|state| state as usize).collect();
    let last = states.len() - 1;
    let own: Vec<Vec<bool>> = path.operands().into_iter().map(|operand| naive(graph, operand, atoms)).collect();
    let has = |operand: usize, index: usize| own[operand][states[index]] == holds;
    let all = |operand: usize, end: usize| (0..end).all(|index| has(operand, index));
    let is_run = states.windows(2).all(|step| graph.steps.of(step[0]).iter().any(|&to| to as usize == step[1]));
    let stays = match reason.back {
        None => false,
        Some(back) if back == last => graph.ends[states[last]],
        Some(back) => back < last && states[back] == states[last],
    };
    let is_shown = match &**path {
        Formula::Next(_) if last == 0 => stays && has(0, 0),
        Formula::Next(_) => last == 1 && has(0, 1),
        Formula::Until(..) if holds => all(0, last) && has(1, last),
        Formula::Until(..) => all(1, last + 1) && (stays || has(0, last)),
        Formula::Globally(_) if holds => stays && all(0, last + 1),
        Formula::Finally(_) if !holds => stays && all(0, last + 1),
        _ => has(0, last),
    };
    let is_true = naive(graph, part, atoms)[at as usize] == holds;
    let mut inner = reason.inner.iter();
    let mut deeper = |(index, one): &(usize, Reason)| {
        let state = u32::try_from(states[*index]).unwrap();
        one.part.len() > reason.part.len() && shows(graph, formula, atoms, (one, state))
    };
    (*paths == Paths::Some) == holds && is_true && is_run && is_shown && inner.all(&mut deeper)
}

/// The random cases with a run that shows nothing, and those with runs.
fn unshown(cases: usize, wrong: Wrong) -> (usize, usize) {
    let mut random = Random(11);
    let (mut unshown, mut with_runs) = (0, 0);
    for _ in 0..cases {
        let mut graph = graph(&mut random);
        let formula = formula(&mut random, 3);
        let mut some = || -> Truth { (0..graph.steps.states()).map(|_| random.below(2) == 0).collect() };
        let atoms = [some(), some()];
        let found = truths(&mut graph, &formula, &mut |&atom| atoms[atom].clone(), Wrong::default());
        let in_sweeps = {
            let mut sweeps = Sweeps::new(Looked(&graph.steps), graph.ends.clone());
            Reasons::new(&mut sweeps, wrong).of(&formula, &found, 0)
        };
        let reasons = Reasons::new(&mut graph, wrong).of(&formula, &found, 0);
        let exists = matches!(&formula, Formula::Quantified(paths, _) if (*paths == Paths::Some) == found.own[0]);
        assert!(!exists || !reasons.is_empty(), "{formula:?}");
        let is_shown = |list: &[Reason]| list.iter().all(|one| shows(&graph, &formula, &atoms, (one, 0)));
        with_runs += usize::from(!reasons.is_empty());
        unshown += usize::from(!is_shown(&reasons) || !is_shown(&in_sweeps));
    }
    (unshown, with_runs)
}

#[test]
fn runs_show_what_they_are_said_to_show() {
    let (unshown, with_runs) = unshown(20_000, Wrong::default());
    assert_eq!(unshown, 0);
    assert!(with_runs > 5_000, "{with_runs}");
}

#[test]
fn wrong_runs_are_noticed() {
    let (unshown, _) = unshown(2_000, Wrong { strays: true, ..Wrong::default() });
    assert!(unshown > 0);
}
