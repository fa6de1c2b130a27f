//! Elements of groups of one program as permutations of common points, so that groups that were found in different ways can be compared.
//!
//! A point is a cell of the state, or a cell with a value. An element takes the cell that comes to another one to that one, and a value of
//! a cell to its image there. Points of values are kept for the values that some element moves; other values follow their cells. Slots of
//! multisets are taken as they stand, before they are sorted.
//!
//! Invariants: two elements that act alike on the points act alike on every state.

use std::collections::BTreeSet;

use engine::SparsePermutation;
use frontend::murphi::program::Program;

use super::action::{Renaming, cells};
use super::group::ValidatedGroup;

/// Generators of some groups on common points.
#[derive(Clone, Debug)]
pub struct OnLiterals {
    /// The number of points.
    pub degree: usize,
    /// For each group its generators, in the order of those of [`ValidatedGroup::group`].
    pub generators: Vec<Vec<SparsePermutation>>,
}

/// How a generator moves cells and the values in them.
#[derive(Clone, Debug)]
pub struct Motion {
    /// The block whose values it permutes, among those of the group; none for an exchange of names.
    pub block: Option<usize>,
    /// The cell that comes to each cell.
    pub from: Vec<u32>,
    /// The values that move in each cell after it came to its place, with their images.
    pub values: Vec<Vec<(i32, i32)>>,
}

/// The generators of groups of one program on common points; `None` where there would be too many points.
pub fn on_literals(program: &Program, groups: &[&ValidatedGroup]) -> Option<OnLiterals> {
    let motions: Vec<Vec<Motion>> = groups.iter().map(|group| motions(program, group)).collect::<Option<_>>()?;
    let all = || motions.iter().flatten();
    let moved: BTreeSet<i32> = all().flat_map(|motion| motion.values.iter().flatten().map(|&(from, _)| from)).collect();
    let moved: Vec<i32> = moved.into_iter().collect();
    let width = moved.len() + 1;
    let degree = program.cells().checked_mul(width).filter(|&degree| u32::try_from(degree).is_ok())?;
    let point = |cell: usize, value: Option<i32>| {
        let place = value.map_or(0, |value| 1 + moved.binary_search(&value).expect("a value that moves"));
        u32::try_from(cell * width + place).expect("fewer points than numbers")
    };
    let permutation = |motion: &Motion| {
        let mut pairs = Vec::new();
        debug_assert_eq!(motion.from.len(), motion.values.len(), "a motion has every cell");
        for (to, (&from, values)) in motion.from.iter().zip(&motion.values).enumerate() {
            let from = from as usize;
            if from == to && values.is_empty() {
                continue;
            }
            limits::work(width as u64);
            pairs.push((point(from, None), point(to, None)));
            for &value in &moved {
                let image = values.iter().find(|(own, _)| *own == value).map_or(value, |&(_, image)| image);
                pairs.push((point(from, Some(value)), point(to, Some(image))));
            }
        }
        SparsePermutation::from_pairs(pairs).ok()
    };
    let generators = motions.iter().map(|list| list.iter().map(permutation).collect::<Option<Vec<_>>>());
    Some(OnLiterals { degree, generators: generators.collect::<Option<Vec<_>>>()? })
}

/// The motions of the generators of a group, in their order: those of the blocks, then the exchanges of names; `None` if an exchange does not fit.
///
/// # Panics
/// If the generators of the group are others than those of its blocks and exchanges.
#[must_use]
pub fn motions(program: &Program, group: &ValidatedGroup) -> Option<Vec<Motion>> {
    let mut list = Vec::new();
    for (number, proved) in group.blocks().iter().enumerate() {
        for images in proved.block.generators() {
            let renaming = Renaming::from([(proved.block.class, images)]);
            let cells = cells(program, group.roles(), &renaming);
            let values = cells.classes.iter().map(|class| {
                let images = renaming.get(class).into_iter().flatten();
                images.filter(|(from, to)| from != to).map(|(&from, &to)| (from, to)).collect()
            });
            list.push(Motion { block: Some(number), values: values.collect(), from: cells.from });
        }
    }
    for exchange in group.exchanges() {
        let moved = exchange.cells(program)?;
        let own: Vec<(i32, i32)> = exchange.members.iter().map(|(&from, &to)| (from, to)).collect();
        let values = moved.is_named.iter().map(|&is_named| if is_named { own.clone() } else { Vec::new() });
        list.push(Motion { block: None, values: values.collect(), from: moved.from });
    }
    assert_eq!(list.len(), group.group().generators().len(), "a motion for each generator");
    Some(list)
}
