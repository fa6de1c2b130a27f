//! Representatives of packed states of literals, without unpacking them: found from what a successor changes in its parent.
//!
//! Small groups compare sums of all images (`small`); larger ones that permute objects of sorts label the structure of the state
//! (`objects`). Other groups have no such method.
//!
//! Soundness: each method gives one representative per orbit, a function of the state alone: the parent only saves work.

mod colours;
mod literals;
mod objects;
mod points;
mod small;
mod sorts;
#[cfg(test)]
mod tests;

use engine::{Group, Permutation};
use num_bigint::BigUint;

pub(super) use self::literals::Literals;
use self::objects::Objects;
use self::small::Small;
use self::sorts::Sorts;
use super::parts::is_few;
use super::search::{Canoniser, Fast};
use crate::memory::Footprint;

/// The most elements of a group all of whose images are compared, whatever its shape.
const MOST_ELEMENTS: u32 = 64;

/// The same where the only other method is the search along the chain, or that of nested blocks.
const MOST_OTHERS: u32 = 256;

/// The name of the comparison of all images.
const LEAST_IMAGE: &str = "least image";

/// The name of the labelling of structures.
const LABELLING: &str = "labelling by refinement of objects";

/// One representative of so many is compared slot by slot with the image that it stands for; in debug builds each is.
const CHECKED: u32 = 1 << 8;

/// Which representatives are checked at the border of the quotient.
#[derive(Clone, Copy, Debug, Default)]
struct Sampling(u32);

impl Sampling {
    /// Whether the next representative is checked: the first one, then one of [`CHECKED`].
    fn is_next(&mut self) -> bool {
        let number = self.0;
        self.0 = number.wrapping_add(1);
        cfg!(debug_assertions) || number.is_multiple_of(CHECKED)
    }
}

/// Whether the elements of a group may be compared one by one; of other groups the labelling is tried first.
fn is_small(group: &Group) -> bool {
    is_few(group) || group.order() <= BigUint::from(MOST_ELEMENTS)
}

/// A method for packed states.
#[derive(Clone, Debug)]
enum Method {
    Small(Box<Small>),
    Objects(Box<Objects>),
}

/// The representatives of packed states under one group.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    literals: Literals,
    method: Method,
    name: Option<&'static str>,
}

impl Packed {
    /// The labelling of structures, for a large group that permutes objects of sorts; nothing for other groups. It needs no canoniser, but
    /// for the states that it leaves to one.
    pub(super) fn labelling(group: &Group, literals: &Literals) -> Option<Packed> {
        if is_small(group) { None } else { Packed::by_objects(group, literals) }
    }

    fn by_objects(group: &Group, literals: &Literals) -> Option<Packed> {
        let sorts = Sorts::new(group, literals, points::Wrong::default())?;
        let objects = Objects::new(literals, sorts, objects::Wrong::default());
        Some(Packed { literals: literals.clone(), method: Method::Objects(Box::new(objects)), name: Some(LABELLING) })
    }

    /// The method for a group that [`Packed::labelling`] has none for, and whose canoniser is given; nothing if there is none for its shape.
    pub(super) fn new(group: &Group, canoniser: &Canoniser, literals: Literals) -> Option<Packed> {
        let (most, others) = (BigUint::from(MOST_ELEMENTS), BigUint::from(MOST_OTHERS));
        let small = |elements: Vec<Permutation>| Small::new(&literals, elements, small::Wrong::default()).map(Box::new);
        let (found, name) = match &canoniser.fast {
            Fast::Few(_) => (small(canoniser.chain.elements()[canoniser.wanted()].to_vec()), None),
            _ if *canoniser.chain.order() <= most => (small(group.elements().collect()), Some(LEAST_IMAGE)),
            _ => (None, None),
        };
        if let Some(small) = found {
            assert!(BigUint::from(small.order()) == *canoniser.chain.order(), "all elements of the group are compared");
            return Some(Packed { literals, method: Method::Small(small), name });
        }
        if is_small(group)
            && let Some(labelling) = Packed::by_objects(group, &literals)
        {
            return Some(labelling);
        }
        if *canoniser.chain.order() > others {
            return None;
        }
        let small = small(group.elements().collect())?;
        assert!(BigUint::from(small.order()) == *canoniser.chain.order(), "all elements of the group are compared");
        Some(Packed { literals, method: Method::Small(small), name: Some(LEAST_IMAGE) })
    }

    /// The name of the method, where it is not that of the canoniser.
    pub(super) fn name(&self) -> Option<&'static str> {
        self.name
    }

    /// The state whose successors are represented next.
    pub(super) fn begin(&mut self, state: &[u64]) {
        match &mut self.method {
            Method::Small(small) => small.begin(&self.literals, state),
            Method::Objects(objects) => objects.begin(state),
        }
    }

    /// Replaces a successor of the state that was begun with by its representative; returns whether it did. If not, the canoniser
    /// represents it, and all states of its orbit.
    pub(super) fn successor(&mut self, state: &mut [u64]) -> bool {
        match &mut self.method {
            Method::Small(small) => {
                small.successor(&self.literals, state);
                true
            }
            Method::Objects(objects) => objects.successor(&self.literals, state),
        }
    }

    /// Replaces a state by its representative; returns the order of its stabiliser. If there is none, the canoniser represents it, and
    /// all states of its orbit.
    pub(super) fn canonical(&mut self, state: &mut [u64]) -> Option<u128> {
        match &mut self.method {
            Method::Small(small) => Some(small.canonical(&self.literals, state)),
            Method::Objects(objects) => objects.canonical(&self.literals, state),
        }
    }

    /// Bytes held.
    pub(super) fn footprint(&self) -> Footprint {
        let mut footprint = self.literals.footprint();
        footprint.merge(match &self.method {
            Method::Small(small) => small.footprint(),
            Method::Objects(objects) => objects.footprint(),
        });
        footprint
    }
}
