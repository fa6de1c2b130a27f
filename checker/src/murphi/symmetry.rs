//! The quotient by proved symmetries: permutations of values move cells and what is in them, exchanges of names move cells, and both permute the
//! literals of packed states. The representative of an orbit is found by the methods of all languages ([`Representatives`]).
//!
//! The group is proved from the text. The proof leaves open the order of some loops and quantifiers: the reference
//! interpreter notes in every evaluation where it may show, and then the search is repeated without the values that these
//! loops take. An evaluation that does not show the order commutes with every exchange, so that the steps of an image are the images of
//! the steps.
//!
//! Soundness: by induction along a run every state has its orbit in the store, provided that no evaluation at a stored state
//! was noted. Multisets are sorted again after every exchange: which slot holds an element says nothing, and elements of the group take multisets
//! to multisets, slot by slot. Exchanges of names map blocks to blocks, so they are used only where all values of all blocks are exchanged.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use ::symmetry::murphi::{Block, Motion, ProvedBlock, ValidatedGroup, motions};
use engine::{Group, SparsePermutation, Structure, UnionFind};
use explore::plan::Plan;
use explore::quotient::{self, Normal, Points, Representatives};
use explore::reductions::{GeneratorNames, GroupNames, GroupUsed, Representative};
use frontend::murphi::interpret::{State, Watched, sort_multisets};
use frontend::murphi::program::{Program, TypeId, TypeKind};
use frontend::source::Span;

use super::code::UNDEFINED;
use super::packing::{Packing, cell, value};
use crate::tuning::TUNING;

/// The most points of the literals of a state.
const MOST_POINTS: usize = 1 << 22;

/// The most contents of a cell that are literals of their own although no generator moves them: methods remember what they need of a literal.
const MOST_CONTENTS: usize = 1 << 8;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub(super) struct Wrong {
        /// The quotient is used although the order of values shows.
        ignores_order,
        /// Multisets are not sorted after an exchange.
        leaves_slots,
    }
}

/// The permutations of values and the exchanges of names that a search uses.
#[derive(Debug)]
pub(super) struct Symmetry {
    /// The binders whose order must not show.
    pub(super) watched: Watched,
    /// The group on the literals of packed states.
    acting: Group,
    /// The first literal of each cell.
    starts: Vec<u32>,
    /// Whether a cell is one literal whatever its value, which then stays.
    wide: Vec<bool>,
    /// The search for representatives, for each space to begin with.
    representatives: Representatives,
    /// Whether there are multisets.
    has_slots: bool,
    /// Whether names that the text has are exchanged, and rules with them.
    pub(super) moves_names: bool,
    /// The order of the group that is used.
    order: String,
    /// The order of the group that was proved.
    model_order: String,
    /// Whether all of it is used.
    is_whole: bool,
    /// Whether each orbit has one representative.
    pub(super) is_exact: bool,
    /// The part that is used, in the names of the model.
    names: GroupNames,
    /// Whether the order of values showed, and of which binders.
    is_broken: AtomicBool,
    broken: Mutex<BTreeSet<Span>>,
    pub(super) wrong: Wrong,
}

impl Symmetry {
    /// The part of a proved group that takes none of the values of some binders; `None` if it is trivial, or acts on too many literals.
    pub(super) fn new(
        program: &Program,
        group: &ValidatedGroup,
        without: &BTreeSet<Span>,
        method: Representative,
    ) -> Option<Symmetry> {
        Symmetry::with(program, group, without, method, Wrong::default())
    }

