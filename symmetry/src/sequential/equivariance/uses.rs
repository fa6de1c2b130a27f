//! [`Uses`]: the classes of a process, and the constraints that its text makes on permutations of their values.
//!
//! Every variable, dimension, parameter and value of a term is a node. `=`, `!=`, assignment, indexing and the branches of `ite` join
//! nodes; the classes are the joined nodes. Terms that compute or order values of one place only, such as `(i + 1) mod N` or `i < 3`,
//! are functions of these values, with a node of their own for the result; all other operands of arithmetic and order are rigid.

use frontend::sequential::interpret::evaluate;
use frontend::sequential::spans::expression_without_spans;
use frontend::sequential::{
    BinaryOp, Expr, ExprKind, ParameterId, Place, Quantified, Sequential, SortId, Stmt, StmtKind, SummandId, TableId,
};
use frontend::source::Span;
use rustc_hash::FxHashMap;

use super::family::never_faults;
use super::faults::interval;
use super::images::Images;
use super::obstacles::{Obstacle, Obstruction};
use super::rounds;

/// The most values of the argument of a function that is compared value by value; the argument of a larger one is rigid.
const MAX_FUNCTION: usize = 1 << 16;

mutants::mutants! {
    /// A constraint that is left out.
    pub(in crate::sequential) struct Wrong {
        /// Values may be ordered.
        order_is_ignored,
        /// Values may be computed with.
        arithmetic_is_ignored,
        /// Values that the text names may move.
        named_values_move,
        /// Values of a part of a class may move out of it.
        parts_are_torn,
        /// Quantifiers evaluate their bodies for all values.
        quantifiers_never_stop,
        /// The rounds of all loops commute.
        rounds_commute,
        /// Tables are constant.
        tables_are_ignored,
        /// Arguments of events move in any way.
        labels_are_free,
        /// Values that are compared may move in different ways.
        comparisons_do_not_join,
        /// A body that cannot fault in one process cannot fault in any of its family.
        families_never_fault,
    }
}

/// The index of a class.
pub(super) type Class = u32;

/// The constraints on one class, each with the places in the text that make it.
#[derive(Clone, Default, Debug)]
pub(super) struct Constraints {
    /// No value moves.
    pub(super) rigid: Vec<Span>,
    /// Values that are fixed.
    pub(super) named: FxHashMap<i32, Vec<Span>>,
    /// Domains that are mapped to themselves.
    pub(super) domains: FxHashMap<SortId, Span>,
    /// The values are taken in ascending order, and this shows.
    pub(super) ordered: Vec<(Obstruction, Span)>,
}

/// A use of a table.
#[derive(Clone, Debug)]
struct TableUse {
    table: TableId,
    indices: Vec<Class>,
    value: Class,
    span: Span,
}

/// A function of one value: an expression in which this value is the only parameter.
#[derive(Clone, Debug)]
struct Function {
    body: Expr,
    domain: SortId,
    from: Class,
    to: Class,
    span: Span,
}

/// The part that the values of a class have in the text as a whole.
#[derive(Clone, Copy, Default)]
pub(super) struct Role {
    /// No permutation moves them: they are ordered, or several of them are computed with.
    pub(super) is_ordered: bool,
    /// One of them is computed with, or is computed.
    pub(super) turns: bool,
    /// They are indices of a table, which may be that of a ring.
    pub(super) is_tabled: bool,
}

/// The classes and constraints of a process.
pub(super) struct Uses {
    /// The class of the values of each variable and local.
    pub(super) values: Vec<Class>,
    /// The class of each dimension of each variable and local.
    pub(super) indices: Vec<Vec<Class>>,
    pub(super) classes: Vec<Constraints>,
    /// The classes of the parameters of each summand.
    pub(super) parameters: Vec<Vec<Class>>,
    /// The classes of the arguments of each summand.
    pub(super) arguments: Vec<Vec<Class>>,
    tables: Vec<TableUse>,
    functions: Vec<Function>,
    /// The classes of the variables of quantifiers and loops.
    pub(super) binders: Vec<Class>,
    /// The classes with a quantifier whose body may fault for other values of constants.
    open: Vec<Class>,
    fair: Option<Class>,
    wrong: Wrong,
}

