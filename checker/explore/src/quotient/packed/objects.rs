//! The representatives of packed states under a group that permutes the objects of some sorts: canonical labelling of the structure of
//! a state.
//!
//! A state is a structure on the objects: its literals say of some objects what they are to each other (`sorts`). Colours of objects are
//! refined by it (`colours`), and the objects of each sort are put into the order of their colours. Objects of one colour are *twins* if
//! their exchange keeps the state: their order does not matter. Where others remain, each of one cell is given a colour of its own in
//! turn, one of each class of twins, and the colours are refined again; of all such nodes those of the least key are followed. The least
//! image under the orders that are left is the representative.
//!
//! Literals of value 0 cost nothing in slots where they go to each other: the set of all these is the same in every image.
//!
//! Many successors of a state are images of each other under permutations of its twins. Such a permutation keeps the state, so that a
//! successor is determined, up to the permutation, by the literals that it changes, with each object replaced by its class of twins and
//! by the place where it first occurs. Successors of the same *pattern* have one representative, which is computed once.
//!
//! Soundness: colours, cells, classes of twins, keys and nodes are taken along by every permutation of objects, whatever the hash, so that
//! the orders that are left for two states of an orbit give the same images. All permutations of twins keep the state. Where more
//! than [`MOST_NODES`] nodes would be followed, the search along the chain takes the state, and with it its whole orbit. If the patterns
//! of two successors are equal, the objects of one correspond to those of the other, one to one and class by class.
//!
//! Invariants: the weight of a node is the number of choices of objects that it stands for; the weights of the nodes with the least image
//! times the orders of their twins are the order of the stabiliser.
//!
//! Complexity: the literals of the state that are not 0, for each round of the refinement; for a successor with a known pattern the
//! literals that it changes.
//!
//! Source: \[Lin04\] and colour refinement; twins and patterns are ours.

use rustc_hash::FxHashMap;

use super::Sampling;
use super::colours::{Cell, Structure};
use super::literals::{Literals, Place};
use super::sorts::Sorts;
use crate::memory::{Footprint, bytes_of};
use crate::quotient::mixed;

/// The most nodes that are followed.
const MOST_NODES: usize = 1 << 7;

mutants::mutants! {
    /// Orders of objects that are known to be wrong.
    pub(super) struct Wrong {
        /// Objects of one colour are twins.
        takes_ties_for_twins,
        /// One of the objects of a colour stands for all.
        follows_one_tie,
        /// Patterns do not say of which class of twins an object is.
        forgets_classes,
        /// The value 0 never counts, though literals of it go to others.
        forgets_zeros,
        /// Twins of a state are twins in its successors.
        keeps_all_twins,
        /// Colours have one bit. This alone is not wrong.
        has_few_colours,
    }
}

/// Colours of objects.
#[derive(Clone, Debug, Default)]
struct Node {
    colours: Vec<u64>,
    /// The objects that were given colours of their own, in order: they come first, whatever their colours.
    chosen: Vec<u32>,
    weight: u128,
}

/// Objects in the order of their colours.
#[derive(Clone, Debug, Default)]
struct Arrangement {
    /// The objects, sort by sort.
    order: Vec<u32>,
    /// Cells of more than one object.
    cells: Vec<Cell>,
    /// The first cell whose objects are not all twins, as classes of twins.
    open: Option<Vec<Vec<u32>>>,
}

/// A state whose successors are represented, and the patterns of those that were.
#[derive(Clone, Debug, Default)]
struct Parent {
    state: Vec<u64>,
    /// By object: its class of twins, if classes were computed.
    classes: Vec<u32>,
    /// By object: whether the state that is labelled is known to have it in the same class of twins; empty if nothing is known.
    stays: Vec<bool>,
    /// By pattern: the number of the representative.
    patterns: FxHashMap<Box<[u32]>, usize>,
    representatives: Vec<u64>,
}

/// The labelling of the structures of states.
#[derive(Clone, Debug)]
pub(super) struct Objects {
    sorts: Sorts,
    /// Slots whose value 0 counts.
    always: Vec<u32>,
    structure: Structure,
    parent: Parent,
    pattern: Vec<u32>,
    firsts: Vec<u32>,
    ranks: Vec<u32>,
    image: Vec<u64>,
    least: Vec<u64>,
    sampling: Sampling,
    pub(super) wrong: Wrong,
}

