//! Structural reductions: a smaller net that reaches a deadlock, or a marking in which given conditions hold, if and only if the net does.
//!
//! Each transition of the smaller net stands for a run of transitions of the net, so that its runs are runs of the net ([`Reduced::run`]).
//! `observed` places are those whose tokens are kept, such as those that conditions read; for deadlocks alone there are none. The rules are applied
//! until none applies:
//!
//! - *constant places*, which nothing changes: transitions that need more are left out, other needs are forgotten;
//! - *sink places*, unobserved, that nothing needs;
//! - *implied places*, unobserved: another place changes in the same way and stands in every transition's way first. Equal places are such;
//! - *dead transitions*, which need more tokens than a place can have;
//! - *duplicate transitions*: the same needs and the same effect;
//! - *irrelevant transitions*, where deadlocks are not kept: they change no observed place and raise no place that a relevant transition needs;
//! - *agglomeration behind* an unobserved empty place `p`: each transition `f` that takes from it needs one token of `p` and nothing else,
//!   and changes no observed place. `f` follows at once each `h` that puts a token there;
//! - *agglomeration before* an unobserved empty place `p`: each transition `h` that puts one token there puts none elsewhere, and only such
//!   transitions take from its places, all of them unobserved. `h` waits for a transition that takes the token.
//!
//! # Soundness
//!
//! More tokens disable nothing. Left-out transitions lower places or raise unneeded ones: a run without them has at least the tokens that its
//! transitions need, and the same in observed places. Behind: `f` needs nothing but the token of its `h`, and puts tokens only, so it can
//! come earlier, and one `f` can be added for each token that is left, in unobserved places. In a deadlock none is left. Before: tokens
//! that an `h` takes are taken by such transitions only, so they are there later too; an `h` whose token is never taken is left out. For
//! deadlocks nothing but these transitions needs the places of `h`: then the marking in which some `h` waits has the same enabled
//! transitions, but for those `h`, which end. Where both deadlocks and places are kept, a rule is applied only where it keeps either.
//! The first five rules leave each marking its steps, so that they keep formulas of branching and of linear time; no others are applied for these.
//!
//! # Source
//!
//! Berthelot (1987) for agglomerations, in the form of Thierry-Mieg (2020) for conditions.

mod step;

use std::collections::BTreeMap;

use explore::reductions::StructuralRules;
use frontend::pnml::{Net, Place, Transition};
use rustc_hash::FxHashMap;

use self::step::{Step, at};
use super::conditions::Condition;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub struct Wrong {
        /// Agglomerations and left-out transitions change observed places.
        observed_forgotten,
        /// Agglomerated places may have tokens at first.
        tokens_forgotten,
        /// Places of agglomerated transitions are shared with others.
        conflicts_forgotten,
        /// Implied places may have fewer tokens than the place that implies them.
        fewer_tokens,
        /// Transitions are agglomerated where the steps of markings are kept.
        steps_forgotten,
    }
}

/// The most rounds.
const ROUNDS: usize = 400;
/// How many transitions an agglomeration may make more than it replaces.
const GROWTH: usize = 2;
/// What a smaller net has to keep.
#[derive(Clone, Copy, Default, Debug)]
pub struct Keeps<'c> {
    /// Whether a deadlock is reachable.
    pub deadlock: bool,
    /// For each condition whether it holds in a reachable marking.
    pub conditions: &'c [Condition],
    /// The tokens of these places together: which combinations of their numbers are reachable.
    pub places: &'c [usize],
    /// For each marking also those after its steps, as far as the conditions and places tell markings apart (a bisimulation).
    pub steps: bool,
}

impl<'c> Keeps<'c> {
    /// Whether a deadlock is reachable, and no more.
    pub fn deadlock() -> Keeps<'c> {
        Keeps { deadlock: true, ..Keeps::default() }
    }

    /// For each condition whether it holds in a reachable marking, and no more.
    pub fn conditions(conditions: &'c [Condition]) -> Keeps<'c> {
        Keeps { conditions, ..Keeps::default() }
    }

    /// The truth of all formulas over these conditions.
    pub fn steps(conditions: &'c [Condition]) -> Keeps<'c> {
        Keeps { conditions, steps: true, ..Keeps::default() }
    }
}

/// A smaller net.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The net.
    pub net: Net,
    /// The bounds on its places.
    pub bounds: Vec<Option<i32>>,
    /// The transitions of the net that each of its transitions stands for, in order.
    pub steps: Vec<Vec<usize>>,
    /// The number in it of each place of the net that is left.
    pub place_of: Vec<Option<usize>>,
    /// The rules.
    pub applied: StructuralRules,
}

