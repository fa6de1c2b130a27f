//! Random models of Promela that SPIN reads, too: processes, buffered channels and rendezvous, `atomic`, `d_step`, `unless`, labels, `run`,
//! arrays and symbols.
//!
//! Invariant: values stay small, so that state spaces do. No model has what SPIN refuses or is known to count otherwise: labels before first
//! statements, `else` beside statements on channels, `unless` on a guard, assertions inside of sequences, and `skip` behind `printf` or `skip` in an option,
//! which SPIN leaves out.

use battery::random::Rng;

/// A model.
pub(super) struct Model {
    /// Its text.
    pub(super) text: String,
    /// Whether accept labels may stand inside of `atomic` sequences, where SPIN does not see all of them.
    pub(super) has_labels_inside: bool,
}

/// The place of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Plain,
    Atomic,
    Escape,
    Step,
}

struct Generator {
    rng: Rng,
    kinds: Vec<&'static str>,
    labels: usize,
    has_labels_inside: bool,
    capacity: usize,
    has_symbols: bool,
    has_queue: bool,
    has_meetings: bool,
    has_array: bool,
    has_local: bool,
    is_looped: bool,
    /// How many processes may still be made.
    runs: usize,
}

/// The model of a seed.
pub(super) fn model(seed: u64) -> Model {
    let mut rng = Rng::new(seed);
    let kinds = ["accept", "progress", "end"].into_iter().filter(|_| rng.chance(35)).collect();
    let has_labels_inside = rng.chance(30);
    let mut generator = Generator {
        kinds,
        labels: 0,
        has_labels_inside,
        capacity: rng.between(1, 2),
        has_symbols: rng.chance(30),
        has_queue: rng.chance(60),
        has_meetings: rng.chance(50),
        has_array: rng.chance(40),
        has_local: false,
        is_looped: false,
        runs: 0,
        rng,
    };
    let text = generator.text();
    Model { text, has_labels_inside }
}

