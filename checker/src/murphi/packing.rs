//! The packing of the states of a model of Murphi: one bit field per cell, 0 where it is undefined, else one more than
//! the position of its value in its type.
//!
//! Types are finite and known, so a packing never changes.

use explore::states::{Layout, bits};
use frontend::murphi::interpret::{Cell, State, parts};
use frontend::murphi::program::{Program, TypeId, TypeKind};

use super::code::UNDEFINED;

/// The packing of states.
#[derive(Clone, Debug)]
pub(super) struct Packing {
    /// The places of the cells.
    pub(super) layout: Layout,
    fields: Vec<Field>,
}

/// The values of one cell.
#[derive(Clone, Copy, Debug)]
struct Field {
    /// The least value.
    low: i32,
    /// The number of values.
    count: u32,
    /// The type, where its values are not those from the least one on.
    listed: Option<TypeId>,
}

impl Field {
    /// The content of the field for a value.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the values of a cell have numbers")]
    fn content(self, value: i64) -> u32 {
        (value - i64::from(self.low)).cast_unsigned() as u32 + 1
    }
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
        let types = &program.types;
        let field = |of: Option<TypeId>| {
            // The cell of a slot says that it is used.
            let Some(of) = of else { return Field { low: 1, count: 1, listed: None } };
            let is_union = matches!(types.kind(of), TypeKind::Names(sorts) if sorts.len() > 1);
            let count = u32::try_from(types.count(of)).expect("the values of a cell have numbers");
            Field { low: types.least(of), count, listed: is_union.then_some(of) }
        };
        let fields: Vec<Field> = parts(program).into_iter().map(|part| field(part.of)).collect();
        Packing { layout: Layout::new(fields.iter().map(|field| bits(field.count)).collect()), fields }
    }

    /// Appends a packed state.
    pub(super) fn pack(&self, program: &Program, state: impl Iterator<Item = i64>, words: &mut Vec<u64>) {
        let first = words.len();
        words.resize(first + self.layout.stride(), 0);
        let own = &mut words[first..];
        for (at, value) in state.enumerate().filter(|&(_, value)| value != UNDEFINED) {
            self.set(program, own, (at, value));
        }
    }

    /// Changes the value of a cell of a packed state.
    #[inline]
    pub(super) fn set(&self, program: &Program, words: &mut [u64], (at, value): (usize, i64)) {
        let field = &self.fields[at];
        let content = match field.listed {
            _ if value == UNDEFINED => 0,
            None => field.content(value),
            Some(of) => {
                let value = i32::try_from(value).expect("a simple value");
                let position = program.types.position(of, value).expect("a value of its type");
                u32::try_from(position).expect("the values of a cell have numbers") + 1
            }
        };
        debug_assert!(content <= field.count, "a cell holds a value of its type");
        self.layout.set(words, at, content);
    }

    /// The values of a packed state.
    pub(super) fn values(&self, program: &Program, words: &[u64]) -> impl Iterator<Item = i64> {
        self.fields.iter().enumerate().map(|(at, field)| match (self.layout.get(words, at), field.listed) {
            (0, _) => UNDEFINED,
            (content, None) => i64::from(field.low) + i64::from(content) - 1,
            (content, Some(of)) => value_at(program, of, content - 1).into(),
        })
    }

    /// The cells of a packed state.
    pub(super) fn unpack(&self, program: &Program, words: &[u64]) -> State {
        self.values(program, words).map(cell).collect()
    }

    /// Whether words are a packed state: every cell is undefined or of its type, and no unused bit is set.
    pub(super) fn is_state(&self, words: &[u64], used: &[u64]) -> bool {
        words.iter().zip(used).all(|(word, used)| word & !used == 0)
            && self.fields.iter().enumerate().all(|(at, field)| self.layout.get(words, at) <= field.count)
    }
}

/// The value of a union at a position.
fn value_at(program: &Program, of: TypeId, position: u32) -> i32 {
    let mut rest = position.cast_signed();
    for range in program.types.values(of) {
        let size = range.end() - range.start() + 1;
        if rest < size {
            return range.start() + rest;
        }
        rest -= size;
    }
    panic!("a packed state has values of its types")
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
            packing.pack(&program, state.iter().copied().map(value), &mut words);
            assert!(packing.is_state(&words, &used));
            assert_eq!(packing.unpack(&program, &words), state);
        }
    }
}