impl Reduced {
    /// A condition over observed places, on the smaller net.
    ///
    /// # Panics
    /// If it reads a place that is not left.
    pub fn condition(&self, condition: &Condition) -> Condition {
        let list = |list: &[Condition]| list.iter().map(|part| self.condition(part)).collect();
        match condition {
            Condition::Constant(value) => Condition::Constant(*value),
            Condition::AtMost(weights, most) => {
                let moved =
                    |&(place, weight): &(usize, i64)| (self.place_of[place].expect("an observed place"), weight);
                Condition::AtMost(weights.iter().map(moved).collect(), *most)
            }
            Condition::All(parts) => Condition::All(list(parts)),
            Condition::Any(parts) => Condition::Any(list(parts)),
        }
    }

    /// The run of the net that a run of the smaller net stands for.
    pub fn run(&self, run: &[usize]) -> Vec<usize> {
        run.iter().flat_map(|&step| self.steps[step].iter().copied()).collect()
    }
}

struct Reduction {
    initial: Vec<i32>,
    is_left: Vec<bool>,
    observed: Vec<bool>,
    for_deadlock: bool,
    steps: Vec<Step>,
    applied: StructuralRules,
    wrong: Wrong,
}

/// The arcs by places.
struct Arcs {
    needed: Vec<Vec<usize>>,
    raising: Vec<Vec<usize>>,
    lowering: Vec<Vec<usize>>,
}

impl Reduction {
    fn arcs(&self) -> Arcs {
        let none = || vec![Vec::new(); self.initial.len()];
        let mut arcs = Arcs { needed: none(), raising: none(), lowering: none() };
        for (number, step) in self.steps.iter().enumerate() {
            limits::work((step.inputs.len() + step.changes.len()) as u64);
            step.inputs.iter().for_each(|&(place, _)| arcs.needed[place].push(number));
            for &(place, change) in &step.changes {
                let list = if change > 0 { &mut arcs.raising } else { &mut arcs.lowering };
                list[place].push(number);
            }
        }
        arcs
    }

    /// Removes an unobserved place, with its arcs.
    fn forget(&mut self, gone: &[bool]) {
        assert!(gone.iter().zip(&self.observed).all(|both| both != (&true, &true)), "observed places stay");
        for step in &mut self.steps {
            limits::work((step.inputs.len() + step.changes.len()) as u64);
            step.inputs.retain(|&(place, _)| !gone[place]);
            step.changes.retain(|&(place, _)| !gone[place]);
        }
        for (is_left, gone) in self.is_left.iter_mut().zip(gone) {
            *is_left &= !gone;
        }
    }

    fn keep(&mut self, kept: impl Fn(&Step) -> bool) -> usize {
        let before = self.steps.len();
        self.steps.retain(kept);
        before - self.steps.len()
    }

    fn dead(&mut self, bounds: &[Option<i32>]) -> bool {
        let fits = |&(place, number): &(usize, i32)| bounds[place].is_none_or(|bound| number <= bound);
        let left_out = self.keep(|step| step.inputs.iter().all(fits));
        self.applied.dead += left_out;
        left_out > 0
    }

