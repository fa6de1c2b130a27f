//! The obstacles to a larger group of a sequential process, in the names of the process.

use frontend::sequential::{Property, Sequential};
use symmetry::sequential::{Finding, NearSymmetry as Found, Obstacle, Rejection, ValidatedGroup};

use crate::explain::{Answer, Cycles, Family, NearSymmetry, Place, ProvedBy, Why};

/// The proof of each generator.
pub(super) fn proofs(model: &Sequential, properties: &[Property], group: &ValidatedGroup) -> Vec<ProvedBy> {
    let by_text = symmetry::sequential::text_proves(model, properties, group.generators());
    by_text.into_iter().map(|by_text| if by_text { ProvedBy::Text } else { ProvedBy::Tables }).collect()
}

/// Symmetries that only few places of the text break, and that the group does not have.
pub(super) fn near(model: &Sequential, properties: &[Property], group: &ValidatedGroup) -> Vec<NearSymmetry> {
    let found = symmetry::sequential::near(model, properties).into_iter();
    let missing = found.filter(|near| !group.contains_on_states(&near.generators));
    let described = missing.map(|near| NearSymmetry {
        permutations: permutations(model, &near),
        broken_by: near.obstacles.into_iter().map(place).collect(),
    });
    described.collect()
}

/// The permutations that are symmetries whatever the values of the constants.
pub(super) fn family(model: &Sequential, properties: &[Property]) -> Family {
    let sorts = symmetry::sequential::family(model, properties).into_iter();
    Family {
        constants: model.constants.iter().map(|constant| constant.name.clone()).collect(),
        sorts: sorts.map(|sort| model.sort(sort).name.clone()).collect(),
    }
}

/// `S3 on CELL`, `C5 on SEAT`.
fn permutations(model: &Sequential, near: &Found) -> String {
    let sorts: Vec<&str> = near.sorts.iter().map(|&sort| model.sort(sort).name.as_str()).collect();
    let kind = if near.is_rotation && near.values.len() > 2 { "C" } else { "S" };
    format!("{kind}{} on {}", near.values.len(), sorts.join(", "))
}

fn place(Obstacle { span, reason }: Obstacle) -> Place {
    Place { span, reason: reason.to_string() }
}

/// The answer about one permutation.
///
/// # Errors
/// A message about a name.
pub(super) fn why(
    model: &Sequential,
    properties: &[Property],
    group: &ValidatedGroup,
    cycles: &Cycles,
) -> Result<Why, String> {
    let answer = match symmetry::sequential::why(model, properties, group, cycles)? {
        Finding::ByText => Answer::Symmetry(ProvedBy::Text),
        Finding::ByInstances => Answer::Symmetry(ProvedBy::Tables),
        Finding::Not { obstacles, rejection } => {
            let mut broken_by: Vec<Place> = obstacles.into_iter().map(place).collect();
            if let (true, Some(Rejection::Property(name))) = (broken_by.is_empty(), &rejection) {
                let named = properties.iter().filter(|property| property.name == *name);
                let reason = || "the property is another one after the exchange".to_owned();
                broken_by.extend(named.map(|property| Place { span: property.span, reason: reason() }));
            }
            let is_open = matches!(rejection, Some(Rejection::NotDecided(_)));
            Answer::Not { is_open, broken_by, witness: rejection.map(|rejection| rejection.to_string()) }
        }
    };
    Ok(Why { cycles: cycles.clone(), answer })
}
