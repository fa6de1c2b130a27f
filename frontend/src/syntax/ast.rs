//! The syntax tree of Rebeca models and property files, as written: unresolved names, every construct, every span.
//!
//! When there are errors, the tree holds the parts that the parser could read; the lowering runs only on trees without
//! errors.

use crate::model;
pub use crate::source::Name;
use crate::source::{Span, Spanned};

use super::temporal::{Temporal1, Temporal2};

/// A whole model file.
#[derive(Clone, Default, Debug)]
pub struct Program {
    /// `env` declarations.
    pub environment: Vec<Field>,
    /// `featurevar` declarations.
    pub features: Vec<Name>,
    /// Classes and interfaces, in order.
    pub classes: Vec<ClassDecl>,
    /// The rebecs of `main`; `None` when there is no `main`.
    pub main: Option<Vec<InstanceDecl>>,
    /// Whether a declaration or statement is annotated by `@feature(..)`.
    pub is_annotated: bool,
}

/// The keywords that introduce a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClassForm {
    /// `reactiveclass`
    Reactive,
    /// `abstract reactiveclass`
    Abstract,
    /// `interface`
    Interface,
}

/// A class or interface.
#[derive(Clone, Debug)]
pub struct ClassDecl {
    /// The conditions of its `@feature(..)` annotations.
    pub conditions: Vec<Expr>,
    /// The keywords that introduce it.
    pub form: ClassForm,
    /// Its name.
    pub name: Name,
    /// `extends`: at most one is legal for classes; the lowering reports further ones.
    pub extends: Vec<Name>,
    /// `implements`.
    pub implements: Vec<Name>,
    /// `(n)`; absent for interfaces.
    pub queue_bound: Option<Expr>,
    /// `knownrebecs`.
    pub known: Vec<Field>,
    /// `statevars`.
    pub variables: Vec<Field>,
    /// Constructors, message servers and methods, in order.
    pub members: Vec<Member>,
    /// The whole declaration.
    pub span: Span,
}

/// A declaration of one or more variables of one type.
#[derive(Clone, Debug)]
pub struct Field {
    /// The conditions of its `@feature(..)` annotations, in `knownrebecs` and `statevars`.
    pub conditions: Vec<Expr>,
    /// The type.
    pub ty: Type,
    /// The variables.
    pub declarators: Vec<Declarator>,
    /// The whole declaration.
    pub span: Span,
}

/// A type with array dimensions: `int[3][2]`.
#[derive(Clone, Debug)]
pub struct Type {
    /// `boolean`, `byte`, a class, a scalar set, ..
    pub name: Name,
    /// The dimensions, outermost first.
    pub dimensions: Vec<Expr>,
    /// The whole type.
    pub span: Span,
}

/// One variable of a field.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// Its name.
    pub name: Name,
    /// `x[i]` or `x[i:1..2]`.
    pub groups: Vec<Group>,
    /// `= value`.
    pub initialiser: Option<Initialiser>,
}

/// A group of a declarator.
#[derive(Clone, Debug)]
pub enum Group {
    /// `[i:low..high]`: introduces a scalar set (known rebecs only).
    Introduce {
        /// The new scalar set.
        name: Name,
        /// Its least value.
        low: Expr,
        /// Its greatest value.
        high: Expr,
        /// The brackets and their content.
        span: Span,
    },
    /// `[i]` with a name, or `[3]`: C-style arrays are refused with a pointer to `int[3] x`.
    Use(Expr),
}

/// An initialiser.
#[derive(Clone, Debug)]
pub enum Initialiser {
    /// An expression.
    Expr(Expr),
    /// `{a, b, ..}`
    List(Vec<Initialiser>, Span),
}

/// A member of a class.
#[derive(Clone, Debug)]
pub struct Member {
    /// The conditions of its `@feature(..)` annotations.
    pub conditions: Vec<Expr>,
    /// The kind.
    pub kind: MemberKind,
    /// Whether `abstract` precedes it.
    pub is_abstract: bool,
    /// Its name.
    pub name: Name,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The statements; `None` if there is a `;` instead.
    pub body: Option<Vec<Stmt>>,
    /// The whole member.
    pub span: Span,
}

/// The kind of a member.
#[derive(Clone, Debug)]
pub enum MemberKind {
    /// `C(..) {..}`
    Constructor,
    /// `msgsrv m(..) {..}`
    Server,
    /// `T m(..) {..}`; the type of `void` methods is `None`.
    Method(Option<Type>),
}

/// A formal parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its type.
    pub ty: Type,
    /// Its name.
    pub name: Name,
}

