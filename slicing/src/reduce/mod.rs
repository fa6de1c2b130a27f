//! From criteria to a smaller model.
//!
//! [`criteria`] names the nodes that what is asked is about, the graph gives what they depend on, [`keep`](self) decides
//! about members, variables and rebecs, [`prune`](self) drops the rest and [`compact`](self) renumbers what is left.

mod asked;
mod compact;
mod criteria;
mod keep;
mod prune;
mod rebecs;
mod slice;

pub use asked::{Ask, Method, Refused, applicable, is_safe};
pub use criteria::Criterion;
pub(crate) use keep::mentioned;
pub(crate) use slice::graph_of;
pub use slice::{Abstracted, Preserves, Removed, RemovedKind, Slice, Switches, slice, slice_with};