    /// The same, or a known-wrong variant.
    pub(super) fn with(
        program: &Program,
        group: &ValidatedGroup,
        without: &BTreeSet<Span>,
        method: Representative,
        wrong: Wrong,
    ) -> Option<Symmetry> {
        let is_used = |proved: &&ProvedBlock| proved.watched.is_disjoint(without);
        let own: Vec<&ProvedBlock> = group.blocks().iter().filter(is_used).collect();
        let is_whole = own.len() == group.blocks().len();
        let is_kept =
            |motion: &Motion| motion.block.map_or(is_whole, |block| group.blocks()[block].watched.is_disjoint(without));
        let kept: Vec<Motion> = motions(program, group)?.into_iter().filter(is_kept).collect();
        if kept.is_empty() {
            return None;
        }
        let packing = Packing::new(program);
        let mut points = points(&packing, &kept)?;
        let has_slots = program.types.list.iter().any(|of| matches!(of.kind, TypeKind::Multiset { .. }));
        if has_slots && !wrong.leaves_slots() {
            points.normal = Some(sorted_multisets(program, &packing));
        }
        let generators = kept.iter().map(|motion| on_points(motion, &packing, &points));
        let acting = Group::from_generators(points.count, generators.collect::<Option<_>>()?).ok()?;
        let (starts, wide) = (points.starts.clone(), points.wide.clone());
        debug_assert!(acting.order() <= group.order(), "the group that is used is a part of the proved one");
        let representatives = Representatives::new(&acting, &acting, points, method, None, TUNING.search)?;
        let blocks: Vec<Block> = own.iter().map(|proved| proved.block.clone()).collect();
        let moves_names = kept.iter().any(|motion| motion.block.is_none());
        Some(Symmetry {
            watched: own.iter().flat_map(|proved| proved.watched.iter().copied()).collect(),
            starts,
            wide,
            representatives,
            has_slots,
            moves_names,
            order: if is_whole { group.order() } else { acting.order() }.to_string(),
            acting,
            model_order: group.model_order().to_string(),
            is_whole,
            is_exact: quotient::is_exact(method) || has_slots,
            names: names_of(program, group, &blocks, moves_names),
            is_broken: AtomicBool::new(false),
            broken: Mutex::default(),
            wrong,
        })
    }

    /// The search for representatives, in the state in which searches begin.
    pub(super) fn representatives(&self) -> Representatives {
        self.representatives.clone()
    }

    /// The generators of the group, on literals.
    pub(super) fn generators(&self) -> &[SparsePermutation] {
        self.acting.generators()
    }

    /// The cell to which an element takes a cell, and the content that it then has.
    pub(super) fn image(&self, element: &SparsePermutation, at: usize, content: u32) -> (usize, u32) {
        let image = element.image(self.starts[at] + if self.wide[at] { 0 } else { content });
        let to = self.starts.partition_point(|&start| start <= image) - 1;
        (to, if self.wide[at] { content } else { image - self.starts[to] })
    }

