//! The beginning and the end of processes: `run`, and the step at the closing brace.

use super::super::syntax::Child;
use super::super::syntax::ast::{self, Binary, ExprKind, Part, Place, Run, Type};
use super::declare::free;
use super::steps::EVENTS;
use super::{Context, Lowering, Refused};
use crate::diagnostics::codes;
use crate::sequential::from_actors::build::{
    and, assign, binary, fail, int, member, not, parameter, place as element, when,
};
use crate::sequential::{BinaryOp, Expr, ParameterId, ProcessRoom, SortId, Stmt, Summand, VariableId};

/// The fault of a step that makes more processes than the reading has room for.
const NO_ROOM: &str = "no room for another process";

impl Lowering<'_> {
    /// A new process, where the value that its number is part of comes to `run`: operands behind one that decides are not evaluated.
    pub(super) fn run(
        &mut self,
        run: &Run,
        result: Option<&ast::Result>,
        context: &Context,
    ) -> Result<Vec<Stmt>, Refused> {
        let number = self.proctype(&run.name)?;
        let wanted = self.locals[number].parameters;
        let parameters = &self.locals[number].list[..wanted];
        if let Some(record) = parameters.iter().find(|parameter| matches!(parameter.of, Type::Record(_))) {
            let message = format!("`{}` is a record: a parameter is one value here", record.name.text);
            let help = Some("make each of its fields a parameter".to_owned());
            return self.refuse_with(codes::PROMELA_UNSUPPORTED, record.name.span, &message, help);
        }
        if run.arguments.len() != wanted {
            let message = format!("`{}` takes {wanted} arguments, not {}", run.name.text, run.arguments.len());
            return self.refuse(codes::PROMELA_ARGUMENTS, run.name.span, &message);
        }
        let new = self.process_count();
        let (_, high) = self.model.domain(self.slots[number].sort).bounds();
        let is_full = binary(BinaryOp::Greater, new.clone(), int(high));
        let processes = u32::try_from(high + 1).expect("processes are counted");
        let processes = self.model.room.as_ref().map_or(processes, |room| room.processes.max(processes));
        self.model.room = Some(ProcessRoom { processes, fault: NO_ROOM.to_owned() });
        let mut body = vec![when(is_full, vec![fail(NO_ROOM)], Vec::new())];
        let inner = Context { process: Some(number), pid: Some(new.clone()), ..context.clone() };
        for (parameter, argument) in self.locals[number].list.clone().iter().zip(&run.arguments) {
            let value = self.expression(argument, context)?;
            let part = Part { name: parameter.name.clone(), index: None };
            let (element, of) = self.element(&Place { parts: vec![part], span: parameter.name.span }, &inner)?;
            let value = self.wrapped(&of, value, context);
            body.push(assign(element, value));
        }
        body.extend(self.initial_values(number, &inner)?);
        let start = self.flows[number].start;
        body.push(self.goto(number, &new, start));
        let assignment = |lowering: &mut Self| match result {
            Some(ast::Result { place, value }) => lowering.assignment(place, value, context),
            None => Ok(Vec::new()),
        };
        body.extend(assignment(self)?);
        let count = self.count.expect("processes are counted");
        body.push(assign(element(count, Vec::new()), binary(BinaryOp::Add, new, int(1))));
        let mut is_made = Vec::new();
        for (condition, holds) in result.and_then(|result| before_made(&result.value)).unwrap_or_default() {
            let condition = self.condition(condition, context)?;
            is_made.push(if holds { condition } else { not(condition) });
        }
        if is_made.is_empty() || self.wrong.always_makes() {
            return Ok(body);
        }
        let otherwise = assignment(self)?;
        Ok(vec![when(and(is_made), body, otherwise)])
    }

    /// The end of a process at its closing brace: only the youngest one ends.
    pub(super) fn death(&mut self, process: usize) -> Result<(), Refused> {
        let end = self.flows[process].end;
        if !self.controls[process].2.contains_key(&end) {
            return Ok(());
        }
        let context = self.context(process);
        let pid = context.pid.clone().expect("a process has a number");
        let mut guards = vec![self.is_at(process, pid.clone(), end), self.may_move(&pid), self.is_youngest(&pid)];
        guards.extend(self.provided(process, &context)?);
        let mut body = Vec::new();
        let own: Vec<VariableId> = self
            .leaves
            .values()
            .filter(|leaf| leaf.owner == Some(process) && leaf.group.is_none())
            .map(|leaf| leaf.variable)
            .collect();
        let channels = self.groups.iter().filter(|group| group.owner == Some(process) && group.capacity > 0);
        let fields = channels.flat_map(|group| {
            let values = group.types.iter().map(free);
            group.fields.iter().copied().zip(values).chain([(group.len, 0)])
        });
        let all: Vec<(VariableId, i32)> = own.into_iter().map(|id| (id, 0)).chain(fields).collect();
        for (id, value) in all {
            let slots = self.slots[process].sort;
            assert_eq!(self.model.variables[id.index()].indices.first(), Some(&slots), "a local is one of its process");
            let sorts: Vec<SortId> = self.model.variables[id.index()].indices[1..].to_vec();
            for rest in self.all_indices(&sorts) {
                let indices = std::iter::once(pid.clone()).chain(rest.into_iter().map(int)).collect();
                body.push(assign(element(id, indices), int(value)));
            }
        }
        let (variable, sort, _) = self.controls[process];
        body.push(assign(element(variable, vec![pid.clone()]), member(sort, 0)));
        let count = self.count.expect("processes are counted");
        body.push(assign(element(count, Vec::new()), pid.clone()));
        body.extend(self.moved_last(&body, pid));
        let span = self.processes[process].end;
        let name = &self.processes[process].name.text;
        let event = EVENTS[0].to_owned();
        let label = Some(format!("({name}) line {}: ends", self.line(span)));
        let body = body.into_iter().map(|stmt| Stmt { span, ..stmt }).collect();
        let parameters = vec![self.own(process)];
        let arguments = vec![parameter(ParameterId(0))];
        let guard = Expr { span, ..and(guards) };
        self.sources.push(vec![(process, end)]);
        self.model.summands.push(Summand { parameters, guard, event, label, arguments, body, span });
        Ok(())
    }

    /// All combinations of values of some sorts.
    pub(super) fn all_indices(&self, sorts: &[SortId]) -> Vec<Vec<i32>> {
        let all = sorts.iter().fold(vec![Vec::new()], |lists, &sort| {
            let with = |list: Vec<i32>| {
                let longer = move |value: i32| {
                    let mut longer = list.clone();
                    longer.push(value);
                    longer
                };
                self.model.domain(sort).values().map(longer).collect::<Vec<_>>()
            };
            lists.into_iter().flat_map(with).collect()
        });
        debug_assert_eq!(Some(all.len()), self.model.size_of(sorts), "every element has its combination of indices");
        all
    }
}

/// The conditions, and whether they hold, under which the evaluation of a value comes to the `run` in it; nothing if there is none.
fn before_made(value: &ast::Expr) -> Option<Vec<(&ast::Expr, bool)>> {
    let behind = |condition, holds, inner: Vec<_>| std::iter::once((condition, holds)).chain(inner).collect();
    match &value.kind {
        ExprKind::Made => Some(Vec::new()),
        ExprKind::Binary(op @ (Binary::And | Binary::Or), left, right) => before_made(left).or_else(|| {
            let inner = before_made(right)?;
            Some(behind(&**left, *op == Binary::And, inner))
        }),
        ExprKind::Choice(condition, then, otherwise) => before_made(condition)
            .or_else(|| Some(behind(&**condition, true, before_made(then)?)))
            .or_else(|| Some(behind(&**condition, false, before_made(otherwise)?))),
        _ => value.children().into_iter().find_map(|child| match child {
            Child::Expr(inner) => before_made(inner),
            Child::Place(place) => place.indices().find_map(before_made),
            _ => None,
        }),
    }
}
