//! The reads and writes of statements and expressions, without those of the statements inside them.

use frontend::model::{
    Base, Block, Class, Expr, ExprKind, LocalId, MethodId, Place, Rvalue, Stmt, StmtKind, VariableId,
};

use super::bodies::all;

/// A variable of the running rebec, or a parameter or local.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Name {
    /// Known rebec or state variable.
    Variable(VariableId),
    /// Parameter or local.
    Local(LocalId),
}

impl Name {
    fn of(base: Base) -> Option<Name> {
        match base {
            Base::Variable(id) => Some(Name::Variable(id)),
            Base::Local(id) => Some(Name::Local(id)),
            Base::Remote(..) => None,
        }
    }
}

/// The purpose of an operand of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// A value or a condition.
    Value,
    /// It decides the receiver.
    Receiver,
    /// The argument of a message.
    Argument(usize),
    /// The condition of an `assertion(..)`.
    Assertion,
}

/// The operands that a statement itself evaluates, in order.
pub(crate) fn operands(statement: &Stmt) -> Vec<(&Expr, Purpose)> {
    let purpose = |place: usize| match &statement.kind {
        StmtKind::Send { .. } if place == 0 => Purpose::Receiver,
        StmtKind::Send { .. } => Purpose::Argument(place - 1),
        StmtKind::Assert { .. } => Purpose::Assertion,
        _ => Purpose::Value,
    };
    statement.expressions().into_iter().enumerate().map(|(place, expr)| (expr, purpose(place))).collect()
}

/// The method that a statement calls.
pub(crate) fn called(statement: &Stmt) -> Option<MethodId> {
    match statement.value() {
        Some(Rvalue::Call { method, .. }) => Some(*method),
        _ => None,
    }
}

/// The variable or local that a statement assigns to, and whether the assignment covers all of it.
pub(crate) fn assigned(statement: &Stmt) -> Option<(Name, bool)> {
    match &statement.kind {
        StmtKind::Let { local, .. } | StmtKind::ForEach { local, .. } => Some((Name::Local(*local), true)),
        StmtKind::Assign { place: Place { base, indices, .. }, .. } => {
            Name::of(*base).map(|name| (name, indices.is_empty()))
        }
        _ => None,
    }
}

/// The variables and locals that an expression reads.
pub(crate) fn reads(expr: &Expr, into: &mut Vec<Name>) {
    expr.visit(&mut |expr| {
        if let ExprKind::Read(place) = &expr.kind {
            into.extend(Name::of(place.base));
        }
    });
}

/// Whether an expression mentions `sender`.
pub(crate) fn reads_sender(expr: &Expr) -> bool {
    expr.any(&mut |expr| matches!(expr.kind, ExprKind::Sender))
}

/// The state variables that methods read and write, the methods they call included.
pub(crate) struct Touched {
    /// Read, by method.
    pub(crate) read: Vec<Vec<VariableId>>,
    /// Written, by method.
    pub(crate) written: Vec<Vec<VariableId>>,
}

/// The variables that the methods of a class touch.
pub(crate) fn touched(class: &Class) -> Touched {
    let direct: Vec<Effects> = class.methods.iter().map(|method| effects(&method.body.block)).collect();
    let (mut read, mut written) = (Vec::new(), Vec::new());
    for index in 0..class.methods.len() {
        let mut seen = vec![false; class.methods.len()];
        let mut open = vec![MethodId::from_index(index)];
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        while let Some(method) = open.pop() {
            if std::mem::replace(&mut seen[method.index()], true) {
                continue;
            }
            let effects = &direct[method.index()];
            reads.extend(&effects.read);
            writes.extend(&effects.written);
            open.extend(&effects.called);
        }
        for list in [&mut reads, &mut writes] {
            list.sort_unstable();
            list.dedup();
        }
        read.push(reads);
        written.push(writes);
    }
    let is_part = |small: &[VariableId], large: &[VariableId]| small.iter().all(|id| large.binary_search(id).is_ok());
    let includes = |(method, effects): (usize, &Effects)| {
        let mut called = effects.called.iter().map(|called| called.index());
        called.all(|called| is_part(&read[called], &read[method]) && is_part(&written[called], &written[method]))
    };
    debug_assert!(direct.iter().enumerate().all(includes), "a method touches what the methods do that it calls");
    Touched { read, written }
}

#[derive(Default)]
struct Effects {
    read: Vec<VariableId>,
    written: Vec<VariableId>,
    called: Vec<MethodId>,
}

fn effects(block: &Block) -> Effects {
    let mut effects = Effects::default();
    let variable = |name: &Name| match name {
        Name::Variable(id) => Some(*id),
        Name::Local(_) => None,
    };
    all(0, block, &mut |_, statement| {
        let mut names = Vec::new();
        operands(statement).into_iter().for_each(|(expr, _)| reads(expr, &mut names));
        effects.read.extend(names.iter().filter_map(variable));
        effects.written.extend(assigned(statement).and_then(|(name, _)| variable(&name)));
        effects.called.extend(called(statement));
    });
    effects
}
