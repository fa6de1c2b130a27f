//! Detection: which places of a program hold the same kind of values, and what the text does with them.
//!
//! Every place begins with a class of its own; assignments, comparisons for equality, indices, arguments, results, aliases
//! and `switch` unite classes. Equal ranges whose uses never meet stay apart. For each class the walk notes the types whose
//! values it has, the values that are named, and the places that order, compute or count. The values that stay free are proposed:
//! nothing here is a proof.
//!
//! # Complexity
//!
//! One pass over the text, and one over the values of each class; near-linear.

use std::collections::{BTreeMap, BTreeSet};

use engine::Structure;
use frontend::murphi::program::{Claim, Program, TypeId, Types};
use frontend::source::Span;

use super::obstacle::Obstacle;
use super::ring;
use super::roles::{Class, Roles, TRUTH};
use super::walk::Walk;

/// The most values of a class that are proposed.
pub(super) const MOST_VALUES: usize = 1 << 10;

/// The most obstacles that are kept for a class.
pub(super) const MOST_OBSTACLES: usize = 8;

/// The uses of the values of one class.
#[derive(Clone, Default, Debug)]
pub struct Facts {
    /// The types whose values they are, with the first place.
    pub types: BTreeMap<TypeId, Span>,
    /// The values that are named, with the first place.
    pub named: BTreeMap<i32, Obstacle>,
    /// The places that order, compute or count, some of them.
    pub obstacles: Vec<Obstacle>,
    /// The places that move values on around a ring, each with the size of the ring; some of them.
    pub turns: Vec<(Obstacle, usize)>,
    /// Whether a loop, quantifier or ruleset takes all values of a type.
    pub is_bound: bool,
    /// Whether they are in the state, as values or as indices.
    pub is_stored: bool,
}

/// The classes of a program.
#[derive(Clone, Debug)]
pub struct Uses {
    /// The class of each place.
    pub roles: Roles,
    /// The uses of each class.
    pub facts: Vec<Facts>,
}

/// Values of a class that are exchanged freely, or that rotate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The class.
    pub class: Class,
    /// The values, ascending; at least two.
    pub values: Vec<i32>,
    /// Whether they rotate only; then they are `0 .. n - 1`.
    pub is_ring: bool,
}

impl Block {
    /// Whether a permutation of values is one of the block.
    pub(super) fn has(&self, images: &BTreeMap<i32, i32>) -> bool {
        let is_inside = |value: &i32| self.values.binary_search(value).is_ok();
        let size = i64::try_from(self.values.len()).expect("blocks are bounded");
        let amount = |&value: &i32| {
            let image = images.get(&value).copied().unwrap_or(value);
            (i64::from(image) - i64::from(value)).rem_euclid(size)
        };
        let is_rotation = || self.values.windows(2).all(|pair| amount(&pair[0]) == amount(&pair[1]));
        images.iter().all(|(value, image)| is_inside(value) && is_inside(image)) && (!self.is_ring || is_rotation())
    }

    /// Whether the block has all permutations of another one, in its own class.
    pub(super) fn has_all(&self, class: Class, other: &Block) -> bool {
        let has = |value: &i32| self.values.binary_search(value).is_ok();
        self.class == class
            && other.values.iter().all(has)
            && (!self.is_ring || other.is_ring && other.values.len() == self.values.len())
    }

    /// Generators of the permutations: the exchanges of neighbours, or the rotation by one.
    #[must_use]
    pub fn generators(&self) -> Vec<BTreeMap<i32, i32>> {
        if self.is_ring {
            let next = self.values.iter().copied().cycle().skip(1);
            return vec![self.values.iter().copied().zip(next).collect()];
        }
        self.values.windows(2).map(|pair| BTreeMap::from([(pair[0], pair[1]), (pair[1], pair[0])])).collect()
    }

    /// The isomorphism type of its permutations.
    #[must_use]
    pub fn structure(&self) -> Structure {
        match self.values.len() {
            // Both of two values.
            size if self.is_ring && size > 2 => Structure::Cyclic(size),
            size => Structure::Symmetric(size),
        }
    }
}

