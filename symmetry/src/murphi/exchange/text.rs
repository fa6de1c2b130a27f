//! The proof by text that an exchange of names is a symmetry: the renamed program is the program.
//!
//! Each rule, assumption and claimed property is written down twice, as it is and with every name replaced by its image. The names of
//! rules and locals are left out; types are written by their structure, so that equal clusters may declare their own. Where order has no
//! meaning, parts are sorted: the rules, operands of `=` and `!=` that call nothing, and of `&` and `|` that cannot fault. A type that a
//! loop or quantifier goes through, that is ordered, or whose least value is taken has its values in order, elsewhere as a set. The first
//! instance of an assumption or a cover decides that does not say no, so these have an order where they may fault, and so have assumptions among
//! each other. Procedures are written where they are called. The start states are compared as a set.
//!
//! # Soundness
//!
//! Every part of a construct is matched by name here, so that a new one does not compile before it is written down. A part that is not known to be
//! equal is refused. [`Order`] says which operands cannot fault.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use frontend::murphi::interpret::{FaultKind, State, starts};
use frontend::murphi::program::{
    Argument, Base, BinaryOp, Binder, BinderValues, Binding, Bound, Branch, Case, Claim, ClaimKind, Class, Expr,
    ExprKind, Frame, Header, Local, LocalId, Place, Program, Property, Rule, Step, Stmt, StmtKind, TypeId, TypeKind,
};
use frontend::murphi::syntax::ast::PropertyKind;
use frontend::source::Span;
use rustc_hash::FxHashMap;

use super::super::obstacle::{Obstacle, Reason};
use super::super::order::Order;
use super::Exchange;

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub struct Wrong {
        /// Operands are sorted even where they may fault.
        sorts_faults,
        /// Types that loops go through are sets of values.
        forgets_order,
        /// Start states are not compared.
        forgets_starts,
        /// Claimed properties are not compared.
        forgets_claims,
        /// Members keep their names in expressions.
        keeps_members,
        /// Assumptions and their instances have no order.
        assumes_in_any_order,
    }
}

/// Whether the text proves an exchange to be a symmetry that fixes the claimed properties.
#[must_use]
pub fn proves(program: &Program, claims: &[Claim], exchange: &Exchange, order: &Order<'_>, wrong: Wrong) -> bool {
    broken_by(program, claims, exchange, order, wrong).is_some_and(|places| places.is_empty())
}

/// The rules, properties or start states that are others after an exchange of names; `None` where that is not compared.
pub(in crate::murphi) fn broken_by(
    program: &Program,
    claims: &[Claim],
    exchange: &Exchange,
    order: &Order<'_>,
    wrong: Wrong,
) -> Option<Vec<Obstacle>> {
    let has_multisets = program.types.list.iter().any(|of| matches!(of.kind, TypeKind::Multiset { .. }));
    // Each instance of such a property is a claim of its own.
    let is_by_instance = |claim: &Claim| match &claim.kind {
        ClaimKind::Liveness(at) => !program.properties[*at].header.is_empty(),
        ClaimKind::Ltl(formula) => formula.atoms().iter().any(|&&at| !program.properties[at].header.is_empty()),
        ClaimKind::Invariant(_) | ClaimKind::End(_) | ClaimKind::Cover(_) | ClaimKind::Met(_) => false,
    };
    if claims.iter().any(is_by_instance) && !wrong.forgets_claims() {
        return None;
    }
    if has_multisets || exchange.cells(program).is_none() {
        return None;
    }
    let shared = Shared::default();
    let identity = Exchange::default();
    let own = Writer::new(program, &identity, order, &shared, wrong);
    let renamed = Writer::new(program, exchange, order, &shared, wrong);
    let assumed: Vec<&Property> = program.properties.iter().filter(|one| one.kind == PropertyKind::Assume).collect();
    // The first assumption decides that does not hold.
    let is_sequence = assumed.iter().any(|property| own.may_fault(property));
    let all = |writer: &Writer<'_>| {
        let rules = program.rules.iter().map(|rule| (writer.rule(rule), rule.span));
        let place = |at: usize| if is_sequence { at } else { 0 };
        let assumed = assumed.iter().enumerate();
        let assumed = assumed.map(|(at, one)| (format!("{} {}", place(at), writer.property(one)), one.span));
        rules.chain(assumed).collect::<Vec<_>>()
    };
    let mut images: BTreeMap<String, usize> = BTreeMap::new();
    all(&renamed).into_iter().for_each(|(text, _)| *images.entry(text).or_default() += 1);
    let mut is_lost = |text: &String| images.get_mut(text).filter(|left| **left > 0).map(|left| *left -= 1).is_none();
    let lost = all(&own).into_iter().filter(|(text, _)| is_lost(text)).map(|(_, span)| span);
    let mut places: Vec<Span> = lost.collect();
    let is_claimed = |number: usize| claims.iter().any(|claim| claim.kind.is_about(number));
    let claimed = program.properties.iter().enumerate().filter(|(number, _)| is_claimed(*number));
    if !wrong.forgets_claims() {
        let moved = claimed.filter(|(_, property)| own.property(property) != renamed.property(property));
        places.extend(moved.map(|(_, property)| property.span));
    }
    if places.is_empty() && !wrong.forgets_starts() && !starts_are_kept(program, exchange)? {
        places.push(program.starts.first().map_or(Span::NONE, |start| start.span));
    }
    Some(places.into_iter().map(|span| Obstacle { span, reason: Reason::Renamed }).collect())
}

