//! The rules that every process keeps, and a check of all of them.
//!
//! - `reference`: every id names an existing object.
//! - `name`: names are words joined by dots.
//! - `unique`: names are declared once in their name space.
//! - `hiding`: no binder and no local has the name of a table, a value of an enumeration, a variable or a binder
//!   around it.
//! - `predefined`: the first two sorts are `BOOL` and `BIT`.
//! - `domain`: sorts are not empty, enumerations not larger than [`MAX_TYPE_SIZE`], and parts are parts of an
//!   enumeration above them.
//! - `table`: tables have at least one index, as many entries as the product of their indices and at most
//!   [`MAX_TABLE_SIZE`], all of their kind.
//! - `layout`: the offsets of the variables follow each other from 0, with at most [`MAX_ELEMENTS`] elements; the
//!   elements of the locals come after them, each local declared once, in the order of the text.
//! - `initial`: initial values are in the sort, one per element.
//! - `summands`: there is at least one.
//! - `combinations`: the binders around a place have at most [`MAX_COMBINATIONS`] combinations.
//! - `type`: expressions are of the required kind, conditions are 0 or 1, with one index per dimension.
//! - `flat`: chains have two operands or more, none of them a chain of the same operator.
//! - `atom`: a formula whose operands are all atoms is temporal.
//! - `nesting`: no tree is higher than [`MAX_NESTING`].
//! - `hold`: the variable of the turn is a scalar, and has its least value in every initial state.
//! - `fair`: some summand has a parameter of the fair sort.
//!
//! Every process that [`parse`](super::parse) returns keeps these rules; a process that keeps them is printed and
//! parsed back unchanged.

use rustc_hash::FxHashSet;

use super::interpret::is_initial;
use super::syntax::is_name;
use super::{
    Domain, Expr, ExprKind, Formula, Initial, MAX_COMBINATIONS, MAX_ELEMENTS, MAX_NESTING, MAX_ROUNDS, MAX_STARTS,
    MAX_TABLE_SIZE, MAX_TYPE_SIZE, PropertyKind, Quantified, Sequential, SortId, Stmt, StmtKind, Summand, TypeFault,
    Typing, ValueKind, VariableId,
};

/// A broken rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The rule, as the documentation of this module names it.
    pub rule: &'static str,
    /// The object that breaks it.
    pub what: String,
}

/// The rules that are bounds: a model that exceeds them has no sequential form.
pub(crate) const BOUNDS: &[&str] = &["nesting", "combinations", "layout", "table", "domain"];

/// Whether a process keeps all rules but those that are bounds.
pub(crate) fn is_well_formed(model: &Sequential) -> bool {
    verify(model).iter().all(|broken| BOUNDS.contains(&broken.rule))
}

/// Lists every broken rule. Later rules are checked only on the parts that keep the earlier ones.
pub fn verify(model: &Sequential) -> Vec<Violation> {
    let mut verifier = Verifier {
        model,
        scope: Vec::new(),
        locals: Vec::new(),
        declared: 0,
        rounds: 1,
        global: FxHashSet::default(),
        broken: Vec::new(),
    };
    verifier.names();
    verifier.sorts();
    if verifier.broken.is_empty() {
        verifier.data();
    }
    if verifier.broken.is_empty() {
        verifier.process();
    }
    assert!(verifier.scope.is_empty() && verifier.locals.is_empty(), "every scope that was entered is left");
    verifier.broken
}

struct Verifier<'a> {
    model: &'a Sequential,
    /// The binders around the place: names and sorts.
    scope: Vec<(&'a str, SortId)>,
    /// The locals in scope.
    locals: Vec<VariableId>,
    /// The locals declared so far.
    declared: usize,
    /// The product of the rounds of the `for` loops around the place.
    rounds: usize,
    /// The names that no binder has.
    global: FxHashSet<&'a str>,
    broken: Vec<Violation>,
}

