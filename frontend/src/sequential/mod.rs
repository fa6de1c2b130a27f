//! [`Sequential`]: a process in sequential form, typed, resolved and finite; the language `.lpe` and its semantics.
//!
//! One process holds all variables. A summand chooses values for its parameters, evaluates its guard, names an event,
//! and changes the variables by a body of assignments and conditionals; the process then continues as itself. [`parse`]
//! reads the text, [`print`](mod@print) writes it, [`verify`](mod@verify) lists broken rules, [`interpret`] defines the
//! meaning of a process. Concurrent models of other languages are brought into this form too.
//!
//! Values are plain `i32`: an integer represents itself, a member of an enumeration its index, and truth is 1 or 0. A
//! state is one value for each element of each variable, row-major, in the order of the variables.
//!
//! Invariants: listed and checked by [`verify()`](verify::verify).
//!
//! Source: \[Zha13\] III-A and Fig. 3. Deviations: events have arguments, enumerations are types of their own, bodies have
//! locals and loops, and faults are defined (see [`interpret`]).

mod adding;
mod expression;
mod fairness;
pub(crate) mod from_actors;
mod from_murphi;
pub(crate) mod interval;
mod lower;
mod mention;
mod names;
mod property;
mod syntax;
#[cfg(test)]
mod tests;
mod turn;
mod typing;

pub mod interpret;
pub mod print;
pub mod spans;
pub mod trace;
pub mod verify;

pub use expression::{BinaryOp, Expr, ExprKind, Place, Quantified};
pub use from_actors::from_actors;
pub use from_murphi::from_murphi;
pub use interval::Interval;
pub use lower::{Options, Parsed, conditions, parse};
pub use property::{Formula, Property, PropertyKind};
pub use turn::Turn;
pub use typing::{TypeError, TypeFault, Typing, Values};

use crate::source::{Span, Spanned};

/// The greatest number of values of an enumeration. Ranges have up to 2^32: only binders and tables enumerate them, and
/// those have separate bounds.
pub const MAX_TYPE_SIZE: usize = 1 << 20;
/// The greatest number of elements of all variables together.
pub const MAX_ELEMENTS: usize = 1 << 16;
/// The greatest number of entries of a constant table.
pub const MAX_TABLE_SIZE: usize = 1 << 20;
/// The greatest number of rounds that the `for` loops around one statement make together.
pub const MAX_ROUNDS: usize = 1 << 12;
/// The greatest number of rounds that the `while` loops of one step make together; past it the step faults.
pub const MAX_WHILE: u64 = 100_000;
/// The greatest number of initial states in addition to those of the first `init`.
pub const MAX_STARTS: usize = 1 << 12;
/// The greatest number of combinations of values of the binders around one place (summation variables and quantifiers).
pub const MAX_COMBINATIONS: usize = 1 << 28;
/// The deepest nesting of an expression or statement.
pub const MAX_NESTING: usize = 256;

use crate::ids::ids;

ids! {
    /// Index into [`Sequential::sorts`].
    SortId;
    /// Index into [`Sequential::tables`].
    TableId;
    /// Index into [`Sequential::variables`], and after those into [`Sequential::locals`].
    VariableId;
    /// Index into [`Sequential::summands`].
    SummandId;
    /// A summation, loop or quantified variable, counted from the outermost binder: the parameters of the summand come
    /// first, then the `for` loops and the quantifiers around the place, from outside to inside.
    ParameterId;
}

/// The room for processes that a text makes while it runs: a bound of the reading, not of the model.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ProcessRoom {
    /// The most processes at a time.
    pub processes: u32,
    /// The text of the fault of a step that needs more.
    pub fault: String,
}

/// A whole process.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Sequential {
    /// The name of the process.
    pub name: String,
    /// The sorts: [`Sequential::BOOL`], [`Sequential::BIT`], then those of the text in order.
    pub sorts: Vec<Sort>,
    /// The scalar constants with their values. Uses of them are literals already: the list is there for people.
    pub constants: Vec<Constant>,
    /// The constant tables.
    pub tables: Vec<Table>,
    /// The variables of the process, in order; their elements make up the state.
    pub variables: Vec<Variable>,
    /// Further initial states, whole; distinct, and none of them one of the initial values of the variables.
    pub starts: Vec<Vec<i32>>,
    /// The locals of all bodies, in the order of their declarations. Their ids follow those of the variables, and their
    /// elements follow those of the state. They are discarded after a step. Their initial values have no meaning.
    pub locals: Vec<Variable>,
    /// The summands, in order.
    pub summands: Vec<Summand>,
    /// `prop name = condition;`, in order. They are expanded where they are used.
    pub propositions: Vec<Proposition>,
    /// `assert` and `ltl`, in order; names are unique.
    pub properties: Vec<Property>,
    /// The sort whose values are the processes of weak fairness. A summand instance belongs to the process that is the
    /// value of its first parameter of this sort; instances without one belong to none.
    pub fair: Option<SortId>,
    /// The number of processes, where processes are known by numbers and all parameters of summands are such numbers: weak fairness is assumed
    /// of them where one asks for it. Not together with `fair`.
    pub numbered: Option<u32>,
    /// The language of the text that spans refer to.
    pub origin: Origin,
    /// The states without steps that are no deadlocks.
    pub ends: Option<Expr>,
    /// The variable of the turn: where it has another value than its least one, the state is inside of a step, and not
    /// a state of the model. The step goes on with every enabled instance; where there is none, the variable gets its
    /// least value again and the step is over.
    pub hold: Option<VariableId>,
    /// The formula among the properties whose conditions count inside of steps, too: one holds at a state of a run also where it holds in a
    /// state inside of the step that the run takes from there. Only together with `hold`.
    pub inside: Option<String>,
    /// The bound on processes that the reading of a text has, if it has one.
    pub room: Option<ProcessRoom>,
    /// The name of the process in the text.
    pub span: Span,
}

