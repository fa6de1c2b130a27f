//! From criteria to a smaller model.
//!
//! `criteria` names the nodes that what is asked is about, the graph gives what they depend on, `keep` decides
//! about members, variables and rebecs, `prune` drops the rest and `compact` renumbers what is left.

mod asked;
mod compact;
mod criteria;
mod keep;
mod maps;
mod mention;
mod prune;
mod rebecs;
mod slice;

pub use asked::{Alternative, Ask, Method, Refused, applicable, is_safe};
pub use criteria::Criterion;
pub(crate) use keep::mentioned;
pub use slice::{Abstracted, Preserves, Removed, RemovedKind, Slice, slice, slice_with};
pub(crate) use slice::{Replaced, graph_of};
