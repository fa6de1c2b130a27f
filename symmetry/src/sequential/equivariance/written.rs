//! [`Writer`]: the text of a summand or condition as a list of numbers, with other names for its variables.
//!
//! Two texts are the same list if they differ in what has no meaning only: the names of parameters and locals, labels, the texts of faults (but
//! not whether room for processes is lacking), the order of operands that commute, and the order of assignments next to each other none of
//! which reads or writes what another one writes.
//!
//! # Soundness
//!
//! Summands with the same list have the same guard, event, changes and faults, whatever the parameters. The operands of `&&` and `||` have an
//! order where one of them may fault; those of other operators that commute are both evaluated, and a fault of either is the fault of the
//! whole. Assignments that do not depend on each other change the same in each order, and a fault of one of them ends the step in each order.
//!
//! Invariant: the list of a construct determines where it ends, so that lists of several constructs in a row are not confused.

use frontend::sequential::{
    BinaryOp, Expr, ExprKind, Initial, Place, Sequential, SortId, Stmt, StmtKind, Summand, Variable, VariableId,
};
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
                Range { .. } | Numbers { .. } if model.fair != Some(id) || wrong.renamed_processes_are_values() => {
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
        let have_same_indices = of(&one.indices) == of(&other.indices) || self.wrong.renamed_indices_differ();
        of(&[one.sort]) == of(&[other.sort]) && have_same_indices
    }

    /// The text of a summand.
    pub(super) fn summand(&self, summand: &Summand, names: &dyn Fn(VariableId) -> VariableId) -> Vec<u32> {
        let scope = summand.parameters.iter().map(|parameter| parameter.sort).collect();
        let mut writer = Writer { vocabulary: self, names, locals: Vec::new(), scope };
        let mut text = Vec::new();
        self.header(summand, &mut text);
        writer.expression(&summand.guard, &mut text);
        summand.arguments.iter().for_each(|argument| writer.expression(argument, &mut text));
        writer.block(&summand.body, &mut text);
        text
    }

    /// The number of a sort: the same for sorts with the same values.
    pub(super) fn sort(&self, sort: SortId) -> u32 {
        number(self.sorts[sort.index()].index())
    }

    pub(super) fn variable(&self, id: VariableId) -> &'m Variable {
        self.model.variable(id)
    }

    /// The text of the sorts of a variable or local.
    pub(super) fn sorts(&self, variable: &Variable, text: &mut Vec<u32>) {
        text.extend([self.sort(variable.sort), number(variable.indices.len())]);
        text.extend(variable.indices.iter().map(|&sort| self.sort(sort)));
    }

    /// The number of a fault: a lack of room for processes is a bound and no fault of the model.
    pub(super) fn class_of(&self, fault: &str) -> u32 {
        u32::from(self.model.room.as_ref().is_some_and(|room| room.fault == fault))
    }

    /// The text of the declaration of a variable, without its name.
    pub(super) fn declaration(&self, variable: &Variable, text: &mut Vec<u32>) {
        self.sorts(variable, text);
        if let Initial::Values(values) = &variable.initial {
            text.extend(values.iter().map(|value| value.cast_unsigned()));
        }
    }

    /// The text of the parameters and of the event of a summand, without its arguments.
    pub(super) fn header(&self, summand: &Summand, text: &mut Vec<u32>) {
        text.push(number(summand.parameters.len()));
        text.extend(summand.parameters.iter().map(|parameter| self.sort(parameter.sort)));
        text.extend([self.events[summand.event.as_str()], number(summand.arguments.len())]);
    }

    /// Writes what the text of an expression begins with, before its operands.
    pub(super) fn head(&self, expr: &Expr, text: &mut Vec<u32>) {
        let (head, more) = match &expr.kind {
            ExprKind::Int(value) => (Head::Int, [Some(value.cast_unsigned()), None]),
            ExprKind::Member(sort, index) => (Head::Member, [Some(number(sort.index())), Some(*index)]),
            ExprKind::Parameter(id) => (Head::Parameter, [Some(number(id.index())), None]),
            ExprKind::Read(_) => (Head::Variable, [None; 2]),
            ExprKind::Lookup(table, _) => (Head::Lookup, [Some(number(table.index())), None]),
            ExprKind::Negate(_) => (Head::Negate, [None; 2]),
            ExprKind::Not(_) => (Head::Not, [None; 2]),
            ExprKind::PopCount(_) => (Head::PopCount, [None; 2]),
            ExprKind::Binary(op, ..) => (Head::Binary, [Some(*op as u32), None]),
            ExprKind::And(list) => (Head::And, [Some(number(list.len())), None]),
            ExprKind::Or(list) => (Head::Or, [Some(number(list.len())), None]),
            ExprKind::Implies(..) => (Head::Implies, [None; 2]),
            ExprKind::Ite(..) => (Head::Ite, [None; 2]),
            ExprKind::Forall(quantified) => (Head::Forall, [Some(self.sort(quantified.sort)), None]),
            ExprKind::Exists(quantified) => (Head::Exists, [Some(self.sort(quantified.sort)), None]),
        };
        text.push(head as u32);
        text.extend(more.into_iter().flatten());
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
pub(super) enum Head {
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

/// A number in a text.
pub(super) fn number(count: usize) -> u32 {
    u32::try_from(count).expect("texts are bounded")
}

/// Sorts the parts of a text that begin at these places; the last one ends where the text ends.
fn sort_parts(starts: &[usize], text: &mut Vec<u32>) {
    let Some(&first) = starts.first() else { return };
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    if starts.iter().zip(ends.clone()).map(|(&start, end)| &text[start..end]).is_sorted() {
        return;
    }
    let written = text[first..].to_vec();
    let mut parts: Vec<&[u32]> =
        starts.iter().zip(ends).map(|(&start, end)| &written[start - first..end - first]).collect();
    text.truncate(first);
    parts.sort_unstable();
    parts.into_iter().for_each(|part| text.extend_from_slice(part));
}

impl Writer<'_> {
    /// Writes expressions one after the other, in an order of their texts unless they have one.
    fn all<'e>(&mut self, list: impl Iterator<Item = &'e Expr>, is_ordered: bool, text: &mut Vec<u32>) {
        let mut starts = Vec::new();
        for expr in list {
            starts.push(text.len());
            self.expression(expr, text);
        }
        if !is_ordered {
            sort_parts(&starts, text);
        }
    }

    fn expression(&mut self, expr: &Expr, text: &mut Vec<u32>) {
        limits::work(1);
        if let ExprKind::Read(place) = &expr.kind {
            self.place(place, text);
            return;
        }
        self.vocabulary.head(expr, text);
        match &expr.kind {
            ExprKind::And(list) | ExprKind::Or(list) => {
                let is_ordered = list.iter().any(|operand| may_fault(self.vocabulary, &mut self.scope, operand));
                self.all(list.iter(), is_ordered && !self.vocabulary.wrong.renamed_faults_commute(), text);
            }
            ExprKind::Binary(op, left, right) => {
                let start = text.len();
                self.expression(left, text);
                let middle = text.len();
                self.expression(right, text);
                if is_commutative(*op) {
                    sort_parts(&[start, middle], text);
                }
            }
            ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
                self.scope.push(quantified.sort);
                self.expression(&quantified.body, text);
                self.scope.pop();
            }
            _ => expr.operands().into_iter().for_each(|operand| self.expression(operand, text)),
        }
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
            let mut starts = Vec::with_capacity(run);
            for stmt in assignments {
                starts.push(text.len());
                self.statement(stmt, text);
            }
            if are_independent(assignments) || self.vocabulary.wrong.renamed_steps_commute() {
                sort_parts(&starts, text);
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
                text.push(Head::If as u32);
                self.expression(condition, text);
                self.block(then, text);
                self.block(otherwise, text);
            }
            StmtKind::Var(id, value) => {
                text.push(Head::Var as u32);
                self.vocabulary.sorts(self.vocabulary.variable(*id), text);
                self.expression(value, text);
                self.locals.push(*id);
            }
            StmtKind::For(parameter, body) => {
                text.extend([Head::For as u32, self.vocabulary.sort(parameter.sort)]);
                self.scope.push(parameter.sort);
                self.block(body, text);
                self.scope.pop();
            }
            StmtKind::While(condition, body) => {
                text.push(Head::While as u32);
                self.expression(condition, text);
                self.block(body, text);
            }
            StmtKind::Fail(fault) => text.extend([Head::Fail as u32, self.vocabulary.class_of(fault)]),
        }
    }
}

