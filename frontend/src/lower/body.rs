//! Bodies of servers, methods and constructors: scopes, locals, temporaries and the statement buffer.
//!
//! Each class has its own copy of an inherited body, lowered for that class, so that calls reach the members of that
//! class. Names resolve as in the class whose text holds the body. A problem is reported once, in that class.

use super::constants::Constant;
use super::context::Context;
use super::effects::Effect;
use super::{independence, statements};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, codes, did_you_mean};
use crate::model::mutate::{self, Mutator};
use crate::model::{
    Base, Block, Body, ClassId, Dimension, Expr, ExprKind, Local, LocalId, Model, Place, Role, Rvalue, Sort, Stmt,
    StmtKind, VariableId, Width,
};
use crate::source::Span;
use crate::syntax::ast::{Member, Name};

/// The result that a body may return.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Returns {
    /// Nothing: servers, constructors and `void` methods.
    Nothing,
    /// A value of the sort.
    Value(Sort),
}

/// Lowers all bodies into the model and collects the classes that `new` creates.
pub(super) fn lower_bodies(context: &mut Context<'_, '_>) {
    for class in context.order.clone() {
        let index = class.index();
        let (own, members) = (context.model.class(class), &context.server_members[index]);
        assert_eq!(own.servers.len(), members.len(), "every server has the member of its body, or none");
        assert_eq!(own.methods.len(), context.method_members[index].len(), "so has every method");
        for server in 0..context.model.classes[index].servers.len() {
            let Some(member) = context.server_members[index][server] else { continue };
            let signature = context.model.classes[index].servers[server].clone();
            let body = lower_body(context, class, signature.declared_in, member, signature.body, Returns::Nothing);
            context.model.classes[index].servers[server].body = body;
        }
        for method in 0..context.model.classes[index].methods.len() {
            let Some(member) = context.method_members[index][method] else { continue };
            let signature = context.model.classes[index].methods[method].clone();
            let returns = signature.result.map_or(Returns::Nothing, Returns::Value);
            let body = lower_body(context, class, signature.declared_in, member, signature.body, returns);
            context.model.classes[index].methods[method].body = body;
        }
        if let (Some(member), Some(signature)) =
            (context.constructor_members[index], context.model.classes[index].constructor.clone())
        {
            let body = lower_body(context, class, signature.declared_in, member, signature.body, Returns::Nothing);
            context.model.classes[index].constructor = Some(crate::model::Constructor { body, ..signature });
        }
    }
    context.model.creatable.sort_unstable();
    context.model.creatable.dedup();
    let is_made = |class: &ClassId| context.model.class(*class).kind == crate::model::ClassKind::Reactive;
    assert!(context.model.creatable.iter().all(is_made), "rebecs are made of reactive classes");
}

fn lower_body(
    context: &mut Context<'_, '_>,
    class: ClassId,
    declaring: ClassId,
    member: &Member,
    signature: Body,
    returns: Returns,
) -> Body {
    let Some(statements) = &member.body else { return signature };
    assert_eq!(signature.locals.len(), signature.parameters as usize, "a signature has parameters only");
    let before = (class != declaring).then(|| context.diagnostics.clone());
    let mut builder = Builder {
        context,
        diagnostics: Diagnostics::new(),
        class,
        declaring,
        returns,
        scopes: vec![(0..signature.locals.len()).map(LocalId::from_index).collect()],
        locals: signature.locals,
        fixed: Vec::new(),
        blocks: vec![Block::new()],
        loops: 0,
        breakables: 0,
        temporaries: Vec::new(),
        tables: Vec::new(),
        prologue: Block::new(),
    };
    statements::lower_all(&mut builder, statements);
    let mut block = builder.blocks.pop().expect("the outermost block");
    assert!(builder.blocks.is_empty() && builder.scopes.len() == 1, "every block that was opened is closed");
    assert_eq!((builder.loops, builder.breakables), (0, 0), "every loop that was entered is left");
    block.splice(..0, builder.prologue.drain(..));
    let Builder { mut locals, mut diagnostics, context, .. } = builder;
    order_locals(&mut locals, signature.parameters as usize, &mut block);
    if class == declaring {
        independence::warn(&context.model, class, &locals, &block, &mut diagnostics);
        context.diagnostics.append(diagnostics);
    }
    if let Some(before) = before {
        *context.diagnostics = before;
    }
    Body { locals, parameters: signature.parameters, block }
}

