//! Candidates from the text of a process: exchanges and rotations of the values between which it does not distinguish.
//!
//! Variables, dimensions and binders whose values are compared, assigned or used as indices of each other form a class. Values of a class
//! that lie in the same domains and are not named by the text may change places with their neighbours, if the class is not ordered or
//! computed with. A class with terms such as `(i + 1) mod N`, or with indices of a table, may turn.
//!
//! # Soundness
//!
//! These are guesses: the validator proves each of them by an analysis of its own, and what it does not prove is left out.
//!
//! # Complexity
//!
//! Linear in the text, and in literals for each candidate. No instance is made.

use std::collections::{BTreeMap, BTreeSet};

use engine::SparsePermutation;
use frontend::sequential::{
    BinaryOp, Expr, ExprKind, Place, Property, PropertyKind, Sequential, SortId, Stmt, StmtKind, Summand,
};

use crate::project::{Literals, is_wide};

/// The most pairs of points that all candidates have together.
const MAX_PAIRS: usize = 1 << 24;

/// The number of terms that the process has when its parameters and quantifiers are replaced by values.
pub fn weight(model: &Sequential) -> u64 {
    model.summands.iter().map(|summand| weight_of(model, summand)).fold(0, u64::saturating_add)
}

/// The number of terms of all instances of a summand.
pub fn weight_of(model: &Sequential, summand: &Summand) -> u64 {
    let size = |sort: SortId| model.domain(sort).size() as u64;
    let combinations =
        summand.parameters.iter().fold(1u64, |count, parameter| count.saturating_mul(size(parameter.sort)));
    let parts = summand.arguments.iter().chain([&summand.guard]).map(|expr| terms(model, expr));
    let text = parts.fold(statements(model, &summand.body), u64::saturating_add);
    combinations.saturating_mul(text)
}

fn terms(model: &Sequential, expr: &Expr) -> u64 {
    let inner = expr.operands().into_iter().fold(0u64, |sum, operand| sum.saturating_add(terms(model, operand)));
    match &expr.kind {
        ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
            inner.saturating_mul(model.domain(quantified.sort).size() as u64)
        }
        _ => inner.saturating_add(1),
    }
}

fn statements(model: &Sequential, body: &[Stmt]) -> u64 {
    let weights = body.iter().map(|stmt| match &stmt.kind {
        StmtKind::Assign(place, value) => {
            place.indices.iter().fold(terms(model, value), |sum, index| sum.saturating_add(terms(model, index)))
        }
        StmtKind::If(condition, then, otherwise) => {
            terms(model, condition).saturating_add(statements(model, then)).saturating_add(statements(model, otherwise))
        }
        StmtKind::Var(_, value) => terms(model, value),
        StmtKind::For(parameter, body) => {
            statements(model, body).saturating_mul(model.domain(parameter.sort).size() as u64)
        }
        StmtKind::While(condition, body) => terms(model, condition).saturating_add(statements(model, body)),
        StmtKind::Fail(_) => 1,
    });
    weights.fold(0, u64::saturating_add)
}

/// Exchanges and rotations that the text of a process and of these properties suggests.
pub fn proposals(model: &Sequential, properties: &[&Property]) -> Vec<SparsePermutation> {
    limits::phase("reading candidates from the text");
    let mut flow = Flow::new(model);
    for property in properties {
        let atoms = match &property.kind {
            PropertyKind::Invariant(condition) => vec![condition],
            PropertyKind::Ltl(formula) => formula.atoms(),
        };
        atoms.into_iter().for_each(|atom| _ = flow.value(atom));
    }
    for summand in &model.summands {
        flow.scope.clear();
        for parameter in &summand.parameters {
            let node = flow.of_sort(parameter.sort);
            flow.scope.push(node);
        }
        flow.value(&summand.guard);
        summand.arguments.iter().for_each(|argument| _ = flow.value(argument));
        flow.block(&summand.body);
    }
    let literals = Literals::new(model);
    let (mut found, mut pairs) = (Vec::new(), 0);
    let Flow { values, indices, mut nodes, .. } = flow;
    let values: Vec<usize> = values.into_iter().map(|node| nodes.find(node)).collect();
    let indices: Vec<Vec<usize>> =
        indices.into_iter().map(|list| list.into_iter().map(|node| nodes.find(node)).collect()).collect();
    let classes: BTreeSet<usize> = values.iter().chain(indices.iter().flatten()).copied().collect();
    for class in classes {
        for images in maps(model, &nodes.of[class]) {
            limits::work(literals.len() as u64 / 16);
            let candidate = induced(model, &literals, &values, &indices, class, &images);
            pairs += candidate.pairs().len();
            if pairs > MAX_PAIRS {
                return found;
            }
            if !candidate.is_identity() {
                found.push(candidate);
            }
        }
    }
    found
}

