//! The quotient by proved symmetries: values are exchanged in every cell and index, and the least image stands for its orbit.
//!
//! The group is proved from the text. The proof leaves open the order of some loops and quantifiers: the reference
//! interpreter notes in every evaluation where it may show, and then the search is repeated without the values that these
//! loops take. An evaluation that does not show the order commutes with every exchange, so that the steps of an image are the images of
//! the steps.
//!
//! Soundness: by induction along a run every state has its orbit in the store, provided that no evaluation at a stored state
//! was noted. Multisets are sorted again after every exchange. Where there are too many elements, values are left out of
//! the exchanges until a subgroup remains that can be enumerated.
//!
//! Exchanges of names are applied first: the least over them of the least images by values stands for the orbit under both. They map
//! blocks to blocks, so they are used only where all values of all blocks are exchanged.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use ::symmetry::murphi::action::{Renaming, cells};
use ::symmetry::murphi::{Block, Exchange, Moved, ProvedBlock, ValidatedGroup};
use engine::Structure;
use explore::memory::bytes_of;
use explore::plan::Plan;
use explore::reductions::{GeneratorNames, GroupNames, GroupUsed, Outcome, Reduction, ReductionKind};
use frontend::murphi::interpret::{State, Watched, sort_multisets};
use frontend::murphi::program::{Program, TypeKind};
use frontend::source::Span;
use rustc_hash::FxHashMap;

use super::code::UNDEFINED;
use super::nearby::Nearby;
use super::packing::{cell, value};
use super::renamings::{Table, generates, order, renamings, table};
use super::signature::{Action, Scratch, Signatures};
use crate::tuning::TUNING;

/// The most elements of a group that are tried on each state.
const MOST_ELEMENTS: usize = 1 << 17;

/// The order from which on elements are chosen by signatures.
const MANY_ELEMENTS: usize = 48;

/// The most cells of all images of a state.
const MOST_CELLS: usize = 1 << 24;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub(super) struct Wrong {
        /// The quotient is used although the order of values shows.
        ignores_order,
        /// Multisets are not sorted after an exchange.
        leaves_slots,
        /// The first of the elements that sort by signature is taken for the best.
        ignores_ties,
        /// The images of a successor are those of the state before it where elements move what has changed.
        ignores_changes,
    }
}

/// The exchanges of values and of names that a search uses.
#[derive(Debug)]
pub(super) struct Symmetry {
    /// The binders whose order must not show.
    pub(super) watched: Watched,
    /// Its elements, the identity first.
    elements: Vec<Element>,
    /// Those that generate them.
    generators: Vec<usize>,
    /// The exchanges of names, without the identity.
    others: Vec<Other>,
    /// The order of the group that is used.
    order: String,
    /// The cells that elements move, or whose values they exchange.
    varying: Vec<u32>,
    /// The blocks of values that are exchanged, each with its table in elements.
    blocks: Vec<(usize, Vec<i32>)>,
    /// With many elements: those that are tried.
    signatures: Option<BySignature>,
    /// With few elements that exchange values alone, and many cells: how images of successors follow from those of states.
    nearby: Option<Nearby>,
    /// The table of each cell among those of an element; behind the last where its values stay.
    tables: Vec<usize>,
    /// Whether there are multisets.
    has_slots: bool,
    /// The order of the group that was proved.
    model_order: String,
    /// Whether all of it is used.
    is_whole: bool,
    /// The part that is used, in the names of the model.
    names: GroupNames,
    /// Whether the order of values showed, and of which binders.
    is_broken: AtomicBool,
    broken: Mutex<BTreeSet<Span>>,
    pub(super) wrong: Wrong,
}

/// The choice of elements by signatures.
#[derive(Debug)]
struct BySignature {
    signatures: Signatures,
    /// For each table of an element the number of the member that each value is.
    members: Vec<FxHashMap<i64, usize>>,
}

/// An exchange of values.
#[derive(Debug)]
struct Element {
    /// The images of the values of each class.
    images: Vec<Table>,
    /// The cell that moves to each cell.
    from: Vec<u32>,
}

/// An exchange of names, on cells.
#[derive(Debug)]
struct Other {
    exchange: Exchange,
    moved: Moved,
}

