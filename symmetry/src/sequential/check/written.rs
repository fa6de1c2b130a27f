//! [`Written`]: instances that are too large for diagrams, compared as they are written.
//!
//! The form of an instance is the tree of its guard, its body and the arguments of its event that are computed, with the values of its parameters put in. Reads and
//! assignments name elements of the state where their indices are values, and otherwise all elements of the variable in order. A renaming acts on
//! a form by replacing elements; it may not change the values of an element that the form names. If the forms of all such instances
//! are mapped to each other, one to one, so are the instances.
//!
//! # Soundness
//!
//! By induction on the form: in the image of a state each renamed element has the value that the element has in the state, so a renamed expression has
//! the value, or the fault, of the expression, and a renamed body changes the images of the elements to the same values. Domains of elements and of indices
//! are part of the form, so faults of assignments and of indices agree. The operands of `&&` and `||` change places where none of them can
//! fault. All instances of a summand are compared here if one of them is too large, and none of them elsewhere: the instances here
//! and those elsewhere are permuted apart.
//!
//! # Complexity
//!
//! Linear in the forms, and in the elements of variables with computed indices.

use frontend::sequential::{
    Expr, ExprKind, Parameter, Place, Sequential, SortId, Stmt, StmtKind, SummandId, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::diagram::Renaming;
use super::super::instances::{Instance, of_summand};
use super::super::pairing::Member;
use super::super::relation::Wrong;

/// The most instances.
const MOST: usize = 1 << 14;
/// The most nodes and elements in all forms.
const MOST_NODES: usize = 1 << 22;

/// The kind of a node.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Head {
    Value(i32),
    /// A variable of a quantifier or a loop, by the binders between the summand and it.
    Bound(usize),
    /// An element, with the number of its domain.
    Element(usize, usize),
    /// An element of a variable, by the parts.
    Cell(Box<Cells>),
    /// An element of a local, by its number in the body and the parts.
    Local(usize, Box<[usize]>),
    /// A table, by the parts.
    Table(usize),
    /// A binder over a domain.
    Binder(&'static str, usize),
    /// A word, which says what the parts are.
    Word(&'static str),
    /// As a word, of parts in any order.
    Set(&'static str),
}

/// The elements of a variable.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Cells {
    elements: Vec<usize>,
    /// The domains of the indices, and behind them that of the elements.
    domains: Vec<usize>,
}

/// A form.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Form {
    head: Head,
    parts: Vec<Form>,
}

impl Form {
    /// Whether its evaluation cannot fault, seen from comparisons of elements and values.
    fn is_total(&self) -> bool {
        let is_known = match &self.head {
            Head::Value(_) | Head::Bound(_) | Head::Element(..) => true,
            Head::Word(word) => matches!(*word, "=" | "!=" | "<" | "<=" | ">" | ">=" | "!" | "=>" | "ite"),
            Head::Set(_) => true,
            _ => false,
        };
        is_known && self.parts.iter().all(Form::is_total)
    }

    /// The image; the element if the values of one change.
    fn image(&self, renaming: &Renaming, changes: &FxHashSet<usize>) -> Result<Form, usize> {
        limits::work(1);
        let of = |element: usize| match changes.contains(&element) {
            true => Err(element),
            false => Ok(renaming.elements[element]),
        };
        let head = match &self.head {
            Head::Element(element, domain) => Head::Element(of(*element)?, *domain),
            Head::Cell(cells) => {
                limits::work(cells.elements.len() as u64);
                let elements: Result<Vec<usize>, usize> = cells.elements.iter().map(|&element| of(element)).collect();
                Head::Cell(Box::new(Cells { elements: elements?, domains: cells.domains.clone() }))
            }
            other => other.clone(),
        };
        let parts: Result<Vec<Form>, usize> = self.parts.iter().map(|part| part.image(renaming, changes)).collect();
        let mut parts = parts?;
        if matches!(head, Head::Set(_)) {
            parts.sort_unstable();
        }
        Ok(Form { head, parts })
    }

    /// Whether a renaming moves an element that it names, or changes the values of one.
    fn is_moved(&self, renaming: &Renaming, changes: &FxHashSet<usize>) -> bool {
        let moves = |&element: &usize| renaming.elements[element] != element || changes.contains(&element);
        limits::work(1);
        let here = match &self.head {
            Head::Element(element, _) => moves(element),
            Head::Cell(cells) => cells.elements.iter().any(moves),
            _ => false,
        };
        here || self.parts.iter().any(|part| part.is_moved(renaming, changes))
    }
}

/// The instances of summands that are compared as they are written.
#[derive(Debug)]
pub(super) struct Written {
    wrong: Wrong,
    /// The number of the first of them.
    first: usize,
    /// Nodes and elements that may still be written; 0 once it was too little.
    room: usize,
    instances: Vec<Instance>,
    /// The arguments of each that are values, and may be permuted as one label.
    labels: Vec<Vec<i32>>,
    /// The instances with each event and form.
    kinds: FxHashMap<(String, Form), Vec<usize>>,
}

/// An instance whose image is not found.
pub(super) enum Unmatched<'w> {
    /// The renaming changes values of an element that it names.
    Values(&'w Instance, usize),
    /// No instance, or another number of them, is written as its image.
    Image(&'w Instance),
}

/// The instances of one form and those of its image, as members of a pairing.
pub(super) struct Matched<'w> {
    pub(super) event: &'w str,
    pub(super) from: Vec<Member>,
    pub(super) to: Vec<Member>,
}

impl Written {
    /// No instances; the first one will have this number.
    pub(super) fn new(first: usize, wrong: Wrong) -> Written {
        let (instances, labels, kinds) = (Vec::new(), Vec::new(), FxHashMap::default());
        Written { wrong, first, room: MOST_NODES, instances, labels, kinds }
    }

    /// The instance with a number.
    pub(super) fn instance(&self, number: usize) -> &Instance {
        &self.instances[number - self.first]
    }

    /// Adds all instances of a summand; `false` and nothing if they are too many or too large. `kept` are the arguments of its event that keep their
    /// values in every instance.
    pub(super) fn add(&mut self, model: &Sequential, id: SummandId, kept: &FxHashSet<usize>) -> bool {
        let Some(instances) = of_summand(model, id, MOST.saturating_sub(self.instances.len())) else { return false };
        let summand = model.summand(id);
        let mut found = Vec::new();
        for instance in instances {
            let parameters = instance.parameters.as_deref().unwrap_or_default();
            let (wrong, locals) = (self.wrong, FxHashMap::default());
            let mut writer = Writer { model, parameters, wrong, locals, room: &mut self.room };
            let mut parts = vec![writer.expr(&summand.guard)];
            let mut label = Vec::new();
            for (place, argument) in summand.arguments.iter().enumerate() {
                let form = writer.expr(argument);
                match form.head {
                    Head::Value(value) if !kept.contains(&place) => label.push(value),
                    _ => parts.push(form),
                }
            }
            parts.push(writer.block(&summand.body));
            if self.room == 0 {
                return false;
            }
            found.push((Form { head: Head::Word("step"), parts }, label, instance));
        }
        for (form, label, instance) in found {
            debug_assert_eq!(self.labels.len(), self.instances.len(), "every instance has a label");
            self.kinds.entry((summand.event.clone(), form)).or_default().push(self.instances.len());
            self.labels.push(label);
            self.instances.push(instance);
        }
        true
    }

    /// Matches the forms that a renaming moves, and those with labels or processes, with their images.
    pub(super) fn matched(&self, renaming: &Renaming) -> Result<Vec<Matched<'_>>, Unmatched<'_>> {
        let changes: FxHashSet<usize> = match self.wrong.forgets_values() {
            true => FxHashSet::default(),
            false => renaming.values.keys().map(|&(element, _)| element).collect(),
        };
        let mut list = Vec::new();
        for ((event, form), members) in &self.kinds {
            let first = &self.instances[members[0]];
            let is_plain = |&member: &usize| self.labels[member].is_empty() && self.instances[member].process.is_none();
            if members.iter().all(is_plain) && !form.is_moved(renaming, &changes) {
                continue;
            }
            let image = form.image(renaming, &changes).map_err(|element| Unmatched::Values(first, element))?;
            let targets = self.kinds.get(&(event.clone(), image)).map_or(&[][..], Vec::as_slice);
            if targets.len() != members.len() {
                return Err(Unmatched::Image(first));
            }
            let of = |members: &[usize]| members.iter().map(|&member| self.member(member)).collect();
            list.push(Matched { event, from: of(members), to: of(targets) });
        }
        Ok(list)
    }

    fn member(&self, number: usize) -> Member {
        let labels = vec![(Vec::new(), self.labels[number].clone())];
        Member { place: self.first + number, labels, process: self.instances[number].process }
    }
}

/// Writes forms of one instance.
struct Writer<'m> {
    model: &'m Sequential,
    parameters: &'m [i32],
    wrong: Wrong,
    /// The numbers of the locals that were met.
    locals: FxHashMap<VariableId, usize>,
    room: &'m mut usize,
}

