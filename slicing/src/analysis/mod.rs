//! The input of the dependence graph: numbered statements, the variables that expressions read, reaching definitions,
//! possible receivers, possible values, possible faults.

pub(crate) mod bodies;
pub(crate) mod faults;
pub(crate) mod flow;
pub(crate) mod reads;
pub(crate) mod targets;
pub(crate) mod values;