    fn constant_and_sinks(&mut self) -> bool {
        let arcs = self.arcs();
        let initial = std::mem::take(&mut self.initial);
        let is_constant: Vec<bool> =
            arcs.raising.iter().zip(&arcs.lowering).map(|(up, down)| up.is_empty() && down.is_empty()).collect();
        let lacks =
            |step: &Step| step.inputs.iter().any(|&(place, number)| is_constant[place] && initial[place] < number);
        let left_out = self.keep(|step| !lacks(step));
        for step in &mut self.steps {
            step.inputs.retain(|&(place, _)| !is_constant[place]);
        }
        self.initial = initial;
        let (mut gone, mut constant, mut sinks) = (vec![false; self.initial.len()], 0, 0);
        for place in 0..self.initial.len() {
            let is_free = self.is_left[place] && !self.observed[place];
            if is_free && (is_constant[place] || arcs.needed[place].is_empty()) {
                gone[place] = true;
                if is_constant[place] { constant += 1 } else { sinks += 1 }
            }
        }
        self.forget(&gone);
        self.applied.constant += constant;
        self.applied.sinks += sinks;
        self.applied.dead += left_out;
        left_out + constant + sinks > 0
    }

    fn duplicates(&mut self) -> bool {
        let before = self.steps.len();
        limits::work(before as u64);
        self.steps.sort_by(|a, b| {
            (&a.inputs, &a.changes, a.run.len(), &a.run).cmp(&(&b.inputs, &b.changes, b.run.len(), &b.run))
        });
        self.steps.dedup_by(|a, b| a.inputs == b.inputs && a.changes == b.changes);
        self.applied.duplicates += before - self.steps.len();
        before > self.steps.len()
    }

    fn irrelevant(&mut self) -> bool {
        if self.for_deadlock {
            return false;
        }
        let arcs = self.arcs();
        let mut is_needed = vec![false; self.initial.len()];
        let mut is_relevant = vec![false; self.steps.len()];
        let mut open: Vec<usize> = Vec::new();
        let reads = |step: &Step| step.changes.iter().any(|&(place, _)| self.observed[place]);
        for (number, step) in self.steps.iter().enumerate() {
            limits::work(1 + step.changes.len() as u64);
            if reads(step) {
                is_relevant[number] = true;
                open.push(number);
            }
        }
        while let Some(number) = open.pop() {
            for &(place, _) in &self.steps[number].inputs {
                limits::work(1);
                if std::mem::replace(&mut is_needed[place], true) {
                    continue;
                }
                for &other in &arcs.raising[place] {
                    if !std::mem::replace(&mut is_relevant[other], true) {
                        open.push(other);
                    }
                }
            }
        }
        let mut numbers = is_relevant.into_iter();
        let before = self.steps.len();
        self.steps.retain(|_| numbers.next().unwrap_or(true));
        self.applied.irrelevant += before - self.steps.len();
        before > self.steps.len()
    }

    fn implied(&mut self) -> bool {
        let count = self.initial.len();
        let mut changes: Vec<Vec<(usize, i32)>> = vec![Vec::new(); count];
        let mut needs: Vec<Vec<(usize, i32)>> = vec![Vec::new(); count];
        for (number, step) in self.steps.iter().enumerate() {
            limits::work((step.inputs.len() + step.changes.len()) as u64);
            step.changes.iter().for_each(|&(place, change)| changes[place].push((number, change)));
            step.inputs.iter().for_each(|&(place, needed)| needs[place].push((number, needed)));
        }
        let mut alike: FxHashMap<&[(usize, i32)], Vec<usize>> = FxHashMap::default();
        for place in (0..count).filter(|&place| self.is_left[place]) {
            alike.entry(&changes[place]).or_default().push(place);
        }
        let mut gone = vec![false; count];
        let mut classes: Vec<Vec<usize>> = alike.into_values().filter(|class| class.len() > 1).collect();
        classes.sort_unstable();
        for class in classes {
            for &place in class.iter().filter(|&&place| !self.observed[place]) {
                let implies = |&&other: &&usize| {
                    let apart = i64::from(self.initial[place]) - i64::from(self.initial[other]);
                    limits::work(needs[place].len() as u64);
                    other != place
                        && !gone[other]
                        && (self.wrong.fewer_tokens()
                            || needs[place]
                                .iter()
                                .all(|&(step, number)| i64::from(number) <= i64::from(at(&needs[other], step)) + apart))
                };
                if class.iter().take(16).find(implies).is_some() {
                    gone[place] = true;
                    self.applied.implied += 1;
                }
            }
        }
        let is_any = gone.contains(&true);
        self.forget(&gone);
        is_any
    }

