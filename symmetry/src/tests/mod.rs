//! Tests on whole models: known orders, the faults of the published algorithms, and the explicit state space.

mod constraint;
mod creation;
pub(crate) mod more_values;
mod orders;
mod planted;
mod properties;
mod random_loops;
mod rejections;
mod support;
