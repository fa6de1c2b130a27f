//! The exchanges of the values of blocks, listed, and as tables of images.

use std::collections::BTreeMap;

use ::symmetry::murphi::Block;
use ::symmetry::murphi::action::Renaming;

use super::code::UNDEFINED;

/// The images of the values from a first one on.
#[derive(Clone, Debug)]
pub(super) struct Table {
    first: i32,
    pub(super) images: Vec<i32>,
}

impl Table {
    /// The image of a value.
    #[inline]
    pub(super) fn image(&self, value: i64) -> i64 {
        if value == UNDEFINED {
            return value;
        }
        let at = usize::try_from(value - i64::from(self.first)).ok();
        at.and_then(|at| self.images.get(at)).map_or(value, |&image| image.into())
    }
}

/// The order of the product of the groups of blocks, if it is no larger than numbers.
pub(super) fn order(blocks: &[Block]) -> Option<usize> {
    let factors = |block: &Block| if block.is_ring { block.values.len() } else { 2 }..=block.values.len();
    blocks.iter().flat_map(factors).try_fold(1usize, usize::checked_mul)
}

/// Whether a permutation of the values of some blocks exchanges two of one block, or turns one: these generate all.
pub(super) fn generates(blocks: &[Block], renaming: &Renaming) -> bool {
    let moved = renaming.iter().flat_map(|(&class, images)| {
        images.iter().filter(|(value, image)| value != image).map(move |(&value, _)| (class, value))
    });
    let moved: Vec<(u32, i32)> = moved.collect();
    let has_all =
        |block: &&Block| moved.iter().all(|(class, value)| *class == block.class && block.values.contains(value));
    blocks.iter().find(has_all).is_some_and(|block| moved.len() == 2 || block.is_ring && !moved.is_empty())
}

/// All permutations of the values of some blocks, or rotations, the identity first.
pub(super) fn renamings(blocks: &[Block]) -> Vec<Renaming> {
    let mut list = vec![Renaming::new()];
    for Block { class, values, is_ring } in blocks {
        if *is_ring {
            let rotated = |amount: usize| {
                let images = values.iter().copied().zip(values.iter().copied().cycle().skip(amount));
                let images: BTreeMap<i32, i32> = images.filter(|_| amount > 0).collect();
                list.iter().map(move |renaming| {
                    let mut renaming = renaming.clone();
                    renaming.entry(*class).or_default().extend(images.iter());
                    renaming
                })
            };
            list = (0..values.len()).flat_map(rotated).collect();
            continue;
        }
        // Each value in turn changes places with one before it, or stays.
        for last in 1..values.len() {
            let shorter = std::mem::take(&mut list);
            let swapped = |other: usize| {
                shorter.iter().map(move |renaming| {
                    let mut renaming = renaming.clone();
                    let images: &mut BTreeMap<i32, i32> = renaming.entry(*class).or_default();
                    let image = |value: i32| images.get(&value).copied().unwrap_or(value);
                    let [one, two] = [image(values[last]), image(values[other])];
                    images.extend([(values[last], two), (values[other], one)]);
                    renaming
                })
            };
            list = (0..=last).rev().flat_map(swapped).collect();
        }
    }
    list
}

/// The table of the images of some values; others stay.
pub(super) fn table(images: Option<&BTreeMap<i32, i32>>) -> Table {
    let Some((&first, &last)) =
        images.and_then(|images| Some((images.first_key_value()?.0, images.last_key_value()?.0)))
    else {
        return Table { first: 0, images: Vec::new() };
    };
    let image = |value: i32| images.and_then(|images| images.get(&value)).copied().unwrap_or(value);
    Table { first, images: (first..=last).map(image).collect() }
}