/// The images of the values of a cell.
pub(super) type Image<'a> = &'a dyn Fn(i64) -> i64;

impl Other {
    fn image(&self, state: &[i64]) -> Vec<i64> {
        let value = |(&from, &is_named): (&u32, &bool)| {
            let value = state[from as usize];
            let member = if is_named { i32::try_from(value).ok() } else { None };
            member.map_or(value, |member| self.exchange.member(member).into())
        };
        self.moved.from.iter().zip(&self.moved.is_named).map(value).collect()
    }
}

/// The exchanges of names, without the identity, if all values of all blocks are exchanged and the products are not too many.
fn others(program: &Program, group: &ValidatedGroup, is_whole: bool, elements: usize, most: usize) -> Vec<Other> {
    let products = if is_whole { Exchange::products(group.exchanges()) } else { None };
    let products = products.filter(|list| list.len().saturating_mul(elements) <= most).unwrap_or_default();
    let other = |exchange: Exchange| {
        let moved = exchange.cells(program).expect("a proved exchange fits");
        Other { exchange, moved }
    };
    products.into_iter().skip(1).map(other).collect()
}

impl Symmetry {
    /// The part of a proved group that takes none of the values of some binders; `None` if it is trivial.
    pub(super) fn new(program: &Program, group: &ValidatedGroup, without: &BTreeSet<Span>) -> Option<Symmetry> {
        let own = group.blocks().iter().filter(|proved| proved.watched.is_disjoint(without));
        let own: Vec<&ProvedBlock> = own.collect();
        let most = MOST_ELEMENTS.min(MOST_CELLS / program.cells().max(1));
        let mut blocks: Vec<Block> = own.iter().map(|proved| proved.block.clone()).collect();
        while order(&blocks).is_none_or(|order| order > most) {
            let longest = blocks.iter_mut().max_by_key(|block| block.values.len());
            let Block { values, is_ring, .. } = longest.expect("a group of one element is small");
            // The exchanges of a part of the values are a subgroup; rotations move all values or none.
            values.truncate(if *is_ring { 1 } else { values.len() - 1 });
        }
        let is_uncut = blocks.iter().zip(&own).all(|(block, proved)| *block == proved.block);
        let mut classes: Vec<u32> = own.iter().map(|proved| proved.block.class).collect();
        classes.sort_unstable();
        classes.dedup();
        blocks.retain(|block| block.values.len() > 1);
        let roles = group.roles();
        let found = cells(program, roles, &Renaming::new()).classes;
        let tables = found.iter().map(|class| classes.binary_search(class).unwrap_or(classes.len())).collect();
        let renamings = renamings(&blocks);
        let is_all = is_uncut && own.len() == group.blocks().len();
        let others = others(program, group, is_all, renamings.len(), most);
        if renamings.len() < 2 && others.is_empty() {
            return None;
        }
        let is_whole = is_uncut && others.is_empty() == group.exchanges().is_empty();
        let order = if others.is_empty() { renamings.len().to_string() } else { group.order().to_string() };
        let element = |renaming: &Renaming| Element {
            images: classes.iter().map(|class| table(renaming.get(class))).collect(),
            from: cells(program, roles, renaming).from,
        };
        let elements: Vec<Element> = renamings.iter().map(element).collect();
        let generators = (0..elements.len()).filter(|&at| generates(&blocks, &renamings[at])).collect();
        let tables: Vec<usize> = tables;
        assert!(tables.len() == program.cells(), "every cell has a class");
        let is_moved = |at: usize| elements.iter().any(|element| element.from[at] as usize != at);
        let varying = (0u32..).zip(&tables).filter(|&(at, &table)| table < classes.len() || is_moved(at as usize));
        let varying = varying.map(|(at, _)| at).collect();
        let table_of = |class: u32| classes.binary_search(&class).expect("the class of a block");
        let mut symmetry = Symmetry {
            varying,
            blocks: blocks.iter().map(|block| (table_of(block.class), block.values.clone())).collect(),
            signatures: None,
            nearby: None,
            watched: own.iter().flat_map(|proved| proved.watched.iter().copied()).collect(),
            names: names_of(program, group, &blocks, !others.is_empty()),
            others,
            order,
            elements,
            generators,
            tables,
            has_slots: program.types.list.iter().any(|of| matches!(of.kind, TypeKind::Multiset { .. })),
            model_order: group.model_order().to_string(),
            is_whole,
            is_broken: AtomicBool::new(false),
            broken: Mutex::default(),
            wrong: Wrong::default(),
        };
        // Members are sorted by signature where all permutations of a block are elements.
        let is_many = symmetry.elements.len() >= MANY_ELEMENTS;
        symmetry.choose(is_many && blocks.iter().all(|block| !block.is_ring));
        if symmetry.varying.len() >= TUNING.nearby_from {
            symmetry.nearby = symmetry.images_of_successors();
        }
        Some(symmetry)
    }

