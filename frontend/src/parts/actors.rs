//! The parts of Rebeca models: message servers, and what is inside of servers, methods and constructors.
//!
//! A server is known by its class and name, class by class. Methods and constructors are called by steps, and are no parts themselves.
//! What the constructors of `main` run is excluded.
//!
//! Only statements of the text count. Lowering makes others, which take turns where expressions have effects: they stand at the place of the
//! expression or loop that they serve, and so does their condition or what is inside of them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Branch, Builder, Context, Mark, Met, Part, PartKind, Parts, Way};
use crate::model::{Block, Body, Class, Dialect, MethodId, Model, Rvalue, Server, Stmt, StmtKind};
use crate::source::Span;

impl Parts {
    /// The parts of a model.
    pub fn of_actors(model: &Model) -> Parts {
        let servers = servers(model);
        let count = servers.len();
        let mut walk = Walk::new(model, Builder::new(servers, at_the_start(model)));
        let mut number = 0;
        for class in 0..model.classes.len() {
            for server in &model.classes[class].servers {
                walk.body(class, &server.body, Context::of(number));
                number += 1;
            }
            for (method, called) in model.classes[class].methods.iter().enumerate() {
                walk.body(class, &called.body, Context::body(walk.method(class, method)));
            }
            if let Some(constructor) = &model.classes[class].constructor {
                walk.body(class, &constructor.body, Context::body(class));
            }
        }
        assert_eq!(number as usize, count, "every server has its number");
        walk.builder.finish()
    }
}

/// The servers of all classes, class by class.
fn servers(model: &Model) -> Vec<Option<Part>> {
    let part = |server: &Server| {
        let is_declared = !server.is_abstract && !server.span.is_none();
        let name = format!("{}.{}", model.class(server.declared_in).name, server.name);
        is_declared.then(|| Part::outer(PartKind::Server, name, server.span))
    };
    model.classes.iter().flat_map(|class| &class.servers).map(part).collect()
}

/// The marks of what the constructors of `main` run.
fn at_the_start(model: &Model) -> FxHashSet<Mark> {
    let mut walk = Walk::new(model, Builder::default());
    if model.dialect == Dialect::Rebeca20 {
        return FxHashSet::default();
    }
    let mut open: Vec<usize> = model.instances.iter().map(|instance| instance.class.index()).collect();
    let mut seen: FxHashSet<usize> = open.iter().copied().collect();
    while let Some(number) = open.pop() {
        if let Some((class, body)) = walk.numbered(number) {
            walk.body(class, body, Context::body(number));
        }
        open.extend(walk.builder.calls.keys().copied().filter(|&called| seen.insert(called)));
    }
    walk.builder.parts.numbers.into_keys().collect()
}

/// The bodies of a model are numbered: constructors by class, then methods class by class.
struct Walk<'m> {
    model: &'m Model,
    builder: Builder,
    /// By class: the number of the first method.
    methods: Vec<usize>,
}

impl<'m> Walk<'m> {
    fn new(model: &'m Model, builder: Builder) -> Walk<'m> {
        let mut next = model.classes.len();
        let first = |class: &Class| {
            next += class.methods.len();
            next - class.methods.len()
        };
        Walk { model, builder, methods: model.classes.iter().map(first).collect() }
    }

    fn method(&self, class: usize, method: usize) -> usize {
        self.methods[class] + method
    }

    /// The body of a number, and its class.
    fn numbered(&self, number: usize) -> Option<(usize, &'m Body)> {
        if let Some(class) = self.model.classes.get(number) {
            return class.constructor.as_ref().map(|constructor| (number, &constructor.body));
        }
        debug_assert!(self.methods.is_sorted(), "the first methods are ascending, for the search in them");
        let class = self.methods.partition_point(|&first| first <= number) - 1;
        self.model.classes[class].methods.get(number - self.methods[class]).map(|method| (class, &method.body))
    }

    fn body(&mut self, class: usize, body: &'m Body, context: Context) {
        self.block(class, &body.block, context);
    }

    fn block(&mut self, class: usize, block: &'m Block, context: Context) {
        block.iter().for_each(|stmt| self.statement(class, stmt, context));
    }

    /// A block that control reaches by a way.
    fn branch(&mut self, class: usize, block: &'m Block, at: Branch, context: Context) {
        let inside = self.builder.branch(at, block.iter().map(|stmt| stmt.span), context);
        self.block(class, block, inside);
    }

    fn statement(&mut self, class: usize, stmt: &'m Stmt, context: Context) {
        let span = stmt.span;
        let at = |way, name: &str| Branch { span, way, name: name.to_owned() };
        match &stmt.kind {
            StmtKind::If { then, otherwise, .. } if is_written(stmt) => {
                self.branch(class, then, at(Way::Then, "if"), context);
                self.branch(class, otherwise, at(Way::Else, "else"), context);
            }
            StmtKind::Loop { body, update, .. } if is_written(stmt) => {
                self.branch(class, body, at(Way::Round, "loop"), context);
                self.block(class, update, context);
            }
            StmtKind::Switch { arms, .. } => {
                for (number, arm) in (0..).zip(arms) {
                    let labels: Vec<String> = arm.labels.iter().map(ToString::to_string).collect();
                    let name =
                        if labels.is_empty() { "default".to_owned() } else { format!("case {}", labels.join(", ")) };
                    self.branch(class, &arm.block, Branch { span, way: Way::Arm(number), name }, context);
                }
            }
            StmtKind::ForEach { body, .. } => self.block(class, body, context.in_rounds()),
            StmtKind::Assert { .. } => {
                let mark = Mark { span, way: Way::Check };
                self.builder.meet(Met { kind: PartKind::Assertion, name: String::new(), mark, place: span }, context);
            }
            _ => stmt.blocks().into_iter().for_each(|block| self.block(class, block, context)),
        }
        match stmt.value() {
            Some(Rvalue::Call { method, .. }) => self.call(class, *method, context),
            Some(Rvalue::New { class, .. }) => self.builder.call(class.index(), context),
            Some(Rvalue::Choose(options)) => {
                let spans: FxHashMap<Span, ()> = options.iter().map(|option| (option.span, ())).collect();
                if spans.len() < options.len() {
                    return;
                }
                for (number, option) in (0..).zip(options) {
                    let mark = Mark { span: option.span, way: Way::Option(number) };
                    let met = Met { kind: PartKind::Choice, name: String::new(), mark, place: option.span };
                    self.builder.meet(met, context);
                }
            }
            Some(Rvalue::Expr(_)) | None => {}
        }
    }

    fn call(&mut self, class: usize, method: MethodId, context: Context) {
        let number = self.method(class, method.index());
        self.builder.call(number, context);
    }
}

/// Whether a statement with a condition is one of the text.
fn is_written(stmt: &Stmt) -> bool {
    let has_own_place = stmt.expressions().iter().all(|condition| condition.span != stmt.span);
    has_own_place && stmt.blocks().into_iter().flatten().all(|inner| inner.span != stmt.span)
}