/// Whether the operands of an operator may be exchanged.
pub(super) fn is_commutative(op: BinaryOp) -> bool {
    op.is_commutative() || matches!(op, BinaryOp::Equal | BinaryOp::NotEqual)
}

/// Whether an expression may fault, with parameters of these sorts in scope.
pub(super) fn may_fault(vocabulary: &Vocabulary<'_>, scope: &mut Vec<SortId>, expr: &Expr) -> bool {
    interval(vocabulary.model, scope, expr).faults
}

/// Whether these are assignments none of which reads or writes a variable that another one writes.
pub(super) fn are_independent(assignments: &[Stmt]) -> bool {
    let mut writers: Vec<(VariableId, usize)> = Vec::with_capacity(assignments.len());
    writers.extend(assignments.iter().enumerate().filter_map(|(place, stmt)| Some((*stmt.target()?, place))));
    writers.sort_unstable();
    let writer = |id: VariableId| writers.binary_search_by_key(&id, |&(target, _)| target).ok().map(|at| writers[at].1);
    let is_apart = |(place, stmt): (usize, &Stmt)| {
        let is_other = |id: VariableId| writer(id).is_some_and(|writer| writer != place);
        let StmtKind::Assign(target, value) = &stmt.kind else { return false };
        !value.reads(is_other) && !target.indices.iter().any(|index| index.reads(is_other))
    };
    writers.len() == assignments.len()
        && writers.windows(2).all(|pair| pair[0].0 != pair[1].0)
        && assignments.iter().enumerate().all(is_apart)
}
