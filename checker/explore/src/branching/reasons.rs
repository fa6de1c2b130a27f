//! Runs that show why a formula of CTL is true or false in a state, as numbers of stored states.
//!
//! What exists can be shown: a true formula `E..` and a false formula `A..` have a run ([`Reason`]). The operands of the formula on the states of that run
//! have reasons of their own, so that the whole is a tree of runs. That all runs do something, or none, is shown by no run, and has no reason here.
//!
//! Runs are shortest paths to a goal. A run that stays in a set for ever ends in a cycle, or in a state in which runs end.
//!
//! Soundness: reasons explain an answer, which does not rest on them. `tree` replays them, and judges their conditions by the reference semantics.
//!
//! Complexity: a breadth-first search of the graph for each run; at most [`MOST`] runs, which visit no more than some [`MOST_VISITS`] times all states.
//!
//! Source: Clarke, Jha, Lu, Veith 2002 (tree-like counterexamples).

use bitvec::vec::BitVec;
use ltl::{Formula, Paths};
use std::ops::Range;

use super::evaluate::{Relation, Truth, Truths, Wrong};

/// The most runs of one tree.
const MOST: usize = 64;

/// So many times all states may be visited for a tree before a run of it is looked for.
const MOST_VISITS: usize = 8;

/// The states that may be visited in addition, however small the graph is.
const FREE_VISITS: usize = 100_000;

/// A run from a state that shows the value of a part of a formula there.
pub(super) struct Reason {
    /// The part, as the places of operands from the whole formula inwards.
    pub(super) part: Vec<usize>,
    /// Whether the part is true.
    pub(super) holds: bool,
    /// The states behind the first.
    pub(super) path: Vec<u32>,
    /// The index of the state, counted from the first, to which the last goes back; the last itself where it repeats for ever.
    pub(super) back: Option<usize>,
    /// The conditions that the run shows without further runs.
    pub(super) conditions: Vec<Shown>,
    /// What shows the other operands, next to the index of the state.
    pub(super) inner: Vec<(usize, Reason)>,
}

impl Reason {
    /// Whether the run has no step and nothing branches off it.
    pub(super) fn is_shown_by_its_state(&self) -> bool {
        self.path.is_empty() && self.back.is_none() && self.inner.is_empty()
    }
}

/// The value of a condition in states of a run, those behind it in a cycle included.
pub(super) struct Shown {
    /// The indices of the states.
    pub(super) states: Range<usize>,
    /// The condition, as a part of the formula.
    pub(super) part: Vec<usize>,
    /// Its value.
    pub(super) holds: bool,
}

impl Shown {
    /// The same of a run with so many states before.
    pub(super) fn behind(&self, before: usize) -> Shown {
        let states = before + self.states.start..before + self.states.end;
        Shown { states, part: self.part.clone(), holds: self.holds }
    }
}

/// The reasons of a formula over the graph in which its truth was computed.
pub(super) struct Reasons<'r, R> {
    relation: &'r mut R,
    /// The runs that may still be looked for.
    left: usize,
    visits: usize,
    is_cut: bool,
    wrong: Wrong,
}

impl<'r, R: Relation> Reasons<'r, R> {
    pub(super) fn new(relation: &'r mut R, wrong: Wrong) -> Self {
        Reasons { relation, left: MOST, visits: 0, is_cut: false, wrong }
    }

    /// Whether reasons were left out since there are too many.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// What shows the value of a formula in a state.
    pub(super) fn of<A>(&mut self, formula: &Formula<A>, truths: &Truths, state: u32) -> Vec<Reason> {
        self.of_part(&Part { formula, truths, place: Vec::new() }, state)
    }

