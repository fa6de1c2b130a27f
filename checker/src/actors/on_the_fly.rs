//! The heuristic of \[Jag10\] 5.1.1 for the representative of a state: sort the rebecs, then build an automorphism target by target.
//!
//! Rebecs are sorted by their local states (`rank`). For each target that has no preimage yet, the rebecs are tried
//! in that order until the procedure of Fig. 6 or 7 can take one to the target; it extends the choice to known
//! rebecs. A rotation that is free takes the member that is earliest in the order to the first place.
//!
//! Deviations: no two rebecs get one image, which Fig. 6 does not require; in the place of an automorphism stands the element of the
//! validated group that acts as it does, which also maps the values of variables that never change, and the identity where there is none. Rebecs in equal local states are not distinguished, so an orbit may have several
//! representatives.
//!
//! The automorphism depends on the sorted order only, and is stored by it.
//!
//! Source: \[Jag10\] 5.1, Figures 6 and 7.

use frontend::interpret::Rebec;
use frontend::model::{Dimension, Model, RebecId, ScalarSetId};
use rustc_hash::FxHashMap;
use symmetry::{ModelPermutation, ValidatedGroup};

use super::rank::{Rank, Ranks};

/// The heuristic for one model.
#[derive(Clone, Debug)]
pub(super) struct OnTheFly {
    group: ValidatedGroup,
    /// Whether known rebecs are grouped.
    rotates: bool,
    rank: Ranks,
    /// By slot and local state.
    ranks: Vec<Vec<Option<Rank>>>,
    /// By order of the rebecs: the index of the permutation.
    known: FxHashMap<Vec<u32>, usize>,
    permutations: Vec<ModelPermutation>,
}

/// An image that a rebec gets.
#[derive(Clone, Copy)]
struct Assignment {
    rebec: RebecId,
    image: RebecId,
}

/// A permutation while it is built.
#[derive(Clone)]
struct Partial {
    images: Vec<Option<RebecId>>,
    is_taken: Vec<bool>,
    rotations: Vec<Vec<u32>>,
}

impl OnTheFly {
    /// The heuristic with the symmetries of a group.
    pub(super) fn new(model: &Model, group: &ValidatedGroup) -> OnTheFly {
        let rotates = group.generators().iter().any(ModelPermutation::rotates);
        OnTheFly {
            group: group.clone(),
            rotates,
            rank: Ranks::new(model),
            ranks: Vec::new(),
            known: FxHashMap::default(),
            permutations: Vec::new(),
        }
    }

    /// The index of the permutation that takes a state to its representative.
    pub(super) fn choose(
        &mut self,
        model: &Model,
        state: &[u32],
        decode: &dyn Fn(usize, u32) -> Option<Rebec>,
    ) -> usize {
        let slots = model.instances.len().min(state.len());
        self.ranks.resize_with(slots, Vec::new);
        for (slot, &local) in state.iter().enumerate().take(slots) {
            let ranks = &mut self.ranks[slot];
            if ranks.len() <= local as usize {
                ranks.resize(local as usize + 1, None);
            }
            let place = &mut ranks[local as usize];
            if place.is_none() {
                let rebec = decode(slot, local).expect("rebecs of `main` are there");
                *place = Some(self.rank.of(model, RebecId::from_index(slot), &rebec));
            }
        }
        let mut order: Vec<u32> = (0..u32::try_from(slots).expect("identities have 32 bits")).collect();
        let ranks = &self.ranks;
        let of = |slot: u32| ranks[slot as usize][state[slot as usize] as usize].as_ref();
        order.sort_by(|&a, &b| of(a).cmp(&of(b)));
        if let Some(&known) = self.known.get(&order) {
            return known;
        }
        let found = self.build(model, &order);
        let index = self.permutations.iter().position(|known| *known == found).unwrap_or_else(|| {
            self.permutations.push(found);
            self.permutations.len() - 1
        });
        self.known.insert(order, index);
        index
    }

    /// A permutation by its index.
    pub(super) fn permutation(&self, index: usize) -> &ModelPermutation {
        &self.permutations[index]
    }

    /// The permutation for an order of the rebecs; the identity where there is none.
    fn build(&self, model: &Model, order: &[u32]) -> ModelPermutation {
        let count = order.len();
        let mut partial = Partial {
            images: vec![None; count],
            is_taken: vec![false; count],
            rotations: vec![vec![0; model.scalar_sets.len()]; count],
        };
        for target in 0..count {
            if partial.is_taken[target] {
                continue;
            }
            for &rebec in order {
                if partial.images[rebec as usize].is_some() {
                    continue;
                }
                let mut attempt = partial.clone();
                if self.check(
                    model,
                    order,
                    Assignment { rebec: RebecId(rebec), image: RebecId::from_index(target) },
                    &mut attempt,
                ) {
                    partial = attempt;
                    break;
                }
            }
        }
        let images: Option<Vec<RebecId>> = partial.images.into_iter().collect();
        let built = images.and_then(|images| ModelPermutation::new(model, images, partial.rotations).ok());
        built.and_then(|built| self.group.element(model, &built)).unwrap_or_else(|| ModelPermutation::identity(model))
    }

