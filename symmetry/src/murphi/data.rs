//! Data of models of Murphi: values that are copied, compared for equality and chosen, and never counted, ordered or used as an index.
//!
//! A sort of data is a block of values that is proved for each class that has them, that no array has as indices, and that no loop takes one by one. How many of its values a state and a
//! step of a model need is counted as for processes: [`DataSort::needed`] is the number of values that each reachable state has to leave unused.
//!
//! # Soundness
//!
//! The argument is that for processes (`sequential::equivariance::data`): a run of the model with more values is a run of the model with fewer up to a map
//! that is injective on the values in use. The proof by text ([`equivariance`]) shows what it needs of the text: values of the block meet
//! values of their class only, are named nowhere, computed with nowhere, and each type of the class has all of them or none. In addition here:
//!
//! - what locals hold in the midst of a step was in the state before it, or is chosen by the ruleset, or bound by a quantifier around;
//! - quantifiers are nested through calls of functions, too, so their depths add up; a recursive function has none, and its model no data;
//! - the order in which quantifiers take values does not show, by the proof or since the search watched it: the values that a state does not hold are alike, so that
//!   more of them show no more than one;
//! - a range has no data where the text names a value above it, which a larger range would have;
//! - multisets have no data in them, since their elements are sorted by value;
//! - classes that share a type, or types with a sort in common, which grow for each of them, are one sort: what one of them tells apart is data of none, and what they hold is counted together.
//!
//! # Complexity
//!
//! That of the proof by text, for each class without indices.

use std::collections::{BTreeMap, BTreeSet};

use frontend::murphi::program::{
    Binder, Child, Claim, Expr, ExprKind, Frame, Header, Owner, ProcedureId, Program, SortId, Stmt, StmtKind, TypeId,
    TypeKind, Types,
};
use frontend::source::Span;

use super::action::{Cells, Renaming, cells};
use super::equivariance::{self, prove};
use super::group::ValidatedGroup;
use super::names::Names;
use super::order::Order;
use super::roles::{Class, Node, NodeId, Roles};
use super::uses::{Block, Facts, Uses, uses};

mutants::mutants! {
    /// Known-wrong variants of the numbers of values that are needed.
    pub struct Wrong {
        /// Rulesets choose no value.
        choices_are_free,
        /// Quantifiers need no value.
        quantifiers_are_free,
        /// Functions have no quantifiers.
        calls_are_free,
        /// Indices of arrays are data.
        indices_are_data,
        /// Values that a loop takes one by one are data.
        loops_are_data,
        /// Types that have the values of a sort and others do not grow with it.
        unions_are_apart,
        /// A group may move the data of each cell in a way of its own.
        cells_move_apart,
        /// More values do not reach those that the text names above the greatest.
        named_values_stay_beyond,
    }
}

/// Data, and the cells that may hold some.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataSort {
    /// The name of the sort: its type, or a place.
    pub name: String,
    /// The data, ascending.
    pub values: Vec<i32>,
    /// The cells of the state that may hold some, ascending, for each class that has them. Data of two classes never meet.
    pub cells: Vec<Vec<usize>>,
    /// The number of values that each reachable state has to leave unused; at least 1.
    pub needed: usize,
    /// The binders whose order a search has to watch: where it shows, nothing is known.
    pub watched: BTreeSet<Span>,
}

