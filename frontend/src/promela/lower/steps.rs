//! Basic statements as summands: guards, effects, rendezvous, and the end of processes.
//!
//! The guard of a summand says that its process is at the point, that no other process holds the turn, that the
//! statement can be executed, and that no escape of an `unless` comes first. `else` is the negation of the
//! options before it; a rendezvous receive is not executable by itself, as in SPIN. `timeout` is the negation of every statement
//! of every process but `timeout`.

use super::super::FAILED_ASSERTION;
use super::super::flow::{Action, Edge, Point};
use super::super::syntax::ast::{self, Argument};
use super::merge::BLOCKED;
use super::targets::{Access, Missing, NO_CHANNEL, Target, Targets};
use super::{Context, Lowering, Refused};
use crate::sequential::from_actors::build::{
    and, assign, binary, equal, fail, int, member, not, or, parameter, place as element, read,
};
use crate::sequential::{BinaryOp, Expr, ExprKind, Parameter, ParameterId, Quantified, Stmt, StmtKind, Summand};
use crate::source::Span;

/// A basic statement of a proctype.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Site {
    pub process: usize,
    pub point: Point,
    pub edge: usize,
}

/// The events of steps of one and of two processes: an exchange of processes is a symmetry then, wherever their statements stand.
pub(super) const EVENTS: [&str; 2] = ["step", "sync"];

/// A summand without its guard and body.
pub(super) struct Head {
    pub site: Site,
    /// The receive statement of a rendezvous.
    pub receiver: Option<Site>,
    pub parameters: Vec<Parameter>,
}

impl Head {
    /// The points at which the processes of the summand are before it.
    fn sources(&self) -> Vec<(usize, Point)> {
        [Some(self.site), self.receiver].into_iter().flatten().map(|site| (site.process, site.point)).collect()
    }
}

/// Whether a body declares locals: its summand stays, if only to be never enabled.
pub(super) fn declares(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| stmt.any(&mut |stmt| matches!(stmt.kind, StmtKind::Var(..))))
}

/// The fault of a `d_step` that sends to a rendezvous channel.
const MEETS: &str = "a d_step offers a message on a rendezvous channel";

