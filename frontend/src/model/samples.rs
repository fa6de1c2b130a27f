//! Small models built by hand, for the tests of this crate: short constructors for every part, and three whole models.

use super::*;

pub(crate) const INT: Sort = Sort::Int(Width::Int);
pub(crate) const BYTE: Sort = Sort::Int(Width::Byte);

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

pub(crate) fn place(base: Base, indices: Vec<Expr>) -> Place {
    Place { base, indices, span: Span::NONE }
}

/// A variable of the running rebec.
pub(crate) fn var(id: u32) -> Place {
    place(Base::Variable(VariableId(id)), vec![])
}

/// An element of a variable of the running rebec.
pub(crate) fn element(id: u32, index: Expr) -> Place {
    place(Base::Variable(VariableId(id)), vec![index])
}

/// A parameter or local.
pub(crate) fn local(id: u32) -> Place {
    place(Base::Local(LocalId(id)), vec![])
}

pub(crate) fn read(place: Place, sort: Sort) -> Expr {
    expr(ExprKind::Read(place), if let Sort::Int(_) = sort { INT } else { sort })
}

pub(crate) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let sort = match op {
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual => Sort::Bool,
        _ => left.sort,
    };
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), sort)
}

pub(crate) fn unary(op: UnaryOp, operand: Expr) -> Expr {
    let sort = operand.sort;
    expr(ExprKind::Unary(op, Box::new(operand)), sort)
}

pub(crate) fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::NONE }
}

/// The same statement at `at..at + 1`.
pub(crate) fn at(at: u32, stmt: Stmt) -> Stmt {
    Stmt { span: Span::new(at, at + 1), ..stmt }
}

pub(crate) fn set(place: Place, value: Expr) -> Stmt {
    stmt(StmtKind::Assign { place, value: Rvalue::Expr(value) })
}

pub(crate) fn choose(place: Place, options: Vec<Expr>) -> Stmt {
    stmt(StmtKind::Assign { place, value: Rvalue::Choose(options) })
}

pub(crate) fn let_(id: u32, value: Expr) -> Stmt {
    stmt(StmtKind::Let { local: LocalId(id), value: Some(Rvalue::Expr(value)) })
}

pub(crate) fn assert(condition: Expr) -> Stmt {
    stmt(StmtKind::Assert { condition, message: None })
}

pub(crate) fn when(condition: Expr, then: Block, otherwise: Block) -> Stmt {
    stmt(StmtKind::If { condition, then, otherwise })
}

pub(crate) fn repeat(condition: Expr, body: Block, update: Block) -> Stmt {
    stmt(StmtKind::Loop { condition, body, update })
}

/// A send; its targets are found by [`link`].
pub(crate) fn send(receiver: Expr, message: &str, arguments: Vec<Expr>) -> Stmt {
    stmt(StmtKind::Send { receiver, message: message.into(), arguments, targets: vec![] })
}

pub(crate) fn body(parameters: &[(&str, Sort)], locals: &[(&str, Sort, &[Dimension])], block: Block) -> Body {
    let parameters_len = u32::try_from(parameters.len()).unwrap();
    let mut body = Body { locals: vec![], parameters: parameters_len, block };
    let plain = parameters.iter().map(|&(name, sort)| (name, sort, &[][..]));
    for (name, sort, dimensions) in plain.chain(locals.iter().copied()) {
        let len = dimensions.iter().map(|dimension| if let Dimension::Array(n) = dimension { *n } else { 1 }).product();
        let offset = u32::try_from(body.elements()).unwrap();
        let dimensions = dimensions.to_vec();
        body.locals.push(Local { name: name.into(), sort, dimensions, offset, len, span: Span::NONE });
    }
    body
}

/// A class without a parent; its servers, methods and constructor are declared in class `id`.
pub(crate) fn class(id: u32, name: &str, queue_bound: u32) -> Class {
    Class {
        name: name.into(),
        kind: ClassKind::Reactive,
        parent: None,
        interfaces: vec![],
        ancestors: vec![ClassId(id)],
        queue_bound,
        variables: vec![],
        servers: vec![],
        methods: vec![],
        constructor: None,
        span: Span::NONE,
    }
}

impl Class {
    fn id(&self) -> ClassId {
        *self.ancestors.last().unwrap()
    }

