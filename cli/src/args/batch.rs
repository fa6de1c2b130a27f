//! The options of `batch`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{PassedArgs, ReadingArgs, values};

const EXAMPLES: &str = "\
Examples:
  quotient batch models/                          every model below a folder, in a table
  quotient batch models/ --compare --html out.html --csv out.csv
  quotient batch 'models/**/ring*.rebeca' --json -o rows.jsonl
  quotient batch ring.rebeca -D N=2..8 --check --skip-larger --html growth.html
  quotient batch models/ --check --no-deadlock --repeat 5
  quotient batch models/ --expect baseline.jsonl --update-expect
  quotient batch models/ --resume rows.jsonl      continue a stopped run
  quotient batch models/ --resume 2.jsonl --shard 2/8

Models are files of the languages that `check` reads; a .property file next to a
model belongs to it. Each model is run by a process of its own with its own
limits, so that whatever happens to one leaves the others alone. Without
--detect, --check or --compare, --detect and --check are run.

A model may say in its first lines how it is run, in a comment of its language:
//@ quotient: --no-deadlock -D N=4 (--@ in Murphi, <!--@ .. --> in nets). Options
of the command line win over those of the model. Such lines name no files.

With several values for a constant (-D N=2..8, -D N=2,4,8) a model has a row for
each, and for each combination of several constants.

--resume FILE keeps every finished row in FILE as a line of JSON. A row is
used again while its model and property file are the same as then and the
options are; rows of several shards put together in one file give the whole.

Exit codes: 0 every row has an answer, whatever it is; 2 usage; 3 some row was
refused, reached a limit, was left out or failed (it says which); 130 and 143
stopped by a signal, after the rows so far. With --expect: 0 the rows are as in
the baseline, 1 they are not.";

/// Options of `batch`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BatchArgs {
    /// Models, folders that are searched for models, and patterns with `*`, `**`, `?`
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) steps: StepArgs,
    #[command(flatten)]
    pub(crate) limits: ModelLimitArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    #[command(flatten)]
    pub(crate) report: BatchReportArgs,
    #[command(flatten)]
    pub(crate) baseline: BaselineArgs,
    #[command(flatten)]
    pub(crate) passed: PassedArgs,
}

/// The commands for each model.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Work on each model")]
pub(crate) struct StepArgs {
    /// Find its symmetries
    #[arg(long)]
    pub(crate) detect: bool,
    /// Check it
    #[arg(long)]
    pub(crate) check: bool,
    /// Find its symmetries in every way, and count the states that each leaves
    #[arg(long)]
    pub(crate) compare: bool,
}

/// Limits of each model.
#[derive(Args, Clone, Copy, Default, Debug)]
#[command(next_help_heading = "Limits of each model")]
pub(crate) struct ModelLimitArgs {
    /// Stop after N stored states
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_states: Option<u64>,
    /// Stop after this time, such as 30, 30s or 10m [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(crate) timeout: Option<Duration>,
    /// Stop above this much memory, such as 512M or 8G [default: 2G]
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub(crate) max_memory: Option<u64>,
}

impl ModelLimitArgs {
    /// These, and those of others where these have none.
    pub(crate) fn or(self, others: ModelLimitArgs) -> ModelLimitArgs {
        ModelLimitArgs {
            max_states: self.max_states.or(others.max_states),
            timeout: self.timeout.or(others.timeout),
            max_memory: self.max_memory.or(others.max_memory),
        }
    }
}

/// The division of the work.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Division of the work")]
pub(crate) struct WorkArgs {
    /// Models at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) threads: u32,
    /// Run every n-th model only, beginning with the i-th
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<(usize, usize)>,
    /// Of a model with several values for constants, leave out the rows whose values are larger than those of a row that met a limit
    #[arg(long)]
    pub(crate) skip_larger: bool,
    /// Run each row N times, and give the median of its times and their spread; a row that meets a limit is not repeated
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeat: u32,
    /// Keep finished rows in FILE, and use those that are there
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
}

/// The output of the result.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Report")]
pub(crate) struct BatchReportArgs {
    /// Print a line of JSON for each model as it comes, and a last one with the summary
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write the rows to FILE as comma-separated values
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Also write the census and the rows to FILE as tables in Markdown
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// Also write a page to FILE, and a page for each checked model to the folder FILE.pages
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the table, or the lines of JSON, to FILE, whole or not at all; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The comparison with an earlier run.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Baseline")]
pub(crate) struct BaselineArgs {
    /// Compare verdicts, counts and groups with those of FILE, and say what moved
    #[arg(long, value_name = "FILE")]
    pub(crate) expect: Option<PathBuf>,
    /// Write the rows of this run to the FILE of --expect, after saying what moved
    #[arg(long, requires = "expect", conflicts_with = "shard")]
    pub(crate) update_expect: bool,
}

/// Reads `i/n` with 1 <= i <= n.
fn shard(text: &str) -> Result<(usize, usize), String> {
    let wrong = || "expected I/N with I from 1 to N, such as 2/8".to_owned();
    let (index, of) = text.split_once('/').ok_or_else(wrong)?;
    match (index.trim().parse(), of.trim().parse()) {
        (Ok(index), Ok(of)) if 1 <= index && index <= of => Ok((index, of)),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::shard;

    #[test]
    fn shards_count_from_one() {
        assert_eq!(shard("1/1"), Ok((1, 1)));
        assert_eq!(shard("2/8"), Ok((2, 8)));
        for text in ["0/2", "3/2", "1", "a/b", "1/0", "-1/2", ""] {
            assert!(shard(text).is_err(), "{text}");
        }
    }
}
