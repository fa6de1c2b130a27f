//! Writes what is dead into the rules: `for i: T do if control[i] = v then undefine part[i] end end` at the end of each rule and
//! start state that writes the part or its control. Where all these writes are at one value of a ruleset, that value takes the
//! place of the loop. A rule that ends by `return` before forgets nothing, which is sound.

use frontend::murphi::program::{
    self, Argument, Base, BinaryOp, Binder, BinderValues, Binding, Branch, Child, Expr, ExprKind, Frame, Header, Local,
    LocalId, LocalKind, Place, Program, Rule, Step, Stmt, StmtKind, TypeId, Types, VariableId,
};
use frontend::source::Span;

use super::learn::{Part, Row, Way};

/// A variable that may be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Written {
    variable: VariableId,
    /// The local that is its first index.
    index: Option<LocalId>,
}

/// The program whose rules forget.
pub(super) fn insert(program: &Program, rows: &[Row]) -> Program {
    let mut made = program.clone();
    let mut called: Vec<Vec<Written>> = Vec::new();
    for procedure in &program.procedures {
        let mut writes = Writes { called: &called, found: Vec::new() };
        writes.child(Child::Body(&procedure.body));
        let own: Vec<Written> = writes.found.iter().map(|write| Written { index: None, ..*write }).collect();
        called.push(own);
    }
    for rule in made.starts.iter_mut().chain(&mut made.rules) {
        let mut writes = Writes { called: &called, found: Vec::new() };
        rule.header.iter().for_each(|construct| writes.header(construct));
        rule.guard.iter().for_each(|guard| writes.child(Child::Expr(guard)));
        writes.child(Child::Body(&rule.body));
        let written = writes.found;
        for row in rows {
            let control = row.control.as_ref().map_or(row.part.variable, |control| control.part.variable);
            let is_own = |write: &&Written| write.variable == row.part.variable || write.variable == control;
            let own: Vec<Written> = written.iter().filter(is_own).copied().collect();
            if let Some((first, others)) = own.split_first() {
                let is_one = others.iter().all(|other| other.index == first.index);
                let only = first.index.filter(|_| is_one && row.shares_first_index());
                let only = only.filter(|&local| is_of_ruleset(rule, local, row.part.indices.first().map(|i| i.of)));
                let stmt = Forgetting { program, row, span: program.variable(row.part.variable).span };
                let stmt = stmt.of_rule(&mut rule.frame, only);
                rule.body.push(stmt);
            }
        }
    }
    let is_kept = |(own, made): (&Rule, &Rule)| made.body.starts_with(&own.body) && made.guard == own.guard;
    assert!(program.rules.iter().zip(&made.rules).all(is_kept), "rules keep what they do, and forget at their ends");
    assert!(program.starts.iter().zip(&made.starts).all(is_kept), "start states keep what they do");
    made
}

impl Row {
    /// Whether the first index of the control, if there is one, is that of the part.
    fn shares_first_index(&self) -> bool {
        let is_first = |part: &Part| part.way.first() == Some(&Way::Index);
        let control = self.control.as_ref();
        is_first(&self.part) && control.is_none_or(|control| is_first(&control.part) && control.at.first() == Some(&0))
    }
}

/// Whether a local is the value of a ruleset over a type.
fn is_of_ruleset(rule: &Rule, local: LocalId, of: Option<TypeId>) -> bool {
    rule.header.iter().any(|construct| match construct {
        Header::For(Binder { local: own, values: BinderValues::Type(its) }) => *own == local && Some(*its) == of,
        _ => false,
    })
}

/// The variables that statements may write.
struct Writes<'w> {
    called: &'w [Vec<Written>],
    found: Vec<Written>,
}

