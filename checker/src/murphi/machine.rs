//! The evaluation of compiled code.
//!
//! Every write to the state is recorded, so that the machine goes back to the state before the next instance without
//! copying it, and a successor is packed from what changed.
//!
//! Invariant: between two evaluations memory begins with `origin`.

use explore::memory::bytes_of;
use frontend::murphi::MAX_OPEN;
use frontend::murphi::MAX_ROUNDS;
use frontend::murphi::interpret::{Fault, FaultKind};
use frontend::murphi::program::{BinaryOp, CoverId};

use super::code::{BASE, Code, Op, Place, Reason, Register, Site, Target, UNDEFINED, ZERO};
use super::order::Order;
use super::packing::Packing;

/// The rounds of loops between looks at the limits.
const WORK: u32 = 64;

/// The reason why an evaluation does not end as usual.
#[derive(Debug)]
pub(super) enum Stop {
    /// It faults.
    Fault(Box<Fault>),
    /// An assumption excludes it.
    Excluded,
    /// It faults inside of a loop or quantifier that is watched: the interpreter finds out what follows.
    Unsure,
}

/// A body that waits for a call.
#[derive(Clone, Copy, Debug)]
struct Caller {
    next: usize,
    base: usize,
}

/// Known-wrong recordings.
#[cfg(test)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Forgets {
    /// Slots that are copied are not read.
    pub(super) copies: bool,
    /// A slot that keeps its value is not written.
    pub(super) same_values: bool,
}

/// A machine.
#[derive(Debug, Default)]
pub(super) struct Machine {
    pub(super) memory: Vec<i64>,
    /// The state, packed.
    packed: Vec<u64>,
    /// The state.
    pub(super) origin: Vec<i64>,
    /// The slots of the state that were written, some of them several times; others have the values of the state.
    pub(super) written: Vec<u32>,
    /// The covers that were met.
    pub(super) covers: Vec<CoverId>,
    /// A word for the rule, then bits of the parts inside of the step that were executed; none if no step has parts inside.
    pub(super) executed: Vec<u64>,
    /// Whether any of these bits is set.
    has_executed: bool,
    pub(super) order: Order,
    /// Whether the body of an instance has begun.
    pub(super) has_begun: bool,
    /// The slots of the state that were read since the recording began, before they were written, in this order.
    pub(super) reads: Vec<u32>,
    is_recording: bool,
    #[cfg(test)]
    pub(super) wrong: Forgets,
    callers: Vec<Caller>,
    /// The rounds of loops that are still allowed.
    rounds: u32,
    /// The levels of bodies that calls may still open.
    levels: u32,
    /// Whether the last call returned a value.
    has_value: bool,
}

/// The slot of a number that code computed.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "slots are numbered by code")]
pub(super) fn slot(number: i64) -> usize {
    number.cast_unsigned() as usize
}

/// A number of a slot as a value.
#[inline]
pub(super) fn number(slot: usize) -> i64 {
    i64::try_from(slot).expect("memory is bounded")
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "memory is bounded")]
fn narrow(slot: usize) -> u32 {
    slot as u32
}

impl Machine {
    /// Goes to a state, unless the machine is there.
    pub(super) fn enter(&mut self, code: &Code, packing: &Packing, words: &[u64]) {
        debug_assert_eq!(words.len(), packing.layout.stride(), "a packed state has all its words");
        self.leave();
        if self.packed == words {
            return;
        }
        debug_assert!(self.memory.starts_with(&self.origin), "memory begins with the state");
        let executed = if code.inside > 0 { 1 + code.inside.div_ceil(64) } else { 0 };
        if self.executed.len() != executed {
            self.executed = vec![0; executed];
            self.has_executed = false;
        }
        if self.packed.len() != words.len() {
            // Nothing is defined in a state whose bits are all 0.
            self.origin = vec![UNDEFINED; code.slots];
            self.memory = vec![UNDEFINED; code.slots + 2 * code.frame];
            self.packed = vec![0; words.len()];
        }
        let Machine { packed, origin, memory, .. } = self;
        packing.differences(packed, words, |at, value| {
            origin[at] = value;
            memory[at] = value;
        });
        packed.copy_from_slice(words);
    }

