//! [`ValidatedGroup`]: the proved symmetries of a program that fix some properties.

use std::collections::{BTreeMap, BTreeSet};

use engine::{Group, SparsePermutation};
use frontend::murphi::interpret::Watched;
use frontend::murphi::program::{Claim, Program, TypeKind};
use frontend::source::Span;
use num_bigint::BigUint;

use super::action::Renaming;
use super::equivariance::{Wrong, prove};
use super::exchange::{self, Exchange, propose};
use super::keeping::Place;
use super::names::Names;
use super::obstacle::{Obstacle, Reason};
use super::order::Order;
use super::points::{Images, Name, exchanges, is_named};
use super::roles::{Class, Roles};
use super::starts;
use super::tries::Trial;
use super::uses::{Block, Uses, uses};

/// The proposal of the detector: the classes of the places, and the values that may be exchanged.
#[derive(Debug)]
pub struct Candidates {
    /// The classes, and what the text does with them.
    pub uses: Uses,
    /// The values of each class, all permutations or rotations of which are proposed.
    pub blocks: Vec<Block>,
    /// Exchanges of names.
    pub exchanges: Vec<Exchange>,
}

impl Candidates {
    /// Those of a program with the properties that are claimed; of declared scalar sets only if so wanted.
    #[must_use]
    pub fn new(program: &Program, claims: &[Claim], is_declared: bool) -> Candidates {
        let uses = uses(program, claims);
        let mut blocks = uses.blocks(&program.types);
        if is_declared {
            blocks = blocks.into_iter().flat_map(|block| declared(program, &uses, &block)).collect();
        }
        let exchanges = if is_declared { Vec::new() } else { propose(program) };
        Candidates { uses, blocks, exchanges }
    }
}

/// The values of a block that are members of the same declared scalar set.
fn declared(program: &Program, uses: &Uses, block: &Block) -> Vec<Block> {
    let types = &program.types;
    let mut own = uses.facts[block.class as usize].types.keys();
    // Integers are no members, whatever their numbers.
    let has_members = own.any(|&of| matches!(types.kind(of), TypeKind::Names(_)));
    let sorts = types.sorts.iter().filter(|sort| has_members && sort.members.is_none());
    let parts = sorts.map(|sort| block.values.iter().copied().filter(|&value| sort.contains(value)).collect());
    parts.filter(|values: &Vec<i32>| values.len() > 1).map(|values| Block { values, ..block.clone() }).collect()
}

/// A block whose permutations are proved to be symmetries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProvedBlock {
    /// The class and its values.
    pub block: Block,
    /// The binders whose order is watched by each search.
    pub watched: BTreeSet<Span>,
}

/// Proved symmetries: the product of the symmetric groups of blocks of values, or of their rotations, and exchanges of names, which map blocks to blocks.
#[derive(Debug)]
pub struct ValidatedGroup {
    /// The program whose symmetries they are, and the claims that they fix. Fingerprints of other languages are of the debug text, and
    /// that of a program has a table without an order.
    program: Program,
    claims: Vec<Claim>,
    /// The classes of the places of the program.
    pub(super) uses: Uses,
    /// The same with the text of its starts.
    pub(super) text: Uses,
    pub(super) blocks: Vec<ProvedBlock>,
    /// The exchanges of names.
    exchanges: Vec<Exchange>,
    /// The names that exchanges move and that are in no block: the points behind those of the blocks.
    moved: Vec<Name>,
    /// The blocks that are not in the group, with the reason.
    pub(super) refused: Vec<(Block, Obstacle)>,
    /// The permutations of the values of all blocks and of the names that move, as points.
    group: Group,
    /// The order without regard to properties.
    model_order: BigUint,
    names: Names,
    /// Whether only declared scalar sets are looked at.
    pub(super) is_declared: bool,
}

impl ValidatedGroup {
    /// The symmetries of a program that its text shows and proves, as far as they fix the properties that are claimed.
    #[must_use]
    pub fn of(program: &Program, claims: &[Claim], is_declared: bool) -> ValidatedGroup {
        ValidatedGroup::new(program, claims, Candidates::new(program, claims, is_declared), is_declared)
    }