impl<'a> Verifier<'a> {
    fn require(&mut self, holds: bool, rule: &'static str, what: impl FnOnce() -> String) {
        if !holds {
            self.broken.push(Violation { rule, what: what() });
        }
    }

    fn names(&mut self) {
        let model = self.model;
        let members = model.sorts.iter().flat_map(|sort| match &sort.domain {
            Domain::Members(names) => names.as_slice(),
            Domain::Range { .. } | Domain::Numbers { .. } | Domain::Part { .. } => &[],
        });
        self.global.extend(members.clone().map(String::as_str));
        self.global.extend(model.tables.iter().map(|table| table.name.as_str()));
        self.global.extend(model.variables.iter().map(|variable| variable.name.as_str()));
        let values: Vec<&str> = members
            .chain(model.constants.iter().map(|constant| &constant.name))
            .chain(model.tables.iter().map(|table| &table.name))
            .chain(model.variables.iter().map(|variable| &variable.name))
            .chain(model.propositions.iter().map(|proposition| &proposition.name))
            .map(String::as_str)
            .collect();
        self.distinct(values);
        self.distinct(model.sorts.iter().map(|sort| sort.name.as_str()).collect());
        self.distinct(model.properties.iter().map(|property| property.name.as_str()).collect());
        self.distinct(vec![&model.name]);
        for summand in &model.summands {
            self.distinct(vec![&summand.event]);
        }
    }

    fn distinct(&mut self, names: Vec<&str>) {
        let mut seen = FxHashSet::default();
        for name in names {
            self.require(is_name(name), "name", || format!("`{name}`"));
            self.require(seen.insert(name), "unique", || format!("`{name}`"));
        }
    }

    fn sorts(&mut self) {
        let empty = Sequential::empty("");
        let predefined = self.model.sorts.len() >= 2
            && self.model.sorts.iter().zip(&empty.sorts).all(|(a, b)| a.name == b.name && a.domain == b.domain);
        self.require(predefined, "predefined", || "`BOOL` and `BIT` come first".into());
        for (number, sort) in self.model.sorts.iter().enumerate() {
            let size = sort.domain.size();
            let fits = match &sort.domain {
                Domain::Range { .. } | Domain::Numbers { .. } => true,
                Domain::Members(_) => size <= MAX_TYPE_SIZE,
                Domain::Part { of, low, high } => self.model.sorts[..number].get(of.index()).is_some_and(|whole| {
                    matches!(whole.domain, Domain::Members(_))
                        && whole.domain.contains(*low)
                        && whole.domain.contains(*high)
                }),
            };
            self.require(size > 0 && fits, "domain", || format!("`{}` has {size} values", sort.name));
        }
    }

    fn known_sorts(&mut self, sorts: &[SortId], of: &str) -> bool {
        let known = sorts.iter().all(|sort| sort.index() < self.model.sorts.len());
        self.require(known, "reference", || format!("a sort of `{of}`"));
        known
    }

    fn data(&mut self) {
        let model = self.model;
        for constant in &model.constants {
            self.values(constant.kind, &[constant.value], &constant.name);
        }
        for table in &model.tables {
            if self.known_sorts(&table.indices, &table.name) {
                let size = model.size_of(&table.indices).filter(|&size| size <= MAX_TABLE_SIZE);
                let fits = !table.indices.is_empty() && size == Some(table.values.len());
                self.require(fits, "table", || format!("`{}` has {} entries", table.name, table.values.len()));
                self.values(table.kind, &table.values, &table.name);
            }
        }
        let mut offset = Some(0);
        for variable in model.variables.iter().chain(&model.locals) {
            let sorts = [variable.indices.as_slice(), &[variable.sort]].concat();
            if !self.known_sorts(&sorts, &variable.name) {
                return;
            }
            let size = model.size_of(&variable.indices);
            self.require(offset == Some(variable.offset), "layout", || format!("the offset of `{}`", variable.name));
            offset = offset.zip(size).and_then(|(offset, size): (usize, usize)| offset.checked_add(size));
            if let Initial::Values(values) = &variable.initial {
                let domain = model.domain(variable.sort);
                let fits = size == Some(values.len()) && values.iter().all(|&value| domain.contains(value));
                self.require(fits, "initial", || format!("`{}`", variable.name));
            }
        }
        self.require(offset.is_some_and(|size| size <= MAX_ELEMENTS), "layout", || "too many elements".into());
        if self.broken.is_empty() {
            self.starts();
        }
    }