/// The languages whose texts become processes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Origin {
    /// The sequential language.
    #[default]
    Lpe,
    /// DVE.
    Dve,
    /// Petri nets.
    Pnml,
    /// Promela.
    Promela,
}

/// A finite sort.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sort {
    /// Its name.
    pub name: String,
    /// Its values.
    pub domain: Domain,
    /// The name in the text.
    pub span: Span,
}

/// The values of a sort.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Domain {
    /// The integers from `low` to `high`, both included.
    Range {
        /// The least value.
        low: i32,
        /// The greatest value; at least `low`.
        high: i32,
    },
    /// As a range; but the values are computed with, so that no symmetry exchanges them. In `.lpe` it is printed as a range.
    Numbers {
        /// The least value.
        low: i32,
        /// The greatest value; at least `low`.
        high: i32,
    },
    /// The names of an enumeration; the value of a member is its index. Members are not integers.
    Members(Vec<String>),
    /// The members of an enumeration from `low` to `high`, both included; they are members of that enumeration.
    Part {
        /// The enumeration.
        of: SortId,
        /// The least index.
        low: i32,
        /// The greatest index; at least `low`.
        high: i32,
    },
}

impl Domain {
    /// The least and the greatest value.
    pub fn bounds(&self) -> (i32, i32) {
        match self {
            Domain::Range { low, high } | Domain::Numbers { low, high } | Domain::Part { low, high, .. } => {
                (*low, *high)
            }
            Domain::Members(names) => (0, i32::try_from(names.len()).unwrap_or(i32::MAX) - 1),
        }
    }

    /// The number of values.
    pub fn size(&self) -> usize {
        let (low, high) = self.bounds();
        usize::try_from(i64::from(high) - i64::from(low) + 1).unwrap_or(0)
    }

    /// Whether a value belongs to it.
    pub fn contains(&self, value: i32) -> bool {
        let (low, high) = self.bounds();
        low <= value && value <= high
    }

    /// The values in ascending order.
    pub fn values(&self) -> std::ops::RangeInclusive<i32> {
        let (low, high) = self.bounds();
        low..=high
    }
}

/// The kind of a value: all integers are comparable, members only within their enumeration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueKind {
    /// An integer, whatever its range; truth values are the integers 0 and 1.
    Integer,
    /// A member of this enumeration.
    Member(SortId),
}

/// A scalar constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// The kind of its value.
    pub kind: ValueKind,
    /// Its value, after overriding.
    pub value: i32,
    /// The name in the text.
    pub span: Span,
}

/// A constant table, evaluated.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// The sort of each index; at least one.
    pub indices: Vec<SortId>,
    /// The kind of its values.
    pub kind: ValueKind,
    /// The values, row-major: as many as the product of the index sorts' sizes.
    pub values: Vec<i32>,
    /// The name in the text.
    pub span: Span,
}

/// A variable of the process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The sort of its elements.
    pub sort: SortId,
    /// The sort of each index; none for a scalar.
    pub indices: Vec<SortId>,
    /// The position of its first element in a state.
    pub offset: usize,
    /// Its initial values.
    pub initial: Initial,
    /// Its initial values in the text.
    pub initial_span: Span,
    /// Whether the text gives one initial value for all elements, or any, and not a list.
    pub is_uniform: bool,
    /// The name in the text.
    pub span: Span,
}

/// The initial values of a variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Initial {
    /// `*`: each element has any value of its sort, independently.
    Any,
    /// One value per element, row-major.
    Values(Vec<i32>),
}

/// A summand: `sum p:S . [guard] event(arguments) { body } -> P`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Summand {
    /// The summation variables, outermost first; read-only.
    pub parameters: Vec<Parameter>,
    /// The condition under which an instance is enabled.
    pub guard: Expr,
    /// The name of the event.
    pub event: String,
    /// Its arguments, evaluated before the body.
    pub arguments: Vec<Expr>,
    /// The changes, in order.
    pub body: Vec<Stmt>,
    /// The step in the words of another language, for people. It has no meaning, and no text of this language.
    pub label: Option<String>,
    /// The name of the event in the text.
    pub span: Span,
}

