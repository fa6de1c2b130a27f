//! The end-to-end battery: random models, fixtures, and the parts that the tests of this crate share.
//!
//! [`generate`] makes random well-typed models and shrinks failing ones. [`directives`] reads the expectations of a
//! fixture. [`mutate`] damages texts. [`harness`] runs a model through the library, and a program to its end.
//! [`differential`] compares all components that must agree, [`sequential_form`] a model with the process made of it,
//! [`symmetric`] a permutation with every transition, [`summaries`] the summaries of servers with their effects.
//! [`schema`] holds a report against its schema. [`coherence`] makes Murphi models of thousands of lines. [`panics`] turns panics into results, [`measured`] removes times and sizes from printed text. The tests themselves
//! are in `tests/tests/library`, those that run the built binary in `cli/tests/program`.

#![forbid(unsafe_code)]

pub mod coherence;
pub mod differential;
pub mod directives;
pub mod elsewhere;
pub mod generate;
pub mod harness;
pub mod measured;
pub mod mutate;
pub mod panics;
pub mod parallel;
pub mod random;
pub mod schema;
pub mod sequential_form;
pub mod summaries;
pub mod symmetric;
pub mod twin;
