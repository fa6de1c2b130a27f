//! Random nets: every way to an answer against the set of all markings, and known-wrong variants that must be noticed.
//!
//! `NETS` sets the number of nets, `SEED` the first seed.

use std::collections::BTreeSet;

use frontend::pnml::{Net, Place, Transition};
use frontend::source::Span;

use super::conditions::{Condition, value};
use super::reduce::{self, Keeps, reduce_with};
use super::search::{Aim, Searched, Strategy, search_with};
use super::{Linear, Weights, Wrong, walk};
use explore::question::Limits;

const MOST_STATES: usize = 1500;

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % n
    }

    pub(super) fn small(&mut self, n: usize) -> i32 {
        i32::try_from(self.below(n)).expect("small")
    }

    /// A net. One in three has transitions that move single tokens only.
    fn net(&mut self) -> Net {
        let (places, transitions, is_simple) = (2 + self.below(7), 1 + self.below(8), self.below(3) == 0);
        let mut net = Net::default();
        for at in 0..places {
            let initial = if self.below(3) == 0 { 1 + self.small(2) } else { 0 };
            net.places.push(Place { name: format!("p{at}"), initial, span: Span::NONE });
        }
        for at in 0..transitions {
            let side = |random: &mut Random, least: usize| {
                let mut arcs = vec![0; places];
                for _ in 0..least + if is_simple { 0 } else { random.below(2) } {
                    arcs[random.below(places)] += 1 + if is_simple { 0 } else { random.small(5) / 4 };
                }
                arcs
            };
            let (inputs, outputs) = (side(self, 1), side(self, usize::from(self.0 % 7 != 6)));
            let sparse = |list: Vec<i32>| list.into_iter().enumerate().filter(|(_, number)| *number != 0).collect();
            let changes = inputs.iter().zip(&outputs).map(|(taken, put)| put - taken).collect();
            net.transitions.push(Transition {
                label: format!("t{at}"),
                inputs: sparse(inputs),
                changes: sparse(changes),
                span: Span::NONE,
            });
        }
        net
    }

    fn sum(&mut self, places: usize) -> Linear {
        let mut weights = std::collections::BTreeMap::new();
        for _ in 0..1 + self.below(2) {
            weights.insert(self.below(places), if self.below(3) == 0 { -1 } else { 1 });
        }
        weights.into_iter().collect()
    }

    pub(super) fn condition(&mut self, places: usize, depth: usize) -> Condition {
        match self.below(if depth == 0 { 1 } else { 3 }) {
            0 => {
                let (sum, number) = (self.sum(places), i64::from(self.small(4)) - 1);
                if self.below(2) == 0 { Condition::at_most(sum, number) } else { Condition::at_least(sum, number) }
            }
            kind => {
                let list = (0..2 + self.below(2)).map(|_| self.condition(places, depth - 1)).collect();
                if kind == 1 { Condition::all(list) } else { Condition::any(list) }
            }
        }
    }
}

/// All markings that are reachable; nothing if there are too many.
fn markings(net: &Net) -> Option<BTreeSet<Vec<i32>>> {
    let mut seen = BTreeSet::from([net.initial()]);
    let mut queue = vec![net.initial()];
    while let Some(marking) = queue.pop() {
        for next in net.transitions.iter().filter_map(|transition| net.fired(transition, &marking)) {
            if seen.insert(next.clone()) {
                queue.push(next);
            }
        }
        if seen.len() > MOST_STATES {
            return None;
        }
    }
    Some(seen)
}

pub(super) struct Case {
    pub(super) net: Net,
    pub(super) bounds: Vec<Option<i32>>,
    pub(super) markings: BTreeSet<Vec<i32>>,
    conditions: Vec<Condition>,
    /// Whether each condition holds in a reachable marking.
    expected: Vec<bool>,
    deadlock: bool,
}

pub(super) fn tokens(marking: &[i32]) -> impl Fn(usize) -> i64 + '_ {
    |place| i64::from(marking[place])
}

