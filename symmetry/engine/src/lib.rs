//! Automorphisms and canonical forms of coloured graphs, and permutation groups.
//!
//! Mathematics only: vertices, colours and points, nothing of the models above. [`automorphisms`] finds generators of
//! the automorphism group of a [`Graph`], certifies each on that graph and hands it on as a sparse permutation;
//! [`canonical_labelling`] numbers the vertices so that isomorphic graphs become equal; [`Group`] answers questions
//! about a permutation group given by generators.
//!
//! # Invariants
//!
//! Everything is deterministic (fixed seeds, no hashing by address) and exact: what is cut off by a budget says so.
//! No function recurses on the size of its input.
//!
//! # Example
//!
//! The graph of a cube has 48 automorphisms, in one orbit of vertices.
//!
//! ```
//! use quotient_engine::{GraphBuilder, find_automorphisms};
//!
//! let mut cube = GraphBuilder::new();
//! let corners: Vec<u32> = (0..8).map(|_| cube.add_vertex(0)).collect();
//! for (at, &corner) in corners.iter().enumerate() {
//!     for axis in [1, 2, 4].into_iter().filter(|axis| at & axis == 0) {
//!         cube.add_edge(corner, corners[at | axis]);
//!     }
//! }
//! let found = find_automorphisms(&cube.build()?);
//! assert_eq!((found.report().order.to_string(), found.report().orbit_count()), ("48".to_owned(), 1));
//! # Ok::<(), quotient_engine::GraphError>(())
//! ```

#![forbid(unsafe_code)]

mod automorphisms;
mod canonical;
mod graph;
mod group;
mod partition;
mod permutation;
mod reduce;
mod search;
mod union_find;

pub use automorphisms::{
    AutomorphismReport, Automorphisms, automorphism_group, automorphisms, automorphisms_within, certifies,
    find_automorphisms,
};
pub use canonical::{CanonicalForm, canonical_labelling};
pub use graph::{
    DimacsError, DimacsErrorKind, Graph, GraphBuilder, GraphError, parse_dimacs, write_dimacs, write_dot,
    write_dreadnaut, write_gap,
};
pub use group::{Elements, Group, NAMING_STEPS, RandomSource, StrongGenerators, Structure, Wreath};
pub use permutation::{Permutation, PermutationError, SparsePermutation};
pub use search::{Budget, BudgetExhausted};