/// Whether the start states, and the starts that fault, are those of the renamed program; `None` if they are too many.
fn starts_are_kept(program: &Program, exchange: &Exchange) -> Option<bool> {
    if !super::super::starts::are_few(program) {
        return None;
    }
    let moved = exchange.cells(program)?;
    let results: Vec<Result<State, bool>> = starts(program)
        .into_iter()
        .map(|start| start.result.map_err(|fault| matches!(fault.kind, FaultKind::Assertion(_))))
        .collect();
    let images: BTreeSet<Result<State, bool>> =
        results.iter().map(|one| one.clone().map(|state| exchange.image(&moved, &state))).collect();
    Some(images == results.into_iter().collect())
}

/// The numbers of texts, the same for both writers.
#[derive(Default)]
struct Shared {
    numbers: RefCell<FxHashMap<String, usize>>,
}

impl Shared {
    fn number(&self, text: String) -> usize {
        let mut numbers = self.numbers.borrow_mut();
        let next = numbers.len();
        *numbers.entry(text).or_insert(next)
    }
}

/// Writes parts of a program down under an exchange.
struct Writer<'p> {
    program: &'p Program,
    exchange: &'p Exchange,
    order: &'p Order<'p>,
    shared: &'p Shared,
    /// The numbers of the texts of procedures.
    procedures: Vec<usize>,
    /// The binders of the quantifiers around, which are named by their depth.
    bound: RefCell<Vec<LocalId>>,
    wrong: Wrong,
}

