//! Random models: two or three small processes over bytes, an array, a rendezvous and a buffer.

use std::fmt::Write as _;

/// A model.
pub(super) struct Model {
    pub(super) is_synchronous: bool,
    /// The initial values of the globals `g0`, `g1`.
    pub(super) globals: Vec<i32>,
    /// The messages that the buffer holds.
    pub(super) capacity: usize,
    pub(super) processes: Vec<Process>,
}

/// A process with the states `s0`, `s1`, .. and the variable `x`.
pub(super) struct Process {
    pub(super) committed: Vec<bool>,
    pub(super) x: i32,
    pub(super) steps: Vec<Step>,
}

/// A transition.
pub(super) struct Step {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) guard: Option<Value>,
    pub(super) sync: Option<Sync>,
    pub(super) effects: Vec<(Var, Value)>,
}

/// A synchronisation, over the buffer or as a rendezvous.
pub(super) enum Sync {
    Send(bool, Value),
    Receive(bool, Var),
}

/// A variable.
#[derive(Clone)]
pub(super) enum Var {
    Global(usize),
    /// The variable of a process.
    X(usize),
    /// An element of the array of two bytes.
    Element(Box<Value>),
}

/// An expression.
#[derive(Clone)]
pub(super) enum Value {
    Int(i32),
    Var(Var),
    /// Whether a process is in a state.
    At(usize, usize),
    Not(Box<Value>),
    Two(&'static str, Box<Value>, Box<Value>),
}

/// A linear congruential generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn small(&mut self, bound: usize) -> i32 {
        i32::try_from(self.below(bound)).expect("small")
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// The model of a seed.
pub(super) fn model(seed: u64) -> Model {
    let mut numbers = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let count = numbers.below(2) + 2;
    let states: Vec<usize> = (0..count).map(|_| numbers.below(3) + 1).collect();
    let is_synchronous = numbers.chance(20);
    let mut made = Model {
        is_synchronous,
        globals: vec![numbers.small(3), if numbers.chance(20) { 253 } else { numbers.small(3) }],
        capacity: numbers.below(2) + 1,
        processes: Vec::new(),
    };
    for own in 0..count {
        let commits = numbers.chance(35) && !is_synchronous;
        let committed = (0..states[own]).map(|_| commits && numbers.chance(40)).collect();
        let mut maker = Maker { numbers: &mut numbers, states: &states, own };
        let steps = (0..states[own] + 1).map(|_| maker.step(is_synchronous)).collect();
        let x = numbers.small(3);
        made.processes.push(Process { committed, x, steps });
    }
    made
}

struct Maker<'a> {
    numbers: &'a mut Numbers,
    states: &'a [usize],
    own: usize,
}

impl Maker<'_> {
    fn step(&mut self, is_synchronous: bool) -> Step {
        let (from, to) = (self.numbers.below(self.states[self.own]), self.numbers.below(self.states[self.own]));
        let guard = self.numbers.chance(45).then(|| self.value(2));
        let sync = (!is_synchronous && self.numbers.chance(60)).then(|| {
            let buffered = self.numbers.chance(40);
            if self.numbers.chance(50) {
                Sync::Send(buffered, self.bounded())
            } else {
                Sync::Receive(buffered, self.var())
            }
        });
        let effects = (0..self.numbers.below(3)).map(|_| (self.var(), self.assigned())).collect();
        Step { from, to, guard, sync, effects }
    }

    fn var(&mut self) -> Var {
        match self.numbers.below(5) {
            0 | 1 => Var::Global(self.numbers.below(2)),
            2 | 3 => Var::X(self.own),
            _ => Var::Element(Box::new(if self.numbers.chance(85) { self.bounded_by(2) } else { self.value(1) })),
        }
    }

    fn bounded(&mut self) -> Value {
        self.bounded_by(3)
    }

    fn bounded_by(&mut self, bound: i32) -> Value {
        let value = Value::Two("*", Box::new(self.value(1)), Box::new(self.value(0)));
        Value::Two("%", Box::new(value), Box::new(Value::Int(bound)))
    }

    /// Mostly within the type.
    fn assigned(&mut self) -> Value {
        match self.numbers.below(8) {
            0 => Value::Two("+", Box::new(Value::Var(self.var())), Box::new(Value::Int(1))),
            1 => Value::Two("-", Box::new(Value::Var(self.var())), Box::new(Value::Int(1))),
            2 => self.value(1),
            _ => self.bounded(),
        }
    }

    fn value(&mut self, depth: usize) -> Value {
        const OPERATORS: [&str; 16] =
            ["+", "-", "*", "/", "%", "==", "!=", "<", ">=", "and", "or", "imply", "&", "|", "^", "<="];
        if depth == 0 || self.numbers.chance(25) {
            return match self.numbers.below(6) {
                0 | 1 => Value::Int(self.numbers.small(4)),
                2 => {
                    let process = self.numbers.below(self.states.len());
                    Value::At(process, self.numbers.below(self.states[process]))
                }
                3 => Value::Var(Var::X(self.numbers.below(self.states.len()))),
                _ => Value::Var(Var::Global(self.numbers.below(2))),
            };
        }
        if self.numbers.chance(10) {
            return Value::Not(Box::new(self.value(depth - 1)));
        }
        let operator = OPERATORS[self.numbers.below(OPERATORS.len())];
        Value::Two(operator, Box::new(self.value(depth - 1)), Box::new(self.value(depth - 1)))
    }
}

