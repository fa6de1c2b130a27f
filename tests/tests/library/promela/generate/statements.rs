//! Sequences and what is around basic statements: choices, loops, `atomic`, `d_step`, `unless`, blocks and jumps.

use super::{Generator, MARK, Place};

impl Generator {
    fn basic(&mut self, place: Place) -> String {
        match self.rng.below(26) {
            0..=8 => self.assignment(),
            9..=12 => self.condition(1),
            13..=18 => self.communication(place),
            19 => "b = b".to_owned(),
            20 => format!("printf(\"%d\\n\", {})", if self.has.faults { self.variable() } else { "x".to_owned() }),
            21 if self.has.faults => {
                let (place, value) = (self.pick(&["_", "h[x % 3]", "h[1]"]), self.value());
                format!("{place} = {value}")
            }
            21..=22 if place == Place::Plain || self.has.inner_asserts => format!("assert({})", self.condition(1)),
            23..=24 if place != Place::Step => self.run().unwrap_or_else(|| self.assignment()),
            25 if self.has.timeouts && place != Place::Step => "timeout".to_owned(),
            _ => self.assignment(),
        }
    }

    /// A statement that makes a process.
    fn run(&mut self) -> Option<String> {
        let kind = usize::from(self.rng.chance(50));
        if self.is_looped || self.has.jumps || self.runs[kind] == 0 {
            return None;
        }
        self.runs[kind] -= 1;
        let name = ["S", "R"][kind];
        let more = if self.has.channels { format!(", {}", self.channel_place()) } else { String::new() };
        let value = if self.rng.chance(60) { self.rng.below(3).to_string() } else { self.variable() };
        let run = format!("run {name}({value}{more})");
        Some(match self.rng.below(6) {
            0 => format!("x = {run}"),
            1 => format!("({run})"),
            2 => format!("assert({run})"),
            3 => format!("x = {run} % 2"),
            _ => run,
        })
    }

    /// A label for a statement behind another one.
    pub(super) fn label(&mut self, place: Place) -> String {
        let may_stand = match place {
            Place::Plain | Place::Escape => true,
            Place::Atomic => self.has_labels_inside,
            Place::Step => false,
        };
        if self.kinds.is_empty() || !may_stand || !self.rng.chance(25) {
            return String::new();
        }
        self.labels += 1;
        let kinds = self.kinds.clone();
        format!("{}{}: ", self.pick(&kinds), self.labels)
    }

    /// A `d_step`, none of whose statements waits but the first one.
    fn step(&mut self) -> String {
        let mut body = vec![match self.rng.below(10) {
            0..=3 => self.condition(1),
            4 => self.communication(Place::Step),
            _ => self.assignment(),
        }];
        for _ in 0..self.rng.between(1, 3) {
            body.push(self.inner(usize::from(self.has.inner_loops)));
        }
        format!("d_step {{ {} }}", body.join("; "))
    }

    /// A statement of a `d_step`.
    fn inner(&mut self, depth: usize) -> String {
        let list = |generator: &mut Self| -> String {
            let len = generator.rng.between(1, 2);
            let own = (0..len).map(|_| if depth > 0 { generator.inner(depth - 1) } else { generator.assignment() });
            own.collect::<Vec<_>>().join("; ")
        };
        match self.rng.below(12) {
            0 => "do :: x < 2 -> x++ :: else -> break od".to_owned(),
            1 if depth > 0 => {
                format!("do :: x < 2 -> {}; x = x + 1; if :: y > 1 -> break :: else fi :: else -> break od", {
                    list(self)
                })
            }
            2 if self.has.queue && !self.has.symbols => "if :: len(q) < 1 -> q!x :: else -> q?y fi".to_owned(),
            3..=4 => format!("if :: {} -> {} :: else -> {} fi", self.comparison(), list(self), self.assignment()),
            5 => format!("if :: {} -> {} :: {} fi", self.comparison(), list(self), list(self)),
            6 if self.has.jumps => {
                self.labels += 1;
                let (label, skipped, target) = (self.labels, self.assignment(), self.assignment());
                let jump = format!("goto D{label}; {skipped}");
                let jump = if self.rng.chance(50) { format!("{{ {jump} }}") } else { jump };
                format!("{jump}; D{label}: {target}")
            }
            _ => self.assignment(),
        }
    }

    pub(super) fn sequence(&mut self, depth: usize, place: Place) -> String {
        let len = self.rng.between(1, 3);
        self.statements(depth, place, len)
    }

    fn statements(&mut self, depth: usize, place: Place, len: usize) -> String {
        let mut list: Vec<String> = Vec::new();
        if self.has.jumps && self.rng.chance(15) {
            let jump = self.jump();
            let jump = if self.rng.chance(40) { self.wrapped(&jump) } else { jump };
            list.push(jump);
        }
        for number in 0..len {
            let statement = self.statement(depth, place);
            if number == 0 && statement.contains("unless") {
                // SPIN refuses an escape on a guard.
                list.push("b = b".to_owned());
            }
            let label = if list.is_empty() { String::new() } else { self.label(place) };
            let mark = if list.is_empty() { String::new() } else { MARK.to_string() };
            list.push(mark + &label + &statement);
        }
        if self.has.jumps && self.rng.chance(15) {
            let (jump, label) = (self.jump(), self.label(place));
            list.push(label + &jump);
        }
        list.join("; ")
    }