impl Writes<'_> {
    fn place(&mut self, place: &Place) {
        let Base::Variable(variable) = place.base else { return };
        let index = match place.steps.first() {
            Some(Step::Index(Expr { kind: ExprKind::Read(Place { base: Base::Local(local), steps, .. }), .. })) => {
                steps.is_empty().then_some(*local)
            }
            _ => None,
        };
        let written = Written { variable, index };
        if !self.found.contains(&written) {
            self.found.push(written);
        }
    }

    fn header(&mut self, construct: &Header) {
        if let Header::Alias(binding) = construct {
            binding.place().into_iter().for_each(|place| self.place(place));
        }
        construct.child().into_iter().for_each(|child| self.child(child));
    }

    fn child(&mut self, of: Child<'_>) {
        of.visit(&mut |part| self.part(part));
    }

    fn part(&mut self, part: program::Part<'_>) {
        for argument in part.call().into_iter().flat_map(|(_, arguments)| arguments) {
            if let Argument::Reference(place) = argument {
                self.place(place);
            }
        }
        // A procedure that calls itself writes nothing more by that.
        let called = part.called().and_then(|procedure| self.called.get(procedure.index()));
        self.found.extend(called.into_iter().flatten());
        let program::Part::Stmt(stmt) = part else { return };
        match &stmt.kind {
            StmtKind::Assign(place, _) | StmtKind::Undefine(place) | StmtKind::Clear(place) => self.place(place),
            StmtKind::Alias(bindings, _) => {
                bindings.iter().filter_map(Binding::place).for_each(|place| self.place(place));
            }
            // Parts in multisets are not forgotten.
            _ => {}
        }
    }
}

/// One row as a statement.
struct Forgetting<'a> {
    program: &'a Program,
    row: &'a Row,
    span: Span,
}

impl Forgetting<'_> {
    /// The statement, with its loops' values as new locals of a frame; `only` is the value of the first index.
    fn of_rule(&self, frame: &mut Frame, only: Option<LocalId>) -> Stmt {
        let part = &self.row.part;
        let mut locals: Vec<LocalId> = only.into_iter().collect();
        for index in &part.indices[locals.len()..] {
            locals.push(LocalId::from_index(frame.locals.len()));
            let name = self.program.variable(part.variable).name.clone();
            let (kind, of, offset) = (LocalKind::Binder, index.of, frame.cells);
            frame.locals.push(Local { name, kind, of, offset, span: self.span });
            frame.cells += 1;
        }
        assert_eq!(locals.len(), part.indices.len(), "every index of the part has its value");
        let mut stmt = self.stmt(StmtKind::Undefine(self.place(part, &locals)));
        if let Some(control) = &self.row.control {
            let own: Vec<LocalId> = control.at.iter().map(|&at| locals[at]).collect();
            let place = self.place(&control.part, &own);
            let mut tests: Vec<Expr> = control.values.iter().map(|&value| self.test(&place, value)).collect();
            let condition = match tests.len() {
                1 => tests.remove(0),
                _ => Expr { kind: ExprKind::Or(tests), of: Types::BOOLEAN, span: self.span },
            };
            stmt = self.stmt(StmtKind::If(vec![Branch { condition, body: vec![stmt] }], Vec::new()));
        }
        let loops = usize::from(only.is_some())..locals.len();
        loops.rev().fold(stmt, |stmt, number| {
            let values = BinderValues::Type(part.indices[number].of);
            self.stmt(StmtKind::For(Binder { local: locals[number], values }, vec![stmt]))
        })
    }

    fn stmt(&self, kind: StmtKind) -> Stmt {
        Stmt { kind, span: self.span }
    }

    fn test(&self, place: &Place, value: i32) -> Expr {
        let expr = |kind, of| Box::new(Expr { kind, of, span: self.span });
        let (left, right) = (expr(ExprKind::Read(place.clone()), place.of), expr(ExprKind::Value(value), place.of));
        *expr(ExprKind::Binary(BinaryOp::Equal, left, right), Types::BOOLEAN)
    }

    fn place(&self, part: &Part, locals: &[LocalId]) -> Place {
        let mut own = part.indices.iter().zip(locals);
        debug_assert_eq!(part.indices.len(), locals.len(), "every index of the part has its value");
        let steps = part.way.iter().map(|way| match way {
            Way::Field(field) => Step::Field(*field),
            Way::Index => {
                let (index, local) = own.next().expect("a local for each index");
                let place = Place { base: Base::Local(*local), steps: Vec::new(), of: index.of, span: self.span };
                Step::Index(Expr { kind: ExprKind::Read(place), of: index.of, span: self.span })
            }
        });
        Place { base: Base::Variable(part.variable), steps: steps.collect(), of: part.of, span: self.span }
    }
}
