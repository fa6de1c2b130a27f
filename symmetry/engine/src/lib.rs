//! Automorphisms and canonical forms of coloured graphs, and permutation groups.
//!
//! Mathematics only: vertices, colours and points, without any knowledge of models. [`automorphisms`] finds generators of the
//! automorphism group of a [`Graph`], certifies each on that graph and passes it on as a sparse permutation. [`canonical_labelling`]
//! numbers the vertices so that isomorphic graphs become equal. [`Group`] answers questions about a permutation group given by
//! generators.
//!
//! # Invariants
//!
//! Everything is deterministic (fixed seeds, no hashing by address) and exact: a result that a budget cut off is marked as such. No
//! function recurses on the size of its input.

#![forbid(unsafe_code)]

/// The example of the first page, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod first_page {}

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
    DimacsError, DimacsErrorKind, Graph, GraphBuilder, GraphError, Vertex, parse_dimacs, write_dimacs, write_dot,
    write_dreadnaut, write_gap,
};
pub use group::{
    Conjugacy, Containment, Elements, Group, NAMING_STEPS, RandomSource, StrongGenerators, Structure, Wreath,
};
pub use permutation::{Permutation, PermutationError, SparsePermutation, cycles};
pub use search::{Budget, BudgetExhausted};
pub use union_find::UnionFind;