/// A random net with few markings, and conditions on it.
fn case(seed: u64) -> Option<Case> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let net = random.net();
    asked(random, net)
}

/// A token that goes round, and conditions on it.
pub(super) fn ring(places: usize) -> Case {
    let mut net = Net::default();
    for at in 0..places {
        let next = (at + 1) % places;
        let mut changes = vec![(at, -1), (next, 1)];
        changes.sort_unstable();
        net.places.push(Place { name: format!("p{at}"), initial: i32::from(at == 0), span: Span::NONE });
        net.transitions.push(Transition { label: format!("t{at}"), inputs: vec![(at, 1)], changes, span: Span::NONE });
    }
    asked(Random(1), net).expect("few markings")
}

fn asked(mut random: Random, net: Net) -> Option<Case> {
    let markings = markings(&net)?;
    let places = net.places.len();
    let conditions: Vec<Condition> = (0..3).map(|_| random.condition(places, 2)).collect();
    let expected = conditions.iter().map(|one| markings.iter().any(|marking| one.holds(&tokens(marking)))).collect();
    let is_dead = |marking: &&Vec<i32>| !net.transitions.iter().any(|one| Net::is_enabled(one, marking));
    let deadlock = markings.iter().any(|marking| is_dead(&marking));
    let most = |place: usize| markings.iter().map(|marking| marking[place]).max();
    let bounds = (0..places).map(|place| most(place).filter(|_| random.below(2) == 0)).collect();
    Some(Case { net, bounds, markings, conditions, expected, deadlock })
}

pub(super) fn cases() -> impl Iterator<Item = (u64, Case)> {
    let number =
        |name: &str, otherwise: u64| std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise);
    let (count, first) = (number("NETS", 1500), number("SEED", 1));
    (first..first + count).filter_map(|seed| Some((seed, case(seed)?)))
}

fn run(net: &Net, bounds: &[Option<i32>], aim: &Aim, strategy: Strategy, wrong: Wrong) -> Searched {
    search_with(net, bounds, aim, strategy, &Limits::default(), &mut (), wrong)
}

/// The marking after a run; nothing if it is no run.
fn after(net: &Net, run: &[usize]) -> Option<Vec<i32>> {
    run.iter().try_fold(net.initial(), |marking, &step| net.fired(&net.transitions[step], &marking))
}

/// Whether the answers of a search agree with the markings of the net: runs lead where they should, and what is not found does not exist.
fn agrees(case: &Case, found: &Searched, deadlock: bool) -> bool {
    let reaches = |(run, condition): (&Option<Vec<usize>>, &Condition)| {
        run.as_ref().is_none_or(|run| after(&case.net, run).is_some_and(|marking| condition.holds(&tokens(&marking))))
    };
    let conditions = if deadlock { &[] } else { case.conditions.as_slice() };
    let dies = |run: &Vec<usize>| {
        after(&case.net, run)
            .is_some_and(|marking| !case.net.transitions.iter().any(|one| Net::is_enabled(one, &marking)))
    };
    found.reached.iter().zip(conditions).all(reaches)
        && found.reached.iter().zip(&case.expected).all(|(run, expected)| run.is_some() == *expected)
        && (!deadlock || found.deadlock.is_some() == case.deadlock && found.deadlock.as_ref().is_none_or(dies))
}

fn aims(case: &Case) -> (Aim, Aim) {
    let conditions = Aim { conditions: case.conditions.clone(), ..Aim::default() };
    (conditions, Aim { deadlock: true, ..Aim::default() })
}

