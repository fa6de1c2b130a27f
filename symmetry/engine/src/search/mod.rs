//! Individualisation and refinement: one path to a discrete partition, then a search for its images.

mod budget;
mod certify;
mod chain;
mod difference;
mod experiments;
mod images;
mod known;
mod path;
mod surveys;
mod target;

pub(crate) use budget::unlimited;
pub use budget::{Budget, BudgetExhausted};
pub(crate) use certify::Certifier;
#[cfg(test)]
pub(crate) use chain::tests::graphs as graphs_for_tests;
pub(crate) use chain::{RecordedPath, search_stabilisers};
pub(crate) use images::{Goal, ImageSearch, Outcome};
pub(crate) use known::Known;
pub(crate) use path::{Level, Path};
pub(crate) use target::joined_cells;