    fn of_part<A>(&mut self, part: &Part<'_, A>, state: u32) -> Vec<Reason> {
        if !part.formula.is_branching() {
            return Vec::new();
        }
        match part.formula {
            Formula::Quantified(paths, _) if (*paths == Paths::Some) == part.is_true(state) => {
                self.run(part, state).into_iter().collect()
            }
            Formula::Quantified(..) => Vec::new(),
            formula => {
                let decides = |at: usize, one: &Part<'_, A>| match formula {
                    Formula::And(_) => !one.is_true(state),
                    Formula::Or(_) => one.is_true(state),
                    Formula::Implies(..) => one.is_true(state) == (at == 1),
                    _ => false,
                };
                let operands = part.operands();
                let deciding = || operands.iter().enumerate().filter(|(at, one)| decides(*at, one)).map(|(_, one)| one);
                // A condition says why without a run.
                match deciding().find(|one| !one.formula.is_branching()).or_else(|| deciding().next()) {
                    Some(one) => self.of_part(one, state),
                    None => operands.iter().flat_map(|one| self.of_part(one, state)).collect(),
                }
            }
        }
    }

    /// The run that a formula says exists, or whose absence it denies; `None` where the steps of a state are unknown or runs are left out.
    fn run<A>(&mut self, part: &Part<'_, A>, state: u32) -> Option<Reason> {
        if self.left == 0 || self.visits > MOST_VISITS * self.relation.len() + FREE_VISITS {
            self.is_cut = true;
            return None;
        }
        self.left -= 1;
        let Formula::Quantified(_, inner) = part.formula else { unreachable!("a run shows a quantifier") };
        let operands = part.operands();
        let holds = part.is_true(state);
        let wanted = |at: usize| if holds { operands[at].truths.own.clone() } else { !operands[at].truths.own.clone() };
        let all = || Truth::repeat(true, self.relation.len());
        let mut back = None;
        // The operands with the states of the run, by their indices, in which they have the value of the whole.
        let (path, shown) = match &**inner {
            Formula::Next(_) => {
                let goal = wanted(0);
                let next = self.relation.targets(state).into_iter().find(|&to| goal[to as usize]);
                back = next.is_none().then_some(0);
                let path: Vec<u32> = next.into_iter().collect();
                let end = path.len();
                (path, vec![(end..end + 1, 0)])
            }
            Formula::Until(..) if holds => {
                let path = self.path(state, &wanted(0), &wanted(1))?;
                let end = path.len();
                (path, vec![(0..end, 0), (end..end + 1, 1)])
            }
            Formula::Until(..) => match self.path(state, &wanted(1), &(wanted(0) & wanted(1))) {
                Some(path) => {
                    let end = path.len();
                    (path, vec![(end..end + 1, 0), (0..end + 1, 1)])
                }
                None => {
                    let stays = self.relation.always(wanted(1), self.wrong);
                    let (path, end) = self.cycle(state, &stays)?;
                    back = Some(end);
                    let states = 0..path.len().max(end + 1);
                    (path, vec![(states, 1)])
                }
            },
            // `EG` is true or `AF` is false: some run stays.
            Formula::Globally(_) | Formula::Finally(_) if matches!(**inner, Formula::Globally(_)) == holds => {
                let stays = if holds { part.truths.own.clone() } else { !part.truths.own.clone() };
                let (path, end) = self.cycle(state, &stays)?;
                back = Some(end);
                let states = 0..path.len().max(end + 1);
                (path, vec![(states, 0)])
            }
            _ => {
                let path = self.path(state, &all(), &wanted(0))?;
                let end = path.len();
                (path, vec![(end..end + 1, 0)])
            }
        };
        let states = path.len() + 1;
        assert!(back.is_none_or(|back| back < states), "a run goes back to a state of it");
        assert!(shown.iter().all(|(shown, _)| shown.end <= states), "what a run shows, it shows in its states");
        let mut reason =
            Reason { part: part.place.clone(), holds, path, back, conditions: Vec::new(), inner: Vec::new() };
        for (states, at) in shown {
            let operand = &operands[at];
            if !operand.formula.is_branching() {
                reason.conditions.push(Shown { states, part: operand.place.clone(), holds });
                continue;
            }
            for index in states {
                let state = index.checked_sub(1).map_or(state, |before| reason.path[before]);
                let inner = self.of_part(operand, state);
                reason.inner.extend(inner.into_iter().map(|one| (index, one)));
            }
        }
        Some(reason)
    }

    /// The states behind a state on a shortest path through a set to a goal.
    fn path(&mut self, from: u32, through: &Truth, goal: &Truth) -> Option<Vec<u32>> {
        let mut whole = self.whole_path(&[from], through, goal)?;
        whole.remove(0);
        Some(whole)
    }

    /// The states of a shortest path from one of some states through a set to a goal.
    fn whole_path(&mut self, starts: &[u32], through: &Truth, goal: &Truth) -> Option<Vec<u32>> {
        let mut parents = vec![u32::MAX; self.relation.len()];
        let mut level = starts.to_vec();
        level.iter().for_each(|&start| parents[start as usize] = start);
        while !level.is_empty() {
            if let Some(&found) = level.iter().find(|&&state| goal[state as usize]) {
                let mut path = vec![found];
                let mut at = found;
                while parents[at as usize] != at {
                    at = parents[at as usize];
                    path.push(at);
                }
                path.reverse();
                return Some(path);
            }
            self.visits += level.len();
            let mut next = Vec::new();
            let strays = self.wrong.strays();
            for state in level.into_iter().filter(|&state| strays || through[state as usize]) {
                limits::work(1);
                for to in self.relation.targets(state) {
                    if parents[to as usize] == u32::MAX {
                        parents[to as usize] = state;
                        next.push(to);
                    }
                }
            }
            level = next;
        }
        None
    }

    /// A run from a state that stays in a set, of whose states each has a step into the set or may end: the states behind the first, and the index of
    /// the state to which the last goes back.
    fn cycle(&mut self, from: u32, stays: &Truth) -> Option<(Vec<u32>, usize)> {
        let only = |state: u32, len: usize| {
            let mut set = BitVec::repeat(false, len);
            set.set(state as usize, true);
            set
        };
        let len = self.relation.len();
        let mut seen = only(from, len);
        let mut at = from;
        while !self.relation.may_end(at) {
            limits::work(1);
            at = self.relation.targets(at).into_iter().find(|&to| stays[to as usize])?;
            if seen.replace(at as usize, true) {
                break;
            }
        }
        let goal = only(at, len);
        let mut path = self.path(from, stays, &goal)?;
        let back = path.len();
        if !self.relation.may_end(at) {
            let next: Vec<u32> = self.relation.targets(at).into_iter().filter(|&to| stays[to as usize]).collect();
            path.extend(self.whole_path(&next, stays, &goal)?);
        }
        Some((path, back))
    }
}

/// A part of a formula with its truth.
struct Part<'p, A> {
    formula: &'p Formula<A>,
    truths: &'p Truths,
    place: Vec<usize>,
}

impl<'p, A> Part<'p, A> {
    fn is_true(&self, state: u32) -> bool {
        self.truths.own[state as usize]
    }

    /// The operands, those of the path behind a quantifier.
    fn operands(&self) -> Vec<Part<'p, A>> {
        let (formulas, before) = match self.formula {
            Formula::Quantified(_, path) => (path.operands(), Some(0)),
            formula => (formula.operands(), None),
        };
        let of = |(at, (formula, truths)): (usize, (&'p Formula<A>, &'p Truths))| {
            let place = self.place.iter().copied().chain(before).chain([at]).collect();
            Part { formula, truths, place }
        };
        formulas.into_iter().zip(&self.truths.operands).enumerate().map(of).collect()
    }
}
