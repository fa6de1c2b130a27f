//! Functions of one name that move it on by a constant around the ring `0 .. size - 1`: they commute with rotations.
//!
//! Such are `(i + 1) % N`, `i = N - 1 ? 0 : i + 1`, `1 - i` of two names, a function that returns one of these, and an `if` that assigns
//! them to one place. Whatever the form, the function is evaluated for each name of the ring.
//!
//! # Soundness
//!
//! A [`Turn`] reads nothing but one name: one place, which may be read several times, or another expression that is evaluated exactly once. Its values for
//! all names of the ring are known then, and no evaluation of it faults unless that of the name does. `f(i) = i + f(0)` modulo the size for each `i`
//! holds if and only if `f` commutes with every rotation.
//!
//! # Complexity
//!
//! The size of the ring times that of the expression; the first name that moves otherwise ends it.

use frontend::murphi::interpret::{binary, unary};
use frontend::murphi::program::{
    Argument, Base, Branch, Child, Expr, ExprKind, LocalId, LocalKind, Part, Place, ProcedureId, Program, Stmt,
    StmtKind, TypeId, Types,
};

use super::collect::is_same;

/// The deepest nesting of functions that are looked into.
const DEPTH: usize = 2;

/// What is made of one name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Made<'p> {
    /// The value of an expression.
    Value(&'p Expr),
    /// The result of the statements of a function, or what they assign.
    Body(&'p [Stmt]),
}

/// A function of one name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn<'p> {
    /// The name.
    pub(super) name: &'p Expr,
    made: Made<'p>,
}

/// Whether the values of a type are `0 .. size - 1`.
pub(super) fn is_ring(types: &Types, of: TypeId, size: usize) -> bool {
    let last = i32::try_from(size).map_or(0, |size| size - 1);
    types.is_simple(of) && of != Types::BOOLEAN && types.values(of) == [0..=last]
}

/// The number of values of a type that is a ring.
pub(super) fn size(types: &Types, of: TypeId) -> Option<usize> {
    let size = if types.is_simple(of) { types.count(of) } else { 0 };
    is_ring(types, of, size).then_some(size)
}

/// The function of one name that an expression is, where it is more than the name.
pub(super) fn of_expr<'p>(program: &'p Program, expr: &'p Expr) -> Option<Turn<'p>> {
    let is_one = match &expr.kind {
        ExprKind::Binary(op, ..) => !op.is_comparison(),
        ExprKind::Conditional(..) => true,
        _ => false,
    };
    let made = Made::Value(expr);
    let mut leaf = Leaf::new(program);
    let is_read = is_one && expr.of != Types::BOOLEAN && leaf.expr(expr, DEPTH);
    Some(Turn { name: leaf.name().filter(|_| is_read)?, made })
}

/// The place to which each branch of an `if` assigns a function of one name.
pub(super) fn of_stmt<'p>(program: &'p Program, stmt: &'p Stmt) -> Option<(&'p Place, Turn<'p>)> {
    let StmtKind::If(branches, otherwise) = &stmt.kind else { return None };
    let bodies = branches.iter().map(|branch| &branch.body).chain([otherwise]);
    let mut places = bodies.map(|body| match body.as_slice() {
        [Stmt { kind: StmtKind::Assign(place, value), .. }] if value.of != Types::BOOLEAN => Some(place),
        _ => None,
    });
    let place = places.next()??;
    let is_one = places.all(|other| other.is_some_and(|other| is_same(place, other)));
    let body = std::slice::from_ref(stmt);
    let mut leaf = Leaf::new(program);
    let is_read = is_one && leaf.body(body, DEPTH);
    Some((place, Turn { name: leaf.name().filter(|_| is_read)?, made: Made::Body(body) }))
}

