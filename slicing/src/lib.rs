//! Model to smaller model: the Rebeca dependence graph and four ways of slicing, the graph over the summands of sequential
//! processes, and bounds of queues.
//!
//! [`graph`] holds the dependences of a model, [`reduce`] cuts a model to the part on which the question depends, and
//! [`lift`] maps runs of the slice back to the model. [`feasible`] uses a SAT solver where a search would be too large,
//! [`refine`] slices further and step by step, [`sequential`] does the same for processes, [`murphi`] for models of Murphi, and [`bounds`] computes the
//! greatest length of queues. [`dead_values`] makes models of Murphi forget what no step reads. Every result is an ordinary model: all later stages run unchanged.
//!
//! Soundness: `holds` of a slice is `holds` of the model; a violation counts only after a run of the model shows it.
//!
//! Source: \[Sab10\].

//! # Example
//!
//! ```
//! use frontend::diagnostics::Diagnostics;
//! use frontend::sequential::{Options, parse};
//!
//! let text = "proc P(x : BIT, y : BIT) = [x = 0] a { x := 1; } -> P + [y = 0] b { y := 1; } -> P; init P(x = 0, y = 0); assert A = x = 0;";
//! let model = parse(text, &Options::default(), &mut Diagnostics::new()).model.expect("a process");
//! let slice = slicing::sequential::slice(&model, &model.properties, false).expect("a slice preserves it");
//! assert_eq!(slice.model.variables.len(), 1); // `y` and the summand that writes it are removed
//! ```

#![forbid(unsafe_code)]

mod analysis;

pub mod bounds;
pub mod dead_values;
pub mod explain;
pub mod feasible;
pub mod graph;
pub mod lift;
pub mod murphi;
pub mod reduce;
pub mod refine;
pub mod sequential;

pub use analysis::flow::Switches;
