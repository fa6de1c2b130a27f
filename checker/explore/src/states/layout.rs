//! Bit-packed global states: one bit field per component, and fields that widen as components take more values.
//!
//! A field never crosses a word, so reading or writing one is a shift and a mask. Fields are placed by first fit in
//! their order. When a component takes a value that does not fit, [`Layout::widened`] gives a new layout, and the
//! owner rewrites the states that it stored under the old one. Fields get spare bits where these take no further
//! word, so rewriting stays rare. Layouts of many fields are packed less tightly: every field gets spare bits, and
//! only the last word is tried for the next field, so that a layout is made in linear time and rewriting is as rare
//! as for few fields.
//!
//! Invariants: `fields[i].mask == 2^widths[i] - 1`; fields do not overlap; `stride >= 1`; bits outside all fields are 0.

/// The most spare bits that a field gets when a layout is made.
const SPARE_BITS: usize = 3;

/// The least spare bits of a tight layout: rewriting every state soon again costs more than a byte.
const LEAST_SPARE: usize = 4;

/// The number of fields from which a layout is made in linear time.
const MANY_FIELDS: usize = 96;

/// The place of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its word.
    pub word: u32,
    /// The place of its lowest bit in the word.
    pub shift: u32,
    /// The mask of its bits, moved to the bottom.
    pub mask: u64,
}

/// The placement of all fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    widths: Vec<u32>,
    fields: Vec<Field>,
    /// An odd factor for each field.
    factors: Vec<u64>,
    /// The greatest value of each component when [`Layout::widened`] made the layout; else none.
    greatest: Vec<u32>,
    stride: usize,
    bytes: usize,
}

/// Fields that move together from one layout to another.
#[derive(Clone, Copy, Debug)]
struct Move {
    from: usize,
    to: usize,
    /// Their bits in the word they come from.
    mask: u64,
    /// The distance by which they are rotated to the left.
    turn: u32,
}

/// The rewriting of states of one layout for another.
#[derive(Clone, Debug)]
pub struct Conversion(Vec<Move>);

impl Conversion {
    /// Rewrites a state.
    #[inline]
    pub fn convert(&self, words: &[u64], out: &mut [u64]) {
        debug_assert!(
            self.0.iter().all(|step| step.from < words.len() && step.to < out.len()),
            "states of the layouts"
        );
        out.fill(0);
        for &Move { from, to, mask, turn } in &self.0 {
            out[to] |= (words[from] & mask).rotate_left(turn);
        }
        let ones = |words: &[u64]| words.iter().map(|word| word.count_ones()).sum::<u32>();
        debug_assert_eq!(ones(words), ones(out), "no value of a state is cut or written over another");
    }
}

/// The factor of a field: arbitrary bits, odd.
fn factor(field: usize) -> u64 {
    let mixed = (field as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ mixed >> 32) | 1
}

/// Bits that hold every value up to `value`.
pub fn bits(value: u32) -> u32 {
    u32::BITS - value.leading_zeros()
}

impl Layout {
    /// Fields of the given widths in bits, each at most 32.
    pub fn new(widths: Vec<u32>) -> Layout {
        let mut used: Vec<u32> = vec![0];
        let mut fields = Vec::with_capacity(widths.len());
        for &width in &widths {
            let first = if widths.len() < MANY_FIELDS { 0 } else { used.len() - 1 };
            let fits = used[first..].iter().position(|&bits| bits + width <= u64::BITS);
            let word = fits.map(|position| first + position).unwrap_or_else(|| {
                used.push(0);
                used.len() - 1
            });
            let word_number = u32::try_from(word).expect("fewer words than fields");
            // A field of no bits may follow 64 used ones; its shift must still be a shift.
            let shift = if width == 0 { 0 } else { used[word] };
            fields.push(Field { word: word_number, shift, mask: (1 << width) - 1 });
            used[word] += width;
        }
        let factors = (0..widths.len()).map(factor).collect();
        let last = used[used.len() - 1].div_ceil(u8::BITS) as usize;
        let bytes = ((used.len() - 1) * size_of::<u64>() + last).max(1);
        assert!(used.iter().all(|&bits| bits <= u64::BITS), "fields lie within their words");
        assert!(bytes <= used.len() * size_of::<u64>(), "the bytes of a state lie within its words");
        Layout { widths, fields, factors, greatest: Vec::new(), stride: used.len(), bytes }
    }

    /// The widths of the fields in bits.
    pub fn widths(&self) -> &[u32] {
        &self.widths
    }

    /// Words of a packed state.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Whole bytes that hold all fields, when words are written one after the other, low bytes first.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The number of fields.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The place of a field.
    #[inline]
    pub fn place(&self, field: usize) -> Field {
        self.fields[field]
    }

