//! [`Writer`]: the texts of summands and conditions as [`Terms`].
//!
//! Two texts are the same term if they differ in what has no meaning only: the names of parameters and locals, labels, the texts of faults (but
//! not whether room for processes is lacking), the order of operands that commute, and the order of assignments next to each other none of
//! which reads or writes what another one writes.
//!
//! # Soundness
//!
//! Summands with the same term have the same guard, event, changes and faults, whatever the parameters. The operands of `&&` and `||` have an
//! order where one of them may fault; those of other operators that commute are both evaluated, and a fault of either is the fault of the
//! whole. Assignments that do not depend on each other change the same in each order, and a fault of one of them ends the step in each order.

use frontend::sequential::{
    BinaryOp, Expr, ExprKind, Initial, Place, Sequential, SortId, Stmt, StmtKind, Summand, Variable, VariableId,
};
use rustc_hash::FxHashMap;

use super::faults::interval;
use super::terms::{Terms, TextId};
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

    /// The number of a sort: the same for sorts with the same values.
    fn sort(&self, sort: SortId) -> u32 {
        number(self.sorts[sort.index()].index())
    }

    /// The text of the sorts of a variable or local.
    fn sorts(&self, variable: &Variable, text: &mut Vec<u32>) {
        text.extend([self.sort(variable.sort), number(variable.indices.len())]);
        text.extend(variable.indices.iter().map(|&sort| self.sort(sort)));
    }

    /// The number of a fault: a lack of room for processes is a bound and no fault of the model.
    fn class_of(&self, fault: &str) -> u32 {
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
    fn header(&self, summand: &Summand, text: &mut Vec<u32>) {
        text.push(number(summand.parameters.len()));
        text.extend(summand.parameters.iter().map(|parameter| self.sort(parameter.sort)));
        text.extend([self.events[summand.event.as_str()], number(summand.arguments.len())]);
    }

    /// What the text of an expression begins with, before its operands.
    fn head(&self, expr: &Expr) -> Vec<u32> {
        let (head, more) = match &expr.kind {
            ExprKind::Int(value) => (Head::Int, [Some(value.cast_unsigned()), None]),
            ExprKind::Member(sort, index) => (Head::Member, [Some(number(sort.index())), Some(*index)]),
            ExprKind::Parameter(id) => (Head::Parameter, [Some(number(id.index())), None]),
            ExprKind::Read(_) => unreachable!("a place has a text of its own"),
            ExprKind::Lookup(table, _) => (Head::Lookup, [Some(number(table.index())), None]),
            ExprKind::Negate(_) => (Head::Negate, [None; 2]),
            ExprKind::Not(_) => (Head::Not, [None; 2]),
            ExprKind::PopCount(_) => (Head::PopCount, [None; 2]),
            ExprKind::Binary(op, ..) => (Head::Binary, [Some(*op as u32), None]),
            ExprKind::And(_) => (Head::And, [None; 2]),
            ExprKind::Or(_) => (Head::Or, [None; 2]),
            ExprKind::Implies(..) => (Head::Implies, [None; 2]),
            ExprKind::Ite(..) => (Head::Ite, [None; 2]),
            ExprKind::Forall(quantified) => (Head::Forall, [Some(self.sort(quantified.sort)), None]),
            ExprKind::Exists(quantified) => (Head::Exists, [Some(self.sort(quantified.sort)), None]),
        };
        [Some(head as u32)].into_iter().chain(more).flatten().collect()
    }
}

/// Writes summands and conditions as texts, each of which exists once.
pub(super) struct Writer<'a, 'm> {
    vocabulary: &'a Vocabulary<'m>,
    terms: &'a mut Terms,
    /// The locals in the order of their declarations.
    locals: Vec<VariableId>,
    /// The sorts of the parameters in scope.
    scope: Vec<SortId>,
}

/// What a text begins with: constructs that differ have different numbers.
#[derive(Clone, Copy)]
pub(super) enum Head {
    Int,
    Member,
    Parameter,
    Element,
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
    /// Assignments whose order has no meaning.
    Together,
    Block,
    Summand,
}

/// A number in a text.
pub(super) fn number(count: usize) -> u32 {
    u32::try_from(count).expect("texts are bounded")
}

impl<'a, 'm> Writer<'a, 'm> {
    pub(super) fn new(vocabulary: &'a Vocabulary<'m>, terms: &'a mut Terms) -> Writer<'a, 'm> {
        Writer { vocabulary, terms, locals: Vec::new(), scope: Vec::new() }
    }

