//! Jump threading: a jump to a test whose outcome is known goes on behind the test.
//!
//! A test of a slot that has jumped knows that the slot is defined, and whether it has a value; nothing is written on the way to
//! the next instruction.

use super::super::code::{Op, Target};

/// The most instructions that one jump skips.
const MOST: usize = 64;

/// Makes the jumps of linked code longer.
pub(super) fn thread(ops: &mut [Op]) {
    limits::work(ops.len() as u64);
    for at in (0..ops.len()).rev() {
        let mut op = ops[at];
        if let Some(target) = op.target() {
            *target = destination(ops, at);
            assert!(*target as usize <= ops.len(), "a jump leads to an instruction, or to the end");
        }
        ops[at] = op;
    }
}

/// Where a jump ends.
fn destination(ops: &[Op], at: usize) -> Target {
    let mut jump = ops[at];
    let mut target = *jump.target().expect("a jump");
    for _ in 0..MOST {
        target = match ops.get(target as usize) {
            Some(&Op::Jump { target: next }) => next,
            Some(&Op::JumpSlot { slot, value, on, target: next, .. }) => match equality(jump, slot, value) {
                Some(truth) => {
                    if truth == on {
                        next
                    } else {
                        target + 1
                    }
                }
                None => break,
            },
            _ => break,
        };
    }
    target
}

/// The truth of the equality of a slot and a value after a jump, if it is known.
fn equality(jump: Op, of: u32, other: i32) -> Option<bool> {
    let Op::JumpSlot { slot, value, on, .. } = jump else { return None };
    (slot == of && (on || value == other)).then_some(on && value == other)
}
