//! [`Program`]: a model of Murphi, typed, resolved and finite.
//!
//! A state is one cell for each simple value of the variables, each holding a value or undefined. Constants are values,
//! rulesets and the aliases around rules are headers of the rules, and every name is an id. Procedures are shared: a call
//! names its procedure.

mod children;
mod claims;
mod expression;
mod height;
mod statement;
mod types;
mod visit;

pub use children::Child;
pub(super) use claims::{BUILT_IN, END};
pub use claims::{Claim, ClaimKind};
pub use expression::{Argument, Base, BinaryOp, Binder, BinderValues, Expr, ExprKind, Place, Slots, Step, Steps};
pub use height::height;
pub use statement::{Binding, Bound, Branch, Case, Stmt, StmtKind};
pub use types::{Class, Field, Sort, Type, TypeKind, Types};
pub use visit::{Owner, Part, Text, Visit};

use ltl::Formula;

use crate::ids::ids;
use crate::source::Span;

ids! {
    /// Index into [`Types::list`].
    TypeId;
    /// Index into [`Types::sorts`].
    SortId;
    /// Index into [`Program::variables`].
    VariableId;
    /// Index into [`Frame::locals`] of the rule, property or procedure.
    LocalId;
    /// Index into [`Program::procedures`].
    ProcedureId;
    /// Index into [`Program::rules`].
    RuleId;
    /// Index into [`Program::covers`].
    CoverId;
}

/// A whole model.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Program {
    /// The types.
    pub types: Types,
    /// The constants of the whole model with their values. Uses of them are values already: the list is for people.
    pub constants: Vec<Constant>,
    /// The variables of the state, in order.
    pub variables: Vec<Variable>,
    /// The functions and procedures, each after those that it calls but itself.
    pub procedures: Vec<Procedure>,
    /// The start states.
    pub starts: Vec<Rule>,
    /// Further start states, which no text gives: a cell without a value is undefined.
    pub further: Vec<Vec<Option<i32>>>,
    /// The rules.
    pub rules: Vec<Rule>,
    /// The properties of all states.
    pub properties: Vec<Property>,
    /// The `cover` statements of bodies.
    pub covers: Vec<Cover>,
    /// The formulas of a property file.
    pub formulas: Vec<Temporal>,
    /// The fields of records with their places: the list is for people.
    pub fields: Vec<FieldPlace>,
}

/// The place of a field in the text. Records of the same fields are one type, whose fields have several places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldPlace {
    /// The record.
    pub record: TypeId,
    /// The number of the field.
    pub number: usize,
    /// Its name in the text.
    pub span: Span,
}

/// A formula of linear temporal logic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Temporal {
    /// Its name.
    pub name: String,
    /// The formula, over conditions by their index in [`Program::properties`].
    pub formula: Formula<usize>,
}

/// A constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its type.
    pub of: TypeId,
    /// Its value, after overriding.
    pub value: i32,
    /// The name in the text.
    pub span: Span,
}

/// A variable of the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub of: TypeId,
    /// Its first cell in the state.
    pub offset: usize,
    /// The name in the text.
    pub span: Span,
}

/// The locals of a rule, property or procedure: variables, parameters, aliases and binders.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Frame {
    /// The locals, in the order of the text.
    pub locals: Vec<Local>,
    /// The number of their cells.
    pub cells: usize,
}

/// A local.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: LocalKind,
    /// Its type; the multiset of a slot.
    pub of: TypeId,
    /// Its first cell in the frame; of no meaning for a reference.
    pub offset: usize,
    /// The name in the text.
    pub span: Span,
}

/// The kinds of locals.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LocalKind {
    /// A variable, undefined when its body is entered.
    Variable,
    /// The value of a loop, ruleset or quantifier: it cannot be assigned, and is never undefined.
    Binder,
    /// Another value that cannot be assigned: a parameter or an alias of a value.
    Value,
    /// Another name of a variable of the caller, or of a part of one.
    Outer,
    /// Another name of a variable of the state, or of a part of one.
    State,
    /// Another name of a variable of this frame, or of a part of one.
    Inner,
    /// Another name of a value of this frame, or of a part of one: it cannot be assigned.
    Fixed,
    /// A slot of a multiset: one cell with its number.
    Slot,
}

impl LocalKind {
    /// Whether the local is a value that cannot be assigned.
    pub fn is_value(self) -> bool {
        matches!(self, LocalKind::Binder | LocalKind::Value)
    }

    /// Whether the local has no cells of its own.
    pub fn is_reference(self) -> bool {
        matches!(self, LocalKind::Outer | LocalKind::State | LocalKind::Inner | LocalKind::Fixed)
    }
}

/// A function or procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// The number of parameters, which are its first locals.
    pub parameters: usize,
    /// The type of the result of a function.
    pub result: Option<TypeId>,
    /// Its locals.
    pub frame: Frame,
    /// Its statements.
    pub body: Vec<Stmt>,
    /// The effects that it may have.
    pub changes: Changes,
    /// The deepest nesting of its statements and expressions.
    pub height: usize,
    /// The name in the text.
    pub span: Span,
}

/// The effects of a procedure outside of its frame.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Changes {
    /// Variables of the state, other than through parameters.
    pub state: bool,
    /// Variables of the caller that are its parameters.
    pub parameters: bool,
}

/// A rule or start state, with the rulesets, aliases and choices around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// Its name, or `rule` or `startstate` and its number, from 1.
    pub name: String,
    /// The constructs around it, outermost first.
    pub header: Vec<Header>,
    /// Its locals, those of the header first.
    pub frame: Frame,
    /// The condition under which an instance is enabled.
    pub guard: Option<Expr>,
    /// Its statements.
    pub body: Vec<Stmt>,
    /// The text.
    pub span: Span,
}

/// A construct around a rule or property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Header {
    /// `ruleset`: one instance for each value, which are constants.
    For(Binder),
    /// `alias`
    Alias(Binding),
    /// `choose`: one instance for each used slot.
    Choose(Slots),
}

/// A property of all states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// Its kind; never an assertion.
    pub kind: crate::murphi::syntax::ast::PropertyKind,
    /// Its name; empty if it has none. Of a condition of a formula its text.
    pub name: String,
    /// The constructs around it, outermost first.
    pub header: Vec<Header>,
    /// Its locals, those of the header first.
    pub frame: Frame,
    /// The condition.
    pub condition: Expr,
    /// The text.
    pub span: Span,
}

/// A `cover` statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cover {
    /// Its name; empty if it has none.
    pub name: String,
    /// The text.
    pub span: Span,
}

impl Program {
    /// The number of cells of a state.
    pub fn cells(&self) -> usize {
        self.variables.last().map_or(0, |last| last.offset + self.types.cells(last.of))
    }

    /// The variable of an id.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.index()]
    }

    /// The procedure of an id.
    pub fn procedure(&self, id: ProcedureId) -> &Procedure {
        &self.procedures[id.index()]
    }

    /// The rule of an id.
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.index()]
    }
}

impl Header {
    /// The local that it binds.
    pub(crate) fn local(&self) -> LocalId {
        match self {
            Header::For(binder) => binder.local,
            Header::Alias(binding) => binding.local,
            Header::Choose(slots) => slots.slot,
        }
    }
}

impl Frame {
    /// The local of an id.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.index()]
    }
}
