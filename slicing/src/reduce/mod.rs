//! From criteria to a smaller model.
//!
//! `criteria` finds the nodes that the question is about, the graph gives their dependences, `ends` adds what may end a step before a part
//! that might not end, `keep` decides about
//! members, variables and rebecs, `prune` drops the rest, and `compact` renumbers the remaining parts.

mod compact;
mod criteria;
mod ends;
mod keep;
mod maps;
mod mention;
mod prune;
mod query;
mod rebecs;
mod slice;

pub use criteria::{Criterion, Reason};
pub(crate) use keep::mentioned;
pub use query::{Alternative, Method, Query, Refused, TextPlace, applicable, is_safe};
pub use slice::{Abstracted, Preserves, Removed, RemovedKind, Slice, slice, slice_with};
pub(crate) use slice::{Replaced, graph_of};