    /// The value of a field.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "fields have at most 32 bits")]
    pub fn get(&self, words: &[u64], field: usize) -> u32 {
        let Field { word, shift, mask } = self.fields[field];
        ((words[word as usize] >> shift) & mask) as u32
    }

    /// A hash of the values of the fields that does not depend on the places of the fields, and that is the same with
    /// and without fields that are 0.
    #[inline]
    pub fn hash(&self, words: &[u64]) -> u64 {
        let term = |(field, &factor): (&Field, &u64)| {
            ((words[field.word as usize] >> field.shift) & field.mask).wrapping_mul(factor)
        };
        self.fields.iter().zip(&self.factors).map(term).fold(0, u64::wrapping_add)
    }

    /// The difference in [`Layout::hash`] of a state when a field is set to a value.
    #[inline]
    pub fn change(&self, words: &[u64], field: usize, value: u32) -> u64 {
        let Field { word, shift, mask } = self.fields[field];
        let old = words[word as usize] >> shift & mask;
        u64::from(value).wrapping_sub(old).wrapping_mul(self.factors[field])
    }

    /// Sets a field to a value that [`fits`](Layout::fits).
    #[inline]
    pub fn set(&self, words: &mut [u64], field: usize, value: u32) {
        let Field { word, shift, mask } = self.fields[field];
        debug_assert!(u64::from(value) <= mask, "the field holds the value");
        let word = &mut words[word as usize];
        *word = *word & !(mask << shift) | u64::from(value) << shift;
    }

    /// Whether there is such a field and it holds such a value.
    #[inline]
    pub fn fits(&self, field: usize, value: u32) -> bool {
        self.fields.get(field).is_some_and(|field| u64::from(value) <= field.mask)
    }

    /// The bits of all fields, by word: all others of a state are 0.
    pub fn used(&self) -> Vec<u64> {
        let mut used = vec![0; self.stride];
        for &Field { word, shift, mask } in &self.fields {
            used[word as usize] |= mask << shift;
        }
        used
    }

    /// A layout with a field for each of `greatest`, the greatest value that each component takes so far, in which
    /// `field` also holds `value`. Fields get spare bits, those first whose values have grown since `self` was made, the
    /// fullest of them first, as long as that takes no further word; in a tight layout as long as it takes no further
    /// byte, or one byte if there would be fewer than four, or than one for each field that has grown.
    pub fn widened(&self, field: usize, value: u32, greatest: &[u32], is_tight: bool) -> Layout {
        let mut greatest = greatest.to_vec();
        greatest.resize(greatest.len().max(field + 1), 0);
        greatest[field] = greatest[field].max(value);
        if greatest.len() >= MANY_FIELDS {
            let spare = u32::try_from(SPARE_BITS).expect("a small constant");
            let widths = greatest.iter().map(|&value| (bits(value).max(1) + spare).min(u32::BITS)).collect();
            return Layout { greatest, ..Layout::new(widths) };
        }
        let mut layout = Layout::new(greatest.iter().copied().map(bits).collect());
        let needed: u32 = layout.widths.iter().sum();
        // The greatest value with its leading one moved to the top: the degree to which the field is full, whatever
        // its width.
        let fullest = |at: &usize| std::cmp::Reverse(greatest[*at] << greatest[*at].leading_zeros());
        let used = (0..greatest.len()).filter(|&at| greatest[at] > 0);
        let (mut growing, mut constant): (Vec<usize>, Vec<usize>) =
            used.partition(|&at| greatest[at] > self.greatest.get(at).copied().unwrap_or(0));
        growing.sort_by_key(fullest);
        constant.sort_by_key(fullest);
        let least = growing.len().max(LEAST_SPARE);
        let is_full = layout.bytes * (u8::BITS as usize) < needed as usize + least;
        let most = if is_tight { layout.bytes + usize::from(is_full) } else { layout.stride * size_of::<u64>() };
        for at in growing.repeat(SPARE_BITS).into_iter().chain(constant.repeat(SPARE_BITS)) {
            let mut widths = layout.widths.clone();
            widths[at] = (widths[at] + 1).min(u32::BITS);
            let spare = Layout::new(widths);
            if spare.bytes <= most {
                layout = spare;
            }
        }
        Layout { greatest, ..layout }
    }

    /// The rewriting of states packed under `self` for `new`, whose fields hold its values.
    pub fn conversion(&self, new: &Layout) -> Conversion {
        assert!(self.len() <= new.len(), "no field is left behind");
        let mut moves: Vec<Move> = Vec::new();
        for (old, new) in self.fields.iter().zip(&new.fields).filter(|(old, _)| old.mask > 0) {
            let (from, to) = (old.word as usize, new.word as usize);
            let turn = new.shift.wrapping_sub(old.shift) % u64::BITS;
            let mask = old.mask << old.shift;
            match moves.last_mut() {
                Some(last) if (last.from, last.to, last.turn) == (from, to, turn) => last.mask |= mask,
                _ => moves.push(Move { from, to, mask, turn }),
            }
        }
        Conversion(moves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: &mut u64) -> u32 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(*seed >> 33).expect("31 bits")
    }