/// The data of a program, for these claims.
#[must_use]
pub fn data(program: &Program, claims: &[Claim], wrong: Wrong) -> Vec<DataSort> {
    let uses = uses(program, claims);
    let shape = Shape::of(program, &uses.roles);
    let families = families(&uses, &program.types, wrong)
        .into_iter()
        .filter_map(|classes| Family::of(program, &uses, &shape, classes, wrong));
    let families: Vec<Family> = families.collect();
    // Starts that no text gives are those of this number of values.
    if families.is_empty() || !program.further.is_empty() {
        return Vec::new();
    }
    let order = Order::new(program);
    let all = cells(program, &uses.roles, &Renaming::new()).classes;
    let of = |family: &Family| {
        let mut watched = BTreeSet::new();
        for block in family.blocks() {
            let wrong = equivariance::Wrong::default();
            watched.extend(prove(program, &uses.roles, &block, claims, &order, wrong).ok()?);
        }
        let needed = Needs { program, roles: &uses.roles, classes: &family.classes, wrong }.of_program()?;
        let of_class = |&class: &Class| (0..all.len()).filter(|&cell| all[cell] == class).collect();
        let cells: Vec<Vec<usize>> =
            family.classes.iter().map(of_class).filter(|cells: &Vec<usize>| !cells.is_empty()).collect();
        let blocks: Vec<Block> = family.blocks();
        let names = Names::new(program, &uses, &blocks.iter().collect::<Vec<_>>());
        let name = names.class(all[*cells.first()?.first()?]).to_owned();
        Some(DataSort { name, values: family.values.clone(), cells, needed: needed.max(1), watched })
    };
    families.iter().filter_map(of).collect()
}

/// Classes that share types: a type with more values has more for each of them.
struct Family {
    classes: BTreeSet<Class>,
    /// The values that no class tells apart.
    values: Vec<i32>,
}

impl Family {
    /// The family of some classes, unless one of them orders, computes or counts, is one of indices, or has values in multisets.
    fn of(program: &Program, uses: &Uses, shape: &Shape, classes: BTreeSet<Class>, wrong: Wrong) -> Option<Family> {
        let mut values: Option<Vec<i32>> = None;
        for &class in &classes {
            let facts = &uses.facts[class as usize];
            let is_index = shape.indices.contains(&class) && !wrong.indices_are_data();
            if !facts.obstacles.is_empty() || !facts.turns.is_empty() || is_index || shape.in_multisets.contains(&class)
            {
                return None;
            }
            if names_more(facts, &program.types) && !wrong.named_values_stay_beyond() {
                return None;
            }
            let [free] = &facts.parts(&program.types)[..] else { return None };
            let own = values.get_or_insert_with(|| free.clone());
            own.retain(|value| free.binary_search(value).is_ok());
        }
        let values = values.filter(|values| values.len() > 1)?;
        Some(Family { classes, values })
    }

    fn blocks(&self) -> Vec<Block> {
        let of = |&class: &Class| Block { class, values: self.values.clone(), is_ring: false };
        self.classes.iter().map(of).collect()
    }
}

/// Whether the text names a value above a range, which a larger range would have.
fn names_more(facts: &Facts, types: &Types) -> bool {
    let greatest = facts.named.keys().next_back();
    facts.types.keys().any(|&of| match (&types.kind(of), greatest) {
        (&TypeKind::Range { high, .. }, Some(named)) => of != Types::INTEGER && named > high,
        _ => false,
    })
}

/// The classes that are connected by types or sorts which they share: more values of one are more values of the other.
fn families(uses: &Uses, types: &Types, wrong: Wrong) -> Vec<BTreeSet<Class>> {
    let mut joined = petgraph::unionfind::UnionFind::<usize>::new(uses.facts.len());
    let mut owners: BTreeMap<TypeId, usize> = BTreeMap::new();
    for (class, facts) in uses.facts.iter().enumerate() {
        for &of in facts.types.keys().filter(|&&of| of != Types::INTEGER) {
            joined.union(class, *owners.entry(of).or_insert(class));
        }
    }
    // A union grows with each of its sorts.
    let mut of_sorts: BTreeMap<SortId, usize> = BTreeMap::new();
    for (&of, &class) in owners.iter().filter(|_| !wrong.unions_are_apart()) {
        if let TypeKind::Names(sorts) = types.kind(of) {
            for &sort in sorts {
                joined.union(class, *of_sorts.entry(sort).or_insert(class));
            }
        }
    }
    let mut found: BTreeMap<usize, BTreeSet<Class>> = BTreeMap::new();
    for (at, class) in (0..uses.facts.len()).zip(0..).filter(|(at, _)| !uses.facts[*at].types.is_empty()) {
        found.entry(joined.find(at)).or_default().insert(class);
    }
    found.into_values().collect()
}