    /// The proved ones of some candidates.
    ///
    /// # Panics
    /// If the reference interpreter contradicts a proof.
    #[must_use]
    pub fn new(program: &Program, claims: &[Claim], candidates: Candidates, is_declared: bool) -> ValidatedGroup {
        let order = Order::new(program);
        let without = || largest(program, &[], Candidates::new(program, &[], is_declared), is_declared, &order);
        let model_order = if claims.is_empty() { None } else { Some(without().grouped.group.order()) };
        let Largest { grouped, text } = largest(program, claims, candidates, is_declared, &order);
        let Grouped { proved, exchanges, moved, group } = grouped;
        let Proved { uses, blocks, refused, exchanges: _ } = proved;
        let text = text.unwrap_or_else(|| uses.clone());
        let ascends = |block: &Block| block.values.len() > 1 && block.values.is_sorted_by(|one, next| one < next);
        assert!(blocks.iter().all(|proved| ascends(&proved.block)), "a block has several values, each once");
        let own: Vec<&Block> = blocks.iter().map(|proved| &proved.block).collect();
        let points = own.iter().map(|block| block.values.len()).sum::<usize>() + moved.len();
        assert_eq!(group.degree(), points, "the group acts on the values of blocks and on names");
        let names = Names::new(program, &uses, &own);
        let model_order = model_order.unwrap_or_else(|| group.order());
        let (program, claims) = (program.clone(), claims.to_vec());
        ValidatedGroup {
            program,
            claims,
            uses,
            text,
            blocks,
            exchanges,
            moved,
            refused,
            group,
            model_order,
            names,
            is_declared,
        }
    }