    /// Checks the further initial states.
    fn starts(&mut self) {
        let sorts = self.model.element_sorts();
        self.require(self.model.starts.len() <= MAX_STARTS, "initial", || "too many further states".into());
        let mut bare = Sequential { starts: Vec::new(), ..self.model.clone() };
        for start in &self.model.starts {
            let fits = start.len() == sorts.len()
                && start.iter().zip(&sorts).all(|(&value, &sort)| self.model.domain(sort).contains(value));
            self.require(fits && !is_initial(&bare, start), "initial", || "a further state".into());
            bare.starts.push(start.clone());
        }
    }

    /// Checks the values of a constant or table.
    fn values(&mut self, kind: ValueKind, values: &[i32], of: &str) {
        let ValueKind::Member(sort) = kind else { return };
        if self.known_sorts(&[sort], of) {
            let domain = self.model.domain(sort);
            let fits = matches!(domain, Domain::Members(_)) && values.iter().all(|&value| domain.contains(value));
            self.require(fits, "table", || format!("the values of `{of}`"));
        }
    }

    fn process(&mut self) {
        let model = self.model;
        self.require(!model.summands.is_empty(), "summands", || "there is none".into());
        for summand in &model.summands {
            self.summand(summand);
        }
        self.require(self.declared == model.locals.len(), "layout", || "a local is never declared".into());
        if let Some(fair) = model.fair {
            let takes_part = |summand: &Summand| summand.parameters.iter().any(|parameter| parameter.sort == fair);
            self.require(model.summands.iter().any(takes_part), "fair", || "no process takes part".into());
        }
        if let Some(ends) = &model.ends {
            self.condition(ends, "ends");
        }
        let scalar =
            |id: VariableId| model.variables.get(id.index()).is_some_and(|variable| variable.indices.is_empty());
        self.require(model.hold.is_none_or(scalar), "hold", || "the turn is no scalar variable".into());
        let begins = model.hold.filter(|&hold| scalar(hold)).is_none_or(|hold| {
            let least = model.domain(model.variable(hold).sort).bounds().0;
            model.variable(hold).initial == Initial::Values(vec![least])
                && model.turn().is_some_and(|turn| model.starts.iter().all(|start| !turn.is_taken(start)))
        });
        self.require(begins, "hold", || "a step has begun at the start".into());
        let has_inside = model.inside.is_none() || model.hold.is_some();
        self.require(has_inside, "inside", || "no step has states inside".into());
        for proposition in &model.propositions {
            self.condition(&proposition.value, &proposition.name);
        }
        for property in &model.properties {
            match &property.kind {
                PropertyKind::Invariant(condition) | PropertyKind::End(condition) => {
                    self.condition(condition, &property.name);
                }
                PropertyKind::Ltl(formula) => {
                    self.formula(formula, &property.name, 1);
                }
            }
        }
    }

    fn summand(&mut self, summand: &'a Summand) {
        let sorts: Vec<SortId> = summand.parameters.iter().map(|parameter| parameter.sort).collect();
        if !self.known_sorts(&sorts, &summand.event) {
            return;
        }
        for parameter in &summand.parameters {
            self.enter(&parameter.name, parameter.sort);
        }
        let fits = self.model.size_of(&sorts).is_some_and(|size| size <= MAX_COMBINATIONS);
        self.require(fits, "combinations", || summand.event.clone());
        self.require(sorts.len() <= MAX_NESTING, "nesting", || summand.event.clone());
        self.condition(&summand.guard, &summand.event);
        for argument in &summand.arguments {
            self.expression(argument, &summand.event, |_, _| {});
        }
        self.body(&summand.body, &summand.event, 1);
        assert_eq!(self.scope.len(), summand.parameters.len(), "every binder inside of a summand was left");
        self.scope.clear();
        self.locals.clear();
    }

