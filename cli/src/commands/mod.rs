//! The commands, one file per command: from its options to its outcome.

pub(crate) mod batch;
pub(crate) mod bounds;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod detect;
pub(crate) mod explain;
pub(crate) mod fmt;
pub(crate) mod graph;
pub(crate) mod manual;
pub(crate) mod mcc;
pub(crate) mod replay;
pub(crate) mod simulate;
pub(crate) mod slice;

mod child;
mod head;
mod menu;
mod repeated;
mod requested;
mod stages;
mod sweep;