impl Objects {
    /// The labelling under a group of these sorts.
    pub(super) fn new(literals: &Literals, sorts: Sorts, wrong: Wrong) -> Objects {
        let counts = |&slot: &u32| !wrong.forgets_zeros() && !sorts.is_zero(sorts.kind(literals.start(slot)));
        let always = (0..).take(literals.count_slots()).filter(counts).collect();
        Objects {
            always,
            sorts,
            structure: Structure::default(),
            parent: Parent::default(),
            pattern: Vec::new(),
            firsts: Vec::new(),
            ranks: Vec::new(),
            image: Vec::new(),
            least: Vec::new(),
            sampling: Sampling::default(),
            wrong,
        }
    }

    /// The state whose successors are represented next.
    pub(super) fn begin(&mut self, state: &[u64]) {
        let Parent { state: own, classes, stays: _, patterns, representatives } = &mut self.parent;
        own.clear();
        own.extend_from_slice(state);
        classes.clear();
        patterns.clear();
        representatives.clear();
    }

    /// As [`Objects::canonical`], for a successor of the state that was begun with.
    pub(super) fn successor(&mut self, literals: &Literals, state: &mut [u64]) -> bool {
        if self.parent.classes.is_empty() {
            self.classify(literals);
        }
        self.find_pattern(literals, state);
        let stride = state.len();
        if let Some(&known) = self.parent.patterns.get(&self.pattern[..]) {
            state.copy_from_slice(&self.parent.representatives[known * stride..(known + 1) * stride]);
            return true;
        }
        let keeps_all = self.wrong.keeps_all_twins();
        let Parent { classes, stays, .. } = &mut self.parent;
        stays.clear();
        stays.resize(classes.len(), true);
        self.firsts.iter().for_each(|&object| stays[object as usize] = keeps_all);
        let is_found = self.label(literals, state).is_some();
        if is_found {
            let Parent { patterns, representatives, .. } = &mut self.parent;
            patterns.insert(self.pattern[..].into(), representatives.len() / stride);
            representatives.extend_from_slice(state);
        }
        is_found
    }

    /// The classes of twins of the parent.
    fn classify(&mut self, literals: &Literals) {
        let state = std::mem::take(&mut self.parent.state);
        self.parent.stays.clear();
        let mut colours = Vec::new();
        self.structure.read(literals, &self.sorts, &self.always, &state);
        self.structure.first_colours(literals, &self.sorts, &mut colours, self.wrong.has_few_colours());
        let arrangement = self.arrange(literals, &state, &colours, &[]);
        let mut classes = vec![0; colours.len()];
        // Objects alone in their cells are classes of their own.
        let mut next = 0;
        let mut add = |class: &[u32]| {
            class.iter().for_each(|&object| classes[object as usize] = next);
            next += 1;
        };
        let mut at = 0;
        for cell in &arrangement.cells {
            arrangement.order[at..cell.start].iter().for_each(|&object| add(&[object]));
            let twins = self.twins(literals, &state, &arrangement.order[cell.clone()]);
            twins.iter().for_each(|class| add(class));
            at = cell.end;
        }
        arrangement.order[at..].iter().for_each(|&object| add(&[object]));
        (self.parent.classes, self.parent.state) = (classes, state);
    }

    /// The pattern of a successor of the parent.
    fn find_pattern(&mut self, literals: &Literals, state: &[u64]) {
        let Objects { sorts, parent, pattern, firsts, wrong, .. } = self;
        pattern.clear();
        firsts.clear();
        literals.each_difference(&parent.state, state, |slot| {
            let place = Place { slot, value: literals.get(state, slot) };
            let literal = literals.literal(place);
            pattern.push(sorts.kind(literal));
            if literals.is_wide(slot) {
                pattern.push(place.value);
            }
            for name in sorts.names_at(literal as usize) {
                let first = firsts.iter().position(|&object| object == name.object).unwrap_or_else(|| {
                    firsts.push(name.object);
                    firsts.len() - 1
                });
                pattern.push(u32::try_from(first).expect("a bounded number of objects"));
                let class = parent.classes[name.object as usize];
                pattern.push(if wrong.forgets_classes() { 0 } else { class });
            }
        });
        limits::work(1 + pattern.len() as u64);
    }

