//! Slicing of Murphi models: the statements that decide what invariants and assumptions read.
//!
//! A part of a variable matters if a property that is requested or an assumption reads it, or a statement, guard or condition that stays. A
//! statement stays if it writes a part that matters; so do calls of procedures in which a statement stays, the constructs around all of these, and what
//! may end a body in which one stays: `return`, `error`, `assert` and `assume`. Requested properties keep all statements of the procedures that they
//! call, directly or through others. A rule without such statements is removed.
//! Variables that nothing writes any more stay undefined.
//!
//! # Soundness
//!
//! A rule that is removed changes no part that matters, and what stays reads only parts that matter. So where the model takes a step, the
//! slice takes one to a state that has the same values of these parts, or stays. A statement that is removed may have faulted, so that
//! the slice may have more steps: only `holds` is taken from it, and a violation is replayed on the model. A fault in the evaluation of a property
//! violates the property, so nothing that may fault there is removed. Faults of steps, deadlock, formulas and properties of all states together are
//! not preserved.
//!
//! Not done: values that flow are not followed through elements of multisets one by one, nor calls by their callers.

mod cone;
mod parts;
#[cfg(test)]
mod tests;
mod text;

use frontend::murphi::program::{Branch, Case, Claim, ClaimKind, Program, Rule, RuleId, Stmt, StmtKind};
use frontend::murphi::syntax::ast::PropertyKind;
use frontend::murphi::trace::Trace;
use frontend::source::Span;

use self::cone::Cone;
use crate::dead_values::{self, Violation};
use crate::reduce::{Alternative, Refused, Removed, RemovedKind, TextPlace};

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub struct Wrong {
        /// The guards of rules that stay do not matter.
        forgets_guards,
        /// Conditions around statements that stay do not matter.
        forgets_conditions,
        /// Writes of a procedure through its parameters are not followed.
        forgets_parameters,
        /// Statements that can only fault are removed from the procedures that properties call, too.
        forgets_faults,
        /// A `return` before a statement that stays is removed.
        forgets_returns,
    }
}

/// The reason why parts are removed.
const NOTHING: &str = "no criterion depends on it";

/// A smaller model.
pub struct MurphiSlice {
    /// The model.
    pub model: Program,
    /// The removed parts: variables, rules, then statements of those that stay.
    pub removed: Vec<Removed>,
    /// The places of the properties that are requested or assumed.
    properties: Vec<Span>,
    /// The rules that stay.
    rules: Vec<RuleId>,
}

/// Slices a program for the properties that are requested.
///
/// # Errors
/// A property that is not preserved.
pub fn slice(program: &Program, claims: &[Claim], wrong: Wrong) -> Result<MurphiSlice, Refused> {
    let mut requested = Vec::new();
    for claim in claims {
        match claim.kind {
            ClaimKind::Invariant(number) => requested.push(number),
            _ => {
                let reason =
                    format!("`{}` is about more than single states, and what is removed is a step, too", claim.name);
                return Err(Refused::new(reason, Alternative::Unsliced).at(TextPlace::Properties(claim.span)));
            }
        }
    }
    assert!(requested.iter().all(|&number| number < program.properties.len()), "claims are about properties");
    let cone = Cone::of(program, &requested, wrong);
    let rules: Vec<RuleId> =
        (0..program.rules.len()).filter(|&rule| cone.keeps_rule(rule)).map(RuleId::from_index).collect();
    let mut removed = Vec::new();
    for (_, variable) in program.variables.iter().enumerate().filter(|&(number, _)| !cone.matters(number)) {
        removed.push(left_out(RemovedKind::Variable, &variable.name, variable.span));
    }
    for (_, rule) in program.rules.iter().enumerate().filter(|&(number, _)| !cone.keeps_rule(number)) {
        removed.push(left_out(RemovedKind::Rule, &rule.name, rule.span));
    }
    let mut model = program.clone();
    let mut body = |owner: &str, list: &[Stmt]| cut(list, owner, &cone, &mut removed);
    let staying = rules.iter().map(|&rule| program.rule(rule));
    model.rules = staying.map(|rule| Rule { body: body(&rule.name, &rule.body), ..rule.clone() }).collect();
    for (own, original) in model.starts.iter_mut().zip(&program.starts) {
        own.body = body(&original.name, &original.body);
    }
    for (own, original) in model.procedures.iter_mut().zip(&program.procedures) {
        own.body = body(&original.name, &original.body);
    }
    let properties = program.properties.iter().enumerate();
    let stays = properties.filter(|(number, of)| requested.contains(number) || of.kind == PropertyKind::Assume);
    let properties: Vec<Span> = stays.map(|(_, property)| property.span).collect();
    assert!(rules.is_sorted() && model.rules.len() == rules.len(), "a rule of the slice is one of the model");
    assert!(properties.len() >= requested.len(), "what is requested stays");
    Ok(MurphiSlice { model, removed, properties, rules })
}

fn left_out(kind: RemovedKind, name: &str, span: Span) -> Removed {
    Removed { kind, name: name.to_owned(), span, reason: NOTHING }
}

/// The statements that stay; those that do not are noted.
fn cut(body: &[Stmt], owner: &str, cone: &Cone<'_>, removed: &mut Vec<Removed>) -> Vec<Stmt> {
    let mut kept = Vec::new();
    for stmt in body {
        if !cone.keeps(stmt) {
            removed.push(left_out(RemovedKind::Statement, owner, stmt.span));
            continue;
        }
        let mut inside = |body: &[Stmt]| cut(body, owner, cone, removed);
        let kind = match &stmt.kind {
            StmtKind::If(branches, otherwise) => {
                let branch = |of: &Branch| Branch { condition: of.condition.clone(), body: inside(&of.body) };
                let branches = branches.iter().map(branch).collect();
                StmtKind::If(branches, cut(otherwise, owner, cone, removed))
            }
            StmtKind::Switch(subject, cases, otherwise) => {
                let case = |of: &Case| Case { values: of.values.clone(), body: inside(&of.body) };
                let cases = cases.iter().map(case).collect();
                StmtKind::Switch(subject.clone(), cases, cut(otherwise, owner, cone, removed))
            }
            StmtKind::For(binder, body) => StmtKind::For(binder.clone(), inside(body)),
            StmtKind::While(condition, body) => StmtKind::While(condition.clone(), inside(body)),
            StmtKind::Alias(bindings, body) => StmtKind::Alias(bindings.clone(), inside(body)),
            other => other.clone(),
        };
        kept.push(Stmt { kind, span: stmt.span });
    }
    kept
}

impl MurphiSlice {
    /// The execution of the original for one of the slice, if it violates the property of a number there, too.
    pub fn lift(&self, original: &Program, trace: &Trace, property: usize) -> Option<Trace> {
        let mut named = trace.clone();
        for step in &mut named.steps {
            step.rule = self.rules[step.rule.index()];
        }
        dead_values::lift(original, &named, Violation::Property(property), dead_values::Wrong::default())
    }
}
