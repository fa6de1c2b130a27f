//! Short constructors for the parts of a model.

use frontend::model::*;
use frontend::source::Span;

pub(crate) const INT: Sort = Sort::Int(Width::Int);

pub(crate) fn expr(kind: ExprKind, sort: Sort) -> Expr {
    Expr { kind, sort, span: Span::NONE }
}

pub(crate) fn int(value: i32) -> Expr {
    expr(ExprKind::Int(value), INT)
}

pub(crate) fn flag(value: bool) -> Expr {
    expr(ExprKind::Bool(value), Sort::Bool)
}

pub(crate) fn null() -> Expr {
    expr(ExprKind::Null, Sort::AnyRebec)
}

pub(crate) fn sender() -> Expr {
    expr(ExprKind::Sender, Sort::AnyRebec)
}

pub(crate) fn this(class: u32) -> Expr {
    expr(ExprKind::SelfRef, Sort::Rebec(ClassId(class)))
}

pub(crate) fn feature(id: u32) -> Expr {
    expr(ExprKind::Feature(FeatureId(id)), Sort::Bool)
}

pub(crate) fn not(operand: Expr) -> Expr {
    expr(ExprKind::Unary(UnaryOp::Not, Box::new(operand)), Sort::Bool)
}

pub(crate) fn and(operands: Vec<Expr>) -> Expr {
    expr(ExprKind::And(operands), Sort::Bool)
}

pub(crate) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let sort = if matches!(op, BinaryOp::Equal | BinaryOp::Less) { Sort::Bool } else { left.sort };
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), sort)
}

pub(crate) fn place(base: Base) -> Place {
    Place { base, indices: Vec::new(), span: Span::NONE }
}

/// The value of a variable of the running rebec.
pub(crate) fn var(id: u32, sort: Sort) -> Expr {
    expr(ExprKind::Read(place(Base::Variable(VariableId(id)))), sort)
}

/// The value of a parameter.
pub(crate) fn parameter(id: u32, sort: Sort) -> Expr {
    expr(ExprKind::Read(place(Base::Local(LocalId(id)))), sort)
}

/// The value of a variable of a rebec of `main`.
pub(crate) fn remote(rebec: u32, variable: u32, sort: Sort) -> Expr {
    expr(ExprKind::Read(place(Base::Remote(RebecId(rebec), VariableId(variable)))), sort)
}

pub(crate) fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::NONE }
}

pub(crate) fn set(variable: u32, value: Rvalue) -> Stmt {
    stmt(StmtKind::Assign { place: place(Base::Variable(VariableId(variable))), value })
}

pub(crate) fn when(condition: Expr, then: Block, otherwise: Block) -> Stmt {
    stmt(StmtKind::If { condition, then, otherwise })
}

/// A send; [`link`] finds its targets.
pub(crate) fn send(receiver: Expr, message: &str, arguments: Vec<Expr>) -> Stmt {
    stmt(StmtKind::Send { receiver, message: message.to_owned(), arguments, targets: Vec::new() })
}

pub(crate) fn variable(name: &str, sort: Sort, role: Role, initial: Value) -> Variable {
    Variable {
        name: name.to_owned(),
        sort,
        dimensions: Vec::new(),
        role,
        declared_in: ClassId(0),
        offset: 0,
        initial: vec![initial],
        span: Span::NONE,
    }
}

pub(crate) fn body(parameters: &[(&str, Sort)], block: Block) -> Body {
    let local = |(offset, &(name, sort)): (u32, &(&str, Sort))| Local {
        name: name.to_owned(),
        sort,
        dimensions: Vec::new(),
        offset,
        len: 1,
        span: Span::NONE,
    };
    let locals: Vec<Local> = (0..).zip(parameters).map(local).collect();
    Body { parameters: u32::try_from(locals.len()).expect("few"), locals, block }
}

pub(crate) fn server(name: &str, parameters: &[(&str, Sort)], block: Block) -> Server {
    Server {
        name: name.to_owned(),
        body: body(parameters, block),
        is_abstract: false,
        declared_in: ClassId(0),
        span: Span::NONE,
    }
}

pub(crate) fn class(id: u32, name: &str, queue_bound: u32, variables: Vec<Variable>, servers: Vec<Server>) -> Class {
    let here = ClassId(id);
    let variables = (0..).zip(variables).map(|(offset, variable)| Variable { offset, declared_in: here, ..variable });
    let servers = servers.into_iter().map(|server| Server { declared_in: here, ..server });
    Class {
        name: name.to_owned(),
        kind: ClassKind::Reactive,
        parent: None,
        interfaces: Vec::new(),
        ancestors: vec![here],
        queue_bound,
        variables: variables.collect(),
        servers: servers.collect(),
        methods: Vec::new(),
        constructor: None,
        span: Span::NONE,
    }
}

pub(crate) fn instance(name: &str, class: u32, known: &[u32]) -> Instance {
    Instance {
        name: name.to_owned(),
        class: ClassId(class),
        known: known.iter().map(|&rebec| Some(RebecId(rebec))).collect(),
        arguments: Vec::new(),
        span: Span::NONE,
    }
}

/// Finds the targets of every send, and gives every statement its own span.
pub(crate) fn link(model: &mut Model) {
    let signatures: Vec<Vec<(String, usize)>> = model
        .classes
        .iter()
        .map(|class| class.servers.iter().map(|s| (s.name.clone(), s.body.parameters as usize)).collect())
        .collect();
    let mut next = 0;
    for class in &mut model.classes {
        for server in &mut class.servers {
            link_block(&mut server.body.block, &signatures, &mut next);
        }
        if let Some(constructor) = &mut class.constructor {
            link_block(&mut constructor.body.block, &signatures, &mut next);
        }
    }
}

fn link_block(block: &mut Block, signatures: &[Vec<(String, usize)>], next: &mut u32) {
    for stmt in block {
        stmt.span = Span::new(*next, *next + 1);
        *next += 1;
        match &mut stmt.kind {
            StmtKind::Send { message, arguments, targets, .. } => {
                let wanted = (message.clone(), arguments.len());
                let find = |servers: &Vec<(String, usize)>| servers.iter().position(|server| *server == wanted);
                *targets = signatures.iter().map(|servers| find(servers).map(ServerId::from_index)).collect();
            }
            StmtKind::If { then, otherwise, .. } => {
                link_block(then, signatures, next);
                link_block(otherwise, signatures, next);
            }
            _ => {}
        }
    }
}