    /// Goes to a state, for an evaluation that shows whether the order of values matters.
    pub(super) fn begin(&mut self, code: &Code, packing: &Packing, words: &[u64]) {
        self.enter(code, packing, words);
        self.order.is_broken = false;
    }

    /// Goes back to the state.
    pub(super) fn leave(&mut self) {
        for &at in &self.written {
            self.memory[at as usize] = self.origin[at as usize];
        }
        self.written.clear();
    }

    /// Forgets the parts that were executed: far more instances are tried than execute any.
    #[inline]
    pub(super) fn forget_executed(&mut self) {
        if std::mem::take(&mut self.has_executed) {
            self.executed.fill(0);
        }
    }

    /// Begins to record what is read, or ends it.
    pub(super) fn record(&mut self, is_recording: bool) {
        self.is_recording = is_recording;
        if is_recording {
            self.reads.clear();
        }
    }

    /// Reads a slot of a place. Nothing else reads slots of the state.
    #[inline]
    pub(super) fn read<const RECORDS: bool>(&mut self, at: usize) -> i64 {
        if RECORDS {
            self.note_read(narrow(at));
        }
        self.memory[at]
    }

    #[inline(never)]
    fn note_read(&mut self, at: u32) {
        if (at as usize) < self.origin.len() && !self.written.contains(&at) && !self.reads.contains(&at) {
            self.reads.push(at);
        }
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> u64 {
        bytes_of::<i64>(self.memory.capacity() + self.origin.capacity())
    }

    /// The register of the frame at a base.
    #[inline]
    pub(super) fn get(&self, base: usize, register: Register) -> i64 {
        self.memory[base + register as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, base: usize, register: Register, value: i64) {
        self.memory[base + register as usize] = value;
    }

    #[inline]
    pub(super) fn find(&self, base: usize, place: Place) -> usize {
        slot(self.get(base, place.register)) + place.distance as usize
    }

    /// Writes a slot of a place.
    #[inline]
    pub(super) fn write(&mut self, at: usize, value: i64) {
        if at < self.origin.len() {
            self.written.push(narrow(at));
        }
        self.memory[at] = value;
    }

    /// Copies slots; those of an array or record lie apart from others, or they are the same.
    #[inline(never)]
    fn copy<const RECORDS: bool>(&mut self, from: usize, to: usize, count: usize) {
        assert!(from == to || from.abs_diff(to) >= count, "copied slots lie apart");
        for at in 0..count {
            #[cfg(test)]
            if self.wrong.copies {
                self.change::<RECORDS>(to + at, self.memory[from + at]);
                continue;
            }
            let value = self.read::<RECORDS>(from + at);
            self.change::<RECORDS>(to + at, value);
        }
    }

    #[inline(never)]
    fn undefine<const RECORDS: bool>(&mut self, to: usize, count: usize) {
        (to..to + count).for_each(|at| self.change::<RECORDS>(at, UNDEFINED));
    }

    /// Writes one of many slots, most of which often stay as they are: in other states with the same reads they may not.
    #[inline]
    pub(super) fn change<const RECORDS: bool>(&mut self, at: usize, value: i64) {
        #[cfg(test)]
        if self.wrong.same_values && self.memory[at] == value {
            return;
        }
        if RECORDS || self.memory[at] != value {
            self.write(at, value);
        }
    }

    #[cold]
    pub(super) fn fault(&self, code: &Code, site: Site, value: i64) -> Stop {
        if self.order.is_inside() {
            return Stop::Unsure;
        }
        let site = &code.sites[site as usize];
        let value = i32::try_from(value).unwrap_or(0);
        let kind = match &site.reason {
            Reason::Fixed(kind) => kind.clone(),
            &Reason::OutsideType { of, needed } => FaultKind::OutsideType { value, of, needed },
            &Reason::IndexOutside { of, needed } => FaultKind::IndexOutside { value, of, needed },
        };
        Stop::Fault(Box::new(Fault { kind, span: site.span }))
    }

    #[cold]
    pub(super) fn fault_of(&self, code: &Code, site: Site, kind: FaultKind) -> Stop {
        if self.order.is_inside() {
            return Stop::Unsure;
        }
        Stop::Fault(Box::new(Fault { kind, span: code.sites[site as usize].span }))
    }

    /// Runs code in a frame that begins at a base; the result is that of the instruction that ends it.
    ///
    /// # Errors
    /// A fault, or an assumption that does not hold.
    pub(super) fn run(&mut self, code: &Code, entry: Target, base: usize) -> Result<i64, Stop> {
        if self.is_recording {
            self.perform::<true>(code, entry, base)
        } else {
            self.perform::<false>(code, entry, base)
        }
    }

    fn perform<const RECORDS: bool>(&mut self, code: &Code, entry: Target, base: usize) -> Result<i64, Stop> {
        debug_assert!(base >= self.origin.len(), "frames lie behind the state");
        self.rounds = MAX_ROUNDS;
        self.levels = narrow(MAX_OPEN);
        self.callers.clear();
        self.order.clear();
        self.set(base, ZERO, 0);
        self.set(base, BASE, number(base));
        let (mut next, mut base) = (entry as usize, base);
        loop {
            let op = &code.ops[next];
            next += 1;
            match *op {
                Op::JumpSlot { slot, value, on, target, site } => {
                    let found = self.read::<RECORDS>(slot as usize);
                    if found == UNDEFINED {
                        return Err(self.fault(code, site, 0));
                    }
                    if (found == i64::from(value)) == on {
                        jump(&mut next, target);
                    }
                }
                Op::JumpValue { from, value, on, target } => {
                    if (self.get(base, from) == i64::from(value)) == on {
                        jump(&mut next, target);
                    }
                }
                Op::JumpCompare { op, left, right, on, target } => {
                    if compared(op, self.get(base, left), self.get(base, right)) == on {
                        jump(&mut next, target);
                    }
                }
                Op::JumpIf { from, on, target } => {
                    if (self.get(base, from) != 0) == on {
                        jump(&mut next, target);
                    }
                }
                Op::JumpUndefined { from, on, target } => {
                    if (self.read::<RECORDS>(self.find(base, from)) == UNDEFINED) == on {
                        jump(&mut next, target);
                    }
                }
                Op::Jump { target } => next = target as usize,
                Op::Enabled => {
                    self.rounds = MAX_ROUNDS;
                    self.order.clear();
                    self.forget_executed();
                    self.has_begun = true;
                }
                Op::Executed { part } => {
                    self.has_executed = true;
                    self.executed[1 + (part >> 6) as usize] |= 1 << (part & 63);
                }
                Op::Truth { value } => return Ok(value.into()),
                Op::End { from } => return Ok(self.get(base, from)),
                Op::Constant { to, value } => self.set(base, to, value),
                Op::Move { to, from } => self.set(base, to, self.get(base, from)),
                Op::Load { to, from, site } => {
                    let found = self.read::<RECORDS>(self.find(base, from));
                    if found == UNDEFINED {
                        return Err(self.fault(code, site, 0));
                    }
                    self.set(base, to, found);
                }
                Op::Address { to, from } => self.set(base, to, number(self.find(base, from))),
                Op::Index { to, from, index, bounds, stride, site } => {
                    let value = self.get(base, index);
                    if !bounds.holds(value) {
                        return Err(self.fault(code, site, value));
                    }
                    let element = bounds.position(value).cast_signed() * i64::from(stride);
                    self.set(base, to, number(self.find(base, from)) + element);
                }
                Op::Add { to, from, value, site } => {
                    let sum = self.get(base, from) + i64::from(value);
                    if i32::try_from(sum).is_err() {
                        return Err(self.fault(code, site, 0));
                    }
                    self.set(base, to, sum);
                }
                Op::Store { to, from } => {
                    let value = self.get(base, from);
                    self.write(self.find(base, to), value);
                }
                Op::StoreConstant { to, value } => self.write(self.find(base, to), value),
                Op::StoreWithin { to, from, bounds, site } => {
                    let value = self.get(base, from);
                    if !bounds.holds(value) {
                        return Err(self.fault(code, site, value));
                    }
                    self.write(self.find(base, to), value);
                }
                Op::Within { from, bounds, site } => {
                    let value = self.get(base, from);
                    if value != UNDEFINED && !bounds.holds(value) {
                        return Err(self.fault(code, site, value));
                    }
                }
                Op::Copy { to, from, count } => {
                    self.copy::<RECORDS>(self.find(base, from), self.find(base, to), count as usize);
                }
                Op::Undefine { to, count } => {
                    self.undefine::<RECORDS>(self.find(base, to), count as usize);
                }
                Op::Round { site } => {
                    if self.rounds.is_multiple_of(WORK) {
                        limits::work(WORK.into());
                    }
                    let Some(rounds) = self.rounds.checked_sub(1) else { return Err(self.fault(code, site, 0)) };
                    self.rounds = rounds;
                }
                Op::Next { value, last, target } => {
                    let found = self.get(base, value);
                    if found < last {
                        self.set(base, value, found + 1);
                        jump(&mut next, target);
                    }
                }
                Op::JumpOutside { value, to, by, target } => {
                    let (value, to) = (self.get(base, value), self.get(base, to));
                    if if self.get(base, by) > 0 { value > to } else { value < to } {
                        jump(&mut next, target);
                    }
                }
                Op::Step { value, by, target } => {
                    let sum = self.get(base, value) + self.get(base, by);
                    if i32::try_from(sum).is_ok() {
                        self.set(base, value, sum);
                        jump(&mut next, target);
                    }
                }
                Op::Open { levels, site } => {
                    let Some(levels) = self.levels.checked_sub(levels) else { return Err(self.fault(code, site, 0)) };
                    self.levels = levels;
                }
                Op::Close { levels } => self.levels += levels,
                Op::Call { procedure, shift } => {
                    limits::work(1);
                    let routine = code.routines[procedure as usize];
                    self.callers.push(Caller { next, base });
                    (next, base) = (routine.entry as usize, base + shift as usize);
                    self.open(base, routine.size as usize);
                }
                Op::Return { has_value } => {
                    self.has_value = has_value;
                    let Some(caller) = self.callers.pop() else { return Ok(0) };
                    (next, base) = (caller.next, caller.base);
                }
                Op::Returned { site } => {
                    if !self.has_value {
                        return Err(self.fault(code, site, 0));
                    }
                }
                Op::Exclude if self.order.is_inside() => return Err(Stop::Unsure),
                Op::Exclude => return Err(Stop::Excluded),
                ref other => self.other::<RECORDS>(code, other, base)?,
            }
        }
    }

    /// Makes room for a frame.
    fn open(&mut self, base: usize, size: usize) {
        if self.memory.len() < base + size {
            limits::reserve(((base + size - self.memory.len()) * size_of::<i64>()) as u64);
            self.memory.resize(base + size, UNDEFINED);
        }
        self.set(base, ZERO, 0);
        self.set(base, BASE, number(base));
    }
}

/// Goes on elsewhere: by a branch, which the processor foresees, where the next instruction would wait for a conditional move.
#[inline]
fn jump(next: &mut usize, target: Target) {
    std::hint::black_box(());
    *next = target as usize;
}

#[inline]
fn compared(op: BinaryOp, left: i64, right: i64) -> bool {
    match op {
        BinaryOp::Less => left < right,
        BinaryOp::LessEqual => left <= right,
        BinaryOp::Greater => left > right,
        BinaryOp::GreaterEqual => left >= right,
        _ => left == right,
    }
}
