//! [`Uses`]: the classes of a process, and the constraints that its text makes on permutations of their values.
//!
//! Every variable, dimension, parameter and value of a term is a node. `=`, `!=`, assignment, indexing, the branches of `ite` and
//! tables that copy their index join nodes; the classes are the joined nodes. Terms that compute or order values of one place only, such
//! as `(i + 1) mod N` or `i < 3`, are functions of these values, with a node of their own for the result; all other operands of
//! arithmetic and order are rigid.

mod walk;

use std::collections::BTreeSet;

use csp::ground::Symmetry;
use frontend::sequential::interpret::{State, evaluate};
use frontend::sequential::{Expr, ExprKind, Sequential, SortId, SummandId, TableId};
use frontend::source::Span;
use rustc_hash::FxHashMap;

use self::walk::Walk;
use super::images::Images;
use super::obstacles::{Obstacle, Obstruction};
use super::tries::Action;

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
        /// Numbers that are equal in one process are equal in all of its family.
        families_keep_literals,
        /// A sort has all its permutations if one class of its values has.
        one_class_is_enough,
        /// Operands of `&&` and `||` have no order in texts that are compared, even where one of them may fault.
        renamed_faults_commute,
        /// Assignments next to each other have no order in texts that are compared.
        renamed_steps_commute,
        /// Variables that change places may have different initial values.
        renamed_starts_differ,
        /// A summand may be the image of several.
        renamed_summands_repeat,
        /// Arrays of as many elements may change places whatever their indices.
        renamed_indices_differ,
        /// Sorts with the values of the processes of weak fairness are their sort.
        renamed_processes_are_values,
        /// Properties need not say the same with other names.
        renamed_properties_differ,
    }
}

/// Whether the order shows in which a quantifier takes its values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// It stops at the first value that decides, so that a fault of its body for another one may come before or behind that.
    Shows,
    /// It evaluates its body for all values.
    Hidden,
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
    /// The classes with a quantifier whose body may fault, or a loop whose rounds may not commute, for other values of constants.
    open: Vec<Class>,
    fair: Option<Class>,
    /// By class: whether its values are neither ordered nor computed with, and are no part of a table.
    is_compared: Vec<bool>,
    /// By class: whether its values are in no variable and no index of one.
    is_hidden: Vec<bool>,
    /// By class: the variables and locals that have such values or such indices, ascending.
    users: Vec<Vec<usize>>,
    pub(super) wrong: Wrong,
}

impl Uses {
    /// The constraints of a process and of these conditions on its states.
    pub(super) fn new(model: &Sequential, conditions: &[&Expr], wrong: Wrong) -> Uses {
        Uses::with(model, (conditions, Order::Shows), wrong)
    }

    /// As [`Uses::new`], where the order of the values of a quantifier in the conditions shows in any state, or in none.
    pub(super) fn with(model: &Sequential, (conditions, order): (&[&Expr], Order), wrong: Wrong) -> Uses {
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
        walk.order = order;
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

    /// The images that tables and functions give the values of classes that are in no variable, where none of these values moves yet.
    pub(super) fn demanded(&self, model: &Sequential, images: &Images) -> Vec<(Class, Vec<(i32, i32)>)> {
        let is_open = |from: &[Class], to: Class| {
            self.is_hidden[to as usize] && !images.moves(to) && from.iter().any(|&class| images.moves(class))
        };
        let tables = self.tables.iter().filter(|used| is_open(&used.indices, used.value));
        let tables = tables.map(|used| (used.value, images_of_entries(model, used, images)));
        let functions = self.functions.iter().filter(|function| is_open(&[function.from], function.to));
        let functions = functions.map(|function| (function.to, images_of_results(model, function, images)));
        tables.chain(functions).filter_map(|(class, pairs)| Some((class, pairs?))).collect()
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

    /// The variables and locals that have values or indices of a class, ascending.
    pub(super) fn users(&self, class: Class) -> &[usize] {
        &self.users[class as usize]
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
        let Constraints { named, domains, .. } = &self.classes[class as usize];
        let mut sorts = domains.keys().copied();
        let only = sorts.next().filter(|_| sorts.next().is_none());
        only.filter(|_| named.is_empty() && !self.open.contains(&class) && self.is_compared[class as usize])
    }

    /// The sorts whose values are compared for equality and copied only, joined where they meet, each with the values that the text names.
    pub(super) fn compared_sorts(&self) -> Vec<(BTreeSet<SortId>, BTreeSet<i32>)> {
        let mut parts: Vec<(BTreeSet<SortId>, BTreeSet<i32>, bool)> = Vec::new();
        for (constraints, class) in self.classes.iter().zip(0..) {
            let mut part: (BTreeSet<SortId>, BTreeSet<i32>, bool) = (
                constraints.domains.keys().copied().collect(),
                constraints.named.keys().copied().collect(),
                self.is_compared[class as usize],
            );
            if part.0.is_empty() {
                continue;
            }
            limits::work(1 + parts.len() as u64);
            parts.retain(|(sorts, named, is_compared)| {
                let is_apart = sorts.is_disjoint(&part.0);
                if !is_apart {
                    part.0.extend(sorts);
                    part.1.extend(named);
                    part.2 &= is_compared;
                }
                is_apart
            });
            parts.push(part);
        }
        parts.into_iter().filter(|part| part.2).map(|(sorts, named, _)| (sorts, named)).collect()
    }

    /// The processes of weak fairness that move.
    pub(super) fn processes(&self, model: &Sequential, images: &Images) -> Vec<(i32, i32)> {
        let (Some(fair), Some(sort)) = (self.fair, model.fair) else { return Vec::new() };
        images.moved(fair).filter(|(value, _)| model.domain(sort).contains(*value)).collect()
    }
}

/// The action of permutations of classes.
pub(super) struct Permuted<'a> {
    pub(super) uses: &'a Uses,
    pub(super) images: Images,
}

impl Action for Permuted<'_> {
    fn apply(&self, model: &Sequential, state: &State) -> State {
        self.images.apply(model, state)
    }

