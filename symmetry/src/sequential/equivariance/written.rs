//! [`Writer`]: the text of a summand or condition as a list of numbers, with other names for its variables.
//!
//! Two texts are the same list if they differ in what has no meaning only: the names of parameters and locals, labels, the texts of faults, the
//! order of operands that commute, and the order of assignments next to each other none of which reads or writes what another one writes.
//!
//! # Soundness
//!
//! Summands with the same list have the same guard, event, changes and faults, whatever the parameters. The operands of `&&` and `||` have an
//! order where one of them may fault; those of other operators that commute are both evaluated, and a fault of either is the fault of the
//! whole. Assignments that do not depend on each other change the same in each order, and a fault of one of them ends the step in each order.
//!
//! Invariant: the list of a construct determines where it ends, so that lists of several constructs in a row are not confused.

use frontend::sequential::{BinaryOp, Expr, ExprKind, Place, Sequential, SortId, Stmt, StmtKind, Summand, VariableId};
use rustc_hash::FxHashMap;

use super::faults::interval;
use super::uses::Wrong;

/// The numbers of sorts and events in all texts of one process.
pub(super) struct Vocabulary<'m> {
    model: &'m Sequential,
    /// For each sort the first one with the same values; the sort of the processes of weak fairness stands for itself.
    sorts: Vec<SortId>,
    events: FxHashMap<&'m str, u32>,
    wrong: Wrong,
}

impl<'m> Vocabulary<'m> {
    pub(super) fn new(model: &'m Sequential, wrong: Wrong) -> Vocabulary<'m> {
        let mut first: FxHashMap<(i32, i32, bool), SortId> = FxHashMap::default();
        let sorts = model.sorts.iter().enumerate().map(|(number, sort)| {
            use frontend::sequential::Domain::{Members, Numbers, Part, Range};
            let id = SortId::from_index(number);
            let (low, high) = sort.domain.bounds();
            match sort.domain {
                Range { .. } | Numbers { .. } if model.fair != Some(id) => {
                    *first.entry((low, high, matches!(sort.domain, Range { .. }))).or_insert(id)
                }
                Range { .. } | Numbers { .. } | Members(_) | Part { .. } => id,
            }
        });
        let sorts = sorts.collect();
        let mut events: FxHashMap<&str, u32> = FxHashMap::default();
        for summand in &model.summands {
            let next = number(events.len());
            events.entry(&summand.event).or_insert(next);
        }
        Vocabulary { model, sorts, events, wrong }
    }

    /// Whether two variables have the same values and the same indices.
    pub(super) fn are_alike(&self, one: VariableId, other: VariableId) -> bool {
        let (one, other) = (self.model.variable(one), self.model.variable(other));
        let of = |list: &[SortId]| list.iter().map(|sort| self.sorts[sort.index()]).collect::<Vec<_>>();
        of(&[one.sort]) == of(&[other.sort]) && of(&one.indices) == of(&other.indices)
    }

    /// The text of a summand.
    pub(super) fn summand(&self, summand: &Summand, names: &dyn Fn(VariableId) -> VariableId) -> Vec<u32> {
        let mut writer = Writer { vocabulary: self, names, locals: Vec::new(), scope: Vec::new() };
        let mut text = vec![number(summand.parameters.len())];
        for parameter in &summand.parameters {
            text.push(writer.sort(parameter.sort));
            writer.scope.push(parameter.sort);
        }
        writer.expression(&summand.guard, &mut text);
        text.extend([self.events[summand.event.as_str()], number(summand.arguments.len())]);
        summand.arguments.iter().for_each(|argument| writer.expression(argument, &mut text));
        writer.block(&summand.body, &mut text);
        text
    }

    /// The text of a condition on states.
    pub(super) fn condition(&self, condition: &Expr, names: &dyn Fn(VariableId) -> VariableId) -> Vec<u32> {
        let mut writer = Writer { vocabulary: self, names, locals: Vec::new(), scope: Vec::new() };
        let mut text = Vec::new();
        writer.expression(condition, &mut text);
        text
    }
}

/// Writes one summand or condition.
struct Writer<'a> {
    vocabulary: &'a Vocabulary<'a>,
    names: &'a dyn Fn(VariableId) -> VariableId,
    /// The locals in the order of their declarations.
    locals: Vec<VariableId>,
    /// The sorts of the parameters in scope.
    scope: Vec<SortId>,
}

