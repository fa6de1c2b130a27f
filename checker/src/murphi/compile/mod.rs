//! Compiles a model: instructions for the guards and bodies of rules, for properties and for procedures.
//!
//! Fixed parts are folded: the values of rulesets where a rule has few instances, the values of short loops, constants, and
//! the slots that places with such indices stand for. Long rules with many instances, and long loops, have one code whose
//! values lie in registers, so that the size of the code is linear in that of the text.
//!
//! Every instruction that may fault carries the kind and the place of the fault of the reference interpreter, and operands are
//! evaluated in its order.
//!
//! With binders to watch the code notes whether the order of their values may show, by the rules of the reference interpreter
//! (`independence`): accesses are noted inside of these loops and quantifiers only.

mod calls;
mod conditions;
mod headers;
mod loops;
mod places;
mod rounds;
mod statements;
mod threads;
mod values;

use frontend::murphi::interpret::{FaultKind, Watched};
use frontend::murphi::program::{Binder, Frame, LocalId, ProcedureId, Program, TypeId, TypeKind, Types};
use frontend::parts::{Mark, Parts, Way};
use frontend::source::Span;
use rustc_hash::FxHashMap;

use super::code::{BASE, Bounds, Code, FaultSite, Op, Place, RESULT, Reason, Register, Routine, Site, Table, Target};

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub(super) struct Wrong {
        /// The equality of a slot and a constant is false where the slot is undefined.
        compares_undefined,
        /// A variable parameter is a copy of the argument.
        copies_variables,
        /// Writes by rounds of a loop are not noted.
        forgets_writes,
        /// Operands behind the one that decides are evaluated.
        evaluates_all,
        /// No rounds are counted.
        counts_no_rounds,
    }
}

/// The accesses that code notes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Notes {
    /// None: outside of loops and quantifiers that are watched.
    Off,
    /// Writes, which a quantifier must not make.
    Writes,
    /// Reads and writes of the rounds of a loop.
    All,
}

/// The forms of the code of a rule or property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// A guard for each value of rulesets, with nothing around it but rulesets.
    Flat,
    /// A guard for each value of rulesets.
    Fixed,
    /// One guard, with the values of rulesets in registers.
    Held,
}

/// A local while code is made, as far as it is known.
#[derive(Clone, Copy, Debug)]
enum Known {
    /// Its value.
    Value(i32),
    /// It is a reference to this place, whose register does not change as long as the reference is in use.
    Place(Place),
    /// It holds a value that does not change.
    Bound,
}

/// A value that code has.
#[derive(Clone, Copy, Debug)]
enum Operand {
    Known(i32),
    Held(Register),
}

/// The body whose code is being made.
struct Body<'p> {
    frame: &'p Frame,
    /// The type of the result of a function.
    result: Option<TypeId>,
    notes: Notes,
    /// The watched loops around the statement.
    rounds: usize,
    /// The loops around the statement.
    depth: usize,
    /// The register of each local: its first slot, or the number of the slot that a reference stands for.
    locals: Vec<Register>,
    known: Vec<Option<Known>>,
    /// The first register of intermediate values.
    first: Register,
    /// The next free one.
    next: Register,
    /// The registers used.
    size: Register,
}

/// Makes code.
struct Compiler<'p> {
    program: &'p Program,
    /// The binders whose order is watched.
    watched: &'p Watched,
    /// The parts of the model.
    parts: &'p Parts,
    wrong: Wrong,
    code: Code,
    labels: Vec<Target>,
    body: Body<'p>,
    /// The procedures that are called, in the order of their numbers, with their ways of noting.
    called: Vec<(ProcedureId, Notes)>,
    tables: FxHashMap<Vec<i64>, Table>,
    /// The form of the rule or property.
    form: Form,
    /// The fixed values of the rulesets around.
    values: Vec<i32>,
    /// Whether rounds of loops are counted.
    counts_rounds: bool,
    /// Whether the model has something that code does not do.
    is_refused: bool,
}

