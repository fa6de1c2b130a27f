//! Murphi in sequential form: [`from_murphi`] turns a model into a process with the same state space.
//!
//! Each simple part of a variable becomes a variable, an array where arrays are around that part (`layout`); `undefined` is
//! one more value of those that may be undefined (`sorts`, `undefined`). A rule is a summand with its rulesets as
//! summation variables. Procedures are written out where they are called (`functions`, `statements`); functions in guards
//! and properties become expressions. The initial states are those of the reference interpreter.
//!
//! # Invariants
//!
//! The states of the model and of the process correspond one to one, step by step, and so do states without steps. A step
//! that faults in one faults in the other. The process is [verified](super::verify). A model that has no sequential form
//! is refused with a diagnostic.
//!
//! # Soundness
//!
//! Tested on the fixtures and on random models against the reference interpreter of Murphi. These differ: all faults of a
//! step are `error` in the process, assertions too; a fault of an alias around a rule is one for each instance inside, or one;
//! a deadlock is a state without steps, not one all of whose steps stay; the rounds of `while` loops have another bound.
//!
//! # Not done
//!
//! Multisets, `assume`, procedures that call themselves, loops with a computed step, functions in conditions that have no
//! form as an expression, starts that fault. `cover`, `liveness` and formulas are left out with a notice.

mod binders;
mod calls;
mod expressions;
mod functions;
mod layout;
mod loops;
mod lower;
mod places;
mod sorts;
mod statements;
#[cfg(test)]
mod tests;
mod undefined;

pub(super) use super::from_actors::build;
pub(super) use super::from_actors::names::Names;

use rustc_hash::FxHashSet;

use self::binders::Levels;
use self::build::{and, int};
use self::layout::{Leaves, scatter};
use self::lower::{Frame, Lower, Meaning, Result};
use self::sorts::Sorts;
use super::from_actors::starts::product;
use super::verify::{BOUNDS, verify};
use super::{
    Expr, ExprKind, Initial, MAX_STARTS, Parameter, ParameterId, Property, PropertyKind, Quantified, Sequential,
    Summand, Variable,
};
use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::murphi::interpret::{State, starts};
use crate::murphi::program::{BinderValues, ClaimKind, Header, LocalKind, Program, Property as Source, Rule, TypeId};
use crate::murphi::syntax::ast::PropertyKind as Of;
use crate::source::Span;

/// A construct without a counterpart.
pub(super) struct Refused {
    what: String,
    span: Span,
}

impl Refused {
    pub(super) fn new(what: impl Into<String>, span: Span) -> Refused {
        Refused { what: what.into(), span }
    }
}

/// The sequential form of a model. `None`, and an error, if it has none.
///
/// # Panics
/// If the program is not one that [`parse`](crate::murphi::parse) gave, or the result is not well formed: a fault of this
/// module.
pub fn from_murphi(program: &Program, sink: &mut Diagnostics) -> Option<Sequential> {
    match form(program) {
        Ok(form) => {
            sink.push(remark(program));
            Some(form)
        }
        Err(Refused { what, span }) => {
            let message = format!("the sequential form has no counterpart of {what}");
            sink.push(Diagnostic::error(codes::MURPHI_NO_FORM, span, message));
            None
        }
    }
}

/// The differences of the process from the model, and the parts that it leaves out.
fn remark(program: &Program) -> Diagnostic {
    let left_out =
        program.claims().into_iter().filter(|claim| !matches!(claim.kind, ClaimKind::Invariant(_) | ClaimKind::End(_)));
    let names: Vec<String> = left_out.map(|claim| format!("`{}`", claim.name)).collect();
    let also = if names.is_empty() { String::new() } else { format!("; left out: {}", names.join(", ")) };
    let message = format!("deadlocks of the process are states without steps, and all faults are `error`{also}");
    Diagnostic::notice(codes::MURPHI_FORM, Span::NONE, message)
}

