//! The engine from outside: automorphisms, canonical forms, and groups of graphs, as one executable.

mod automorphisms;
mod budgets;
mod canonical;
mod composition;
mod groups;
mod relations;
mod support;
