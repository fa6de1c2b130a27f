//! The tree of a text, before names are resolved.
//!
//! Invariant: no expression is higher than [`MAX_NESTING`](crate::sequential::MAX_NESTING), and no statement nested deeper.

use crate::sequential::BinaryOp;
pub(in crate::sequential) use crate::source::Name;
use crate::source::{Span, Spanned};
use crate::syntax::temporal::{Temporal1, Temporal2};

/// The declarations of a file, by kind, each kind in the order of the text.
#[derive(Debug, Default)]
pub(in crate::sequential) struct File {
    /// Constants, tables and types.
    pub(in crate::sequential) definitions: Vec<Definition>,
    /// Processes.
    pub(in crate::sequential) processes: Vec<Process>,
    /// `init ..;`
    pub(in crate::sequential) inits: Vec<Init>,
    /// Propositions, assertions and formulas.
    pub(in crate::sequential) claims: Vec<Claim>,
    /// `hold variable;`
    pub(in crate::sequential) holds: Vec<Name>,
    /// The formulas that count inside of steps.
    pub(in crate::sequential) inside: Vec<Name>,
    /// `ends condition;`
    pub(in crate::sequential) ends: Vec<Expr>,
}

/// A constant, table or type.
#[derive(Debug)]
pub(in crate::sequential) enum Definition {
    /// `const name[..][..] = value;`
    Constant { name: Name, indices: Vec<Index>, value: ConstantValue },
    /// `type name : low..high;`
    Range { name: Name, low: Expr, high: Expr },
    /// `type name : { member, .. };`
    Enumeration { name: Name, members: Vec<Name> },
}

/// `[sort]` or `[binder:sort]` of a table.
#[derive(Debug)]
pub(in crate::sequential) struct Index {
    /// The name for the index in the value.
    pub(in crate::sequential) binder: Option<Name>,
    /// The index sort.
    pub(in crate::sequential) sort: Name,
}

/// The value of a constant or the initial value of a variable.
#[derive(Debug)]
pub(in crate::sequential) enum ConstantValue {
    /// One expression.
    Single(Expr),
    /// `[e, ..]`
    List(Vec<Expr>, Span),
}

/// `proc name(variables) fair sort = summands;`
#[derive(Debug)]
pub(in crate::sequential) struct Process {
    /// Its name.
    pub(in crate::sequential) name: Name,
    /// Its variables.
    pub(in crate::sequential) variables: Vec<Variable>,
    /// The sort of processes.
    pub(in crate::sequential) fair: Option<Name>,
    /// Its summands.
    pub(in crate::sequential) summands: Vec<Summand>,
}

/// `name : sort[..][..]`
#[derive(Debug)]
pub(in crate::sequential) struct Variable {
    /// Its name.
    pub(in crate::sequential) name: Name,
    /// The sort of its elements.
    pub(in crate::sequential) sort: Name,
    /// The index sorts.
    pub(in crate::sequential) indices: Vec<Name>,
}

/// A name and a sort.
#[derive(Clone, Debug)]
pub(in crate::sequential) struct Binder {
    /// The name.
    pub(in crate::sequential) name: Name,
    /// The sort.
    pub(in crate::sequential) sort: Name,
}

/// `sum .. . [guard] event(..) { .. } -> target(formals)`
#[derive(Debug)]
pub(in crate::sequential) struct Summand {
    /// The summation variables.
    pub(in crate::sequential) binders: Vec<Binder>,
    /// The guard.
    pub(in crate::sequential) guard: Expr,
    /// The event.
    pub(in crate::sequential) event: Name,
    /// Its arguments.
    pub(in crate::sequential) arguments: Vec<Expr>,
    /// The body.
    pub(in crate::sequential) body: Vec<Stmt>,
    /// The process that follows.
    pub(in crate::sequential) target: Name,
    /// The formals, where they are repeated, and their place.
    pub(in crate::sequential) formals: Option<(Vec<Name>, Span)>,
}

