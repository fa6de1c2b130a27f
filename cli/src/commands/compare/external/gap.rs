//! GAP's names of small groups: the place of a group in its library, `SmallGroup(6, 1)`, which tells groups of one order apart.
//!
//! One process names all groups of a model. Groups of more than 2,000 elements, and of orders that the library does not cover, have none.

use std::fmt::Write;
use std::time::Duration;

use engine::{SparsePermutation, write_gap};

use super::child::{End, Job, run};

/// The program.
pub(super) const COMMAND: &str = "gap";

/// The largest order of the library.
const MOST_ELEMENTS: u32 = 2000;

/// The most time for the groups of one model; GAP takes a second or two to start.
const MOST: Duration = Duration::from_secs(30);

/// What stands before each answer.
const MARK: &str = "quotient-group";

/// The place of each group in the library, for those that have one.
pub(in super::super) fn names(groups: &[(num_bigint::BigUint, Vec<SparsePermutation>)]) -> Vec<Option<[u64; 2]>> {
    let mut names = vec![None; groups.len()];
    let most = num_bigint::BigUint::from(MOST_ELEMENTS);
    let small: Vec<usize> = (0..groups.len()).filter(|&at| groups[at].0 <= most).collect();
    if small.is_empty() {
        return names;
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
    script.push_str("fi;\nQUIT;\n");
    let most = limits::watch().left().map_or(MOST, |left| MOST.min(left / 2));
    let arguments = |input: &std::path::Path| {
        let options = ["-q", "-A", "-T", "-r", "-x", "4096", "--nointeract"];
        options.into_iter().map(str::to_owned).chain([input.to_string_lossy().into_owned()]).collect()
    };
    let job = Job { command: COMMAND, arguments: &arguments, input: &script, reads_input: false, most };
    let Ok(End::Done(printed)) = run(&job) else { return names };
    for line in printed.lines().filter_map(|line| line.strip_prefix(MARK)) {
        let numbers: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        if let [at, order, place] = numbers[..]
            && let Some(name) = usize::try_from(at).ok().and_then(|at| names.get_mut(at))
        {
            *name = Some([order, place]);
        }
    }
    names
}
