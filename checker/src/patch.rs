//! Changes of packed states.

use explore::states::Field;

/// A change of one word of a packed state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Patch {
    /// The word.
    pub(crate) word: usize,
    /// The bits that stay.
    pub(crate) keep: u64,
    /// The bits that are set.
    pub(crate) set: u64,
}

/// Adds a write of a field to patches, one per word.
pub(crate) fn write(patches: &mut Vec<Patch>, Field { word, shift, mask }: Field, content: u32) {
    let (word, bits) = (word as usize, u64::from(content) << shift);
    debug_assert!(u64::from(content) <= mask, "a content fits into its field");
    match patches.iter_mut().find(|patch| patch.word == word) {
        Some(patch) => {
            patch.keep &= !(mask << shift);
            patch.set = patch.set & !(mask << shift) | bits;
        }
        None => patches.push(Patch { word, keep: !(mask << shift), set: bits }),
    }
}

/// Changes a packed state.
#[inline]
pub(crate) fn apply(patches: &[Patch], words: &mut [u64]) {
    for &Patch { word, keep, set } in patches {
        let word = &mut words[word];
        *word = *word & keep | set;
    }
}