fn form(program: &Program) -> Result<Sequential> {
    let mut found: Vec<State> = Vec::new();
    let mut known = FxHashSet::default();
    for start in starts(program) {
        let state = start.result.map_err(|fault| {
            let what = format!("a start that faults ({})", fault.kind.text(&program.types));
            Refused::new(what, fault.span)
        })?;
        if known.insert(state.clone()) {
            found.push(state);
        }
    }
    if let Some(assumed) = program.properties.iter().find(|property| property.kind == Of::Assume) {
        return Err(Refused::new("`assume`, which excludes steps,", assumed.span));
    }
    let mut lower = begin(program, &found)?;
    initial(&mut lower, &found)?;
    for rule in &program.rules {
        lower.span = rule.span;
        lower.rule(rule).map_err(|refused| Refused { span: or_else(refused.span, rule.span), ..refused })?;
        debug_assert!(lower.open.is_empty(), "no procedure is open after a rule");
    }
    if lower.out.summands.is_empty() {
        lower.out.summands.push(Summand::never_enabled("nothing", Span::NONE));
    }
    lower.properties()?;
    let broken = verify(&lower.out);
    if let Some(broken) = broken.first() {
        assert!(BOUNDS.contains(&broken.rule), "the sequential form is not well formed: {broken:?}");
        return Err(Refused::new(format!("a model of this size ({})", broken.what), Span::NONE));
    }
    Ok(lower.out)
}

fn or_else(span: Span, other: Span) -> Span {
    if span == Span::NONE { other } else { span }
}

/// The sorts and variables of the process.
fn begin<'p>(program: &'p Program, found: &[State]) -> Result<Lower<'p>> {
    let placed = |refused: Refused, span: Span| Refused { span: or_else(refused.span, span), ..refused };
    let mut leaves = Leaves::default();
    for variable in &program.variables {
        leaves.of(program, variable.of).map_err(|refused| placed(refused, variable.span))?;
    }
    let partial = undefined::undefined(program, &mut leaves, found)?;
    let mut types: Vec<TypeId> = Vec::new();
    let mut number = 0;
    for variable in &program.variables {
        for leaf in leaves.of(program, variable.of)?.iter() {
            if partial[number] {
                types.push(leaf.of);
            }
            number += 1;
        }
    }
    assert_eq!(number, partial.len(), "each part of the state is a leaf of its variable");
    let frames = program.rules.iter().map(|rule| (&rule.frame, None));
    let calls = program.procedures.iter().map(|procedure| (&procedure.frame, procedure.result));
    for (frame, result) in frames.chain(calls) {
        let own = frame.locals.iter().filter(|local| local.kind == LocalKind::Variable || local.kind.is_value());
        for (of, span) in own.map(|local| (local.of, local.span)).chain(result.map(|of| (of, Span::NONE))) {
            types.extend(leaves.of(program, of).map_err(|refused| placed(refused, span))?.iter().map(|leaf| leaf.of));
        }
    }
    let mut out = Sequential::empty("Model");
    let mut names = Names::default();
    names.reserve(&["Model", "BOOL", "BIT"]);
    let sorts = Sorts::new(program, &mut out, &mut names, &types);
    let mut lower = Lower {
        program,
        out,
        names,
        sorts,
        leaves,
        partial,
        first: Vec::new(),
        frame: Frame::default(),
        block: Vec::new(),
        binders: Vec::new(),
        rounds: 1,
        is_pure: false,
        defined: FxHashSet::default(),
        lost: Vec::new(),
        saved: FxHashSet::default(),
        open: Vec::new(),
        budget: functions::budget(),
        span: Span::NONE,
    };
    for variable in &program.variables {
        lower.first.push(lower.out.variables.len());
        let root = lower.names.fresh(&[&variable.name]);
        for leaf in lower.leaves.of(program, variable.of)?.iter() {
            let is_partial = lower.partial[lower.out.variables.len()];
            let (sort, indices) =
                lower.leaf_sort(leaf, is_partial).map_err(|refused| placed(refused, variable.span))?;
            let offset = lower.out.state_len();
            let size = lower.out.size_of(&indices).filter(|&size| size + offset <= super::MAX_ELEMENTS);
            if size.is_none() {
                return Err(Refused::new("a state of so many parts", variable.span));
            }
            let variable = Variable::new(format!("{root}{}", leaf.suffix), sort, indices, Span::NONE);
            lower.out.add_variable(Variable { is_uniform: false, ..variable });
        }
    }
    assert_eq!(lower.out.variables.len(), lower.partial.len(), "every leaf has a variable");
    Ok(lower)
}