    fn summand(&self, model: &Sequential, number: usize) -> SummandId {
        SummandId::from_index(number % model.summands.len())
    }
}

impl Symmetry for Permuted<'_> {
    fn instance(&self, summand: SummandId, parameters: &[i32]) -> (SummandId, Vec<i32>) {
        let classes = &self.uses.parameters[summand.index()];
        assert_eq!(classes.len(), parameters.len(), "each value has its class");
        (summand, classes.iter().zip(parameters).map(|(&class, &value)| self.images.image(class, value)).collect())
    }

    fn argument(&self, summand: SummandId, place: usize, value: i32) -> i32 {
        self.images.image(self.uses.arguments[summand.index()][place], value)
    }
}

/// By class, whether its values are neither ordered nor computed with, and are no part of a table.
fn compared_classes(classes: &[Constraints], tables: &[TableUse], functions: &[Function]) -> Vec<bool> {
    let mut compared: Vec<bool> =
        classes.iter().map(|class| class.rigid.is_empty() && class.ordered.is_empty()).collect();
    let in_tables = tables.iter().flat_map(|used| used.indices.iter().chain([&used.value]));
    let in_functions = functions.iter().flat_map(|function| [&function.from, &function.to]);
    in_tables.chain(in_functions).for_each(|&class| compared[class as usize] = false);
    compared
}

/// The dimensions of a table, with the classes of its indices.
fn dimensions(model: &Sequential, used: &TableUse) -> Vec<Dimension> {
    let table = model.table(used.table);
    let domains = table.indices.iter().map(|&sort| model.domain(sort));
    let mut stride = table.values.len();
    assert_eq!(table.indices.len(), used.indices.len(), "a class for each dimension");
    domains
        .zip(&used.indices)
        .map(|(domain, &class)| {
            stride /= domain.size();
            Dimension { low: domain.bounds().0, size: domain.size(), stride, class }
        })
        .collect()
}

/// The place of the entry with the images of the indices of an entry.
fn image_of(dimensions: &[Dimension], images: &Images, place: usize) -> Option<usize> {
    dimensions.iter().try_fold(0, |image, dimension| {
        let index = images.image(dimension.class, dimension.low + dimension.step(place));
        let step = usize::try_from(index.checked_sub(dimension.low)?).ok().filter(|&step| step < dimension.size)?;
        Some(image + step * dimension.stride)
    })
}

/// The entries of a table with those at the images of their indices.
fn images_of_entries(model: &Sequential, used: &TableUse, images: &Images) -> Option<Vec<(i32, i32)>> {
    let (values, dimensions) = (&model.table(used.table).values, dimensions(model, used));
    limits::work(values.len() as u64);
    (0..values.len()).map(|place| Some((values[place], values[image_of(&dimensions, images, place)?]))).collect()
}

/// Whether the entries of a table move with its indices.
///
/// # Complexity
/// The entries with an index that moves; all entries where values of the class of entries move.
fn keeps_table(model: &Sequential, used: &TableUse, images: &Images) -> bool {
    let (table, dimensions) = (model.table(used.table), dimensions(model, used));
    let is_kept = |place: usize| {
        let image = image_of(&dimensions, images, place);
        image.is_some_and(|image| table.values[image] == images.image(used.value, table.values[place]))
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

/// The results of a function with those of the images of its values.
fn images_of_results(model: &Sequential, function: &Function, images: &Images) -> Option<Vec<(i32, i32)>> {
    let domain = model.domain(function.domain);
    limits::work(domain.size() as u64);
    let result = |value: i32| evaluate(model, &function.body, &[], &[value]).ok();
    let images = domain.values().map(|value| (result(value), result(images.image(function.from, value))));
    images.filter(|pair| *pair != (None, None)).map(|(value, image)| value.zip(image)).collect()
}
