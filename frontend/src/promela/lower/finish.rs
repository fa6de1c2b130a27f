//! The layout and the initial state.

use super::super::syntax::ast::Initial;
use super::declare::free;
use super::resets::{FREE, Freed};
use super::{Context, Lowering, Refused};
use crate::diagnostics::codes;
use crate::sequential::from_actors::build::{assign, int, place as element};
use crate::sequential::interpret::evaluate;
use crate::sequential::{Expr, Initial as Values, MAX_ELEMENTS, Stmt, StmtKind};

impl Lowering<'_> {
    /// The assignments that give a new process the initial values of its locals.
    pub(super) fn initial_values(&mut self, process: usize, context: &Context) -> Result<Vec<Stmt>, Refused> {
        let own = |(owner, _, _): &&(Option<usize>, String, Initial)| *owner == Some(process);
        let initials: Vec<_> = self.initials.iter().filter(own).cloned().collect();
        let mut body = Vec::new();
        for (_, name, initial) in initials {
            body.extend(self.initial(Some(process), &name, &initial, context)?);
        }
        Ok(body)
    }

    /// The assignments of an initial value.
    fn initial(
        &mut self,
        owner: Option<usize>,
        name: &str,
        initial: &Initial,
        context: &Context,
    ) -> Result<Vec<Stmt>, Refused> {
        let leaf = self.leaves[&(owner, name.to_owned())].clone();
        let sorts = self.model.variables[leaf.variable.index()].indices.clone();
        let sorts = if owner.is_some() { &sorts[1..] } else { &sorts[..] };
        let all = self.all_indices(sorts);
        let mut body = Vec::new();
        for (number, rest) in all.iter().enumerate() {
            let value = match initial {
                Initial::Value(value) => self.expression(value, context)?,
                Initial::List(list) => match list.get(number) {
                    Some(value) => self.expression(value, context)?,
                    None => int(0),
                },
                Initial::Channel(_) => {
                    // A channel variable that is assigned too begins with the channels of its declaration.
                    let group = self.groups.iter().position(|group| group.owner == owner && group.name == name);
                    let group = group.expect("the declaration makes channels");
                    let indices = context.pid.clone().filter(|_| owner.is_some()).into_iter();
                    let indices = indices.chain(rest.iter().copied().map(int)).collect();
                    self.channel_number(group, indices, context)
                }
            };
            let value = self.kept(name, &leaf, &value, context);
            let pid = context.pid.clone().filter(|_| owner.is_some()).into_iter();
            let indices = pid.chain(rest.iter().copied().map(int)).collect();
            body.push(assign(element(leaf.variable, indices), value));
        }
        Ok(body)
    }

    /// Sets offsets and the initial state.
    pub(super) fn finish(&mut self) -> Result<(), Refused> {
        let mut offset = 0;
        for number in 0..self.model.variables.len() {
            let variable = &self.model.variables[number];
            let end = self.model.size_of(&variable.indices).and_then(|size| size.checked_add(offset));
            let Some(end) = end.filter(|&end| end <= MAX_ELEMENTS) else {
                let message =
                    format!("the variables and channels up to this one have more than {MAX_ELEMENTS} elements");
                return self.refuse(codes::PROMELA_SIZE, variable.span, &message);
            };
            self.model.variables[number].offset = std::mem::replace(&mut offset, end);
        }
        assert!(self.model.locals.iter().all(|local| local.indices.is_empty()), "locals are single values");
        for number in 0..self.model.locals.len() {
            self.model.locals[number].offset = offset + number;
        }
        self.model.hold = self.hold;
        self.model.numbered = u32::try_from(self.room).ok();
        let mut state = vec![0; offset];
        debug_assert_eq!(offset, self.model.state_len(), "every variable has its elements");
        if let Some(hold) = self.hold {
            state[self.model.variable(hold).offset] = -1;
        }
        for group in self.groups.iter().filter(|group| group.capacity > 0) {
            for (id, of) in group.fields.iter().zip(&group.types) {
                let variable = self.model.variable(*id);
                state[variable.offset..variable.offset + self.model.len_of(variable)].fill(free(of));
            }
        }
        let count = self.slots.iter().map(|slots| slots.first.end - slots.first.start).sum();
        if let Some(variable) = self.count {
            state[self.model.variable(variable).offset] = count;
        }
        let outer = Context { process: None, pid: None, scope: Vec::new(), in_timeout: false };
        for (owner, name, initial) in self.initials.clone() {
            if owner.is_none() {
                let body = self.initial(None, &name, &initial, &outer)?;
                self.apply(&mut state, &body)?;
            }
        }
        for process in 0..self.processes.len() {
            let (variable, _, members) = self.controls[process].clone();
            let start = members[&self.flows[process].start];
            for pid in self.slots[process].first.clone() {
                let element = self.model.element_at(variable, &[pid]).expect("the slot exists");
                state[element] = start;
                let context = Context { process: Some(process), pid: Some(int(pid)), ..outer.clone() };
                let body = self.initial_values(process, &context)?;
                self.apply(&mut state, &body)?;
            }
        }
        for &Freed { variable, process, at_start } in &self.freed {
            let domain = self.model.domain(self.slots[process].sort).clone();
            for pid in domain.values().filter(|pid| at_start || !self.slots[process].first.contains(pid)) {
                state[self.model.element_at(variable, &[pid]).expect("the slot exists")] = FREE;
            }
        }
        for number in 0..self.model.variables.len() {
            let variable = &self.model.variables[number];
            let values = state[variable.offset..variable.offset + self.model.len_of(variable)].to_vec();
            self.model.variables[number].is_uniform = values.windows(2).all(|pair| pair[0] == pair[1]);
            self.model.variables[number].initial = Values::Values(values);
        }
        Ok(())
    }

    /// Makes assignments in the initial state.
    fn apply(&mut self, state: &mut [i32], body: &[Stmt]) -> Result<(), Refused> {
        for stmt in body {
            let StmtKind::Assign(place, value) = &stmt.kind else { continue };
            let of = |expr: &Expr| evaluate(&self.model, expr, state, &[]);
            let indices: Result<Vec<i32>, _> = place.indices.iter().map(of).collect();
            let (Ok(indices), Ok(value)) = (indices, of(value)) else {
                let message = "the initial value cannot be computed";
                return self.refuse(codes::PROMELA_SIZE, value.span, message);
            };
            let element = self.model.element_at(place.variable, &indices);
            assert!(element.is_some(), "a declaration initialises elements of its own variable");
            if let Some(element) = element {
                state[element] = value;
            }
        }
        Ok(())
    }
}
