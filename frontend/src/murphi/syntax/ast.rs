//! The tree of a model, before names are resolved.
//!
//! Invariant: no expression, statement, rule or type is nested deeper than [`MAX_NESTING`](crate::murphi::MAX_NESTING).

use crate::operators::operators;
pub use crate::source::Name;
use crate::source::{Span, Spanned};

/// A model: its parts in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct File {
    /// The parts.
    pub items: Vec<Item>,
}

/// A part of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// A declaration of constants, types or variables.
    Declaration(Declaration),
    /// A function or procedure.
    Procedure(Procedure),
    /// A rule, start state, property, or a nest of them.
    Rule(Rule),
}

/// `names : ..` in a section `const`, `type` or `var`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// The names, all declared alike; at least one.
    pub names: Vec<Name>,
    /// The meaning of the names.
    pub kind: DeclarationKind,
    /// The text, with the word of the section at the first declaration of one.
    pub span: Span,
}

/// The meaning of declared names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeclarationKind {
    /// `const`
    Constant(Expr),
    /// `type`
    Type(TypeExpr),
    /// `var`
    Variable(TypeExpr),
}

/// A type as it is written.
pub type TypeExpr = Spanned<TypeExprKind>;

/// The kind of a type, with its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeExprKind {
    /// `boolean`
    Boolean,
    /// A declared type.
    Named(Name),
    /// `low .. high`
    Range(Box<Expr>, Box<Expr>),
    /// `enum { a, b }`
    Enum(Vec<Name>),
    /// `scalarset(size)`
    Scalarset(Box<Expr>),
    /// `union { A, B }`
    Union(Vec<TypeExpr>),
    /// `array [index] of element`
    Array(Box<TypeExpr>, Box<TypeExpr>),
    /// `record names : type; .. end`
    Record(Vec<Field>),
    /// `multiset [capacity] of element`
    Multiset(Box<Expr>, Box<TypeExpr>),
}

/// `names : type` of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The names, all of the same type.
    pub names: Vec<Name>,
    /// The type.
    pub of: TypeExpr,
}

/// A function or procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Parameters>,
    /// The type of the result, if it is a function.
    pub result: Option<TypeExpr>,
    /// Its declarations and statements.
    pub body: Body,
    /// The text.
    pub span: Span,
}

/// `var names : type`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// Whether they stand for variables of the caller.
    pub by_reference: bool,
    /// The names, all alike.
    pub names: Vec<Name>,
    /// The type.
    pub of: TypeExpr,
}

/// The declarations and statements of a rule, start state or procedure.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Body {
    /// Declarations in scope of the statements.
    pub declarations: Vec<Declaration>,
    /// The statements.
    pub statements: Vec<Stmt>,
}

/// A rule, start state, property, or a nest of them.
pub type Rule = Spanned<RuleKind>;

/// A text in quotes, as written between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    /// The text.
    pub text: String,
    /// The place, with the quotes.
    pub span: Span,
}

/// The kind of a rule, with its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RuleKind {
    /// `rule "name" guard ==> ..`
    Simple(Option<Text>, Option<Expr>, Body),
    /// `startstate "name" ..`
    Start(Option<Text>, Body),
    /// `invariant "name" condition` and the like.
    Property(Property),
    /// `ruleset binders do rules end`
    Ruleset(Vec<Binder>, Vec<Rule>),
    /// `alias name : expression; .. do rules end`
    Alias(Vec<Alias>, Vec<Rule>),
    /// `choose slot : multiset do rules end`
    Choose(Vec<Alias>, Vec<Rule>),
}

/// A property, of all states or of a place in a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// The keyword.
    pub kind: PropertyKind,
    /// Its name or message.
    pub name: Option<Text>,
    /// The condition.
    pub condition: Expr,
}

/// The kinds of properties.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PropertyKind {
    /// `invariant`, or `assert` outside of bodies.
    Invariant,
    /// `assert` in a body.
    Assert,
    /// `assume`
    Assume,
    /// `cover`
    Cover,
    /// `liveness`
    Liveness,
    /// A condition of a formula in a property file.
    Atom,
    /// The states that may end, in a property file.
    End,
}

/// `name : type`, or `name := from to last by step`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binder {
    /// The name.
    pub name: Name,
    /// The values.
    pub values: BinderValues,
}

