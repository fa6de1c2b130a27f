//! The messages that may occur, and the messages that each may lead to: a least fixed point over everything that can
//! hold a rebec.
//!
//! Each rebec of `main` represents itself; one rebec represents all that `new` makes of one class. For each of them
//! and each of its variables there is the set of rebecs that it may hold; for each kind of message (receiver, server,
//! sender) and each server, method or constructor that serving it may run, the sets that parameters, locals and the
//! result may hold. Bodies are walked without regard to order and conditions until no set grows. Sends become arrows
//! between kinds of messages.
//!
//! Invariants: the kinds hold every message that is in a queue of a reachable state, and `sends` every arrow from a message to
//! one that is sent while it is served (`actors/ample.rs` asserts both of each local state and step that it meets).
//!
//! Soundness: errs towards more messages. Lists of known rebecs by themselves err the other way: identities travel in
//! parameters, in variables and as `sender`.
//!
//! Complexity: kinds x size of the bodies x height of the sets, at worst.
//!
//! Source: \[Jag10\] 4.1, \[Mod06\] 3.1, with the senders by fixed point instead of by lists of known rebecs.

use bitvec::vec::BitVec;
use frontend::model::{
    Base, Block, Body, ClassId, Dialect, Expr, ExprKind, MethodId, Model, RebecId, Role, Rvalue, ServerId, Sort, Stmt,
    StmtKind, Value, VariableId,
};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// A set of rebecs; see [`stand_in`].
pub(crate) type Rebecs = BitVec<u64>;

/// The most kinds of messages that are followed.
pub(crate) const MAX_KINDS: usize = 20_000;

/// The stand-in of a rebec: itself, or the first rebec that `new` could make of its class.
pub(crate) fn stand_in(model: &Model, rebec: RebecId) -> RebecId {
    match model.ordinal(rebec) {
        None => rebec,
        Some(_) => model.created(model.class_of(rebec), 0),
    }
}

/// A kind of message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Kind {
    /// The stand-in of the receiver.
    pub(crate) receiver: RebecId,
    /// The server.
    pub(crate) server: ServerId,
    /// The stand-in of the sender.
    pub(crate) sender: RebecId,
}

/// An arrow from a message to one that is sent while it is served.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Arrow {
    /// The message sent.
    pub(crate) to: u32,
    /// Whether its receiver is made in the same step.
    pub(crate) is_birth: bool,
}

/// The messages of a model.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    /// The number of rebecs and stand-ins.
    pub(crate) rebecs: usize,
    /// The kinds of messages.
    pub(crate) kinds: IndexSet<Kind, FxBuildHasher>,
    /// For each kind the messages that serving it may send.
    pub(crate) sends: Vec<IndexSet<Arrow, FxBuildHasher>>,
}

impl Flow {
    /// The messages of a verified model; `None` if there are more than [`MAX_KINDS`] kinds. With `known_only` a known-wrong
    /// variant for tests: rebecs are held by known rebecs only.
    pub(crate) fn new(model: &Model, known_only: bool) -> Option<Flow> {
        let rebecs = model.instances.len() + model.creatable.len();
        let flow = Flow { rebecs, kinds: IndexSet::default(), sends: Vec::new() };
        let mut analysis =
            Analysis { model, known_only, flow, held: FxHashMap::default(), frames: IndexMap::default(), grew: true };
        analysis.start();
        while analysis.grew {
            analysis.grew = false;
            let mut frame = 0;
            while frame < analysis.frames.len() {
                analysis.run(frame);
                frame += 1;
                if analysis.flow.kinds.len() > MAX_KINDS || analysis.frames.len() > 4 * MAX_KINDS {
                    return None;
                }
            }
        }
        assert_eq!(analysis.flow.sends.len(), analysis.flow.kinds.len(), "each kind of message has its arrows");
        Some(analysis.flow)
    }

    /// The number of a kind.
    pub(crate) fn number(&self, kind: Kind) -> Option<u32> {
        self.kinds.get_index_of(&kind).map(number)
    }