/// The classes of a program together with the properties that are claimed.
pub fn uses(program: &Program, claims: &[Claim]) -> Uses {
    let (roles, count) = Roles::apart(program);
    Walk::new(program, roles, count).finish(claims)
}

impl Uses {
    /// The values of each class that nothing tells apart.
    pub fn blocks(&self, types: &Types) -> Vec<Block> {
        let classes = (0..).zip(&self.facts);
        let free = classes.filter(|(class, facts)| {
            *class != TRUTH && facts.obstacles.is_empty() && facts.is_bound && facts.is_stored
        });
        let blocks = |(class, facts): (Class, &Facts)| match facts.ring(types) {
            _ if facts.turns.is_empty() => {
                let free = facts.parts(types).into_iter();
                free.map(|values| Block { class, values, is_ring: false }).collect()
            }
            Some(values) if facts.named.is_empty() => vec![Block { class, values, is_ring: true }],
            _ => Vec::new(),
        };
        free.flat_map(blocks).collect()
    }

    /// The classes all of whose values few places tell apart, with these places.
    pub fn near(&self, types: &Types, most: usize) -> Vec<(Block, Vec<Obstacle>)> {
        let classes = (0..).zip(&self.facts);
        let close = classes.filter_map(|(class, facts)| {
            let unnamed = Facts { named: BTreeMap::new(), ..facts.clone() };
            let values = unnamed.parts(types).into_iter().max_by_key(Vec::len)?;
            let named = facts.named.iter().filter(|(value, _)| values.contains(value)).map(|(_, place)| *place);
            let mut places: Vec<Obstacle> = facts.obstacles.iter().copied().chain(named).collect();
            let is_ring = !facts.turns.is_empty() && !places.is_empty() && facts.ring(types).is_some();
            if !is_ring {
                places.extend(facts.turns.iter().map(|(place, _)| *place));
            }
            places.sort_unstable();
            places.dedup();
            let is_near = class != TRUTH && facts.is_bound && facts.is_stored && (1..=most).contains(&places.len());
            is_near.then_some((Block { class, values, is_ring }, places))
        });
        close.collect()
    }
}

impl Facts {
    /// Values that are not named and belong to the same types, where there are two or more.
    pub(super) fn parts(&self, types: &Types) -> Vec<Vec<i32>> {
        let mut parts: BTreeMap<Vec<TypeId>, Vec<i32>> = BTreeMap::new();
        // Bounds apart, all integers are no range of names.
        let own: Vec<TypeId> = self.types.keys().copied().filter(|&of| of != Types::INTEGER).collect();
        if own.iter().any(|&of| types.count(of) > MOST_VALUES) {
            return Vec::new();
        }
        let values: BTreeSet<i32> = own.iter().flat_map(|&of| types.values(of)).flatten().collect();
        limits::work((values.len() * own.len()) as u64);
        for value in values.into_iter().filter(|value| !self.named.contains_key(value)) {
            let has = own.iter().copied().filter(|&of| types.position(of, value).is_some());
            parts.entry(has.collect()).or_default().push(value);
        }
        let mut parts: Vec<Vec<i32>> = parts.into_values().filter(|values| values.len() > 1).collect();
        parts.sort_unstable();
        parts
    }

    /// The values `0 .. n - 1` of all types of the class, if places move them on around this ring only.
    fn ring(&self, types: &Types) -> Option<Vec<i32>> {
        let &(_, size) = self.turns.first()?;
        let is_alike = self.turns.iter().all(|&(_, other)| other == size)
            && size <= MOST_VALUES
            && self.types.keys().all(|&of| ring::is_ring(types, of, size));
        is_alike.then(|| (0..).take(size).collect())
    }

    /// Adds the uses of another class, which is the same.
    pub(super) fn join(&mut self, other: Facts) {
        for (of, place) in other.types {
            self.types.entry(of).or_insert(place);
        }
        for (value, place) in other.named {
            self.named.entry(value).or_insert(place);
        }
        let room = MOST_OBSTACLES.saturating_sub(self.obstacles.len());
        self.obstacles.extend(other.obstacles.into_iter().take(room));
        self.turns.extend(other.turns);
        self.is_bound |= other.is_bound;
        self.is_stored |= other.is_stored;
    }
}
