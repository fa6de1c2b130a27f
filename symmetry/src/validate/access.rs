//! The effects of the rounds of a loop over a scalar set, as records that are compared pairwise.
//!
//! A record is about one round with value `v`. Along an axis over the set, the index is known as an offset from `v`, so that records of
//! two different rounds meet on that axis only if their offsets differ. A guard is a condition that holds in at most one round.

use frontend::interpret::FaultClass;
use frontend::model::{Expr, ExprKind, LocalId, RebecId, Sort, VariableId};
use frontend::source::Span;

/// The variable or local that holds an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Holder {
    Variable(VariableId),
    Local(LocalId),
}

/// A value that is the same in all rounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Literal {
    Bool(bool),
    Int(i32),
    Null,
    SelfRef,
    Sender,
}

impl Literal {
    /// The literal that an expression denotes.
    pub(super) fn of(expr: &Expr) -> Option<Literal> {
        match &expr.kind {
            ExprKind::Bool(value) => Some(Literal::Bool(*value)),
            ExprKind::Int(value) => Some(Literal::Int(*value)),
            ExprKind::Null => Some(Literal::Null),
            ExprKind::SelfRef => Some(Literal::SelfRef),
            ExprKind::Sender => Some(Literal::Sender),
            _ => None,
        }
    }
}

/// The kind of use of an element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Use {
    Read,
    Write,
    /// Raised by a literal that is not negative, with no other effect: a run of such steps never decreases the value, so it leaves the
    /// range of the variable in every order or in none.
    Raise,
    /// Lowered likewise.
    Lower,
    /// Set to a literal.
    Set(Literal),
}

impl Use {
    fn commutes(&self, other: &Use) -> bool {
        match (self, other) {
            (Use::Read, Use::Read) | (Use::Raise, Use::Raise) | (Use::Lower, Use::Lower) => true,
            (Use::Set(one), Use::Set(other)) => one == other,
            _ => false,
        }
    }
}

/// A condition that is true in one round at most: `subject == known[v + offset]`, or `subject == v + offset`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Guard {
    pub(super) subject: Subject,
    pub(super) group: Option<VariableId>,
    pub(super) offset: u32,
}

/// The side of a guard that is the same in all rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Subject {
    Sender,
    SelfRef,
    Holder(Holder),
}

/// Indices of guards.
pub(super) type Guards = Vec<usize>;

/// Whether two records share a guard: then only one round makes both.
pub(super) fn excluded(one: &Guards, other: &Guards) -> bool {
    one.iter().any(|guard| other.contains(guard))
}

/// The use of an element.
pub(super) struct Access {
    pub(super) holder: Holder,
    /// One offset per axis, where the axis is over the set and the offset is known.
    pub(super) offsets: Vec<Option<u32>>,
    pub(super) how: Use,
    pub(super) guards: Guards,
    pub(super) span: Span,
}

impl Access {
    /// Whether this access in one round and the other one in a different round may be exchanged.
    pub(super) fn commutes(&self, other: &Access) -> bool {
        let apart = |(one, other): (&Option<u32>, &Option<u32>)| one.is_some() && one == other;
        let has_same_axes = self.holder != other.holder || self.offsets.len() == other.offsets.len();
        debug_assert!(has_same_axes, "elements of one variable have the same axes");
        self.holder != other.holder
            || self.how.commutes(&other.how)
            || self.offsets.iter().zip(&other.offsets).any(apart)
            || excluded(&self.guards, &other.guards)
    }
}

/// The receiver of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Receiver {
    /// For the round with position `p`, the element at `p`.
    Rounds(Vec<Option<RebecId>>),
    /// The same rebec in all rounds.
    Fixed(Option<RebecId>),
    Unknown,
}

/// A send.
pub(super) struct Send {
    pub(super) receiver: Receiver,
    /// The message, if it is the same in all rounds.
    pub(super) message: Option<(String, Vec<(Literal, Sort)>)>,
    pub(super) guards: Guards,
    pub(super) span: Span,
}

impl Send {
    /// Whether this send in one round and the other one in a different round go to different rebecs, or are equal.
    pub(super) fn commutes(&self, other: &Send) -> bool {
        if excluded(&self.guards, &other.guards) || (self.message.is_some() && self.message == other.message) {
            return true;
        }
        match (&self.receiver, &other.receiver) {
            (Receiver::Unknown, _) | (_, Receiver::Unknown) => false,
            (Receiver::Fixed(one), Receiver::Fixed(other)) => one.is_none() || one != other,
            (Receiver::Fixed(one), Receiver::Rounds(list)) | (Receiver::Rounds(list), Receiver::Fixed(one)) => {
                one.is_none() || !list.contains(one)
            }
            (Receiver::Rounds(here), Receiver::Rounds(there)) => {
                debug_assert_eq!(here.len(), there.len(), "both lists have a receiver for each round");
                let mut places: Vec<(Option<RebecId>, usize)> =
                    there.iter().enumerate().map(|(at, &rebec)| (rebec, at)).collect();
                places.sort_unstable();
                here.iter().enumerate().all(|(round, rebec)| {
                    let first = places.partition_point(|(other, _)| other < rebec);
                    let met = places[first..].iter().take_while(|(other, _)| other == rebec);
                    rebec.is_none() || met.map(|&(_, at)| at).all(|at| at == round)
                })
            }
        }
    }
}

/// A way to fault.
pub(super) struct PossibleFault {
    pub(super) class: FaultClass,
    pub(super) guards: Guards,
}

/// An action that is allowed only under a guard that holds for all actions of all rounds.
pub(super) struct Restricted {
    pub(super) reason: &'static str,
    /// Whether it may change variables in ways that are not recorded.
    pub(super) is_opaque: bool,
    pub(super) guards: Guards,
    pub(super) span: Span,
}
