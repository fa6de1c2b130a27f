//! A slice: the smaller model, the removed parts with reasons, the answers that carry over, and the map back.
//!
//! Soundness: a run of the original, without the removed parts, is a run of the slice, whatever faults the original
//! has: `holds` always carries over. A server that is endless on a branch has no successor on any, so a branch of the original must not end
//! by a fault that is removed where a loop or call might run on without it (`ends`). The converse requires that the removed parts never fault, overflow or run for
//! ever, so a violation counts only after it was replayed on the original (see [`lift`](crate::lift)).
//!
//! Source: \[Sab10\] 5.

use std::collections::{BTreeMap, BTreeSet};

use frontend::model::verify::{verify, verify_properties};
use frontend::model::{
    Base, ClassId, Expr, ExprKind, Model, PropertySet, RebecId, Role, Rvalue, Sort, StmtKind, Value, VariableId, Width,
};
use frontend::source::Span;
use petgraph::graph::{EdgeIndex, NodeIndex};

use super::compact::Plan;
use super::criteria::{Criterion, criteria, named};
use super::ends::Ends;
use super::keep::{Kept, declared, mentioned};
use super::maps::Maps;
use super::mention::variables;
use super::prune::prune;
use super::query::{Alternative, Method, Query, Refused, TextPlace};
use super::rebecs::{of_classes, retained};
use crate::analysis::bodies::{BodyRef, all, bodies};
use crate::analysis::faults::is_long;
use crate::analysis::flow::Switches;
use crate::analysis::reads::{Name, reads};
use crate::analysis::targets::live;
use crate::analysis::values::values;
use crate::graph::{DependenceGraph, Key, NodeKind, build};

/// A variable whose assignments may be replaced by choices: its class and its number.
pub type Abstracted = BTreeSet<(ClassId, VariableId)>;

/// The answers about the slice that are answers about the original.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Preserves {
    /// `holds` carries over: always true for the question.
    pub holds: bool,
    /// A violation carries over if the removed parts neither fault nor overflow; it is replayed on the original anyway.
    /// False for slices with more behaviour than the original.
    pub violated: bool,
    /// Whether deadlock is part of the question.
    pub deadlock: bool,
    /// Whether failed assertions are part of the question.
    pub assertions: bool,
    /// Whether other faults are part of the question.
    pub faults: bool,
}

frontend::named! {
    /// The kind of a removed part.
    pub enum RemovedKind {
        /// A rebec of `main`.
        Rebec = "rebec",
        /// A class.
        Class = "class",
        /// A variable.
        Variable = "variable",
        /// A server, method or constructor.
        Member = "member",
        /// A parameter of a server.
        Parameter = "parameter",
        /// A summand of a process.
        Summand = "summand",
        /// A rule of a model of Murphi.
        Rule = "rule",
        /// A statement, with the statements inside it.
        Statement = "statement",
        /// The value of an assignment, replaced by a choice.
        Value = "value",
    }
}

/// A removed part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Removed {
    /// The kind.
    pub kind: RemovedKind,
    /// Its name, or the member that contained it.
    pub name: String,
    /// The text.
    pub span: Span,
    /// The reason.
    pub reason: &'static str,
}

/// A smaller model.
pub struct Slice {
    /// The model.
    pub model: Model,
    /// The properties of the question, over the slice.
    pub properties: PropertySet,
    /// The method that made it.
    pub method: Method,
    /// The answers that carry over.
    pub preserves: Preserves,
    /// Whether the slice has finitely many states if the model has: no part was removed that may end a step before a
    /// `new` that stays. Without `new` every model has finitely many.
    pub is_finite: bool,
    /// The removed parts, in the order of the text.
    pub removed: Vec<Removed>,
    /// The variables with a replaced assignment.
    pub replaced: Abstracted,
    /// The replaced assignments.
    pub(crate) replaced_at: Vec<Replaced>,
    pub(crate) maps: Maps,
    /// By class of the original: variables whose value between steps is the same in both.
    pub(crate) exact: Vec<Vec<bool>>,
    /// The nodes that were reached, and the edge to each.
    pub(crate) trail: Trail,
}

/// An assignment that became a choice.
pub(crate) struct Replaced {
    /// The variable, by declaration.
    pub(crate) variable: (ClassId, VariableId),
    /// The statement.
    pub(crate) span: Span,
    /// The values that it may assign instead.
    pub(crate) options: Vec<Value>,
}

/// The course of the search, for explanations.
pub(crate) struct Trail {
    pub(crate) criteria: Vec<Criterion>,
    pub(crate) reached: Vec<bool>,
    pub(crate) by: Vec<Option<EdgeIndex>>,
}