/// Gives the variables their initial values.
fn initial(lower: &mut Lower<'_>, found: &[State]) -> Result<()> {
    let mut list = Vec::new();
    for state in found {
        let mut columns = vec![Vec::new(); lower.out.variables.len()];
        for (variable, &first) in lower.program.variables.iter().zip(&lower.first) {
            let end = variable.offset + lower.program.types.cells(variable.of);
            let cells: Vec<_> = state[variable.offset..end].iter().map(|&cell| Some(cell)).collect();
            scatter(lower.program, &lower.sorts, variable.of, &cells, &mut columns[first..]);
        }
        let mut values = Vec::new();
        let mut kinds = Vec::new();
        for variable in &lower.program.variables {
            kinds.extend(lower.leaves.of(lower.program, variable.of)?.iter().map(|leaf| leaf.of));
        }
        for ((column, variable), of) in columns.into_iter().zip(&lower.out.variables).zip(kinds) {
            for cell in column {
                values.push(match cell {
                    // An index that no value of its type has.
                    None => lower.out.domain(variable.sort).bounds().0,
                    Some(None) => lower.sorts.undefined(lower.program, of)?,
                    Some(Some(value)) => lower.sorts.code(lower.program, of, value),
                });
            }
        }
        debug_assert_eq!(values.len(), lower.out.state_len(), "a start has every element");
        list.push(values);
    }
    let Some(first) = list.first().cloned() else { return Err(Refused::new("a model without a start", Span::NONE)) };
    if let Some(initial) = product(&lower.out, &list) {
        for (variable, initial) in lower.out.variables.iter_mut().zip(initial) {
            variable.initial = initial;
        }
        return Ok(());
    }
    if list.len() > MAX_STARTS {
        return Err(Refused::new(format!("more than {MAX_STARTS} initial states that are no product"), Span::NONE));
    }
    for index in 0..lower.out.variables.len() {
        let variable = &lower.out.variables[index];
        let end = variable.offset + lower.out.len_of(variable);
        lower.out.variables[index].initial = Initial::Values(first[lower.out.variables[index].offset..end].to_vec());
    }
    lower.out.starts = list.split_off(1);
    Ok(())
}

impl<'p> Lower<'p> {
    fn rule(&mut self, rule: &'p Rule) -> Result<()> {
        let names = self.names.clone();
        self.enter(&rule.frame.locals);
        let mut parameters = Vec::new();
        let mut guard = Vec::new();
        for header in &rule.header {
            let Some(conditions) = self.header(header, rule.span, &mut parameters)? else {
                // There are no instances, but the aliases around them may fault.
                if !guard.is_empty() {
                    guard.push(int(0));
                    self.summand(rule, parameters, guard);
                }
                self.names = self.released(names);
                return Ok(());
            };
            guard.extend(conditions);
        }
        if let Some(condition) = &rule.guard {
            guard.push(self.purely(|lower| lower.scalar(condition))?);
        }
        for header in &rule.header {
            if let Header::Alias(binding) = header {
                self.bind(binding, false)?;
            }
        }
        self.whole_body(&rule.frame.locals, 0, &rule.body, false)?;
        self.summand(rule, parameters, guard);
        self.names = self.released(names);
        Ok(())
    }

    /// Adds a summand with the block that was written.
    fn summand(&mut self, rule: &Rule, parameters: Vec<Parameter>, guard: Vec<Expr>) {
        assert!(self.rounds == 1 && !self.is_pure, "every loop and every condition of the rule is left");
        let arguments = (0..parameters.len()).map(|id| build::parameter(ParameterId::from_index(id))).collect();
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
        let event: String = rule.name.chars().map(plain).collect();
        let event = Names::default().fresh(&[event.trim_matches('_'), &format!("rule_{event}")]);
        let mut body = std::mem::take(&mut self.block);
        let mut guard = and(guard);
        let mut levels = Levels::below(&self.binders, &parameters);
        levels.expression(&mut guard);
        levels.body(&mut body);
        self.out.summands.push(Summand { parameters, guard, event, arguments, body, label: None, span: Span::NONE });
    }

