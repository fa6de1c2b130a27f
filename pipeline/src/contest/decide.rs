//! Whether markings are reachable, and how many tokens places reach: by the structure of a net and searches of smaller nets.
//!
//! The ways in order, each with a share of the time and for what the ones before it leave open: random runs, weights of places, one search for
//! all conditions, one search for each. Searches are those of a smaller net, with stubborn sets for few conditions.
//!
//! # Soundness
//!
//! A condition is reached if a run of the net leads to a marking in which it holds: runs of smaller nets are brought back and replayed. It is
//! not reachable if weights exclude it, or if a complete search of a net that keeps it does not find it.

use checker::nets::{Aim, Condition, Keeps, Linear, Strategy, Weights, reduce, search, value, walk};
use checker::{Control, Limits};
use frontend::pnml::{Loaded, Net};

use super::Means;

/// The most conditions for which one stubborn set is used.
const FEW: usize = 4;
/// The steps after which transitions that waited in a smaller net have ended.
const MOST_WAITING: usize = 100_000;

/// An answer, and how it was found.
pub(super) type Decided = Option<(bool, Means)>;

/// What a search says of a condition.
enum Reached {
    /// It holds in this reachable marking.
    At(Vec<i32>),
    /// It holds in no reachable marking.
    Never,
    /// Neither is known.
    Open,
}

/// Decides questions about one net.
pub(super) struct Decider<'a> {
    loaded: &'a Loaded,
    limits: Limits,
    weights: Option<Weights>,
}

/// The marking after a run; nothing if it is no run.
fn after(net: &Net, run: &[usize]) -> Option<Vec<i32>> {
    run.iter().try_fold(net.initial(), |marking, &step| net.fired(&net.transitions[step], &marking))
}