impl Lowering<'_> {
    /// A summand for each basic statement and each pair of a rendezvous.
    pub(super) fn summands(&mut self) -> Result<(), Refused> {
        for process in 0..self.processes.len() {
            let points: Vec<Point> = self.controls[process].2.keys().copied().collect();
            for point in points {
                for edge in 0..self.flows[process].points[point].edges.len() {
                    self.statement(Site { process, point, edge })?;
                }
                self.blocked_step(process, point)?;
            }
            self.death(process)?;
        }
        Ok(())
    }

    pub(super) fn edge(&self, site: Site) -> &Edge {
        &self.flows[site.process].points[site.point].edges[site.edge]
    }

    pub(super) fn own(&self, process: usize) -> Parameter {
        Parameter { name: self.parameters.0.clone(), sort: self.slots[process].sort, span: Span::NONE }
    }

    /// What begins the summand of a statement of one process.
    pub(super) fn alone(&self, site: Site) -> Head {
        Head { site, receiver: None, parameters: vec![self.own(site.process)] }
    }

    /// The surroundings in a summand with one process.
    pub(super) fn context(&self, process: usize) -> Context {
        Context {
            process: Some(process),
            pid: Some(parameter(ParameterId(0))),
            scope: vec![self.slots[process].sort],
            in_timeout: false,
        }
    }

    pub(super) fn may_move(&self, pid: &Expr) -> Expr {
        let Some(hold) = self.hold else { return int(1) };
        let turn = read(hold, Vec::new());
        or(vec![equal(turn.clone(), int(-1)), equal(turn, pid.clone())])
    }

    pub(super) fn goto(&self, process: usize, pid: &Expr, target: Point) -> Stmt {
        let (variable, sort, members) = &self.controls[process];
        assign(element(*variable, vec![pid.clone()]), member(*sort, members[&target]))
    }

    /// The end of a step: where the process goes on, and who has the turn.
    pub(super) fn leave(&self, site: Site, pid: &Expr) -> Vec<Stmt> {
        let edge = self.edge(site);
        let mut body = vec![self.goto(site.process, pid, edge.target)];
        // An escape leaves the sequence that it interrupts.
        let is_inside = self.flows[site.process].points[site.point].atomic.is_some() && !self.wrong.keeps_turns();
        if let Some(hold) = self.hold.filter(|_| edge.atomic.is_some() || is_inside) {
            let value = if edge.stays { pid.clone() } else { int(-1) };
            body.push(assign(element(hold, Vec::new()), value));
        }
        body
    }

    pub(super) fn push(&mut self, head: Head, guard: Vec<Expr>, body: Vec<Stmt>) -> Result<(), Refused> {
        let others = usize::from(head.receiver.is_some());
        assert_eq!(head.parameters.len(), 1 + others, "a step has a parameter for each of its processes");
        let event = EVENTS[others];
        self.push_as(event, head, guard, body)
    }

    fn push_as(&mut self, event: &str, head: Head, guard: Vec<Expr>, body: Vec<Stmt>) -> Result<(), Refused> {
        let span = self.edge(head.site).span;
        let name = &self.processes[head.site.process].name.text;
        let label = Some(format!("({name}) {}line {}: {}", self.text_of(span), self.line(span), self.source(span)));
        let arguments = (0..head.parameters.len()).map(|number| parameter(ParameterId::from_index(number)));
        let body = body.into_iter().map(|stmt| if stmt.span.is_none() { Stmt { span, ..stmt } } else { stmt });
        let body: Vec<Stmt> = body.collect();
        let known = self.known_at(head.site)?;
        let exists = |read: &Expr| self.exists(head.site.process, read);
        let is_never = |condition: &Expr| known.folded(condition, &exists).kind == ExprKind::Int(0);
        let guard = if !guard.iter().any(is_never) {
            and(guard)
        } else if declares(&body) {
            int(0)
        } else {
            return Ok(());
        };
        let last = self.moved_last(&body, parameter(ParameterId::from_index(head.parameters.len() - 1)));
        self.sources.push(head.sources());
        self.model.summands.push(Summand {
            parameters: head.parameters,
            guard: Expr { span, ..guard },
            event: event.to_owned(),
            label,
            arguments: arguments.collect(),
            body: body.into_iter().chain(last).collect(),
            span,
        });
        Ok(())
    }

    /// The assignment of `_last` at the end of a step.
    pub(super) fn moved_last(&self, body: &[Stmt], pid: Expr) -> Option<Stmt> {
        let fails = matches!(body, [Stmt { kind: StmtKind::Fail(_), .. }]);
        self.last.filter(|_| !fails).map(|last| assign(element(last, Vec::new()), pid))
    }

    /// The conditions of a step but for those of its statement.
    pub(super) fn guards(&mut self, site: Site, context: &Context) -> Result<Vec<Expr>, Refused> {
        let pid = context.pid.clone().expect("a process has a number");
        let mut list = vec![self.is_at(site.process, pid.clone(), site.point), self.may_move(&pid)];
        list.extend(self.restraints(site, context)?);
        Ok(list)
    }

    /// The conditions of a statement that come from the statements around it. What is provided does not matter inside of a `d_step`.
    pub(super) fn restraints(&mut self, site: Site, context: &Context) -> Result<Vec<Expr>, Refused> {
        let is_inside = self.flows[site.process].points[site.point].step.is_some();
        let is_held = !is_inside || self.wrong.provided_inside_steps();
        let provided = if is_held { self.provided(site.process, context)? } else { None };
        let mut list: Vec<Expr> = provided.into_iter().collect();
        for first in self.first(site) {
            list.push(not(self.executable(first, context)?));
        }
        Ok(list)
    }

    /// The condition under which a process may move at all.
    pub(super) fn provided(&mut self, process: usize, context: &Context) -> Result<Option<Expr>, Refused> {
        let condition = self.processes[process].provided.clone();
        condition.map(|condition| self.condition(&condition, context)).transpose()
    }

    /// The statements that come before a statement where they can be executed: those of its escapes, and the earlier options of its `d_step`.
    pub(super) fn first(&self, site: Site) -> Vec<Site> {
        let points = &self.flows[site.process].points;
        let own = self.edge(site);
        let escapes = own
            .escapes
            .iter()
            .flat_map(|&point| (0..points[point].edges.len()).map(move |edge| Site { point, edge, ..site }));
        let earlier = (0..site.edge).map(|edge| Site { edge, ..site });
        let earlier = earlier.filter(|&earlier| own.step.is_some() && self.edge(earlier).step == own.step);
        escapes.chain(earlier).collect()
    }

    /// Whether the statement itself can be executed at its point.
    pub(super) fn executable(&mut self, site: Site, context: &Context) -> Result<Expr, Refused> {
        match self.edge(site).action.clone() {
            Action::Skip | Action::Assign(..) | Action::Run(..) | Action::Assert(_) | Action::Print(_) => Ok(int(1)),
            Action::Expr(condition) => self.condition(&condition, context),
            Action::Else => {
                let all = self.flows[site.process].points[site.point].edges.len();
                let before = if self.wrong.else_is_of_all_options() { all } else { site.edge };
                let mut others = Vec::new();
                for number in 0..before {
                    let other = Site { edge: number, ..site };
                    if !matches!(self.edge(other).action, Action::Else) {
                        others.push(self.executable(other, context)?);
                    }
                }
                Ok(not(or(others)))
            }
            Action::Send { channel, arguments, .. } => {
                let mut list = Vec::new();
                for target in self.channel(&channel, Access::Puts, context)?.list {
                    let can = if self.groups[target.group].capacity > 0 {
                        self.has_room(&target)
                    } else if self.fails_to_offer(site, &target, &arguments, context)?.is_some() {
                        int(1)
                    } else {
                        self.has_receiver(site, &target, &arguments, context)?
                    };
                    list.push(and(target.condition.into_iter().chain([can]).collect()));
                }
                Ok(or(list))
            }
            Action::Receive { channel, arguments, random, .. } => {
                let arguments = self.received(&arguments, context);
                let mut list = Vec::new();
                for target in self.channel(&channel, Access::Takes, context)?.list {
                    if self.groups[target.group].capacity > 0 {
                        let can = self.can_receive(&target, &arguments, random, context)?;
                        list.push(and(target.condition.into_iter().chain([can]).collect()));
                    }
                }
                Ok(or(list))
            }
        }
    }

    pub(super) fn has_room(&self, target: &Target) -> Expr {
        let capacity = i32::try_from(self.groups[target.group].capacity).expect("sizes are bounded");
        binary(BinaryOp::Less, self.len(target), int(capacity))
    }

    /// Whether some process of a proctype satisfies a condition.
    pub(super) fn some_process(
        &mut self,
        process: usize,
        context: &Context,
        condition: impl FnOnce(&mut Self, &Context) -> Result<Expr, Refused>,
    ) -> Result<Expr, Refused> {
        let sort = self.slots[process].sort;
        let (low, high) = self.model.domain(sort).bounds();
        let mut inner = Context { process: Some(process), ..context.clone() };
        if low == high {
            inner.pid = Some(int(low));
            return condition(self, &inner);
        }
        inner.pid = Some(parameter(ParameterId::from_index(context.scope.len())));
        inner.scope.push(sort);
        let body = condition(self, &inner)?;
        if body.kind == ExprKind::Int(0) {
            return Ok(body);
        }
        let name = self.binder(context.scope.len());
        Ok(Expr::new(ExprKind::Exists(Box::new(Quantified { name, sort, body })), Span::NONE))
    }

    pub(super) fn binder(&mut self, depth: usize) -> String {
        while self.binders.len() <= depth {
            let name = self.names.fresh(&["r"]);
            self.binders.push(name);
        }
        self.binders[depth].clone()
    }

    /// Whether nothing but `timeout` can happen.
    pub(super) fn timeout(&mut self, context: &Context) -> Result<Expr, Refused> {
        let outer = Context { in_timeout: true, ..context.clone() };
        // A process that cannot move without it gives the turn back first.
        let turn = self.hold.filter(|_| !self.wrong.timeout_keeps_turns());
        let mut any: Vec<Expr> = turn.map(|turn| not(equal(read(turn, Vec::new()), int(-1)))).into_iter().collect();
        for process in 0..self.processes.len() {
            let found = self.some_process(process, &outer, |lowering, inner| lowering.can_move(process, inner))?;
            any.push(found);
        }
        Ok(not(or(any)))
    }

    /// Whether a process can make a step.
    pub(super) fn can_move(&mut self, process: usize, context: &Context) -> Result<Expr, Refused> {
        let pid = context.pid.clone().expect("a process has a number");
        let points: Vec<Point> = self.controls[process].2.keys().copied().collect();
        let mut list = Vec::new();
        for point in points {
            let at = self.is_at(process, pid.clone(), point);
            if point == self.flows[process].end {
                let provided = self.provided(process, context)?.filter(|_| !self.wrong.ends_whatever_is_provided());
                list.push(and([at, self.is_youngest(&pid)].into_iter().chain(provided).collect()));
                continue;
            }
            let mut steps = Vec::new();
            for edge in 0..self.flows[process].points[point].edges.len() {
                let site = Site { process, point, edge };
                let mut all = self.restraints(site, context)?;
                all.push(self.executable(site, context)?);
                steps.push(and(all));
            }
            let some = or(steps);
            if some.kind != ExprKind::Int(0) {
                list.push(and(vec![at, some]));
            }
        }
        Ok(or(list))
    }

    pub(super) fn is_youngest(&self, pid: &Expr) -> Expr {
        equal(self.process_count(), binary(BinaryOp::Add, pid.clone(), int(1)))
    }

    /// The summands of a basic statement.
    pub(super) fn statement(&mut self, site: Site) -> Result<(), Refused> {
        let context = self.context(site.process);
        let edge = self.edge(site).clone();
        let head = self.alone(site);
        match edge.action {
            Action::Send { channel, arguments, sorted } => {
                let Targets { list, missing } = self.channel(&channel, Access::Puts, &context)?;
                for target in list {
                    self.send_statement(site, &target, &arguments, sorted)?;
                }
                self.without_channel(head, missing, &context)
            }
            Action::Receive { channel, arguments, random, keeps } => {
                let arguments = self.received(&arguments, &context);
                let Targets { list, missing } = self.channel(&channel, Access::Takes, &context)?;
                self.refuse_other_channel(&channel, (&arguments, keeps), &list, &context)?;
                for target in list {
                    self.check_arguments(&target, arguments.len(), edge.span)?;
                    let slots = if random { self.groups[target.group].capacity } else { 1 };
                    let slots = slots.min(self.groups[target.group].capacity);
                    for slot in 0..slots {
                        self.receive_statement(site, &target, (&arguments, slot), keeps)?;
                    }
                }
                self.without_channel(head, missing, &context)
            }
            Action::Assert(condition) => {
                let guards = self.guards(site, &context)?;
                let holds = self.condition(&condition, &context)?;
                let text = self.source(condition.span);
                if holds.kind != ExprKind::Int(1) {
                    let failing = guards.iter().cloned().chain([not(holds.clone())]).collect();
                    let body = vec![fail(&format!("assert({text}) fails"))];
                    self.push_as(FAILED_ASSERTION, self.alone(site), failing, body)?;
                }
                // A condition that faults is none that fails: the step in which it is passed faults, too, and ends the run.
                let asserted = self.evaluated(holds, &context).into_iter().collect();
                self.step(head, guards, asserted)
            }
            Action::Assign(place, value) => {
                let guards = self.guards(site, &context)?;
                let effects = self.assignment(&place, &value, &context)?;
                self.step(head, guards, effects)
            }
            Action::Run(run, result) => {
                let guards = self.guards(site, &context)?;
                let effects = self.run(&run, result.as_ref(), &context)?;
                self.step(head, guards, effects)
            }
            Action::Print(shown) => {
                let guards = self.guards(site, &context)?;
                let effects = self.shown(&shown, &context)?;
                self.step(head, guards, effects)
            }
            Action::Skip | Action::Expr(_) | Action::Else => {
                let mut guards = self.guards(site, &context)?;
                guards.push(self.executable(site, &context)?);
                self.step(head, guards, Vec::new())
            }
        }
    }

    /// The summand of a statement of one process, which goes on after the effects.
    fn step(&mut self, head: Head, guards: Vec<Expr>, effects: Vec<Stmt>) -> Result<(), Refused> {
        let body = self.go_on(head.site, effects)?;
        self.push(head, guards, body)
    }

    /// The fault of a statement whose place denotes no channel.
    fn without_channel(&mut self, head: Head, missing: Option<Missing>, context: &Context) -> Result<(), Refused> {
        let Some(missing) = missing else { return Ok(()) };
        let mut guards = self.guards(head.site, context)?;
        guards.push(missing.condition);
        self.push(head, guards, vec![fail(NO_CHANNEL)])
    }

    pub(super) fn send_statement(
        &mut self,
        site: Site,
        target: &Target,
        arguments: &[ast::Expr],
        sorted: bool,
    ) -> Result<(), Refused> {
        let context = self.context(site.process);
        let span = self.edge(site).span;
        if self.groups[target.group].capacity > 0 {
            let mut guards = self.guards(site, &context)?;
            guards.extend(target.condition.clone());
            guards.push(self.has_room(target));
            let values = self.sent(arguments, &context)?;
            self.check_arguments(target, values.len(), span)?;
            let effects = self.send(target, values, sorted, &context);
            return self.step(self.alone(site), guards, effects);
        }
        if let Some(fault) = self.fails_to_offer(site, target, arguments, &context)? {
            let mut guards = self.guards(site, &context)?;
            guards.extend(target.condition.clone());
            return self.push(self.alone(site), guards, vec![fail(fault)]);
        }
        for receiver in self.receivers() {
            self.handshake(site, receiver, target, arguments)?;
        }
        Ok(())
    }

    /// The fault of a statement that sends to a rendezvous channel, whether there is a receiver or not.
    fn fails_to_offer(
        &mut self,
        site: Site,
        target: &Target,
        arguments: &[ast::Expr],
        context: &Context,
    ) -> Result<Option<&'static str>, Refused> {
        if self.edge(site).step.is_some() {
            return Ok(Some(MEETS));
        }
        let (count, span) = (self.sent(arguments, context)?.len(), self.edge(site).span);
        self.check_arguments(target, count, span)?;
        Ok(self.misfit(target.group, count))
    }

    pub(super) fn receive_statement(
        &mut self,
        site: Site,
        target: &Target,
        (arguments, slot): (&[Argument], i64),
        keeps: bool,
    ) -> Result<(), Refused> {
        let context = self.context(site.process);
        let mut guards = self.guards(site, &context)?;
        let (condition, effects) = self.receipt(target, (arguments, slot), keeps, &context)?;
        guards.push(condition);
        self.step(self.alone(site), guards, effects)
    }

    /// The condition and the effects of receiving the message of a slot.
    pub(super) fn receipt(
        &mut self,
        target: &Target,
        (arguments, slot): (&[Argument], i64),
        keeps: bool,
        context: &Context,
    ) -> Result<(Expr, Vec<Stmt>), Refused> {
        let fits = self.first_in(target, slot, arguments, context)?;
        let at = int(i32::try_from(slot).expect("sizes are bounded"));
        let fields = self.groups[target.group].fields.len();
        let values = (0..fields).map(|field| self.slot(target.group, field, &target.indices, at.clone())).collect();
        let (group, count) = (target.group, arguments.len());
        let fault = if keeps { self.lacks_fields(group, count) } else { self.misfit(group, count) };
        let effects = if let Some(fault) = fault {
            vec![fail(fault)]
        } else if keeps {
            self.take(values, arguments, context)?
        } else {
            let mut effects = self.take(values, arguments, context)?;
            effects.extend(self.remove(target, slot));
            effects
        };
        Ok((and(target.condition.clone().into_iter().chain([fits]).collect()), effects))
    }

    /// A `d_step` that cannot go on faults.
    pub(super) fn blocked_step(&mut self, process: usize, point: Point) -> Result<(), Refused> {
        let flow = &self.flows[process];
        let Some(step) = flow.points[point].step else { return Ok(()) };
        let enters =
            |other: &Point| flow.points[*other].edges.iter().any(|e| e.step == Some(step) && e.target == point);
        let (Some(hold), true) = (self.hold, self.controls[process].2.keys().any(enters)) else { return Ok(()) };
        let context = self.context(process);
        let pid = context.pid.clone().expect("a process has a number");
        let mut guards = vec![self.is_at(process, pid.clone(), point), equal(read(hold, Vec::new()), pid)];
        for edge in 0..self.flows[process].points[point].edges.len() {
            guards.push(not(self.executable(Site { process, point, edge }, &context)?));
        }
        let site = Site { process, point, edge: 0 };
        self.push(self.alone(site), guards, vec![fail(BLOCKED)])
    }

    /// The text of a place, on one line.
    pub(super) fn source(&self, span: Span) -> String {
        let text = &self.text[span.range(self.text.len())];
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
