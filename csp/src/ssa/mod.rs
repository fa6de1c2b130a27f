//! [`SsaSummand`]: the body of a summand in static single assignment form.
//!
//! Every assignment makes a new version of its variable; version 0 is the state before the step. Inside a summand the versions of all
//! variables are numbered in one sequence, and a [`VariableId`] in an expression of the body means a place in it: the first ones are the
//! variables of the model themselves, and its locals, behind which [`SsaSummand::made`] follow. So a form has the size of its body, however
//! many variables the model has. Loops over a sort are unrolled,
//! `while` loops for a few rounds ([`StepKind::Continues`] marks the places where they may continue). A conditional decides once
//! ([`StepKind::Decide`]), runs both branches one after the other, and joins every variable that one of them changed by a phi. Each step
//! carries the decisions on its path: it can fault only there.
//!
//! # Invariants
//!
//! [`verify()`] lists the broken invariants: each version is made once, and after everything it reads; phis and paths name decisions
//! already taken; [`SsaSummand::latest`] names for each variable that changes a version of it, the one that is made last at the outermost
//! level.
//!
//! # Not done
//!
//! Copy propagation: in the ground form a version is a function of the state before the step, so copies vanish, and deleting the last one
//! (\[Zha13\] IV-B, unsound) cannot happen. No more than a few rounds of a `while` loop are unrolled.
//!
//! # Source
//!
//! \[Zha13\] IV-B; array writes keep the version they change (`base`) instead of frame equations.

mod build;
mod print;

use frontend::sequential::{Expr, ExprKind, Sequential, Summand, VariableId};
use frontend::source::Span;

pub use build::build;
pub use print::print;

/// A version of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Version {
    /// The variable of the model.
    pub variable: VariableId,
    /// Its number: 0 is the state before the step.
    pub number: u32,
}

/// A body in static single assignment form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SsaSummand {
    /// The number of variables and locals: so many versions have number 0, and come first, in the order of the variables.
    pub originals: usize,
    /// The versions of other numbers, which the steps make.
    pub made: Vec<Version>,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// The number of decisions.
    pub decisions: usize,
    /// The variables and locals that have another version than 0 at the end, ascending, with the place of the latest one.
    pub latest: Vec<(VariableId, VariableId)>,
    /// Whether the body is not represented; then all other fields are meaningless.
    pub opaque: bool,
}

impl SsaSummand {
    /// The form that changes nothing.
    pub fn without_steps(model: &Sequential) -> SsaSummand {
        let originals = model.variables.len() + model.locals.len();
        let (made, steps, latest) = (Vec::new(), Vec::new(), Vec::new());
        SsaSummand { originals, made, steps, decisions: 0, latest, opaque: false }
    }

    /// The version at a place; nothing behind the last one.
    pub fn version(&self, place: VariableId) -> Option<Version> {
        match place.index().checked_sub(self.originals) {
            None => Some(Version { variable: place, number: 0 }),
            Some(made) => self.made.get(made).copied(),
        }
    }
}

/// A step with the decisions on its path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The operation.
    pub kind: StepKind,
    /// The decisions and their outcomes, outermost first.
    pub path: Vec<(usize, bool)>,
    /// Its place in the text.
    pub span: Span,
}

/// The operation of a step. Ids of variables are places of versions: [`SsaSummand::version`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepKind {
    /// Takes the next decision.
    Decide(Expr),
    /// `target` is `base` with one element changed, or all of them without indices.
    Write {
        /// The new version.
        target: VariableId,
        /// The version before.
        base: VariableId,
        /// One index per dimension, or none.
        indices: Vec<Expr>,
        /// The new value.
        value: Expr,
    },
    /// Faults.
    Fail,
    /// A `while` loop continues, for more rounds than are unrolled.
    Continues,
    /// `target` is `then` where the decision was true, else `otherwise`.
    Phi {
        /// The new version.
        target: VariableId,
        /// The decision.
        decision: usize,
        /// The version at the end of the first branch.
        then: VariableId,
        /// The version at the end of the second branch.
        otherwise: VariableId,
    },
}

/// Lists the broken invariants of the form of a summand; an empty list means that the form is valid.
pub fn verify(model: &Sequential, summand: &Summand, ssa: &SsaSummand) -> Vec<String> {
    if ssa.opaque {
        return Vec::new();
    }
    let mut checker = Checker { ssa, known: vec![false; ssa.made.len()], decided: 0, problems: Vec::new() };
    checker.require(ssa.originals == model.variables.len() + model.locals.len(), "a variable has no version 0");
    checker.require(ssa.made.iter().all(|version| version.number > 0), "version 0 is out of place");
    for step in &ssa.steps {
        checker.step(step);
    }
    checker.require(checker.known.iter().all(|&known| known), "a version is never made");
    checker.require(checker.decided == ssa.decisions, "the number of decisions is wrong");
    checker.require(ssa.latest.is_sorted_by(|one, next| one.0 < next.0), "a variable has two latest versions");
    for &(variable, latest) in &ssa.latest {
        let right = ssa.version(latest).is_some_and(|version| version.variable == variable && version.number > 0);
        checker.require(right, "a latest version is of another variable");
    }
    checker.problems.iter().map(|problem| format!("{}: {problem}", summand.event)).collect()
}

struct Checker<'a> {
    ssa: &'a SsaSummand,
    known: Vec<bool>,
    decided: usize,
    problems: Vec<&'static str>,
}

impl Checker<'_> {
    fn require(&mut self, right: bool, problem: &'static str) {
        if !right {
            self.problems.push(problem);
        }
    }

    fn step(&mut self, step: &Step) {
        self.require(step.path.iter().all(|&(decision, _)| decision < self.decided), "a path names no decision");
        match &step.kind {
            StepKind::Decide(condition) => {
                self.reads(condition);
                self.decided += 1;
            }
            StepKind::Write { target, base, indices, value } => {
                indices.iter().chain([value]).for_each(|expr| self.reads(expr));
                self.uses(*base);
                self.makes(*target, &[*base]);
            }
            StepKind::Fail | StepKind::Continues => {}
            StepKind::Phi { target, decision, then, otherwise } => {
                self.require(*decision < self.decided, "a phi names no decision");
                self.uses(*then);
                self.uses(*otherwise);
                self.makes(*target, &[*then, *otherwise]);
            }
        }
    }

    fn reads(&mut self, expr: &Expr) {
        if let ExprKind::Read(place) = &expr.kind {
            self.uses(place.variable);
        }
        expr.operands().into_iter().for_each(|operand| self.reads(operand));
    }

    fn uses(&mut self, version: VariableId) {
        let made = version.index().checked_sub(self.ssa.originals);
        let known = made.is_none_or(|made| self.known.get(made).copied().unwrap_or(false));
        self.require(known, "a version is used before it is made");
    }

    fn makes(&mut self, target: VariableId, from: &[VariableId]) {
        let made = target.index().checked_sub(self.ssa.originals);
        let (Some(made), Some(version)) = (made, self.ssa.version(target)) else {
            return self.require(false, "there is no such version");
        };
        let same = from.iter().all(|id| self.ssa.version(*id).is_some_and(|v| v.variable == version.variable));
        self.require(same, "versions of different variables are mixed");
        self.require(!self.known[made], "a version is made twice");
        self.known[made] = true;
    }
}