/// Whether a function of one parameter moves every name around the ring by one constant.
pub(super) fn is_turn(program: &Program, id: ProcedureId, size: usize) -> bool {
    let procedure = program.procedure(id);
    let has_ring = |of: TypeId| is_ring(&program.types, of, size);
    is_pure(program, id, DEPTH)
        && has_ring(procedure.frame.locals[0].of)
        && procedure.result.is_some_and(has_ring)
        && commutes(program, Made::Body(&procedure.body), size)
}

impl Turn<'_> {
    /// The size of the ring around which the name is moved, by its type.
    pub(super) fn size(&self, program: &Program) -> Option<usize> {
        size(&program.types, self.name.of).filter(|&size| self.commutes(program, size))
    }

    /// Whether every name is moved around a ring of this size by one constant.
    pub(super) fn commutes(&self, program: &Program, size: usize) -> bool {
        commutes(program, self.made, size)
    }

    /// Known to be wrong: whether the first name stays in the ring.
    pub(super) fn keeps_first(&self, program: &Program, size: usize) -> bool {
        let image = made(program, self.made, 0).and_then(|image| usize::try_from(image).ok());
        image.is_some_and(|image| image < size)
    }
}

fn commutes(program: &Program, of: Made<'_>, size: usize) -> bool {
    let Ok(last) = i32::try_from(size) else { return false };
    let Some(amount) = made(program, of, 0).filter(|amount| (0..last).contains(amount)) else { return false };
    let is_moved = |name: i32| {
        limits::work(8);
        made(program, of, name) == Some((name + amount) % last)
    };
    last > 1 && last <= i32::MAX / 2 && (1..last).all(is_moved)
}

/// Whether a function reads nothing but its one parameter, and returns.
fn is_pure(program: &Program, id: ProcedureId, depth: usize) -> bool {
    let procedure = program.procedure(id);
    let is_one = procedure.parameters == 1
        && procedure.result.is_some_and(|of| of != Types::BOOLEAN)
        && procedure.frame.locals.len() == 1
        && procedure.frame.locals[0].kind == LocalKind::Value;
    let mut leaf = Leaf::new(program);
    let is_parameter = |name: &Expr| match &name.kind {
        ExprKind::Read(place) => place.base == Base::Local(LocalId::from_index(0)) && place.steps.is_empty(),
        _ => false,
    };
    let mut assigns = false;
    Child::Body(&procedure.body).visit(&mut |part| {
        assigns |= matches!(part, Part::Stmt(Stmt { kind: StmtKind::Assign(..), .. }));
    });
    is_one && !assigns && depth > 0 && leaf.body(&procedure.body, depth - 1) && leaf.name().is_some_and(is_parameter)
}

/// The search for the one name that is read.
struct Leaf<'p> {
    program: &'p Program,
    name: Option<&'p Expr>,
    /// Whether some parts may not be evaluated.
    has_branches: bool,
}

impl<'p> Leaf<'p> {
    fn new(program: &'p Program) -> Leaf<'p> {
        Leaf { program, name: None, has_branches: false }
    }

    /// The name, if one place is read, or another expression is evaluated exactly once.
    fn name(&self) -> Option<&'p Expr> {
        self.name.filter(|name| !self.has_branches || matches!(name.kind, ExprKind::Read(_)))
    }

    /// Visits an expression; returns whether it reads no second name.
    fn expr(&mut self, expr: &'p Expr, depth: usize) -> bool {
        limits::work(1);
        match &expr.kind {
            ExprKind::Value(_) => true,
            ExprKind::Unary(_, inner) => self.expr(inner, depth),
            ExprKind::Binary(_, left, right) => self.expr(left, depth) && self.expr(right, depth),
            ExprKind::And(list) | ExprKind::Or(list) => {
                self.has_branches = true;
                list.iter().all(|part| self.expr(part, depth))
            }
            ExprKind::Implies(left, right) => {
                self.has_branches = true;
                self.expr(left, depth) && self.expr(right, depth)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                self.has_branches = true;
                [condition, then, otherwise].into_iter().all(|part| self.expr(part, depth))
            }
            ExprKind::Call(id, arguments) => match arguments.as_slice() {
                [Argument::Value(value)] if is_pure(self.program, *id, depth) => self.expr(value, depth),
                _ => self.other(expr),
            },
            _ => self.other(expr),
        }
    }

