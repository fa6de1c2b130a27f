//! The walk over the text of a process that joins the nodes of its terms.

use engine::UnionFind;
use frontend::sequential::interpret::evaluate;
use frontend::sequential::spans::expression_without_spans;
use frontend::sequential::{
    BinaryOp, Expr, ExprKind, ParameterId, Place, Quantified, Sequential, SortId, Stmt, StmtKind, Table, TableId,
};
use frontend::source::Span;
use rustc_hash::FxHashMap;

use super::Order;
use super::{Class, Constraints, Function, TableUse, Uses, Wrong, compared_classes};
use crate::sequential::equivariance::family::never_faults;
use crate::sequential::equivariance::faults::interval;
use crate::sequential::equivariance::obstacles::Obstruction;
use crate::sequential::equivariance::rounds;

/// The most values of the argument of a function that is compared value by value; the argument of a larger one is rigid.
const MAX_FUNCTION: usize = 1 << 16;

/// The walk over the text.
pub(super) struct Walk<'m> {
    model: &'m Sequential,
    /// Nodes that are joined.
    nodes: UnionFind,
    /// The nodes of the values of variables and locals, and of their dimensions.
    values: Vec<u32>,
    indices: Vec<Vec<u32>>,
    /// The parameters in scope, with their sorts.
    pub(super) scope: Vec<(u32, SortId)>,
    rigid: Vec<(u32, Span)>,
    named: Vec<(u32, i32, Span)>,
    domains: Vec<(u32, SortId, Span)>,
    tables: Vec<TableUse>,
    /// The tables with each entry its own index.
    copies: Vec<bool>,
    functions: Vec<Function>,
    ordered: Vec<(u32, Obstruction, Span)>,
    binders: Vec<u32>,
    open: Vec<u32>,
    /// Whether the order of values shows in the quantifiers that are read.
    pub(super) order: Order,
    /// The comparison or assignment that is read, where the text shows how a named value is used.
    context: Span,
    wrong: Wrong,
}

impl<'m> Walk<'m> {
    pub(super) fn new(model: &'m Sequential, wrong: Wrong) -> Walk<'m> {
        let mut walk = Walk {
            model,
            nodes: UnionFind::default(),
            values: Vec::new(),
            indices: Vec::new(),
            scope: Vec::new(),
            rigid: Vec::new(),
            named: Vec::new(),
            domains: Vec::new(),
            tables: Vec::new(),
            copies: model.tables.iter().map(|table| copies_its_index(model, table)).collect(),
            functions: Vec::new(),
            ordered: Vec::new(),
            binders: Vec::new(),
            open: Vec::new(),
            order: Order::Shows,
            context: Span::NONE,
            wrong,
        };
        for variable in model.variables.iter().chain(&model.locals) {
            let node = walk.of_sort(variable.sort, variable.span);
            // The values of wide elements are not points: they stay.
            if csp::is_wide(model.domain(variable.sort)) {
                walk.rigid.push((node, variable.span));
            }
            walk.values.push(node);
            let indices = variable.indices.iter().map(|&sort| walk.of_sort(sort, variable.span)).collect();
            walk.indices.push(indices);
        }
        walk
    }

    /// A node whose values are those of a sort, or proved to lie in it.
    pub(super) fn of_sort(&mut self, sort: SortId, span: Span) -> u32 {
        let node = self.nodes.add();
        self.domains.push((node, sort, span));
        node
    }

    pub(super) fn join(&mut self, one: u32, other: u32) {
        self.nodes.union(one, other);
    }

    /// The node of a truth value.
    fn truth(&mut self, span: Span) -> u32 {
        let node = self.nodes.add();
        self.named.extend([(node, 0, span), (node, 1, span)]);
        node
    }

    fn literal(&mut self, value: i32, span: Span) -> u32 {
        let node = self.nodes.add();
        let shown = if self.context.is_none() { span } else { self.context };
        self.named.push((node, value, shown));
        node
    }

    /// Reads a part of the text in the context of a comparison or an assignment.
    pub(super) fn within<R>(&mut self, context: Span, read: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.context, context);
        let result = read(self);
        self.context = outer;
        result
    }

    /// An expression whose value is taken as a truth value.
    pub(super) fn condition(&mut self, expr: &Expr) {
        let node = self.value(expr);
        self.named.extend([(node, 0, expr.span), (node, 1, expr.span)]);
    }

    pub(super) fn place(&mut self, place: &Place) -> u32 {
        debug_assert_eq!(place.indices.len(), self.indices[place.variable.index()].len(), "every index is given");
        for (dimension, index) in place.indices.iter().enumerate() {
            let node = self.value(index);
            self.join(self.indices[place.variable.index()][dimension], node);
        }
        self.values[place.variable.index()]
    }