/// Whether a group maps the data of each class in one way, whatever the cell that holds them, so that a state and its representative hold equally many
/// of each class.
#[must_use]
pub fn moves_as_one(program: &Program, group: &ValidatedGroup, data: &DataSort, wrong: Wrong) -> bool {
    if wrong.cells_move_apart() {
        return true;
    }
    if !group.exchanges().is_empty() {
        return false;
    }
    let is_value = |value: &i32| data.values.binary_search(value).is_ok();
    let are_sorted = data.values.is_sorted() && data.cells.iter().all(|own| own.is_sorted());
    debug_assert!(are_sorted, "data are ascending, for the search in them");
    group.blocks().iter().all(|proved| {
        let block = &proved.block;
        let inside = block.values.iter().filter(|value| is_value(value)).count();
        let is_whole = inside == 0 || inside == block.values.len();
        block.generators().into_iter().all(|images| {
            let renaming = Renaming::from([(block.class, images)]);
            let Cells { from, classes } = cells(program, group.roles(), &renaming);
            data.cells.iter().all(|own| {
                let renamed = own.iter().filter(|&&cell| classes[cell] == block.class).count();
                let are_kept = own.iter().all(|&cell| own.binary_search(&(from[cell] as usize)).is_ok());
                are_kept && (renamed == 0 || renamed == own.len() && is_whole)
            })
        })
    })
}

/// Whether a group moves these cells among each other and renames none of their values, so that the greatest value of them is the same in a
/// state and in its representative.
#[must_use]
pub fn keeps_values(program: &Program, group: &ValidatedGroup, own: &[usize]) -> bool {
    debug_assert!(own.is_sorted(), "cells are ascending, for the search in them");
    group.exchanges().is_empty()
        && group.blocks().iter().all(|proved| {
            let block = &proved.block;
            block.generators().into_iter().all(|images| {
                let Cells { from, classes } = cells(program, group.roles(), &Renaming::from([(block.class, images)]));
                let is_kept =
                    |&cell: &usize| classes[cell] != block.class && own.binary_search(&(from[cell] as usize)).is_ok();
                own.iter().all(is_kept)
            })
        })
}

/// The uses of classes by the places of a program.
#[derive(Default)]
struct Shape {
    indices: BTreeSet<Class>,
    in_multisets: BTreeSet<Class>,
}

impl Shape {
    fn of(program: &Program, roles: &Roles) -> Shape {
        let mut shape = Shape::default();
        for node in &roles.nodes {
            if let Node::Array(class, _) = node {
                shape.indices.insert(*class);
            }
        }
        assert_eq!(program.variables.len(), roles.variables.len(), "roles of this program");
        let frames =
            [&roles.starts, &roles.rules, &roles.properties, &roles.procedures].into_iter().flatten().flatten();
        for &node in roles.variables.iter().chain(frames).chain(roles.results.iter().flatten()) {
            shape.part(roles, node, false);
        }
        shape
    }

    fn part(&mut self, roles: &Roles, node: NodeId, is_inside: bool) {
        match roles.node(node) {
            Node::Simple(class) if is_inside => drop(self.in_multisets.insert(*class)),
            Node::Simple(_) | Node::Slot => {}
            Node::Array(_, part) => self.part(roles, *part, is_inside),
            Node::Record(parts) => parts.iter().for_each(|&part| self.part(roles, part, is_inside)),
            Node::Multiset(part) => self.part(roles, *part, true),
        }
    }
}

/// What counts the values of some classes that a step or a property needs beside those of the state.
#[derive(Clone, Copy)]
struct Needs<'p> {
    program: &'p Program,
    roles: &'p Roles,
    classes: &'p BTreeSet<Class>,
    wrong: Wrong,
}

/// The locals of the current text, and the most quantifiers within each other in each procedure that was counted.
struct Text<'t> {
    locals: &'t [NodeId],
    depths: &'t [usize],
}