    /// Whether serving a message of one kind may send one of the other.
    pub(crate) fn leads(&self, from: u32, to: u32) -> bool {
        let arrow = |is_birth| self.sends[from as usize].contains(&Arrow { to, is_birth });
        arrow(false) || arrow(true)
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("bounded by MAX_KINDS")
}

/// A body that runs: its rebec, its message, and its block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Frame {
    /// The message that is served; absent while the rebecs of `main` are made.
    message: Option<u32>,
    this: RebecId,
    sender: RebecId,
    code: Code,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Code {
    Server(ServerId),
    Method(MethodId),
    Constructor,
}

/// The sets that the locals and the result of a frame may hold.
struct Holds {
    locals: Vec<Rebecs>,
    result: Rebecs,
}

struct Analysis<'m> {
    model: &'m Model,
    known_only: bool,
    flow: Flow,
    /// The sets that variables may hold.
    held: FxHashMap<(RebecId, VariableId), Rebecs>,
    frames: IndexMap<Frame, Holds, FxBuildHasher>,
    /// Whether a set grew in this round.
    grew: bool,
}

impl<'m> Analysis<'m> {
    fn none(&self) -> Rebecs {
        BitVec::repeat(false, self.flow.rebecs)
    }

    fn only(&self, rebec: RebecId) -> Rebecs {
        let mut set = self.none();
        set.set(rebec.index(), true);
        set
    }

    fn values(&self, values: &[Value]) -> Rebecs {
        let mut set = self.none();
        for value in values {
            if let Value::Rebec(rebec) = value {
                set.set(rebec.index(), true);
            }
        }
        set
    }

    /// The rebecs of a set that may be stored where a sort is required.
    fn fitting(&self, mut set: Rebecs, sort: Sort) -> Rebecs {
        match sort {
            Sort::AnyRebec => set,
            Sort::Rebec(class) => {
                let unfit = |&at: &usize| {
                    let of = self.model.class_of(RebecId::from_index(at));
                    !self.model.conforms(of, class)
                };
                let unfit: Vec<usize> = set.iter_ones().filter(unfit).collect();
                unfit.into_iter().for_each(|at| set.set(at, false));
                set
            }
            Sort::Bool | Sort::Int(_) | Sort::Scalar(_) => self.none(),
        }
    }

    /// The rebecs of `main`, their known rebecs, and the first messages or the constructors.
    fn start(&mut self) {
        let model = self.model;
        for (index, instance) in model.instances.iter().enumerate() {
            let this = RebecId::from_index(index);
            let class = model.class(instance.class);
            let values = class.initial_values(&instance.known);
            for (at, variable) in class.variables.iter().enumerate() {
                let set = self.values(&values[variable.elements()]);
                self.hold(this, VariableId::from_index(at), &set);
            }
            let arguments: Vec<Rebecs> = instance.arguments.iter().map(|values| self.values(values)).collect();
            match model.dialect {
                Dialect::Rebeca20 => {
                    if let Some(server) = class.server("initial") {
                        self.message(Kind { receiver: this, server, sender: this }, arguments);
                    }
                }
                Dialect::Rebeca21 if class.constructor.is_some() => {
                    let frame = Frame { message: None, this, sender: this, code: Code::Constructor };
                    self.enter(frame, arguments);
                }
                Dialect::Rebeca21 => {}
            }
        }
    }

    fn grow(grew: &mut bool, set: &mut Rebecs, more: &Rebecs) {
        let before = set.count_ones();
        *set |= more;
        *grew |= set.count_ones() > before;
    }

    fn hold(&mut self, rebec: RebecId, variable: VariableId, set: &Rebecs) {
        let declared = &self.model.class(self.model.class_of(rebec)).variables[variable.index()];
        if self.known_only && declared.role != Role::Known {
            return;
        }
        let fitting = self.fitting(set.clone(), declared.sort);
        let none = self.none();
        let held = self.held.entry((rebec, variable)).or_insert(none);
        Self::grow(&mut self.grew, held, &fitting);
    }

