//! Syntax tree to model.