    fn enter(&mut self, name: &'a str, sort: SortId) {
        self.require(is_name(name), "name", || format!("`{name}`"));
        let local = self.locals.iter().any(|&local| self.model.variable(local).name == name);
        let hides = local || self.global.contains(name) || self.scope.iter().any(|&(other, _)| other == name);
        self.require(!hides, "hiding", || format!("the binder `{name}`"));
        self.scope.push((name, sort));
    }

    fn body(&mut self, body: &'a [Stmt], of: &str, depth: usize) {
        self.require(depth <= MAX_NESTING, "nesting", || format!("the body of `{of}`"));
        if depth > MAX_NESTING {
            return;
        }
        let visible = self.locals.len();
        for stmt in body {
            match &stmt.kind {
                StmtKind::Assign(place, value) => {
                    if !self.is_visible(place.variable) {
                        self.require(false, "reference", || format!("an assignment of `{of}`"));
                        continue;
                    }
                    let variable = self.model.variable(place.variable);
                    let kind = self.model.kind_of(variable.sort);
                    let sound = place.indices.iter().all(|index| self.shape(index, of, 1));
                    if sound {
                        let target = Expr::new(ExprKind::Read(place.clone()), place.span);
                        self.typed(&target, of, |_, _| {});
                    }
                    self.expression(value, of, |typing, value| typing.of_kind(value, kind));
                }
                StmtKind::If(condition, then, otherwise) => {
                    self.condition(condition, of);
                    self.body(then, of, depth + 1);
                    self.body(otherwise, of, depth + 1);
                }
                StmtKind::Var(id, value) => self.local(*id, value, of),
                StmtKind::For(parameter, body) => {
                    if self.known_sorts(&[parameter.sort], of) {
                        let before = self.rounds;
                        self.rounds = before.saturating_mul(self.model.domain(parameter.sort).size());
                        self.require(self.rounds <= MAX_ROUNDS, "combinations", || format!("a loop of `{of}`"));
                        self.enter(&parameter.name, parameter.sort);
                        self.body(body, of, depth + 1);
                        self.scope.pop();
                        self.rounds = before;
                    }
                }
                StmtKind::While(condition, body) => {
                    self.condition(condition, of);
                    self.body(body, of, depth + 1);
                }
                StmtKind::Fail(text) => {
                    self.require(!text.contains(['"', '\n', '\r']), "name", || format!("the text `{text}`"));
                }
            }
        }
        self.locals.truncate(visible);
    }

    fn local(&mut self, id: VariableId, value: &'a Expr, of: &str) {
        let model = self.model;
        let local = id.index().checked_sub(model.variables.len()).and_then(|local| model.locals.get(local));
        let Some(local) = local else {
            return self.require(false, "reference", || format!("a local of `{of}`"));
        };
        self.expression(value, of, |typing, value| typing.of_kind(value, model.kind_of(local.sort)));
        self.require(is_name(&local.name), "name", || format!("`{}`", local.name));
        let hides = self.global.contains(local.name.as_str())
            || model.constants.iter().any(|constant| constant.name == local.name)
            || self.scope.iter().any(|&(name, _)| name == local.name)
            || self.locals.iter().any(|&other| model.variable(other).name == local.name);
        self.require(!hides, "hiding", || format!("the local `{}`", local.name));
        // Each local has one declaration, in the order of the text: parsing the printed text gives the same ids.
        self.require(id.index() == model.variables.len() + self.declared, "layout", || format!("`{}`", local.name));
        self.declared += 1;
        self.locals.push(id);
    }

    fn is_visible(&self, id: VariableId) -> bool {
        id.index() < self.model.variables.len() || self.locals.contains(&id)
    }

