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
    fn values(list: Vec<&Expr>) -> Vec<(&Expr, Purpose)> {
        list.into_iter().map(|expr| (expr, Purpose::Value)).collect()
    }
    match &statement.kind {
        StmtKind::Let { value: Some(value), .. } | StmtKind::Do(value) => values(of_value(value)),
        StmtKind::Assign { place, value } => values(place.indices.iter().chain(of_value(value)).collect()),
        StmtKind::Send { receiver, arguments, .. } => {
            let arguments = arguments.iter().enumerate().map(|(index, expr)| (expr, Purpose::Argument(index)));
            std::iter::once((receiver, Purpose::Receiver)).chain(arguments).collect()
        }
        StmtKind::Assert { condition, .. } => vec![(condition, Purpose::Assertion)],
        StmtKind::If { condition, .. } | StmtKind::Loop { condition, .. } => values(vec![condition]),
        StmtKind::Switch { value, .. } | StmtKind::Return(Some(value)) => values(vec![value]),
        StmtKind::Let { value: None, .. }
        | StmtKind::ForEach { .. }
        | StmtKind::Block(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(None) => Vec::new(),
    }
}

/// The operands of a value.
pub(crate) fn of_value(value: &Rvalue) -> Vec<&Expr> {
    match value {
        Rvalue::Expr(expr) => vec![expr],
        Rvalue::Choose(list) | Rvalue::Call { arguments: list, .. } => list.iter().collect(),
        Rvalue::New { known, arguments, .. } => known.iter().chain(arguments).collect(),
    }
}

/// The value that a statement computes, if it computes one.
pub(crate) fn value_of(statement: &Stmt) -> Option<&Rvalue> {
    match &statement.kind {
        StmtKind::Let { value, .. } => value.as_ref(),
        StmtKind::Assign { value, .. } | StmtKind::Do(value) => Some(value),
        _ => None,
    }
}

/// The method that a statement calls.
pub(crate) fn called(statement: &Stmt) -> Option<MethodId> {
    match value_of(statement) {
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
    if let ExprKind::Read(place) = &expr.kind {
        into.extend(Name::of(place.base));
    }
    expr.operands().into_iter().for_each(|operand| reads(operand, into));
}

/// Whether any part of an expression satisfies the predicate.
pub(crate) fn any(expr: &Expr, queried: &dyn Fn(&Expr) -> bool) -> bool {
    queried(expr) || expr.operands().into_iter().any(|operand| any(operand, queried))
}

/// Whether an expression mentions `sender`.
pub(crate) fn reads_sender(expr: &Expr) -> bool {
    any(expr, &|expr| matches!(expr.kind, ExprKind::Sender))
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
