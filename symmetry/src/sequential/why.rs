//! Answers to the question whether a permutation is a symmetry, and what keeps the group from being larger.
//!
//! A permutation is given by cycles of names, as groups are printed: values of sorts `AG 1`, elements `label[1]`, or literals `label=0`.
//! It is proved as any candidate is; where it is not proved, the places of the text that do not keep it are listed.

use std::collections::BTreeMap;

use csp::Literals;
use engine::SparsePermutation;
use frontend::sequential::{Property, Sequential, SortId};
use rustc_hash::FxHashMap;

use super::equivariance::{Equivariance, NearSymmetry, Obstacle};
use super::{Rejection, ValidatedGroup};

/// The most literals whose names are looked up.
const MOST_LITERALS: usize = 1 << 22;

/// The answer about one permutation.
#[derive(Clone, Debug)]
pub enum Finding {
    /// The text proves it.
    ByText,
    /// It is proved on the instances of the summands.
    ByInstances,
    /// It is not proved: the places of the text that do not keep it, in order, and the reason of the validator.
    Not {
        /// The places; empty where the text does not show the reason.
        obstacles: Vec<Obstacle>,
        /// The reason; none where the permutation is not one of literals.
        rejection: Option<Rejection>,
    },
}

/// Symmetries of a process and these properties that only few places of the text break.
pub fn near(model: &Sequential, properties: &[Property]) -> Vec<NearSymmetry> {
    Equivariance::new(model, properties).near()
}

/// The sorts of which all permutations are symmetries that fix the properties, whatever the values of the constants of the process.
pub fn family(model: &Sequential, properties: &[Property]) -> Vec<SortId> {
    Equivariance::new(model, properties).family().into_iter().collect()
}

/// Whether the permutation with these cycles of names is a symmetry that fixes the properties; a group of such symmetries is known.
///
/// # Errors
/// A message about a name.
pub fn why(
    model: &Sequential,
    properties: &[Property],
    known: &ValidatedGroup,
    cycles: &[Vec<String>],
) -> Result<Finding, String> {
    assert!(known.is_for(model, properties), "the group is of this question");
    let text = Equivariance::new(model, properties);
    let permutation = match permutation(model, &text, cycles)? {
        Meaning::Permutation(permutation) => permutation,
        Meaning::Torn(obstacle) => return Ok(Finding::Not { obstacles: vec![obstacle], rejection: None }),
    };
    if text.prove(&permutation).is_some_and(|proof| proof.keeps_properties) {
        return Ok(Finding::ByText);
    }
    if known.contains_on_states(std::slice::from_ref(&permutation)) {
        return Ok(Finding::ByInstances);
    }
    let group = ValidatedGroup::new(model, properties, vec![permutation.clone()]);
    let rejection = group.rejected().first().map(|rejected| rejected.reason.clone());
    if rejection.is_none() && group.stopped().is_none() {
        return Ok(Finding::ByInstances);
    }
    Ok(Finding::Not { obstacles: text.obstacles(&permutation).unwrap_or_default(), rejection })
}

/// The meaning of cycles of names.
enum Meaning {
    /// A permutation of literals.
    Permutation(SparsePermutation),
    /// None: to this place not all of the values belong, or it keeps them.
    Torn(Obstacle),
}

/// The permutation of literals with these cycles of names.
fn permutation(model: &Sequential, text: &Equivariance<'_>, cycles: &[Vec<String>]) -> Result<Meaning, String> {
    let literals = Literals::new(model);
    let names = Names::new(model, &literals)?;
    let domain = |element: usize| model.domain(names.sorts[element]);
    let mut values: BTreeMap<SortId, BTreeMap<i32, i32>> = BTreeMap::new();
    let mut points = BTreeMap::new();
    for cycle in cycles {
        for (from, to) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
            match (names.find(from)?, names.find(to)?) {
                (Name::Value(sort, from), Name::Value(other, to)) if sort == other => {
                    once(&mut *values.entry(sort).or_default(), from, to)?;
                }
                // Elements keep their values when they move as a whole.
                (Name::Element(one), Name::Element(other))
                    if literals.fit(one, other) && domain(one).bounds() == domain(other).bounds() =>
                {
                    for value in domain(one).values() {
                        once(&mut points, literals.point(one, value), literals.point(other, value))?;
                        if literals.is_wide(one) {
                            break;
                        }
                    }
                }
                (Name::Literal(one), Name::Literal(other)) => once(&mut points, one, other)?,
                _ => return Err(format!("`{from}` and `{to}` are names of different kinds")),
            }
        }
    }
    if !points.is_empty() && !values.is_empty() {
        return Err("values of types stand next to variables: give cycles of one kind".to_owned());
    }
    if values.is_empty() {
        let pairs = points.into_iter().filter(|(from, to)| from != to).collect();
        let permutation = SparsePermutation::from_pairs(pairs);
        return permutation.map(Meaning::Permutation).map_err(|_| "this is no permutation".to_owned());
    }
    Ok(text.of_values(&values).map_or_else(Meaning::Torn, Meaning::Permutation))
}

/// Notes the image of something that may move once only.
fn once<T: Ord>(map: &mut BTreeMap<T, T>, from: T, to: T) -> Result<(), String> {
    match map.insert(from, to) {
        None => Ok(()),
        Some(_) => Err("a name stands twice".to_owned()),
    }
}

/// The meaning of a name in a cycle.
#[derive(Clone, Copy)]
enum Name {
    Value(SortId, i32),
    Element(usize),
    Literal(u32),
}

/// The meanings of names.
struct Names<'m> {
    model: &'m Sequential,
    literals: &'m Literals,
    sorts: Vec<SortId>,
    elements: FxHashMap<String, usize>,
}

impl<'m> Names<'m> {
    fn new(model: &'m Sequential, literals: &'m Literals) -> Result<Names<'m>, String> {
        if literals.len() > MOST_LITERALS {
            return Err(format!("the process has more than {MOST_LITERALS} literals: ask about a smaller instance"));
        }
        let elements = (0..literals.elements()).map(|element| (model.element_name(element), element)).collect();
        Ok(Names { model, literals, sorts: model.element_sorts(), elements })
    }

    fn find(&self, name: &str) -> Result<Name, String> {
        if let Some(&element) = self.elements.get(name) {
            return Ok(Name::Element(element));
        }
        if let Some((element, value)) = name.split_once('=')
            && let Some(&element) = self.elements.get(element.trim())
        {
            let sort = self.sorts[element];
            let value = self.value(sort, value.trim());
            let value = value.filter(|_| !self.literals.is_wide(element));
            let point = value.map(|value| self.literals.point(element, value));
            return point.map(Name::Literal).ok_or_else(|| format!("`{name}` is not a value of this variable"));
        }
        if let Some((sort, value)) = name.split_once(char::is_whitespace)
            && let Some(place) = self.model.sorts.iter().position(|known| known.name == sort)
        {
            let sort = SortId::from_index(place);
            let value = self.value(sort, value.trim()).map(|value| Name::Value(sort, value));
            return value.ok_or_else(|| format!("`{name}` is not a value of this type"));
        }
        let help = "give values of types as in `(AG 1, AG 2)`, or variables as in `(x[1], x[2])`";
        Err(format!("the process has no `{name}`: {help}"))
    }

    /// The value of a sort with this name.
    fn value(&self, sort: SortId, name: &str) -> Option<i32> {
        let mut values = self.model.domain(sort).values();
        match name.parse() {
            Ok(number) => values.find(|&value| value == number),
            Err(_) => values.find(|&value| self.model.value_name(sort, value) == name),
        }
    }
}