#[test]
fn searches_agree_with_the_set_of_all_markings() {
    let (mut compared, mut fewer) = (0, 0);
    for (seed, case) in cases() {
        let (conditions, deadlock) = aims(&case);
        let mut states = Vec::new();
        for strategy in [Strategy::All, Strategy::Stubborn] {
            let found = run(&case.net, &case.bounds, &conditions, strategy, Wrong::default());
            assert!(agrees(&case, &found, false), "seed {seed} {strategy:?} {found:?} {:?}", case.expected);
            let found = run(&case.net, &case.bounds, &deadlock, strategy, Wrong::default());
            assert!(agrees(&case, &found, true), "seed {seed} {strategy:?} {found:?} {}", case.deadlock);
            states.push(found.states);
            // One condition at a time has the smallest sets.
            for (condition, expected) in case.conditions.iter().zip(&case.expected) {
                let aim = Aim { conditions: vec![condition.clone()], ..Aim::default() };
                let found = run(&case.net, &case.bounds, &aim, strategy, Wrong::default());
                assert_eq!(found.reached[0].is_some(), *expected, "seed {seed} {strategy:?} {condition:?}");
                assert!(*expected || found.complete, "seed {seed}");
            }
        }
        fewer += u32::from(states[1] < states[0]);
        let sum = Random(seed).sum(case.net.places.len());
        let most = case.markings.iter().map(|marking| value(&sum, &tokens(marking))).max();
        let aim = Aim { sums: vec![(sum, None)], ..Aim::default() };
        let found = run(&case.net, &case.bounds, &aim, Strategy::All, Wrong::default());
        assert!(found.complete && found.states == case.markings.len() as u64, "seed {seed}");
        assert_eq!(found.greatest.first().copied(), most, "seed {seed}");
        compared += 1;
    }
    assert!(compared > 400 && fewer > 20, "{compared} nets, {fewer} with fewer markings");
}

#[test]
fn wrong_stubborn_sets_are_noticed() {
    for wrong in [
        Wrong { enabling_forgotten: true, ..Wrong::default() },
        Wrong { conflicts_forgotten: true, ..Wrong::default() },
        Wrong { needs_forgotten: true, ..Wrong::default() },
    ] {
        let is_noticed = |(_, case): (u64, Case)| {
            let (_, deadlock) = aims(&case);
            let alone = |(condition, expected): (&Condition, &bool)| {
                let aim = Aim { conditions: vec![condition.clone()], ..Aim::default() };
                run(&case.net, &case.bounds, &aim, Strategy::Stubborn, wrong).reached[0].is_some() != *expected
            };
            !agrees(&case, &run(&case.net, &case.bounds, &deadlock, Strategy::Stubborn, wrong), true)
                || case.conditions.iter().zip(&case.expected).any(alone)
        };
        assert!(cases().any(is_noticed), "{wrong:?}");
    }
}

#[test]
fn weights_prove_nothing_that_markings_contradict() {
    let (mut excluded, mut open, mut exact) = (0, 0, 0);
    let is_wrong = |wrong: Wrong, case: &Case, counts: &mut dyn FnMut(bool, bool)| {
        let Some(weights) = Weights::with(&case.net, wrong) else { return false };
        let mut is_wrong = false;
        for (condition, expected) in case.conditions.iter().zip(&case.expected) {
            let is_excluded = weights.excludes(condition);
            is_wrong |= is_excluded && *expected;
            counts(is_excluded, *expected);
        }
        is_wrong
    };
    for (seed, case) in cases().take(700) {
        let mut count = |is_excluded: bool, expected: bool| {
            excluded += u32::from(is_excluded);
            open += u32::from(!is_excluded && !expected);
        };
        assert!(!is_wrong(Wrong::default(), &case, &mut count), "seed {seed}");
        let sum = Random(seed).sum(case.net.places.len());
        let most = case.markings.iter().map(|marking| value(&sum, &tokens(marking))).max().expect("a marking");
        let bound = Weights::new(&case.net).and_then(|weights| weights.most(&sum));
        assert!(bound.is_none_or(|bound| most <= bound), "seed {seed}: {sum:?} {bound:?} {most}");
        exact += u32::from(bound == Some(most));
    }
    assert!(excluded > 100 && exact > 100, "{excluded} excluded, {open} open, {exact} exact");
    let wrong = Wrong { effect_forgotten: true, ..Wrong::default() };
    assert!(cases().any(|(_, case)| is_wrong(wrong, &case, &mut |_, _| {})));
}

