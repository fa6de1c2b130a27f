//! Groups that permute the objects of some sorts in all ways, each sort on its own, and literals by the objects that they name.
//!
//! The objects of a sort are points on which the group acts as the symmetric group (`points`). Where the group has as many elements
//! as all permutations of all sorts together, and acts on their objects with as many, each element is one permutation of each sort, and
//! there is an element for each choice of these. Literals need not be objects: the literal that says that process 2 locks memory 5 names
//! two objects.
//!
//! Two objects of a sort have the same *role* in a literal if their exchange keeps the literal. All objects of a sort but those of the
//! most frequent role are *named* by it. An orbit of literals is a *kind*: its literals differ in the objects that have the roles.
//!
//! Soundness: having the same role is an equivalence, since exchanges of it are products of such exchanges; so the stabiliser of a literal
//! contains all permutations within roles. The length of its orbit proves that it contains no others ([`Sorts::new`] refuses other
//! kinds). So a literal is determined by its kind and the objects of each role, an element of the group takes it to the literal of the
//! same kind with the images of these objects, and there is such a literal for each choice of objects.
//!
//! Complexity: exchanges of the objects times literals, at most [`MOST_IMAGES`].

use engine::{Budget, Group, Permutation};
use num_bigint::BigUint;

use super::literals::Literals;
use super::points::{self, factorial, sorts};
use crate::memory::Footprint;

/// The most images of literals under exchanges.
const MOST_IMAGES: usize = 1 << 26;

/// The most entries of the tables of literals by their objects.
const MOST_ENTRIES: usize = 1 << 22;

/// No kind, no literal.
pub(super) const NONE: u32 = u32::MAX;

/// An object that a literal names, and its role: roles of different kinds have different numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Name {
    pub(super) role: u32,
    pub(super) object: u32,
}

/// An orbit of literals.
#[derive(Clone, Debug)]
struct Kind {
    /// The number of names of each of its literals.
    names: usize,
    /// The first entry of its table.
    first: usize,
    /// Whether all its literals are those of value 0.
    is_zero: bool,
}

/// The objects of a group, and the names of literals.
#[derive(Clone, Debug)]
pub(super) struct Sorts {
    /// The first object of each sort, and the number of objects.
    pub(super) starts: Vec<u32>,
    /// By object: its sort.
    sort_of: Vec<u32>,
    /// By literal: its kind.
    kinds_of: Vec<u32>,
    /// By literal: its first name.
    first_names: Vec<u32>,
    names: Vec<Name>,
    kinds: Vec<Kind>,
    /// By kind and the objects of the names in order: the literal.
    table: Vec<u32>,
}

/// The elements that exchange the first object of a sort with each other one.
struct Exchanges {
    /// By object; none for the first one of a sort.
    with_first: Vec<Option<Permutation>>,
}

impl Exchanges {
    /// The image of a literal under the exchange of two objects of a sort.
    fn exchange(&self, a: u32, b: u32, literal: u32) -> u32 {
        let by = |object: u32, literal: u32| {
            self.with_first[object as usize].as_ref().map_or(literal, |element| element.image(literal))
        };
        // The exchange with the first one before and after; if one of them is the first one, it is the exchange with the other.
        let (one, other) = if self.with_first[a as usize].is_none() { (b, a) } else { (a, b) };
        if self.with_first[other as usize].is_none() {
            return by(one, literal);
        }
        by(one, by(other, by(one, literal)))
    }
}

/// The elements that exchange the first object of each sort with each other one.
fn exchanges(group: &Group, sorts: &[Vec<u32>]) -> Option<Exchanges> {
    let base: Vec<u32> = sorts.concat();
    let strong = group.strong_generators_within(&base, &mut Budget::unlimited()).ok()?;
    let mut with_first = Vec::with_capacity(base.len());
    for sort in sorts {
        with_first.push(None);
        for &other in &sort[1..] {
            limits::work((group.degree() * base.len()) as u64);
            let mut images: Vec<u32> = (0..u32::try_from(group.degree()).expect("points have 32 bits")).collect();
            images.swap(sort[0] as usize, other as usize);
            let wanted = Permutation::from_images(images).ok()?;
            // The remainder keeps the objects: divided by it, the permutation is the element that acts on them like it.
            let element = match strong.sift(&wanted) {
                None => wanted.clone(),
                Some(rest) => rest.inverse().then(&wanted),
            };
            let is_right = base.iter().all(|&point| element.image(point) == wanted.image(point));
            assert!(is_right && strong.sift(&element).is_none(), "an element that exchanges two objects");
            with_first.push(Some(element));
        }
    }
    Some(Exchanges { with_first })
}

