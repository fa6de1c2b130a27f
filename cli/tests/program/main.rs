//! Every test that runs the built binary, as one executable: `cargo test --workspace --test program NAME`.
//!
//! Each module is about one part; [`binary`] runs it. Tests of the libraries are in `tests/tests/library`.

mod binary;
mod commands;
mod coverage;
mod dve;
mod editors;
#[cfg(unix)]
mod endurance;
mod fixtures;
mod growing;
#[cfg(unix)]
mod guide;
mod heads;
mod lpe;
mod murphi;
mod pages;
mod pnml;
mod promela;
mod rejects;
mod schemas;
mod snapshots;
mod symmetry;
mod temporal;
mod unread;