    /// How images of successors follow from those of states, where the least image stands for an orbit of exchanges of values and there are
    /// no multisets, which an exchange would sort again.
    fn images_of_successors(&self) -> Option<Nearby> {
        let is_least = self.signatures.is_none() && !self.has_slots && self.others.is_empty();
        let elements = self.elements[1..].iter().map(|element| (&*element.from, &*element.images));
        is_least.then(|| Nearby::new(&self.varying, &self.tables, elements)).flatten()
    }

    /// Sets whether elements are chosen by signatures; with multisets they are not.
    pub(super) fn choose(&mut self, by_signatures: bool) {
        self.signatures = (by_signatures && !self.has_slots).then(|| self.by_signature());
    }

    fn by_signature(&self) -> BySignature {
        let count = self.elements[0].images.len();
        let mut members: Vec<FxHashMap<i64, usize>> = vec![FxHashMap::default(); count];
        let all = self.blocks.iter().flat_map(|(table, values)| values.iter().map(|&value| (*table, i64::from(value))));
        let all: Vec<(usize, i64)> = all.collect();
        for (number, &(table, value)) in all.iter().enumerate() {
            members[table].insert(value, number);
        }
        let mut first = 0;
        let block = |(_, values): &(usize, Vec<i32>)| {
            first += values.len();
            first - values.len()..first
        };
        let blocks = self.blocks.iter().map(block).collect();
        let image = |element: &Element, (table, value): (usize, i64)| {
            *members[table].get(&element.images[table].image(value)).expect("members stay in their block")
        };
        let action = |element: &Element| Action {
            from: element.from.clone(),
            members: all.iter().map(|&member| image(element, member)).collect(),
        };
        let holds: Vec<bool> = self.tables.iter().map(|&table| table < count).collect();
        let actions: Vec<Action> = self.elements.iter().map(action).collect();
        BySignature { signatures: Signatures::new(blocks, &actions, &holds), members }
    }

    /// Whether names that the text has are exchanged, and rules with them.
    pub(super) fn moves_names(&self) -> bool {
        !self.others.is_empty()
    }

    /// Visits what generators of the group and exchanges of names do to each cell: the cell that moves there, and the images of its values.
    pub(super) fn each_generator(&self, visit: &mut dyn FnMut(usize, usize, Image<'_>)) {
        for &generator in &self.generators {
            let element = &self.elements[generator];
            for (at, &from) in element.from.iter().enumerate() {
                let table = element.images.get(self.tables[at]);
                visit(from as usize, at, &|value| table.map_or(value, |table| table.image(value)));
            }
        }
        for Other { exchange, moved } in &self.others {
            for (at, (&from, &is_named)) in moved.from.iter().zip(&moved.is_named).enumerate() {
                let member = |value: i64| i32::try_from(value).ok().filter(|_| is_named);
                visit(from as usize, at, &|value| member(value).map_or(value, |member| exchange.member(member).into()));
            }
        }
    }

    /// Notes the binders whose order may have shown.
    pub(super) fn note(&self, broken: BTreeSet<Span>) {
        if !broken.is_empty() {
            self.is_broken.store(true, Ordering::Relaxed);
            self.broken.lock().expect("no thread panics with it").extend(broken);
        }
    }

    /// Notes that the order of any binder may have shown.
    pub(super) fn note_all(&self) {
        self.note(self.watched.iter().copied().collect());
    }

    /// Whether the order of values may have shown.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Relaxed) && !self.wrong.ignores_order()
    }