    /// Replaces a state by its representative; returns the order of its stabiliser, or nothing where too many nodes would be followed:
    /// the state is then unchanged.
    pub(super) fn canonical(&mut self, literals: &Literals, state: &mut [u64]) -> Option<u128> {
        // Whatever successor was looked at before, also one whose labelling was stopped.
        self.parent.stays.clear();
        self.label(literals, state)
    }

    /// The same, where `stays` says what is known of the state.
    fn label(&mut self, literals: &Literals, state: &mut [u64]) -> Option<u128> {
        let is_coarse = self.wrong.has_few_colours();
        self.structure.read(literals, &self.sorts, &self.always, state);
        let mut root = Node { colours: Vec::new(), chosen: Vec::new(), weight: 1 };
        self.structure.first_colours(literals, &self.sorts, &mut root.colours, is_coarse);
        let arrangement = self.arrange(literals, state, &root.colours, &[]);
        let mut nodes = vec![(root, arrangement)];
        while nodes[0].1.open.is_some() {
            // The number of nodes of the least key so far, of which no more are kept than may be followed.
            let (mut next, mut best, mut count): (Vec<(Node, Arrangement)>, _, _) = (Vec::new(), (true, u64::MAX), 0);
            for (node, arrangement) in &nodes {
                for class in arrangement.open.iter().flatten() {
                    let mut colours = node.colours.clone();
                    let own = &mut colours[class[0] as usize];
                    *own = mixed(*own ^ 0x2545_f491_4f6c_dd1d);
                    self.structure.refine(literals, &self.sorts, &mut colours, is_coarse);
                    let mut chosen = node.chosen.clone();
                    chosen.push(class[0]);
                    let child = self.arrange(literals, state, &colours, &chosen);
                    let key = key(&colours, &child);
                    if key > best {
                        continue;
                    }
                    if key < best {
                        (best, count) = (key, 0);
                        next.clear();
                    }
                    count += 1;
                    let most = if self.wrong.follows_one_tie() { 1 } else { MOST_NODES };
                    if next.len() < most {
                        let weight = node.weight.saturating_mul(class.len() as u128);
                        next.push((Node { colours, chosen, weight }, child));
                    }
                }
            }
            if count > MOST_NODES {
                return None;
            }
            nodes = next;
        }
        let (mut stabiliser, mut image) = (0u128, std::mem::take(&mut self.image));
        image.resize(state.len(), 0);
        let is_checked = self.sampling.is_next();
        for (node, arrangement) in &nodes {
            self.write(literals, arrangement, &mut image);
            if is_checked && !self.wrong.forgets_zeros() {
                assert!(self.is_image(literals, state, &image), "the image is the one under the order of the objects");
            }
            let twins = arrangement.cells.iter().flat_map(|cell| 1..=cell.len() as u128);
            let weight = twins.fold(node.weight, u128::saturating_mul);
            let order = if stabiliser == 0 { std::cmp::Ordering::Less } else { image.cmp(&self.least) };
            match order {
                std::cmp::Ordering::Less => {
                    self.least.clone_from(&image);
                    stabiliser = weight;
                }
                std::cmp::Ordering::Equal => stabiliser = stabiliser.saturating_add(weight),
                std::cmp::Ordering::Greater => {}
            }
        }
        self.image = image;
        state.copy_from_slice(&self.least);
        Some(stabiliser)
    }