    fn other(&mut self, expr: &'p Expr) -> bool {
        match (self.name.map(|name| &name.kind), &expr.kind) {
            (None, _) => {
                self.name = Some(expr);
                true
            }
            (Some(ExprKind::Read(known)), ExprKind::Read(place)) => is_same(known, place),
            _ => false,
        }
    }

    /// Visits statements that only choose what is returned or assigned.
    fn body(&mut self, body: &'p [Stmt], depth: usize) -> bool {
        body.iter().all(|stmt| match &stmt.kind {
            StmtKind::Return(Some(value)) | StmtKind::Assign(_, value) => self.expr(value, depth),
            StmtKind::If(branches, otherwise) => {
                self.has_branches = true;
                let is_one =
                    branches.iter().all(|branch| self.expr(&branch.condition, depth) && self.body(&branch.body, depth));
                is_one && self.body(otherwise, depth)
            }
            _ => false,
        })
    }
}

fn made(program: &Program, of: Made<'_>, name: i32) -> Option<i32> {
    match of {
        Made::Value(expr) => value(program, expr, name),
        Made::Body(body) => result(program, body, name)?,
    }
}

/// The value of a function of one name; `None` if it faults.
fn value(program: &Program, expr: &Expr, name: i32) -> Option<i32> {
    let of = |part: &Expr| value(program, part, name);
    match &expr.kind {
        ExprKind::Value(value) => Some(*value),
        ExprKind::Unary(op, inner) => unary(*op, of(inner)?).ok(),
        ExprKind::Binary(op, left, right) => binary(*op, of(left)?, of(right)?).ok(),
        ExprKind::And(list) => list.iter().try_fold(1, |so_far, part| if so_far == 0 { Some(0) } else { of(part) }),
        ExprKind::Or(list) => list.iter().try_fold(0, |so_far, part| if so_far == 0 { of(part) } else { Some(so_far) }),
        ExprKind::Implies(left, right) => {
            if of(left)? == 0 {
                Some(1)
            } else {
                of(right)
            }
        }
        ExprKind::Conditional(condition, then, otherwise) => of(if of(condition)? == 0 { otherwise } else { then }),
        ExprKind::Call(id, arguments) if is_pure(program, *id, DEPTH) => match arguments.as_slice() {
            [Argument::Value(given)] => called(program, *id, of(given)?),
            _ => Some(name),
        },
        _ => Some(name),
    }
}

/// The result of a function for an argument; `None` if it faults, for values outside of types too.
fn called(program: &Program, id: ProcedureId, given: i32) -> Option<i32> {
    let procedure = program.procedure(id);
    let fits = |of: TypeId, value: i32| program.types.position(of, value).map(|_| value);
    let given = fits(procedure.frame.locals[0].of, given)?;
    fits(procedure.result?, result(program, &procedure.body, given)??)
}

/// What statements return or assign: nothing yet, or the value; `None` if they fault.
#[expect(clippy::option_option, reason = "a fault, or nothing yet")]
fn result(program: &Program, body: &[Stmt], name: i32) -> Option<Option<i32>> {
    for stmt in body {
        let found = match &stmt.kind {
            StmtKind::Return(Some(given)) | StmtKind::Assign(_, given) => Some(value(program, given, name)?),
            StmtKind::If(branches, otherwise) => {
                let mut chosen = otherwise;
                for Branch { condition, body } in branches {
                    if value(program, condition, name)? != 0 {
                        chosen = body;
                        break;
                    }
                }
                result(program, chosen, name)?
            }
            _ => None,
        };
        if found.is_some() {
            return Some(found);
        }
    }
    Some(None)
}