    /// The binders whose order may have shown.
    pub(super) fn broken(&self) -> BTreeSet<Span> {
        self.broken.lock().expect("no thread panics with it").clone()
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> u64 {
        let of_element = |element: &Element| {
            let images: usize = element.images.iter().map(|table| table.images.len()).sum();
            bytes_of::<u32>(element.from.len() + images)
        };
        let elements: u64 = self.elements.iter().map(of_element).sum();
        let others =
            self.others.iter().map(|other| bytes_of::<u32>(other.moved.from.len() + other.moved.is_named.len() / 4));
        let nearby = self.nearby.as_ref().map_or(0, Nearby::bytes);
        elements + others.sum::<u64>() + nearby + self.signatures.as_ref().map_or(0, |chosen| chosen.signatures.bytes())
    }

    /// How the representatives of successors follow from what is known of a state, if they do.
    pub(super) fn nearby(&self) -> Option<&Nearby> {
        self.nearby.as_ref()
    }

    /// The representative of a state: the least of its images, or of those that signatures choose.
    pub(super) fn least(&self, program: &Program, state: &[i64], scratch: &mut Scratch, least: &mut Vec<i64>) {
        self.least_by_values(program, state, scratch, least);
        let mut candidate = Vec::new();
        for other in &self.others {
            self.least_by_values(program, &other.image(state), scratch, &mut candidate);
            if candidate < *least {
                std::mem::swap(&mut candidate, least);
            }
        }
    }

    /// The least of the images under exchanges of values, or of those that signatures choose.
    fn least_by_values(&self, program: &Program, state: &[i64], scratch: &mut Scratch, least: &mut Vec<i64>) {
        least.clear();
        least.extend_from_slice(state);
        if self.has_slots && !self.wrong.leaves_slots() {
            return self.least_sorted(program, state, least);
        }
        let Some(BySignature { signatures, members }) = &self.signatures else {
            return self.elements[1..].iter().for_each(|element| self.improve(element, state, least));
        };
        let number = |at: usize, value: i64| members.get(self.tables[at])?.get(&value).copied();
        let mut is_first = true;
        let keeps = |element: u32| {
            let element = &self.elements[element as usize];
            self.varying.iter().all(|&at| self.image(element, state, at as usize) == state[at as usize])
        };
        signatures.candidates(state, number, keeps, scratch, &mut |element| {
            let element = &self.elements[element as usize];
            if std::mem::take(&mut is_first) {
                self.varying.iter().for_each(|&at| least[at as usize] = self.image(element, state, at as usize));
            } else if !self.wrong.ignores_ties() {
                self.improve(element, state, least);
            }
        });
    }

    /// The least of all images, in which multisets are sorted again.
    fn least_sorted(&self, program: &Program, state: &[i64], least: &mut Vec<i64>) {
        for element in &self.elements[1..] {
            let mut image: Vec<i64> = (0..state.len()).map(|at| self.image(element, state, at)).collect();
            sort_multisets(program, &mut image, UNDEFINED);
            if image < *least {
                *least = image;
            }
        }
    }

    /// Takes an image if it is less.
    fn improve(&self, element: &Element, state: &[i64], least: &mut [i64]) {
        for (position, &at) in self.varying.iter().enumerate() {
            let at = at as usize;
            let (value, known) = (self.image(element, state, at), least[at]);
            if value > known {
                return;
            }
            if value < known {
                for &at in &self.varying[position..] {
                    least[at as usize] = self.image(element, state, at as usize);
                }
                return;
            }
        }
    }

    /// As [`Symmetry::least`], of a state of the reference semantics.
    pub(super) fn least_state(&self, program: &Program, state: &State) -> State {
        let (state, mut least): (Vec<i64>, _) = (state.iter().copied().map(value).collect(), Vec::new());
        self.least(program, &state, &mut Scratch::default(), &mut least);
        least.into_iter().map(cell).collect()
    }

    /// The number of images of a state: the order of the group by that of the stabiliser, whose elements are counted.
    pub(super) fn orbit_size(&self, program: &Program, state: &State) -> usize {
        let state: Vec<i64> = state.iter().copied().map(value).collect();
        let keeps = |from: &[i64], element: &Element| {
            if self.has_slots {
                let mut image: Vec<i64> = (0..state.len()).map(|at| self.image(element, from, at)).collect();
                sort_multisets(program, &mut image, UNDEFINED);
                return image == state;
            }
            (0..state.len()).all(|at| self.image(element, from, at) == state[at])
        };
        let images = self.others.iter().map(|other| other.image(&state)).chain([state.clone()]);
        let (mut order, mut stabiliser) = (0, 0);
        // Elements that are the product of an exchange of names and one of values in several ways count in both numbers.
        for from in images {
            limits::work(self.elements.len() as u64);
            order += self.elements.len();
            stabiliser += self.elements.iter().filter(|element| keeps(&from, element)).count();
        }
        assert!(stabiliser > 0 && order.is_multiple_of(stabiliser), "the stabiliser is a subgroup");
        order / stabiliser
    }

    /// A slot of an image.
    #[inline]
    fn image(&self, element: &Element, state: &[i64], at: usize) -> i64 {
        let value = state[element.from[at] as usize];
        element.images.get(self.tables[at]).map_or(value, |table| table.image(value))
    }

    /// The number of its generators: exchanges of values, and exchanges of names.
    pub(super) fn generators(&self) -> usize {
        self.generators.len() + self.others.len()
    }

    /// The image of a state under a generator, its multisets sorted.
    pub(super) fn image_under(&self, program: &Program, generator: usize, state: &[i64]) -> Vec<i64> {
        let Some(&element) = self.generators.get(generator) else {
            return self.others[generator - self.generators.len()].image(state);
        };
        let element = &self.elements[element];
        let mut image: Vec<i64> = (0..state.len()).map(|at| self.image(element, state, at)).collect();
        if self.has_slots {
            sort_multisets(program, &mut image, UNDEFINED);
        }
        image
    }

    /// The plan of a search with this group.
    pub(super) fn plan(&self) -> Plan {
        let order = self.order.clone();
        let representative = if self.is_whole { "least image" } else { "least image under a subgroup" }.to_owned();
        let outcome = Outcome::Quotient {
            order: order.clone(),
            model_order: self.model_order.clone(),
            representative: representative.clone(),
            is_exact: self.is_whole,
        };
        let group = GroupUsed {
            order,
            model_order: self.model_order.clone(),
            detector: String::new(),
            representative,
            exact: self.is_whole,
            orbits: None,
            names: self.names.clone(),
        };
        Plan {
            group: Some(group),
            reductions: vec![Reduction { kind: ReductionKind::Symmetry, outcome }],
            // Loops in which assertions and other faults could change places are watched, and show it.
            keeps_fault_classes: true,
            ..Plan::default()
        }
    }
}

/// The permutations of the values of some blocks of a proved group, and its exchanges of names if it has them, in the names of the
/// model.
pub fn names_of(program: &Program, group: &ValidatedGroup, blocks: &[Block], with_exchanges: bool) -> GroupNames {
    let names = group.names();
    let orbit =
        |block: &Block| -> Vec<String> { block.values.iter().map(|&value| names.value(block.class, value)).collect() };
    let generators = blocks.iter().flat_map(|block| {
        let kind = if names.is_index(block.class) { "process" } else { "data" };
        let rules = if group.is_scalar_set(program, block) { vec!["scalar-set"] } else { Vec::new() };
        let generator = |cycle: &[String]| GeneratorNames { cycles: vec![cycle.to_vec()], kind, rules: rules.clone() };
        let cycle = if block.is_ring { block.values.len() } else { 2 };
        orbit(block).windows(cycle).map(generator).collect::<Vec<_>>()
    });
    let mut generators: Vec<GeneratorNames> = generators.collect();
    if with_exchanges && !group.exchanges().is_empty() {
        let cycles = group.cycles_of_exchanges(program).into_iter();
        generators.extend(cycles.map(|cycles| GeneratorNames { cycles, kind: "mixed", rules: Vec::new() }));
        return GroupNames { structure: group.structure(), generators, orbits: group.orbits(program) };
    }
    let structure = Structure::product(blocks.iter().map(Block::structure).collect()).to_string();
    GroupNames { structure, generators, orbits: blocks.iter().map(orbit).collect() }
}
