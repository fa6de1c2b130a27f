//! The packing of the states of a model of Murphi: one bit field per cell, 0 where it is undefined, else one more than
//! the position of its value in its type.
//!
//! Types are finite and known, so a packing never changes.

use explore::states::{Layout, bits};
use frontend::murphi::interpret::{Cell, State, parts};
use frontend::murphi::program::{Program, TypeId};

use super::code::UNDEFINED;

/// The packing of states.
#[derive(Clone, Debug)]
pub(super) struct Packing {
    /// The places of the cells.
    pub(super) layout: Layout,
    fields: Vec<Field>,
    /// Values of types with gaps.
    lists: Vec<Vec<i64>>,
    /// The cell of each bit of a state, where the bit belongs to one.
    by_bit: Vec<u32>,
}

/// The values of one cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Field {
    /// One less than the least value.
    base: i64,
    /// The number of values.
    count: u32,
    /// The list of the values, where they are not those from the least one on.
    listed: Option<usize>,
}

/// The number of a value in a field.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the values of a cell have numbers")]
fn content(position: i64) -> u32 {
    position.cast_unsigned() as u32
}

/// A cell as compiled code has it.
pub(super) fn value(cell: Cell) -> i64 {
    cell.map_or(UNDEFINED, i64::from)
}

/// A cell of the reference semantics.
pub(super) fn cell(value: i64) -> Cell {
    (value != UNDEFINED).then(|| i32::try_from(value).expect("a simple value"))
}

impl Packing {
    /// The packing of the states of a program.
    pub(super) fn new(program: &Program) -> Packing {
        let mut lists: Vec<Vec<i64>> = Vec::new();
        let mut field = |of: Option<TypeId>| {
            // The cell of a slot says that it is used.
            let Some(of) = of else { return Field { base: 0, count: 1, listed: None } };
            let ranges = program.types.values(of);
            let count = u32::try_from(program.types.count(of)).expect("the values of a cell have numbers");
            let is_whole = ranges.windows(2).all(|pair| i64::from(*pair[0].end()) + 1 == i64::from(*pair[1].start()));
            let listed = (!is_whole).then(|| {
                let list: Vec<i64> = ranges.iter().cloned().flatten().map(i64::from).collect();
                lists.iter().position(|known| *known == list).unwrap_or_else(|| {
                    lists.push(list);
                    lists.len() - 1
                })
            });
            Field { base: i64::from(program.types.least(of)) - 1, count, listed }
        };
        let fields: Vec<Field> = parts(program).into_iter().map(|part| field(part.of)).collect();
        let layout = Layout::new(fields.iter().map(|field| bits(field.count)).collect());
        let mut by_bit = vec![u32::MAX; layout.stride() * u64::BITS as usize];
        for (number, at) in (0u32..).zip(0..fields.len()) {
            let place = layout.place(at);
            let first = place.word as usize * u64::BITS as usize + place.shift as usize;
            by_bit[first..first + place.mask.count_ones() as usize].fill(number);
        }
        assert_eq!(layout.len(), fields.len(), "every cell has its field");
        Packing { layout, fields, lists, by_bit }
    }

    /// Appends a packed state.
    pub(super) fn pack(&self, state: impl Iterator<Item = i64>, words: &mut Vec<u64>) {
        let first = words.len();
        words.resize(first + self.layout.stride(), 0);
        let own = &mut words[first..];
        for (at, value) in state.enumerate().filter(|&(_, value)| value != UNDEFINED) {
            self.set(own, at, value);
        }
    }

    /// A state of the reference semantics, packed.
    pub(super) fn packed(&self, state: &State) -> Vec<u64> {
        assert_eq!(state.len(), self.fields.len(), "a state has a value, or none, for each cell");
        let mut words = Vec::with_capacity(self.layout.stride());
        self.pack(state.iter().copied().map(value), &mut words);
        words
    }

    /// The content of the field of a cell with a value of its type.
    #[inline]
    pub(super) fn content(&self, at: usize, value: i64) -> u32 {
        let field = &self.fields[at];
        match field.listed {
            _ if value == UNDEFINED => 0,
            None => content(value - field.base),
            Some(list) => {
                let position = self.lists[list].iter().position(|&known| known == value);
                u32::try_from(position.expect("a value of its type")).expect("the values of a cell have numbers") + 1
            }
        }
    }