    fn body(&self, frame: Frame) -> Option<&'m Body> {
        let class = self.model.class(self.model.class_of(frame.this));
        match frame.code {
            Code::Server(server) => Some(&class.servers[server.index()].body),
            Code::Method(method) => Some(&class.methods[method.index()].body),
            Code::Constructor => class.constructor.as_ref().map(|constructor| &constructor.body),
        }
    }

    /// Notes that a body may run with such arguments; returns its number unless there is no such body.
    fn enter(&mut self, frame: Frame, arguments: Vec<Rebecs>) -> Option<usize> {
        let body = self.body(frame)?;
        assert_eq!(arguments.len(), body.parameters().len(), "each parameter has its argument");
        let none = self.none();
        let entry = self.frames.entry(frame);
        let index = entry.index();
        self.grew |= matches!(entry, indexmap::map::Entry::Vacant(_));
        entry.or_insert_with(|| Holds { locals: vec![none.clone(); body.locals.len()], result: none });
        for (at, (set, parameter)) in arguments.into_iter().zip(body.parameters()).enumerate() {
            let fitting = if self.known_only { self.none() } else { self.fitting(set, parameter.sort) };
            Self::grow(&mut self.grew, &mut self.frames[index].locals[at], &fitting);
        }
        Some(index)
    }

    /// Notes that a message may be sent with such arguments; returns its number.
    fn message(&mut self, kind: Kind, arguments: Vec<Rebecs>) -> u32 {
        let (index, is_new) = self.flow.kinds.insert_full(kind);
        if is_new {
            self.flow.sends.push(IndexSet::default());
        }
        let Kind { receiver: this, server, sender } = kind;
        self.enter(Frame { message: Some(number(index)), this, sender, code: Code::Server(server) }, arguments);
        number(index)
    }

    fn arrow(&mut self, from: Option<u32>, to: u32, is_birth: bool) {
        if let Some(from) = from {
            self.grew |= self.flow.sends[from as usize].insert(Arrow { to, is_birth });
        }
    }

    fn run(&mut self, frame: usize) {
        let (&key, _) = self.frames.get_index(frame).expect("a frame");
        let body = self.body(key).expect("frames have bodies");
        self.block(frame, &body.block);
    }

    fn frame(&self, frame: usize) -> Frame {
        *self.frames.get_index(frame).expect("a frame").0
    }

    fn block(&mut self, frame: usize, block: &'m Block) {
        block.iter().for_each(|stmt| self.statement(frame, stmt));
    }

    fn statement(&mut self, frame: usize, stmt: &'m Stmt) {
        match &stmt.kind {
            StmtKind::Let { local, value: Some(value) } => {
                let set = self.rvalue(frame, value);
                self.assign(frame, Base::Local(*local), &set);
            }
            StmtKind::Assign { place, value } => {
                let set = self.rvalue(frame, value);
                self.assign(frame, place.base, &set);
            }
            StmtKind::Do(value) => {
                self.rvalue(frame, value);
            }
            StmtKind::Send { receiver, arguments, targets, .. } => self.send(frame, receiver, arguments, targets),
            StmtKind::If { then, otherwise, .. } => {
                self.block(frame, then);
                self.block(frame, otherwise);
            }
            StmtKind::Loop { body, update, .. } => {
                self.block(frame, body);
                self.block(frame, update);
            }
            StmtKind::ForEach { body, .. } | StmtKind::Block(body) => self.block(frame, body),
            StmtKind::Switch { arms, .. } => arms.iter().for_each(|arm| self.block(frame, &arm.block)),
            StmtKind::Return(Some(value)) => {
                let set = self.rebecs(frame, value);
                Self::grow(&mut self.grew, &mut self.frames[frame].result, &set);
            }
            StmtKind::Let { value: None, .. }
            | StmtKind::Assert { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None) => {}
        }
    }

    fn assign(&mut self, frame: usize, base: Base, set: &Rebecs) {
        match base {
            Base::Variable(variable) => self.hold(self.frame(frame).this, variable, set),
            Base::Local(local) => Self::grow(&mut self.grew, &mut self.frames[frame].locals[local.index()], set),
            Base::Remote(..) => unreachable!("a body writes no variable of another rebec"),
        }
    }

    fn send(&mut self, frame: usize, receiver: &Expr, arguments: &[Expr], targets: &[Option<ServerId>]) {
        let Frame { message, this, .. } = self.frame(frame);
        let arguments: Vec<Rebecs> = arguments.iter().map(|argument| self.rebecs(frame, argument)).collect();
        let receivers: Vec<usize> = self.rebecs(frame, receiver).iter_ones().collect();
        for receiver in receivers.into_iter().map(RebecId::from_index) {
            if let Some(server) = targets[self.model.class_of(receiver).index()] {
                let sent = self.message(Kind { receiver, server, sender: this }, arguments.clone());
                self.arrow(message, sent, false);
            }
        }
    }

    fn rvalue(&mut self, frame: usize, value: &'m Rvalue) -> Rebecs {
        match value {
            Rvalue::Expr(expr) => self.rebecs(frame, expr),
            Rvalue::Choose(options) => options.iter().fold(self.none(), |set, option| set | self.rebecs(frame, option)),
            Rvalue::Call { method, arguments } => {
                let arguments = arguments.iter().map(|argument| self.rebecs(frame, argument)).collect();
                let called = self.enter(Frame { code: Code::Method(*method), ..self.frame(frame) }, arguments);
                called.map_or_else(|| self.none(), |called| self.frames[called].result.clone())
            }
            Rvalue::New { class, known, arguments } => {
                let known: Vec<Rebecs> = known.iter().map(|expr| self.rebecs(frame, expr)).collect();
                let arguments = arguments.iter().map(|argument| self.rebecs(frame, argument)).collect();
                self.create(frame, *class, &known, arguments)
            }
        }
    }

    fn create(&mut self, frame: usize, class_id: ClassId, known: &[Rebecs], arguments: Vec<Rebecs>) -> Rebecs {
        let Frame { message, this, .. } = self.frame(frame);
        let class = self.model.class(class_id);
        let made = self.model.created(class_id, 0);
        let mut bound = known.iter();
        for (at, variable) in class.variables.iter().enumerate() {
            let mut set = self.values(&variable.initial);
            if variable.role == Role::Known {
                bound.by_ref().take(variable.len()).for_each(|known| set |= known);
            }
            self.hold(made, VariableId::from_index(at), &set);
        }
        match (self.model.dialect, class.server("initial")) {
            (Dialect::Rebeca20, Some(server)) => {
                let first = self.message(Kind { receiver: made, server, sender: this }, arguments);
                self.arrow(message, first, true);
            }
            (Dialect::Rebeca20, None) => {}
            (Dialect::Rebeca21, _) => {
                self.enter(Frame { message, this: made, sender: made, code: Code::Constructor }, arguments);
            }
        }
        self.only(made)
    }

    /// The rebecs that an expression may give.
    fn rebecs(&self, frame: usize, expr: &Expr) -> Rebecs {
        let at = self.frame(frame);
        match &expr.kind {
            ExprKind::SelfRef => self.only(at.this),
            ExprKind::Sender if self.known_only => self.none(),
            ExprKind::Sender => self.only(at.sender),
            ExprKind::Rebec(rebec) => self.only(*rebec),
            ExprKind::Read(place) => match place.base {
                Base::Variable(variable) => self.held.get(&(at.this, variable)).cloned().unwrap_or_else(|| self.none()),
                Base::Local(local) => self.frames[frame].locals[local.index()].clone(),
                Base::Remote(..) => unreachable!("a body reads no variable of another rebec"),
            },
            ExprKind::Ite(_, then, otherwise) => self.rebecs(frame, then) | self.rebecs(frame, otherwise),
            ExprKind::Cast(class, operand) => self.fitting(self.rebecs(frame, operand), Sort::Rebec(*class)),
            _ => self.none(),
        }
    }
}