    /// The image of a state under an element, its multisets sorted.
    pub(super) fn image_of(
        &self,
        program: &Program,
        packing: &Packing,
        element: &SparsePermutation,
        state: &State,
    ) -> State {
        let mut image = vec![UNDEFINED; state.len()];
        for (at, &known) in state.iter().enumerate() {
            let (to, content) = self.image(element, at, packing.content(at, value(known)));
            image[to] = packing.value_of(to, content as usize);
        }
        if self.has_slots {
            sort_multisets(program, &mut image, UNDEFINED);
        }
        image.into_iter().map(cell).collect()
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

    /// The plan of a search with this group.
    pub(super) fn plan(&self) -> Plan {
        let plan = Plan::of_group(GroupUsed {
            order: self.order.clone(),
            model_order: self.model_order.clone(),
            detector: String::new(),
            representative: self.representatives.name().to_owned(),
            exact: self.is_whole && self.is_exact,
            orbits: None,
            names: self.names.clone(),
        });
        // Loops in which assertions and other faults could change places are watched, and show it.
        Plan { keeps_fault_classes: true, ..plan }
    }
}

/// The literals of the cells: a cell of many contents is one literal where no generator moves a value of a cell of its orbit. `None` if they are
/// too many.
fn points(packing: &Packing, motions: &[Motion]) -> Option<Points> {
    let count = packing.layout.len();
    let mut orbits = UnionFind::new(count);
    for motion in motions {
        limits::work(count as u64);
        for (to, &from) in (0u32..).zip(&motion.from) {
            orbits.union(from, to);
        }
    }
    let least = orbits.least_members();
    let mut is_by_value = vec![false; count];
    for motion in motions {
        for (to, (&from, values)) in motion.from.iter().zip(&motion.values).enumerate() {
            is_by_value[least[to] as usize] |= !values.is_empty() || !packing.are_alike(from as usize, to);
        }
    }
    let is_wide = |&least: &u32| !is_by_value[least as usize] && packing.contents(least as usize) > MOST_CONTENTS;
    let wide: Vec<bool> = least.iter().map(is_wide).collect();
    let (mut starts, mut next) = (Vec::with_capacity(count), 0);
    for (at, &is_wide) in wide.iter().enumerate() {
        starts.push(u32::try_from(next).ok()?);
        next += if is_wide { 1 } else { packing.contents(at) };
        if next > MOST_POINTS {
            return None;
        }
    }
    Some(Points { layout: packing.layout.clone(), starts, wide, count: next, normal: None })
}

/// A generator on literals; `None` where a cell does not hold the image of a value.
fn on_points(motion: &Motion, packing: &Packing, points: &Points) -> Option<SparsePermutation> {
    let Points { starts, wide, .. } = points;
    let mut pairs = Vec::new();
    for (to, (&from, values)) in motion.from.iter().zip(&motion.values).enumerate() {
        let from = from as usize;
        if wide[from] {
            pairs.push((starts[from], starts[to]));
            continue;
        }
        let contents = packing.contents(from);
        if contents != packing.contents(to) {
            return None;
        }
        limits::work(contents as u64);
        for (point, content) in (starts[from]..).zip(0..contents) {
            let old = packing.value_of(from, content);
            let moved = values.iter().find(|(value, _)| i64::from(*value) == old);
            let image = moved.map_or(old, |&(_, image)| image.into());
            if !packing.holds(to, image) {
                return None;
            }
            pairs.push((point, starts[to] + packing.content(to, image)));
        }
    }
    pairs.retain(|(from, to)| from != to);
    SparsePermutation::from_pairs(pairs).ok()
}

/// The normal form of states with multisets: that of the reference semantics. Slots of one multiset are alike.
fn sorted_multisets(program: &Program, packing: &Packing) -> Normal {
    let mut alike = Vec::with_capacity(program.cells());
    for variable in &program.variables {
        first_slots(program, variable.of, variable.offset, &mut alike);
    }
    assert_eq!(alike.len(), program.cells(), "every cell is alike to one");
    let (program, packing) = (program.clone(), packing.clone());
    let normalise = move |state: &mut [u32]| {
        let values = state.iter().enumerate().map(|(at, &content)| packing.value_of(at, content as usize));
        let mut values: Vec<i64> = values.collect();
        limits::work(4 * values.len() as u64);
        sort_multisets(&program, &mut values, UNDEFINED);
        for (at, (content, value)) in state.iter_mut().zip(values).enumerate() {
            *content = packing.content(at, value);
        }
    };
    Normal { alike, normalise: Arc::new(normalise) }
}

/// For each cell of a part that begins at a cell, the cell that stands at its place in the first slots of the multisets around it.
fn first_slots(program: &Program, of: TypeId, first: usize, alike: &mut Vec<u32>) {
    let types = &program.types;
    match types.kind(of) {
        TypeKind::Array { index, element } => {
            let size = types.cells(*element);
            (0..types.count(*index)).for_each(|at| first_slots(program, *element, first + at * size, alike));
        }
        TypeKind::Record(fields) => {
            fields.iter().for_each(|field| first_slots(program, field.of, first + field.offset, alike));
        }
        TypeKind::Multiset { capacity, element } => {
            for _ in 0..*capacity {
                alike.push(u32::try_from(first).expect("cells have 32 bits"));
                first_slots(program, *element, first + 1, alike);
            }
        }
        _ => alike.push(u32::try_from(first).expect("cells have 32 bits")),
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
