//! Values of dead variables of Murphi models, forgotten: a model that makes variables undefined where no step reads them before it
//! writes them.
//!
//! `sample` explores a part of the model by the reference semantics and notes the cells that are read later. `learn` generalises:
//! a variable is taken to be dead always, or while an enumeration next to it has certain values; `gain` keeps what makes states fewer. `insert` writes that into the
//! rules, as `undefine` at their ends. The result is an ordinary model: all later stages run unchanged, and a group is one of that
//! model. `lift` replays its executions on the original.
//!
//! # Soundness
//!
//! Nothing rests on the sample: the search proves what it generalises. A state of the new model is one of the original in which
//! further cells are undefined. Reading one of these faults, so as long as no step and no property faults, both models take the same
//! steps: guards, values and truths are the same, and what is copied stays undefined in the new model only. So `holds` of a
//! finished search that reports all faults is `holds` of the original. A violation counts if the original has it after the same
//! instances; one that it has not shows what is read, and the model is made again with this execution in its sample.
//! Three things tell an undefined value without a fault, `isundefined`, the comparison of whole values, and the order of the
//! slots of a multiset: values of types that may reach them are never forgotten.
//!
//! Not done: elements of multisets; questions about all states together; deadlock by steps that stay.

mod gain;
mod insert;
mod learn;
mod lift;
mod sample;
#[cfg(test)]
mod tests;

use frontend::murphi::interpret::Deadlock;
use frontend::murphi::program::Program;
use frontend::murphi::trace::Trace;

pub use learn::Row;
pub use lift::{Violation, lift};

use self::sample::Sample;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub struct Wrong {
        /// Values that `isundefined` may look at are forgotten.
        forgets_tested_values,
        /// Values of whole comparisons are forgotten.
        forgets_compared_values,
        /// Values of elements of multisets, by which these are sorted, are forgotten.
        forgets_sorted_values,
        /// A search that does not report faults counts.
        ignores_faults,
        /// A state all of whose steps stay is taken for one in the new model, too.
        ignores_steps_that_stay,
        /// Executions of the new model count without a replay of their last step.
        trusts_violations,
    }
}

/// The parts of a question that decide whether values may be forgotten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Requested {
    /// The kind of the deadlocks that are searched for, if they are.
    pub deadlock: Option<Deadlock>,
    /// Whether faults are reported.
    pub faults: bool,
    /// Whether a property is about all states together.
    pub of_all_states: bool,
}

/// The reason why no values are forgotten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A step that only changes a dead value stays in the new model.
    StepsThatStay,
    /// A value that is read would not be noticed.
    FaultsExcluded,
    /// Properties of all states together have a search of their own.
    AllStates,
}

/// Whether a question has the same answer where values are forgotten, as far as no fault is found.
///
/// # Errors
/// The reason why not.
pub fn allows(requested: Requested, wrong: Wrong) -> Result<(), Reason> {
    if requested.deadlock == Some(Deadlock::Stuttering) && !wrong.ignores_steps_that_stay() {
        Err(Reason::StepsThatStay)
    } else if !requested.faults && !wrong.ignores_faults() {
        Err(Reason::FaultsExcluded)
    } else if requested.of_all_states {
        Err(Reason::AllStates)
    } else {
        Ok(())
    }
}

/// The most cells of a state of a model that is looked at.
const MOST_CELLS: usize = 4_096;

/// A model and the part of it that was explored.
pub struct DeadValues<'p> {
    program: &'p Program,
    sample: Sample<'p>,
    wrong: Wrong,
}

/// A model that forgets values, and what it forgets.
pub struct Forgetful {
    /// The model.
    pub program: Program,
    /// The values that are forgotten, in the names of the text.
    pub rows: Vec<String>,
}

impl<'p> DeadValues<'p> {
    /// Explores a part of a model.
    pub fn new(program: &'p Program, wrong: Wrong) -> DeadValues<'p> {
        let mut sample = Sample::new(program);
        if program.cells() <= MOST_CELLS {
            sample.explore();
        }
        DeadValues { program, sample, wrong }
    }

    /// The model that forgets what the sample shows to be dead; `None` if that is nothing.
    pub fn forgetful(&self) -> Option<Forgetful> {
        let rows = gain::chosen(&self.sample, learn::rows(self.program, &self.sample, self.wrong));
        if rows.is_empty() {
            return None;
        }
        let program = insert::insert(self.program, &rows);
        Some(Forgetful { program, rows: rows.iter().map(|row| row.text(self.program)).collect() })
    }

    /// Adds an execution of a forgetful model to the sample, as far as the original has it.
    pub fn learn_from(&mut self, trace: &Trace) {
        if let Some(followed) = lift::follow(self.program, trace) {
            self.sample.add(followed.states().cloned());
        }
    }
}