    fn jump(&mut self) -> String {
        let target = self.rng.between(1, 2);
        self.targets.push(target);
        format!("goto L{target}")
    }

    /// A jump at the beginning of braces or of an atomic sequence.
    fn wrapped(&mut self, jump: &str) -> String {
        let (open, more) = (self.pick(&["{", "atomic {", "{ {"]), self.assignment());
        let close = if open == "{ {" { "} }" } else { "}" };
        if self.rng.chance(50) { format!("{open} {jump} {close}") } else { format!("{open} {jump}; {more} {close}") }
    }

    fn options(&mut self, depth: usize, place: Place) -> String {
        let mut options: Vec<String> = (0..self.rng.between(1, 3)).map(|_| self.sequence(depth - 1, place)).collect();
        if self.has.timeouts && self.rng.chance(30) {
            options.push(format!("timeout -> {}", self.assignment()));
        }
        if self.has.jumps && self.rng.chance(10) {
            let jump = self.jump();
            options.push(jump);
        }
        let list: String = options.iter().map(|option| format!(" :: {option}")).collect();
        // SPIN refuses `else` beside statements on channels.
        let is_open = options.iter().any(|option| is_on_channels(option));
        if !is_open && self.rng.chance(40) { format!("{list} :: else -> {}", self.assignment()) } else { list }
    }

    fn statement(&mut self, depth: usize, place: Place) -> String {
        if depth == 0 || self.rng.chance(50) {
            return self.basic(place);
        }
        let inner_too = self.has.escapes && place != Place::Step;
        match self.rng.below(14) {
            0..=2 => format!("if{} fi", self.options(depth, place)),
            3 if place != Place::Atomic || self.has.inner_loops => {
                let outer = std::mem::replace(&mut self.is_looped, true);
                let options = self.options(depth, place);
                self.is_looped = outer;
                let leave = if self.rng.chance(50) {
                    " :: break".to_owned()
                } else {
                    format!(" :: {} -> break", self.condition(0))
                };
                format!("do{options}{leave} od")
            }
            4..=5 if place == Place::Plain || inner_too && place == Place::Escape => {
                let len = self.rng.between(2, 4);
                format!("atomic {{ {} }}", self.statements(depth - 1, Place::Atomic, len))
            }
            6..=7 => self.step(),
            8 if place == Place::Plain || inner_too => self.escape(depth, place),
            9 if self.has.blocks => self.block(depth, place),
            10 if self.has.counts && self.has_local => self.counting(depth, place),
            11 if self.has.inner_loops => format!("if{} fi", self.options(depth, place)),
            _ => format!("{{ {} }}", self.sequence(depth - 1, place)),
        }
    }

    fn escape(&mut self, depth: usize, place: Place) -> String {
        let inner = if place == Place::Plain { Place::Escape } else { place };
        let body = self.sequence(depth - 1, inner);
        let guard = match self.rng.below(8) {
            0..=1 if self.has.escapes => self.communication(place),
            2 if self.has.escapes => format!("if :: {} :: {} fi", self.condition(0), self.condition(0)),
            3 if self.has.timeouts => "timeout".to_owned(),
            4..=5 if self.has.jumps => self.jump(),
            6 if self.has.jumps => {
                let jump = self.jump();
                self.wrapped(&jump)
            }
            _ => self.condition(1),
        };
        format!("{{ {body} }} unless {{ {guard}; {} }}", self.assignment())
    }

    /// Braces with a local of their own.
    fn block(&mut self, depth: usize, place: Place) -> String {
        self.blocks += 1;
        let name = format!("m{}", self.blocks);
        let first = if self.rng.chance(60) { format!(" = {}", self.value_outside()) } else { String::new() };
        self.block_locals.push(name.clone());
        let body = self.sequence(depth - 1, place);
        self.block_locals.pop();
        format!("{{ byte {name}{first}; {body} }}")
    }

    /// A first value of a local.
    fn value_outside(&mut self) -> String {
        if self.rng.chance(60) { self.rng.below(3).to_string() } else { "x".to_owned() }
    }

    fn counting(&mut self, depth: usize, place: Place) -> String {
        let outer = std::mem::replace(&mut self.is_looped, true);
        let body = self.sequence(depth - 1, place);
        self.is_looped = outer;
        match self.rng.below(6) {
            0..=1 => format!("for (n : 0 .. {}) {{ {body} }}", self.pick(&["1", "x", "2"])),
            2 if self.has.array => format!("for (n in a) {{ {body} }}"),
            3 if self.has.queue && !self.has.symbols => format!("for (n in q) {{ {body} }}"),
            4 => "select (n : 0 .. x)".to_owned(),
            _ => "select (n : 0 .. 2)".to_owned(),
        }
    }
}

/// Whether an option may begin with a statement on a channel, or a condition on one.
fn is_on_channels(option: &str) -> bool {
    option.contains('?')
        || option.replace("!=", "").replace("!(", "").contains('!')
        || ["full(", "empty(", "nfull(", "nempty("].iter().any(|word| option.contains(word))
}