/// A statement.
#[derive(Debug)]
pub(in crate::sequential) enum Stmt {
    /// `name[..] := value;`
    Assign { target: Name, indices: Vec<Expr>, value: Expr, span: Span },
    /// `if (condition) { .. } else { .. }`
    If { condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>, span: Span },
    /// `var name : sort[..] := value;`
    Var { variable: Variable, value: Expr, span: Span },
    /// `for name:sort { .. }`
    For { name: Name, sort: Name, body: Vec<Stmt>, span: Span },
    /// `while (condition) { .. }`
    While { condition: Expr, body: Vec<Stmt>, span: Span },
    /// `fail "text";`
    Fail { text: String, span: Span },
}

/// `init name(values);`
#[derive(Debug)]
pub(in crate::sequential) struct Init {
    /// The process.
    pub(in crate::sequential) process: Name,
    /// The values; `None` for a single `*`.
    pub(in crate::sequential) values: Option<Vec<(Name, InitialValue)>>,
    /// From the keyword to the closing parenthesis.
    pub(in crate::sequential) span: Span,
}

/// An initial value.
#[derive(Debug)]
pub(in crate::sequential) enum InitialValue {
    /// `*`
    Any,
    /// One value or a list.
    Given(ConstantValue),
}

/// `prop`, `assert` or `ltl`.
#[derive(Debug)]
pub(in crate::sequential) struct Claim {
    /// The keyword.
    pub(in crate::sequential) kind: ClaimKind,
    /// Its name.
    pub(in crate::sequential) name: Name,
    /// The condition or formula.
    pub(in crate::sequential) value: Expr,
}

/// The kinds of claims.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::sequential) enum ClaimKind {
    /// `prop`
    Proposition,
    /// `assert`
    Invariant,
    /// `ltl`
    Ltl,
}

/// An expression or formula.
pub(in crate::sequential) type Expr = Spanned<ExprKind>;

/// The kind of an expression, with its operands.
#[derive(Debug)]
pub(in crate::sequential) enum ExprKind {
    /// A number, `true` or `false`.
    Int(i32),
    /// A name with its indices.
    Access(Name, Vec<Expr>),
    /// `-e`
    Negate(Box<Expr>),
    /// `!e`
    Not(Box<Expr>),
    /// `popcount(e)`
    PopCount(Box<Expr>),
    /// A binary operation, infix or as a function.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a && b && ..`
    And(Vec<Expr>),
    /// `a || b || ..`
    Or(Vec<Expr>),
    /// `a => b`
    Implies(Box<Expr>, Box<Expr>),
    /// `ite(c, a, b)`
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `forall` (`true`) or `exists` (`false`)
    Quantified(bool, Binder, Box<Expr>),
    /// `G f`, `F f`, `X f`
    Temporal1(Temporal1, Box<Expr>),
    /// `f U g`, `f W g`, `f R g`
    Temporal2(Temporal2, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// The direct operands.
    pub(in crate::sequential) fn operands(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Int(_) => Vec::new(),
            ExprKind::Access(_, list) | ExprKind::And(list) | ExprKind::Or(list) => list.iter().collect(),
            ExprKind::Negate(e)
            | ExprKind::Not(e)
            | ExprKind::PopCount(e)
            | ExprKind::Quantified(_, _, e)
            | ExprKind::Temporal1(_, e) => vec![e],
            ExprKind::Binary(_, a, b) | ExprKind::Implies(a, b) | ExprKind::Temporal2(_, a, b) => vec![a, b],
            ExprKind::Ite(a, b, c) => vec![a, b, c],
        }
    }

    /// The place of the first temporal operator, if there is one.
    pub(in crate::sequential) fn temporal(&self) -> Option<Span> {
        match &self.kind {
            ExprKind::Temporal1(..) | ExprKind::Temporal2(..) => Some(self.span),
            _ => self.operands().into_iter().find_map(Expr::temporal),
        }
    }
}