impl Sorts {
    /// The sorts of a group and the names of its literals; nothing where the group has another shape, or a literal is not
    /// determined by objects with roles.
    pub(super) fn new(group: &Group, literals: &Literals, wrong: points::Wrong) -> Option<Sorts> {
        let (group, sorts) = sorts(group, wrong)?;
        let objects = sorts.iter().map(Vec::len).sum::<usize>();
        if objects.saturating_mul(group.degree()) > MOST_IMAGES {
            return None;
        }
        let exchanges = exchanges(&group, &sorts)?;
        let mut starts = vec![0];
        let mut sort_of = Vec::with_capacity(objects);
        for (number, sort) in (0..).zip(&sorts) {
            sort_of.resize(sort_of.len() + sort.len(), number);
            starts.push(u32::try_from(sort_of.len()).expect("a bounded number of objects"));
        }
        let count = literals.len();
        let mut found = Sorts {
            starts,
            sort_of,
            kinds_of: vec![NONE; count],
            first_names: vec![0; count],
            names: Vec::new(),
            kinds: Vec::new(),
            table: Vec::new(),
        };
        let mut roles = 0;
        for literal in 0..u32::try_from(count).expect("points have 32 bits") {
            if found.kinds_of[literal as usize] == NONE {
                found.add_kind(literal, &mut roles, &exchanges, literals)?;
            }
        }
        let is_named = |at: &usize| found.named(*at).eq(found.names_at(*at).iter().map(|name| name.object));
        debug_assert!((0..count).all(|at| is_named(&at)), "names are in the order of their roles and objects");
        Some(found)
    }

    /// Adds the orbit of a literal; nothing if its literals are not determined by objects with roles.
    fn add_kind(&mut self, literal: u32, roles: &mut u32, exchanges: &Exchanges, literals: &Literals) -> Option<()> {
        let kind = u32::try_from(self.kinds.len()).expect("kinds are at most literals");
        let (own, length) = self.names_of(literal, roles, exchanges);
        // By object: the objects of the sort of each name.
        let radix = |name: &Name| self.size_of(self.sort_of[name.object as usize]);
        let size = own.iter().map(radix).try_fold(1usize, usize::checked_mul)?;
        let first = self.table.len();
        if first.checked_add(size)? > MOST_ENTRIES {
            return None;
        }
        self.table.resize(first + size, NONE);
        self.kinds.push(Kind { names: own.len(), first, is_zero: false });
        // The orbit, with the names that its elements take along.
        let mut orbit = vec![literal];
        self.put(literal, kind, own);
        let mut next = 0;
        while let Some(&at) = orbit.get(next) {
            next += 1;
            limits::work(self.sort_of.len() as u64);
            for object in (0..).take(self.sort_of.len()) {
                let Some(element) = &exchanges.with_first[object as usize] else { continue };
                let image = element.image(at);
                if self.kinds_of[image as usize] != NONE {
                    continue;
                }
                let first = self.starts[self.sort_of[object as usize] as usize];
                let mut names = self.names_at(at as usize).to_vec();
                names.iter_mut().for_each(|name| name.object = exchanged(name.object, first, object));
                names.sort_unstable();
                self.put(image, kind, names);
                orbit.push(image);
            }
        }
        let is_zero = |&literal: &u32| literals.start(literals.slot_of(literal)) == literal;
        self.kinds[kind as usize].is_zero = orbit.iter().all(is_zero);
        (BigUint::from(orbit.len()) == length).then_some(())
    }