impl Needs<'_> {
    /// The greatest number; `None` if a loop takes the values one by one, or a function is recursive.
    fn of_program(self) -> Option<usize> {
        let (program, roles) = (self.program, self.roles);
        assert!(roles.is_of(program), "roles of this program");
        let mut depths = vec![0; program.procedures.len()];
        for number in in_order_of_calls(program)? {
            let text = Text { locals: &roles.procedures[number], depths: &depths };
            depths[number] = self.body(&text, &program.procedures[number].body)?;
        }
        let mut most = 0;
        for own in program.texts().filter(|own| !matches!(own.owner, Owner::Procedure(_))) {
            let text = Text { locals: roles.locals(own.owner), depths: &depths };
            let condition = own.condition.map_or(Some(0), |condition| self.expr(&text, condition))?;
            let inner = condition.max(self.body(&text, own.body)?);
            most = most.max(inner + self.chosen(&text, own.header, own.frame)?);
        }
        Some(most)
    }

    fn is_own(self, text: &Text<'_>, binder: &Binder) -> bool {
        matches!(self.roles.node(text.locals[binder.local.index()]), Node::Simple(class) if self.classes.contains(class))
    }

    /// The values that a header chooses, and the quantifiers in its places.
    fn chosen(self, text: &Text<'_>, header: &[Header], frame: &Frame) -> Option<usize> {
        assert_eq!(frame.locals.len(), text.locals.len(), "roles of this frame");
        let (mut chosen, mut nested) = (0, 0);
        for construct in header {
            if let Header::For(binder) = construct {
                chosen += usize::from(self.is_own(text, binder) && !self.wrong.choices_are_free());
            }
            if let Some(child) = construct.child() {
                nested = nested.max(self.child(text, child)?);
            }
        }
        Some(chosen + nested)
    }

    /// The most quantifiers over the classes within each other.
    fn expr(self, text: &Text<'_>, expr: &Expr) -> Option<usize> {
        limits::work(1);
        let own = match &expr.kind {
            ExprKind::Quantified(_, binder, _) if self.is_own(text, binder) => {
                usize::from(!self.wrong.quantifiers_are_free())
            }
            ExprKind::Call(id, _) => self.called(text, id.index()),
            _ => 0,
        };
        Some(own + self.children(text, expr.children())?)
    }

    fn called(self, text: &Text<'_>, procedure: usize) -> usize {
        if self.wrong.calls_are_free() { 0 } else { text.depths[procedure] }
    }

    fn body(self, text: &Text<'_>, body: &[Stmt]) -> Option<usize> {
        let mut most = 0;
        for stmt in body {
            limits::work(1);
            let own = match &stmt.kind {
                StmtKind::For(binder, _) if self.is_own(text, binder) && !self.wrong.loops_are_data() => return None,
                StmtKind::Call(id, _) => self.called(text, id.index()),
                _ => 0,
            };
            most = most.max(own + self.children(text, stmt.children())?);
        }
        Some(most)
    }

    fn children(self, text: &Text<'_>, children: Vec<Child<'_>>) -> Option<usize> {
        let of = |most: Option<usize>, child| Some(most?.max(self.child(text, child)?));
        children.into_iter().fold(Some(0), of)
    }

    fn child(self, text: &Text<'_>, child: Child<'_>) -> Option<usize> {
        match child {
            Child::Expr(expr) => self.expr(text, expr),
            Child::Body(body) => self.body(text, body),
            Child::Place(place) => {
                place.indices().try_fold(0, |most: usize, index| Some(most.max(self.expr(text, index)?)))
            }
        }
    }
}

/// The procedures, each behind those that it calls; `None` if one calls itself.
fn in_order_of_calls(program: &Program) -> Option<Vec<usize>> {
    let calls: Vec<BTreeSet<usize>> = program.procedures.iter().map(|one| called(&one.body)).collect();
    let mut graph = petgraph::graph::DiGraph::<(), ()>::new();
    let nodes: Vec<_> = calls.iter().map(|_| graph.add_node(())).collect();
    for (number, list) in calls.iter().enumerate() {
        graph.extend_with_edges(list.iter().map(|&callee| (nodes[callee], nodes[number])));
    }
    let order = petgraph::algo::toposort(&graph, None).ok()?;
    Some(order.into_iter().map(petgraph::graph::NodeIndex::index).collect())
}

/// The procedures that a body calls.
fn called(body: &[Stmt]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    Child::Body(body).visit(&mut |part| found.extend(part.called().map(ProcedureId::index)));
    found
}