    /// The objects in the order of their colours, those that were chosen first, and the first cell that is open.
    fn arrange(&self, literals: &Literals, state: &[u64], colours: &[u64], chosen: &[u32]) -> Arrangement {
        let mut order: Vec<u32> = Vec::with_capacity(colours.len());
        let (mut cells, mut open) = (Vec::new(), None);
        let place = |object: u32| chosen.iter().position(|&other| other == object).unwrap_or(chosen.len());
        // The objects of a sort by their looks, which are the place among the chosen ones and the colour.
        let mut looks: Vec<(usize, u64, u32)> = Vec::with_capacity(colours.len());
        for sort in self.sorts.starts.windows(2) {
            let mut range = order.len()..order.len();
            looks.clear();
            looks.extend((sort[0]..sort[1]).map(|object| (place(object), colours[object as usize], object)));
            looks.sort_unstable();
            order.extend(looks.iter().map(|&(_, _, object)| object));
            for cell in looks.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
                range = range.end..range.end + cell.len();
                if cell.len() > 1 {
                    cells.push(range.clone());
                    let cell = &order[range.clone()];
                    if open.is_none() && !self.are_all_twins(literals, state, cell) {
                        open = Some(self.twins(literals, state, cell));
                    }
                }
            }
        }
        Arrangement { order, cells, open }
    }

    /// Whether objects of one colour are one class of twins: each is a twin of the next one.
    fn are_all_twins(&self, literals: &Literals, state: &[u64], cell: &[u32]) -> bool {
        self.wrong.takes_ties_for_twins()
            || cell.windows(2).all(|pair| self.are_twins(literals, state, [pair[0], pair[1]]))
    }

    /// Whether two objects of one colour are twins.
    fn are_twins(&self, literals: &Literals, state: &[u64], pair: [u32; 2]) -> bool {
        let Parent { classes, stays, .. } = &self.parent;
        let [one, other] = pair.map(|object| object as usize);
        let are_known = !stays.is_empty() && stays[one] && stays[other] && classes[one] == classes[other];
        are_known || self.structure.are_twins(literals, &self.sorts, state, pair)
    }

    /// The classes of twins among objects of one colour.
    fn twins(&self, literals: &Literals, state: &[u64], cell: &[u32]) -> Vec<Vec<u32>> {
        let mut classes: Vec<Vec<u32>> = Vec::new();
        for &object in cell {
            let is_twin = |class: &&mut Vec<u32>| {
                self.wrong.takes_ties_for_twins() || self.are_twins(literals, state, [class[class.len() - 1], object])
            };
            match classes.iter_mut().find(is_twin) {
                Some(class) => class.push(object),
                None => classes.push(vec![object]),
            }
        }
        classes
    }

    /// Writes the image of the state that was read under the permutation that gives each object its place in an order.
    fn write(&mut self, literals: &Literals, arrangement: &Arrangement, image: &mut [u64]) {
        let Objects { sorts, structure, ranks, .. } = self;
        ranks.clear();
        ranks.resize(arrangement.order.len(), 0);
        for (rank, &object) in (0..).zip(&arrangement.order) {
            ranks[object as usize] = rank;
        }
        image.fill(0);
        for &(place, literal) in &structure.items {
            literals.set(image, literals.place(sorts.image(literal, |object| ranks[object as usize]), place));
        }
        limits::work(structure.items.len() as u64);
    }

    /// Whether the permutation that was written last takes a state to another one, slot by slot.
    fn is_image(&self, literals: &Literals, state: &[u64], image: &[u64]) -> bool {
        (0..).take(literals.count_slots()).all(|slot| {
            let place = Place { slot, value: literals.get(state, slot) };
            let to = self.sorts.image(literals.literal(place), |object| self.ranks[object as usize]);
            let Place { slot, value } = literals.place(to, place);
            literals.get(image, slot) == value
        })
    }

    /// Bytes held.
    pub(super) fn footprint(&self) -> Footprint {
        let mut footprint = self.sorts.footprint();
        footprint.add_vec(&self.parent.representatives);
        footprint.add_table::<(Box<[u32]>, usize)>(self.parent.patterns.capacity());
        let held: usize = self.parent.patterns.keys().map(|pattern| pattern.len()).sum();
        footprint.add(bytes_of::<u32>(held));
        footprint
    }
}

/// Whether a node has an open cell, and a number that is the same for all its images.
fn key(colours: &[u64], arrangement: &Arrangement) -> (bool, u64) {
    let open = arrangement.open.as_ref().map_or(0, |classes| mixed(colours[classes[0][0] as usize]));
    let sum = colours.iter().fold(open, |sum, &colour| sum.wrapping_add(mixed(colour)));
    (arrangement.open.is_some(), sum)
}