    /// The node of the value of an expression.
    pub(super) fn value(&mut self, expr: &Expr) -> u32 {
        match &expr.kind {
            ExprKind::Int(value) => self.literal(*value, expr.span),
            ExprKind::Member(_, value) => {
                self.literal(i32::try_from(*value).expect("enumerations are bounded"), expr.span)
            }
            ExprKind::Parameter(id) => self.scope[id.index()].0,
            ExprKind::Read(place) => self.place(place),
            ExprKind::Lookup(table, list) => self.lookup(*table, list, expr.span),
            ExprKind::Not(inner) => {
                self.condition(inner);
                self.truth(expr.span)
            }
            ExprKind::And(list) | ExprKind::Or(list) => {
                list.iter().for_each(|operand| self.condition(operand));
                self.truth(expr.span)
            }
            ExprKind::Implies(left, right) => {
                self.condition(left);
                self.condition(right);
                self.truth(expr.span)
            }
            ExprKind::Ite(condition, then, otherwise) => {
                self.condition(condition);
                let (then, otherwise) = (self.value(then), self.value(otherwise));
                self.join(then, otherwise);
                then
            }
            ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => self.quantified(quantified, expr.span),
            ExprKind::Binary(BinaryOp::Equal | BinaryOp::NotEqual, left, right) => {
                let (left, right) = self.within(expr.span, |walk| (walk.value(left), walk.value(right)));
                if !self.wrong.comparisons_do_not_join() {
                    self.join(left, right);
                }
                self.truth(expr.span)
            }
            ExprKind::Binary(..) | ExprKind::Negate(_) | ExprKind::PopCount(_) => self.computed(expr),
        }
    }

    fn lookup(&mut self, id: TableId, list: &[Expr], span: Span) -> u32 {
        let model = self.model;
        let mut indices = Vec::with_capacity(list.len());
        debug_assert_eq!(list.len(), model.table(id).indices.len(), "every index is given");
        for (index, &sort) in list.iter().zip(&model.table(id).indices) {
            let node = self.value(index);
            self.domains.push((node, sort, index.span));
            indices.push(node);
        }
        let value = self.nodes.add();
        // A table that copies its index: the value moves as the index does, also where no variable of the state shows one of them.
        if let [index] = indices[..]
            && self.copies[id.index()]
        {
            self.join(index, value);
        }
        self.tables.push(TableUse { table: id, indices, value, span });
        value
    }

    fn quantified(&mut self, quantified: &Quantified, span: Span) -> u32 {
        let node = self.of_sort(quantified.sort, span);
        self.binders.push(node);
        self.scope.push((node, quantified.sort));
        self.condition(&quantified.body);
        let mut sorts: Vec<SortId> = self.scope.iter().map(|(_, sort)| *sort).collect();
        let may_fault = interval(self.model, &mut sorts, &quantified.body).faults;
        if may_fault && self.order == Order::Shows && !self.wrong.quantifiers_never_stop() {
            self.ordered.push((node, Obstruction::Quantifier, span));
        }
        if !never_faults(self.model, &sorts, &quantified.body) && !self.wrong.families_never_fault() {
            self.open.push(node);
        }
        self.scope.pop();
        self.truth(span)
    }

    /// An operation that computes or orders values.
    fn computed(&mut self, expr: &Expr) -> u32 {
        let is_order = matches!(&expr.kind, ExprKind::Binary(op, ..) if op.is_comparison());
        let mut leaf = None;
        let body = replaced(expr, &mut leaf);
        if let (Some(body), None) = (&body, &leaf)
            && let Ok(value) = evaluate(self.model, body, &[], &[])
        {
            return self.literal(value, expr.span);
        }
        if let (Some(body), Some(leaf)) = (body, leaf)
            && let Some(domain) = self.sort_of(&leaf)
            && self.model.domain(domain).size() <= MAX_FUNCTION
        {
            let from = self.value(&leaf);
            let to = if is_order { self.truth(expr.span) } else { self.nodes.add() };
            if !(self.wrong.order_is_ignored() && is_order || self.wrong.arithmetic_is_ignored() && !is_order) {
                self.functions.push(Function { body, domain, from, to, span: expr.span });
            }
            return to;
        }
        for operand in expr.operands() {
            let node = self.value(operand);
            if !(self.wrong.order_is_ignored() && is_order || self.wrong.arithmetic_is_ignored() && !is_order) {
                self.rigid.push((node, expr.span));
            }
        }
        if is_order {
            return self.truth(expr.span);
        }
        let node = self.nodes.add();
        if !self.wrong.arithmetic_is_ignored() {
            self.rigid.push((node, expr.span));
        }
        node
    }

    /// The sort that has all values of a parameter or of a variable.
    fn sort_of(&self, leaf: &Expr) -> Option<SortId> {
        match &leaf.kind {
            ExprKind::Parameter(id) => Some(self.scope[id.index()].1),
            ExprKind::Read(place) => Some(self.model.variable(place.variable).sort),
            _ => None,
        }
    }

