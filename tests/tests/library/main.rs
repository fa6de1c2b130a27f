//! Every test of the libraries together, as one executable: `cargo test --workspace --test library NAME`.
//!
//! Each module is about one part; what they share is the library `battery`. Tests that run the built binary are in
//! `cli/tests/program`.

mod campaign;
mod constraint;
mod coverage;
mod faults_of_forms;
mod limits;
mod murphi;
mod mutated;
mod partial_order;
mod processes;
mod promela;
mod questions;
mod random_models;
mod sequential_form;
mod slicing;
mod style;
mod threads;
