//! Random texts of summands with one to three parameters over processes that are alike, except for planted differences.

use engine::RandomSource;

pub(super) struct Pairs {
    random: RandomSource,
    /// Whether no part of the text distinguishes processes.
    is_symmetric: bool,
}

impl Pairs {
    pub(super) fn new(seed: u64) -> Pairs {
        Pairs { random: RandomSource::new(seed), is_symmetric: false }
    }

    /// As `new`, over processes that may all be exchanged.
    pub(super) fn planted(seed: u64) -> Pairs {
        Pairs { is_symmetric: true, ..Pairs::new(seed) }
    }

    fn pick(&mut self, list: &[&str]) -> String {
        list[self.random.below(list.len())].to_owned()
    }

    /// A process: a parameter, a variable, or a constant.
    fn process(&mut self, parameters: &[&str]) -> String {
        match self.random.below(12) {
            0 => "h".into(),
            1 if !self.is_symmetric => self.pick(&["0", "1", "2"]),
            2 => format!("next[{}]", self.pick(parameters)),
            _ => self.pick(parameters),
        }
    }

    fn bit(&mut self, parameters: &[&str]) -> String {
        match self.random.below(6) {
            0 => format!("m[{}][{}]", self.process(parameters), self.process(parameters)),
            1 => "x".into(),
            2 => self.pick(&["0", "1"]),
            3 => format!("b[{}]", self.process(parameters)),
            _ => format!("a[{}]", self.process(parameters)),
        }
    }

    fn condition(&mut self, depth: usize, parameters: &[&str]) -> String {
        match self.random.below(if depth == 0 { 4 } else { 8 }) {
            0 => format!("{} != {}", self.process(parameters), self.process(parameters)),
            1 => format!("{} = {}", self.process(parameters), self.process(parameters)),
            2 | 3 => format!("{} = {}", self.bit(parameters), self.bit(parameters)),
            4 | 5 => format!("{} && {}", self.condition(depth - 1, parameters), self.condition(depth - 1, parameters)),
            6 => format!("!({} || {})", self.condition(depth - 1, parameters), self.condition(0, parameters)),
            _ => {
                let inner: Vec<&str> = parameters.iter().copied().chain(["q"]).collect();
                let quantifier = self.pick(&["forall", "exists"]);
                format!("({quantifier} q:P . ({}))", self.condition(depth - 1, &inner))
            }
        }
    }

    fn statement(&mut self, depth: usize, parameters: &[&str]) -> String {
        match self.random.below(if depth == 0 { 6 } else { 8 }) {
            0 => format!("h := {};", self.process(parameters)),
            1 => format!("next[{}] := {};", self.process(parameters), self.process(parameters)),
            2 => format!("m[{}][{}] := {};", self.process(parameters), self.process(parameters), self.bit(parameters)),
            3 => format!("x := {};", self.bit(parameters)),
            4 => format!("b[{}] := {};", self.process(parameters), self.bit(parameters)),
            5 => format!("a[{}] := {};", self.process(parameters), self.bit(parameters)),
            6 => {
                let inner: Vec<&str> = parameters.iter().copied().chain(["q"]).collect();
                format!("for q:P {{ {} }}", self.statement(0, &inner))
            }
            _ => {
                let condition = self.condition(0, parameters);
                let (then, otherwise) = (self.statement(0, parameters), self.statement(0, parameters));
                format!("if ({condition}) {{ {then} }} else {{ {otherwise} }}")
            }
        }
    }

    /// The text of a process.
    pub(super) fn text(&mut self) -> String {
        let mut summands = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let parameters = &["i", "j", "k"][..1 + self.random.below(3)];
            let sums: String = parameters.iter().map(|name| format!("sum {name}:P . ")).collect();
            let guard = self.condition(2, parameters);
            let body: String = (0..1 + self.random.below(2)).map(|_| self.statement(1, parameters)).collect();
            let event = match self.random.below(4) {
                0 => "e".into(),
                1 => format!("f({})", self.pick(parameters)),
                2 => format!("g({}, {})", self.pick(parameters), self.process(parameters)),
                _ => format!("g({}, {})", self.pick(parameters), self.pick(parameters)),
            };
            summands.push(format!("{sums}[{guard}] {event} {{ {body} }} -> X"));
        }
        // No first value distinguishes processes.
        let processes: &[&str] = if self.is_symmetric { &["*"] } else { &["*", "0", "1"] };
        let (h, next) = (self.pick(processes), self.pick(processes));
        let [a, b, m] = [(); 3].map(|()| self.pick(&["0", "1"]));
        let fair = self.pick(&["", " fair P"]);
        format!(
            "type P : 0..2; proc X(h : P, next : P[P], a : BIT[P], b : BIT[P], m : BIT[P][P], x : BIT){fair} = {}; \
             init X(h = {h}, next = {next}, a = {a}, b = {b}, m = {m}, x = 0);",
            summands.join(" + ")
        )
    }
}
