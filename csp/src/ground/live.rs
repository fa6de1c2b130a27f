//! The live values of each element: its initial values, and those that some instance writes in a state of live values. They are a least
//! fixed point; the graph leaves out all other values. Wide elements have no live values: they are terms.
//!
//! # Soundness
//!
//! The states whose elements all have live values contain the initial ones and are closed under steps: enabledness and writes are
//! approximated from above (a condition counts as possible unless it is known to be never true). A symmetry of the model on these states
//! is a symmetry of all reachable states. This rule replaces that of \[Zha13\] IV-D, which also drops values that are written but satisfy
//! no guard, and which is unsound.
//!
//! Where known symmetries map instances to each other, one of each orbit is examined, and the values that it writes are live with their images.
//!
//! # Complexity
//!
//! In each round, only those instances are examined that read an element with a new value, where possible in the states with a new value
//! alone ([`crate::growth`]). An instance is not examined again once it may be enabled and writes the same values in every state, all of
//! them live. After [`MAX_ROUNDS`] rounds every value is live. Each round consults the limits, by the live values and the instances.
//!
//! # Invariants
//!
//! The states in which instances are examined do not depend on the order of elements, values and instances: a permutation of the model's
//! literals permutes the live values, unless a budget ends an examination.

use std::collections::BTreeSet;
use std::rc::Rc;

