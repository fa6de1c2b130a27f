//! The slots of each proctype: the numbers that its processes may have.
//!
//! The processes at the start are numbered in the order of the text. A `run` takes the next free number, which is above
//! that of the process that runs it. The most processes are those at the start and one for each `run` outside of a loop, per
//! process; where a loop contains `run`, [`LOOSE`] more, and a step that needs more faults.

use super::super::syntax::ast::File;
use super::{Lowering, Refused};
use crate::diagnostics::codes;
use crate::sequential::{Domain, SortId};

/// The room for processes of loops.
const LOOSE: i32 = 16;

/// The most processes, as in SPIN.
const MOST: i32 = 255;

/// The numbers of the processes of a proctype.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    pub sort: SortId,
    /// The numbers of the processes at the start.
    pub first: std::ops::Range<i32>,
}

impl Lowering<'_> {
    pub(super) fn processes_and_slots(&mut self, file: &File) -> Result<(), Refused> {
        let mut first = Vec::new();
        let mut next = 0;
        for number in 0..self.processes.len() {
            let process = self.processes[number].clone();
            let twice = self.processes[..number].iter().any(|other| other.name.text == process.name.text);
            if twice {
                let message = format!("`{}` is declared twice", process.name.text);
                return self.refuse(codes::PROMELA_DUPLICATE, process.name.span, &message);
            }
            let count = match &process.active {
                None => 0,
                Some(None) => 1,
                Some(Some(count)) => i32::try_from(self.size(count, 0)?).unwrap_or(MOST),
            };
            first.push(next..next + count);
            next += count;
        }
        if next == 0 || next > MOST {
            let span = self.processes.first().map_or(crate::source::Span::NONE, |process| process.name.span);
            let message = if next == 0 { "no process exists at the start" } else { "more than 255 processes" };
            let help = Some("write `init`, or `active` before a proctype".to_owned());
            return self.refuse_with(codes::PROMELA_PROCESSES, span, message, help);
        }
        let (usages, _) = self.usages(file);
        let runs: Vec<Vec<(usize, bool)>> = usages
            .iter()
            .map(|usage| {
                let known = |(name, looped): &(String, bool)| {
                    Some((self.processes.iter().position(|process| process.name.text == *name)?, *looped))
                };
                usage.runs.iter().filter_map(known).collect()
            })
            .collect();
        let most = self.most(&first, &runs);
        assert!((next..=MOST).contains(&most), "there is room for the processes at the start");
        self.room = most;
        let mut lows: Vec<i32> = first.iter().map(|range| if range.is_empty() { MOST } else { range.start }).collect();
        for _ in 0..self.processes.len() {
            for (runner, runs) in runs.iter().enumerate() {
                for &(run, _) in runs {
                    lows[run] = lows[run].min(lows[runner].saturating_add(1).min(MOST));
                }
            }
        }
        for (number, range) in first.into_iter().enumerate() {
            let is_run = runs.iter().flatten().any(|&(run, _)| run == number);
            let high = if is_run { most - 1 } else { range.end - 1 };
            let low = lows[number].min(high);
            let name = self.processes[number].name.text.clone();
            let domain = Domain::Range { low: low.max(0), high: high.max(0) };
            assert!(
                range.clone().all(|pid| domain.contains(pid)),
                "the first processes have numbers of their proctype"
            );
            let sort = self.sort(&name, domain);
            self.slots.push(Slots { sort, first: range });
        }
        let sort = self.range(0, most);
        self.count = Some(self.variable(&["_nr_pr", "nr_pr"], sort, Vec::new(), crate::source::Span::NONE));
        Ok(())
    }

    /// A bound on the number of processes at a time.
    fn most(&self, first: &[std::ops::Range<i32>], runs: &[Vec<(usize, bool)>]) -> i32 {
        let at_start: i32 = first.iter().map(|range| range.end - range.start).sum();
        // Processes ever made, per proctype; a value past the bound stands for any number.
        let own = |number: usize| i64::from(first[number].end - first[number].start);
        let mut made: Vec<i64> = (0..first.len()).map(own).collect();
        for _ in 0..=first.len() {
            let mut next: Vec<i64> = (0..first.len()).map(own).collect();
            for (runner, runs) in runs.iter().enumerate() {
                for &(run, looped) in runs {
                    next[run] += if looped && made[runner] > 0 { i64::from(MOST) } else { made[runner] };
                }
            }
            if next == made {
                let sum: i64 = made.iter().sum();
                let bounded = i32::try_from(sum).ok().filter(|&sum| sum < MOST);
                return bounded.unwrap_or((at_start + LOOSE).min(MOST));
            }
            made = next.into_iter().map(|count| count.min(i64::from(MOST))).collect();
        }
        (at_start + LOOSE).min(MOST)
    }
}
