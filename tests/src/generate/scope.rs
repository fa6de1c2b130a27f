//! The scope of the body that is being written, and the budgets that keep it small.

use super::skeleton::{Creation, Names};
use super::spec::{Axis, MemberKind, MemberSpec, ModelSpec, Sort};
use crate::random::Rng;

/// A name in scope.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) name: String,
    pub(super) sort: Sort,
    pub(super) axes: Vec<Axis>,
    pub(super) is_assignable: bool,
}

/// Writes the body of one member.
pub(super) struct Writer<'a> {
    pub(super) rng: &'a mut Rng,
    pub(super) names: &'a mut Names,
    pub(super) spec: &'a ModelSpec,
    pub(super) creations: &'a [Creation],
    pub(super) class: &'a str,
    pub(super) kind: &'a MemberKind,
    pub(super) scope: Vec<Binding>,
    /// The number of `?(..)` that may still be written.
    pub(super) choices: usize,
    /// The number of sends that may still be written.
    pub(super) sends: usize,
    /// Whether a `break` is legal, and whether a `continue` cannot make the loop endless.
    pub(super) may_break: bool,
    pub(super) may_continue: bool,
    /// Whether faults are avoided: in most starts, or few models would run at all.
    pub(super) is_careful: bool,
    /// Nesting of blocks.
    pub(super) depth: usize,
}

impl<'a> Writer<'a> {
    /// A writer for a member of a class; `spec` holds all declarations.
    pub(super) fn new(
        rng: &'a mut Rng,
        names: &'a mut Names,
        spec: &'a ModelSpec,
        creations: &'a [Creation],
        (class, member): (&'a str, &'a MemberSpec),
    ) -> Writer<'a> {
        let mut scope = Vec::new();
        let bind = |name: &str, sort: Sort, axes: Vec<Axis>, is_assignable: bool| Binding {
            name: name.to_owned(),
            sort,
            axes,
            is_assignable,
        };
        for (name, _) in &spec.environment {
            scope.push(bind(name, Sort::Int, Vec::new(), false));
        }
        for name in &spec.features {
            scope.push(bind(name, Sort::Bool, Vec::new(), false));
        }
        for declaring in spec.lineage(class) {
            for known in &declaring.known {
                let set = declaring.set.as_ref().filter(|_| known.is_grouped);
                let axes = set.map(|set| Axis::Set(set.name.clone())).into_iter().collect();
                scope.push(bind(&known.name, Sort::Rebec(known.class.clone()), axes, false));
            }
            for variable in declaring.variables.iter().filter(|variable| !variable.is_counter) {
                scope.push(bind(&variable.name, variable.sort.clone(), variable.axes.clone(), true));
            }
        }
        for (name, sort) in &member.parameters {
            scope.push(bind(name, sort.clone(), Vec::new(), true));
        }
        let sends = match member.kind {
            MemberKind::Start => rng.weighted(&[2, 9, 1]),
            MemberKind::Server => rng.weighted(&[2, 12, 3]),
            MemberKind::Method(_) => rng.weighted(&[6, 2]),
        };
        let choices = rng.weighted(&[4, 4, 1]);
        let is_careful = member.kind == MemberKind::Start && rng.chance(92);
        Writer {
            rng,
            names,
            spec,
            creations,
            class,
            kind: &member.kind,
            scope,
            choices,
            sends,
            may_break: false,
            may_continue: false,
            is_careful,
            depth: 0,
        }
    }

    /// The names in scope that satisfy a condition.
    pub(super) fn bindings(&self, wanted: impl Fn(&Binding) -> bool) -> Vec<Binding> {
        self.scope.iter().filter(|binding| wanted(binding)).cloned().collect()
    }

    /// The methods of the class, inherited ones included, whose result satisfies a condition.
    pub(super) fn methods(&self, wanted: impl Fn(Option<&Sort>) -> bool) -> Vec<MemberSpec> {
        let mut found: Vec<MemberSpec> = Vec::new();
        for member in self.spec.lineage(self.class).into_iter().flat_map(|class| &class.members) {
            if let MemberKind::Method(result) = &member.kind
                && wanted(result.as_ref())
                && !found.iter().any(|other| other.name == member.name)
            {
                found.push(member.clone());
            }
        }
        found
    }
}