/// The values of a binder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BinderValues {
    /// All values of a type.
    Type(TypeExpr),
    /// From a first to a last value in steps.
    Steps {
        /// The first value.
        from: Box<Expr>,
        /// The bound.
        to: Box<Expr>,
        /// The step; 1 if it is not written.
        by: Option<Box<Expr>>,
    },
}

/// `name : expression`: an alias, or a slot of a multiset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alias {
    /// The name.
    pub name: Name,
    /// The expression that it abbreviates.
    pub value: Expr,
}

/// A statement.
pub type Stmt = Spanned<StmtKind>;

/// The kind of a statement, with its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// `place := value`
    Assign(Expr, Expr),
    /// `undefine place`
    Undefine(Expr),
    /// `clear place`
    Clear(Expr),
    /// `if .. elsif .. else .. end`
    If(Vec<Branch>, Option<Vec<Stmt>>),
    /// `switch subject case .. else .. end`
    Switch(Expr, Vec<Case>, Option<Vec<Stmt>>),
    /// `for binders do .. end`
    For(Vec<Binder>, Vec<Stmt>),
    /// `while condition do .. end`
    While(Expr, Vec<Stmt>),
    /// `alias .. do .. end`
    Alias(Vec<Alias>, Vec<Stmt>),
    /// `name(arguments)`
    Call(Name, Vec<Expr>),
    /// `return value`
    Return(Option<Expr>),
    /// `error "text"`
    Error(Text),
    /// `assert condition "text"` and the like.
    Property(Property),
    /// `put "text"`
    PutText(Text),
    /// `put value`
    Put(Expr),
    /// `multisetadd(value, multiset)`
    MultisetAdd(Expr, Expr),
    /// `multisetremove(slot, multiset)`
    MultisetRemove(Expr, Expr),
    /// `multisetremovepred(slot : multiset, condition)`
    MultisetRemoveWhere(Alias, Expr),
}

/// `if condition then ..` or `elsif condition then ..`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// The condition.
    pub condition: Expr,
    /// The statements.
    pub body: Vec<Stmt>,
}

/// `case values : ..`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The values.
    pub values: Vec<Expr>,
    /// The statements.
    pub body: Vec<Stmt>,
}

/// An expression.
pub type Expr = Spanned<ExprKind>;

/// The kind of an expression, with its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// An integer.
    Integer(i32),
    /// `true` or `false`
    Boolean(bool),
    /// A name.
    Name(String),
    /// `record.field`
    Field(Box<Expr>, Name),
    /// `array[index]`
    Index(Box<Expr>, Box<Expr>),
    /// `name(arguments)`
    Call(Name, Vec<Expr>),
    /// `-e`, `!e`, `~e`
    Unary(UnaryOp, Box<Expr>),
    /// A binary operation.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a & b & ..`: at least two operands.
    And(Vec<Expr>),
    /// `a | b | ..`: at least two operands.
    Or(Vec<Expr>),
    /// `a ? b : c`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `forall binders do e end` (`true`) or `exists` (`false`)
    Quantified(bool, Vec<Binder>, Box<Expr>),
    /// `isundefined(place)`
    IsUndefined(Box<Expr>),
    /// `ismember(e, type)`
    IsMember(Box<Expr>, Box<TypeExpr>),
    /// `multisetcount(slot : multiset, condition)`
    MultisetCount(Box<Alias>, Box<Expr>),
    /// `undefined`, as the value of an assignment or an argument.
    Undefined,
    /// An expression that was reported.
    Missing,
}

operators! {
    /// Prefix operators.
    pub enum UnaryOp {
        /// `-`
        Negate = "-",
        /// `!`
        Not = "!",
        /// `~`
        Complement = "~",
    }
}

operators! {
    /// Infix operators but chains of `&` and `|`.
    pub enum BinaryOp {
        /// `->`
        Implies = "->",
        /// `=`
        Equal = "=",
        /// `!=`
        NotEqual = "!=",
        /// `<`
        Less = "<",
        /// `<=`
        LessEqual = "<=",
        /// `>`
        Greater = ">",
        /// `>=`
        GreaterEqual = ">=",
        /// `^`
        Xor = "^",
        /// `<<`
        ShiftLeft = "<<",
        /// `>>`
        ShiftRight = ">>",
        /// `+`
        Add = "+",
        /// `-`
        Subtract = "-",
        /// `*`
        Multiply = "*",
        /// `/`
        Divide = "/",
        /// `%`
        Remainder = "%",
    }
}