    /// Whether a step changes an observed place.
    fn shows(&self, step: &Step) -> bool {
        !self.wrong.observed_forgotten() && step.changes.iter().any(|&(place, _)| self.observed[place])
    }

    /// Whether the transitions that take from a place follow at once those that put a token there.
    fn is_behind(&self, arcs: &Arcs, place: usize) -> bool {
        arcs.needed[place].iter().all(|&number| {
            let step = &self.steps[number];
            step.inputs == [(place, 1)] && at(&step.changes, place) == -1 && !self.shows(step)
        })
    }

    /// Whether the transitions that put a token into a place can wait for those that take it.
    fn is_before(&self, arcs: &Arcs, place: usize) -> bool {
        let puts = |number: &usize| {
            limits::work(1);
            arcs.raising[place].binary_search(number).is_ok()
        };
        let waits = |&number: &usize| {
            let step = &self.steps[number];
            let others = || step.changes.iter().filter(|(other, _)| *other != place);
            let own = |&(input, needed): &(usize, i32)| {
                at(&step.changes, input) == -needed
                    && !self.observed[input]
                    && (self.wrong.conflicts_forgotten()
                        || arcs.lowering[input].iter().all(puts)
                            && (!self.for_deadlock || arcs.needed[input].iter().all(puts)))
            };
            !step.inputs.is_empty()
                && others().all(|&(_, change)| change < 0)
                && !self.shows(step)
                && step.inputs.iter().all(own)
        };
        arcs.raising[place].iter().all(waits)
            && arcs.needed[place].iter().all(|&number| {
                at(&self.steps[number].inputs, place) == 1 && at(&self.steps[number].changes, place) == -1
            })
    }

    fn agglomerate(&mut self) -> bool {
        let arcs = self.arcs();
        let mut is_touched = vec![false; self.steps.len()];
        let mut is_used = vec![false; self.initial.len()];
        let mut made: Vec<Step> = Vec::new();
        let mut gone = vec![false; self.initial.len()];
        for (place, is_gone) in gone.iter_mut().enumerate() {
            let (before, behind) = (&arcs.raising[place], &arcs.needed[place]);
            limits::work(1 + before.len() as u64 + behind.len() as u64);
            let is_free = self.is_left[place]
                && !self.observed[place]
                && (self.initial[place] == 0 || self.wrong.tokens_forgotten())
                && !before.is_empty()
                && !behind.is_empty()
                && before.len() * behind.len() <= before.len() + behind.len() + GROWTH;
            if !is_free || before.iter().chain(behind).any(|&number| is_touched[number]) {
                continue;
            }
            // The places of transitions that were changed in this round are looked at in the next one.
            let places = |&number: &usize| {
                let step = &self.steps[number];
                step.inputs.iter().chain(&step.changes).any(|&(place, _)| is_used[place])
            };
            if before.iter().chain(behind).any(places) {
                continue;
            }
            let puts_one = |&number: &usize| {
                at(&self.steps[number].changes, place) == 1 && at(&self.steps[number].inputs, place) == 0
            };
            if !before.iter().all(puts_one) || !(self.is_behind(&arcs, place) || self.is_before(&arcs, place)) {
                continue;
            }
            let pairs = before.iter().flat_map(|&first| behind.iter().map(move |&second| (first, second)));
            let joined = pairs.map(|(first, second)| self.steps[first].then(&self.steps[second]));
            let Some(joined) = joined.collect::<Option<Vec<Step>>>() else { continue };
            for &number in before.iter().chain(behind) {
                is_touched[number] = true;
                let step = &self.steps[number];
                step.inputs.iter().chain(&step.changes).for_each(|&(place, _)| is_used[place] = true);
            }
            made.extend(joined);
            *is_gone = true;
            self.applied.agglomerated += 1;
        }
        let is_any = !made.is_empty();
        let mut touched = is_touched.into_iter();
        self.steps.retain(|_| !touched.next().unwrap_or(false));
        self.steps.extend(made);
        if !self.for_deadlock {
            self.steps.retain(|step| !step.changes.is_empty());
        }
        self.forget(&gone);
        is_any
    }
}