impl<'p> Writer<'p> {
    fn new(
        program: &'p Program,
        exchange: &'p Exchange,
        order: &'p Order<'p>,
        shared: &'p Shared,
        wrong: Wrong,
    ) -> Writer<'p> {
        let (procedures, bound) = (Vec::new(), RefCell::default());
        let mut writer = Writer { program, exchange, order, shared, procedures, bound, wrong };
        for procedure in &program.procedures {
            let result = procedure.result.map(|of| writer.of(of, false));
            let (frame, body) =
                (writer.frame(&procedure.frame, procedure.parameters), writer.body(&procedure.frame, &procedure.body));
            let text = format!("{} {result:?} {frame} {body}", procedure.parameters);
            writer.procedures.push(shared.number(text));
        }
        writer
    }

    /// A procedure by its text; one that is not written yet calls itself.
    fn procedure(&self, at: usize) -> String {
        self.procedures.get(at).map_or("self".to_owned(), usize::to_string)
    }

    fn rule(&self, rule: &Rule) -> String {
        let Rule { name: _, header, frame, guard, body, span: _ } = rule;
        debug_assert!(self.bound.borrow().is_empty(), "every quantifier ends in its text");
        let guard = guard.as_ref().map(|guard| self.expr(frame, guard));
        // Instances of rules have no order.
        let header = self.header(frame, header, false);
        format!("rule {header} {} {guard:?} {}", self.frame(frame, 0), self.body(frame, body))
    }

    fn property(&self, property: &Property) -> String {
        let Property { kind, name: _, header, frame, condition, span: _ } = property;
        let is_ordered = matches!(kind, PropertyKind::Assume | PropertyKind::Cover) && self.may_fault(property);
        let header = self.header(frame, header, is_ordered);
        format!("{kind:?} {header} {} {}", self.frame(frame, 0), self.expr(frame, condition))
    }

    /// Whether some instance of a property may fault.
    fn may_fault(&self, property: &Property) -> bool {
        let Property { header, frame, condition, .. } = property;
        let binds_values =
            header.iter().all(|one| matches!(one, Header::For(Binder { values: BinderValues::Type(_), .. })));
        let is_safe = binds_values && self.order.cannot_fault(frame, condition);
        !is_safe && !self.wrong.assumes_in_any_order()
    }

    fn header(&self, frame: &Frame, list: &[Header], is_ordered: bool) -> String {
        let one = |header: &Header| match header {
            Header::For(Binder { local, values: BinderValues::Type(of) }) => {
                format!("for {local:?} {}", self.of(*of, is_ordered))
            }
            Header::For(binder) => format!("for {}", self.binder(frame, binder)),
            Header::Alias(binding) => self.binding(frame, binding),
            Header::Choose(_) => unreachable!("there are no multisets"),
        };
        list.iter().map(one).collect::<Vec<_>>().join(";")
    }

    /// The parameters and the locals that are no values: these stand where they are bound, with their types.
    fn frame(&self, frame: &Frame, parameters: usize) -> String {
        let locals = frame.locals.iter().enumerate();
        let locals = locals.filter(|&(at, local)| at < parameters || !local.kind.is_value());
        let local = |(_, local): (usize, &Local)| format!("{:?} {}", local.kind, self.of(local.of, false));
        locals.map(local).collect::<Vec<_>>().join(",")
    }

    /// The name of a local.
    fn local(&self, id: LocalId) -> String {
        let depth = self.bound.borrow().iter().position(|&bound| bound == id);
        depth.map_or_else(|| format!("{id:?}"), |depth| format!("bound {depth}"))
    }

    /// The number of a type: by the images of its values, in order or as a set, and the structure of its parts.
    fn of(&self, of: TypeId, is_ordered: bool) -> String {
        let types = &self.program.types;
        let text = match types.kind(of) {
            TypeKind::Boolean => "boolean".to_owned(),
            TypeKind::Range { low, high } => format!("{low}..{high}"),
            TypeKind::Names(_) => {
                let values = types.values(of).into_iter().flatten();
                let mut images: Vec<i32> = values.map(|value| self.exchange.member(value)).collect();
                if !is_ordered || self.wrong.forgets_order() {
                    images.sort_unstable();
                }
                format!("names {images:?}")
            }
            TypeKind::Array { index, element } => {
                format!("array {} {}", self.of(*index, is_ordered), self.of(*element, is_ordered))
            }
            TypeKind::Record(fields) => {
                let parts: Vec<String> = fields.iter().map(|field| self.of(field.of, is_ordered)).collect();
                format!("record {}", parts.join(" "))
            }
            TypeKind::Multiset { .. } => unreachable!("there are no multisets"),
        };
        format!("t{}", self.shared.number(text))
    }

    fn binder(&self, frame: &Frame, Binder { local, values }: &Binder) -> String {
        match values {
            BinderValues::Type(of) => format!("{} in {}", self.local(*local), self.of(*of, true)),
            BinderValues::Steps(steps) => {
                let parts = [&steps.from, &steps.to, &steps.by];
                let parts = parts.map(|part| format!("{} {}", self.of(part.of, true), self.expr(frame, part)));
                format!("{} from {}", self.local(*local), parts.join(" "))
            }
        }
    }

    fn binding(&self, frame: &Frame, Binding { local, to }: &Binding) -> String {
        match to {
            Bound::Place(place) => format!("{local:?} is place {}", self.place(frame, place)),
            Bound::Value(value) => format!("{local:?} is {}", self.expr(frame, value)),
        }
    }

    fn place(&self, frame: &Frame, Place { base, steps, of, span: _ }: &Place) -> String {
        let base = match base {
            Base::Variable(id) => format!("{:?}", self.exchange.variable(*id)),
            Base::Local(id) => self.local(*id),
        };
        let step = |step: &Step| match step {
            Step::Field(field) => format!(".{field}"),
            Step::Index(index) => format!("[{}]", self.expr(frame, index)),
            Step::Slot(_) => unreachable!("there are no multisets"),
        };
        format!("{base}{}:{}", steps.iter().map(step).collect::<String>(), self.of(*of, false))
    }

    fn expr(&self, frame: &Frame, Expr { kind, of, span: _ }: &Expr) -> String {
        limits::work(1);
        let expr = |inner: &Expr| self.expr(frame, inner);
        let text = match kind {
            ExprKind::Value(value) => match self.program.types.class(*of) {
                Class::Names if !self.wrong.keeps_members() => format!("member {}", self.exchange.member(*value)),
                _ => format!("value {value}"),
            },
            ExprKind::Undefined => "undefined".to_owned(),
            ExprKind::Read(place) => format!("read {}", self.place(frame, place)),
            ExprKind::IsUndefined(place) => format!("isundefined {}", self.place(frame, place)),
            ExprKind::Unary(op, inner) => format!("{op:?} {}", expr(inner)),
            ExprKind::Binary(op, left, right) => {
                let mut parts = [left, right].map(|part| expr(part));
                let is_free = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
                if is_free && [left, right].into_iter().all(|part| !part.has_call()) {
                    parts.sort_unstable();
                }
                let types = [left, right].map(|part| if is_free { String::new() } else { self.of(part.of, true) });
                format!("{op:?} {} {}", types.concat(), parts.join(" "))
            }
            ExprKind::And(list) | ExprKind::Or(list) => {
                let mut parts: Vec<String> = list.iter().map(expr).collect();
                if self.wrong.sorts_faults() || list.iter().all(|part| self.order.cannot_fault(frame, part)) {
                    parts.sort_unstable();
                }
                let word = if matches!(kind, ExprKind::And(_)) { "and" } else { "or" };
                format!("{word} {}", parts.join(" "))
            }
            ExprKind::Implies(left, right) => format!("implies {} {}", expr(left), expr(right)),
            ExprKind::Conditional(condition, then, otherwise) => {
                format!("if {} {} {}", expr(condition), expr(then), expr(otherwise))
            }
            ExprKind::Quantified(all, binder, inner) => {
                self.bound.borrow_mut().push(binder.local);
                let text = format!("quantified {all} {} {}", self.binder(frame, binder), expr(inner));
                self.bound.borrow_mut().pop();
                text
            }
            ExprKind::Call(id, arguments) => {
                format!("call {} {}", self.procedure(id.index()), self.arguments(frame, arguments))
            }
            ExprKind::IsMember(inner, of) => format!("ismember {} {}", expr(inner), self.of(*of, false)),
            ExprKind::Count(..) => unreachable!("there are no multisets"),
        };
        format!("({text}:{})", self.of(*of, false))
    }

    fn arguments(&self, frame: &Frame, list: &[Argument]) -> String {
        let one = |argument: &Argument| match argument {
            Argument::Value(value) => self.expr(frame, value),
            Argument::Reference(place) => format!("var {}", self.place(frame, place)),
        };
        list.iter().map(one).collect::<Vec<_>>().join(",")
    }

    fn body(&self, frame: &Frame, list: &[Stmt]) -> String {
        let parts: Vec<String> = list.iter().map(|stmt| self.stmt(frame, stmt)).collect();
        format!("{{{}}}", parts.join(";"))
    }

    fn stmt(&self, frame: &Frame, Stmt { kind, span: _ }: &Stmt) -> String {
        limits::work(1);
        let expr = |inner: &Expr| self.expr(frame, inner);
        let body = |list: &[Stmt]| self.body(frame, list);
        match kind {
            StmtKind::Assign(place, value) => format!("{} := {}", self.place(frame, place), expr(value)),
            StmtKind::Undefine(place) => format!("undefine {}", self.place(frame, place)),
            StmtKind::Clear(place) => format!("clear {} {}", self.of(place.of, true), self.place(frame, place)),
            StmtKind::If(branches, otherwise) => {
                let one = |Branch { condition, body: own }: &Branch| format!("{} {}", expr(condition), body(own));
                format!("if {} else {}", branches.iter().map(one).collect::<String>(), body(otherwise))
            }
            StmtKind::Switch(subject, cases, otherwise) => {
                let one = |Case { values, body: own }: &Case| {
                    format!("{:?} {}", values.iter().map(expr).collect::<Vec<_>>(), body(own))
                };
                let cases: String = cases.iter().map(one).collect();
                format!("switch {} {cases} else {}", expr(subject), body(otherwise))
            }
            StmtKind::For(binder, inner) => format!("for {} {}", self.binder(frame, binder), body(inner)),
            StmtKind::While(condition, inner) => format!("while {} {}", expr(condition), body(inner)),
            StmtKind::Alias(bindings, inner) => {
                let bindings: Vec<String> = bindings.iter().map(|one| self.binding(frame, one)).collect();
                format!("alias {} {}", bindings.join(","), body(inner))
            }
            StmtKind::Call(id, arguments) => {
                format!("call {} {}", self.procedure(id.index()), self.arguments(frame, arguments))
            }
            StmtKind::Return(value) => format!("return {:?}", value.as_ref().map(expr)),
            StmtKind::Error(text) => format!("error {text:?}"),
            StmtKind::Assert(condition, text) => format!("assert {text:?} {}", expr(condition)),
            StmtKind::Assume(condition) => format!("assume {}", expr(condition)),
            StmtKind::Cover(id, condition) => format!("cover {id:?} {}", expr(condition)),
            StmtKind::Put(value) => format!("put {}", expr(value)),
            StmtKind::MultisetAdd(..) | StmtKind::MultisetRemove(..) | StmtKind::MultisetRemoveWhere(..) => {
                unreachable!("there are no multisets")
            }
        }
    }
}
