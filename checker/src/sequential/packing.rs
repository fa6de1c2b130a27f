//! The packing of the states of a process: one bit field per element, of the width of its sort, in the order of the
//! variables.
//!
//! Every sort is finite and known, so a packing never changes. Locals lie behind the elements of the state and are never packed.

use frontend::sequential::Sequential;

use explore::states::{Layout, bits};

/// The packing of states.
#[derive(Clone, Debug)]
pub(super) struct Packing {
    /// The places of the elements.
    pub(super) layout: Layout,
    /// The least value of each element.
    pub(super) lows: Vec<i32>,
    /// The greatest value of each element.
    pub(super) highs: Vec<i32>,
    /// Elements and locals.
    working: usize,
}

impl Packing {
    /// The packing of the states of a process.
    pub(super) fn new(model: &Sequential) -> Packing {
        let bounds: Vec<(i32, i32)> =
            model.element_sorts().into_iter().map(|sort| model.domain(sort).bounds()).collect();
        let width = |&(low, high): &(i32, i32)| bits(high.wrapping_sub(low).cast_unsigned());
        let layout = Layout::new(bounds.iter().map(width).collect());
        assert!(bounds.iter().all(|(low, high)| low <= high), "domains are not empty");
        assert_eq!(layout.len(), bounds.len(), "every element has its field");
        let (lows, highs) = bounds.into_iter().unzip();
        Packing { layout, lows, highs, working: model.working_len() }
    }

    /// The bits of elements.
    pub(super) fn bits(&self, elements: &[usize]) -> u32 {
        elements.iter().map(|&element| self.layout.place(element).mask.count_ones()).sum()
    }

    /// Sets an element of a packed state.
    #[inline]
    pub(super) fn set(&self, words: &mut [u64], element: usize, value: i32) {
        debug_assert!(self.lows[element] <= value && value <= self.highs[element], "a value is in its domain");
        self.layout.set(words, element, value.wrapping_sub(self.lows[element]).cast_unsigned());
    }

    /// Whether words are a packed state: every element is in its domain, and no unused bit is set.
    pub(super) fn is_state(&self, words: &[u64], used: &[u64]) -> bool {
        let bounds = self.lows.iter().zip(&self.highs).enumerate();
        words.iter().zip(used).all(|(word, used)| word & !used == 0)
            && bounds.into_iter().all(|(element, (low, high))| {
                self.layout.get(words, element) <= high.wrapping_sub(*low).cast_unsigned()
            })
    }

    /// The values of a packed state.
    pub(super) fn unpack(&self, words: &[u64], state: &mut Vec<i32>) {
        debug_assert_eq!(words.len(), self.layout.stride(), "a packed state has all its words");
        state.clear();
        state.extend((0..self.lows.len()).map(|element| self.value(words, element)));
    }

    /// The value of an element of a packed state.
    pub(super) fn value(&self, words: &[u64], element: usize) -> i32 {
        self.lows[element].wrapping_add(self.layout.get(words, element).cast_signed())
    }

    /// The values of a packed state, and room for locals behind them.
    pub(super) fn unpack_to_work(&self, words: &[u64], state: &mut Vec<i32>) {
        self.unpack(words, state);
        state.resize(self.working, 0);
    }

    /// A packed state.
    pub(super) fn pack(&self, state: &[i32]) -> Vec<u64> {
        debug_assert_eq!(state.len(), self.lows.len(), "a state has a value for each element");
        let mut words = vec![0; self.layout.stride()];
        for (element, &value) in state.iter().enumerate() {
            self.set(&mut words, element, value);
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontend::diagnostics::Diagnostics;
    use frontend::sequential::interpret::{State, initial_states};
    use frontend::sequential::{Options, parse};

    #[test]
    fn packing_keeps_every_state() {
        let text = "type A : -3..4; type B : 7..7; type C : { p, q, r };
                    proc P(a : A, b : B[C], c : C[A]) = [true] e { } -> P; init P(a = *, b = 7, c = q);";
        let model = parse(text, &Options::default(), &mut Diagnostics::new()).model.expect("a model");
        let packing = Packing::new(&model);
        assert_eq!(packing.layout.stride(), 1);
        let mut unpacked = State::new();
        for state in initial_states(&model) {
            packing.unpack(&packing.pack(&state), &mut unpacked);
            assert_eq!(unpacked, state);
        }
    }
}
