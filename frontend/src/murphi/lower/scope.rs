//! Names and what they mean, scope by scope; reports.

use rustc_hash::FxHashMap;

use super::Lowering;
use crate::diagnostics::{Code, Diagnostic, closest, codes, sorted};
use crate::murphi::program::{LocalId, ProcedureId, TypeId, VariableId};
use crate::murphi::syntax::ast::Name;
use crate::source::Span;

/// The meaning of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// A constant, or a member of an enumeration.
    Constant(i32, TypeId),
    /// A type.
    Type(TypeId),
    /// A variable of the state.
    Variable(VariableId),
    /// A local.
    Local(LocalId),
    /// A function or procedure.
    Procedure(ProcedureId),
    /// Something whose declaration was reported.
    Faulty,
}

impl Meaning {
    fn describe(self) -> &'static str {
        match self {
            Meaning::Constant(..) => "a constant",
            Meaning::Type(_) => "a type",
            Meaning::Variable(_) | Meaning::Local(_) => "a variable",
            Meaning::Procedure(_) => "a procedure",
            Meaning::Faulty => "faulty",
        }
    }
}

/// A declared name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol {
    /// Its meaning.
    pub(super) meaning: Meaning,
    /// Its declaration.
    pub(super) span: Span,
}

/// The names of one scope.
pub(super) type Scope = FxHashMap<String, Symbol>;

impl Lowering<'_> {
    /// Reports a fault.
    pub(super) fn error(&mut self, code: Code, span: Span, message: impl Into<String>, help: &str) {
        let help = if help.is_empty() { None } else { Some(help.to_owned()) };
        self.sink.push(Diagnostic::error(code, span, message).help_opt(help));
    }

    /// Reports a fault, in the place of what was to be made.
    pub(super) fn refuse<T>(&mut self, code: Code, span: Span, message: impl Into<String>, help: &str) -> Option<T> {
        self.error(code, span, message, help);
        None
    }

    /// Runs in a scope of its own.
    pub(super) fn scoped<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Scope::default());
        let depth = self.scopes.len();
        let result = run(self);
        assert_eq!(self.scopes.len(), depth, "every scope that was opened inside of this one is closed");
        self.scopes.pop();
        result
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: &Name, meaning: Meaning) {
        let scope = self.scopes.last_mut().expect("the global scope");
        let symbol = Symbol { meaning, span: name.span };
        let Some(former) = scope.insert(name.text.clone(), symbol) else { return };
        scope.insert(name.text.clone(), former);
        let message = format!("`{}` is declared twice", name.text);
        let diagnostic = Diagnostic::error(codes::MURPHI_DUPLICATE, name.span, message);
        self.sink.push(diagnostic.related(former.span, "first declared here").help("rename one of them"));
    }

    /// The meaning of a name, if it is declared.
    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).map(|symbol| symbol.meaning)
    }

    /// The meaning of a name; reports one that is not declared.
    pub(super) fn lookup(&mut self, name: &str, span: Span) -> Option<Meaning> {
        let found = self.meaning(name);
        if found.is_none() {
            let known = self.scopes.iter().flat_map(|scope| scope.keys());
            let help = match closest(name, sorted(known)) {
                Some(other) => format!("did you mean `{other}`? Names are declared above their use"),
                None => "declare it above its use; upper and lower case differ".into(),
            };
            self.error(codes::MURPHI_UNKNOWN_NAME, span, format!("there is no `{name}`"), &help);
        }
        found.filter(|&meaning| meaning != Meaning::Faulty)
    }

    /// Reports a name that means something else than is needed.
    pub(super) fn misused<T>(&mut self, name: &str, span: Span, meaning: Meaning, needed: &str) -> Option<T> {
        let message = format!("`{name}` is {}, and {needed} is needed", meaning.describe());
        self.refuse(codes::MURPHI_WRONG_NAME, span, message, "use another name, or declare it otherwise")
    }
}