/// The known facts about the values of a class.
#[derive(Clone, Default)]
struct Known {
    /// They are ordered, or several of them are computed with.
    is_ordered: bool,
    /// One of them is computed with.
    turns: bool,
    /// They are indices of a table, which may be that of a ring.
    is_tabled: bool,
    named: BTreeSet<i32>,
    sorts: BTreeSet<SortId>,
}

/// The permutations of values that a class suggests.
fn maps(model: &Sequential, known: &Known) -> Vec<BTreeMap<i32, i32>> {
    let domains: Vec<_> = known.sorts.iter().map(|&sort| model.domain(sort)).collect();
    if known.is_ordered || domains.iter().any(|domain| is_wide(domain) && !known.turns) {
        return Vec::new();
    }
    let bounds = domains.iter().map(|domain| domain.bounds());
    let (Some(low), Some(high)) = (bounds.clone().map(|ends| ends.0).min(), bounds.map(|ends| ends.1).max()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if (known.turns || known.is_tabled) && known.named.is_empty() {
        // The whole range, and not a part of it.
        let turn = (low..=high).map(|value| (value, if value == high { low } else { value + 1 }));
        found.push(turn.collect());
        found.push((low..=high).map(|value| (value, low + (high - value))).collect());
    }
    if known.turns {
        return found;
    }
    let mut blocks: BTreeMap<Vec<bool>, Vec<i32>> = BTreeMap::new();
    for value in (low..=high).filter(|value| !known.named.contains(value)) {
        let shape = domains.iter().map(|domain| domain.contains(value)).collect();
        blocks.entry(shape).or_default().push(value);
    }
    let neighbours = blocks.values().flat_map(|block| block.windows(2));
    found.extend(neighbours.map(|pair| BTreeMap::from([(pair[0], pair[1]), (pair[1], pair[0])])));
    found
}

/// The permutation of literals that a permutation of the values of one class induces.
fn induced(
    model: &Sequential,
    literals: &Literals,
    values: &[usize],
    indices: &[Vec<usize>],
    class: usize,
    images: &BTreeMap<i32, i32>,
) -> SparsePermutation {
    let image = |of: usize, value: i32| if of == class { images.get(&value).copied().unwrap_or(value) } else { value };
    let mut pairs = Vec::new();
    for (number, variable) in model.variables.iter().enumerate() {
        if values[number] != class && !indices[number].contains(&class) {
            continue;
        }
        let domain = model.domain(variable.sort);
        // A map that leads out of an index of an array, which values of a wider sort may do, is none of its elements.
        let stays = |(sort, &of): (&SortId, &usize)| {
            of != class || model.domain(*sort).values().all(|index| model.domain(*sort).contains(image(of, index)))
        };
        if !variable.indices.iter().zip(&indices[number]).all(stays) {
            return SparsePermutation::default();
        }
        let sizes: Vec<(i32, usize)> =
            variable.indices.iter().map(|&sort| (model.domain(sort).bounds().0, model.domain(sort).size())).collect();
        for place in 0..model.len_of(variable) {
            let (mut rest, mut stride, mut target) = (place, 1, 0);
            for (&(low, size), &of) in sizes.iter().zip(&indices[number]).rev() {
                let index = i32::try_from(rest % size).expect("sorts are bounded") + low;
                target += usize::try_from(image(of, index) - low).unwrap_or(0) * stride;
                rest /= size;
                stride *= size;
            }
            if values[number] != class && target == place {
                continue;
            }
            let (from, to) = (variable.offset + place, variable.offset + target);
            if is_wide(domain) {
                pairs.push((literals.point(from, domain.bounds().0), literals.point(to, domain.bounds().0)));
                continue;
            }
            let moved = domain.values().map(|value| (value, image(values[number], value)));
            let moved = moved.filter(|&(value, image)| target != place || value != image);
            pairs.extend(
                moved
                    .filter(|&(_, image)| domain.contains(image))
                    .map(|(value, image)| (literals.point(from, value), literals.point(to, image))),
            );
        }
    }
    SparsePermutation::from_pairs(pairs).unwrap_or_default()
}

/// Nodes that are joined, with what is known of their values.
#[derive(Default)]
struct Nodes {
    parents: Vec<usize>,
    of: Vec<Known>,
}

impl Nodes {
    fn find(&mut self, mut node: usize) -> usize {
        while self.parents[node] != node {
            self.parents[node] = self.parents[self.parents[node]];
            node = self.parents[node];
        }
        node
    }

    fn join(&mut self, one: usize, other: usize) -> usize {
        let (one, other) = (self.find(one), self.find(other));
        if one == other {
            return one;
        }
        // The smaller set of facts moves.
        let size = |node: usize| self.of[node].named.len() + self.of[node].sorts.len();
        let (kept, merged) = if size(one) < size(other) { (other, one) } else { (one, other) };
        self.parents[merged] = kept;
        let facts = std::mem::take(&mut self.of[merged]);
        let known = &mut self.of[kept];
        known.is_ordered |= facts.is_ordered;
        known.turns |= facts.turns;
        known.is_tabled |= facts.is_tabled;
        known.named.extend(facts.named);
        known.sorts.extend(facts.sorts);
        kept
    }
}

/// The walk over the text.
struct Flow<'m> {
    model: &'m Sequential,
    nodes: Nodes,
    values: Vec<usize>,
    indices: Vec<Vec<usize>>,
    scope: Vec<usize>,
}