/// Slices a verified model for a question. `replace` names the variables whose assignments become choices if they have
/// few possible values; it is empty for exact slices.
///
/// # Errors
/// The method does not apply to the model.
///
/// # Complexity
/// That of building the graph.
pub fn slice(model: &Model, query: &Query, method: Method, replace: &Abstracted) -> Result<Slice, Refused> {
    slice_with(model, query, method, replace, Switches::default())
}

/// As [`slice()`], with switches that tests use.
///
/// # Errors
/// As [`slice()`].
pub fn slice_with(
    model: &Model,
    query: &Query,
    method: Method,
    replace: &Abstracted,
    switches: Switches,
) -> Result<Slice, Refused> {
    if query.deadlock && !model.creatable.is_empty() {
        let reason = "the model makes rebecs, and deadlock is checked";
        return Err(Refused::new(reason, Alternative::Unsliced).at(creation(model)));
    }
    if query.fair && !model.creatable.is_empty() {
        let reason = "the model makes rebecs, and a formula is checked on fair runs";
        return Err(Refused::new(reason, Alternative::Unsliced).at(creation(model)));
    }
    let graph = build(model, switches);
    let mut criteria = criteria(&graph, query, switches);
    let ends = Ends::new(&graph, switches);
    let mut replaced = replacements(model, replace);
    let (kept, by) = loop {
        let (reached, by) = reached(&graph, &criteria, &mut replaced);
        let kept = Kept { graph: &graph, reached, replaced };
        let missing = ends.missing(&kept);
        if missing.is_empty() {
            break (kept, by);
        }
        criteria.extend(missing);
        replaced = kept.replaced;
    };
    let used = used(&kept);
    if let Some(endless) = may_be_endless(&kept).filter(|_| !used.is_empty()) {
        let reason = "a loop or call that stays might not end with other values, and hide what the model does";
        return Err(Refused::new(reason, Alternative::StaticMethod).at(TextPlace::Model(endless)));
    }
    let named_variables = mentioned(model, &query.properties);
    let pruned = prune(&kept);
    let variables = variables(&kept, &pruned, &named_variables);
    let classes = criteria.iter().filter(|one| one.of_class).map(|one| graph.graph[one.node].class).collect();
    let mut seeds = of_classes(&kept, &classes);
    let asked = named(&PropertySet { definitions: Vec::new(), ..query.properties.clone() });
    seeds.extend(asked.iter().copied());
    let rebecs = retained(&kept, seeds, &variables);
    let plan = Plan { kept: &kept, pruned, variables, rebecs };
    let (small, maps) = plan.compact(&query.properties);
    let properties = maps.properties(model, &query.properties);
    let broken = [verify(&small), verify_properties(&small, &properties)].concat();
    assert!(broken.is_empty(), "the slice is not well formed: {broken:?}");
    assert!(small.instances.len() <= model.instances.len(), "a slice has no more rebecs than its model");
    assert_eq!(maps.rebecs.len(), model.instances.len(), "every rebec of the model stays or is removed");
    assert_eq!(maps.variables.len(), model.classes.len(), "every class has the map of its variables");
    let members = [maps.servers.len(), maps.methods.len(), maps.parameters.len()];
    assert_eq!(members, [model.classes.len(); 3], "every class has the maps of its members");
    assert!(maps.rebecs.iter().flatten().is_sorted() && maps.classes.iter().flatten().is_sorted(), "order is kept");
    assert!(criteria.iter().all(|one| kept.reached[one.node.index()]), "every criterion stays");
    let is_left = |rebec: &RebecId| maps.rebecs[rebec.index()].is_some();
    assert!(asked.iter().all(is_left), "the rebecs of properties stay");
    let exact = model.classes.iter().enumerate().map(|(class, found)| {
        let ids = (0..found.variables.len()).map(VariableId::from_index);
        // Known rebecs never change.
        let known = |id: VariableId| found.variables[id.index()].role == Role::Known;
        ids.map(|id| known(id) || kept.is_exact(ClassId::from_index(class), id)).collect()
    });
    let preserves = Preserves {
        holds: true,
        violated: used.is_empty(),
        deadlock: query.deadlock,
        assertions: query.assertions,
        faults: query.faults,
    };
    Ok(Slice {
        exact: exact.collect(),
        properties,
        method,
        preserves,
        is_finite: switches.forgets_ends() || model.creatable.is_empty() || keeps_sends(&kept),
        removed: removed(&kept, &maps),
        replaced: used.iter().map(|one| one.variable).collect(),
        replaced_at: used,
        model: small,
        maps,
        trail: Trail { criteria, by, reached: kept.reached },
    })
}

