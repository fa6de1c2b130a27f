//! Why a permutation of values is no symmetry, and symmetries that few places of the text break.
//!
//! # Soundness
//!
//! Nothing relies on these: they are no symmetries, and no reduction uses them.

use std::collections::{BTreeMap, BTreeSet};

use engine::SparsePermutation;
use frontend::murphi::program::{Claim, Program, TypeId};

use super::action::Renaming;
use super::exchange::{self, Exchange};
use super::group::{ValidatedGroup, own_classes};
use super::obstacle::{Obstacle, Reason};
use super::order::Order;
use super::roles::Class;
use super::uses::Block;

/// The most places that break permutations which are still called near.
const MOST_OBSTACLES: usize = 3;

/// All permutations of some values would be symmetries but for some places.
#[derive(Clone, Debug)]
pub struct NearSymmetry {
    /// The permutations, such as `S3 on node`.
    pub permutations: String,
    /// The places, in the order of the text; at least one.
    pub obstacles: Vec<Obstacle>,
}

/// The answer about one permutation.
#[derive(Clone, Debug)]
pub enum Finding {
    /// A symmetry.
    Symmetry,
    /// None, as these places show.
    Broken(Vec<Obstacle>),
    /// Neither.
    Open,
}

/// The symmetries that few places break, and that a group does not have.
#[must_use]
pub fn near(program: &Program, group: &ValidatedGroup) -> Vec<NearSymmetry> {
    let most = if group.is_declared { usize::MAX } else { MOST_OBSTACLES };
    let of_text = group.text.near(&program.types, most).into_iter();
    let mut found: Vec<(Block, Vec<Obstacle>)> =
        of_text.filter_map(|(block, places)| missing(program, group, block).zip(Some(places))).collect();
    found.extend(group.refused.iter().map(|(block, obstacle)| (block.clone(), vec![*obstacle])));
    let named = found.into_iter().map(|(block, obstacles)| {
        let permutations = format!("{} on {}", block.structure(), group.names().class(block.class));
        NearSymmetry { permutations, obstacles }
    });
    let mut list: Vec<NearSymmetry> = named.collect();
    list.sort_by(|one, other| one.obstacles.cmp(&other.obstacles));
    list
}

/// A block of the text with the first class that has other permutations of its values in a group; `None` if the group has all of them.
fn missing(program: &Program, group: &ValidatedGroup, block: Block) -> Option<Block> {
    let own = own_classes(program, &group.text.roles, &group.uses.roles, block.class);
    let is_in = |class: &Class| group.blocks.iter().any(|proved| proved.block.has_all(*class, &block));
    let class = own.into_iter().find(|class| !is_in(class))?;
    Some(Block { class, ..block })
}

/// The class of the text with its starts for one of the group.
fn of_text(program: &Program, group: &ValidatedGroup, class: Class) -> Class {
    own_classes(program, &group.uses.roles, &group.text.roles, class).first().copied().unwrap_or(class)
}

/// Whether a permutation of values or names with these cycles is a symmetry that fixes the claimed properties.
///
/// # Errors
/// A message about a name.
pub fn why(
    program: &Program,
    claims: &[Claim],
    group: &ValidatedGroup,
    cycles: &[Vec<String>],
) -> Result<Finding, String> {
    if points(program, group, cycles).is_some_and(|permutation| group.group().contains_sparse(&permutation)) {
        return Ok(Finding::Symmetry);
    }
    if let Some(exchange) = exchange(program, group, cycles)? {
        let misfits = exchange.misfits(program).into_iter();
        let misfits: Vec<Obstacle> =
            misfits.map(|variable| Obstacle { span: variable.span, reason: Reason::Mixed }).collect();
        if !misfits.is_empty() {
            return Ok(Finding::Broken(misfits));
        }
        let places = exchange::broken_by(program, claims, &exchange, &Order::new(program), exchange::Wrong::default());
        return Ok(match places {
            Some(places) if places.is_empty() => Finding::Symmetry,
            Some(places) => Finding::Broken(places),
            None => Finding::Open,
        });
    }
    let renaming = renaming(group, cycles)?;
    let mut obstacles: BTreeSet<Obstacle> = BTreeSet::new();
    for (&class, images) in &renaming {
        let facts = &group.text.facts[of_text(program, group, class) as usize];
        obstacles.extend(facts.obstacles.iter().chain(facts.turns.iter().map(|(place, _)| place)));
        obstacles.extend(images.keys().filter_map(|value| facts.named.get(value)));
        let has = |of: &TypeId, value: &i32| program.types.position(*of, *value).is_some();
        let torn =
            facts.types.iter().filter(|(of, _)| images.iter().any(|(value, image)| has(of, value) != has(of, image)));
        obstacles.extend(torn.map(|(_, &span)| Obstacle { span, reason: Reason::Part }));
        let refused = group.refused.iter().filter(|(block, _)| block.class == class);
        obstacles.extend(refused.map(|(_, obstacle)| obstacle));
    }
    let places: Vec<Obstacle> = obstacles.into_iter().collect();
    Ok(if places.is_empty() { Finding::Open } else { Finding::Broken(places) })
}