    pub(super) fn block(&mut self, body: &[Stmt]) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Assign(place, value) => {
                    let (place, value) = self.within(stmt.span, |walk| (walk.place(place), walk.value(value)));
                    self.join(place, value);
                }
                StmtKind::If(condition, then, otherwise) => {
                    self.condition(condition);
                    self.block(then);
                    self.block(otherwise);
                }
                StmtKind::Var(id, value) => {
                    let value = self.value(value);
                    self.join(self.values[id.index()], value);
                }
                StmtKind::For(parameter, body) => {
                    let node = self.of_sort(parameter.sort, parameter.span);
                    self.binders.push(node);
                    let value = ParameterId::from_index(self.scope.len());
                    let commuting = rounds::commute(value, body);
                    if !self.wrong.rounds_commute() && !commuting.here {
                        self.ordered.push((node, Obstruction::Loop, stmt.span));
                    }
                    if !self.wrong.families_keep_literals() && !commuting.always {
                        self.open.push(node);
                    }
                    self.scope.push((node, parameter.sort));
                    self.block(body);
                    self.scope.pop();
                }
                StmtKind::While(condition, body) => {
                    self.condition(condition);
                    self.block(body);
                }
                StmtKind::Fail(_) => {}
            }
        }
    }

    /// The constraints, with classes in place of nodes.
    pub(super) fn finish(mut self, parameters: Vec<Vec<u32>>, arguments: Vec<Vec<u32>>, fair: Option<u32>) -> Uses {
        let count = u32::try_from(self.nodes.len()).expect("a text has fewer terms");
        let mut number: FxHashMap<u32, Class> = FxHashMap::default();
        let of_node: Vec<Class> = (0..count)
            .map(|node| {
                let next = u32::try_from(number.len()).expect("fewer than nodes");
                *number.entry(self.nodes.find(node)).or_insert(next)
            })
            .collect();
        let class = |node: u32| of_node[node as usize];
        let mut classes: Vec<Constraints> = vec![Constraints::default(); number.len()];
        for &(node, span) in &self.rigid {
            classes[class(node) as usize].rigid.push(span);
        }
        for &(node, value, span) in &self.named {
            classes[class(node) as usize].named.entry(value).or_default().push(span);
        }
        for &(node, sort, span) in &self.domains {
            classes[class(node) as usize].domains.entry(sort).or_insert(span);
        }
        for &(node, reason, span) in &self.ordered {
            classes[class(node) as usize].ordered.push((reason, span));
        }
        let lists = |list: Vec<Vec<u32>>| -> Vec<Vec<Class>> {
            list.into_iter().map(|nodes| nodes.into_iter().map(class).collect()).collect()
        };
        let tables = self.tables.into_iter().map(|used| TableUse {
            indices: used.indices.into_iter().map(class).collect(),
            value: class(used.value),
            ..used
        });
        let functions = self.functions.into_iter();
        let functions = functions.map(|found| Function { from: class(found.from), to: class(found.to), ..found });
        let (tables, functions): (Vec<TableUse>, Vec<Function>) = (tables.collect(), functions.collect());
        let values: Vec<Class> = self.values.into_iter().map(class).collect();
        debug_assert!(self.context.is_none(), "every comparison is read to its end");
        let indices = lists(self.indices);
        assert_eq!(values.len(), indices.len(), "every variable has classes of values and of indices");
        let mut is_hidden = vec![true; classes.len()];
        indices.iter().flatten().chain(&values).for_each(|&class| is_hidden[class as usize] = false);
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); classes.len()];
        for (number, (&value, indices)) in values.iter().zip(&indices).enumerate() {
            for &class in indices.iter().chain([&value]) {
                let users = &mut users[class as usize];
                if users.last() != Some(&number) {
                    users.push(number);
                }
            }
        }
        Uses {
            users,
            is_compared: compared_classes(&classes, &tables, &functions),
            is_hidden,
            values,
            indices,
            parameters: lists(parameters),
            arguments: lists(arguments),
            tables,
            functions,
            binders: self.binders.into_iter().map(class).collect(),
            open: self.open.into_iter().map(class).collect(),
            fair: fair.map(class),
            classes,
            wrong: self.wrong,
        }
    }
}

/// The expression with a parameter in place of the only value from which it is computed, which becomes `leaf`; `None` if it is computed
/// from several values.
fn replaced(expr: &Expr, leaf: &mut Option<Expr>) -> Option<Expr> {
    let kind = match &expr.kind {
        ExprKind::Int(_) | ExprKind::Member(..) => expr.kind.clone(),
        ExprKind::Negate(inner) => ExprKind::Negate(Box::new(replaced(inner, leaf)?)),
        ExprKind::PopCount(inner) => ExprKind::PopCount(Box::new(replaced(inner, leaf)?)),
        ExprKind::Binary(op, left, right) => {
            ExprKind::Binary(*op, Box::new(replaced(left, leaf)?), Box::new(replaced(right, leaf)?))
        }
        ExprKind::Parameter(_) | ExprKind::Read(_) => {
            let own = expression_without_spans(expr);
            if leaf.as_ref().is_some_and(|known| *known != own) {
                return None;
            }
            *leaf = Some(own);
            ExprKind::Parameter(ParameterId(0))
        }
        _ => return None,
    };
    Some(Expr::new(kind, Span::NONE))
}

/// Whether each entry of a table is its own index.
fn copies_its_index(model: &Sequential, table: &Table) -> bool {
    limits::work(table.values.len() as u64);
    matches!(table.indices[..], [sort] if model.domain(sort).values().eq(table.values.iter().copied()))
}
