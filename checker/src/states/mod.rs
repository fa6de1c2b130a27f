//! States as the search sees them: interned local states and messages, memoised steps, packed vectors, the visited set.

mod hash;
mod layout;
mod local;
mod messages;
mod slot;
mod space;
mod steps;
mod store;
mod tables;

pub(crate) use slot::REFUSED;
pub(crate) use space::{Space, field_of};
pub(crate) use steps::{OutcomeView, Send};
pub(crate) use store::NO_PARENT;