    /// The number of contents of the field of a cell.
    pub(super) fn contents(&self, at: usize) -> usize {
        self.fields[at].count as usize + 1
    }

    /// The value of a cell with a content.
    pub(super) fn value_of(&self, at: usize, content: usize) -> i64 {
        self.value(at, content as u64)
    }

    /// Whether the contents of two cells are the same values.
    pub(super) fn are_alike(&self, one: usize, other: usize) -> bool {
        self.fields[one] == self.fields[other]
    }

    /// Whether a value is one of the type of a cell.
    pub(super) fn holds(&self, at: usize, value: i64) -> bool {
        let field = &self.fields[at];
        match field.listed {
            _ if value == UNDEFINED => true,
            None => value > field.base && value - field.base <= i64::from(field.count),
            Some(list) => self.lists[list].contains(&value),
        }
    }

    /// Changes the value of a cell of a packed state.
    #[inline]
    pub(super) fn set(&self, words: &mut [u64], at: usize, value: i64) {
        let content = self.content(at, value);
        debug_assert!(content <= self.fields[at].count, "a cell holds a value of its type");
        self.layout.set(words, at, content);
    }

    /// Visits the cells that differ between two packed states, with their values in the second one.
    #[inline]
    pub(super) fn differences(&self, from: &[u64], to: &[u64], mut visit: impl FnMut(usize, i64)) {
        for (word, (&from, &to)) in from.iter().zip(to).enumerate() {
            let mut differ = from ^ to;
            while differ != 0 {
                let at = self.by_bit[word * u64::BITS as usize + differ.trailing_zeros() as usize] as usize;
                let place = self.layout.place(at);
                differ &= !(place.mask << place.shift);
                visit(at, self.value(at, to >> place.shift & place.mask));
            }
        }
    }

    /// The value of a cell whose field holds a number.
    #[inline]
    fn value(&self, at: usize, content: u64) -> i64 {
        let field = &self.fields[at];
        match (content, field.listed) {
            (0, _) => UNDEFINED,
            (_, None) => field.base + content.cast_signed(),
            (_, Some(list)) => self.lists[list][usize::try_from(content - 1).expect("a number of a value")],
        }
    }

    /// One cell of a packed state.
    pub(super) fn cell_of(&self, words: &[u64], at: usize) -> Cell {
        cell(self.value(at, self.layout.get(words, at).into()))
    }

    /// The cells of a packed state.
    pub(super) fn unpack(&self, words: &[u64]) -> State {
        assert_eq!(words.len(), self.layout.stride(), "a packed state has all its words");
        (0..self.fields.len()).map(|at| self.cell_of(words, at)).collect()
    }

    /// Whether words are a packed state: every cell is undefined or of its type, and no unused bit is set.
    pub(super) fn is_state(&self, words: &[u64], used: &[u64]) -> bool {
        words.iter().zip(used).all(|(word, used)| word & !used == 0)
            && self.fields.iter().enumerate().all(|(at, field)| self.layout.get(words, at) <= field.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontend::diagnostics::Diagnostics;
    use frontend::murphi::interpret::{starts, successors};
    use frontend::murphi::{Options, parse};

    #[test]
    fn packing_keeps_every_state() {
        let text = "type a: enum { p, q }; b: scalarset(3); c: enum { r }; u: union { b, c };
            var x: -3 .. 4; y: array [b] of u; z: record t: a; w: boolean; end; m: multiset [2] of u;
            startstate begin x := 4; undefine y; z.w := true; end;
            ruleset i: b; v: u do rule begin y[i] := v; z.t := q; undefine z.w; x := -3; end; end;
            ruleset v: u do rule multisetcount(s: m, true) < 2 ==> begin multisetadd(v, m); end; end;";
        let program = parse(text, &Options::default(), &mut Diagnostics::new()).program.expect("a model");
        let packing = Packing::new(&program);
        let mut states: Vec<State> = starts(&program).into_iter().filter_map(|start| start.result.ok()).collect();
        for at in 0..30 {
            states.extend(successors(&program, &states[at].clone()).into_iter().filter_map(|step| step.result.ok()));
        }
        let used = packing.layout.used();
        for state in states {
            let mut words = Vec::new();
            packing.pack(state.iter().copied().map(value), &mut words);
            assert!(packing.is_state(&words, &used));
            assert_eq!(packing.unpack(&words), state);
        }
    }
}