/// What a list begins with: constructs that differ have different numbers.
#[derive(Clone, Copy)]
enum Head {
    Int,
    Member,
    Parameter,
    Variable,
    Local,
    Lookup,
    Negate,
    Not,
    PopCount,
    Binary,
    And,
    Or,
    Implies,
    Ite,
    Forall,
    Exists,
    Assign,
    If,
    Var,
    For,
    While,
    Fail,
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("texts are bounded")
}

/// Appends lists that have no order.
fn append_sorted(mut parts: Vec<Vec<u32>>, text: &mut Vec<u32>) {
    parts.sort_unstable();
    text.extend(parts.into_iter().flatten());
}

impl Writer<'_> {
    fn sort(&self, sort: SortId) -> u32 {
        number(self.vocabulary.sorts[sort.index()].index())
    }

    fn part(&mut self, expr: &Expr) -> Vec<u32> {
        let mut text = Vec::new();
        self.expression(expr, &mut text);
        text
    }

    fn parts<'e>(&mut self, list: impl IntoIterator<Item = &'e Expr>) -> Vec<Vec<u32>> {
        list.into_iter().map(|expr| self.part(expr)).collect()
    }

    fn may_fault(&mut self, expr: &Expr) -> bool {
        interval(self.vocabulary.model, &mut self.scope, expr).faults
    }

    fn expression(&mut self, expr: &Expr, text: &mut Vec<u32>) {
        limits::work(1);
        let head = |head: Head| head as u32;
        match &expr.kind {
            ExprKind::Int(value) => text.extend([head(Head::Int), value.cast_unsigned()]),
            ExprKind::Member(sort, index) => text.extend([head(Head::Member), number(sort.index()), *index]),
            ExprKind::Parameter(id) => text.extend([head(Head::Parameter), number(id.index())]),
            ExprKind::Read(place) => self.place(place, text),
            ExprKind::Lookup(table, list) => {
                text.extend([head(Head::Lookup), number(table.index())]);
                list.iter().for_each(|index| self.expression(index, text));
            }
            ExprKind::Negate(inner) => self.after(Head::Negate, [inner], text),
            ExprKind::Not(inner) => self.after(Head::Not, [inner], text),
            ExprKind::PopCount(inner) => self.after(Head::PopCount, [inner], text),
            ExprKind::Binary(op, left, right) => {
                text.extend([head(Head::Binary), *op as u32]);
                let parts = self.parts([&**left, &**right]);
                match op.is_commutative() || matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
                    true => append_sorted(parts, text),
                    false => text.extend(parts.into_iter().flatten()),
                }
            }
            ExprKind::And(list) => self.chain(Head::And, list, text),
            ExprKind::Or(list) => self.chain(Head::Or, list, text),
            ExprKind::Implies(left, right) => self.after(Head::Implies, [left, right], text),
            ExprKind::Ite(condition, then, otherwise) => self.after(Head::Ite, [condition, then, otherwise], text),
            ExprKind::Forall(quantified) => self.bound(Head::Forall, quantified.sort, &quantified.body, text),
            ExprKind::Exists(quantified) => self.bound(Head::Exists, quantified.sort, &quantified.body, text),
        }
    }

    fn after<const N: usize>(&mut self, head: Head, operands: [&Expr; N], text: &mut Vec<u32>) {
        text.push(head as u32);
        operands.into_iter().for_each(|operand| self.expression(operand, text));
    }

    fn chain(&mut self, head: Head, list: &[Expr], text: &mut Vec<u32>) {
        text.extend([head as u32, number(list.len())]);
        let is_ordered = list.iter().any(|operand| self.may_fault(operand));
        let parts = self.parts(list);
        match is_ordered && !self.vocabulary.wrong.renamed_faults_commute() {
            true => text.extend(parts.into_iter().flatten()),
            false => append_sorted(parts, text),
        }
    }

    fn bound(&mut self, head: Head, sort: SortId, body: &Expr, text: &mut Vec<u32>) {
        text.extend([head as u32, self.sort(sort)]);
        self.scope.push(sort);
        self.expression(body, text);
        self.scope.pop();
    }

    fn place(&mut self, place: &Place, text: &mut Vec<u32>) {
        match self.locals.iter().position(|&local| local == place.variable) {
            Some(local) => text.extend([Head::Local as u32, number(local)]),
            None => text.extend([Head::Variable as u32, number((self.names)(place.variable).index())]),
        }
        place.indices.iter().for_each(|index| self.expression(index, text));
    }

    fn block(&mut self, body: &[Stmt], text: &mut Vec<u32>) {
        text.push(number(body.len()));
        let mut rest = body;
        while let Some(first) = rest.first() {
            let run = rest.iter().take_while(|stmt| matches!(stmt.kind, StmtKind::Assign(..))).count();
            if run < 2 {
                self.statement(first, text);
                rest = &rest[1..];
                continue;
            }
            let (assignments, after) = rest.split_at(run);
            let mut parts: Vec<Vec<u32>> = vec![Vec::new(); run];
            assignments.iter().zip(&mut parts).for_each(|(stmt, part)| self.statement(stmt, part));
            match are_independent(assignments) || self.vocabulary.wrong.renamed_steps_commute() {
                true => append_sorted(parts, text),
                false => text.extend(parts.into_iter().flatten()),
            }
            rest = after;
        }
    }

    fn statement(&mut self, stmt: &Stmt, text: &mut Vec<u32>) {
        limits::work(1);
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                text.push(Head::Assign as u32);
                self.place(place, text);
                self.expression(value, text);
            }
            StmtKind::If(condition, then, otherwise) => {
                self.after(Head::If, [condition], text);
                self.block(then, text);
                self.block(otherwise, text);
            }
            StmtKind::Var(id, value) => {
                let local = self.vocabulary.model.variable(*id);
                text.extend([Head::Var as u32, self.sort(local.sort), number(local.indices.len())]);
                text.extend(local.indices.iter().map(|&sort| self.sort(sort)));
                self.expression(value, text);
                self.locals.push(*id);
            }
            StmtKind::For(parameter, body) => {
                text.extend([Head::For as u32, self.sort(parameter.sort)]);
                self.scope.push(parameter.sort);
                self.block(body, text);
                self.scope.pop();
            }
            StmtKind::While(condition, body) => {
                self.after(Head::While, [condition], text);
                self.block(body, text);
            }
            StmtKind::Fail(_) => text.push(Head::Fail as u32),
        }
    }
}

/// Whether no assignment reads or writes a variable that another one writes.
fn are_independent(assignments: &[Stmt]) -> bool {
    let mut writers: FxHashMap<VariableId, usize> = FxHashMap::default();
    for (place, stmt) in assignments.iter().enumerate() {
        if stmt.target().is_some_and(|&target| writers.insert(target, place).is_some()) {
            return false;
        }
    }
    let is_other = |place: usize, id: VariableId| writers.get(&id).is_some_and(|&writer| writer != place);
    assignments.iter().enumerate().all(|(place, stmt)| {
        let own = stmt.expressions();
        limits::work(own.len() as u64);
        !own.into_iter().any(|expr| expr.reads(|id| is_other(place, id)))
    })
}