impl Writer<'_> {
    fn node(&mut self, head: Head, parts: Vec<Form>) -> Form {
        self.take(1);
        Form { head, parts }
    }

    fn take(&mut self, count: usize) {
        limits::work(count as u64);
        *self.room = self.room.saturating_sub(count);
    }

    fn exprs(&mut self, list: &[Expr]) -> Vec<Form> {
        list.iter().map(|expr| self.expr(expr)).collect()
    }

    fn expr(&mut self, expr: &Expr) -> Form {
        let head = match &expr.kind {
            ExprKind::Int(value) => Head::Value(*value),
            ExprKind::Member(_, index) => Head::Value(index.cast_signed()),
            ExprKind::Parameter(id) => match self.parameters.get(id.index()) {
                Some(&value) => Head::Value(value),
                None => Head::Bound(id.index() - self.parameters.len()),
            },
            ExprKind::Read(place) => return self.place(place),
            ExprKind::Lookup(table, indices) => {
                let parts = self.exprs(indices);
                return self.node(Head::Table(table.index()), parts);
            }
            ExprKind::Negate(inner) => return self.word("-", &[inner]),
            ExprKind::Not(inner) => return self.word("!", &[inner]),
            ExprKind::PopCount(inner) => return self.word("popcount", &[inner]),
            ExprKind::Binary(op, left, right) => return self.word(op.symbol(), &[left, right]),
            ExprKind::And(list) => return self.set("&&", list),
            ExprKind::Or(list) => return self.set("||", list),
            ExprKind::Implies(left, right) => return self.word("=>", &[left, right]),
            ExprKind::Ite(condition, then, otherwise) => return self.word("ite", &[condition, then, otherwise]),
            ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
                let word = if matches!(expr.kind, ExprKind::Forall(_)) { "forall" } else { "exists" };
                let (domain, body) = (self.domain(quantified.sort), self.expr(&quantified.body));
                return self.node(Head::Binder(word, domain), vec![body]);
            }
        };
        self.node(head, Vec::new())
    }

    fn word(&mut self, word: &'static str, parts: &[&Expr]) -> Form {
        let parts = parts.iter().map(|part| self.expr(part)).collect();
        self.node(Head::Word(word), parts)
    }

    /// A connective, whose operands are in any order if none can fault.
    fn set(&mut self, word: &'static str, list: &[Expr]) -> Form {
        let mut parts = self.exprs(list);
        if !self.wrong.forgets_faults() && !parts.iter().all(Form::is_total) {
            return self.node(Head::Word(word), parts);
        }
        parts.sort_unstable();
        self.node(Head::Set(word), parts)
    }

    fn place(&mut self, place: &Place) -> Form {
        let variable = self.model.variable(place.variable);
        let parts = self.exprs(&place.indices);
        let domains: Vec<usize> =
            variable.indices.iter().chain([&variable.sort]).map(|&sort| self.domain(sort)).collect();
        if place.variable.index() >= self.model.variables.len() {
            let next = self.locals.len();
            let number = *self.locals.entry(place.variable).or_insert(next);
            return self.node(Head::Local(number, domains.into()), parts);
        }
        let of_sort = domains[domains.len() - 1];
        let mut offset = Some(0);
        for (part, &sort) in parts.iter().zip(&variable.indices) {
            let domain = self.model.domain(sort);
            let index = match part.head {
                Head::Value(value) if domain.contains(value) => usize::try_from(value - domain.bounds().0).ok(),
                _ => None,
            };
            offset = offset.zip(index).map(|(offset, index)| offset * domain.size() + index);
        }
        if let Some(offset) = offset {
            debug_assert!(offset < self.model.len_of(variable), "an element of the variable");
            return self.node(Head::Element(variable.offset + offset, of_sort), Vec::new());
        }
        let elements: Vec<usize> = (variable.offset..variable.offset + self.model.len_of(variable)).collect();
        self.take(elements.len());
        self.node(Head::Cell(Box::new(Cells { elements, domains })), parts)
    }

    /// The first sort with the values of a sort.
    fn domain(&mut self, sort: SortId) -> usize {
        let domain = self.model.domain(sort);
        if self.wrong.forgets_domains() {
            return 0;
        }
        let is_same = |other: &frontend::sequential::Sort| other.domain.bounds() == domain.bounds();
        self.model.sorts.iter().position(is_same).expect("the sort itself")
    }

    fn block(&mut self, body: &[Stmt]) -> Form {
        let parts = body.iter().map(|stmt| self.stmt(stmt)).collect();
        self.node(Head::Word("block"), parts)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Form {
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                let parts = vec![self.place(place), self.expr(value)];
                self.node(Head::Word(":="), parts)
            }
            StmtKind::If(condition, then, otherwise) => {
                let parts = vec![self.expr(condition), self.block(then), self.block(otherwise)];
                self.node(Head::Word("if"), parts)
            }
            StmtKind::Var(id, value) => {
                let value = self.expr(value);
                let place = Place { variable: *id, indices: Vec::new(), span: stmt.span };
                let parts = vec![self.place(&place), value];
                self.node(Head::Word("var"), parts)
            }
            StmtKind::For(Parameter { sort, .. }, body) => {
                let (domain, body) = (self.domain(*sort), self.block(body));
                self.node(Head::Binder("for", domain), vec![body])
            }
            StmtKind::While(condition, body) => {
                let parts = vec![self.expr(condition), self.block(body)];
                self.node(Head::Word("while"), parts)
            }
            StmtKind::Fail(_) => self.node(Head::Word("fail"), Vec::new()),
        }
    }
}