/// The permutation of the points of a group that cycles of their names mean, if all of them are points.
fn points(program: &Program, group: &ValidatedGroup, cycles: &[Vec<String>]) -> Option<SparsePermutation> {
    let count = u32::try_from(group.group().degree()).ok()?;
    let names: BTreeMap<String, u32> = (0..count).map(|point| (group.point(program, point), point)).collect();
    let steps = cycles.iter().flat_map(|cycle| cycle.iter().zip(cycle.iter().cycle().skip(1)));
    let pairs = steps.map(|(from, to)| Some((*names.get(from)?, *names.get(to)?)));
    SparsePermutation::from_pairs(pairs.collect::<Option<_>>()?).ok()
}

/// The exchange of variables and members that cycles of names mean; `None` if they are those of values of classes.
///
/// # Errors
/// A message about a name.
fn exchange(program: &Program, group: &ValidatedGroup, cycles: &[Vec<String>]) -> Result<Option<Exchange>, String> {
    let class = |name: &String| group.names().find(name).map(|(class, _)| class);
    let is_of_values =
        |cycle: &Vec<String>| cycle.iter().all(|name| class(name).is_some_and(|own| Some(own) == class(&cycle[0])));
    if cycles.iter().all(is_of_values) {
        return Ok(None);
    }
    let variable = |name: &String| program.variables.iter().position(|variable| variable.name == *name);
    let member = |name: &String| {
        program.types.sorts.iter().find_map(|sort| {
            let at = sort.members.as_ref()?.iter().position(|member| member == name)?;
            sort.first.checked_add(i32::try_from(at).ok()?)
        })
    };
    let mut exchange = Exchange::default();
    for (from, to) in cycles.iter().flat_map(|cycle| cycle.iter().zip(cycle.iter().cycle().skip(1))) {
        let is_new = match (variable(from).zip(variable(to)), member(from).zip(member(to))) {
            (Some((from, to)), _) => exchange.variables.insert(from, to).is_none(),
            (None, Some((from, to))) => exchange.members.insert(from, to).is_none(),
            (None, None) if class(from).is_some() && class(to).is_some() => return Ok(None),
            (None, None) if [from, to].iter().all(|name| variable(name).is_some() || member(name).is_some()) => {
                return Err(format!("`{from}` and `{to}` are not two variables or two members"));
            }
            (None, None) => {
                return Err(format!("`{from}` and `{to}` are not two names of the model that may change places"));
            }
        };
        if !is_new {
            return Err(format!("`{from}` is there twice"));
        }
    }
    Ok(Some(exchange))
}

/// The renaming that cycles of names mean.
fn renaming(group: &ValidatedGroup, cycles: &[Vec<String>]) -> Result<Renaming, String> {
    let mut renaming = Renaming::new();
    for cycle in cycles {
        let values: Vec<(u32, i32)> = cycle
            .iter()
            .map(|name| group.names().find(name).ok_or_else(|| format!("`{name}` is no value of the model")))
            .collect::<Result<_, String>>()?;
        for (number, &(class, value)) in values.iter().enumerate() {
            let (other, image) = values[(number + 1) % values.len()];
            if other != class {
                let [one, other] = [&cycle[number], &cycle[(number + 1) % values.len()]];
                return Err(format!("`{one}` and `{other}` are not used as the same kind of value"));
            }
            if renaming.entry(class).or_default().insert(value, image).is_some() {
                return Err(format!("`{}` is there twice", cycle[number]));
            }
        }
    }
    Ok(renaming)
}

impl Obstacle {
    /// Whether the order of rounds is the reason.
    #[must_use]
    pub fn is_order(&self) -> bool {
        self.reason == Reason::Rounds
    }
}