    #[test]
    fn fields_keep_their_values_through_every_widening() {
        let mut seed = 7;
        for fields in [1, 3, 17, 40] {
            let mut naive = vec![0u32; fields];
            let mut layout = Layout::new(vec![0; fields]);
            let mut words = vec![0; layout.stride()];
            for _ in 0..500 {
                let field = random(&mut seed) as usize % fields;
                let value = random(&mut seed) >> (random(&mut seed) % 32);
                if !layout.fits(field, value) {
                    let wide = layout.widened(field, value, &naive, random(&mut seed).is_multiple_of(2));
                    let mut out = vec![u64::MAX; wide.stride()];
                    layout.conversion(&wide).convert(&words, &mut out);
                    (layout, words) = (wide, out);
                }
                layout.set(&mut words, field, value);
                naive[field] = value;
                for (at, &value) in naive.iter().enumerate() {
                    assert_eq!(layout.get(&words, at), value);
                }
            }
        }
    }

    #[test]
    fn spare_bits_go_to_the_fullest_fields_and_never_take_another_word() {
        let none = Layout::new(Vec::new());
        let wide = none.widened(3, 1 << 13, &[0x8000, 0xffff, 0xc000, 1], false);
        assert_eq!((wide.stride(), wide.bytes()), (1, 8));
        assert_eq!(wide.widths, [16, 17, 17, 14]);
        assert_eq!(none.widened(1, 5, &[1, 0, 0], false).widths, [4, 6, 0]);
        assert_eq!(none.widened(1, 5, &[1, 0, 0], true).widths, [3, 5, 0]);
    }

    #[test]
    fn a_tight_layout_that_would_be_full_gets_another_byte() {
        let none = Layout::new(Vec::new());
        let full = none.widened(0, 1 << 9, &[0, 1 << 9, 1 << 9, 1 << 8, 1 << 8, 1 << 8, 1 << 6], true);
        assert_eq!((full.stride(), full.bytes()), (2, 9));
        assert_eq!(none.widened(0, 1 << 12, &[0], true).widths, [16]);
        assert_eq!(none.widened(0, 1 << 13, &[0], true).widths, [17]);
    }

    #[test]
    fn spare_bits_go_to_fields_that_grow() {
        let none = Layout::new(Vec::new());
        let first = none.widened(1, 64, &[5, 63, 63], true);
        assert_eq!(first.widths, [6, 9, 9]);
        let second = first.widened(1, 1 << 12, &[5, 300, 1 << 11], true);
        assert_eq!((second.widths(), second.bytes()), (&[3, 15, 14][..], 4));
    }

    #[test]
    fn the_hash_does_not_depend_on_the_layout() {
        let (narrow, wide) = (Layout::new(vec![3, 0, 9, 5]), Layout::new(vec![30, 7, 32, 32, 4]));
        let mut hashes = std::collections::BTreeSet::new();
        for (first, second) in (0..8).flat_map(|first| (0..512).map(move |second| (first, second))) {
            let mut words = vec![0; narrow.stride()];
            narrow.set(&mut words, 0, first);
            narrow.set(&mut words, 2, second);
            let mut out = vec![0; wide.stride()];
            narrow.conversion(&wide).convert(&words, &mut out);
            assert_eq!(narrow.hash(&words), wide.hash(&out));
            let none = vec![0; wide.stride()];
            let changes = wide.change(&none, 0, first).wrapping_add(wide.change(&none, 2, second));
            assert_eq!(wide.hash(&none).wrapping_add(changes), wide.hash(&out));
            assert_eq!(wide.hash(&out).wrapping_add(wide.change(&out, 2, second)), wide.hash(&out));
            hashes.insert(narrow.hash(&words));
        }
        assert_eq!(hashes.len(), 8 * 512);
    }

    #[test]
    fn a_new_field_starts_absent() {
        let layout = Layout::new(vec![32, 32]);
        assert!(!layout.fits(2, 0));
        let wide = layout.widened(3, 1, &[u32::MAX, u32::MAX], true);
        assert_eq!(wide.len(), 4);
        let mut out = vec![0; wide.stride()];
        layout.conversion(&wide).convert(&[u64::MAX], &mut out);
        assert_eq!((0..4).map(|field| wide.get(&out, field)).collect::<Vec<_>>(), [u32::MAX, u32::MAX, 0, 0]);
    }
}
