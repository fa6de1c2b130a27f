//! The parts of variables and locals, whatever the indices on the way to them, and the parts that references stand for.

use std::collections::BTreeSet;

use frontend::murphi::program::{
    Argument, Base, Binding, Bound, Child, ExprKind, Frame, Header, Place, Procedure, Program, Step, StmtKind, TypeId,
    TypeKind,
};

use super::Wrong;

/// A part by its number.
pub(super) type PartId = usize;

/// A frame: of a procedure, start state, rule or property, each by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Owner {
    Procedure(usize),
    Start(usize),
    Rule(usize),
    Property(usize),
}

/// The parts of a part.
#[derive(Clone, Debug)]
enum Inside {
    /// None that are followed: of a simple part or of a multiset.
    Nothing,
    Fields(Vec<PartId>),
    Elements(PartId),
}

/// All parts of a program.
pub(super) struct Parts {
    inside: Vec<Inside>,
    pub(super) variables: Vec<PartId>,
    /// For each local of each frame, the parts that it is or stands for.
    locals: Vec<(Owner, Vec<BTreeSet<PartId>>)>,
}

impl Parts {
    pub(super) fn new(program: &Program, wrong: Wrong) -> Parts {
        let mut parts = Parts { inside: Vec::new(), variables: Vec::new(), locals: Vec::new() };
        parts.variables = program.variables.iter().map(|variable| parts.add(program, variable.of)).collect();
        for (owner, frame) in frames(program) {
            let local = |parts: &mut Parts, local: &frontend::murphi::program::Local| match local.kind.is_reference() {
                true => BTreeSet::new(),
                false => BTreeSet::from([parts.add(program, local.of)]),
            };
            let locals = frame.locals.iter().map(|own| local(&mut parts, own)).collect();
            parts.locals.push((owner, locals));
        }
        parts.locals.sort_by_key(|(owner, _)| *owner);
        assert!(parts.locals.windows(2).all(|pair| pair[0].0 < pair[1].0), "every frame is listed once");
        while parts.bind(program, wrong) {}
        parts
    }

    fn add(&mut self, program: &Program, of: TypeId) -> PartId {
        limits::work(1);
        let inside = match program.types.kind(of) {
            TypeKind::Array { element, .. } => Inside::Elements(self.add(program, *element)),
            TypeKind::Record(fields) => {
                Inside::Fields(fields.iter().map(|field| self.add(program, field.of)).collect())
            }
            _ => Inside::Nothing,
        };
        self.inside.push(inside);
        self.inside.len() - 1
    }

    /// The number of parts.
    pub(super) fn len(&self) -> usize {
        self.inside.len()
    }

    /// The parts without parts in a part.
    pub(super) fn leaves(&self, part: PartId, found: &mut BTreeSet<PartId>) {
        match &self.inside[part] {
            Inside::Nothing => drop(found.insert(part)),
            Inside::Fields(list) => list.iter().for_each(|&part| self.leaves(part, found)),
            Inside::Elements(part) => self.leaves(*part, found),
        }
    }

    fn of_frame(&self, owner: Owner) -> usize {
        self.locals.binary_search_by_key(&owner, |(owner, _)| *owner).expect("all frames are known")
    }

    /// The parts that a place may be.
    pub(super) fn place(&self, owner: Owner, place: &Place) -> BTreeSet<PartId> {
        let from = match place.base {
            Base::Variable(id) => BTreeSet::from([self.variables[id.index()]]),
            Base::Local(id) => self.locals[self.of_frame(owner)].1[id.index()].clone(),
        };
        let inside = |part: PartId| {
            place.steps.iter().fold(part, |part, step| match (step, &self.inside[part]) {
                (Step::Field(field), Inside::Fields(list)) => list[*field],
                (Step::Index(_), Inside::Elements(part)) => *part,
                // The rest is inside of a multiset.
                _ => part,
            })
        };
        from.into_iter().map(inside).collect()
    }

    /// The leaves that a place may be or contain.
    pub(super) fn of_place(&self, owner: Owner, place: &Place) -> BTreeSet<PartId> {
        let mut leaves = BTreeSet::new();
        self.place(owner, place).into_iter().for_each(|part| self.leaves(part, &mut leaves));
        leaves
    }