impl Summand {
    /// A summand that is never enabled: a process has at least one, also where nothing happens.
    pub fn never_enabled(event: &str, span: Span) -> Summand {
        Summand {
            parameters: Vec::new(),
            guard: Expr::new(ExprKind::Int(0), span),
            event: event.to_owned(),
            arguments: Vec::new(),
            body: Vec::new(),
            label: None,
            span,
        }
    }
}

/// A summation variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The sort it ranges over.
    pub sort: SortId,
    /// The name in the text.
    pub span: Span,
}

/// A statement with its place in the text.
pub type Stmt = Spanned<StmtKind>;

/// The kind of a statement, with its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StmtKind {
    /// `place := value;` The indices are evaluated first, then the value; a value outside the sort of the variable faults.
    Assign(Place, Expr),
    /// `if (condition) { .. } else { .. }`
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `var name : sort := value;` A local, in scope until the end of the block; all its elements take the value.
    Var(VariableId, Expr),
    /// `for name:sort { .. }` The body runs for each value in ascending order.
    For(Parameter, Vec<Stmt>),
    /// `while (condition) { .. }` The step faults past [`MAX_WHILE`] rounds.
    While(Expr, Vec<Stmt>),
    /// `fail "text";` The step faults with this text.
    Fail(String),
}

/// A named condition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Proposition {
    /// Its name.
    pub name: String,
    /// The condition over one state.
    pub value: Expr,
    /// The name in the text.
    pub span: Span,
}

impl Sequential {
    /// `BOOL`: the integers 0 and 1.
    pub const BOOL: SortId = SortId(0);
    /// `BIT`: the integers 0 and 1.
    pub const BIT: SortId = SortId(1);

    /// A process without variables and summands: only the predefined sorts.
    pub fn empty(name: impl Into<String>) -> Sequential {
        let bit = |name: &str| Sort { name: name.into(), domain: Domain::Range { low: 0, high: 1 }, span: Span::NONE };
        Sequential { name: name.into(), sorts: vec![bit("BOOL"), bit("BIT")], ..Sequential::default() }
    }

    /// The sort of an id.
    pub fn sort(&self, id: SortId) -> &Sort {
        &self.sorts[id.index()]
    }

    /// The domain of a sort.
    pub fn domain(&self, id: SortId) -> &Domain {
        &self.sorts[id.index()].domain
    }

    /// The variable or local of an id.
    pub fn variable(&self, id: VariableId) -> &Variable {
        let local = id.index().checked_sub(self.variables.len());
        local.map_or_else(|| &self.variables[id.index()], |local| &self.locals[local])
    }

    /// The table of an id.
    pub fn table(&self, id: TableId) -> &Table {
        &self.tables[id.index()]
    }

    /// The summand of an id.
    pub fn summand(&self, id: SummandId) -> &Summand {
        &self.summands[id.index()]
    }

    /// The kind of the values of a sort.
    pub fn kind_of(&self, id: SortId) -> ValueKind {
        match self.domain(id) {
            Domain::Range { .. } | Domain::Numbers { .. } => ValueKind::Integer,
            Domain::Members(_) => ValueKind::Member(id),
            Domain::Part { of, .. } => ValueKind::Member(*of),
        }
    }

    /// The number of elements of an array over these index sorts, 1 without any; `None` if it does not fit.
    pub fn size_of(&self, indices: &[SortId]) -> Option<usize> {
        indices.iter().try_fold(1usize, |size, &sort| size.checked_mul(self.domain(sort).size()))
    }

    /// The number of elements of a variable.
    ///
    /// # Panics
    /// If the process is not verified and the product does not fit.
    pub fn len_of(&self, variable: &Variable) -> usize {
        self.size_of(&variable.indices).expect("the number of elements is bounded")
    }

    /// The number of elements of a state.
    pub fn state_len(&self) -> usize {
        self.variables.last().map_or(0, |last| last.offset + self.len_of(last))
    }

    /// The number of elements of a state and of all locals after it.
    pub fn working_len(&self) -> usize {
        self.locals.last().map_or_else(|| self.state_len(), |last| last.offset + self.len_of(last))
    }

    /// The initial value of each element of a state, without the starts that are listed apart; `None` for any value.
    pub fn initial_values(&self) -> Vec<Option<i32>> {
        let of = |variable: &Variable| match &variable.initial {
            Initial::Any => vec![None; self.len_of(variable)],
            Initial::Values(values) => values.iter().copied().map(Some).collect(),
        };
        self.variables.iter().flat_map(of).collect()
    }

    /// The sort of each element of a state.
    pub fn element_sorts(&self) -> Vec<SortId> {
        self.variables.iter().flat_map(|variable| std::iter::repeat_n(variable.sort, self.len_of(variable))).collect()
    }
}
