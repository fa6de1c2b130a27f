//! Exchanges of names: variables, and members of enumerations, that may change places because the text then says the same.
//!
//! Values of one class are exchanged by blocks (`super::uses`). An [`Exchange`] moves what has a name of its own: two arrays, two
//! members that the text names, or two whole clusters of declarations and rules. `propose` guesses exchanges by laying rules of one
//! shape on each other; `text` proves them by an analysis of its own, and `tries` tries what is proved by the reference interpreter.
//!
//! # Soundness
//!
//! Renaming a program gives one whose steps are the images of its own. If it is the same program, up to what has no meaning, then the
//! exchange is an automorphism. Only exchanges that map blocks to blocks are kept, so that products with the permutations of blocks are a group.
//!
//! # Not done
//!
//! Programs with multisets have none. Statements of a body keep their order, and so do branches. Values of integers stay.

mod propose;
mod text;
mod tries;

use std::collections::{BTreeMap, BTreeSet};

use frontend::murphi::interpret::State;
use frontend::murphi::program::{Program, TypeId, TypeKind, Variable, VariableId};

use super::action::{self, Renaming};
use super::roles::Roles;
use super::uses::Block;

pub(super) use propose::propose;
pub(super) use text::broken_by;
pub use text::{Wrong, proves};
pub(super) use tries::contradiction;

/// The most elements of a group of exchanges.
const MOST_ELEMENTS: usize = 5_040;

/// A permutation of variables and of members of enumerations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Exchange {
    /// The variables that move, each with the one whose place it takes.
    pub variables: BTreeMap<usize, usize>,
    /// The members that move, with their images.
    pub members: BTreeMap<i32, i32>,
}

/// The action of an exchange on the cells of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moved {
    /// The cell that comes to each cell.
    pub from: Vec<u32>,
    /// Whether a cell holds members, which move.
    pub is_named: Vec<bool>,
}

/// Whether a list of images is a permutation of its places.
fn is_bijection(images: &[u32]) -> bool {
    let mut sorted = images.to_vec();
    sorted.sort_unstable();
    (0..).zip(sorted).all(|(place, image)| place == image)
}

impl Exchange {
    /// The variable that takes the place of one.
    #[must_use]
    pub fn variable(&self, id: VariableId) -> VariableId {
        self.variables.get(&id.index()).map_or(id, |&image| VariableId::from_index(image))
    }

    /// The image of a member.
    #[must_use]
    pub fn member(&self, value: i32) -> i32 {
        self.members.get(&value).copied().unwrap_or(value)
    }

    /// The exchange, and then another one.
    #[must_use]
    pub fn then(&self, next: &Exchange) -> Exchange {
        fn product<T: Copy + Ord>(one: &BTreeMap<T, T>, next: &BTreeMap<T, T>) -> BTreeMap<T, T> {
            let both: BTreeSet<T> = one.keys().chain(next.keys()).copied().collect();
            let image = |from: T| {
                let middle = one.get(&from).copied().unwrap_or(from);
                (from, next.get(&middle).copied().unwrap_or(middle))
            };
            both.into_iter().map(image).filter(|(from, to)| from != to).collect()
        }
        Exchange {
            variables: product(&self.variables, &next.variables),
            members: product(&self.members, &next.members),
        }
    }

    /// All products of some exchanges, the identity first; `None` if they are too many.
    #[must_use]
    pub fn products(list: &[Exchange]) -> Option<Vec<Exchange>> {
        let mut found = vec![Exchange::default()];
        let mut known: BTreeSet<Exchange> = found.iter().cloned().collect();
        let mut at = 0;
        while at < found.len() {
            for next in list {
                let product = found[at].then(next);
                if known.insert(product.clone()) {
                    found.push(product);
                }
            }
            if found.len() > MOST_ELEMENTS {
                return None;
            }
            at += 1;
        }
        assert_eq!(found.len(), known.len(), "each product is listed once");
        assert!(
            list.iter().all(|one| known.contains(&Exchange::default().then(one))),
            "the exchanges are among their products"
        );
        Some(found)
    }

    /// The action on cells; `None` if some variable does not fit the one whose place it takes.
    #[must_use]
    pub fn cells(&self, program: &Program) -> Option<Moved> {
        let count = program.cells();
        let mut moved = Moved { from: vec![0; count], is_named: vec![false; count] };
        let mut taken = vec![false; program.variables.len()];
        for (at, variable) in program.variables.iter().enumerate() {
            let image = self.variable(VariableId::from_index(at));
            if std::mem::replace(taken.get_mut(image.index())?, true) {
                return None;
            }
            let target = program.variable(image);
            self.part(program, [variable.of, target.of], [variable.offset, target.offset], &mut moved)?;
        }
        assert!(is_bijection(&moved.from), "an exchange takes cells to cells, one to one");
        Some(moved)
    }