#[test]
fn random_runs_find_what_exists() {
    let (mut found, mut exist) = (0, 0);
    for (seed, case) in cases().take(300) {
        let sums = vec![(Random(seed).sum(case.net.places.len()), None)];
        let walked = walk(&case.net, &case.conditions, &sums, true);
        assert!(!walked.deadlock || case.deadlock, "seed {seed}");
        for (reached, expected) in walked.reached.iter().zip(&case.expected) {
            assert!(!reached || *expected, "seed {seed}");
            found += u32::from(*reached);
            exist += u32::from(*expected);
        }
        let most = case.markings.iter().map(|marking| value(&sums[0].0, &tokens(marking))).max();
        assert!(Some(walked.greatest[0]) <= most, "seed {seed}");
    }
    assert!(found * 10 > exist * 9, "{found} of {exist}");
}

/// Whether the smaller net of one question has the answer of the net, with a run of the net where there is one.
fn is_kept(case: &Case, condition: Option<usize>, strategy: Strategy, wrong: reduce::Wrong) -> (bool, bool) {
    let wanted: Vec<Condition> = condition.iter().map(|&at| case.conditions[at].clone()).collect();
    let keeps = if condition.is_some() { Keeps::conditions(&wanted) } else { Keeps::deadlock() };
    let reduced = reduce_with(&case.net, &case.bounds, keeps, wrong);
    let aim = Aim {
        conditions: wanted.iter().map(|condition| reduced.condition(condition)).collect(),
        deadlock: condition.is_none(),
        sums: Vec::new(),
    };
    let found = run(&reduced.net, &reduced.bounds, &aim, strategy, Wrong::default());
    let is_smaller = reduced.applied.is_any();
    let Some(at) = condition else {
        let dies = |run: &Vec<usize>| {
            let mut marking = after(&case.net, &reduced.run(run))?;
            // Transitions that waited end.
            for _ in 0..100 {
                let enabled = case.net.transitions.iter().find_map(|transition| case.net.fired(transition, &marking));
                let Some(next) = enabled else { return Some(()) };
                marking = next;
            }
            None
        };
        let is_run = found.deadlock.as_ref().is_none_or(|run| dies(run).is_some());
        return (is_run && found.deadlock.is_some() == case.deadlock, is_smaller);
    };
    let run = found.reached.first().cloned().flatten();
    let leads = |run: &Vec<usize>| {
        after(&case.net, &reduced.run(run)).is_some_and(|marking| case.conditions[at].holds(&tokens(&marking)))
    };
    (run.as_ref().is_none_or(leads) && run.is_some() == case.expected[at], is_smaller)
}

#[test]
fn smaller_nets_keep_what_is_asked() {
    let (mut smaller, mut all) = (0, 0);
    for (seed, case) in cases() {
        for question in [None, Some(0), Some(1), Some(2)] {
            for strategy in [Strategy::All, Strategy::Stubborn] {
                let (is_right, is_smaller) = is_kept(&case, question, strategy, reduce::Wrong::default());
                assert!(
                    is_right,
                    "seed {seed}, question {question:?}, {strategy:?}\n{:?}\n{:?}",
                    case.net, case.conditions
                );
                smaller += u32::from(is_smaller);
                all += 1;
            }
        }
    }
    assert!(smaller * 2 > all, "{smaller} of {all}");
}

#[test]
fn wrong_reductions_are_noticed() {
    for wrong in [
        reduce::Wrong { observed_forgotten: true, ..reduce::Wrong::default() },
        reduce::Wrong { tokens_forgotten: true, ..reduce::Wrong::default() },
        reduce::Wrong { conflicts_forgotten: true, ..reduce::Wrong::default() },
        reduce::Wrong { fewer_tokens: true, ..reduce::Wrong::default() },
    ] {
        let is_noticed = |(_, case): (u64, Case)| {
            [None, Some(0), Some(1), Some(2)]
                .into_iter()
                .any(|question| !is_kept(&case, question, Strategy::All, wrong).0)
        };
        assert!(cases().any(is_noticed), "{wrong:?}");
    }
}