    /// Whether the group was validated for this program and for claims with these among them.
    #[must_use]
    pub fn is_for<'c>(&self, program: &Program, claims: impl IntoIterator<Item = &'c Claim>) -> bool {
        self.program == *program && claims.into_iter().all(|claim| self.claims.contains(claim))
    }

    /// The group as if it had been validated for something else, for tests of what must notice that it was not.
    #[cfg(any(test, feature = "mutants"))]
    #[must_use]
    pub fn mistaken_for(self, program: &Program, claims: &[Claim]) -> ValidatedGroup {
        ValidatedGroup { program: program.clone(), claims: claims.to_vec(), ..self }
    }

    /// The exchanges of names.
    #[must_use]
    pub fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// The blocks of values.
    #[must_use]
    pub fn blocks(&self) -> &[ProvedBlock] {
        &self.blocks
    }

    /// The classes of the places of the program.
    #[must_use]
    pub fn roles(&self) -> &Roles {
        &self.uses.roles
    }

    /// The group on the values of all blocks, block by block, and on the names that exchanges move.
    #[must_use]
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// Its order.
    #[must_use]
    pub fn order(&self) -> BigUint {
        self.group.order()
    }

    /// The order without regard to properties.
    #[must_use]
    pub fn model_order(&self) -> &BigUint {
        &self.model_order
    }

    /// The names of the values.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The binders that searches watch.
    #[must_use]
    pub fn watched(&self) -> Watched {
        self.blocks.iter().flat_map(|proved| proved.watched.iter().copied()).collect()
    }

    /// The blocks that are not in the group, with the reason.
    #[must_use]
    pub fn refused(&self) -> &[(Block, Obstacle)] {
        &self.refused
    }

    /// Whether the values of a block are members of a declared scalar set.
    #[must_use]
    pub fn is_scalar_set(&self, program: &Program, block: &Block) -> bool {
        declared(program, &self.uses, block).iter().any(|part| part.values == block.values)
    }

    /// The structure of the group, by its action on blocks where this is faithful.
    #[must_use]
    pub fn structure(&self) -> String {
        let degree: usize = self.blocks.iter().map(|proved| proved.block.values.len()).sum();
        let on_blocks = self.group.generators().iter().map(|generator| {
            let pairs = generator.pairs().iter().copied().filter(|&(from, _)| (from as usize) < degree);
            SparsePermutation::from_pairs(pairs.collect()).expect("blocks go to blocks")
        });
        let on_blocks = Group::from_generators(degree, on_blocks.collect()).expect("points of blocks");
        let faithful = if on_blocks.order() == self.group.order() { &on_blocks } else { &self.group };
        faithful.name().to_string()
    }

    /// The orbits of the points that move.
    #[must_use]
    pub fn orbits(&self, program: &Program) -> Vec<Vec<String>> {
        let names = |orbit: Vec<u32>| orbit.into_iter().map(|point| self.point(program, point)).collect();
        self.group.moved_orbits().into_iter().map(names).collect()
    }

    /// The cycles of each exchange of names.
    #[must_use]
    pub fn cycles_of_exchanges(&self, program: &Program) -> Vec<Vec<Vec<String>>> {
        let generators = self.group.generators();
        let last = &generators[generators.len() - self.exchanges.len()..];
        let cycles = last.iter().map(|generator| {
            let cycle = |cycle: Vec<u32>| cycle.into_iter().map(|point| self.point(program, point)).collect();
            generator.cycles().into_iter().map(cycle).collect()
        });
        cycles.collect()
    }

    /// The block of a class that has a permutation of values, among the points.
    pub(super) fn place(&self, class: Class, images: &BTreeMap<i32, i32>) -> Option<Place<'_>> {
        let mut first = 0;
        for proved in &self.blocks {
            if proved.block.class == class && proved.block.has(images) {
                return Some(Place { first, block: &proved.block });
            }
            first += u32::try_from(proved.block.values.len()).expect("blocks are bounded");
        }
        None
    }

    /// An element as it moves values; `None` if it takes values from block to block, or names.
    pub(super) fn renaming(&self, element: &SparsePermutation) -> Option<Renaming> {
        let (mut first, mut renaming) = (0u32, Renaming::new());
        for ProvedBlock { block, .. } in &self.blocks {
            for (&value, point) in block.values.iter().zip(first..) {
                let at = element.image(point).checked_sub(first)?;
                let &image = block.values.get(at as usize)?;
                if image != value {
                    renaming.entry(block.class).or_default().insert(value, image);
                }
            }
            first += u32::try_from(block.values.len()).expect("blocks are bounded");
        }
        element.support().all(|point| point < first).then_some(renaming)
    }

    /// The name of a point of the group.
    #[must_use]
    pub fn point(&self, program: &Program, point: u32) -> String {
        let mut rest = point as usize;
        for proved in &self.blocks {
            if let Some(&value) = proved.block.values.get(rest) {
                return self.names.value(proved.block.class, value);
            }
            rest -= proved.block.values.len();
        }
        match self.moved[rest] {
            Name::Variable(at) => program.variables[at].name.clone(),
            Name::Member(value) => {
                let sort = program.types.sorts.iter().find(|sort| sort.contains(value)).expect("a member of a sort");
                let at = value - sort.first;
                let own = sort.members.as_ref().and_then(|members| members.get(usize::try_from(at).ok()?));
                own.cloned().unwrap_or_else(|| format!("{}_{}", sort.name, at + 1))
            }
        }
    }
}

struct Proved {
    uses: Uses,
    blocks: Vec<ProvedBlock>,
    refused: Vec<(Block, Obstacle)>,
    /// The proposed exchanges of names.
    exchanges: Vec<Exchange>,
}

/// Blocks with the exchanges of names that are proved and map blocks to blocks.
struct Grouped {
    proved: Proved,
    exchanges: Vec<Exchange>,
    moved: Vec<Name>,
    group: Group,
}

/// The larger of two groups.
struct Largest {
    grouped: Grouped,
    /// The uses of the text with its starts, where the group is that of the list of start states.
    text: Option<Uses>,
}

