//! The check that a permutation, with its claimed action on parameters, maps forms to forms.
//!
//! 1. Summands that may run or fault are permuted, each to one of the same event.
//! 2. The parameters of a summand are mapped to those of its image, one to one, and so are all their values: a bijection of the instances
//!    of the one to those of the other.
//! 3. Named values are mapped in the order in which they were named: the image of a definition has to be a definition, either unchanged
//!    or with its values moved like those of an element from which it is read or of a parameter.
//! 4. With these maps, the conjuncts of the guard of an instance are mapped to those of its image, as a set. So are faults, and each
//!    output is mapped, with its values moved, to the output of the image of its element.
//! 5. Arguments of events are mapped to those of the image, with one map of arguments and of their values per event, whatever the
//!    summand. Values of a parameter that is the process of weak fairness move with the process, whatever the summand.
//!
//! # Soundness
//!
//! Equal ids are equal functions. So by 3 and 4 the guard, the faults and the changes of the state of the image of an instance are the
//! images of those of the instance. By 1 and 2 this map of instances is one to one, so that transitions keep their multiplicity. The
//! claimed action on parameters is checked and never relied on. A difference between two forms proves nothing: the candidate is not
//! decided.
//!
//! # Complexity
//!
//! The sizes of all functions, per candidate.

use std::rc::Rc;

use csp::{BoundValue, Move};
use frontend::sequential::{Sequential, SummandId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::diagram::{Dd, Diagrams, Leaf, Renaming};
use super::super::pairing::Pairing;
use super::super::rejection::Rejection;
use super::definitions::Definition;
use super::{Definitions, Form};

/// Known-wrong variants of the check: tests show that they accept wrong candidates.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(in super::super) enum WrongCheck {
    #[default]
    None,
    /// Maps of parameters need not be one to one, nor be defined on the whole sort.
    #[cfg(test)]
    AnyMap,
    /// Outputs are not compared.
    #[cfg(test)]
    Outputs,
    /// Arguments of events are not compared.
    #[cfg(test)]
    Arguments,
}

impl WrongCheck {
    /// The parts that need not be kept.
    fn excuse(self) -> &'static str {
        match self {
            WrongCheck::None => "",
            #[cfg(test)]
            WrongCheck::AnyMap => "parameters",
            #[cfg(test)]
            WrongCheck::Outputs => "updates",
            #[cfg(test)]
            WrongCheck::Arguments => "arguments",
        }
    }

    fn allows(self, what: &str) -> bool {
        self.excuse() == what
    }
}

/// The forms of a process, with the store of their functions.
pub(in super::super) struct Forms<'a> {
    pub(in super::super) model: &'a Sequential,
    pub(in super::super) diagrams: &'a mut Diagrams,
    pub(in super::super) definitions: &'a Definitions,
    pub(in super::super) list: &'a [Form],
    pub(in super::super) wrong_check: WrongCheck,
}

/// The action of a candidate on parameters, once it is known to be one to one.
struct Followed {
    renaming: Renaming,
    /// Named values whose image is not known.
    lost: FxHashSet<usize>,
    memo: FxHashMap<Dd, Dd>,
}