impl Model {
    /// The model as a text of DVE.
    pub(super) fn text(&self) -> String {
        let mut out = format!("byte g0 = {}, g1 = {};\nbyte a[2] = {{1}};\n", self.globals[0], self.globals[1]);
        let _ = writeln!(out, "channel meet;\nchannel {{byte}} held[{}];", self.capacity);
        for (number, process) in self.processes.iter().enumerate() {
            let names = |fits: &dyn Fn(usize) -> bool| {
                let states = (0..process.committed.len()).filter(|&state| fits(state));
                states.map(|state| format!("s{state}")).collect::<Vec<String>>().join(", ")
            };
            let _ = writeln!(
                out,
                "process P{number} {{\n  byte x = {};\n  state {};\n  init s0;",
                process.x,
                names(&|_| true)
            );
            if process.committed.contains(&true) {
                let _ = writeln!(out, "  commit {};", names(&|state| process.committed[state]));
            }
            let steps: Vec<String> = process.steps.iter().map(|step| step.text(number)).collect();
            let _ = writeln!(out, "  trans\n    {};\n}}", steps.join(",\n    "));
        }
        let _ = writeln!(out, "system {};", if self.is_synchronous { "sync" } else { "async" });
        out
    }
}

impl Step {
    fn text(&self, own: usize) -> String {
        let mut out = format!("s{} -> s{} {{", self.from, self.to);
        if let Some(guard) = &self.guard {
            let _ = write!(out, " guard {};", guard.text(own));
        }
        let channel = |buffered: bool| if buffered { "held" } else { "meet" };
        match &self.sync {
            Some(Sync::Send(buffered, value)) => {
                let _ = write!(out, " sync {}!{};", channel(*buffered), value.text(own));
            }
            Some(Sync::Receive(buffered, var)) => {
                let _ = write!(out, " sync {}?{};", channel(*buffered), var.text(own));
            }
            None => {}
        }
        let effects: Vec<String> =
            self.effects.iter().map(|(var, value)| format!("{} = {}", var.text(own), value.text(own))).collect();
        if !effects.is_empty() {
            let _ = write!(out, " effect {};", effects.join(", "));
        }
        out + " }"
    }
}

impl Var {
    fn text(&self, own: usize) -> String {
        match self {
            Var::Global(number) => format!("g{number}"),
            Var::X(process) if *process == own => "x".to_owned(),
            Var::X(process) => format!("P{process}->x"),
            Var::Element(index) => format!("a[{}]", index.text(own)),
        }
    }
}

impl Value {
    fn text(&self, own: usize) -> String {
        match self {
            Value::Int(value) => value.to_string(),
            Value::Var(var) => var.text(own),
            Value::At(process, state) => format!("P{process}.s{state}"),
            Value::Not(inner) => format!("not ({})", inner.text(own)),
            Value::Two(operator, left, right) => format!("({} {operator} {})", left.text(own), right.text(own)),
        }
    }
}