    /// Gives references what they may stand for by what is known; whether there is more.
    fn bind(&mut self, program: &Program, wrong: Wrong) -> bool {
        let mut found: Vec<(Owner, usize, BTreeSet<PartId>)> = Vec::new();
        each_part(program, &mut |owner, child| match child {
            Binds::Alias(Binding { local, to: Bound::Place(place) }) => {
                found.push((owner, local.index(), self.place(owner, place)));
            }
            Binds::Alias(_) => {}
            Binds::Call(procedure, arguments) => {
                for (number, argument) in arguments.iter().enumerate() {
                    if let (Argument::Reference(place), false) = (argument, wrong.forgets_parameters()) {
                        found.push((Owner::Procedure(procedure), number, self.place(owner, place)));
                    }
                }
            }
        });
        let mut is_more = false;
        for (owner, local, parts) in found {
            let frame = self.of_frame(owner);
            let known = &mut self.locals[frame].1[local];
            let before = known.len();
            known.extend(parts);
            is_more |= known.len() > before;
        }
        is_more
    }
}

/// All frames with their owners.
fn frames(program: &Program) -> impl Iterator<Item = (Owner, &Frame)> {
    let procedures = program.procedures.iter().enumerate();
    procedures
        .map(|(number, procedure)| (Owner::Procedure(number), &procedure.frame))
        .chain(program.starts.iter().enumerate().map(|(number, rule)| (Owner::Start(number), &rule.frame)))
        .chain(program.rules.iter().enumerate().map(|(number, rule)| (Owner::Rule(number), &rule.frame)))
        .chain(program.properties.iter().enumerate().map(|(number, own)| (Owner::Property(number), &own.frame)))
}

/// The construct that gives references their meaning.
enum Binds<'p> {
    Alias(&'p Binding),
    Call(usize, &'p [Argument]),
}

fn each_part<'p>(program: &'p Program, visit: &mut dyn FnMut(Owner, Binds<'p>)) {
    for (number, Procedure { body, .. }) in program.procedures.iter().enumerate() {
        child(Owner::Procedure(number), Child::Body(body), visit);
    }
    let starts = program.starts.iter().enumerate().map(|(number, rule)| (Owner::Start(number), rule));
    let rules = program.rules.iter().enumerate().map(|(number, rule)| (Owner::Rule(number), rule));
    for (owner, rule) in starts.chain(rules) {
        header(owner, &rule.header, visit);
        rule.guard.iter().for_each(|guard| child(owner, Child::Expr(guard), visit));
        child(owner, Child::Body(&rule.body), visit);
    }
    for (number, property) in program.properties.iter().enumerate() {
        header(Owner::Property(number), &property.header, visit);
        child(Owner::Property(number), Child::Expr(&property.condition), visit);
    }
}

fn header<'p>(owner: Owner, list: &'p [Header], visit: &mut dyn FnMut(Owner, Binds<'p>)) {
    for construct in list {
        match construct {
            Header::Alias(binding) => {
                child(owner, binding.child(), visit);
                visit(owner, Binds::Alias(binding));
            }
            Header::Choose(slots) => child(owner, Child::Place(&slots.multiset), visit),
            Header::For(_) => {}
        }
    }
}

fn child<'p>(owner: Owner, of: Child<'p>, visit: &mut dyn FnMut(Owner, Binds<'p>)) {
    limits::work(1);
    match of {
        Child::Expr(expr) => {
            if let ExprKind::Call(id, arguments) = &expr.kind {
                visit(owner, Binds::Call(id.index(), arguments));
            }
            expr.children().into_iter().for_each(|part| child(owner, part, visit));
        }
        Child::Place(place) => place.indices().for_each(|index| child(owner, Child::Expr(index), visit)),
        Child::Body(body) => {
            for stmt in body {
                match &stmt.kind {
                    StmtKind::Alias(bindings, _) => bindings.iter().for_each(|own| visit(owner, Binds::Alias(own))),
                    StmtKind::Call(id, arguments) => visit(owner, Binds::Call(id.index(), arguments)),
                    _ => {}
                }
                stmt.children().into_iter().for_each(|part| child(owner, part, visit));
            }
        }
    }
}