impl Uses {
    /// The constraints of a process and of these conditions on its states.
    pub(super) fn new(model: &Sequential, conditions: &[&Expr], wrong: Wrong) -> Uses {
        let mut walk = Walk::new(model, wrong);
        let fair = model.fair.map(|sort| walk.of_sort(sort, model.sort(sort).span));
        let mut labels: FxHashMap<(&str, usize), u32> = FxHashMap::default();
        let (mut parameters, mut arguments) = (Vec::new(), Vec::new());
        for (index, summand) in model.summands.iter().enumerate() {
            walk.scope.clear();
            for parameter in &summand.parameters {
                let node = walk.of_sort(parameter.sort, parameter.span);
                walk.scope.push((node, parameter.sort));
            }
            if let (Some(fair), Some(place)) = (fair, model.fair_parameter(SummandId::from_index(index))) {
                walk.join(fair, walk.scope[place].0);
            }
            parameters.push(walk.scope.iter().map(|(node, _)| *node).collect::<Vec<u32>>());
            walk.condition(&summand.guard);
            let mut own = Vec::new();
            for (position, argument) in summand.arguments.iter().enumerate() {
                let node = walk.value(argument);
                let label = *labels.entry((&summand.event, position)).or_insert(node);
                if !wrong.labels_are_free() {
                    walk.join(label, node);
                }
                own.push(node);
            }
            arguments.push(own);
            walk.block(&summand.body);
        }
        for condition in conditions {
            walk.scope.clear();
            walk.condition(condition);
        }
        walk.finish(parameters, arguments, fair)
    }

    /// Whether permutations of the classes satisfy the constraints.
    pub(super) fn allow(&self, model: &Sequential, images: &Images) -> bool {
        self.obstacles(model, images).next().is_none()
    }

    /// The places in the text whose constraints permutations of the classes do not satisfy, by class.
    pub(super) fn obstacles<'a>(
        &'a self,
        model: &'a Sequential,
        images: &'a Images,
    ) -> impl Iterator<Item = Obstacle> + 'a {
        let of_classes = self.classes.iter().zip(0..).filter(|&(_, class): &(&Constraints, Class)| images.moves(class));
        let of_classes =
            of_classes.flat_map(move |(constraints, class)| self.of_class(model, images, constraints, class));
        let tables = self
            .tables
            .iter()
            .filter(move |table| !self.wrong.tables_are_ignored() && !keeps_table(model, table, images));
        let tables = tables.map(|table| Obstacle { span: table.span, reason: Obstruction::Table });
        let functions = self.functions.iter().filter(move |function| !commutes(model, function, images));
        let functions = functions.map(|function| Obstacle { span: function.span, reason: Obstruction::Computed });
        of_classes.chain(tables).chain(functions)
    }

    /// The constraints on a class whose values move that do not hold.
    fn of_class<'a>(
        &'a self,
        model: &'a Sequential,
        images: &'a Images,
        constraints: &'a Constraints,
        class: Class,
    ) -> impl Iterator<Item = Obstacle> + 'a {
        let wrong = self.wrong;
        let at = |reason: Obstruction| move |&span: &Span| Obstacle { span, reason };
        let rigid = constraints.rigid.iter().map(at(Obstruction::Computed));
        let named = constraints.named.iter();
        let named = named.filter(move |&(&value, _)| images.image(class, value) != value && !wrong.named_values_move());
        let named = named.flat_map(move |(_, spans)| spans.iter().map(at(Obstruction::Named)));
        let parts = constraints.domains.iter().filter(move |&(&sort, _)| {
            let domain = model.domain(sort);
            let is_kept = images.moved(class).all(|(value, image)| domain.contains(value) == domain.contains(image));
            !is_kept && !wrong.parts_are_torn()
        });
        let parts = parts.map(|(_, &span)| Obstacle { span, reason: Obstruction::Part });
        let ordered = constraints.ordered.iter().map(|&(reason, span)| Obstacle { span, reason });
        rigid.chain(named).chain(parts).chain(ordered)
    }

    /// The role of each class.
    pub(super) fn roles(&self) -> Vec<Role> {
        let is_ordered = |class: &Constraints| !class.rigid.is_empty() || !class.ordered.is_empty();
        let roles = self.classes.iter().map(|class| Role { is_ordered: is_ordered(class), ..Role::default() });
        let mut roles: Vec<Role> = roles.collect();
        for function in &self.functions {
            match function.body.kind {
                ExprKind::Binary(op, ..) if op.is_comparison() => roles[function.from as usize].is_ordered = true,
                _ => [function.from, function.to].into_iter().for_each(|class| roles[class as usize].turns = true),
            }
        }
        for &class in self.tables.iter().flat_map(|used| &used.indices) {
            roles[class as usize].is_tabled = true;
        }
        roles
    }

    /// The sort of a class whose values are free of constraints whatever their number.
    pub(super) fn free_sort(&self, class: Class) -> Option<SortId> {
        let Constraints { rigid, named, domains, ordered } = &self.classes[class as usize];
        let in_table = self.tables.iter().any(|used| used.value == class || used.indices.contains(&class));
        let is_computed = self.functions.iter().any(|function| [function.from, function.to].contains(&class));
        let is_free = rigid.is_empty() && named.is_empty() && ordered.is_empty() && !in_table && !is_computed;
        let mut sorts = domains.keys().copied();
        let only = sorts.next().filter(|_| sorts.next().is_none());
        only.filter(|_| is_free && !self.open.contains(&class))
    }

    /// The processes of weak fairness that move.
    pub(super) fn processes(&self, model: &Sequential, images: &Images) -> Vec<(i32, i32)> {
        let (Some(fair), Some(sort)) = (self.fair, model.fair) else { return Vec::new() };
        images.moved(fair).filter(|(value, _)| model.domain(sort).contains(*value)).collect()
    }
}