/// `C name(known..):(arguments..);`
#[derive(Clone, Debug)]
pub struct InstanceDecl {
    /// The conditions of its `@feature(..)` annotations.
    pub conditions: Vec<Expr>,
    /// Its class.
    pub class: Name,
    /// Its name.
    pub name: Name,
    /// The known rebecs.
    pub known: Vec<Expr>,
    /// The arguments of `initial` or the constructor.
    pub arguments: Vec<Expr>,
    /// The whole declaration.
    pub span: Span,
}

/// A statement.
pub type Stmt = Spanned<StmtKind>;

/// The kind of a statement, with its parts.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `T x = e, y;`
    Local(Field),
    /// An expression used for its effect: assignment, `++`, call, send, `new`, `assertion`.
    Expr(Expr),
    /// `if`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `while`
    While(Expr, Box<Stmt>),
    /// `do .. while`
    DoWhile(Box<Stmt>, Expr),
    /// `for`
    For {
        /// A declaration or expressions.
        init: Vec<Stmt>,
        /// The condition; `true` if absent.
        condition: Option<Expr>,
        /// The updates.
        update: Vec<Expr>,
        /// The body.
        body: Box<Stmt>,
    },
    /// `forEachValueOf(i) ..`
    ForEach(Name, Box<Stmt>),
    /// `switch`
    Switch(Expr, Vec<SwitchArm>),
    /// `@feature(c) s`
    Feature(Expr, Box<Stmt>),
    /// `{ .. }`
    Block(Vec<Stmt>),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`
    Return(Option<Expr>),
    /// `;`
    Empty,
}

/// `case a: case b: default: statements`
#[derive(Clone, Debug)]
pub struct SwitchArm {
    /// The labels; `None` is `default`.
    pub labels: Vec<(Option<Expr>, Span)>,
    /// The statements.
    pub body: Vec<Stmt>,
}

/// An expression.
pub type Expr = Spanned<ExprKind>;

impl Expr {
    /// The expression whose elements `x[i][j]` names, and the indices.
    pub(crate) fn base_and_indices(&self) -> (&Expr, Vec<&Expr>) {
        let (mut indices, mut base) = (Vec::new(), self);
        while let ExprKind::Index(inner, index) = &base.kind {
            indices.push(&**index);
            base = inner;
        }
        indices.reverse();
        (base, indices)
    }
}

/// The kind of an expression, with its operands.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer literal; the value as written, which may be too large (`2147483648` is legal after `-` only).
    Int(u64),
    /// `true`, `false`
    Bool(bool),
    /// A string literal, unescaped.
    Text(String),
    /// `null`
    Null,
    /// A name: variable, parameter, rebec, `self`, `sender`, scalar set, definition.
    Name(String),
    /// `e[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `e.name`
    Field(Box<Expr>, Name),
    /// `name(..)` or `e.name(..)`: a call, a send, or a built-in.
    Call {
        /// The operand before the dot.
        target: Option<Box<Expr>>,
        /// The name.
        name: Name,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `new C(..):(..)`
    New {
        /// The class.
        class: Name,
        /// The known rebecs.
        known: Vec<Expr>,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `?(a, b)`
    Choose(Vec<Expr>),
    /// `(T) e`
    Cast(Name, Box<Expr>),
    /// `e instanceof C`
    InstanceOf(Box<Expr>, Name),
    /// Prefix `! - + ~`
    Unary(UnaryOp, Box<Expr>),
    /// `++e`, `e--`, ..
    Step {
        /// Whether it counts up.
        up: bool,
        /// Whether the operator precedes the operand.
        prefix: bool,
        /// The operand.
        operand: Box<Expr>,
    },
    /// A binary operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a && b && ..`: at least two operands, flattened.
    And(Vec<Expr>),
    /// `a || b || ..`
    Or(Vec<Expr>),
    /// `c ? a : b`
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a = b`, `a += b`, ..
    Assign(Option<model::BinaryOp>, Box<Expr>, Box<Expr>),
    /// A temporal operator with one operand (property files).
    Temporal1(Temporal1, Box<Expr>),
    /// A temporal operator with two operands, or `->` (property files).
    Temporal2(Temporal2, Box<Expr>, Box<Expr>),
}

/// Prefix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `~`
    Complement,
}

/// Binary operators other than `&&` and `||`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// One of the model.
    On(model::BinaryOp),
    /// `+%`
    Rotate,
}

/// A property file.
#[derive(Clone, Default, Debug)]
pub struct PropertyFile {
    /// `define { name = e; }`
    pub definitions: Vec<(Name, Expr)>,
    /// `Assertion { name: e; }`
    pub assertions: Vec<(Name, Expr)>,
    /// `LTL { name: e; }`
    pub formulas: Vec<(Name, Expr)>,
    /// `End { name: e; }`
    pub ends: Vec<(Name, Expr)>,
    /// The order of the assertions and formulas in the text: `(is_ltl, index)`.
    pub order: Vec<(bool, usize)>,
}