    /// `check` of Fig. 6 and 7: takes a rebec to a target, with all assignments that follow from it.
    fn check(&self, model: &Model, order: &[u32], first: Assignment, partial: &mut Partial) -> bool {
        if !partial.assign(model, first.rebec, first.image) {
            return false;
        }
        let mut pending = vec![first];
        let mut next = 0;
        while next < pending.len() {
            let Assignment { rebec: from, image: to } = pending[next];
            next += 1;
            let (here, there) = (&model.instances[from.index()].known, &model.instances[to.index()].known);
            let mut start = 0;
            let mut fixed: Vec<ScalarSetId> = Vec::new();
            for variable in model.class(model.class_of(from)).known() {
                let members = start..start + variable.len();
                start = members.end;
                let (here, there) = (&here[members.clone()], &there[members]);
                let mut shift = 0;
                if let (true, [Dimension::Scalar(set)]) = (self.rotates, &variable.dimensions[..]) {
                    if !fixed.contains(set) {
                        let Some(amount) = rotation(order, here, there, partial) else { return false };
                        partial.rotations[from.index()][set.index()] = u32::try_from(amount).expect("sets are bounded");
                        fixed.push(*set);
                    }
                    shift = partial.rotations[from.index()][set.index()] as usize;
                }
                for (at, &member) in here.iter().enumerate() {
                    match (member, there[(at + shift) % there.len()]) {
                        (None, None) => {}
                        (Some(member), Some(image)) => match partial.images[member.index()].as_ref().copied() {
                            Some(known) if known == image => {}
                            Some(_) => return false,
                            None if partial.assign(model, member, image) => {
                                pending.push(Assignment { rebec: member, image });
                            }
                            None => return false,
                        },
                        _ => return false,
                    }
                }
            }
        }
        true
    }
}

impl Partial {
    /// Gives a rebec a free image.
    fn assign(&mut self, model: &Model, rebec: RebecId, image: RebecId) -> bool {
        let fits = model.class_of(rebec) == model.class_of(image) && !self.is_taken[image.index()];
        if fits {
            self.images[rebec.index()] = Some(image);
            self.is_taken[image.index()] = true;
        }
        fits
    }
}

/// The rotation of a list that fits the images known so far; a free one takes the earliest member to the first place.
fn rotation(order: &[u32], here: &[Option<RebecId>], there: &[Option<RebecId>], partial: &Partial) -> Option<usize> {
    let len = here.len();
    for (at, member) in here.iter().enumerate() {
        let Some(image) = member.and_then(|member| partial.images[member.index()]) else { continue };
        let place = there.iter().position(|&other| other == Some(image))?;
        return Some((place + len - at) % len);
    }
    let place = |rebec: u32| here.iter().position(|member| *member == Some(RebecId(rebec)));
    let earliest = order.iter().find_map(|&rebec| place(rebec)).unwrap_or(0);
    Some((len - earliest) % len)
}

#[cfg(test)]
mod tests {
    use frontend::diagnostics::Diagnostics;
    use frontend::interpret::{Bounds, starts};
    use frontend::lower::{LowerOptions, lower};
    use frontend::model::{PropertySet, Value};
    use frontend::syntax::parse_model;
    use symmetry::Strategy::Constraint;

    use super::*;

    /// Rebecs with variables that never change are exchanged without these: the image of a start is one.
    #[test]
    fn variables_that_never_change_stay() {
        let mut diagnostics = Diagnostics::new();
        let text = "reactiveclass A(3) { knownrebecs { A other; } statevars { int v; boolean f; }
               A(int x) { v = x; other.go(); } msgsrv go() { other.go(); } msgsrv see() { f = v == 2; } }
             main { A a0(a1):(2); A a1(a0):(0); }";
        let program = parse_model(text, &mut diagnostics);
        let model = lower(&program, &LowerOptions::default(), &mut diagnostics).expect("a model");
        let group = ValidatedGroup::new(&model, &PropertySet::default(), Constraint.candidates(&model));
        let start = starts(&model, &Bounds::default()).next().expect("a start").result.expect("no fault");
        let exchange = OnTheFly::new(&model, &group).build(&model, &[1, 0]);
        assert!(exchange.moves_rebecs());
        let held = |rebec: &Option<Rebec>| rebec.as_ref().map(|rebec| rebec.values[1]);
        let held_by_image =
            |one: &ModelPermutation| one.apply(&model, &start).rebecs.iter().map(held).collect::<Vec<_>>();
        assert_eq!(held_by_image(&exchange), [2, 0].map(|value| Some(Value::Int(value))));
        // The exchange of rebecs acts on the points as the element does, and is none.
        let bare = ModelPermutation::of_rebecs(&model, vec![RebecId(1), RebecId(0)]).expect("rebecs of one class");
        assert!(group.contains(&bare));
        assert_eq!(held_by_image(&bare), [0, 2].map(|value| Some(Value::Int(value))));
    }
}