/// Numbers locals in the order of their declarations in the text. A temporary whose sort is found late was also added
/// late.
fn order_locals(locals: &mut Vec<Local>, parameters: usize, block: &mut Block) {
    let mut declared = Declared((0..parameters).map(LocalId::from_index).collect());
    assert!(parameters <= locals.len(), "parameters are the first locals");
    mutate::block(block, &mut declared);
    let mut renamed = Renamed(vec![None; locals.len()]);
    for (index, old) in declared.0.iter().enumerate() {
        renamed.0[old.index()] = Some(LocalId::from_index(index));
    }
    debug_assert_eq!(renamed.0.iter().flatten().count(), declared.0.len(), "a local is declared once");
    mutate::block(block, &mut renamed);
    let mut offset = 0;
    let ordered = declared.0.iter().map(|old| {
        let local = Local { offset, ..locals[old.index()].clone() };
        offset += local.len;
        local
    });
    *locals = ordered.collect();
    debug_assert!(locals.is_sorted_by_key(|local| local.offset), "locals are placed one behind the other");
}

/// Collects the locals that a body declares, in order.
struct Declared(Vec<LocalId>);

impl Mutator for Declared {
    fn statement(&mut self, statement: &mut Stmt) {
        if let StmtKind::Let { local, .. } | StmtKind::ForEach { local, .. } = statement.kind {
            self.0.push(local);
        }
    }
}

/// Gives locals their new numbers. A local without a declaration belonged to a statement with an error.
struct Renamed(Vec<Option<LocalId>>);

impl Renamed {
    fn rename(&self, local: &mut LocalId) {
        *local = self.0[local.index()].unwrap_or(*local);
    }
}

impl Mutator for Renamed {
    fn statement(&mut self, statement: &mut Stmt) {
        if let StmtKind::Let { local, .. } | StmtKind::ForEach { local, .. } = &mut statement.kind {
            self.rename(local);
        }
    }

    fn place(&mut self, place: &mut Place) {
        if let Base::Local(local) = &mut place.base {
            self.rename(local);
        }
    }
}

/// The state of lowering one body.
pub(super) struct Builder<'b, 'a, 'd> {
    /// The context of the body.
    pub(super) context: &'b mut Context<'a, 'd>,
    /// The problems of this body.
    pub(super) diagnostics: Diagnostics,
    /// The class whose copy of the body this is.
    pub(super) class: ClassId,
    /// The class whose text holds the body.
    pub(super) declaring: ClassId,
    /// The result that the body may return.
    pub(super) returns: Returns,
    /// Parameters and locals so far.
    pub(super) locals: Vec<Local>,
    /// The locals in scope, innermost scope last.
    pub(super) scopes: Vec<Vec<LocalId>>,
    /// Locals that may not be assigned: values of `forEachValueOf`.
    pub(super) fixed: Vec<LocalId>,
    /// The blocks being built, innermost last.
    pub(super) blocks: Vec<Block>,
    /// Enclosing loops.
    pub(super) loops: usize,
    /// Enclosing loops and switches.
    pub(super) breakables: usize,
    /// Temporaries that no user statement assigns.
    pub(super) temporaries: Vec<LocalId>,
    /// The arrays of constants that the body reads, as locals that the prologue fills.
    tables: Vec<(String, LocalId)>,
    /// The statements that fill `tables`.
    prologue: Block,
}