    /// Adds a variable whose elements start as `initial`.
    pub(crate) fn with(mut self, role: Role, name: &str, sort: Sort, axes: &[Dimension], initial: &[Value]) -> Class {
        let (declared_in, offset) = (self.id(), u32::try_from(self.elements()).unwrap());
        let (dimensions, initial) = (axes.to_vec(), initial.to_vec());
        let (name, span) = (name.to_owned(), Span::NONE);
        self.variables.push(Variable { name, sort, dimensions, role, declared_in, offset, initial, span });
        self
    }

    /// Adds a plain known rebec.
    pub(crate) fn knows(self, name: &str, class: u32) -> Class {
        self.with(Role::Known, name, Sort::Rebec(ClassId(class)), &[], &[Value::Null])
    }

    /// Adds a plain state variable.
    pub(crate) fn has(self, name: &str, sort: Sort, initial: Value) -> Class {
        self.with(Role::State, name, sort, &[], &[initial])
    }

    pub(crate) fn serves(mut self, name: &str, body: Body) -> Class {
        let declared_in = self.id();
        self.servers.push(Server { name: name.into(), body, is_abstract: false, declared_in, span: Span::NONE });
        self
    }

    pub(crate) fn method(mut self, name: &str, result: Option<Sort>, body: Body) -> Class {
        let declared_in = self.id();
        self.methods.push(Method {
            name: name.into(),
            result,
            body,
            is_abstract: false,
            declared_in,
            span: Span::NONE,
        });
        self
    }

    pub(crate) fn built_by(mut self, body: Body) -> Class {
        self.constructor = Some(Constructor { body, declared_in: self.id(), span: Span::NONE });
        self
    }
}

pub(crate) fn instance(name: &str, class: u32, known: &[Option<u32>], arguments: &[&[Value]]) -> Instance {
    Instance {
        name: name.into(),
        class: ClassId(class),
        known: known.iter().map(|known| known.map(RebecId)).collect(),
        arguments: arguments.iter().map(|values| values.to_vec()).collect(),
        span: Span::NONE,
    }
}

/// A model of the parts, with the targets of its sends.
pub(crate) fn model(dialect: Dialect, classes: Vec<Class>, instances: Vec<Instance>) -> Model {
    let mut model = Model {
        dialect,
        features: vec![],
        constants: vec![],
        scalar_sets: vec![],
        classes,
        instances,
        creatable: vec![],
    };
    link(&mut model);
    model
}

/// Finds the targets of all sends.
pub(crate) fn link(model: &mut Model) {
    let classes = model.classes.clone();
    for class in &mut model.classes {
        let methods = class.methods.iter_mut().map(|method| &mut method.body);
        let bodies = class.servers.iter_mut().map(|server| &mut server.body).chain(methods);
        for body in bodies.chain(class.constructor.iter_mut().map(|constructor| &mut constructor.body)) {
            link_block(&classes, &mut body.block);
        }
    }
}

fn link_block(classes: &[Class], block: &mut Block) {
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::Send { message, arguments, targets, .. } => {
                let takes = |class: &Class| {
                    class
                        .server(message)
                        .filter(|id| class.servers[id.index()].body.parameters().len() == arguments.len())
                };
                *targets = classes.iter().map(takes).collect();
            }
            StmtKind::If { then, otherwise, .. } => {
                link_block(classes, then);
                link_block(classes, otherwise);
            }
            StmtKind::Loop { body, .. } | StmtKind::ForEach { body, .. } | StmtKind::Block(body) => {
                link_block(classes, body);
            }
            StmtKind::Switch { arms, .. } => arms.iter_mut().for_each(|arm| link_block(classes, &mut arm.block)),
            _ => {}
        }
    }
}

/// One class `C` with one rebec `c`, whose `initial` has the given locals and statements.
pub(crate) fn solo(class: Class, locals: &[(&str, Sort, &[Dimension])], block: Block) -> Model {
    let class = class.serves("initial", body(&[], locals, block));
    model(Dialect::Rebeca20, vec![class], vec![instance("c", 0, &[], &[])])
}