/// The nodes that the criteria depend on, each with the edge to it.
fn reached(
    graph: &DependenceGraph<'_>,
    criteria: &[Criterion],
    replaced: &mut BTreeMap<(BodyRef, usize), Vec<Expr>>,
) -> (Vec<bool>, Vec<Option<EdgeIndex>>) {
    // A criterion is not replaced: an assignment whose value may fault is a criterion, and a choice in its place never
    // faults.
    for criterion in criteria {
        if let NodeKind::Statement(body, number) = graph.graph[criterion.node].kind {
            replaced.remove(&(body, number));
        }
    }
    let follow = |edge: EdgeIndex| {
        let (_, to) = graph.graph.edge_endpoints(edge).expect("an edge of the graph");
        match graph.graph[to].kind {
            NodeKind::Statement(body, number) if replaced.contains_key(&(body, number)) => {
                !graph.graph[edge].is_of_data()
            }
            _ => true,
        }
    };
    let nodes: Vec<NodeIndex> = criteria.iter().map(|criterion| criterion.node).collect();
    graph.backward(&nodes, &follow)
}

impl Slice {
    /// Whether every variable that stays has the value of the original between steps. A variable that each server
    /// writes before it reads it may have lost its other assignments.
    pub fn is_exact(&self) -> bool {
        let stays = self.maps.variables.iter().flatten().map(Option::is_some);
        self.exact.iter().flatten().zip(stays).all(|(exact, stays)| *exact || !stays)
    }
}

/// The assignments that stay and are replaced by a choice.
fn used(kept: &Kept<'_, '_>) -> Vec<Replaced> {
    let model = kept.graph.model;
    let mut found = Vec::new();
    for body in bodies(model) {
        all(0, &body.of(model).block, &mut |number, statement| {
            if let Some(options) = kept.replaced.get(&(body, number))
                && kept.statement(body, number)
                && let StmtKind::Assign { place, .. } = &statement.kind
                && let Base::Variable(id) = place.base
            {
                let variable = declared(model, body.class, id);
                let options: Vec<Value> = options.iter().filter_map(constant).collect();
                assert!(!options.is_empty(), "a choice has options");
                found.push(Replaced { variable, span: statement.span, options });
            }
        });
    }
    found
}

fn constant(expr: &Expr) -> Option<Value> {
    match expr.kind {
        ExprKind::Bool(value) => Some(Value::Bool(value)),
        ExprKind::Int(value) => Some(Value::Int(value)),
        ExprKind::Scalar(value) => Some(Value::Scalar(value)),
        _ => None,
    }
}

/// The assignments to plain variables that can be replaced by a choice of few values, and these values.
fn replacements(model: &Model, replace: &Abstracted) -> BTreeMap<(BodyRef, usize), Vec<Expr>> {
    let mut found = BTreeMap::new();
    if replace.is_empty() {
        return found;
    }
    let values = values(model);
    for body in bodies(model).into_iter().filter(|body| !body.is_method()) {
        all(0, &body.of(model).block, &mut |number, statement| {
            let StmtKind::Assign { place, value } = &statement.kind else { return };
            let Base::Variable(id) = place.base else { return };
            if !replace.contains(&declared(model, body.class, id)) || !place.indices.is_empty() {
                return;
            }
            let mut names: Vec<Name> = Vec::new();
            value.operands().into_iter().for_each(|expr| reads(expr, &mut names));
            let pure = matches!(value, Rvalue::Expr(_) | Rvalue::Choose(_));
            if names.is_empty() || !pure {
                return; // constants and plain choices depend on nothing
            }
            let sort = model.class(body.class).variables[id.index()].sort;
            let choices = options(model, sort, values.of_value(body, value).values());
            found.extend(choices.map(|choices| ((body, number), choices)));
        });
    }
    found
}

/// All values of a sort, or those given for an integer.
fn options(model: &Model, sort: Sort, values: Option<&[i64]>) -> Option<Vec<Expr>> {
    let expr = |kind, sort| Expr { kind, sort, span: Span::NONE };
    match sort {
        Sort::Bool => Some([true, false].map(|value| expr(ExprKind::Bool(value), sort)).to_vec()),
        Sort::Scalar(set) => {
            let set = model.scalar_set(set);
            Some((set.low..=set.high).map(|value| expr(ExprKind::Scalar(value), sort)).collect())
        }
        Sort::Int(width) => {
            let fits = values?.iter().filter_map(|&value| i32::try_from(value).ok());
            let fits = fits.filter(|value| width.range().contains(value));
            let all: Vec<Expr> = fits.map(|value| expr(ExprKind::Int(value), Sort::Int(Width::Int))).collect();
            (!all.is_empty()).then_some(all)
        }
        Sort::Rebec(_) | Sort::AnyRebec => None,
    }
}

