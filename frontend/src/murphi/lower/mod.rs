//! Tree to [`Program`]: names, types and constants, in the order of the text.
//!
//! A name is known below its declaration, and in the body of its own procedure. Faulty parts are reported and left out,
//! and names whose declaration has one are not reported again where they are used.

mod constants;
mod declarations;
mod expressions;
mod formulas;
mod places;
mod questions;
mod rules;
mod scope;
mod statements;

use self::constants::Value;
use self::scope::Scope;
use super::Options;
use super::program::{Changes, Class, Frame, Header, Program, TypeId};
use super::syntax::ast::{ExprKind, File, Item, Name, PropertyKind};
use crate::diagnostics::{Diagnostics, codes};
use crate::source::Span;
use crate::text::Lines;

/// A program and the overridden constants that it does not have.
pub(super) struct Lowered {
    pub(super) program: Program,
    pub(super) unused: Vec<String>,
}

/// The program of a tree. After faults it is not complete.
pub(super) fn lower(file: &File, options: &Options, sink: &mut Diagnostics) -> Lowered {
    let mut lowering = Lowering::new(options, sink);
    lowering.file(file);
    let program = lowering.program;
    let known = |name: &String| program.constants.iter().any(|constant| constant.name == *name);
    let unused = options.constants.iter().map(|(name, _)| name.clone()).filter(|name| !known(name)).collect();
    Lowered { program, unused }
}

/// The program of a tree without faults, with the formulas of a property file, whose faults go to the sink.
pub(super) fn lower_with(file: &File, lines: &Lines<ExprKind>, options: &Options, sink: &mut Diagnostics) -> Program {
    let mut own = Diagnostics::new();
    let mut lowering = Lowering::again(file, options, &mut own);
    lowering.sink = sink;
    lowering.lines(lines);
    lowering.program
}

/// The program of a tree without faults, with invariants and formulas of another file in place of its properties, assumptions excepted. Faults of
/// these go to the sink.
pub(super) fn lower_questions(
    file: &File,
    (invariants, formulas): (&File, &Lines<ExprKind>),
    options: &Options,
    sink: &mut Diagnostics,
) -> Program {
    let mut own = Diagnostics::new();
    let mut lowering = Lowering::again(file, options, &mut own);
    lowering.program.properties.retain(|property| property.kind == PropertyKind::Assume);
    lowering.sink = sink;
    lowering.questions(invariants);
    lowering.lines(formulas);
    lowering.program
}

/// The parameters and the result of a procedure.
#[derive(Clone, Debug)]
struct Heading {
    parameters: Vec<Parameter>,
    result: Option<TypeId>,
}

/// A parameter of a procedure.
#[derive(Clone, Copy, Debug)]
struct Parameter {
    by_reference: bool,
    of: TypeId,
}

struct Lowering<'a> {
    sink: &'a mut Diagnostics,
    options: &'a Options,
    program: Program,
    /// The names in scope, the global ones first.
    scopes: Vec<Scope>,
    /// By procedure; the one whose body is being read has no procedure in `program` yet.
    headings: Vec<Heading>,
    /// The locals of the current rule, property or procedure.
    frame: Frame,
    /// The constructs around the current rule.
    header: Vec<Header>,
    /// The type of the result of the current function.
    result: Option<TypeId>,
    /// The effects that the current procedure or condition may have.
    changes: Changes,
    /// Whether a construct around the current rule was left out.
    is_faulty: bool,
}

impl<'a> Lowering<'a> {
    fn new(options: &'a Options, sink: &'a mut Diagnostics) -> Lowering<'a> {
        Lowering {
            sink,
            options,
            program: Program::default(),
            scopes: vec![Scope::default()],
            headings: Vec::new(),
            frame: Frame::default(),
            header: Vec::new(),
            result: None,
            changes: Changes::default(),
            is_faulty: false,
        }
    }

    /// After a file that was read before, without faults.
    fn again(file: &File, options: &'a Options, sink: &'a mut Diagnostics) -> Lowering<'a> {
        let mut lowering = Lowering::new(options, sink);
        lowering.file(file);
        assert!(!lowering.sink.has_errors(), "the model was read before");
        lowering
    }

    /// Lowers the declarations and rules of a file.
    fn file(&mut self, file: &File) {
        let before = self.sink.errors;
        for item in &file.items {
            match item {
                Item::Declaration(declaration) => self.declaration(declaration, true),
                Item::Procedure(procedure) => self.procedure(procedure),
                Item::Rule(rule) => self.rule(rule),
            }
        }
        assert_eq!(self.scopes.len(), 1, "every scope ends in the text");
        assert!(self.header.is_empty(), "every construct around rules ends in the text");
        assert!(!self.is_faulty, "a faulty construct ends in the text");
        assert_eq!(self.headings.len(), self.program.procedures.len(), "every heading has its procedure");
        if self.program.starts.is_empty() && self.sink.errors == before {
            let message = "the model has no start state";
            self.error(codes::MURPHI_NO_START, Span::NONE, message, "write `startstate begin .. end;`");
        }
    }
}

impl Lowering<'_> {
    /// The value of a constant of the whole model, which an option may give.
    fn overridden(&mut self, name: &Name, value: Option<Value>) -> Option<Value> {
        let given = self.options.constants.iter().rev().find(|(other, _)| *other == name.text);
        let (Some(&(_, given)), Some(value)) = (given, value) else { return value };
        let fits = match self.program.types.class(value.of) {
            Class::Integer => true,
            Class::Boolean => given == 0 || given == 1,
            Class::Names | Class::Compound => false,
        };
        if !fits {
            let message = format!("`{}` cannot be {given}", name.text);
            let help = "integers are overridden by integers, and conditions by 0 and 1";
            return self.refuse(codes::MURPHI_OVERRIDE, name.span, message, help);
        }
        Some(Value { value: given, ..value })
    }
}