/// Two rebecs that pass a ball, each counting up to 2 and then keeping it.
pub(crate) fn ping_pong() -> Model {
    let player = |id: u32, name: &str, other: u32, first: Block| {
        let ball = body(
            &[("n", BYTE)],
            &[],
            vec![
                set(var(1), read(local(0), BYTE)),
                when(
                    binary(BinaryOp::Less, read(var(1), BYTE), int(2)),
                    vec![send(
                        read(var(0), Sort::Rebec(ClassId(other))),
                        "ball",
                        vec![binary(BinaryOp::Add, read(var(1), BYTE), int(1))],
                    )],
                    vec![],
                ),
            ],
        );
        class(id, name, 2)
            .knows("other", other)
            .has("count", BYTE, Value::Int(0))
            .serves("initial", body(&[], &[], first))
            .serves("ball", ball)
    };
    let serve = vec![send(read(var(0), Sort::Rebec(ClassId(1))), "ball", vec![int(1)])];
    model(
        Dialect::Rebeca20,
        vec![player(0, "Ping", 1, serve), player(1, "Pong", 0, vec![])],
        vec![instance("ping", 0, &[Some(1)], &[]), instance("pong", 1, &[Some(0)], &[])],
    )
}

/// A rebec with a scalar set: it chooses a value, marks it and pokes the known rebec of the next one.
pub(crate) fn chooser() -> Model {
    let scalar = Sort::Scalar(ScalarSetId(0));
    let ring = [Dimension::Scalar(ScalarSetId(0))];
    let value = |value| expr(ExprKind::Scalar(value), scalar);
    let current = || read(var(2), scalar);
    let next = expr(ExprKind::Rotate(Box::new(current()), Box::new(int(1))), scalar);
    let poke = read(element(0, next), Sort::Rebec(ClassId(1)));
    let go = vec![
        choose(var(2), vec![value(1), value(2)]),
        set(element(1, current()), flag(true)),
        stmt(StmtKind::ForEach {
            set: ScalarSetId(0),
            local: LocalId(0),
            body: vec![when(
                binary(BinaryOp::Equal, read(local(0), scalar), current()),
                vec![send(poke, "poke", vec![])],
                vec![],
            )],
        }),
    ];
    let picker = class(0, "Picker", 1)
        .with(Role::Known, "leaf", Sort::Rebec(ClassId(1)), &ring, &[Value::Null; 2])
        .with(Role::State, "marked", Sort::Bool, &ring, &[Value::Bool(false); 2])
        .has("current", scalar, Value::Undefined)
        .serves("initial", body(&[], &[("i", scalar, &[])], go));
    let leaf = class(1, "Leaf", 2).serves("initial", body(&[], &[], vec![])).serves("poke", body(&[], &[], vec![]));
    let instances =
        vec![instance("p", 0, &[Some(1), Some(2)], &[]), instance("a", 1, &[], &[]), instance("b", 1, &[], &[])];
    let mut model = model(Dialect::Rebeca20, vec![picker, leaf], instances);
    let (name, class, span) = ("i".to_owned(), ClassId(0), Span::NONE);
    model.scalar_sets.push(ScalarSet { name, class, low: 1, high: 2, span });
    model
}

/// A node whose constructor makes a chain of `depth` children and sends each a message.
pub(crate) fn creator() -> Model {
    let node = Sort::Rebec(ClassId(0));
    let constructor = body(
        &[("depth", INT)],
        &[("child", node, &[])],
        vec![
            set(var(1), read(local(0), INT)),
            when(
                binary(BinaryOp::Greater, read(local(0), INT), int(0)),
                vec![
                    stmt(StmtKind::Let {
                        local: LocalId(1),
                        value: Some(Rvalue::New {
                            class: ClassId(0),
                            known: vec![this(0)],
                            arguments: vec![binary(BinaryOp::Subtract, read(local(0), INT), int(1))],
                        }),
                    }),
                    send(read(local(1), node), "hello", vec![]),
                ],
                vec![],
            ),
        ],
    );
    let node = class(0, "Node", 3)
        .knows("parent", 0)
        .has("level", INT, Value::Int(7))
        .built_by(constructor)
        .serves("hello", body(&[], &[], vec![]));
    let root = instance("root", 0, &[None], &[&[Value::Int(2)]]);
    Model { creatable: vec![ClassId(0)], ..model(Dialect::Rebeca21, vec![node], vec![root]) }
}
