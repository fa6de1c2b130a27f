//! The state that all passes share: the tree, the model as far as it is built, and the tables of names.

use rustc_hash::{FxHashMap, FxHashSet};

use super::constants::{Constant, Table};
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::model::{ClassId, FeatureId, Model, ScalarSetId, Sort};
use crate::source::Span;
use crate::syntax::ast;

/// The state of the lowering.
pub(super) struct Context<'a, 'd> {
    /// The tree.
    pub(super) program: &'a ast::Program,
    /// The sink of the diagnostics.
    pub(super) diagnostics: &'d mut Diagnostics,
    /// The model as far as it is built. `ClassId` `i` is `program.classes[i]`.
    pub(super) model: Model,
    /// Classes by name; the first of several with one name.
    pub(super) classes: FxHashMap<&'a str, ClassId>,
    /// `env` constants by name.
    pub(super) constants: FxHashMap<&'a str, Constant>,
    /// `env` arrays by name.
    pub(super) tables: FxHashMap<&'a str, Table>,
    /// Feature variables by name.
    pub(super) features: FxHashMap<&'a str, FeatureId>,
    /// Classes, parents before children.
    pub(super) order: Vec<ClassId>,
    /// For each class the scalar sets in scope.
    pub(super) scalar_sets: Vec<Vec<(String, ScalarSetId)>>,
    /// For each class and server the member that holds its body.
    pub(super) server_members: Vec<Vec<Option<&'a ast::Member>>>,
    /// For each class and method the member that holds its body.
    pub(super) method_members: Vec<Vec<Option<&'a ast::Member>>>,
    /// For each class the member that holds its constructor.
    pub(super) constructor_members: Vec<Option<&'a ast::Member>>,
    /// Every name that a program text declares anywhere: names of temporaries avoid them.
    pub(super) taken: FxHashSet<String>,
}

impl<'a, 'd> Context<'a, 'd> {
    pub(super) fn new(program: &'a ast::Program, diagnostics: &'d mut Diagnostics) -> Context<'a, 'd> {
        let count = program.classes.len();
        Context {
            program,
            diagnostics,
            model: Model::default(),
            classes: FxHashMap::default(),
            constants: FxHashMap::default(),
            tables: FxHashMap::default(),
            features: FxHashMap::default(),
            order: Vec::new(),
            scalar_sets: vec![Vec::new(); count],
            server_members: vec![Vec::new(); count],
            method_members: vec![Vec::new(); count],
            constructor_members: vec![None; count],
            taken: super::effects::declared_names(program),
        }
    }

    /// Reports an error and returns the diagnostic for labels and help.
    pub(super) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }

    /// Reports a fault, in the place of what was to be made.
    pub(super) fn refuse<T>(&mut self, code: Code, span: Span, message: impl Into<String>) -> Option<T> {
        self.error(code, span, message);
        None
    }

    /// Reports.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports, in the place of what was to be made.
    pub(super) fn reject<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.report(diagnostic);
        None
    }

    /// The name of a sort in messages.
    pub(super) fn sort_name(&self, sort: Sort) -> String {
        sort_name(&self.model, sort)
    }
}

/// The name of a sort in messages.
pub(super) fn sort_name(model: &Model, sort: Sort) -> String {
    match sort {
        Sort::Bool => "boolean".to_owned(),
        Sort::Int(width) => width.keyword().to_owned(),
        Sort::Rebec(class) => model.class(class).name.clone(),
        Sort::AnyRebec => "rebec".to_owned(),
        Sort::Scalar(set) => format!("scalar of `{}`", model.scalar_set(set).name),
    }
}