impl Generator {
    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.rng.below(list.len())]
    }

    fn text(&mut self) -> String {
        let mut out = "byte x, y;\nbit b;\n".to_owned();
        if self.has_array {
            out += "byte a[2];\n";
        }
        if self.has_symbols {
            out += "mtype = { red, green };\n";
        }
        if self.has_queue {
            let fields = if self.has_symbols { "mtype, byte" } else { "byte" };
            out += &format!("chan q = [{}] of {{ {fields} }};\n", self.capacity);
        }
        if self.has_meetings {
            out += "chan r = [0] of { byte };\n";
        }
        if self.rng.chance(30) {
            (self.has_local, self.is_looped) = (true, false);
            out += &format!("proctype R(byte n) {{\n  {}\n}}\n", self.sequence(2, Place::Plain));
            self.runs = 2;
        }
        for name in ["P", "Q"].into_iter().take(self.rng.between(1, 2)) {
            let copies = if self.rng.chance(35) { " [2]" } else { "" };
            out += &format!("active{copies} proctype {name}() {{\n{}\n}}\n", self.process());
        }
        if self.rng.chance(50) {
            let atoms = ["x == 1", "y != 0", "b == 1", "x > y"];
            let (one, other) = (self.pick(&atoms), self.pick(&atoms));
            let forms = [
                format!("[] <> ({one})"),
                format!("<> [] ({one})"),
                format!("[] (({one}) -> <> ({other}))"),
                format!("<> ({one})"),
            ];
            out += &format!("ltl f {{ {} }}\n", forms[self.rng.below(forms.len())]);
        }
        out
    }

    fn process(&mut self) -> String {
        self.has_local = self.rng.chance(40);
        self.is_looped = self.rng.chance(60);
        let local = if self.has_local { "  byte n = 1;\n" } else { "" };
        let body = self.sequence(2, Place::Plain);
        if !self.is_looped {
            return format!("{local}  {body}");
        }
        let (label, more) = (self.label(Place::Plain), self.rng.below(3));
        let more = match more {
            0 => String::new(),
            1 => format!(" :: {}", self.sequence(1, Place::Plain)),
            _ => format!(" :: {} -> break", self.condition(1)),
        };
        format!("{local}  {label}do :: {body}{more} od")
    }

    fn variable(&mut self) -> &'static str {
        let mut list = vec!["x", "y", "b"];
        if self.has_array {
            list.extend(["a[0]", "a[1]", "a[x % 2]"]);
        }
        if self.has_local {
            list.push("n");
        }
        self.pick(&list)
    }

    fn value(&mut self) -> String {
        match self.rng.below(20) {
            0..=7 => self.rng.below(3).to_string(),
            8..=13 => self.variable().to_owned(),
            14 => "_pid".to_owned(),
            15 => "_nr_pr".to_owned(),
            16 if self.has_queue => "len(q)".to_owned(),
            _ => format!("({} {} {})", self.variable(), self.pick(&["+", "*"]), self.variable()),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        match self.rng.below(20) {
            0..=2 if depth > 0 => {
                let op = self.pick(&["&&", "||"]);
                format!("({} {op} {})", self.condition(depth - 1), self.condition(depth - 1))
            }
            3 if depth > 0 => format!("!({})", self.condition(depth - 1)),
            4 if self.has_queue => format!("(len(q) {} 1)", self.pick(&["<", "==", ">="])),
            5 if self.has_queue => format!("q?[{}]", self.pattern()),
            _ => {
                let (variable, op) = (self.variable(), self.pick(&["==", "!=", "<", ">="]));
                let other =
                    if self.rng.chance(50) { self.rng.below(3).to_string() } else { self.variable().to_owned() };
                format!("({variable} {op} {other})")
            }
        }
    }

    /// The arguments of a receive statement that match values.
    fn pattern(&mut self) -> String {
        let wanted =
            if self.rng.chance(50) { self.rng.below(3).to_string() } else { format!("eval({})", self.variable()) };
        if self.has_symbols { format!("{}, {wanted}", self.pick(&["red", "green"])) } else { wanted }
    }

    fn assignment(&mut self) -> String {
        let variable = self.variable();
        match self.rng.below(10) {
            0 => format!("{variable} = ({} -> {} : {}) % 2", self.condition(0), self.rng.below(2), self.value()),
            1..=2 => format!("{variable} = {}", self.rng.below(2)),
            _ if variable == "b" => "b = 1 - b".to_owned(),
            _ => format!("{variable} = ({}) % 3", self.value()),
        }
    }

    fn communication(&mut self, place: Place) -> String {
        let target = if self.has_local && self.rng.chance(40) { "n" } else { self.pick(&["x", "y"]) };
        let meets = self.has_meetings && place != Place::Step && (!self.has_queue || self.rng.chance(45));
        if meets {
            return match self.rng.below(4) {
                0..=1 => format!("r!{}", self.rng.below(3)),
                2 => format!("r?{target}"),
                _ => format!("r?{}", self.pick(&["0", "1", "eval(x)"])),
            };
        }
        if !self.has_queue {
            return self.assignment();
        }
        let first = if self.has_symbols { format!("{}, ", self.pick(&["red", "green"])) } else { String::new() };
        let any = if self.has_symbols { "_, " } else { "" };
        match self.rng.below(8) {
            0..=2 => format!("q!{first}{}", self.rng.below(3)),
            3 => format!("q!!{first}{}", self.rng.below(3)),
            4..=5 => format!("q?{any}{target}"),
            6 => format!("q??{}", self.pattern()),
            _ => format!("q?<{any}{target}>"),
        }
    }

    fn basic(&mut self, place: Place) -> String {
        match self.rng.below(24) {
            0..=9 => self.assignment(),
            10..=13 => self.condition(1),
            14..=18 => self.communication(place),
            19..=20 => "b = b".to_owned(),
            21..=22 if place == Place::Plain => format!("assert({})", self.condition(1)),
            23 if self.runs > 0 && !self.is_looped && place != Place::Step => {
                self.runs -= 1;
                let values = ["run R(1)", "x = run R(2)", "(run R(0))", "assert(run R(1))"];
                self.pick(&values).to_owned()
            }
            _ => self.assignment(),
        }
    }

    /// A label for a statement behind another one.
    fn label(&mut self, place: Place) -> String {
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

    fn step(&mut self) -> String {
        let mut body = vec![if self.rng.chance(40) { self.condition(1) } else { self.assignment() }];
        for _ in 0..self.rng.between(1, 3) {
            body.push(match self.rng.below(8) {
                0 => "do :: x < 2 -> x++ :: else -> break od".to_owned(),
                1..=2 => {
                    format!("if :: {} -> {} :: else -> {} fi", self.condition(1), self.assignment(), self.assignment())
                }
                _ => self.assignment(),
            });
        }
        format!("d_step {{ {} }}", body.join("; "))
    }

    fn sequence(&mut self, depth: usize, place: Place) -> String {
        let len = self.rng.between(1, 3);
        self.statements(depth, place, len)
    }

    fn statements(&mut self, depth: usize, place: Place, len: usize) -> String {
        let mut list: Vec<String> = Vec::new();
        for number in 0..len {
            let statement = self.statement(depth, place);
            if number == 0 && statement.contains("unless") {
                // SPIN refuses an escape on a guard.
                list.push("b = b".to_owned());
            }
            let label = if list.is_empty() { String::new() } else { self.label(place) };
            list.push(label + &statement);
        }
        list.join("; ")
    }

    fn options(&mut self, depth: usize, place: Place) -> String {
        let options: Vec<String> = (0..self.rng.between(1, 3)).map(|_| self.sequence(depth - 1, place)).collect();
        let list: String = options.iter().map(|option| format!(" :: {option}")).collect();
        // SPIN refuses `else` beside statements on channels.
        let is_open = list.contains(['!', '?']) && list.contains(['q', 'r']);
        if !is_open && self.rng.chance(40) { format!("{list} :: else -> {}", self.assignment()) } else { list }
    }

    fn statement(&mut self, depth: usize, place: Place) -> String {
        if depth == 0 || self.rng.chance(50) {
            return self.basic(place);
        }
        match self.rng.below(10) {
            0..=2 => format!("if{} fi", self.options(depth, place)),
            3 if place != Place::Atomic => {
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
            4..=5 if place == Place::Plain => {
                let len = self.rng.between(2, 4);
                format!("atomic {{ {} }}", self.statements(depth - 1, Place::Atomic, len))
            }
            6..=7 => self.step(),
            8 if place == Place::Plain => {
                let (body, guard) = (self.sequence(depth - 1, Place::Escape), self.condition(1));
                format!("{{ {body} }} unless {{ {guard}; {} }}", self.assignment())
            }
            _ => format!("{{ {} }}", self.sequence(depth - 1, place)),
        }
    }
}
