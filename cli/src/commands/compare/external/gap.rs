//! GAP's names of small groups: the place of a group in its library, `SmallGroup(6, 1)`, which tells groups of one order apart.
//!
//! One process names all groups of a model. Groups of more than 2,000 elements, and of orders that the library does not cover, have none.

use std::fmt::Write;
use std::time::{Duration, Instant};

use engine::{SparsePermutation, write_gap};

use super::child::{End, Job, run};
use crate::paint::time;

/// The program.
pub(super) const COMMAND: &str = "gap";

/// The largest order of the library.
const MOST_ELEMENTS: u32 = 2000;

/// The most time for the groups of one model; GAP takes a second or two to start.
const MOST: Duration = Duration::from_secs(30);

/// What stands before each answer.
const MARK: &str = "quotient-group";

/// The place of each group in the library, for those that have one.
///
/// # Errors
/// The reason that GAP gave none at all.
pub(in super::super) fn names(
    groups: &[(num_bigint::BigUint, Vec<SparsePermutation>)],
) -> Result<Vec<Option<[u64; 2]>>, String> {
    let mut names = vec![None; groups.len()];
    let most = num_bigint::BigUint::from(MOST_ELEMENTS);
    let small: Vec<usize> = (0..groups.len()).filter(|&at| groups[at].0 <= most).collect();
    if small.is_empty() {
        return Ok(names);
    }
    let mut script = "if LoadPackage(\"smallgrp\", false) <> fail then\n".to_owned();
    for &at in &small {
        let group = write_gap(&groups[at].1);
        let _ = write!(
            script,
            "g := {}\nif IdGroupsAvailable(Size(g)) then Print(\"{MARK} {at} \", IdGroup(g)[1], \" \", IdGroup(g)[2], \"\\n\"); fi;\n",
            group.trim_end()
        );
    }
    let _ = writeln!(script, "Print(\"{MARK}\\n\");\nfi;\nQUIT;");
    let most = limits::watch().left().map_or(MOST, |left| MOST.min(left / 2));
    let arguments = |input: &std::path::Path| {
        let options = ["-q", "-A", "-T", "-r", "-x", "4096", "--nointeract"];
        options.into_iter().map(str::to_owned).chain([input.to_string_lossy().into_owned()]).collect()
    };
    let job = Job { command: COMMAND, arguments: &arguments, input: &script, reads_input: false, most };
    let started = Instant::now();
    let printed = match run(&job) {
        Ok(End::Done(printed)) => printed,
        Ok(End::Failed) => return Err("GAP failed".to_owned()),
        Ok(End::Late) => return Err(format!("GAP was ended after {}", time(started.elapsed().as_secs_f64()))),
        Err(error) => return Err(format!("GAP did not start: {error}")),
    };
    if !printed.contains(MARK) {
        return Err("GAP has no library of small groups".to_owned());
    }
    for line in printed.lines().filter_map(|line| line.strip_prefix(MARK)) {
        let numbers: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        if let [at, order, place] = numbers[..]
            && let Some(name) = usize::try_from(at).ok().and_then(|at| names.get_mut(at))
        {
            *name = Some([order, place]);
        }
    }
    Ok(names)
}