/// A smaller net.
pub fn reduce(net: &Net, bounds: &[Option<i32>], keeps: Keeps<'_>) -> Reduced {
    reduce_with(net, bounds, keeps, Wrong::default())
}

/// As [`reduce`], with known faults.
pub(super) fn reduce_with(net: &Net, bounds: &[Option<i32>], keeps: Keeps<'_>, wrong: Wrong) -> Reduced {
    let mut observed = vec![false; net.places.len()];
    let mut read = keeps.places.to_vec();
    keeps.conditions.iter().for_each(|condition| condition.places(&mut read));
    read.into_iter().for_each(|place| observed[place] = true);
    let ascends = |list: &[(usize, i32)]| list.is_sorted_by(|(one, _), (next, _)| one < next);
    assert!(net.transitions.iter().all(|one| ascends(&one.inputs) && ascends(&one.changes)), "arcs ascend by places");
    let live = net.transitions.iter().enumerate();
    let step = |(number, transition): (usize, &Transition)| Step {
        inputs: transition.inputs.clone(),
        changes: transition.changes.clone(),
        run: vec![number],
    };
    let mut reduction = Reduction {
        initial: net.initial(),
        is_left: vec![true; net.places.len()],
        observed,
        // Who keeps steps keeps deadlocks.
        for_deadlock: keeps.deadlock || keeps.steps,
        steps: live.map(step).collect(),
        applied: StructuralRules::default(),
        wrong,
    };
    for _ in 0..ROUNDS {
        let mut is_changed = reduction.dead(bounds);
        is_changed |= reduction.irrelevant();
        is_changed |= reduction.constant_and_sinks();
        is_changed |= reduction.duplicates();
        is_changed |= reduction.implied();
        is_changed |= (!keeps.steps || wrong.steps_forgotten()) && reduction.agglomerate();
        if !is_changed {
            break;
        }
    }
    reduction.finish(net, bounds)
}

impl Reduction {
    /// Whether a transition changes the places that are left as the transitions of the net do that it stands for.
    fn is_run(&self, net: &Net, step: &Step) -> bool {
        let mut changes: BTreeMap<usize, i64> = BTreeMap::new();
        for &(place, change) in step.run.iter().flat_map(|&at| &net.transitions[at].changes) {
            *changes.entry(place).or_default() += i64::from(change);
        }
        let left = changes.into_iter().filter(|&(place, change)| self.is_left[place] && change != 0);
        left.eq(step.changes.iter().map(|&(place, change)| (place, change.into())))
    }

    fn finish(mut self, net: &Net, bounds: &[Option<i32>]) -> Reduced {
        self.dead(bounds);
        assert!(self.observed.iter().zip(&self.is_left).all(|(seen, left)| left | !seen), "observed places are left");
        debug_assert!(
            self.steps.iter().all(|step| self.is_run(net, step)),
            "a transition changes places as its run does"
        );
        let mut small = Net::default();
        let mut place_of = vec![None; net.places.len()];
        let mut kept = Vec::new();
        for (place, is_left) in self.is_left.iter().enumerate() {
            if *is_left {
                place_of[place] = Some(kept.len());
                kept.push(bounds[place]);
                let Place { name, span, .. } = net.places[place].clone();
                small.places.push(Place { name, initial: self.initial[place], span });
            }
        }
        let moved = |list: &[(usize, i32)]| {
            list.iter().map(|&(place, number)| (place_of[place].expect("a place that is left"), number)).collect()
        };
        let mut steps = Vec::with_capacity(self.steps.len());
        for step in self.steps {
            let of = &net.transitions[step.run[0]];
            let labels: Vec<&str> = step.run.iter().map(|&at| net.transitions[at].label.as_str()).collect();
            small.transitions.push(Transition {
                label: if labels.len() <= 4 { labels.join("; ") } else { format!("{}; ..", labels[..4].join("; ")) },
                inputs: moved(&step.inputs),
                changes: moved(&step.changes),
                span: of.span,
            });
            steps.push(step.run);
        }
        Reduced { net: small, bounds: kept, steps, place_of, applied: self.applied }
    }
}
