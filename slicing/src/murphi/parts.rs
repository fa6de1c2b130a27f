//! The parts of variables and locals, whatever the indices on the way to them, and the parts that references stand for.

use std::collections::BTreeSet;

use frontend::murphi::program::{
    Argument, Base, Header, Owner, Part, Place, Program, Step, Stmt, StmtKind, Text, TypeId, TypeKind,
};

use super::Wrong;

/// A part by its number.
pub(super) type PartId = usize;

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
        for Text { owner, frame, .. } in program.texts() {
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
        for text in program.texts() {
            let mut refer = |owner: Owner, local: usize, to: &Place| {
                found.push((owner, local, self.place(text.owner, to)));
            };
            for construct in text.header {
                if let Header::Alias(binding) = construct {
                    binding.place().into_iter().for_each(|to| refer(text.owner, binding.local.index(), to));
                }
            }
            let mut note = |part: Part<'_>| {
                if let Part::Stmt(Stmt { kind: StmtKind::Alias(bindings, _), .. }) = part {
                    for binding in bindings {
                        binding.place().into_iter().for_each(|to| refer(text.owner, binding.local.index(), to));
                    }
                }
                let Some((procedure, arguments)) = part.call().filter(|_| !wrong.forgets_parameters()) else { return };
                for (number, argument) in arguments.iter().enumerate() {
                    if let Argument::Reference(to) = argument {
                        refer(Owner::Procedure(procedure.index()), number, to);
                    }
                }
            };
            text.children().for_each(|child| child.visit(&mut note));
        }
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
