//! The values of some elements of a packed state, side by side in one number or two.
//!
//! Elements that lie next to each other in a word are taken together, so that an array costs one mask and one rotation.
//!
//! Invariant: two packed states have the same key if and only if they agree on the elements; a key has [`Gather::bits`] bits, those above
//! the first 64 in its second number.

use explore::states::{Field, Layout};

/// The gathered values.
pub(super) type Key = [u64; 2];

/// Elements to be gathered.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Gather {
    pieces: Vec<Piece>,
    /// The pieces of the first number of a key.
    first: usize,
    bits: u32,
}

/// Bits of one word that go to one place of the key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    word: u32,
    /// The distance by which the bits are rotated to the left.
    turn: u32,
    /// Their bits in the word.
    mask: u64,
}

impl Gather {
    /// Gathers elements in the order given; nothing if a key would have more than 128 bits. An element is in one number of the key.
    pub(super) fn new(elements: &[usize], layout: &Layout) -> Option<Gather> {
        let mut gather = Gather::default();
        for &element in elements {
            let Field { word, shift, mask } = layout.place(element);
            let width = mask.count_ones();
            if width == 0 {
                continue;
            }
            if gather.bits < u64::BITS && gather.bits + width > u64::BITS {
                gather.bits = u64::BITS;
            }
            let (is_second, turn) = (gather.bits >= u64::BITS, gather.bits.wrapping_sub(shift) % u64::BITS);
            gather.bits += width;
            if gather.bits > 2 * u64::BITS {
                return None;
            }
            let begins = is_second && gather.pieces.len() == gather.first;
            match gather.pieces.last_mut() {
                Some(last) if (last.word, last.turn) == (word, turn) && !begins => last.mask |= mask << shift,
                _ => {
                    gather.pieces.push(Piece { word, turn, mask: mask << shift });
                    gather.first += usize::from(!is_second);
                }
            }
        }
        assert!(gather.first <= gather.pieces.len(), "the pieces of the first number come first");
        Some(gather)
    }

    /// The bits of a key.
    pub(super) fn bits(&self) -> u32 {
        self.bits
    }

    /// The number of pieces of a key.
    pub(super) fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// Known to be wrong: without its last piece.
    #[cfg(test)]
    pub(super) fn without_a_part(mut self) -> Gather {
        self.pieces.pop();
        self.first = self.first.min(self.pieces.len());
        self
    }

    /// The key of a packed state.
    #[inline]
    pub(super) fn key(&self, state: &[u64]) -> Key {
        let (first, second) = self.pieces.split_at(self.first);
        [together(first, state), together(second, state)]
    }

    /// The key of a packed state where it has at most 64 bits.
    #[inline]
    pub(super) fn small_key(&self, state: &[u64]) -> u64 {
        debug_assert!(self.bits <= u64::BITS, "the key is one number");
        together(&self.pieces, state)
    }
}

#[inline]
fn together(pieces: &[Piece], state: &[u64]) -> u64 {
    let part = |piece: &Piece| (state[piece.word as usize] & piece.mask).rotate_left(piece.turn);
    pieces.iter().map(part).fold(0, |key, part| key | part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_values_side_by_side() {
        let layout = Layout::new(vec![3, 30, 5, 31, 2, 0, 7]);
        let mut seed = 11u64;
        let wide: Vec<usize> = (0..7).cycle().take(14).collect();
        assert_eq!(Gather::new(&wide, &layout), None);
        for elements in
            [&[0usize, 1, 2, 3][..], &[4, 2, 0], &[5], &[6, 4], &[1, 3], &[0, 5, 1], &[1, 3, 6, 0], &[1, 3, 1, 3]]
        {
            let gather = Gather::new(elements, &layout).expect("few bits");
            for _ in 0..200 {
                let mut state = vec![0; layout.stride()];
                let (mut expected, mut place) = ([0u64; 2], 0);
                for element in 0..layout.len() {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let mask = (1u64 << layout.widths()[element]) - 1;
                    layout.set(&mut state, element, u32::try_from(seed >> 33 & mask).expect("a field"));
                }
                for &element in elements {
                    let width = layout.widths()[element];
                    place = if place < 64 && place + width > 64 { 64 } else { place };
                    expected[place as usize / 64] |= u64::from(layout.get(&state, element)) << (place % 64);
                    place += width;
                }
                assert_eq!((gather.key(&state), gather.bits()), (expected, place));
                assert!(place > 64 || gather.small_key(&state) == expected[0]);
            }
        }
    }

    #[test]
    fn neighbours_are_one_piece() {
        let layout = Layout::new(vec![2; 40]);
        let pieces = |elements: &[usize]| Gather::new(elements, &layout).map(|gather| gather.pieces());
        assert_eq!(pieces(&[0, 1, 2, 3]), Some(1));
        assert_eq!(pieces(&[1, 0]), Some(2));
        assert_eq!(pieces(&[30, 31, 32]), Some(2));
        assert_eq!(pieces(&(0..32).collect::<Vec<_>>()), Some(1));
    }
}