impl<'m> Flow<'m> {
    fn new(model: &'m Sequential) -> Flow<'m> {
        let mut flow =
            Flow { model, nodes: Nodes::default(), values: Vec::new(), indices: Vec::new(), scope: Vec::new() };
        for variable in model.variables.iter().chain(&model.locals) {
            let node = flow.of_sort(variable.sort);
            flow.values.push(node);
            let indices = variable.indices.iter().map(|&sort| flow.of_sort(sort)).collect();
            flow.indices.push(indices);
        }
        flow
    }

    fn add(&mut self, known: Known) -> usize {
        self.nodes.parents.push(self.nodes.of.len());
        self.nodes.of.push(known);
        self.nodes.of.len() - 1
    }

    fn of_sort(&mut self, sort: SortId) -> usize {
        self.add(Known { sorts: BTreeSet::from([sort]), ..Known::default() })
    }

    fn literal(&mut self, value: i32) -> usize {
        self.add(Known { named: BTreeSet::from([value]), ..Known::default() })
    }

    fn known(&mut self, node: usize) -> &mut Known {
        let node = self.nodes.find(node);
        &mut self.nodes.of[node]
    }

    fn place(&mut self, place: &Place) -> usize {
        for (dimension, index) in place.indices.iter().enumerate() {
            let node = self.value(index);
            self.nodes.join(self.indices[place.variable.index()][dimension], node);
        }
        self.values[place.variable.index()]
    }

    /// The node of the value of an expression.
    fn value(&mut self, expr: &Expr) -> usize {
        match &expr.kind {
            ExprKind::Int(value) => self.literal(*value),
            ExprKind::Member(_, value) => self.literal(i32::try_from(*value).unwrap_or(i32::MAX)),
            ExprKind::Parameter(id) => self.scope[id.index()],
            ExprKind::Read(place) => self.place(place),
            ExprKind::Lookup(table, list) => {
                for (index, &sort) in list.iter().zip(&self.model.table(*table).indices) {
                    let node = self.value(index);
                    let known = self.known(node);
                    known.sorts.insert(sort);
                    known.is_tabled = true;
                }
                self.add(Known::default())
            }
            ExprKind::Ite(condition, then, otherwise) => {
                self.value(condition);
                let (then, otherwise) = (self.value(then), self.value(otherwise));
                self.nodes.join(then, otherwise)
            }
            ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
                let node = self.of_sort(quantified.sort);
                self.scope.push(node);
                self.value(&quantified.body);
                self.scope.pop();
                self.add(Known::default())
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                self.binary(*op, left, right)
            }
            _ => {
                for operand in expr.operands() {
                    let node = self.value(operand);
                    self.known(node).named.extend([0, 1]);
                }
                self.add(Known::default())
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: usize, right: usize) -> usize {
        let is_value = |known: &Known| !known.sorts.is_empty() || known.turns || known.is_ordered;
        let of_one = !(is_value(self.known(left)) && is_value(self.known(right)));
        match op {
            BinaryOp::Equal | BinaryOp::NotEqual => {
                self.nodes.join(left, right);
                self.add(Known::default())
            }
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Modulo if of_one => {
                for node in [left, right] {
                    if is_value(self.known(node)) {
                        self.known(node).turns = true;
                    }
                }
                self.add(Known { turns: true, ..Known::default() })
            }
            _ => {
                self.known(left).is_ordered = true;
                self.known(right).is_ordered = true;
                self.add(Known { is_ordered: !op.is_comparison(), ..Known::default() })
            }
        }
    }

    fn block(&mut self, body: &[Stmt]) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Assign(place, value) => {
                    let (place, value) = (self.place(place), self.value(value));
                    self.nodes.join(place, value);
                }
                StmtKind::If(condition, then, otherwise) => {
                    self.value(condition);
                    self.block(then);
                    self.block(otherwise);
                }
                StmtKind::Var(id, value) => {
                    let value = self.value(value);
                    self.nodes.join(self.values[id.index()], value);
                }
                StmtKind::For(parameter, body) => {
                    let node = self.of_sort(parameter.sort);
                    self.scope.push(node);
                    self.block(body);
                    self.scope.pop();
                }
                StmtKind::While(condition, body) => {
                    self.value(condition);
                    self.block(body);
                }
                StmtKind::Fail(_) => {}
            }
        }
    }
}
