//! Random models: two classes, known rebecs, choices, faults, creation, features, both dialects.

use frontend::model::*;
use frontend::source::Span;

use super::build::{
    INT, binary, class, feature, flag, instance, int, link, null, parameter, send, sender, server, set, stmt, this,
    var, variable, when,
};

/// A generator of pseudo-random numbers.
pub(crate) struct Rng(u64);

impl Rng {
    /// The generator of a seed.
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn percent(&mut self, chance: u32) -> bool {
        self.below(100) < chance
    }
}

/// Variables of every class: two known rebecs, a number below 3, a boolean, a rebec.
const NUMBER: u32 = 2;
const FLAG: u32 = 3;
const REBEC: u32 = 4;

struct Generator {
    rng: Rng,
    features: bool,
    creates: bool,
    faults: bool,
}

impl Generator {
    fn number(&mut self, parameters: u32) -> Expr {
        match self.rng.below(4) {
            0 => int(i32::try_from(self.rng.below(3)).expect("small")),
            1 if parameters > 0 => parameter(0, INT),
            1 | 2 => var(NUMBER, INT),
            _ => {
                let sum = binary(BinaryOp::Add, var(NUMBER, INT), int(1));
                binary(BinaryOp::Remainder, sum, int(3))
            }
        }
    }

    fn condition(&mut self, class: u32, parameters: u32) -> Expr {
        match self.rng.below(4) {
            0 => var(FLAG, Sort::Bool),
            1 if self.features => feature(0),
            1 | 2 => binary(BinaryOp::Equal, self.number(parameters), int(1)),
            _ => binary(BinaryOp::Equal, sender(), this(class)),
        }
    }

    fn rebec(&mut self, class: u32) -> Expr {
        match self.rng.below(6) {
            0 => this(class),
            1 => sender(),
            2 if self.faults => var(REBEC, Sort::Rebec(ClassId(0))),
            other => var(other % 2, Sort::Rebec(ClassId(0))),
        }
    }

    fn message(&mut self, class: u32, parameters: u32) -> Stmt {
        let receiver = self.rebec(class);
        match self.rng.below(3) {
            0 => send(receiver, "take", vec![self.number(parameters)]),
            1 => send(receiver, "other", vec![]),
            _ => send(receiver, "one", vec![]),
        }
    }

    fn fault(&mut self, parameters: u32) -> Stmt {
        let holds = binary(BinaryOp::Less, self.number(parameters), int(2));
        if self.rng.percent(50) {
            return stmt(StmtKind::Assert { condition: holds, message: Some("random".to_owned()) });
        }
        let quotient = binary(BinaryOp::Divide, int(2), self.number(parameters));
        set(NUMBER, Rvalue::Expr(quotient))
    }

    fn create(&mut self, class: u32) -> Stmt {
        let known = (0..2).map(|_| if self.rng.percent(20) { null() } else { this(class) }).collect();
        set(REBEC, Rvalue::New { class: ClassId(self.rng.below(2)), known, arguments: vec![] })
    }

    fn statement(&mut self, class: u32, parameters: u32, depth: u32) -> Stmt {
        match self.rng.below(12) {
            0 | 1 => set(NUMBER, Rvalue::Expr(self.number(parameters))),
            2 => set(NUMBER, Rvalue::Choose(vec![int(0), self.number(parameters)])),
            3 => set(FLAG, Rvalue::Choose(vec![flag(true), flag(false)])),
            4 => set(FLAG, Rvalue::Expr(self.condition(class, parameters))),
            5 if self.faults => set(REBEC, Rvalue::Expr(if self.rng.percent(30) { null() } else { sender() })),
            6 if self.faults => self.fault(parameters),
            7 if self.creates => self.create(class),
            8 | 9 if depth > 0 => {
                let (then, otherwise) =
                    (self.block(class, parameters, depth - 1), self.block(class, parameters, depth - 1));
                when(self.condition(class, parameters), then, otherwise)
            }
            _ => self.message(class, parameters),
        }
    }

    fn block(&mut self, class: u32, parameters: u32, depth: u32) -> Block {
        (0..=self.rng.below(3)).map(|_| self.statement(class, parameters, depth)).collect()
    }

    fn class(&mut self, id: u32, dialect: Dialect) -> Class {
        let any = Sort::Rebec(ClassId(0));
        let variables = vec![
            variable("first", any, Role::Known, Value::Null),
            variable("second", any, Role::Known, Value::Null),
            variable("number", INT, Role::State, Value::Int(0)),
            variable("flag", Sort::Bool, Role::State, Value::Bool(false)),
            variable("rebec", any, Role::State, Value::Null),
        ];
        let mut servers = vec![
            server("take", &[("value", INT)], self.block(id, 1, 1)),
            server("one", &[], self.block(id, 0, 2)),
            server("other", &[], self.block(id, 0, 1)),
        ];
        let start = self.block(id, 0, 1);
        if dialect == Dialect::Rebeca20 {
            servers.push(server("initial", &[], start));
            return class(id, &format!("C{id}"), 2 + self.rng.below(2), variables, servers);
        }
        let mut class = class(id, &format!("C{id}"), 2 + self.rng.below(2), variables, servers);
        let body = super::build::body(&[], start);
        class.constructor = Some(Constructor { body, declared_in: ClassId(id), span: Span::NONE });
        class
    }
}

/// The model of a seed. Both classes conform to the first one, so rebecs of both go everywhere.
pub(crate) fn random_model(seed: u64) -> Model {
    let mut rng = Rng::new(seed);
    let dialect = if rng.percent(60) { Dialect::Rebeca20 } else { Dialect::Rebeca21 };
    let (features, creates, faults) = (rng.percent(30), rng.percent(35), rng.percent(60));
    let count = 2 + rng.below(3);
    let mut generator = Generator { rng, features, creates, faults };
    let mut classes = vec![generator.class(0, dialect), generator.class(1, dialect)];
    classes[1].ancestors = vec![ClassId(0), ClassId(1)];
    let rng = &mut generator.rng;
    let instances =
        (0..count).map(|at| instance(&format!("r{at}"), rng.below(2), &[rng.below(count), rng.below(count)])).collect();
    let feature = Feature { name: "feature".to_owned(), span: Span::NONE };
    let mut model = Model {
        dialect,
        features: if features { vec![feature] } else { Vec::new() },
        constants: Vec::new(),
        scalar_sets: Vec::new(),
        classes,
        instances,
        creatable: if creates { vec![ClassId(0), ClassId(1)] } else { Vec::new() },
    };
    link(&mut model);
    model
}
