//! [`Packed`]: cubes over dimensions of known sizes, in a few words, so that two of them are compared word by word.
//!
//! Each dimension is a field of bits, one per value, inside one word. Whether all fields of a word are different from zero is one sum: that of a field's lower bits and all
//! ones there carries into its highest bit unless they are zero.
//!
//! # Invariants
//!
//! Bits outside the fields are zero. No field of a cube is zero.

use super::cover::{Cube, full};

/// The most words of a cube: fields of at most 64 bits, at most 192 in all, of which any two neighbouring words have more than 64.
const MAX_WORDS: usize = 6;

/// A cube.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Packed([u64; MAX_WORDS]);

/// A dimension.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: usize,
    shift: usize,
    mask: u64,
}

/// The places of the fields.
#[derive(Debug)]
pub(super) struct Layout {
    fields: Vec<Field>,
    words: usize,
    /// The highest bit of each field.
    high: Packed,
    /// The other bits of each field.
    low: Packed,
}

impl Layout {
    /// The layout for dimensions of these sizes.
    ///
    /// # Panics
    /// If they do not fit.
    pub(super) fn new(sizes: &[usize]) -> Layout {
        let (mut word, mut shift) = (0, 0);
        let (mut fields, mut high, mut low) = (Vec::with_capacity(sizes.len()), [0; MAX_WORDS], [0; MAX_WORDS]);
        for &size in sizes {
            assert!((1..=64).contains(&size), "a dimension has one to 64 values");
            if shift + size > 64 {
                (word, shift) = (word + 1, 0);
            }
            let mask = full(size) << shift;
            let highest = 1 << (shift + size - 1);
            fields.push(Field { word, shift, mask });
            high[word] |= highest;
            low[word] |= mask & !highest;
            shift += size;
        }
        Layout { fields, words: word + 1, high: Packed(high), low: Packed(low) }
    }

    /// The cube of all points.
    pub(super) fn universe(&self) -> Packed {
        let mut cube = self.high;
        for (word, low) in cube.0.iter_mut().zip(self.low.0) {
            *word |= low;
        }
        cube
    }

    /// A cube with the values of one dimension replaced.
    pub(super) fn with(&self, cube: &Packed, dimension: usize, values: u64) -> Packed {
        let (Field { word, shift, mask }, mut cube) = (self.fields[dimension], *cube);
        cube.0[word] = cube.0[word] & !mask | values << shift & mask;
        cube
    }

    /// A cube in words.
    pub(super) fn pack(&self, cube: &Cube) -> Packed {
        debug_assert_eq!(cube.len(), self.fields.len(), "a cube has values of each dimension");
        let mut packed = Packed([0; MAX_WORDS]);
        for (field, values) in self.fields.iter().zip(cube) {
            packed.0[field.word] |= values << field.shift;
        }
        packed
    }

    /// The values of a cube by dimension.
    pub(super) fn unpack(&self, cube: &Packed) -> Cube {
        self.fields.iter().map(|field| (cube.0[field.word] & field.mask) >> field.shift).collect()
    }

    /// The highest bits of the fields of a word that are not zero.
    fn occupied(&self, word: usize, bits: u64) -> u64 {
        (((bits & self.low.0[word]) + self.low.0[word]) | bits) & self.high.0[word]
    }

    /// Whether two cubes have a point in common.
    pub(super) fn meet(&self, one: &Packed, other: &Packed) -> bool {
        (0..self.words).all(|word| self.occupied(word, one.0[word] & other.0[word]) == self.high.0[word])
    }

    /// Whether all of a cube lies in another.
    pub(super) fn inside(&self, cube: &Packed, other: &Packed) -> bool {
        (0..self.words).all(|word| cube.0[word] & !other.0[word] == 0)
    }

    /// The points that two cubes that meet have in common.
    pub(super) fn common(&self, one: &Packed, other: &Packed) -> Packed {
        debug_assert!(self.meet(one, other), "the cubes meet");
        let mut cube = *one;
        for (word, other) in cube.0.iter_mut().zip(other.0) {
            *word &= other;
        }
        cube
    }

