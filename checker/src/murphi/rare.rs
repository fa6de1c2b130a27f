//! Instructions of compiled code that occur less often.

use frontend::murphi::interpret::{binary, unary};

use super::code::{Code, Op, UNDEFINED};
use super::machine::{Machine, Stop, number, slot};

impl Machine {
    /// Instructions that occur less often.
    #[inline(never)]
    pub(super) fn other<const RECORDS: bool>(&mut self, code: &Code, op: &Op, base: usize) -> Result<(), Stop> {
        match *op {
            Op::Unary { op, to, from, site } => {
                let value = simple(self.get(base, from));
                let result = unary(op, value).map_err(|kind| self.fault_of(code, site, kind))?;
                self.set(base, to, result.into());
            }
            Op::Binary { op, to, left, right, site } => {
                let (left, right) = (simple(self.get(base, left)), simple(self.get(base, right)));
                let result = binary(op, left, right).map_err(|kind| self.fault_of(code, site, kind))?;
                self.set(base, to, result.into());
            }
            Op::IsSame { to, left, right, count } => {
                let (left, right, count) = (self.find(base, left), self.find(base, right), count as usize);
                let is_same = (0..count).all(|at| self.read::<RECORDS>(left + at) == self.read::<RECORDS>(right + at));
                self.set(base, to, is_same.into());
            }
            Op::IsMember { to, from, values } => {
                let position = position(&code.tables[values as usize], self.get(base, from));
                self.set(base, to, position.is_some().into());
            }
            Op::Lookup { to, from, index, values, stride, site } => {
                let value = self.get(base, index);
                let found = position(&code.tables[values as usize], value);
                let position = found.ok_or_else(|| self.fault(code, site, value))?;
                self.set(base, to, number(self.find(base, from)) + position * i64::from(stride));
            }
            Op::WithinTable { from, values, site } => {
                let value = self.get(base, from);
                if value != UNDEFINED && position(&code.tables[values as usize], value).is_none() {
                    return Err(self.fault(code, site, value));
                }
            }
            Op::Fill { to, values } => {
                let to = self.find(base, to);
                for (at, &value) in (to..).zip(&code.tables[values as usize]) {
                    self.change::<RECORDS>(at, value);
                }
            }
            Op::Entry { to, index, values } => {
                let entry = code.tables[values as usize][slot(self.get(base, index))];
                self.set(base, to, entry);
            }
            Op::NonZero { from, site } => {
                if self.get(base, from) == 0 {
                    return Err(self.fault(code, site, 0));
                }
            }
            Op::Fault { site } => return Err(self.fault(code, site, 0)),
            Op::Cover { cover } => {
                self.order.cover();
                if !self.covers.contains(&cover) {
                    self.covers.push(cover);
                }
            }
            Op::Slot { .. } | Op::Used { .. } | Op::Take { .. } => {
                assert!(!RECORDS, "reads of multisets are not recorded");
                self.multiset(code, op, base)?;
            }
            Op::Begin { frame, is_pure } => self.order.begin(base + frame as usize, is_pure),
            Op::NextRound => self.order.next(),
            Op::EndRounds => self.order.end(),
            Op::NoteRead { from, count } => self.order.read(self.find(base, from), count as usize),
            Op::NoteWrite { to, count } => self.order.write(self.find(base, to), count as usize),
            Op::Break => self.order.is_broken = true,
            _ => unreachable!("other instructions are performed where they occur"),
        }
        Ok(())
    }
}

/// A simple value.
#[inline]
fn simple(value: i64) -> i32 {
    i32::try_from(value).expect("a defined value")
}

/// The position of a value among those of a type with gaps.
fn position(parts: &[i64], value: i64) -> Option<i64> {
    let mut before = 0;
    for part in parts.chunks_exact(2) {
        if (part[0]..=part[1]).contains(&value) {
            return Some(before + value - part[0]);
        }
        before += part[1] - part[0] + 1;
    }
    None
}