/// The group that the text proves, or the one of the list of start states where that is larger.
fn largest(
    program: &Program,
    claims: &[Claim],
    candidates: Candidates,
    is_declared: bool,
    order: &Order<'_>,
) -> Largest {
    let candidates = keeping_further(program, candidates);
    let by_text = grouped(program, claims, order, proved(program, program, claims, candidates, order));
    let Some(by_list) = by_list(program, claims, is_declared, order, &by_text.proved.blocks) else {
        return Largest { grouped: by_text, text: None };
    };
    if by_list.group.order() <= by_text.group.order() {
        return Largest { grouped: by_text, text: None };
    }
    let (mut grouped, text) = (by_list, by_text.proved.uses);
    let refused = by_text.proved.refused.into_iter().filter_map(|(block, obstacle)| {
        let own = own_classes(program, &text.roles, &grouped.proved.uses.roles, block.class);
        let is_in = |class: &u32| grouped.proved.blocks.iter().any(|proved| proved.block.has_all(*class, &block));
        let class = own.into_iter().find(|class| !is_in(class))?;
        Some((Block { class, ..block }, obstacle))
    });
    let refused: Vec<(Block, Obstacle)> = refused.collect();
    for (block, obstacle) in refused {
        if grouped.proved.refused.iter().all(|(other, _)| *other != block) {
            grouped.proved.refused.push((block, obstacle));
        }
    }
    Largest { grouped, text: Some(text) }
}

/// The candidates for the text of a program; where it has start states that are no part of the text, their blocks are cut to the parts that keep
/// the list of all start states.
fn keeping_further(program: &Program, mut candidates: Candidates) -> Candidates {
    if program.further.is_empty() {
        return candidates;
    }
    let list = starts::listed(program).unwrap_or_default();
    let roles = &candidates.uses.roles;
    let parts = |block: &Block| match list.is_empty() {
        true => Vec::new(),
        false => starts::split(program, roles, block, &list, starts::Wrong::default()),
    };
    candidates.blocks = candidates.blocks.iter().flat_map(parts).collect();
    candidates
}

/// The group of the steps, its blocks cut to the parts that keep the list of start states; `None` if no block has other values than those of the text.
fn by_list(
    program: &Program,
    claims: &[Claim],
    is_declared: bool,
    order: &Order<'_>,
    by_text: &[ProvedBlock],
) -> Option<Grouped> {
    let list = starts::listed(program).filter(|list| !list.is_empty())?;
    let steps = starts::without(program);
    let mut candidates = Candidates::new(&steps, claims, is_declared);
    let roles = &candidates.uses.roles;
    let parts = |block: &Block| starts::split(program, roles, block, &list, starts::Wrong::default());
    candidates.blocks = candidates.blocks.iter().flat_map(parts).collect();
    let mut of_text: Vec<&Vec<i32>> = by_text.iter().map(|proved| &proved.block.values).collect();
    let mut own: Vec<&Vec<i32>> = candidates.blocks.iter().map(|block| &block.values).collect();
    of_text.sort_unstable();
    own.sort_unstable();
    if own == of_text {
        return None;
    }
    Some(grouped(program, claims, order, proved(program, &steps, claims, candidates, order)))
}