impl<'a> Decider<'a> {
    pub(super) fn new(loaded: &'a Loaded, limits: Limits) -> Decider<'a> {
        Decider { loaded, limits, weights: Weights::new(&loaded.net) }
    }

    /// Whether weights exclude a condition.
    pub(super) fn excludes(&self, condition: &Condition) -> bool {
        self.weights.as_ref().is_some_and(|weights| weights.excludes(condition))
    }

    /// Decides for each condition whether it is reachable, until `is_enough` says that no more answers are wanted.
    pub(super) fn reachable(
        &self,
        conditions: &[Condition],
        control: &mut dyn Control,
        is_enough: &dyn Fn(&[Decided]) -> bool,
    ) -> Vec<Decided> {
        let mut answers: Vec<Decided> = vec![None; conditions.len()];
        for (answer, condition) in answers.iter_mut().zip(conditions) {
            if let Condition::Constant(false) = condition {
                *answer = Some((false, Means::Structural));
            }
        }
        // What was found before the time of a part is over stays found.
        let _ = limits::share(1, 8, || self.walk(conditions, &mut answers));
        if !is_enough(&answers) {
            let _ = limits::share(1, 4, || {
                for at in 0..conditions.len() {
                    if answers[at].is_none() && self.excludes(&conditions[at]) {
                        answers[at] = Some((false, Means::Structural));
                        if is_enough(&answers) {
                            return;
                        }
                    }
                }
            });
        }
        let open = |answers: &[Decided]| (0..answers.len()).filter(|&at| answers[at].is_none()).collect::<Vec<usize>>();
        let left = open(&answers);
        if left.len() > 1 && !is_enough(&answers) {
            let _ = limits::share(1, 2, || self.search(conditions, &left, &mut answers, control));
        }
        let mut left = open(&answers);
        while let Some(at) = left.pop() {
            if is_enough(&answers) {
                break;
            }
            let of = u32::try_from(left.len() + 1).unwrap_or(u32::MAX);
            let _ = limits::share(1, of, || self.search(conditions, &[at], &mut answers, control));
        }
        answers
    }

    fn walk(&self, conditions: &[Condition], answers: &mut [Decided]) {
        let open: Vec<usize> = (0..answers.len()).filter(|&at| answers[at].is_none()).collect();
        if open.is_empty() {
            return;
        }
        let goals: Vec<Condition> = open.iter().map(|&at| conditions[at].clone()).collect();
        let found = walk(&self.loaded.net, &goals, &[], false);
        assert_eq!(found.reached.len(), open.len(), "a walk says something of each condition");
        for (&at, _) in open.iter().zip(&found.reached).filter(|(_, reached)| **reached) {
            answers[at] = Some((true, Means::Explicit));
        }
    }

    /// For each condition whether it always or never holds, as far as weights prove it.
    pub(super) fn constants(&self, conditions: &[Condition]) -> Vec<Option<bool>> {
        let mut values = vec![None; conditions.len()];
        let opposites = conditions.iter().map(Condition::negated);
        let goals: Vec<Condition> = conditions.iter().cloned().chain(opposites).collect();
        let seen = limits::share(1, 8, || walk(&self.loaded.net, &goals, &[], false).reached);
        let seen = seen.unwrap_or_else(|_| vec![false; goals.len()]);
        assert_eq!(seen.len(), goals.len(), "a walk says something of each condition");
        let (seen, opposites) = seen.split_at(conditions.len());
        let _ = limits::share(1, 6, || {
            for (at, value) in values.iter_mut().enumerate() {
                if !seen[at] && self.excludes(&goals[at]) {
                    *value = Some(false);
                } else if !opposites[at] && self.excludes(&goals[conditions.len() + at]) {
                    *value = Some(true);
                }
            }
        });
        let initial = self.loaded.net.initial();
        let at_start = |condition: &Condition| condition.holds(&|place| i64::from(initial[place]));
        let mut known = conditions.iter().zip(&values);
        let is_kept =
            |(condition, value): (&Condition, &Option<bool>)| value.is_none_or(|it| it == at_start(condition));
        assert!(known.all(is_kept), "what never changes is as in the initial marking");
        values
    }

    /// One search for some of the conditions, of a net that keeps them.
    fn search(&self, conditions: &[Condition], wanted: &[usize], answers: &mut [Decided], control: &mut dyn Control) {
        let own: Vec<&Condition> = wanted.iter().map(|&at| &conditions[at]).collect();
        for (&at, found) in wanted.iter().zip(self.markings(&own, control)) {
            answers[at] = match found {
                Reached::At(_) => Some((true, Means::Explicit)),
                Reached::Never => Some((false, Means::Explicit)),
                Reached::Open => None,
            };
        }
    }

    /// For each condition a reachable marking in which it holds.
    fn markings(&self, wanted: &[&Condition], control: &mut dyn Control) -> Vec<Reached> {
        let Loaded { net, bounds, .. } = self.loaded;
        let own: Vec<Condition> = wanted.iter().map(|&condition| condition.clone()).collect();
        let reduced = reduce(net, bounds, Keeps::conditions(&own));
        let aim = Aim { conditions: own.iter().map(|one| reduced.condition(one)).collect(), ..Aim::default() };
        let strategy = if own.len() <= FEW { Strategy::Stubborn } else { Strategy::All };
        let found = search(&reduced.net, &reduced.bounds, &aim, strategy, &self.limits, control);
        let shown = |(run, condition): (&Option<Vec<usize>>, &Condition)| match run {
            Some(run) => {
                let marking =
                    after(net, &reduced.run(run)).filter(|marking| condition.holds(&|place| i64::from(marking[place])));
                debug_assert!(marking.is_some(), "a run of a smaller net is one of the net");
                marking.map_or(Reached::Open, Reached::At)
            }
            None if found.complete => Reached::Never,
            None => Reached::Open,
        };
        assert_eq!(found.reached.len(), own.len(), "the search says something of each condition");
        found.reached.iter().zip(&own).map(shown).collect()
    }

    /// Whether a deadlock is reachable.
    pub(super) fn deadlock(&self, control: &mut dyn Control) -> Decided {
        let Loaded { net, bounds, .. } = self.loaded;
        if limits::share(1, 8, || walk(net, &[], &[], true).deadlock).unwrap_or(false) {
            return Some((true, Means::Explicit));
        }
        let aim = Aim { deadlock: true, ..Aim::default() };
        let reduced = reduce(net, bounds, Keeps::deadlock());
        let found = search(&reduced.net, &reduced.bounds, &aim, Strategy::Stubborn, &self.limits, control);
        match found.deadlock {
            // Where too many transitions wait, the deadlock behind them is not shown.
            Some(run) => self.ends(&reduced.run(&run)).then_some((true, Means::Explicit)),
            None => found.complete.then_some((false, Means::Explicit)),
        }
    }

    /// Whether a deadlock is behind a run, after the transitions that waited in the smaller net.
    fn ends(&self, run: &[usize]) -> bool {
        let net = &self.loaded.net;
        let Some(mut marking) = after(net, run) else { return false };
        for _ in 0..MOST_WAITING {
            limits::work(net.transitions.len() as u64);
            let next = net.transitions.iter().find(|transition| Net::is_enabled(transition, &marking));
            let Some(transition) = next else { return true };
            let Some(next) = net.fired(transition, &marking) else { return false };
            marking = next;
        }
        false
    }

    /// The greatest values of sums of tokens, where they are decided.
    pub(super) fn greatest(&self, sums: &[Linear], control: &mut dyn Control) -> Vec<Option<(i64, Means)>> {
        let Loaded { net, bounds, .. } = self.loaded;
        let by_places = |sum: &Linear| {
            sum.iter().try_fold(0i64, |total, &(place, weight)| Some(total + weight * i64::from(bounds[place]?)))
        };
        let mut most: Vec<Option<i64>> = sums.iter().map(by_places).collect();
        let _ = limits::share(1, 4, || {
            for (sum, most) in sums.iter().zip(&mut most) {
                let own = self.weights.as_ref().and_then(|weights| weights.most(sum));
                *most = own.into_iter().chain(*most).min();
            }
        });
        let aims: Vec<(Linear, Option<i64>)> = sums.iter().cloned().zip(most.iter().copied()).collect();
        let walked = limits::share(1, 8, || walk(net, &[], &aims, false).greatest);
        let tokens = net.initial();
        let at_first = |sum: &Linear| sum.iter().map(|&(place, weight)| weight * i64::from(tokens[place])).sum();
        let mut seen: Vec<i64> = walked.unwrap_or_else(|_| sums.iter().map(at_first).collect());
        let mut is_exact: Vec<bool> = seen.iter().zip(&most).map(|(seen, most)| Some(*seen) == *most).collect();
        let open: Vec<usize> = (0..sums.len()).filter(|&at| !is_exact[at]).collect();
        if open.len() > 1 {
            let _ = limits::share(1, 2, || {
                let own: Vec<Condition> = open.iter().map(|&at| Condition::at_least(sums[at].clone(), 1)).collect();
                let reduced = reduce(net, bounds, Keeps::conditions(&own));
                let moved = |sum: &Linear| {
                    let moved = |&(place, weight): &(usize, i64)| Some((reduced.place_of[place]?, weight));
                    sum.iter().map(moved).collect::<Option<Linear>>().expect("observed places are left")
                };
                let sums = open.iter().map(|&at| (moved(&sums[at]), most[at])).collect();
                let aim = Aim { sums, ..Aim::default() };
                let found = search(&reduced.net, &reduced.bounds, &aim, Strategy::All, &self.limits, control);
                for (&at, &value) in open.iter().zip(&found.greatest) {
                    seen[at] = seen[at].max(value);
                    is_exact[at] = found.complete || Some(seen[at]) == most[at];
                }
            });
        }
        let mut left: Vec<usize> = (0..sums.len()).filter(|&at| !is_exact[at]).collect();
        while let Some(at) = left.pop() {
            let of = u32::try_from(left.len() + 1).unwrap_or(u32::MAX);
            let _ = limits::share(1, of, || {
                while !is_exact[at] {
                    let more = Condition::at_least(sums[at].clone(), seen[at] + 1);
                    match self.markings(&[&more], control).pop() {
                        Some(Reached::At(marking)) => seen[at] = value(&sums[at], &|place| i64::from(marking[place])),
                        Some(Reached::Never) => is_exact[at] = true,
                        _ => break,
                    }
                    is_exact[at] |= Some(seen[at]) == most[at];
                }
            });
        }
        let is_within = |(seen, most): (&i64, &Option<i64>)| most.is_none_or(|most| *seen <= most);
        assert!(seen.iter().zip(&most).all(is_within), "no marking passes a bound that was proved");
        let means = Means::Explicit;
        seen.into_iter().zip(is_exact).map(|(seen, is_exact)| is_exact.then_some((seen, means))).collect()
    }
}