    /// The names as they were before a rule, with those of sorts and tables that it needed.
    fn released(&self, mut before: Names) -> Names {
        for sort in &self.out.sorts {
            before.reserve(&[&sort.name]);
        }
        for table in &self.out.tables {
            before.reserve(&[&table.name]);
        }
        before
    }

    fn enter(&mut self, own: &'p [crate::murphi::program::Local]) {
        let locals = vec![Meaning::Nothing; own.len()];
        self.frame = Frame { locals, own, ..Frame::default() };
        self.block.clear();
        self.binders.clear();
        (self.rounds, self.is_pure) = (1, false);
        self.budget = functions::budget();
        self.defined.clear();
        self.saved.clear();
        self.lost.clear();
    }

    /// The conditions of a construct around a rule or property; `None` if there are no instances.
    fn header(&mut self, header: &'p Header, span: Span, parameters: &mut Vec<Parameter>) -> Result<Option<Vec<Expr>>> {
        match header {
            Header::Alias(binding) => self.purely(|lower| lower.bind_purely(binding)).map(Some),
            Header::Choose(_) => self.refuse("a multiset", span),
            Header::For(binder) => {
                let (name, value) = self.bound_local(binder.local);
                let (sort, condition) = match &binder.values {
                    BinderValues::Type(of) => {
                        let inside = (!self.hull(*of).exact).then(|| self.is_in(&value, *of));
                        (self.sort(*of, false)?, inside)
                    }
                    BinderValues::Steps(_) => match self.binder_sorts(binder, span)?[..] {
                        [(sort, step)] => (sort, Self::on_step(value, step)),
                        _ => return Ok(None),
                    },
                };
                parameters.push(Parameter { name, sort, span: Span::NONE });
                Ok(Some(condition.into_iter().collect()))
            }
        }
    }

    /// The invariants and the states that may end; what else there is, is left out.
    fn properties(&mut self) -> Result<()> {
        let mut names = Names::default();
        for claim in self.program.claims() {
            let (ClaimKind::Invariant(number) | ClaimKind::End(number)) = claim.kind else { continue };
            let property = &self.program.properties[number];
            self.span = property.span;
            let before = self.names.clone();
            self.enter(&property.frame.locals);
            let mut condition = self.purely(|lower| lower.instances(&property.header, property))?;
            Levels::below(&self.binders, &[]).expression(&mut condition);
            self.names = self.released(before);
            if let ClaimKind::End(_) = claim.kind {
                assert!(self.out.ends.is_none(), "one line says which states may end");
                self.out.ends = Some(condition);
                continue;
            }
            let plain: String =
                claim.name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
            let name = names.fresh(&[plain.trim_matches('_'), &format!("invariant_{plain}")]);
            self.out.properties.push(Property { name, kind: PropertyKind::Invariant(condition), span: Span::NONE });
        }
        Ok(())
    }

    fn instances(&mut self, header: &'p [Header], property: &'p Source) -> Result<Expr> {
        let Some((first, rest)) = header.split_first() else { return self.scalar(&property.condition) };
        let mut parameters = Vec::new();
        let Some(mut conditions) = self.header(first, property.span, &mut parameters)? else { return Ok(int(1)) };
        let inner = self.instances(rest, property)?;
        let Some(Parameter { name, sort, .. }) = parameters.pop() else {
            conditions.push(inner);
            return Ok(and(conditions));
        };
        let body = if conditions.is_empty() { inner } else { build::or(vec![build::not(and(conditions)), inner]) };
        Ok(Expr::new(ExprKind::Forall(Box::new(Quantified { name, sort, body })), Span::NONE))
    }

    fn local_name(&self, local: crate::murphi::program::LocalId) -> String {
        self.frame.own[local.index()].name.clone()
    }
}