    /// The names of a literal, in order, with new roles, and the length of its orbit if it is determined by them.
    fn names_of(&self, literal: u32, roles: &mut u32, exchanges: &Exchanges) -> (Vec<Name>, BigUint) {
        let (mut names, mut length) = (Vec::new(), BigUint::from(1u32));
        for sort in self.starts.windows(2) {
            let mut classes: Vec<Vec<u32>> = Vec::new();
            for object in sort[0]..sort[1] {
                limits::work(1 + classes.len() as u64);
                let alike = classes.iter_mut().find(|class| exchanges.exchange(class[0], object, literal) == literal);
                match alike {
                    Some(class) => class.push(object),
                    None => classes.push(vec![object]),
                }
            }
            length *= factorial((sort[1] - sort[0]) as usize);
            for class in &classes {
                length /= factorial(class.len());
            }
            let most = (0..classes.len()).max_by_key(|&class| (classes[class].len(), std::cmp::Reverse(class)));
            for (_, class) in classes.iter().enumerate().filter(|&(class, _)| Some(class) != most) {
                names.extend(class.iter().map(|&object| Name { role: *roles, object }));
                *roles += 1;
            }
        }
        (names, length)
    }

    /// Notes the kind and the names of a literal.
    fn put(&mut self, literal: u32, kind: u32, names: Vec<Name>) {
        self.kinds_of[literal as usize] = kind;
        self.first_names[literal as usize] = u32::try_from(self.names.len()).expect("a bounded number of names");
        let entry = self.entry(kind, names.iter().map(|name| name.object));
        self.table[entry] = literal;
        self.names.extend(names);
    }

    /// The number of objects of a sort.
    fn size_of(&self, sort: u32) -> usize {
        (self.starts[sort as usize + 1] - self.starts[sort as usize]) as usize
    }

    /// The place of a literal in the table.
    #[inline]
    fn entry(&self, kind: u32, objects: impl Iterator<Item = u32>) -> usize {
        let place = |place: usize, object: u32| {
            let sort = self.sort_of[object as usize];
            place * self.size_of(sort) + (object - self.starts[sort as usize]) as usize
        };
        self.kinds[kind as usize].first + objects.fold(0, place)
    }

    /// The number of objects.
    pub(super) fn objects(&self) -> usize {
        self.sort_of.len()
    }

    /// The kind of a literal.
    #[inline]
    pub(super) fn kind(&self, literal: u32) -> u32 {
        self.kinds_of[literal as usize]
    }

    /// Whether all literals of a kind are those of value 0.
    pub(super) fn is_zero(&self, kind: u32) -> bool {
        self.kinds[kind as usize].is_zero
    }

    /// The names of a literal, by role and object.
    #[inline]
    pub(super) fn names_at(&self, literal: usize) -> &[Name] {
        let first = self.first_names[literal] as usize;
        &self.names[first..first + self.kinds[self.kinds_of[literal] as usize].names]
    }

    fn named(&self, literal: usize) -> impl Iterator<Item = u32> {
        let mut names = self.names_at(literal).to_vec();
        names.sort_unstable();
        names.into_iter().map(|name| name.object)
    }

    /// The literal to which a permutation of the objects takes a literal.
    #[inline]
    pub(super) fn image(&self, literal: u32, to: impl Fn(u32) -> u32) -> u32 {
        let kind = self.kinds_of[literal as usize];
        let image = match self.names_at(literal as usize) {
            [] => literal,
            &[name] => self.table[self.entry(kind, std::iter::once(to(name.object)))],
            &[one, other] => {
                let (mut first, mut second) = (to(one.object), to(other.object));
                if one.role == other.role && second < first {
                    std::mem::swap(&mut first, &mut second);
                }
                self.table[self.entry(kind, [first, second].into_iter())]
            }
            names => {
                let image = |name: &Name| Name { role: name.role, object: to(name.object) };
                let mut names: Vec<Name> = names.iter().map(image).collect();
                names.sort_unstable();
                self.table[self.entry(kind, names.into_iter().map(|name| name.object))]
            }
        };
        debug_assert_ne!(image, NONE, "a permutation of objects takes literals to literals");
        image
    }

    /// Bytes held.
    pub(super) fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.add_vec(&self.names);
        footprint.add_vec(&self.kinds_of);
        footprint.add_vec(&self.first_names);
        footprint.add_vec(&self.table);
        footprint
    }
}

/// The image of an object under an exchange.
#[inline]
pub(super) fn exchanged(object: u32, a: u32, b: u32) -> u32 {
    if object == a {
        b
    } else if object == b {
        a
    } else {
        object
    }
}