    fn formula(&mut self, formula: &'a Formula, of: &str, depth: usize) {
        if let Formula::Atom(condition) = formula {
            return self.condition_below(condition, of, depth);
        }
        self.require(depth <= MAX_NESTING, "nesting", || format!("the formula `{of}`"));
        if depth > MAX_NESTING {
            return;
        }
        let operands = formula.operands();
        match formula {
            Formula::And(_) | Formula::Or(_) => self.require(operands.len() >= 2, "flat", || format!("`{of}`")),
            _ => {}
        }
        if matches!(formula, Formula::And(_) | Formula::Or(_) | Formula::Not(_) | Formula::Implies(..)) {
            let atoms = operands.iter().all(|operand| matches!(operand, Formula::Atom(_)));
            self.require(!atoms, "atom", || format!("`{of}`"));
        }
        for operand in operands {
            self.formula(operand, of, depth + 1);
        }
    }

    fn condition(&mut self, expr: &'a Expr, of: &str) {
        self.condition_below(expr, of, 1);
    }

    fn condition_below(&mut self, expr: &'a Expr, of: &str, depth: usize) {
        if self.shape(expr, of, depth) {
            self.typed(expr, of, Typing::condition);
        }
    }

    fn expression(&mut self, expr: &'a Expr, of: &str, require: impl FnOnce(&mut Typing<'a>, &Expr)) {
        if self.shape(expr, of, 1) {
            self.typed(expr, of, require);
        }
    }

    /// Checks the types of an expression of sound shape.
    fn typed(&mut self, expr: &Expr, of: &str, require: impl FnOnce(&mut Typing<'a>, &Expr)) {
        let mut typing = Typing::new(self.model, self.scope.iter().map(|&(_, sort)| sort).collect());
        typing.values(expr);
        if typing.errors.is_empty() {
            require(&mut typing, expr);
        }
        for error in typing.errors {
            let rule = if error.fault == TypeFault::Combinations { "combinations" } else { "type" };
            self.require(false, rule, || format!("{:?} in `{of}`", error.fault));
        }
    }

    /// Checks ids, chains, binders and height; returns whether the types can be checked.
    fn shape(&mut self, expr: &'a Expr, of: &str, depth: usize) -> bool {
        let before = self.broken.len();
        self.require(depth <= MAX_NESTING, "nesting", || format!("an expression of `{of}`"));
        let known =
            match &expr.kind {
                ExprKind::Member(sort, index) => self.model.sorts.get(sort.index()).is_some_and(
                    |sort| matches!(&sort.domain, Domain::Members(names) if (*index as usize) < names.len()),
                ),
                ExprKind::Parameter(id) => id.index() < self.scope.len(),
                ExprKind::Read(place) => self.is_visible(place.variable),
                ExprKind::Lookup(table, _) => table.index() < self.model.tables.len(),
                ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
                    quantified.sort.index() < self.model.sorts.len()
                }
                _ => true,
            };
        self.require(known, "reference", || format!("an expression of `{of}`"));
        let flat = match &expr.kind {
            ExprKind::And(list) => list.len() >= 2 && !list.iter().any(|e| matches!(e.kind, ExprKind::And(_))),
            ExprKind::Or(list) => list.len() >= 2 && !list.iter().any(|e| matches!(e.kind, ExprKind::Or(_))),
            _ => true,
        };
        self.require(flat, "flat", || format!("a chain of `{of}`"));
        if depth > MAX_NESTING || !known {
            return false;
        }
        if let ExprKind::Forall(quantified) | ExprKind::Exists(quantified) = &expr.kind {
            let Quantified { name, sort, body } = &**quantified;
            self.enter(name, *sort);
            self.shape(body, of, depth + 1);
            self.scope.pop();
        } else {
            for operand in expr.operands() {
                self.shape(operand, of, depth + 1);
            }
        }
        self.broken.len() == before
    }
}
