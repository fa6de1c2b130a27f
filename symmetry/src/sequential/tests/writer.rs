//! Random small texts: the scalars `x`, `y`, the arrays `a`, `b`, `m`, and the parameter `i`; written values are sometimes outside their
//! sort, and indices outside their range.

use engine::RandomSource;

pub(super) struct Writer {
    random: RandomSource,
    /// Whether bodies have locals, loops and `fail`.
    rich: bool,
    locals: usize,
}

impl Writer {
    pub(super) fn new(seed: u64) -> Writer {
        Writer { random: RandomSource::new(seed), rich: false, locals: 0 }
    }

    /// As `new`, of bodies with locals, loops and `fail`.
    pub(super) fn rich(seed: u64) -> Writer {
        Writer { rich: true, ..Writer::new(seed) }
    }

    /// A statement with a local, a loop or `fail`.
    fn rich_statement(&mut self, depth: usize) -> String {
        self.locals += 1;
        let (local, value) = (format!("k{}", self.locals), self.number(1));
        match self.below(4) {
            0 => format!("var {local} : T := {value}; {} x := {local};", self.statement(depth)),
            1 => format!("for j{local}:P {{ a[j{local}] := {value}; {} }}", self.statement(depth)),
            2 => format!(
                "var {local} : T := {value}; while ({local} < 2 && {}) {{ {local} := {local} + 1; {} }}",
                self.condition(0),
                self.statement(depth)
            ),
            _ => format!("if {} {{ fail \"no\"; }} else {{ {} }}", self.condition(0), self.statement(depth)),
        }
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.random.below(list.len())]
    }

    fn number(&mut self, depth: usize) -> String {
        if depth == 0 || self.below(3) == 0 {
            let reads =
                ["x", "y", "a[i]", "a[1 - i]", "b[i]", "0", "1", "2", "i", "a[x]", "a[b[i]]", "m[i][x]", "flip[x]"];
            return self.pick(&reads).into();
        }
        let (left, right) = (self.number(depth - 1), self.number(depth - 1));
        match self.below(7) {
            0 => format!("(1 - {left})"),
            1 => format!("(({left} + {right}) mod 2)"),
            2 => format!("({left} * {right})"),
            3 => format!("ite({}, {left}, {right})", self.condition(depth - 1)),
            4 => format!("({left} / {right})"),
            5 => format!("popcount({left} xor {right})"),
            _ => left,
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let (left, right) = (self.number(1), self.number(1));
        if depth == 0 {
            return format!("({left} {} {right})", self.pick(&["=", "!=", "<", "<="]));
        }
        let (p, q) = (self.condition(depth - 1), self.condition(depth - 1));
        match self.below(8) {
            0 => format!("({p} && {q})"),
            1 => format!("({p} || {q})"),
            2 => format!("({p} => {q})"),
            3 => format!("!{p}"),
            4 => "(forall j:P . a[j] = 0)".into(),
            5 => "(exists j:P . (b[j] = 1 && m[j][i] = 0))".into(),
            _ => p,
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        if self.rich && depth > 0 && self.below(2) == 0 {
            return self.rich_statement(depth - 1);
        }
        if depth > 0 && self.below(3) == 0 {
            let (then, otherwise) = (self.statement(depth - 1), self.statement(depth - 1));
            return format!("if {} {{ {then} }} else {{ {otherwise} }}", self.condition(0));
        }
        let place = self.pick(&["x", "y", "a[i]", "a[1 - i]", "b[i]", "a[x]", "m[i][1 - i]", "m[0][i]", "a[b[i]]"]);
        format!("{place} := {};", self.number(1))
    }

    /// The text of a process with an assertion; events have no arguments.
    pub(super) fn text(&mut self) -> String {
        let mut summands = Vec::new();
        for _ in 0..1 + self.below(3) {
            let depth = self.below(3);
            let guard = self.condition(depth);
            let body: String = (0..self.below(3)).map(|_| self.statement(1)).collect();
            let event = self.pick(&["e", "e", "f"]);
            summands.push(format!("sum i:P . [{guard}] {event} {{ {body} }} -> X"));
        }
        let initial: Vec<String> =
            ["x", "y", "a", "b", "m"].map(|name| format!("{name} = {}", self.pick(&["0", "1", "*"]))).into();
        let claim = self.pick(&["x = 0", "a[0] = a[1]", "exists j:P . b[j] = 1", "x = y"]);
        format!(
            "type P : 0..1; type T : 0..2; const flip[BIT] = [1, 0]; \
             proc X(x : BIT, y : BIT, a : BIT[P], b : T[P], m : BIT[P][P]) = {}; init X({}); assert A = {claim};",
            summands.join(" + "),
            initial.join(", ")
        )
    }
}
