//! The translation of single statements: declarations, assignments, choices, calls and sends.

use super::analysis::{assigned, leaves};
use super::{Bodies, Done, Frame, MAX_CALLS, Out, Refused, Tail, Target, TargetKind};
use crate::interpret::passes;
use crate::model::{self, Base, ClassId, LocalId, Rvalue, ServerId};
use crate::sequential::from_actors::build::{
    and, assign, binary, equal, fail, int, ite, local, lookup, member, not, or, parameter, place, read, when,
};
use crate::sequential::from_actors::expressions::{Binding, Scope, this};
use crate::sequential::from_actors::layout::Home;
use crate::sequential::{BinaryOp, Expr, ExprKind, Parameter, ParameterId, Sequential, SortId, VariableId};
use crate::source::Span;

impl<'m> Bodies<'_, 'm> {
    pub(super) fn declare(&mut self, id: LocalId, value: Option<&'m Rvalue>, span: Span, out: &mut Vec<Out>) -> Done {
        let declared = self.frame().body.locals[id.index()].clone();
        let Some(value) = value else {
            let sort = self.layout.variable_sort(declared.sort);
            let indices = declared.dimensions.iter().map(|&axis| self.layout.axis(axis)).collect();
            let made = self.make(&declared.name, sort, indices);
            let scalar = matches!(declared.sort, model::Sort::Scalar(_));
            let first = if scalar { self.layout.out.domain(sort).bounds().0 } else { 0 };
            let first = self.constant(sort, first);
            self.note(made, declared.dimensions.len(), &first);
            out.push(local(made, first));
            self.bind(id, Binding::Local(made, scalar));
            return Ok(());
        };
        let Some((value, sort)) = self.rvalue(value, span, Some(&declared.name), out)? else {
            return Err(Refused { what: "a value of nothing", span });
        };
        // A choice that is never changed needs no local.
        if matches!(value.kind, ExprKind::Parameter(_) | ExprKind::Int(_))
            && declared.sort == sort
            && !self.frame().assigned.contains(&id)
        {
            self.bind(id, Binding::Value(value));
            return Ok(());
        }
        let value = self.layout.stored(value, sort, declared.sort);
        let sort = self.layout.plain_sort(declared.sort);
        let made = self.make(&declared.name, sort, Vec::new());
        self.note(made, 0, &value);
        out.push(local(made, value));
        self.bind(id, Binding::Local(made, false));
        Ok(())
    }

    pub(super) fn assign(&mut self, to: &'m model::Place, value: &'m Rvalue, span: Span, out: &mut Vec<Out>) -> Done {
        let mut indices = self.indices(&to.indices, to.span)?;
        if matches!(value, Rvalue::Call { .. }) {
            // The call may change the variables that the indices read.
            for (index, expr) in indices.iter_mut().zip(&to.indices) {
                let sort = self.layout.plain_sort(expr.sort);
                let kept = self.make("at", sort, Vec::new());
                out.push(local(kept, std::mem::replace(index, read(kept, Vec::new()))));
            }
        }
        let name = match to.base {
            Base::Local(id) => self.frame().body.locals[id.index()].name.clone(),
            Base::Variable(id) => self.model().class(self.class).variables[id.index()].name.clone(),
            Base::Remote(..) => return Err(Refused { what: "a variable of another rebec", span }),
        };
        let Some((value, from)) = self.rvalue(value, span, Some(&name), out)? else {
            return Err(Refused { what: "a value of nothing", span });
        };
        let (target, sort) = match to.base {
            Base::Local(id) => {
                let sort = self.frame().body.locals[id.index()].sort;
                let Some(Binding::Local(local, _)) = self.frame().scope.locals[id.index()] else {
                    return Err(Refused { what: "an assignment to this local", span });
                };
                (place(local, indices), sort)
            }
            Base::Variable(id) => {
                let sort = self.model().class(self.class).variables[id.index()].sort;
                let owner = self.layout.classes[self.class.index()].as_ref().expect("a class with rebecs");
                let Home::Variable(variable) = owner.variables[id.index()] else {
                    return Err(Refused { what: "an assignment to a known rebec", span });
                };
                (place(variable, [this()].into_iter().chain(indices).collect()), sort)
            }
            Base::Remote(..) => return Err(Refused { what: "a variable of another rebec", span }),
        };
        let value = self.layout.stored(value, from, sort);
        self.note(target.variable, target.indices.len(), &value);
        out.push(assign(target, value));
        Ok(())
    }

    /// The value of an expression with its sort. The statements that must run before it are appended to `out`. `None`
    /// for a method without a result.
    pub(super) fn rvalue(
        &mut self,
        value: &'m Rvalue,
        span: Span,
        name: Option<&str>,
        out: &mut Vec<Out>,
    ) -> Done<Option<(Expr, model::Sort)>> {
        match value {
            Rvalue::Expr(expr) => Ok(Some((self.expression(expr)?, expr.sort))),
            Rvalue::Choose(options) => self.choose(options, span, name).map(Some),
            Rvalue::Call { method, arguments } => self.call(*method, arguments, span, true, out),
            Rvalue::New { .. } => Err(Refused { what: "`new`", span }),
        }
    }

    pub(super) fn call(
        &mut self,
        method: model::MethodId,
        arguments: &'m [model::Expr],
        span: Span,
        used: bool,
        out: &mut Vec<Out>,
    ) -> Done<Option<(Expr, model::Sort)>> {
        let method = &self.model().class(self.class).methods[method.index()];
        if self.frames.len() > MAX_CALLS || self.frames.iter().any(|frame| std::ptr::eq(frame.body, &method.body)) {
            return Err(Refused { what: "a method that calls itself", span });
        }
        let mut locals = vec![None; method.body.locals.len()];
        debug_assert_eq!(arguments.len(), method.body.parameters().len(), "a call has every argument");
        for (index, (parameter, argument)) in method.body.parameters().iter().zip(arguments).enumerate() {
            let value = self.expression(argument)?;
            let value = self.layout.stored(value, argument.sort, parameter.sort);
            let sort = self.layout.plain_sort(parameter.sort);
            let made = self.make(&parameter.name, sort, Vec::new());
            self.note(made, 0, &value);
            out.push(local(made, value));
            locals[index] = Some(Binding::Local(made, false));
        }
        let result = method.result.map(|sort| {
            let plain = self.layout.plain_sort(sort);
            let made = self.make("result", plain, Vec::new());
            let (low, high) = self.layout.out.domain(plain).bounds();
            out.push(local(made, self.constant(plain, if low <= 0 && 0 <= high { 0 } else { low })));
            (made, sort)
        });
        let sender = self.frame().scope.sender.clone();
        let scope = Scope { class: Some(self.class), sender, locals };
        let returns = self.targets.len();
        self.targets.push(Target { kind: TargetKind::Return, flag: None });
        let assigned = assigned(&method.body.block);
        self.frames.push(Frame { body: &method.body, scope, assigned, result, returns });
        let certain = !used || result.is_none() || leaves(&method.body.block);
        let tail = if certain { vec![returns] } else { Tail::new() };
        let mut body = self.block(&method.body.block.iter().collect::<Vec<_>>(), &tail)?;
        if !certain {
            let returned = self.targets[returns].flag.map_or(int(0), |flag| read(flag, Vec::new()));
            body.push(when(not(returned), vec![fail("a result is missing")], Vec::new()));
        }
        out.extend(self.close(body));
        debug_assert_eq!(self.targets.len(), returns, "every jump of the method has left its target");
        self.frames.pop();
        Ok(result.map(|(made, sort)| (read(made, Vec::new()), sort)))
    }

    /// A summation variable for the option, and the value of the chosen one.
    fn choose(&mut self, options: &'m [model::Expr], span: Span, name: Option<&str>) -> Done<(Expr, model::Sort)> {
        if self.repeats > 0 || self.loops > 0 {
            return Err(Refused { what: "a choice inside a loop", span });
        }
        let sort = options[0].sort;
        let options = options.iter().map(|option| self.expression(option)).collect::<Done<Vec<Expr>>>()?;
        let mut numbers: Vec<i32> = Vec::new();
        for option in &options {
            if let ExprKind::Int(value) = option.kind {
                numbers.push(value);
            }
        }
        let all_numbers = numbers.len() == options.len();
        numbers.sort_unstable();
        numbers.dedup();
        let range = (numbers.first().copied().unwrap_or(0), numbers.last().copied().unwrap_or(0));
        let dense = all_numbers && i64::from(range.1) - i64::from(range.0) + 1 == numbers.len() as i64;
        if dense && numbers.len() == 1 {
            return Ok((int(range.0), sort));
        }
        if dense {
            let over = match sort {
                model::Sort::Bool => Sequential::BOOL,
                model::Sort::Scalar(_) => self.layout.plain_sort(sort),
                _ => self.options(range.0, range.1),
            };
            return Ok((self.choice(name.unwrap_or("choice"), over), sort));
        }
        let distinct: Vec<Expr> = options.into_iter().fold(Vec::new(), |mut list, option| {
            // Two equal options are one branch: both give the same step.
            if !list.contains(&option) {
                list.push(option);
            }
            list
        });
        if let [only] = distinct.as_slice() {
            return Ok((only.clone(), sort));
        }
        let last = i32::try_from(distinct.len()).unwrap_or(i32::MAX) - 1;
        let over = self.options(0, last);
        let chosen = self.choice("choice", over);
        let mut numbered: Vec<(i32, Expr)> = (0..).zip(distinct).collect();
        let (_, mut value) = numbered.pop().expect("a choice has options");
        while let Some((number, option)) = numbered.pop() {
            value = ite(equal(chosen.clone(), int(number)), option, value);
        }
        Ok((value, sort))
    }

    fn options(&mut self, low: i32, high: i32) -> SortId {
        let shown = |value: i32| value.to_string().replace('-', "m");
        self.layout.range(&format!("From{}to{}", shown(low), shown(high)), low, high)
    }

    /// A new summation variable, pinned to its least value where the choice is known not to be reached.
    fn choice(&mut self, name: &str, sort: SortId) -> Expr {
        let name = self.names.fresh(&[name, &format!("{name}_choice")]);
        let id = ParameterId::from_index(self.parameters.len());
        self.parameters.push(Parameter { name, sort, span: Span::NONE });
        if let Some(path) = self.path.clone().filter(|path| !path.is_empty()) {
            let least = self.layout.out.domain(sort).bounds().0;
            self.guards.push(or(vec![and(path), equal(parameter(id), int(least))]));
        }
        parameter(id)
    }

    pub(super) fn send(
        &mut self,
        receiver: &'m model::Expr,
        message: &'m str,
        arguments: &'m [model::Expr],
        targets: &[Option<ServerId>],
    ) -> Done<Vec<Out>> {
        let mut classes = match (&receiver.kind, receiver.sort) {
            (model::ExprKind::SelfRef, _) => vec![self.class],
            (_, model::Sort::Rebec(class)) => self.layout.conforming_classes(Some(class)),
            _ => self.layout.conforming_classes(None),
        };
        // Subclasses first: the test for a class holds for its subclasses too.
        classes.sort_by_key(|&class| std::cmp::Reverse(self.model().class(class).ancestors.len()));
        let mut to = self.expression(receiver)?;
        let mut values = Vec::new();
        for argument in arguments {
            values.push((self.expression(argument)?, argument.sort));
        }
        let mut out = Vec::new();
        let simple = match &to.kind {
            ExprKind::Parameter(_) | ExprKind::Member(..) => true,
            ExprKind::Lookup(_, indices) => indices.len() == 1 && self.layout.is_safe(&to),
            ExprKind::Read(place) => place.indices.len() <= 1,
            _ => false,
        };
        if !simple {
            let kept = self.make("receiver", self.layout.rebec, Vec::new());
            out.push(local(kept, to));
            to = read(kept, Vec::new());
        }
        let mut rest = classes.iter().rev();
        let Some(&last) = rest.next() else {
            out.push(fail("the receiver is null"));
            return Ok(out);
        };
        let mut chain = self.append(last, &to, message, &values, targets);
        for &class in rest {
            let test = lookup(self.layout.is_conforming(class), vec![to.clone()]);
            let own = self.append(class, &to, message, &values, targets);
            chain = vec![when(test, own, chain)];
        }
        out.extend(chain);
        Ok(out)
    }

    /// The server that takes a message of these sorts.
    fn taker(&self, class: ClassId, values: &[(Expr, model::Sort)], targets: &[Option<ServerId>]) -> Option<ServerId> {
        let servers = &self.model().class(class).servers;
        targets[class.index()].filter(|server| {
            let parameters = servers[server.index()].body.parameters();
            values.iter().zip(parameters).all(|((_, sort), parameter)| passes(*sort, parameter.sort))
        })
    }

    /// Puts a message at the end of the queue of a rebec of this class.
    fn append(
        &mut self,
        class: ClassId,
        to: &Expr,
        message: &str,
        values: &[(Expr, model::Sort)],
        targets: &[Option<ServerId>],
    ) -> Vec<Out> {
        let Some(server) = self.taker(class, values, targets) else {
            return vec![fail(&format!("{message} is not understood"))];
        };
        let body = &self.model().class(class).servers[server.index()].body;
        let owner = self.layout.classes[class.index()].as_ref().expect("a class with rebecs");
        let queue = owner.queue.as_ref().expect("a class with servers");
        let (messages, senders, length) = (queue.message, queue.sender, queue.length);
        let arrays = queue.parameters[server.index()].clone();
        debug_assert_eq!(arrays.len(), values.len(), "an array for each argument");
        let end = read(length, vec![to.clone()]);
        let slot = |array: VariableId| place(array, vec![to.clone(), end.clone()]);
        let mut out = vec![
            assign(slot(messages), member(self.layout.message, self.layout.message_of(message))),
            assign(slot(senders), this()),
        ];
        for ((array, (value, sort)), parameter) in arrays.into_iter().zip(values).zip(body.parameters()) {
            let value = self.layout.stored(value.clone(), *sort, parameter.sort);
            out.push(assign(slot(array), value));
        }
        out.push(assign(place(length, vec![to.clone()]), binary(BinaryOp::Add, end, int(1))));
        out
    }
}