impl Forms<'_> {
    /// Checks a permutation of literals with its claimed moves; adds its action on arguments and processes to `pairing`.
    pub(in super::super) fn check(
        mut self,
        renaming: &Renaming,
        moved: &Move,
        pairing: &mut Pairing,
    ) -> Result<(), Rejection> {
        let result = self.check_all(renaming, moved, pairing);
        if self.diagrams.exhausted() {
            return Err(Rejection::NotDecided("the images of summands with many instances are too large".into()));
        }
        result
    }

    fn check_all(&mut self, renaming: &Renaming, moved: &Move, pairing: &mut Pairing) -> Result<(), Rejection> {
        let targets = self.targets(moved)?;
        let mut followed = self.follow(renaming, moved, &targets)?;
        for (from, to) in targets {
            self.compare(from, to, &mut followed)?;
            self.labels(from, to, moved, &mut followed, pairing)?;
        }
        Ok(())
    }

    fn refused(&self, form: usize, what: &str) -> Rejection {
        let event = &self.model.summand(self.list[form].summand).event;
        let place = self.list[form].summand.0;
        Rejection::NotDecided(format!(
            "summand {place} `{event}` has too many instances to look at each, and is not said to keep its {what}"
        ))
    }

    /// Each live form with its image: one to one, of the same event.
    fn targets(&self, moved: &Move) -> Result<Vec<(usize, usize)>, Rejection> {
        let places: FxHashMap<SummandId, usize> =
            self.list.iter().enumerate().map(|(place, form)| (form.summand, place)).collect();
        let images: FxHashMap<SummandId, SummandId> = moved.summands.iter().copied().collect();
        let mut pairs = Vec::new();
        let mut reached = FxHashSet::default();
        for (place, form) in self.list.iter().enumerate().filter(|(_, form)| form.is_alive()) {
            let image = images.get(&form.summand).unwrap_or(&form.summand);
            let target = places.get(image).copied().filter(|&target| {
                self.list[target].is_alive()
                    && self.model.summand(*image).event == self.model.summand(form.summand).event
            });
            let target = target.ok_or_else(|| self.refused(place, "event"))?;
            if !reached.insert(target) {
                return Err(self.refused(place, "place among the others"));
            }
            pairs.push((place, target));
        }
        Ok(pairs)
    }

    /// Extends a permutation of elements to parameters and named values.
    fn follow(&mut self, renaming: &Renaming, moved: &Move, targets: &[(usize, usize)]) -> Result<Followed, Rejection> {
        let count = self.diagrams.elements();
        let mut elements = renaming.elements.clone();
        elements.extend(elements.len()..count);
        let mut places = renaming.places.clone();
        places.resize(count, None);
        let values = renaming.values.clone();
        let mut followed = Followed {
            renaming: Renaming { elements, places, values },
            lost: FxHashSet::default(),
            memo: FxHashMap::default(),
        };
        let images: FxHashMap<BoundValue, BoundValue> = moved.parameters.iter().copied().collect();
        let mut maps: Vec<FxHashMap<i32, i32>> = Vec::new();
        for &(from, to) in targets {
            self.follow_parameters(from, to, &images, &mut followed, &mut maps)?;
        }
        let definitions = self.definitions;
        for definition in &definitions.list {
            let function = definition.function;
            let is_lost = self.diagrams.support([function]).iter().any(|element| followed.lost.contains(element));
            if is_lost || !self.follow_definition(definition, &maps, &mut followed) {
                followed.lost.insert(definition.element);
            }
        }
        Ok(followed)
    }

    /// The images of the values of each parameter of a summand: all of its sort, one to one.
    fn follow_parameters(
        &mut self,
        from: usize,
        to: usize,
        images: &FxHashMap<BoundValue, BoundValue>,
        followed: &mut Followed,
        maps: &mut Vec<FxHashMap<i32, i32>>,
    ) -> Result<(), Rejection> {
        let forms = self.list;
        let (own, other) = (&forms[from], &forms[to]);
        let count = |form: &Form| self.model.summand(form.summand).parameters.len();
        let is_lax = self.wrong_check.allows("parameters");
        if count(own) != count(other) && !is_lax {
            return Err(self.refused(from, "parameters"));
        }
        let mut reached = FxHashSet::default();
        for place in 0..count(own) {
            let live: Vec<i32> = self.diagrams.live(own.first + place).to_vec();
            let image = |value: i32| {
                let bound = BoundValue { summand: own.summand, parameter: place, value };
                images.get(&bound).copied().unwrap_or(bound)
            };
            let Some(target) = live.first().map(|&value| image(value).parameter) else {
                return Err(self.refused(from, "parameters"));
            };
            if target >= count(other) || !reached.insert(target) && !is_lax {
                return Err(self.refused(from, "parameters"));
            }
            let there = self.diagrams.live(other.first + target);
            let mut order = Vec::with_capacity(live.len());
            for &value in &live {
                let BoundValue { summand, parameter, value: result } = image(value);
                match there.binary_search(&result) {
                    Ok(answer) if (summand, parameter) == (other.summand, target) => order.push(answer),
                    _ => return Err(self.refused(from, "parameters")),
                }
            }
            let different: FxHashSet<usize> = order.iter().copied().collect();
            if (different.len() != live.len() || there.len() != live.len()) && !is_lax {
                return Err(self.refused(from, "parameters"));
            }
            if order.iter().any(|&answer| answer >= live.len()) || different.len() != live.len() {
                // Only the known-wrong variant gets here: of such a map only the first values are usable.
                order = (0..live.len().min(there.len())).collect();
            }
            let map: FxHashMap<i32, i32> =
                live.iter().zip(&order).map(|(&value, &answer)| (value, there[answer])).collect();
            let is_same = map.iter().all(|(value, result)| value == result);
            followed.renaming.elements[own.first + place] = other.first + target;
            let stays = order.iter().copied().eq(0..order.len());
            followed.renaming.places[own.first + place] = (!stays).then(|| Rc::from(order));
            if !is_same && !maps.contains(&map) {
                maps.push(map);
            }
        }
        Ok(())
    }

    /// Finds the image of a named value; returns whether there is one.
    fn follow_definition(
        &mut self,
        definition: &Definition,
        maps: &[FxHashMap<i32, i32>],
        followed: &mut Followed,
    ) -> bool {
        let image = self.diagrams.rename(definition.function, &followed.renaming, &mut followed.memo);
        let own = definition.source.clone().map(|source| {
            // An element from which it may be read with this value.
            let moved = |value: &i32| {
                let element = source.clone().find(|&element| self.diagrams.live(element).binary_search(value).is_ok());
                let known = element.and_then(|element| followed.renaming.values.get(&(element, *value)));
                known.copied().unwrap_or(*value)
            };
            let values = definition.outcomes.iter().filter_map(|leaf| value_of(*leaf));
            values.map(|value| (value, moved(&value))).collect::<FxHashMap<i32, i32>>()
        });
        let ways = own.iter().map(Some).chain([None]).chain(maps.iter().map(Some));
        for way in ways {
            let moved = |leaf: Leaf| match leaf {
                Leaf::Value(value) => Leaf::Value(way.and_then(|way| way.get(&value)).copied().unwrap_or(value)),
                other => other,
            };
            let function = self.diagrams.map(image, &moved);
            if self.diagrams.exhausted() {
                return false;
            }
            let Some(target) = self.definitions.of(function) else { continue };
            let order: Option<Vec<usize>> =
                definition.outcomes.iter().map(|&leaf| target.outcomes.binary_search(&moved(leaf)).ok()).collect();
            let Some(order) = order else { continue };
            let different: FxHashSet<usize> = order.iter().copied().collect();
            if different.len() != order.len() || order.len() != target.outcomes.len() {
                continue;
            }
            let stays = order.iter().copied().eq(0..order.len());
            followed.renaming.elements[definition.element] = target.element;
            followed.renaming.places[definition.element] = (!stays).then(|| Rc::from(order));
            return true;
        }
        false
    }

    fn image(&mut self, dd: Dd, followed: &mut Followed) -> Dd {
        self.diagrams.rename(dd, &followed.renaming, &mut followed.memo)
    }

    fn images(&mut self, list: &[Dd], followed: &mut Followed) -> Vec<Dd> {
        let mut images: Vec<Dd> = list.iter().map(|&dd| self.image(dd, followed)).collect();
        images.sort_unstable();
        images
    }

    /// Checks that the image of a form is another form: guard, faults, updates.
    fn compare(&mut self, from: usize, to: usize, followed: &mut Followed) -> Result<(), Rejection> {
        let forms = self.list;
        let (own, other) = (&forms[from], &forms[to]);
        let outputs = own.outputs.iter().map(|output| output.1).filter(|_| !self.wrong_check.allows("updates"));
        if self.diagrams.support(own.conditions().chain(outputs)).iter().any(|element| followed.lost.contains(element))
        {
            return Err(self.refused(from, "reads and writes"));
        }
        if self.images(&own.enabled, followed) != other.enabled {
            return Err(self.refused(from, "guard"));
        }
        let mut guard_faults: Vec<(Vec<Dd>, Dd)> = Vec::new();
        for (before, fault) in &own.guard_faults {
            guard_faults.push((self.images(before, followed), self.image(*fault, followed)));
        }
        guard_faults.sort_unstable();
        if guard_faults != other.guard_faults || self.images(&own.faults, followed) != other.faults {
            return Err(self.refused(from, "faults"));
        }
        let mut outputs: Vec<(usize, Dd)> = Vec::new();
        for &(element, value) in &own.outputs {
            let image = self.image(value, followed);
            let values = &followed.renaming.values;
            let image = self.diagrams.map(image, &|leaf| match leaf {
                Leaf::Value(value) => Leaf::Value(values.get(&(element, value)).copied().unwrap_or(value)),
                other => other,
            });
            outputs.push((followed.renaming.elements[element], image));
        }
        outputs.sort_unstable();
        if outputs != other.outputs && !self.wrong_check.allows("updates") {
            return Err(self.refused(from, "updates"));
        }
        Ok(())
    }

    /// Checks that arguments and processes move along, in the same way as for all other summands.
    fn labels(
        &mut self,
        from: usize,
        to: usize,
        moved: &Move,
        followed: &mut Followed,
        pairing: &mut Pairing,
    ) -> Result<(), Rejection> {
        let forms = self.list;
        let (own, other) = (&forms[from], &forms[to]);
        let event = &self.model.summand(own.summand).event;
        if own.arguments.len() != other.arguments.len() {
            return Err(self.refused(from, "arguments"));
        }
        let known: FxHashMap<(usize, i32), (usize, i32)> =
            moved.arguments.iter().filter(|known| known.0 == *event).map(|known| (known.1, known.2)).collect();
        for (place, &argument) in own.arguments.iter().enumerate() {
            let result = |value: i32| known.get(&(place, value)).copied().unwrap_or((place, value));
            let leaves = self.diagrams.leaves(argument);
            let target = leaves.iter().find_map(|&leaf| value_of(leaf)).map_or(place, |value| result(value).0);
            let Some(&there) = other.arguments.get(target).filter(|_| pairing.place(event, place, target)) else {
                return Err(self.refused(from, "arguments"));
            };
            let mut images: FxHashMap<i32, i32> = FxHashMap::default();
            for leaf in leaves {
                match leaf {
                    Leaf::Value(value) if result(value).0 == target => drop(images.insert(value, result(value).1)),
                    Leaf::Value(_) => return Err(self.refused(from, "arguments")),
                    Leaf::Term(_) => return Err(self.refused(from, "arguments")),
                    Leaf::Nothing | Leaf::Fault => {}
                }
            }
            let is_new = |(&value, &result): (&i32, &i32)| pairing.argument(event, (place, value), (target, result));
            if !images.iter().all(is_new) {
                return Err(self.refused(from, "arguments"));
            }
            let image = self.image(argument, followed);
            let image = self.diagrams.map(image, &|leaf| match leaf {
                Leaf::Value(value) => Leaf::Value(images.get(&value).copied().unwrap_or(value)),
                other => other,
            });
            if image != there && !self.wrong_check.allows("arguments") {
                return Err(self.refused(from, "arguments"));
            }
        }
        pairing.one_by_one(event);
        self.processes(from, to, followed, pairing)
    }

    fn processes(&self, from: usize, to: usize, followed: &Followed, pairing: &mut Pairing) -> Result<(), Rejection> {
        let process = |form: &Form| {
            let parameters = &self.model.summand(form.summand).parameters;
            let place = parameters.iter().position(|parameter| Some(parameter.sort) == self.model.fair);
            place.map(|place| form.first + place)
        };
        match (process(&self.list[from]), process(&self.list[to])) {
            (None, None) => Ok(()),
            (Some(own), Some(other)) if followed.renaming.elements[own] == other => {
                let there = self.diagrams.live(other);
                for (place, &value) in self.diagrams.live(own).iter().enumerate() {
                    let answer = followed.renaming.places[own].as_ref().map_or(place, |places| places[place]);
                    if !pairing.process(value, there[answer]) {
                        return Err(self.refused(from, "process of weak fairness"));
                    }
                }
                Ok(())
            }
            _ => Err(self.refused(from, "process of weak fairness")),
        }
    }
}

fn value_of(leaf: Leaf) -> Option<i32> {
    if let Leaf::Value(value) = leaf { Some(value) } else { None }
}
