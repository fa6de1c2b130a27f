//! The instructions of compiled models of Murphi, and what they refer to.
//!
//! Memory is one list of slots: the state, then the frames of the bodies in progress. A slot holds a simple value or
//! [`UNDEFINED`]. A frame begins with two registers that never change, [`ZERO`] and [`BASE`], then the result of a function, then
//! locals, then intermediate values. A [`Place`] is the content of a register plus a distance, so that one form covers what is
//! fixed in the state ([`ZERO`]), what is fixed in the frame ([`BASE`]), and what was computed or came from a caller.
//!
//! Bodies are shared: a procedure is compiled once for each way in which its accesses are noted ([`Notes`]), whatever the calls.

use frontend::murphi::interpret::FaultKind;
use frontend::murphi::program::{BinaryOp, CoverId, TypeId};
use frontend::murphi::syntax::ast::UnaryOp;
use frontend::source::Span;

/// A slot of the current frame.
pub(super) type Register = u32;

/// The number of an instruction; before linking, of a label.
pub(super) type Target = u32;

/// Index into [`Code::sites`].
pub(super) type Site = u32;

/// Index into [`Code::tables`].
pub(super) type Table = u32;

/// The content of a slot without value; no value is as small.
pub(super) const UNDEFINED: i64 = i64::MIN;

/// The register that holds 0.
pub(super) const ZERO: Register = 0;

/// The register that holds the first slot of the frame.
pub(super) const BASE: Register = 1;

/// The first register of the result of a function.
pub(super) const RESULT: Register = 2;

/// The slot at a distance from the one whose number a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) register: Register,
    pub(super) distance: u32,
}

impl Place {
    /// A slot of the state.
    pub(super) fn of_state(slot: u32) -> Place {
        Place { register: ZERO, distance: slot }
    }

    /// A slot of the frame.
    pub(super) fn of_frame(register: Register) -> Place {
        Place { register: BASE, distance: register }
    }
}

/// The values of a simple type from the least on, if they have no gaps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    pub(super) low: i32,
    pub(super) count: u32,
}

impl Bounds {
    /// The position of a value; at least [`Bounds::count`] if it is none.
    #[inline]
    pub(super) fn position(self, value: i64) -> u64 {
        value.wrapping_sub(i64::from(self.low)).cast_unsigned()
    }

    /// Whether a value is one of them.
    #[inline]
    pub(super) fn holds(self, value: i64) -> bool {
        self.position(value) < u64::from(self.count)
    }
}

/// An instruction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Op {
    /// Writes a constant to a register.
    Constant { to: Register, value: i64 },
    /// Copies a register.
    Move { to: Register, from: Register },
    /// Faults if the slot is undefined.
    Load { to: Register, from: Place, site: Site },
    /// The number of the slot itself.
    Address { to: Register, from: Place },
    /// The element of an array at an index.
    Index { to: Register, from: Place, index: Register, bounds: Bounds, stride: u16, site: Site },
    /// As `Index`, where the index type has gaps or the stride is long.
    Lookup { to: Register, from: Place, index: Register, values: Table, stride: u32, site: Site },
    /// The element in a slot of a multiset; faults if it is not used.
    Slot { to: Register, from: Place, slot: Register, size: u32, site: Site },
    /// The result of an operator with one operand.
    Unary { op: UnaryOp, to: Register, from: Register, site: Site },
    /// The result of an operator with two operands.
    Binary { op: BinaryOp, to: Register, left: Register, right: Register, site: Site },
    /// The sum with a constant.
    Add { to: Register, from: Register, value: i32, site: Site },
    /// Whether two whole values are the same.
    IsSame { to: Register, left: Place, right: Place, count: u32 },
    /// Whether a value is one of a table.
    IsMember { to: Register, from: Register, values: Table },

    /// Jumps.
    Jump { target: Target },
    /// Jumps if a register holds a truth.
    JumpIf { from: Register, on: bool, target: Target },
    /// Jumps if the truth of a comparison is `on`.
    JumpCompare { op: BinaryOp, left: Register, right: Register, on: bool, target: Target },
    /// Jumps if the truth of the equality is `on`.
    JumpValue { from: Register, value: i32, on: bool, target: Target },
    /// As `JumpValue`, of a slot of the state; faults if it is undefined.
    JumpSlot { slot: u32, value: i32, on: bool, target: Target, site: Site },
    /// Jumps if `on` says whether a slot is undefined.
    JumpUndefined { from: Place, on: bool, target: Target },

    /// Faults if the value is defined and outside.
    Within { from: Register, bounds: Bounds, site: Site },
    /// As `Within`, where the type has gaps.
    WithinTable { from: Register, values: Table, site: Site },
    /// Writes a register to a slot.
    Store { to: Place, from: Register },
    /// As `Within`, then `Store`.
    StoreWithin { to: Place, from: Register, bounds: Bounds, site: Site },
    /// Writes a constant to a slot.
    StoreConstant { to: Place, value: i64 },
    /// Copies slots.
    Copy { to: Place, from: Place, count: u32 },
    /// Makes slots undefined.
    Undefine { to: Place, count: u32 },
    /// Writes the values of a table.
    Fill { to: Place, values: Table },

    /// Counts a round of a loop.
    Round { site: Site },
    /// Adds one and jumps, unless the last value is reached.
    Next { value: Register, last: i64, target: Target },
    /// An entry of a table.
    Entry { to: Register, index: Register, values: Table },
    /// Faults if the step of a loop is zero.
    NonZero { from: Register, site: Site },
    /// Jumps unless a loop by steps has this value.
    JumpOutside { value: Register, to: Register, by: Register, target: Target },
    /// Adds a step and jumps, unless there is no such number.
    Step { value: Register, by: Register, target: Target },

    /// Counts the levels of the body of a call.
    Open { levels: u32, site: Site },
    /// Takes back the levels of a call.
    Close { levels: u32 },
    /// Calls a procedure in a frame that begins at a distance from this one.
    Call { procedure: u32, shift: u32 },
    /// Ends a procedure.
    Return { has_value: bool },
    /// Faults unless the last call returned a value.
    Returned { site: Site },
    /// Ends, with a value.
    End { from: Register },
    /// Begins the body of an instance, whose guard holds.
    Enabled,
    /// Ends, with a truth.
    Truth { value: bool },

    /// Faults.
    Fault { site: Site },
    /// Ends: the step is none.
    Exclude,
    /// Notes that a cover is met.
    Cover { cover: CoverId },
    /// Notes that a part inside of the step is executed, counted from the first one inside of steps.
    Executed { part: u32 },

    /// Notes for each slot of a multiset whether it is used.
    Used { to: Register, from: Place, size: u32, capacity: u32 },
    /// The first slot that is not used, which is used from now on; faults if there is none.
    Take { to: Register, from: Place, size: u32, capacity: u32, site: Site },

    /// Begins the rounds of a loop that are watched, or of a quantifier, in which nothing may be written.
    Begin { frame: u32, is_pure: bool },
    /// Begins the next round.
    NextRound,
    /// Ends the rounds.
    EndRounds,
    /// Notes that slots are read.
    NoteRead { from: Place, count: u32 },
    /// Notes that slots are written.
    NoteWrite { to: Place, count: u32 },
    /// The order of values may show.
    Break,
}