/// The classes in which variables are by one account of the uses whose class by another account is this one, ascending.
pub(super) fn own_classes(program: &Program, text: &Roles, own: &Roles, class: Class) -> Vec<Class> {
    let of_text = super::action::classes(program, text);
    let of_own = super::action::classes(program, own);
    assert_eq!(of_text.len(), of_own.len(), "the same variables");
    let mut found: Vec<Class> =
        of_text.into_iter().zip(of_own).filter(|(one, _)| *one == class).map(|(_, other)| other).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Proves exchanges of names, and leaves out those that others generate.
///
/// # Panics
/// If the reference interpreter contradicts a proof.
fn grouped(program: &Program, claims: &[Claim], order: &Order<'_>, proved: Proved) -> Grouped {
    let blocks: Vec<Block> = proved.blocks.iter().map(|proved| proved.block.clone()).collect();
    let degree: usize = blocks.iter().map(|block| block.values.len()).sum();
    let mut list = Vec::new();
    for exchange in &proved.exchanges {
        if !exchange::proves(program, claims, exchange, order, exchange::Wrong::default()) {
            continue;
        }
        if let Some(contradiction) = exchange::contradiction(program, claims, exchange) {
            panic!("a symmetry was proved by text, and the reference interpreter contradicts it: {contradiction}");
        }
        if let Some(images) = exchange.of_blocks(program, &proved.uses.roles, &blocks) {
            list.push((exchange, images));
        }
    }
    let members = |block: &Block| block.values.clone();
    let in_blocks: BTreeSet<i32> =
        blocks.iter().filter(|block| is_named(program, &proved.uses, block)).flat_map(members).collect();
    let names = list.iter().flat_map(|(exchange, _)| {
        let variables = exchange.variables.keys().map(|&at| Name::Variable(at));
        variables.chain(exchange.members.keys().map(|&value| Name::Member(value)))
    });
    let is_free = |name: &Name| !matches!(name, Name::Member(value) if in_blocks.contains(value));
    let moved: Vec<Name> = names.filter(is_free).collect::<BTreeSet<Name>>().into_iter().collect();
    let mut generators = exchanges(&proved.blocks);
    let total = degree + moved.len();
    let (mut kept, mut group) = (Vec::new(), Group::from_generators(total, generators.clone()).expect("points"));
    for (exchange, images) in list {
        let images = Images { program, uses: &proved.uses, blocks: &blocks, of_blocks: &images, moved: &moved };
        let Some(permutation) = images.permutation(exchange) else { continue };
        if !group.contains_sparse(&permutation) {
            generators.push(permutation);
            group = Group::from_generators(total, generators.clone()).expect("points of the group");
            kept.push(exchange.clone());
        }
    }
    Grouped { proved, exchanges: kept, moved, group }
}

/// Proves candidates on a text, tries what is proved on the program, and leaves out what the trial breaks.
fn proved(program: &Program, text: &Program, claims: &[Claim], candidates: Candidates, order: &Order<'_>) -> Proved {
    let Candidates { uses, blocks: candidates, exchanges } = candidates;
    let (mut blocks, mut refused) = (Vec::new(), Vec::new());
    for block in candidates {
        match prove(text, &uses.roles, &block, claims, order, Wrong::default()) {
            Ok(watched) => blocks.push(ProvedBlock { block, watched }),
            Err(obstacle) => refused.push((block, obstacle)),
        }
    }
    let generators: Vec<Renaming> = blocks.iter().flat_map(|proved| generators(&proved.block)).collect();
    let watched = blocks.iter().flat_map(|proved| proved.watched.iter().copied()).collect();
    let trial = Trial { program, claims, roles: &uses.roles, generators: &generators, watched: &watched };
    let broken = if blocks.is_empty() { Ok(BTreeSet::new()) } else { trial.run() };
    let broken = broken.unwrap_or_else(|contradiction| {
        panic!("a symmetry was proved by text, and the reference interpreter contradicts it: {contradiction}")
    });
    let (kept, lost): (Vec<ProvedBlock>, Vec<ProvedBlock>) =
        blocks.into_iter().partition(|proved| proved.watched.is_disjoint(&broken));
    refused.extend(lost.into_iter().map(|proved| {
        let span = *proved.watched.intersection(&broken).next().expect("an order shows");
        (proved.block, Obstacle { span, reason: Reason::Rounds })
    }));
    Proved { uses, blocks: kept, refused, exchanges }
}

/// An exchange and a rotation, which generate all permutations of a block; of values that rotate the rotation.
fn generators(block: &Block) -> Vec<Renaming> {
    let rotation = Block { is_ring: true, ..block.clone() }.generators();
    let first = if block.is_ring { None } else { block.generators().into_iter().next() };
    let rotation = if block.values.len() > 2 || block.is_ring { rotation } else { Vec::new() };
    first.into_iter().chain(rotation).map(|pairs| Renaming::from([(block.class, pairs)])).collect()
}