use frontend::sequential::{Domain, Initial, Sequential, Stmt, StmtKind, SummandId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::orbits::{Known, Member, Orbits};
use super::{Candidate, Ground, ground};
use crate::condition::{Bounds, Conditions, Datum, Normaliser, Primes};
use crate::growth::{Growth, Piece, Reads, Round, Wrong};
use crate::project::{Literals, is_wide};
use crate::ssa::SsaSummand;

/// The most rounds of the fixed point: several times the values of a narrow element.
const MAX_ROUNDS: usize = 1 << 12;

/// The result of the fixed point.
pub(super) struct Live {
    /// For each element its live values, ascending.
    pub(super) values: Vec<Rc<[i32]>>,
    /// For each candidate whether it may be enabled or fault.
    pub(super) possible: Vec<bool>,
}

/// The facts about a candidate from its examinations so far.
#[derive(Clone, Default)]
struct Examined {
    reads: Reads,
    /// Whether it may be enabled or fault.
    is_possible: bool,
}

/// The live values.
pub(super) fn live(
    model: &Sequential,
    forms: &[SsaSummand],
    candidates: &[Candidate],
    orbits: &Orbits<'_>,
    opaque: &mut BTreeSet<SummandId>,
) -> Live {
    fixed_point(model, forms, candidates, orbits, opaque, Wrong::default())
}

/// As [`live`], and in known-wrong ways.
fn fixed_point(
    model: &Sequential,
    forms: &[SsaSummand],
    candidates: &[Candidate],
    orbits: &Orbits<'_>,
    opaque: &mut BTreeSet<SummandId>,
    wrong: Wrong,
) -> Live {
    let bounds = Bounds::of(model);
    let (mut live, firsts) = (initial(model, orbits.known), orbits.firsts());
    opaque.iter().for_each(|&summand| live.add_anything(model, summand));
    let mut examined = vec![Examined::default(); candidates.len()];
    let mut spent = 0;
    let is_plain: Vec<bool> = model.summands.iter().map(|summand| writes_plainly(&summand.body)).collect();
    let mut round = Round::default();
    for _ in 0..MAX_ROUNDS {
        round = live.values.round(&round);
        limits::work((candidates.len() + round.elements()) as u64);
        let lists = live.values.at_round();
        let domains: Rc<[Rc<[i32]>]> = lists.clone().into();
        // One store for the instances that are examined in the same states.
        let mut stores: FxHashMap<Piece, Normaliser<'_>> = FxHashMap::default();
        let mut is_over = true;
        for &place in &firsts {
            let (candidate, own) = (&candidates[place], &mut examined[place]);
            let pieces = own.reads.pieces(&round, wrong);
            if pieces.is_empty() {
                continue;
            }
            is_over = false;
            let (mut read, mut is_done): (FxHashSet<usize>, bool) = Default::default();
            for piece in pieces {
                if opaque.contains(&candidate.summand) {
                    (own.is_possible, is_done) = (true, true);
                    break;
                }
                let normaliser = stores.entry(piece).or_insert_with_key(|piece| {
                    let store = Conditions::new(Rc::clone(&domains)).over(&bounds);
                    let store = match piece {
                        Piece::All => store,
                        Piece::With(element, places) => {
                            store.narrowed(*element, live.values.range(*element, places.clone()))
                        }
                    };
                    Normaliser::new(store, &lists, Primes::off())
                });
                let mark = normaliser.store().mark_after(spent);
                let ground = ground(model, &forms[candidate.summand.index()], candidate, normaliser.store());
                let is_enabled = normaliser.is_possible(ground.enabled);
                own.is_possible |= is_enabled || normaliser.is_possible(ground.fault);
                live.add_written(normaliser, &ground);
                read.extend(&ground.read);
                is_done |= is_enabled && is_plain[candidate.summand.index()] && live.has_written(&ground);
                if normaliser.store().exhausted() {
                    normaliser.rewind(mark);
                    opaque.insert(candidate.summand);
                    live.add_anything(model, candidate.summand);
                }
                spent = normaliser.store().spent();
            }
            own.reads.examined(read, &round);
            if is_done {
                own.reads = Reads::done();
            }
        }
        if is_over {
            let fits = |(list, &wide): (&Rc<[i32]>, &bool)| list.is_empty() == wide;
            assert!(lists.iter().zip(&live.wide).all(fits), "narrow elements have values");
            let mut possible: Vec<bool> = examined.iter().map(|own| own.is_possible).collect();
            for &Member { place, image_of } in &orbits.members {
                if let Some((from, _)) = image_of {
                    possible[place] = possible[from];
                }
            }
            return Live { values: lists, possible };
        }
    }
    let all = model.element_sorts().iter().map(|&sort| narrow(model.domain(sort)).collect()).collect();
    Live { values: all, possible: vec![true; candidates.len()] }
}

/// The live values so far; wide elements have none.
struct Growing {
    values: Growth,
    wide: Vec<bool>,
    /// The images of literals that known symmetries move.
    images: FxHashMap<(usize, i32), Vec<(usize, i32)>>,
}

impl Growing {
    /// Makes a value live with its images, unless the element is wide.
    fn add(&mut self, element: usize, value: i32) {
        let mut list = vec![(element, value)];
        while let Some((element, value)) = list.pop() {
            if !self.wide[element] && !self.values.contains(element, value) {
                self.values.insert(element, value);
                list.extend(self.images.get(&(element, value)).into_iter().flatten());
            }
        }
    }

    /// Makes the values live that an instance may write in states whose values the store knows.
    fn add_written(&mut self, normaliser: &mut Normaliser<'_>, ground: &Ground) {
        for (element, value) in &ground.written {
            for &(result, when) in &value.cases {
                let Datum::Value(result) = result else { continue };
                if self.wide[*element] || self.values.contains(*element, result) {
                    continue;
                }
                let written = normaliser.store().both(ground.enabled, when);
                if normaliser.is_possible(written) {
                    self.add(*element, result);
                }
            }
        }
    }

    /// Whether all values are live that an instance may write.
    fn has_written(&self, ground: &Ground) -> bool {
        let is_live = |element: usize, result: Datum| match result {
            Datum::Value(result) => self.wide[element] || self.values.contains(element, result),
            Datum::Term(_) => true,
        };
        ground.written.iter().all(|(element, value)| value.cases.iter().all(|&(result, _)| is_live(*element, result)))
    }

    /// Makes all values live that a summand may write.
    fn add_anything(&mut self, model: &Sequential, summand: SummandId) {
        let sorts = model.element_sorts();
        for element in model.elements_of(&model.summand(summand).assigned()) {
            narrow(model.domain(sorts[element])).for_each(|value| self.add(element, value));
        }
    }
}

/// Whether a body is a list of assignments that do not read the state: then its writes and their places depend on the parameters only.
fn writes_plainly(body: &[Stmt]) -> bool {
    let mut read = BTreeSet::new();
    body.iter().all(|stmt| match &stmt.kind {
        StmtKind::Assign(..) => {
            stmt.expressions().into_iter().for_each(|expr| expr.add_variables(&mut read));
            read.is_empty()
        }
        _ => false,
    })
}

/// The values of a sort that are distinguished: none of a wide one.
fn narrow(domain: &Domain) -> impl Iterator<Item = i32> {
    let values = (!is_wide(domain)).then(|| domain.values());
    values.into_iter().flatten()
}

/// The initial values of each element.
fn initial(model: &Sequential, known: &[Known<'_>]) -> Growing {
    let literals = Literals::new(model);
    let mut images: FxHashMap<(usize, i32), Vec<(usize, i32)>> = FxHashMap::default();
    for (literal, image) in known.iter().flat_map(|known| known.moved(&literals)) {
        images.entry(literal).or_default().push(image);
    }
    let wide: Vec<bool> = model.element_sorts().iter().map(|&sort| is_wide(model.domain(sort))).collect();
    let mut live = Growing { values: Growth::new(wide.len()), wide, images };
    for variable in &model.variables {
        let elements = variable.offset..variable.offset + model.len_of(variable);
        match &variable.initial {
            Initial::Values(list) => elements.zip(list).for_each(|(element, &value)| live.add(element, value)),
            Initial::Any => {
                let domain = model.domain(variable.sort);
                elements.for_each(|element| narrow(domain).for_each(|value| live.add(element, value)));
            }
        }
    }
    for start in &model.starts {
        start.iter().enumerate().for_each(|(element, &value)| live.add(element, value));
    }
    live
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forms;
    use crate::ground::candidates;
    use crate::tests::{model, random_texts};

    /// Counters, whose values come one by one, with instances that compare, add and copy them.
    const COUNTERS: [&str; 5] = [
        "[x < 30] up { x := x + 1; } -> X + [true] compare { y := bitand(x >= x, 1); } -> X",
        "[x < 40] up { x := x + 1; } -> X + [y < x] add { y := y + 1; } -> X + [x * y = 35] both { z := x - y; } -> X",
        "[x < 24] up { x := x + 3; } -> X + [x + y < 30] total { z := x + y; } -> X + [z > 15] copy { y := z - 15; } -> X",
        "[x < 30 && y != 7] up { x := x + 1; } -> X + [x = 29] once { y := 7; } -> X + [x > y && z < 9] z { z := z + 1; } -> X",
        "[x < 30] x { x := x + 1; } -> X + [y < 30] y { y := y + 1; } -> X + [x = 3 && y = 20] z { z := 9; } -> X",
    ];

    /// The states with new values suffice: the twin examines each instance that reads a new value in all states. Those with new values of one of
    /// the elements do not suffice.
    #[test]
    fn states_with_new_values_suffice() {
        let mut noticed = 0;
        let counters = COUNTERS.map(|summands| {
            let init = "init X(x = 0, y = 0, z = 0)";
            format!("type byte : 0..255; proc X(x : byte, y : byte, z : byte) = {summands}; {init};")
        });
        for text in random_texts(100).chain(counters) {
            let model = model(&text, &[]);
            let forms = forms(&model);
            let (candidates, opaque) = candidates(&model);
            let by = |wrong: Wrong| {
                let mut opaque = opaque.clone();
                let orbits = Orbits::new(&candidates, &[]);
                let live = fixed_point(&model, &forms, &candidates, &orbits, &mut opaque, wrong);
                (live.values, live.possible, opaque)
            };
            let expected = by(Wrong { examines_all: true, ..Wrong::default() });
            assert_eq!(by(Wrong::default()), expected, "{text}");
            noticed += usize::from(by(Wrong { covers_one_element: true, ..Wrong::default() }) != expected);
        }
        assert!(noticed > 0, "no process needs the new values of two elements");
    }

    /// An instance that only faults at first may write later.
    #[test]
    fn an_instance_that_may_only_fault_is_examined_again() {
        let text = "type B : 0..1; type Z : 0..5; proc P(x : B, y : B, z : Z) = [x = 0] up { x := 1; } -> P
            + [1 / x = 1] go { z := 5; } -> P + [z = 5] last { y := 1; } -> P; init P(x = 0, y = 0, z = 0);";
        let model = model(text, &[]);
        let (candidates, mut opaque) = candidates(&model);
        let orbits = Orbits::new(&candidates, &[]);
        let live = live(&model, &forms(&model), &candidates, &orbits, &mut opaque);
        assert_eq!(
            live.values.iter().map(|values| values.to_vec()).collect::<Vec<_>>(),
            [vec![0, 1], vec![0, 1], vec![0, 5]]
        );
    }
}