/// Whether all sends of classes that have rebecs stay: a removed send may overflow a queue in the model. Every other
/// statement that may end a step of a model that creates rebecs is a criterion.
fn keeps_sends(kept: &Kept<'_, '_>) -> bool {
    let model = kept.graph.model;
    let live = live(model);
    bodies(model).into_iter().filter(|body| live.contains(&body.class)).all(|body| {
        let mut all_stay = true;
        all(0, &body.of(model).block, &mut |number, statement| {
            all_stay &= !matches!(statement.kind, StmtKind::Send { .. }) || kept.statement(body, number);
        });
        all_stay
    })
}

/// The first part that stays and might not end, or execute too many statements, with other values.
fn may_be_endless(kept: &Kept<'_, '_>) -> Option<Span> {
    let model = kept.graph.model;
    bodies(model).into_iter().find_map(|body| {
        let mut found = None;
        all(0, &body.of(model).block, &mut |number, statement| {
            let loops =
                matches!(statement.kind, StmtKind::Loop { .. }) || crate::analysis::reads::called(statement).is_some();
            if loops && kept.statement(body, number) {
                found.get_or_insert(statement.span);
            }
        });
        found.or_else(|| is_long(model, body, &|number| kept.statement(body, number)).then(|| body.span(model)))
    })
}

/// The first statement that makes a rebec.
fn creation(model: &Model) -> TextPlace {
    let found = bodies(model).into_iter().find_map(|body| {
        let mut found = None;
        all(0, &body.of(model).block, &mut |_, statement| {
            if matches!(statement.value(), Some(Rvalue::New { .. })) {
                found.get_or_insert(statement.span);
            }
        });
        found
    });
    TextPlace::Model(found.unwrap_or(Span::NONE))
}

fn removed(kept: &Kept<'_, '_>, maps: &Maps) -> Vec<Removed> {
    const NOTHING: &str = "no criterion depends on it";
    let model = kept.graph.model;
    let mut out = Vec::new();
    let mut add = |kind, name: String, span, reason| out.push(Removed { kind, name, span, reason });
    for (instance, map) in model.instances.iter().zip(&maps.rebecs) {
        if map.is_none() {
            add(RemovedKind::Rebec, instance.name.clone(), instance.span, "it sends nothing that matters");
        }
    }
    for (index, class) in model.classes.iter().enumerate() {
        let id = ClassId::from_index(index);
        if maps.classes[index].is_none() {
            add(RemovedKind::Class, class.name.clone(), class.span, NOTHING);
            continue;
        }
        for (variable, map) in class.variables.iter().zip(&maps.variables[index]) {
            if map.is_none() && variable.declared_in == id {
                add(RemovedKind::Variable, format!("{}.{}", class.name, variable.name), variable.span, NOTHING);
            }
        }
        for body in bodies(model).into_iter().filter(|body| body.class == id && body.declared_in(model) == id) {
            let name = format!("{}.{}", class.name, body.name(model));
            if !kept.member(body) {
                add(RemovedKind::Member, name, body.span(model), NOTHING);
                continue;
            }
            for (index, parameter) in body.of(model).parameters().iter().enumerate() {
                if !body.is_method() && !kept.parameter(body, index) {
                    let name = format!("{name}({})", parameter.name);
                    add(RemovedKind::Parameter, name, parameter.span, NOTHING);
                }
            }
            let mut dropped_until = 0;
            all(0, &body.of(model).block, &mut |number, statement| {
                let own = Key::Statement(body, number);
                if !kept.has(own) && statement.span.start >= dropped_until {
                    dropped_until = if statement.span.is_none() { dropped_until } else { statement.span.end };
                    add(RemovedKind::Statement, name.clone(), statement.span, NOTHING);
                } else if kept.has(own) && kept.replaced.contains_key(&(body, number)) {
                    add(RemovedKind::Value, name.clone(), statement.span, "it may be any of its values");
                }
            });
        }
    }
    out.sort_by_key(|one| (one.span.start, one.span.end));
    out
}

/// The graph from which a slice was cut, built again; for explanations.
pub(crate) fn graph_of(model: &Model) -> DependenceGraph<'_> {
    build(model, Switches::default())
}