/// Two instructions share a line of the cache.
const _: () = assert!(size_of::<Op>() == 32);

impl Op {
    /// The target, if the instruction has one.
    pub(super) fn target(&mut self) -> Option<&mut Target> {
        match self {
            Op::Jump { target }
            | Op::JumpIf { target, .. }
            | Op::JumpCompare { target, .. }
            | Op::JumpValue { target, .. }
            | Op::JumpSlot { target, .. }
            | Op::JumpUndefined { target, .. }
            | Op::Next { target, .. }
            | Op::JumpOutside { target, .. }
            | Op::Step { target, .. } => Some(target),
            _ => None,
        }
    }
}

/// A fault that an instruction may end in.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct FaultSite {
    pub(super) reason: Reason,
    pub(super) span: Span,
}

/// The kind of a fault, but for the value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Reason {
    /// The kind, or the one that the operator gives.
    Fixed(FaultKind),
    /// A value of a type is none of another one.
    OutsideType { of: TypeId, needed: TypeId },
    /// A value of a type is no index.
    IndexOutside { of: TypeId, needed: TypeId },
}

/// A compiled procedure.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Routine {
    pub(super) entry: Target,
    /// The slots of its frame.
    pub(super) size: u32,
}

/// The instances of a rule or property.
#[derive(Clone, Debug)]
pub(super) enum Instances<L> {
    /// One instance.
    One(L),
    /// One for each value, which is fixed in its code.
    Fixed(Vec<(i32, Instances<L>)>),
    /// One for each value, which goes to a register.
    Values { to: Register, values: Vec<i32>, inner: Box<Instances<L>> },
    /// After an alias was found.
    Alias { entry: Target, inner: Box<Instances<L>> },
    /// One for each used slot of a multiset, whose first slot of memory the code gives.
    Choose { entry: Target, to: Register, size: u32, capacity: u32, inner: Box<Instances<L>> },
}

/// An instance of a rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Action {
    pub(super) guard: Option<Target>,
    pub(super) body: Target,
}

/// An instance of a rule whose values are fixed in its code.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// The number of the rule.
    pub(super) rule: usize,
    /// The values of its rulesets.
    pub(super) values: Vec<i32>,
    /// What its guard begins with, if it is a test.
    pub(super) test: Option<Test>,
    /// The code of guard and body.
    pub(super) entry: Target,
}

/// The first condition of a guard: whether a slot of the state has a value. It faults where the slot is undefined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    pub(super) slot: u32,
    pub(super) value: i32,
    /// Whether the test holds where the slot has another value.
    pub(super) is_negated: bool,
}

/// Rules that follow each other.
#[derive(Clone, Debug)]
pub(super) enum Rules {
    /// Instances whose values are fixed, from the first to before the end.
    Instances { first: usize, end: usize },
    /// One rule.
    Tree { rule: usize, instances: Instances<Action> },
}

/// A compiled model.
#[derive(Clone, Default, Debug)]
pub(super) struct Code {
    pub(super) ops: Vec<Op>,
    pub(super) sites: Vec<FaultSite>,
    pub(super) tables: Vec<Vec<i64>>,
    pub(super) routines: Vec<Routine>,
    pub(super) rules: Vec<Rules>,
    /// The instances whose values are fixed.
    pub(super) instances: Vec<Instance>,
    /// The conditions of the properties.
    pub(super) properties: Vec<Instances<Target>>,
    /// The assumptions among the properties.
    pub(super) assumptions: Vec<usize>,
    /// The slots of a state.
    pub(super) slots: usize,
    /// The greatest size of the frame of a rule or property.
    pub(super) frame: usize,
    /// Whether the order of values is watched.
    pub(super) is_watched: bool,
    /// Whether states have multisets, which are sorted after each step.
    pub(super) has_multisets: bool,
    /// The number of the parts inside of steps.
    pub(super) inside: usize,
}