/// Whether the entries of a table move with its indices.
///
/// # Complexity
/// The entries with an index that moves; all entries where values of the class of entries move.
fn keeps_table(model: &Sequential, used: &TableUse, images: &Images) -> bool {
    let table = model.table(used.table);
    let domains = table.indices.iter().map(|&sort| model.domain(sort));
    let mut stride = table.values.len();
    let dimensions: Vec<Dimension> = domains
        .zip(&used.indices)
        .map(|(domain, &class)| {
            stride /= domain.size();
            Dimension { low: domain.bounds().0, size: domain.size(), stride, class }
        })
        .collect();
    let image_of = |place: usize| {
        dimensions.iter().try_fold(0, |image, dimension| {
            let index = images.image(dimension.class, dimension.low + dimension.step(place));
            let step = usize::try_from(index.checked_sub(dimension.low)?).ok().filter(|&step| step < dimension.size)?;
            Some(image + step * dimension.stride)
        })
    };
    let is_kept = |place: usize| {
        image_of(place).is_some_and(|image| table.values[image] == images.image(used.value, table.values[place]))
    };
    if images.moves(used.value) {
        limits::work(table.values.len() as u64);
        return (0..table.values.len()).all(is_kept);
    }
    // Entries none of whose indices moves stay.
    dimensions.iter().all(|dimension| {
        let whole = dimension.stride * dimension.size;
        images.moved(dimension.class).all(|(value, _)| {
            let step = i64::from(value) - i64::from(dimension.low);
            let Some(step) = usize::try_from(step).ok().filter(|&step| step < dimension.size) else { return true };
            limits::work((table.values.len() / dimension.size) as u64);
            let first = step * dimension.stride;
            let mut starts = (first..table.values.len()).step_by(whole);
            starts.all(|start| (start..start + dimension.stride).all(is_kept))
        })
    })
}

/// A dimension of a table, row-major.
struct Dimension {
    low: i32,
    size: usize,
    /// The number of entries between neighbours.
    stride: usize,
    class: Class,
}

impl Dimension {
    /// The number of the index of an entry.
    fn step(&self, place: usize) -> i32 {
        i32::try_from(place / self.stride % self.size).expect("sorts are bounded")
    }
}

/// Whether the image of the result of a function is the result of the image.
fn commutes(model: &Sequential, function: &Function, images: &Images) -> bool {
    if !images.moves(function.from) && !images.moves(function.to) {
        return true;
    }
    let domain = model.domain(function.domain);
    limits::work(domain.size() as u64);
    let result = |value: i32| evaluate(model, &function.body, &[], &[value]).ok();
    domain.values().all(|value| {
        let image = images.image(function.from, value);
        domain.contains(image) && result(image) == result(value).map(|result| images.image(function.to, result))
    })
}

