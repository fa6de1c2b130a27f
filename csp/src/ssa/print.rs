//! The text of a body in static single assignment form: one step per line, indented below its decisions.

use std::fmt::Write as _;

use frontend::sequential::print::print_expression;
use frontend::sequential::{Expr, Sequential, Summand, VariableId};

use super::{SsaSummand, Step, StepKind};

/// The forms of the summands of a process as readable texts, one after the other.
///
/// Complexity: linear in the text of the process and of the forms.
///
/// # Panics
/// If there is not one form per summand.
pub fn print(model: &Sequential, forms: &[SsaSummand]) -> String {
    assert_eq!(forms.len(), model.summands.len(), "every summand has its form");
    // Expressions name versions by position: the printer of the language needs a process that has them as variables.
    let variables = model.variables.iter().chain(&model.locals).cloned().collect();
    let mut versioned = Sequential { variables, summands: Vec::new(), locals: Vec::new(), ..model.clone() };
    let originals = versioned.variables.len();
    let mut texts = Vec::with_capacity(forms.len());
    for (summand, ssa) in model.summands.iter().zip(forms) {
        limits::work(1 + ssa.steps.len() as u64);
        versioned.variables.truncate(originals);
        let made = (originals..originals + ssa.made.len()).map(VariableId::from_index);
        for version in made.filter_map(|place| ssa.version(place)) {
            let mut variable = model.variable(version.variable).clone();
            let _ = write!(variable.name, "_{}", version.number);
            versioned.variables.push(variable);
        }
        texts.push(text(model, &versioned, summand, ssa));
    }
    texts.join("\n")
}

/// The form of a summand, in a process that has its versions as variables.
fn text(model: &Sequential, versioned: &Sequential, summand: &Summand, ssa: &SsaSummand) -> String {
    let scope: Vec<&str> = summand.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let mut printer = Printer { model: versioned, scope, decisions: 0, out: String::new() };
    let head = format!("[{}] {}\n", printer.text(&summand.guard), summand.event);
    printer.out.push_str(&head);
    if ssa.opaque {
        printer.out.push_str("  opaque\n");
        return printer.out;
    }
    ssa.steps.iter().for_each(|step| printer.step(step));
    for &(variable, latest) in ssa.latest.iter().filter(|(variable, _)| variable.index() < model.variables.len()) {
        let line = format!("  {}' = {}\n", model.variable(variable).name, printer.name(latest));
        printer.out.push_str(&line);
    }
    printer.out
}

struct Printer<'a> {
    model: &'a Sequential,
    scope: Vec<&'a str>,
    decisions: usize,
    out: String,
}

impl Printer<'_> {
    fn text(&self, expr: &Expr) -> String {
        print_expression(self.model, expr, &self.scope)
    }

    fn name(&self, version: VariableId) -> &str {
        &self.model.variable(version).name
    }

    fn step(&mut self, step: &Step) {
        let line = match &step.kind {
            StepKind::Decide(condition) => {
                self.decisions += 1;
                format!("decide {} := {}", self.decisions - 1, self.text(condition))
            }
            StepKind::Write { target, indices, value, .. } if indices.is_empty() => {
                format!("{} := {}", self.name(*target), self.text(value))
            }
            StepKind::Write { target, base, indices, value } => {
                let indices: String = indices.iter().map(|index| format!("[{}]", self.text(index))).collect();
                format!("{} := {} with {indices} = {}", self.name(*target), self.name(*base), self.text(value))
            }
            StepKind::Fail => "fail".to_owned(),
            StepKind::Continues => "continues".to_owned(),
            StepKind::Phi { target, decision, then, otherwise } => {
                format!("{} := phi({decision}, {}, {})", self.name(*target), self.name(*then), self.name(*otherwise))
            }
        };
        let indent = "  ".repeat(step.path.len() + 1);
        let _ = writeln!(self.out, "{indent}{line}");
    }
}