impl Builder<'_, '_, '_> {
    /// The model as far as it is built; it contains all signatures.
    pub(super) fn model(&self) -> &Model {
        &self.context.model
    }

    /// Reports an error.
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
        self.context.sort_name(sort)
    }

    /// Appends a statement to the current block.
    pub(super) fn emit(&mut self, kind: StmtKind, span: Span) {
        self.blocks.last_mut().expect("a block is open").push(Stmt { kind, span });
    }

    /// Runs `build` in a new block and scope and returns the block.
    pub(super) fn block(&mut self, build: impl FnOnce(&mut Self)) -> Block {
        debug_assert_eq!(self.scopes.len(), self.blocks.len(), "every block has a scope");
        self.blocks.push(Block::new());
        self.scopes.push(Vec::new());
        build(self);
        self.scopes.pop();
        self.blocks.pop().expect("pushed above")
    }

    /// Adds a local to the current scope.
    pub(super) fn add_local(
        &mut self,
        name: &str,
        sort: Sort,
        dimensions: Vec<Dimension>,
        len: u32,
        span: Span,
    ) -> LocalId {
        let id = LocalId::from_index(self.locals.len());
        let offset = self.locals.last().map_or(0, |local| local.offset + local.len);
        self.locals.push(Local { name: name.to_owned(), sort, dimensions, offset, len, span });
        self.scopes.last_mut().expect("a scope is open").push(id);
        id
    }

    /// Reports a local whose name is taken by another local in scope.
    pub(super) fn check_local(&mut self, name: &Name) {
        super::classes::warn_predefined(self.context, name);
        if let Some(first) = self.local(&name.text) {
            let first = self.locals[first.index()].span;
            let message = format!("the local `{}` is declared twice", name.text);
            let diagnostic = Diagnostic::error(codes::DUPLICATE_LOCAL, name.span, message);
            self.report(diagnostic.related(first, "first declared here"));
        }
    }

    /// The local of a name, innermost first.
    pub(super) fn local(&self, name: &str) -> Option<LocalId> {
        let in_scope = self.scopes.iter().rev().flat_map(|scope| scope.iter().rev());
        in_scope.copied().find(|id| self.locals[id.index()].name == name)
    }

    /// The variable of a name, as visible in the class whose text holds the body.
    pub(super) fn variable(&self, name: &str) -> Option<VariableId> {
        let visible = self.model().class(self.declaring).variables.len();
        debug_assert!(self.model().conforms(self.class, self.declaring), "a body is inherited from an ancestor");
        let variables = &self.model().class(self.class).variables[..visible];
        variables.iter().rposition(|variable| variable.name == name).map(VariableId::from_index)
    }

    /// A name for a temporary that no declaration of the program has.
    fn fresh_name(&self, base: &str) -> String {
        let used = |name: &str| self.context.taken.contains(name) || self.locals.iter().any(|local| local.name == name);
        let numbered = (1..).map(|number| if number == 1 { base.to_owned() } else { format!("{base}{number}") });
        numbered.into_iter().find(|name| !used(name)).expect("finitely many names are taken")
    }

    /// Whether a local holds an `env` array.
    pub(super) fn is_table(&self, local: LocalId) -> bool {
        self.tables.iter().any(|(_, id)| *id == local)
    }

    /// The local that holds an `env` array.
    pub(super) fn table(&mut self, name: &str, span: Span) -> Option<LocalId> {
        if let Some((_, id)) = self.tables.iter().find(|(known, _)| known == name) {
            return Some(*id);
        }
        let table = self.context.tables.get(name)?.clone();
        let dimensions: Vec<Dimension> = table.extents.iter().map(|&extent| Dimension::Array(extent)).collect();
        let len = u32::try_from(table.values.len()).expect("bounded by MAX_ELEMENTS");
        let local = self.fresh_name(name);
        let id = self.add_local(&local, table.sort, dimensions, len, span);
        self.scopes.last_mut().expect("a scope is open").pop();
        self.fixed.push(id);
        self.tables.push((name.to_owned(), id));
        self.prologue.push(Stmt { kind: StmtKind::Let { local: id, value: None }, span });
        for (number, &value) in table.values.iter().enumerate() {
            let indices = table.indices(number).into_iter();
            let int = |value| Expr { kind: ExprKind::Int(value), sort: value_sort(Sort::Int(Width::Int)), span };
            let place = Place { base: Base::Local(id), indices: indices.map(int).collect(), span };
            let value = match value {
                Constant::Bool(value) => Expr { kind: ExprKind::Bool(value), sort: Sort::Bool, span },
                Constant::Int(value) => int(value),
            };
            let kind = StmtKind::Assign { place, value: Rvalue::Expr(value) };
            self.prologue.push(Stmt { kind, span });
        }
        Some(id)
    }

    /// Declares a temporary with a value and returns an expression that reads it.
    pub(super) fn temporary(&mut self, base: &str, sort: Sort, value: Option<Rvalue>, span: Span) -> (LocalId, Expr) {
        let name = self.fresh_name(base);
        let id = self.add_local(&name, sort, Vec::new(), 1, span);
        self.temporaries.push(id);
        self.emit(StmtKind::Let { local: id, value }, span);
        (id, self.read_local(id, span))
    }

    /// An expression that reads a plain local.
    pub(super) fn read_local(&self, id: LocalId, span: Span) -> Expr {
        let sort = value_sort(self.locals[id.index()].sort);
        Expr { kind: ExprKind::Read(local_place(id, span)), sort, span }
    }

    /// Assigns a value to a plain local.
    pub(super) fn assign_local(&mut self, id: LocalId, value: Rvalue, span: Span) {
        self.emit(StmtKind::Assign { place: local_place(id, span), value }, span);
    }

    /// Stores the value of an expression in a temporary if a later effect could change it, or if its fault could come
    /// after that effect.
    pub(super) fn protect(&mut self, expr: Expr, later: Effect) -> Expr {
        if later == Effect::None || self.is_stable(&expr, later) {
            return expr;
        }
        let span = expr.span;
        if expr.sort == Sort::AnyRebec {
            // No variable holds a rebec of unknown class.
            self.error(codes::MIXED_CHOICE, span, "the class of this rebec is not known; cast the options");
            return expr;
        }
        let sort = expr.sort;
        self.temporary("value", sort, Some(Rvalue::Expr(expr)), span).1
    }

    fn is_stable(&self, expr: &Expr, later: Effect) -> bool {
        match &expr.kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Scalar(_)
            | ExprKind::Null
            | ExprKind::Rebec(_)
            | ExprKind::SelfRef
            | ExprKind::Sender
            | ExprKind::Feature(_) => true,
            ExprKind::Read(Place { base, indices, .. }) if indices.is_empty() => match base {
                Base::Local(id) if self.temporaries.contains(id) || self.fixed.contains(id) => true,
                Base::Variable(id) if self.model().class(self.class).variables[id.index()].role == Role::Known => true,
                _ => later < Effect::Writes && !matches!(expr.sort, Sort::Scalar(_)),
            },
            ExprKind::Unary(crate::model::UnaryOp::Not, inner) | ExprKind::InstanceOf(_, inner) => {
                self.is_stable(inner, later)
            }
            ExprKind::And(list) | ExprKind::Or(list) => list.iter().all(|operand| self.is_stable(operand, later)),
            _ => false,
        }
    }

    /// Reports a name that is not in scope.
    pub(super) fn unknown_name<T>(&mut self, name: &str, span: Span) -> Option<T> {
        let visible = self.model().class(self.declaring).variables.len();
        let variables =
            self.model().class(self.class).variables[..visible].iter().map(|variable| variable.name.as_str());
        let locals = self.scopes.iter().flatten().map(|id| self.locals[id.index()].name.as_str());
        let constants = self.context.constants.keys().chain(self.context.features.keys()).copied();
        let mut help = did_you_mean(name, locals.chain(variables).chain(constants).chain(["self", "sender"]));
        let sets = &self.context.scalar_sets[self.class.index()];
        if sets.iter().any(|(set, _)| set == name) {
            help = Some(format!("`{name}` is a scalar set: use it inside `forEachValueOf({name})`"));
        } else if self.is_rebec_of_main(name) {
            help = Some(format!("the rebecs of `main` are not visible here: pass `{name}` as a known rebec"));
        }
        let message = format!("`{name}` is not in scope");
        self.reject(Diagnostic::error(codes::UNKNOWN_NAME, span, message).help_opt(help))
    }

    fn is_rebec_of_main(&self, name: &str) -> bool {
        self.context.program.main.iter().flatten().any(|instance| instance.name.text == name)
    }
}

/// The place of a plain local.
pub(super) fn local_place(id: LocalId, span: Span) -> Place {
    Place { base: Base::Local(id), indices: Vec::new(), span }
}

/// The sort of a value read from a place: integers widen.
pub(super) fn value_sort(sort: Sort) -> Sort {
    match sort {
        Sort::Int(_) => Sort::Int(Width::Int),
        other => other,
    }
}
