//! The process: variables, summands, bodies, initial values.

use rustc_hash::FxHashMap;

use super::{ExpectedKind, Local, Lowering, Meaning};
use crate::diagnostics::{Diagnostic, codes, did_you_mean, every};
use crate::sequential::interpret::is_initial;
use crate::sequential::syntax::ast::{self, ConstantValue, InitialValue, Name};
use crate::sequential::{
    Expr, Initial, MAX_ELEMENTS, MAX_ROUNDS, MAX_STARTS, Parameter, Place, SortId, Stmt, StmtKind, Summand, Typing,
    ValueKind, Variable, VariableId,
};
use crate::source::Span;

impl Lowering<'_> {
    pub(super) fn process(&mut self, process: &ast::Process) {
        self.model.name = process.name.text.clone();
        self.model.span = process.name.span;
        for variable in &process.variables {
            let meaning = self.variable(variable).map_or(Meaning::Broken, Meaning::Variable);
            self.declare(&variable.name, meaning);
        }
        self.constant = false;
        for tree in &process.summands {
            let summand = self.summand(tree, process);
            self.scope.clear();
            self.locals.clear();
            self.model.summands.extend(summand);
        }
        self.constant = true;
        if let Some(name) = &process.fair {
            self.fair(name);
        }
    }

    fn variable(&mut self, tree: &ast::Variable) -> Option<VariableId> {
        let sort = self.sort(&tree.sort);
        let indices = every(tree.indices.iter().map(|index| self.sort(index)))?;
        let offset = self.model.state_len();
        let size = self.model.size_of(&indices).and_then(|size| size.checked_add(offset));
        if size.is_none_or(|size| size > MAX_ELEMENTS) {
            let message = format!("the variables up to `{}` have more than {MAX_ELEMENTS} elements", tree.name.text);
            return self.refuse(codes::LPE_TOO_LARGE, tree.name.span, message, "check a smaller instance");
        }
        let variable = Variable::new(tree.name.text.clone(), sort?, indices, tree.name.span);
        Some(self.model.add_variable(variable))
    }

    fn fair(&mut self, name: &Name) {
        let Some(sort) = self.sort(name) else { return };
        let takes_part = |summand: &Summand| summand.parameters.iter().any(|parameter| parameter.sort == sort);
        if self.model.summands.iter().any(takes_part) || self.sink.has_errors() {
            self.model.fair = Some(sort);
            return;
        }
        let message = format!("no summand has a summation variable of type `{}`", name.text);
        self.error(codes::LPE_FAIR, name.span, message, "name the type of the processes");
    }

    fn summand(&mut self, tree: &ast::Summand, process: &ast::Process) -> Option<Summand> {
        let mut parameters = Vec::new();
        for binder in &tree.binders {
            let sort = self.sort(&binder.sort);
            self.bind_distinct(&binder.name, sort);
            let name = self.scope.last().map(|bound| bound.name.clone())?;
            parameters.push(sort.map(|sort| Parameter { name, sort, span: binder.name.span }));
        }
        let parameters: Option<Vec<Parameter>> = parameters.into_iter().collect();
        if let Some(parameters) = &parameters {
            self.check_instances(parameters, tree.event.span);
        }
        let guard = self.typed(&tree.guard, ExpectedKind::Condition);
        let arguments: Vec<_> = tree.arguments.iter().map(|tree| self.typed(tree, ExpectedKind::Anything)).collect();
        let body = self.body(&tree.body);
        assert_eq!(self.scope.len(), tree.binders.len(), "every binder inside of a summand ends there");
        assert_eq!(self.rounds, 1, "every loop inside of a summand ends there");
        self.continuation(tree, process);
        Some(Summand {
            parameters: parameters?,
            guard: guard?,
            event: tree.event.text.clone(),
            arguments: arguments.into_iter().collect::<Option<_>>()?,
            body: body?,
            label: None,
            span: tree.event.span,
        })
    }

    fn check_instances(&mut self, parameters: &[Parameter], span: Span) {
        let mut typing = Typing::new(&self.model, parameters.iter().map(|parameter| parameter.sort).collect());
        typing.check_combinations(span);
        for error in typing.errors {
            self.type_error(error.span, &error.fault);
        }
    }

    /// `-> P` or `-> P(x, y)`
    fn continuation(&mut self, tree: &ast::Summand, process: &ast::Process) {
        self.is_process(&tree.target, &process.name);
        let Some((formals, span)) = &tree.formals else { return };
        let declared = process.variables.iter().map(|variable| &variable.name.text);
        if !formals.iter().map(|name| &name.text).eq(declared) {
            let names: Vec<&str> = process.variables.iter().map(|variable| variable.name.text.as_str()).collect();
            let message = "the variables of the process are not repeated in their order";
            let help = format!("write `-> {0}`, or `-> {0}({1})`", process.name.text, names.join(", "));
            self.error(codes::LPE_FORMALS, *span, message, help);
        }
    }

    fn is_process(&mut self, name: &Name, process: &Name) {
        if name.text != process.text {
            let message = format!("`{}` is not the process of this file", name.text);
            self.error(codes::LPE_OTHER_PROCESS, name.span, message, format!("write `{}`", process.text));
        }
    }

    /// An expression of the wanted kind.
    pub(super) fn typed(&mut self, tree: &ast::Expr, want: ExpectedKind) -> Option<Expr> {
        let expr = self.resolve(tree)?;
        self.check(&expr, want).map(|_| expr)
    }

    fn body(&mut self, trees: &[ast::Stmt]) -> Option<Vec<Stmt>> {
        let visible = self.locals.len();
        let depth = self.scope.len();
        let body = every(trees.iter().map(|tree| self.statement(tree)));
        debug_assert_eq!(self.scope.len(), depth, "every loop in a body ends there");
        debug_assert!(self.locals.len() >= visible, "the locals around a body stay");
        self.locals.truncate(visible);
        body
    }

    fn statement(&mut self, tree: &ast::Stmt) -> Option<Stmt> {
        match tree {
            ast::Stmt::Assign { target, indices, value, span } => self.assignment(target, indices, value, *span),
            ast::Stmt::If { condition, then, otherwise, span } => {
                let condition = self.typed(condition, ExpectedKind::Condition);
                let (then, otherwise) = (self.body(then), self.body(otherwise));
                Some(Stmt { kind: StmtKind::If(condition?, then?, otherwise?), span: *span })
            }
            ast::Stmt::Var { variable, value, span } => self.local(variable, value, *span),
            ast::Stmt::For { name, sort, body, span } => self.counted(name, sort, body, *span),
            ast::Stmt::While { condition, body, span } => {
                let condition = self.typed(condition, ExpectedKind::Condition);
                let body = self.body(body);
                Some(Stmt { kind: StmtKind::While(condition?, body?), span: *span })
            }
            ast::Stmt::Fail { text, span } => Some(Stmt { kind: StmtKind::Fail(text.clone()), span: *span }),
        }
    }

    /// `var name : sort := value;` The name is in scope after the value.
    fn local(&mut self, tree: &ast::Variable, value: &ast::Expr, span: Span) -> Option<Stmt> {
        let sort = self.sort(&tree.sort);
        let indices: Option<Vec<SortId>> = every(tree.indices.iter().map(|index| self.sort(index)));
        let value = match sort {
            Some(sort) => self.typed(value, ExpectedKind::Kind(self.model.kind_of(sort))),
            None => self.resolve(value),
        };
        let id = self.declare_local(tree, sort, indices);
        Some(Stmt { kind: StmtKind::Var(id?, value?), span })
    }

    fn declare_local(
        &mut self,
        tree: &ast::Variable,
        sort: Option<SortId>,
        indices: Option<Vec<SortId>>,
    ) -> Option<VariableId> {
        let name = &tree.name;
        let depth = self.scope.len();
        let declared = self.names.get(&name.text).map(|&(_, first)| first);
        let local = self.locals.iter().find(|local| local.name == name.text).map(|local| local.span);
        let bound = self.scope.iter().any(|bound| bound.source == name.text || bound.name == name.text);
        if let Some(first) = declared.or(local) {
            self.duplicate(name, first);
        } else if bound {
            let message = format!("`{}` is bound around this local", name.text);
            self.error(codes::LPE_DUPLICATE, name.span, message, "rename one of them");
        }
        let offset = self.model.working_len();
        let size = indices.as_ref().and_then(|indices| self.model.size_of(indices));
        let fits = size.and_then(|size| size.checked_add(offset)).is_some_and(|size| size <= MAX_ELEMENTS);
        if size.is_some() && !fits {
            let message =
                format!("the variables and locals up to `{}` have more than {MAX_ELEMENTS} elements", name.text);
            self.error(codes::LPE_TOO_LARGE, name.span, message, "check a smaller instance");
        }
        let mut id = None;
        if let (Some(sort), Some(indices), true) = (sort, indices, fits) {
            id = Some(self.model.add_local(Variable::new(name.text.clone(), sort, indices, name.span)));
        }
        self.locals.push(Local { name: name.text.clone(), id, depth, span: name.span });
        id
    }

    /// `for name:sort { .. }`
    fn counted(&mut self, name: &Name, sort: &Name, body: &[ast::Stmt], span: Span) -> Option<Stmt> {
        let sort = self.sort(sort);
        let before = self.rounds;
        let size = sort.map_or(1, |sort| self.model.domain(sort).size());
        self.rounds = before.saturating_mul(size);
        if self.rounds > MAX_ROUNDS && before <= MAX_ROUNDS {
            let message = format!("the `for` loops here make more than {MAX_ROUNDS} rounds");
            self.error(codes::LPE_TOO_LARGE, name.span, message, "use a smaller type, or `while`");
        }
        self.bind(&name.text, sort);
        let body = self.body(body);
        let bound = self.scope.pop()?;
        self.rounds = before;
        let parameter = Parameter { name: bound.name, sort: sort?, span: name.span };
        Some(Stmt { kind: StmtKind::For(parameter, body?), span })
    }

    fn assignment(&mut self, target: &Name, indices: &[ast::Expr], value: &ast::Expr, span: Span) -> Option<Stmt> {
        let variable = self.target(target);
        let indices = self.all(indices);
        let value = self.resolve(value);
        let (variable, value) = (variable?, value?);
        let place_span = indices.iter().flatten().fold(target.span, |span, index| span.to(index.span));
        let place = Place { variable, indices: indices?, span: place_span };
        let scope = self.scope.iter().map(|bound| bound.sort).collect::<Option<Vec<SortId>>>()?;
        let mut typing = Typing::new(&self.model, scope);
        typing.place(&place);
        typing.of_kind(&value, self.model.kind_of(self.model.variable(variable).sort));
        let errors = typing.errors;
        let fine = errors.is_empty();
        for error in errors {
            self.type_error(error.span, &error.fault);
        }
        fine.then_some(Stmt { kind: StmtKind::Assign(place, value), span })
    }

    /// The variable that is assigned.
    fn target(&mut self, name: &Name) -> Option<VariableId> {
        let position = self.scope.iter().rposition(|bound| bound.source == name.text);
        let local = self.locals.iter().rev().find(|local| local.name == name.text);
        if let Some(local) = local.filter(|local| position.is_none_or(|position| position < local.depth)) {
            return local.id;
        }
        let what = if position.is_some() {
            "a summation or loop variable"
        } else {
            match self.names.get(&name.text) {
                Some(&(Meaning::Variable(variable), _)) => return Some(variable),
                Some((Meaning::Broken, _)) => return None,
                Some((Meaning::Constant(..), _)) => "a constant",
                Some((Meaning::Table(_), _)) => "a constant table",
                Some(_) => "a value of an enumeration",
                None => return self.unknown(name),
            }
        };
        let message = format!("`{}` is {what} and cannot be assigned", name.text);
        self.refuse(codes::LPE_NOT_ASSIGNABLE, name.span, message, "assign to a variable of the process")
    }

    /// A further `init`: one whole state.
    pub(super) fn further_init(&mut self, init: &ast::Init, process: &ast::Process) {
        let own: Vec<(Initial, Span)> =
            self.model.variables.iter().map(|variable| (variable.initial.clone(), variable.initial_span)).collect();
        let errors = self.sink.errors;
        self.init(init, process);
        let mut start = Some(Vec::with_capacity(self.model.state_len()));
        for (variable, (initial, span)) in self.model.variables.iter_mut().zip(own) {
            variable.initial_span = span;
            match (&mut start, std::mem::replace(&mut variable.initial, initial)) {
                (Some(start), Initial::Values(values)) => start.extend(values),
                _ => start = None,
            }
        }
        let open = init.values.iter().flatten().any(|(_, value)| matches!(value, InitialValue::Any));
        if open || init.values.is_none() {
            let message = "only the first `init` has `*`";
            let help = "give each variable its values, or move this `init` up";
            self.error(codes::LPE_REPEATED, init.span, message, help);
        } else if self.model.starts.len() == MAX_STARTS {
            let message = format!("more than {MAX_STARTS} further initial states");
            self.error(codes::LPE_TOO_LARGE, init.span, message, "use `*` in the first `init`");
        } else if let Some(start) = start
            && self.sink.errors == errors
            && !is_initial(&self.model, &start)
        {
            assert!(start.len() == self.model.state_len(), "a start has every element");
            self.model.starts.push(start);
        }
    }

    pub(super) fn init(&mut self, init: &ast::Init, process: &ast::Process) {
        self.is_process(&init.process, &process.name);
        let Some(values) = &init.values else { return };
        let mut given: FxHashMap<&str, Span> = FxHashMap::default();
        for (name, value) in values {
            if let Some(first) = given.insert(&name.text, name.span) {
                self.duplicate(name, first);
                continue;
            }
            match self.names.get(&name.text) {
                Some(&(Meaning::Variable(id), _)) => self.initial(id, name.span, value),
                Some((Meaning::Broken, _)) => {}
                _ => self.no_variable(name, process),
            }
        }
        let missing = |variable: &&ast::Variable| !given.contains_key(variable.name.text.as_str());
        let missing: Vec<&str> =
            process.variables.iter().filter(missing).map(|variable| variable.name.text.as_str()).collect();
        if let Some(first) = missing.first() {
            let message = format!("no initial value for `{}`", missing.join("`, `"));
            let help = format!("add `{first} = value`, or `{first} = *` for any");
            self.error(codes::LPE_NO_INITIAL, init.span, message, help);
        }
    }

    fn no_variable(&mut self, name: &Name, process: &ast::Process) {
        let names = process.variables.iter().map(|variable| variable.name.text.as_str());
        let near = did_you_mean(&name.text, names);
        let message = format!("the process has no variable `{}`", name.text);
        self.sink.push(Diagnostic::error(codes::LPE_UNKNOWN_NAME, name.span, message).help_opt(near));
    }

    fn initial(&mut self, id: VariableId, name: Span, value: &InitialValue) {
        let variable = self.model.variable(id);
        let (sort, size) = (variable.sort, self.model.len_of(variable));
        let kind = self.model.kind_of(sort);
        let (trees, values) = match value {
            InitialValue::Any => return,
            InitialValue::Given(ConstantValue::Single(tree)) => {
                let found = self.constant(tree, ExpectedKind::Kind(kind));
                (std::slice::from_ref(tree), found.map(|(_, value)| vec![value]))
            }
            InitialValue::Given(ConstantValue::List(list, span)) => {
                let found = self.constant_list(list, *span, size, Some(kind));
                (list.as_slice(), found.map(|(_, values)| values))
            }
        };
        let Some(mut values) = values else { return };
        for (tree, &value) in trees.iter().zip(&values) {
            self.check_initial(sort, kind, value, tree.span);
        }
        if let (1, &[single]) = (trees.len(), values.as_slice()) {
            values = vec![single; size];
        }
        assert!(values.len() == size, "an initial value for each element");
        let variable = &mut self.model.variables[id.index()];
        variable.initial = Initial::Values(values);
        variable.is_uniform = matches!(value, InitialValue::Given(ConstantValue::Single(_)));
        variable.initial_span = match value {
            InitialValue::Given(ConstantValue::List(_, span)) => name.to(*span),
            _ => trees.iter().fold(name, |whole, tree| whole.to(tree.span)),
        };
    }

    fn check_initial(&mut self, sort: SortId, kind: ValueKind, value: i32, span: Span) {
        let sort = self.model.sort(sort);
        if kind == ValueKind::Integer && !sort.domain.contains(value) {
            let (low, high) = sort.domain.bounds();
            let message = format!("the initial value {value} is outside of `{}`", sort.name);
            self.error(codes::LPE_OUTSIDE, span, message, format!("its values are {low} to {high}"));
        }
    }
}