/// Nodes that are joined.
#[derive(Default)]
struct Nodes {
    parents: Vec<u32>,
}

impl Nodes {
    fn add(&mut self) -> u32 {
        let node = u32::try_from(self.parents.len()).expect("a text has fewer terms");
        self.parents.push(node);
        node
    }

    fn find(&mut self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            let up = self.parents[self.parents[node as usize] as usize];
            self.parents[node as usize] = up;
            node = up;
        }
        node
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        self.parents[one.max(other) as usize] = one.min(other);
    }
}

/// The walk over the text.
struct Walk<'m> {
    model: &'m Sequential,
    nodes: Nodes,
    /// The nodes of the values of variables and locals, and of their dimensions.
    values: Vec<u32>,
    indices: Vec<Vec<u32>>,
    /// The parameters in scope, with their sorts.
    scope: Vec<(u32, SortId)>,
    rigid: Vec<(u32, Span)>,
    named: Vec<(u32, i32, Span)>,
    domains: Vec<(u32, SortId, Span)>,
    tables: Vec<TableUse>,
    functions: Vec<Function>,
    ordered: Vec<(u32, Obstruction, Span)>,
    binders: Vec<u32>,
    open: Vec<u32>,
    /// The comparison or assignment that is read, where the text shows how a named value is used.
    context: Span,
    wrong: Wrong,
}

impl<'m> Walk<'m> {
    fn new(model: &'m Sequential, wrong: Wrong) -> Walk<'m> {
        let mut walk = Walk {
            model,
            nodes: Nodes::default(),
            values: Vec::new(),
            indices: Vec::new(),
            scope: Vec::new(),
            rigid: Vec::new(),
            named: Vec::new(),
            domains: Vec::new(),
            tables: Vec::new(),
            functions: Vec::new(),
            ordered: Vec::new(),
            binders: Vec::new(),
            open: Vec::new(),
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
    fn of_sort(&mut self, sort: SortId, span: Span) -> u32 {
        let node = self.nodes.add();
        self.domains.push((node, sort, span));
        node
    }

    fn join(&mut self, one: u32, other: u32) {
        self.nodes.join(one, other);
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
    fn within<R>(&mut self, context: Span, read: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.context, context);
        let result = read(self);
        self.context = outer;
        result
    }

    /// An expression whose value is taken as a truth value.
    fn condition(&mut self, expr: &Expr) {
        let node = self.value(expr);
        self.named.extend([(node, 0, expr.span), (node, 1, expr.span)]);
    }

    fn place(&mut self, place: &Place) -> u32 {
        for (dimension, index) in place.indices.iter().enumerate() {
            let node = self.value(index);
            self.join(self.indices[place.variable.index()][dimension], node);
        }
        self.values[place.variable.index()]
    }

    /// The node of the value of an expression.
    fn value(&mut self, expr: &Expr) -> u32 {
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
        for (index, &sort) in list.iter().zip(&model.table(id).indices) {
            let node = self.value(index);
            self.domains.push((node, sort, index.span));
            indices.push(node);
        }
        let value = self.nodes.add();
        self.tables.push(TableUse { table: id, indices, value, span });
        value
    }

    fn quantified(&mut self, quantified: &Quantified, span: Span) -> u32 {
        let node = self.of_sort(quantified.sort, span);
        self.binders.push(node);
        self.scope.push((node, quantified.sort));
        self.condition(&quantified.body);
        let mut sorts: Vec<SortId> = self.scope.iter().map(|(_, sort)| *sort).collect();
        if interval(self.model, &mut sorts, &quantified.body).faults && !self.wrong.quantifiers_never_stop() {
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

    fn block(&mut self, body: &[Stmt]) {
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
                    if !self.wrong.rounds_commute() && !rounds::commute(value, body) {
                        self.ordered.push((node, Obstruction::Loop, stmt.span));
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
    fn finish(mut self, parameters: Vec<Vec<u32>>, arguments: Vec<Vec<u32>>, fair: Option<u32>) -> Uses {
        let count = u32::try_from(self.nodes.parents.len()).expect("a text has fewer terms");
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
        Uses {
            values: self.values.into_iter().map(class).collect(),
            indices: lists(self.indices),
            parameters: lists(parameters),
            arguments: lists(arguments),
            tables: tables.collect(),
            functions: functions.collect(),
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
