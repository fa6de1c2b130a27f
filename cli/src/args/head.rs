//! The options of a head line: a line of a model that says how `batch` and `compare` run it, such as `//@ quotient: --no-deadlock -D N=4`.

use clap::Parser;

use super::{ModelLimitArgs, PassedArgs, ReadingArgs};

/// Options of a head line.
#[derive(Parser, Debug)]
#[command(no_binary_name = true, disable_help_flag = true, disable_version_flag = true)]
pub(crate) struct HeadArgs {
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) limits: ModelLimitArgs,
    #[command(flatten)]
    pub(crate) passed: PassedArgs,
}
