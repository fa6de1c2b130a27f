//! The bodies of a model and the numbers of their statements.
//!
//! Statements are numbered in the order of the text, parents before children: the first child of a statement has the
//! number of the statement plus one. Copies of one body in heirs have equal numbers, because inheritance lowers the
//! same text again.

use frontend::model::{Block, Body, Class, ClassId, MethodId, Model, ServerId, Stmt};
use frontend::source::Span;

/// A member of a class that has a body.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Member {
    /// A message server.
    Server(ServerId),
    /// A synchronous method.
    Method(MethodId),
    /// The constructor.
    Constructor,
}

/// A body: a member of a class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BodyRef {
    /// The class whose copy it is.
    pub class: ClassId,
    /// The member.
    pub member: Member,
}

impl BodyRef {
    /// The body itself.
    pub(crate) fn of(self, model: &Model) -> &Body {
        let class = model.class(self.class);
        match self.member {
            Member::Server(id) => &class.servers[id.index()].body,
            Member::Method(id) => &class.methods[id.index()].body,
            Member::Constructor => &class.constructor.as_ref().expect("listed because it is there").body,
        }
    }

    /// The name of the member, that of the class for a constructor; the class whose text holds it, and the place there.
    fn heading(self, model: &Model) -> (&str, ClassId, Span) {
        let class = model.class(self.class);
        match self.member {
            Member::Server(id) => {
                let server = &class.servers[id.index()];
                (&server.name, server.declared_in, server.span)
            }
            Member::Method(id) => {
                let method = &class.methods[id.index()];
                (&method.name, method.declared_in, method.span)
            }
            Member::Constructor => {
                let constructor = class.constructor.as_ref().expect("listed because it is there");
                (&class.name, constructor.declared_in, constructor.span)
            }
        }
    }

    /// The name of the member; that of the class for a constructor.
    pub(crate) fn name(self, model: &Model) -> &str {
        self.heading(model).0
    }

    /// The class whose text holds the body.
    pub(crate) fn declared_in(self, model: &Model) -> ClassId {
        self.heading(model).1
    }

    /// Its declaration.
    pub(crate) fn span(self, model: &Model) -> Span {
        self.heading(model).2
    }

    /// Whether it is a method; a method is kept whole or removed whole.
    pub(crate) fn is_method(self) -> bool {
        matches!(self.member, Member::Method(_))
    }
}

/// The bodies of one class.
pub(crate) fn bodies_of(id: ClassId, class: &Class) -> Vec<BodyRef> {
    let member = |member| BodyRef { class: id, member };
    let servers = (0..class.servers.len()).map(|index| member(Member::Server(ServerId::from_index(index))));
    let methods = (0..class.methods.len()).map(|index| member(Member::Method(MethodId::from_index(index))));
    let constructor = class.constructor.iter().map(|_| member(Member::Constructor));
    servers.chain(methods).chain(constructor).collect()
}

/// The bodies of a model, class by class.
pub(crate) fn bodies(model: &Model) -> Vec<BodyRef> {
    let classes = model.classes.iter().enumerate();
    classes.flat_map(|(index, class)| bodies_of(ClassId::from_index(index), class)).collect()
}

/// The number of statements in a statement: itself and its children.
fn size(statement: &Stmt) -> usize {
    1 + statement.blocks().into_iter().map(length).sum::<usize>()
}

/// The number of statements of a block, their children included.
pub(crate) fn length(block: &Block) -> usize {
    block.iter().map(size).sum()
}

/// The statements of a block with their numbers, the first of which is given.
pub(crate) fn numbered(first: usize, block: &Block) -> impl Iterator<Item = (usize, &Stmt)> {
    block.iter().scan(first, |next, statement| {
        let number = *next;
        *next += size(statement);
        Some((number, statement))
    })
}

/// The blocks inside a statement of a number, each with the number of its first statement.
pub(crate) fn inner(number: usize, statement: &Stmt) -> impl Iterator<Item = (usize, &Block)> {
    statement.blocks().into_iter().scan(number + 1, |next, block| {
        let first = *next;
        *next += length(block);
        Some((first, block))
    })
}

/// Every statement of a block with its number, parents first.
pub(crate) fn all<'a>(first: usize, block: &'a Block, visit: &mut dyn FnMut(usize, &'a Stmt)) {
    let mut next = first;
    walk(&mut next, block, visit);
    debug_assert_eq!(next, first + length(block), "every statement has one number");
}

fn walk<'a>(next: &mut usize, block: &'a Block, visit: &mut dyn FnMut(usize, &'a Stmt)) {
    for statement in block {
        visit(*next, statement);
        *next += 1;
        for inner in statement.blocks() {
            walk(next, inner, visit);
        }
    }
}