/// Compiles a model. `None` if the interpreter has to do: where it watches the order of values next to multisets, too.
pub(super) fn compile(program: &Program, parts: &Parts, watched: &Watched, wrong: Wrong) -> Option<Code> {
    let is_watched = !watched.is_empty();
    let has_multisets = program.types.list.iter().any(|of| matches!(of.kind, TypeKind::Multiset { .. }));
    if is_watched && has_multisets {
        return None;
    }
    let inside = parts.list.len() - program.rules.len();
    let code = Code { slots: program.cells(), is_watched, has_multisets, inside, ..Code::default() };
    let mut compiler = Compiler {
        program,
        watched,
        parts,
        wrong,
        code,
        labels: Vec::new(),
        body: Body::new(program, &NO_FRAME, None, Notes::Off),
        called: Vec::new(),
        tables: FxHashMap::default(),
        form: Form::Held,
        values: Vec::new(),
        counts_rounds: true,
        is_refused: false,
    };
    compiler.model();
    (!compiler.is_refused).then_some(compiler.code)
}

static NO_FRAME: Frame = Frame { locals: Vec::new(), cells: 0 };

/// A number of slots, registers or instructions.
fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("slots and instructions are bounded")
}

/// The registers of the locals of a frame, and the first register behind them.
fn registers(program: &Program, frame: &Frame, result: Option<TypeId>) -> (Vec<Register>, Register) {
    let first = RESULT + result.map_or(0, |of| narrow(program.types.cells(of)));
    let mut next = first + narrow(frame.cells);
    let mut place = |local: &frontend::murphi::program::Local| {
        if !local.kind.is_reference() {
            return first + narrow(local.offset);
        }
        next += 1;
        next - 1
    };
    (frame.locals.iter().map(&mut place).collect(), next)
}

impl<'p> Body<'p> {
    fn new(program: &Program, frame: &'p Frame, result: Option<TypeId>, notes: Notes) -> Body<'p> {
        let (locals, first) = registers(program, frame, result);
        let known = vec![None; locals.len()];
        Body { frame, result, notes, rounds: 0, depth: 0, locals, known, first, next: first, size: first }
    }
}

impl<'p> Compiler<'p> {
    fn types(&self) -> &'p Types {
        &self.program.types
    }

    fn cells(&self, of: TypeId) -> u32 {
        narrow(self.types().cells(of))
    }

    fn emit(&mut self, op: Op) {
        limits::work(1);
        self.code.ops.push(op);
    }

    /// Notes a way that control takes, if that is a part.
    fn mark(&mut self, span: Span, way: Way) {
        if let Some(number) = self.parts.number(Mark { span, way }) {
            let part = number - narrow(self.program.rules.len());
            self.emit(Op::Executed { part });
        }
    }

    /// The number of the next instruction.
    fn here(&self) -> Target {
        narrow(self.code.ops.len())
    }

    /// A label that is not placed yet.
    fn label(&mut self) -> Target {
        self.labels.push(Target::MAX);
        narrow(self.labels.len() - 1)
    }

    /// Places a label here.
    fn place(&mut self, label: Target) {
        assert_eq!(self.labels[label as usize], Target::MAX, "a label is placed once");
        self.labels[label as usize] = self.here();
    }

    /// New registers.
    fn temporary(&mut self, count: u32) -> Register {
        let first = self.body.next;
        self.body.next += count;
        self.body.size = self.body.size.max(self.body.next);
        first
    }

    fn site(&mut self, reason: Reason, span: Span) -> Site {
        self.code.sites.push(FaultSite { reason, span });
        narrow(self.code.sites.len() - 1)
    }

    fn fixed_site(&mut self, kind: FaultKind, span: Span) -> Site {
        self.site(Reason::Fixed(kind), span)
    }

    fn fault(&mut self, kind: FaultKind, span: Span) {
        let site = self.fixed_site(kind, span);
        self.emit(Op::Fault { site });
    }

    fn table(&mut self, values: Vec<i64>) -> Table {
        let next = narrow(self.code.tables.len());
        *self.tables.entry(values).or_insert_with_key(|values| {
            self.code.tables.push(values.clone());
            next
        })
    }