    /// The number of dimensions that a cube restricts.
    pub(super) fn literals(&self, cube: &Packed) -> usize {
        let missing = |word: usize| (self.high.0[word] | self.low.0[word]) & !cube.0[word];
        (0..self.words).map(|word| self.occupied(word, missing(word)).count_ones() as usize).sum()
    }

    /// The maximal cubes of a function that a cube is removed from, given those of the function.
    ///
    /// A maximal cube that does not meet the removed one stays. Each other one is replaced by its maximal subcubes that do not meet it: these
    /// leave out the removed values of one dimension.
    pub(super) fn without(&self, cubes: Vec<Packed>, removed: &Packed) -> Vec<Packed> {
        let (hit, mut kept): (Vec<Packed>, Vec<Packed>) = cubes.into_iter().partition(|cube| self.meet(cube, removed));
        let restricted = |field: &&Field| removed.0[field.word] & field.mask != field.mask;
        let fields: Vec<Field> = self.fields.iter().filter(restricted).copied().collect();
        let mut shrunk: Vec<Packed> = Vec::new();
        for cube in &hit {
            for &Field { word, mask, .. } in &fields {
                let taken = removed.0[word] & mask;
                if cube.0[word] & mask & !taken != 0 {
                    let mut smaller = *cube;
                    smaller.0[word] &= !taken;
                    shrunk.push(smaller);
                }
            }
        }
        shrunk.sort_unstable();
        shrunk.dedup();
        let whole = kept.len();
        limits::work((shrunk.len() * (whole + shrunk.len()) / 4) as u64);
        for (place, cube) in shrunk.iter().enumerate() {
            let others = shrunk.iter().enumerate().filter(|&(other, _)| other != place).map(|(_, other)| other);
            if !kept[..whole].iter().chain(others).any(|other| self.inside(cube, other)) {
                kept.push(*cube);
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::super::cover::{self, Cube};
    use super::Layout;

    #[test]
    fn words_say_what_dimensions_say() {
        let mut random = engine::RandomSource::new(6);
        for sizes in [vec![3, 1, 2], vec![64, 64, 64], vec![33; 5], vec![40, 30, 34, 50, 38], vec![2; 96], vec![5; 38]]
        {
            let layout = Layout::new(&sizes);
            let mut any = || -> Cube {
                let values = |&size: &usize| match random.below(4) {
                    0 => cover::full(size),
                    1 => 1 << random.below(size),
                    _ => {
                        (0..size).fold(1 << random.below(size), |set, bit| set | u64::from(random.below(8) > 0) << bit)
                    }
                };
                sizes.iter().map(values).collect()
            };
            let mut meeting = 0;
            for _ in 0..500 {
                let (one, mut other) = (any(), any());
                if meeting < 250 {
                    other.iter_mut().zip(&one).for_each(|(other, one)| *other |= one & one.wrapping_neg());
                }
                let (packed, second) = (layout.pack(&one), layout.pack(&other));
                assert_eq!(layout.unpack(&packed), one);
                assert_eq!(layout.meet(&packed, &second), cover::meet(&one, &other));
                assert_eq!(layout.inside(&packed, &second), cover::inside(&one, &other));
                assert_eq!(layout.literals(&packed), cover::literals(&sizes, &one));
                if cover::meet(&one, &other) {
                    meeting += 1;
                    let both: Cube = one.iter().zip(&other).map(|(one, other)| one & other).collect();
                    assert_eq!(layout.unpack(&layout.common(&packed, &second)), both);
                    assert!(layout.inside(&layout.pack(&both), &packed));
                }
            }
            assert!(meeting > 200, "{sizes:?}");
            let last = layout.with(&layout.universe(), sizes.len() - 1, 1);
            assert_eq!(layout.unpack(&last)[sizes.len() - 1], 1);
        }
    }
}