    /// The text of a summand: its guard, its arguments and its body.
    pub(super) fn summand(&mut self, summand: &Summand) -> TextId {
        self.locals.clear();
        self.scope.clear();
        self.scope.extend(summand.parameters.iter().map(|parameter| parameter.sort));
        let parts = [&summand.guard].into_iter().chain(&summand.arguments).map(|expr| self.expression(expr));
        let mut parts: Vec<TextId> = parts.collect();
        parts.push(self.block(&summand.body));
        let mut header = vec![Head::Summand as u32];
        self.vocabulary.header(summand, &mut header);
        self.terms.term(header, &parts, false)
    }

    /// The text of a condition on states.
    pub(super) fn condition(&mut self, condition: &Expr) -> TextId {
        self.locals.clear();
        self.scope.clear();
        self.expression(condition)
    }

    fn expression(&mut self, expr: &Expr) -> TextId {
        limits::work(1);
        let commutes = match &expr.kind {
            ExprKind::Read(place) => return self.place(place),
            ExprKind::And(list) | ExprKind::Or(list) => {
                let has_order = list.iter().any(|operand| self.may_fault(operand));
                !has_order || self.vocabulary.wrong.renamed_faults_commute()
            }
            ExprKind::Binary(op, ..) => op.is_commutative() || matches!(op, BinaryOp::Equal | BinaryOp::NotEqual),
            _ => false,
        };
        let parts: Vec<TextId> = match &expr.kind {
            ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
                self.scope.push(quantified.sort);
                let body = self.expression(&quantified.body);
                self.scope.pop();
                vec![body]
            }
            _ => expr.operands().into_iter().map(|operand| self.expression(operand)).collect(),
        };
        self.terms.term(self.vocabulary.head(expr), &parts, commutes)
    }

    /// Whether an expression may fault.
    fn may_fault(&mut self, expr: &Expr) -> bool {
        interval(self.vocabulary.model, &mut self.scope, expr).faults
    }

    fn place(&mut self, place: &Place) -> TextId {
        let variable = match self.locals.iter().position(|&local| local == place.variable) {
            Some(local) => self.terms.term(vec![Head::Local as u32, number(local)], &[], false),
            None => self.terms.variable(place.variable),
        };
        if place.indices.is_empty() {
            return variable;
        }
        let indices = place.indices.iter().map(|index| self.expression(index));
        let parts: Vec<TextId> = [variable].into_iter().chain(indices).collect();
        self.terms.term(vec![Head::Element as u32], &parts, false)
    }

    fn block(&mut self, body: &[Stmt]) -> TextId {
        let mut parts = Vec::new();
        let is_assignment = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Assign(..));
        for run in body.chunk_by(|one, next| is_assignment(one) && is_assignment(next)) {
            let list: Vec<TextId> = run.iter().map(|stmt| self.statement(stmt)).collect();
            match run.len() > 1 && (are_independent(run) || self.vocabulary.wrong.renamed_steps_commute()) {
                true => parts.push(self.terms.term(vec![Head::Together as u32], &list, true)),
                false => parts.extend(list),
            }
        }
        self.terms.term(vec![Head::Block as u32], &parts, false)
    }

    fn statement(&mut self, stmt: &Stmt) -> TextId {
        limits::work(1);
        let (head, parts) = match &stmt.kind {
            StmtKind::Assign(place, value) => {
                (vec![Head::Assign as u32], vec![self.place(place), self.expression(value)])
            }
            StmtKind::If(condition, then, otherwise) => {
                (vec![Head::If as u32], vec![self.expression(condition), self.block(then), self.block(otherwise)])
            }
            StmtKind::Var(id, value) => {
                let mut head = vec![Head::Var as u32];
                self.vocabulary.sorts(self.vocabulary.model.variable(*id), &mut head);
                let value = self.expression(value);
                self.locals.push(*id);
                (head, vec![value])
            }
            StmtKind::For(parameter, body) => {
                self.scope.push(parameter.sort);
                let body = self.block(body);
                self.scope.pop();
                (vec![Head::For as u32, self.vocabulary.sort(parameter.sort)], vec![body])
            }
            StmtKind::While(condition, body) => {
                (vec![Head::While as u32], vec![self.expression(condition), self.block(body)])
            }
            StmtKind::Fail(fault) => (vec![Head::Fail as u32, self.vocabulary.class_of(fault)], Vec::new()),
        };
        self.terms.term(head, &parts, false)
    }
}

/// Whether these are assignments none of which reads or writes a variable that another one writes.
fn are_independent(assignments: &[Stmt]) -> bool {
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