    /// The values of a simple type, if they have no gaps.
    fn bounds(&self, of: TypeId) -> Option<Bounds> {
        if of == Types::INTEGER {
            return None;
        }
        let ranges = self.types().values(of);
        let low = *ranges.first()?.start();
        let is_whole = ranges.windows(2).all(|pair| i64::from(*pair[0].end()) + 1 == i64::from(*pair[1].start()));
        let count = u32::try_from(self.types().count(of)).ok()?;
        is_whole.then_some(Bounds { low, count })
    }

    /// The first and last values of each part of a simple type.
    fn parts(&mut self, of: TypeId) -> Table {
        let ranges = self.types().values(of);
        let ends = ranges.iter().flat_map(|range| [i64::from(*range.start()), i64::from(*range.end())]);
        self.table(ends.collect())
    }

    /// Whether the order of the values of a binder is watched.
    fn watches(&self, binder: &Binder) -> bool {
        self.watched.contains(&self.body.frame.local(binder.local).span)
    }

    fn known(&self, local: LocalId) -> Option<Known> {
        self.body.known[local.index()]
    }

    fn know(&mut self, local: LocalId, known: Known) {
        self.body.known[local.index()] = Some(known);
    }

    fn register(&self, local: LocalId) -> Register {
        self.body.locals[local.index()]
    }

    /// Compiles everything.
    fn model(&mut self) {
        let program = self.program;
        self.rules();
        self.code.properties = program.properties.iter().map(|property| self.property(property)).collect();
        let is_assumed =
            |&index: &usize| program.properties[index].kind == frontend::murphi::syntax::ast::PropertyKind::Assume;
        self.code.assumptions = (0..program.properties.len()).filter(is_assumed).collect();
        let mut next = 0;
        while let Some(&(id, notes)) = self.called.get(next) {
            self.code.routines[next] = self.routine(id, notes);
            next += 1;
        }
        assert_eq!(self.code.routines.len(), self.called.len(), "every procedure that is called has its code");
        self.link();
        threads::thread(&mut self.code.ops);
        let count = self.code.ops.len();
        let entries = self.code.instances.iter().map(|instance| instance.entry);
        let mut entries = entries.chain(self.code.routines.iter().map(|routine| routine.entry));
        assert!(entries.all(|entry| (entry as usize) < count), "instances and procedures begin at an instruction");
    }

    /// Resolves the labels.
    fn link(&mut self) {
        let count = self.code.ops.len();
        for op in &mut self.code.ops {
            if let Some(target) = op.target() {
                *target = self.labels[*target as usize];
                assert_ne!(*target, Target::MAX, "the label is placed");
                assert!(*target as usize <= count, "a label stands before an instruction, or at the end");
            }
        }
    }

    /// The number of a procedure with a way of noting.
    fn procedure(&mut self, id: ProcedureId, notes: Notes) -> u32 {
        let known = self.called.iter().position(|&called| called == (id, notes));
        narrow(known.unwrap_or_else(|| {
            self.called.push((id, notes));
            self.code.routines.push(Routine::default());
            self.called.len() - 1
        }))
    }

    fn routine(&mut self, id: ProcedureId, notes: Notes) -> Routine {
        let procedure = self.program.procedure(id);
        self.body = Body::new(self.program, &procedure.frame, procedure.result, notes);
        self.counts_rounds = !self.wrong.counts_no_rounds();
        let entry = self.here();
        self.variables();
        self.statements(&procedure.body);
        self.emit(Op::Return { has_value: false });
        let is_over = self.body.depth == 0 && self.body.rounds == 0 && self.body.notes == notes;
        assert!(is_over, "the loops of a procedure end in it");
        Routine { entry, size: self.body.size }
    }

    /// Makes the variables of the frame undefined.
    fn variables(&mut self) {
        let frame = self.body.frame;
        for (local, &register) in frame.locals.iter().zip(&self.body.locals.clone()) {
            if local.kind == frontend::murphi::program::LocalKind::Variable {
                let count = self.cells(local.of);
                self.emit(Op::Undefine { to: Place { register: BASE, distance: register }, count });
            }
        }
    }
}