    /// The variables that do not fit the ones whose places they take.
    pub(super) fn misfits<'p>(&self, program: &'p Program) -> Vec<&'p Variable> {
        let count = program.cells();
        let mut moved = Moved { from: vec![0; count], is_named: vec![false; count] };
        let mut fits = |(at, variable): (usize, &Variable)| {
            let target = program.variable(self.variable(VariableId::from_index(at)));
            self.part(program, [variable.of, target.of], [variable.offset, target.offset], &mut moved).is_some()
        };
        let numbered = program.variables.iter().enumerate();
        numbered.filter(|&one| !fits(one)).map(|(_, variable)| variable).collect()
    }

    /// A part of one type at one cell moves to a part of another type at another cell.
    fn part(
        &self,
        program: &Program,
        [of, to]: [TypeId; 2],
        [from, target]: [usize; 2],
        moved: &mut Moved,
    ) -> Option<()> {
        let types = &program.types;
        limits::work(1);
        match (types.kind(of), types.kind(to)) {
            (TypeKind::Array { index, element }, TypeKind::Array { index: other, element: part }) => {
                let (size, count) = (types.cells(*element), types.count(*index));
                if count != types.count(*other) || size != types.cells(*part) {
                    return None;
                }
                let is_named = matches!(types.kind(*index), TypeKind::Names(_));
                for (position, value) in types.values(*index).into_iter().flatten().enumerate() {
                    let place = types.position(*other, if is_named { self.member(value) } else { value })?;
                    self.part(program, [*element, *part], [from + position * size, target + place * size], moved)?;
                }
            }
            (TypeKind::Record(fields), TypeKind::Record(others)) if fields.len() == others.len() => {
                for (field, other) in fields.iter().zip(others) {
                    self.part(program, [field.of, other.of], [from + field.offset, target + other.offset], moved)?;
                }
            }
            (TypeKind::Names(_), TypeKind::Names(_)) => {
                let mut values = types.values(of).into_iter().flatten();
                if types.count(of) != types.count(to)
                    || !values.all(|value| types.position(to, self.member(value)).is_some())
                {
                    return None;
                }
                moved.from[target] = u32::try_from(from).ok()?;
                moved.is_named[target] = true;
            }
            (TypeKind::Boolean, TypeKind::Boolean) | (TypeKind::Range { .. }, TypeKind::Range { .. }) if of == to => {
                moved.from[target] = u32::try_from(from).ok()?;
            }
            _ => return None,
        }
        Some(())
    }

    /// The image of a state.
    #[must_use]
    pub fn image(&self, moved: &Moved, state: &State) -> State {
        debug_assert_eq!(state.len(), moved.from.len(), "a state has every cell");
        let value = |(&from, &is_named): (&u32, &bool)| {
            let value = state[from as usize]?;
            Some(if is_named { self.member(value) } else { value })
        };
        moved.from.iter().zip(&moved.is_named).map(value).collect()
    }

    /// The blocks to which blocks go, if every one goes to one: permuting the values before is permuting their images after.
    pub(super) fn of_blocks(&self, program: &Program, roles: &Roles, blocks: &[Block]) -> Option<Vec<usize>> {
        let moved = self.cells(program)?;
        let probes = probes(program);
        let commutes = |before: &Renaming, after: &Renaming| {
            let (one, other) = (action::cells(program, roles, before), action::cells(program, roles, after));
            let through = |from: &[u32], next: &[u32]| next.iter().map(|&at| from[at as usize]).collect::<Vec<u32>>();
            through(&one.from, &moved.from) == through(&moved.from, &other.from)
                && probes.iter().all(|probe| {
                    let first = self.image(&moved, &action::image(program, &one, before, probe));
                    first == action::image(program, &other, after, &self.image(&moved, probe))
                })
        };
        let target = |block: &Block| {
            blocks.iter().position(|other| {
                let is_image = |named: bool| {
                    let image = |&value: &i32| if named { self.member(value) } else { value };
                    let mut images: Vec<i32> = block.values.iter().map(image).collect();
                    images.sort_unstable();
                    let mut own = other.values.clone();
                    own.sort_unstable();
                    images == own
                        && block.is_ring == other.is_ring
                        && block.generators().into_iter().all(|before| {
                            let after: BTreeMap<i32, i32> =
                                before.iter().map(|(from, to)| (image(from), image(to))).collect();
                            let is_own = other.has(&after);
                            let [before, after] = [(block.class, before), (other.class, after)];
                            is_own && commutes(&Renaming::from([before]), &Renaming::from([after]))
                        })
                };
                is_image(true) || is_image(false)
            })
        };
        blocks.iter().map(target).collect()
    }
}

/// States in which together every cell has every value of its type.
fn probes(program: &Program) -> Vec<State> {
    let kinds: Vec<Option<TypeId>> =
        frontend::murphi::interpret::parts(program).into_iter().map(|part| part.of).collect();
    let values: Vec<Vec<i32>> = kinds
        .iter()
        .map(|kind| match kind {
            // Integers stay, so that some of a wide range suffice.
            Some(of) => program.types.values(*of).into_iter().flatten().take(1 << 10).collect(),
            None => vec![1],
        })
        .collect();
    let most = values.iter().map(Vec::len).max().unwrap_or(0);
    (0..most).map(|number| values.iter().map(|own| Some(own[number % own.len()])).collect()).collect()
}
