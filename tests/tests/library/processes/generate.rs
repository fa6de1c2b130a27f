//! Random texts of the sequential language: every form of expression, sort and statement, small enough to be explored.
//!
//! A text is well-typed by construction. Indices and written values are mostly brought into range by `mod`, and sometimes
//! left as they are, so that some steps fault and most do not.

use battery::random::Rng;

/// A sort of the text: its name, and for a range its bounds, for an enumeration its members.
struct Sort {
    name: &'static str,
    low: i32,
    size: usize,
    members: &'static [&'static str],
}

const SORTS: [Sort; 5] = [
    Sort { name: "BOOL", low: 0, size: 2, members: &[] },
    Sort { name: "P", low: 0, size: 3, members: &[] },
    Sort { name: "R", low: -1, size: 4, members: &[] },
    Sort { name: "ONE", low: 5, size: 1, members: &[] },
    Sort { name: "E", low: 0, size: 3, members: &["red", "green", "blue"] },
];
const ENUMERATION: usize = 4;
const DEFINITIONS: &str = "type P : 0..2;\ntype R : -1..2;\ntype ONE : 5..5;\ntype E : { red, green, blue };
const next[E] = [green, blue, red];\nconst edge[i:P][j:R] = (i + 1) mod 3 = j;\nconst cost[P] = [3, -2, 7];\n\n";

/// A variable of the process: its sort and the sorts of its indices.
struct Variable {
    name: String,
    sort: usize,
    indices: Vec<usize>,
}

struct Generator {
    rng: Rng,
    variables: Vec<Variable>,
    /// The binders in scope: name and sort.
    scope: Vec<(String, usize)>,
    binders: usize,
}

/// The text of a process.
pub(crate) fn process(seed: u64) -> String {
    let mut generator = Generator { rng: Rng::new(seed), variables: Vec::new(), scope: Vec::new(), binders: 0 };
    generator.text()
}

impl Generator {
    fn text(&mut self) -> String {
        for at in 0..self.rng.between(1, 3) {
            let dimensions = [0, 0, 1, 1, 2][self.rng.below(5)];
            let indices = (0..dimensions).map(|_| [1, 1, 2, 3, 4][self.rng.below(5)]).collect();
            let sort = self.rng.below(SORTS.len());
            self.variables.push(Variable { name: format!("v{at}"), sort, indices });
        }
        let formals: Vec<String> =
            self.variables.iter().map(|variable| format!("{} : {}", variable.name, type_of(variable))).collect();
        let summands: Vec<String> = (0..self.rng.between(1, 4)).map(|at| self.summand(at)).collect();
        let initial: Vec<String> = (0..self.variables.len()).map(|at| self.initial(at)).collect();
        let claims: Vec<String> = (0..self.rng.between(0, 2))
            .map(|at| {
                let condition = self.condition(3);
                format!("assert A{at} = {condition};\n")
            })
            .collect();
        format!(
            "{DEFINITIONS}proc X({}) =\n    {};\n\ninit X({});\n{}",
            formals.join(", "),
            summands.join("\n  + "),
            initial.join(", "),
            claims.concat()
        )
    }

    fn initial(&mut self, at: usize) -> String {
        let Variable { name, sort, indices } = &self.variables[at];
        let elements: usize = indices.iter().map(|&index| SORTS[index].size).product();
        if elements <= 4 && self.rng.chance(25) {
            return format!("{name} = *");
        }
        format!("{name} = {}", value(*sort, self.rng.below(SORTS[*sort].size)))
    }

    fn summand(&mut self, at: usize) -> String {
        let parameters: Vec<String> = (0..[0, 1, 1, 2][self.rng.below(4)]).map(|_| self.bind("sum")).collect();
        let guard = match self.rng.below(4) {
            0 => self.condition(3),
            _ => format!("{} && {}", self.test(), self.condition(2)),
        };
        let arguments: Vec<String> = (0..self.rng.below(3)).map(|_| self.expression(2)).collect();
        let arguments = if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) };
        let body: Vec<String> = (0..self.rng.between(1, 3)).map(|_| self.statement(2)).collect();
        self.scope.clear();
        format!("{}[{guard}] e{at}{arguments} {{ {} }} -> X", parameters.concat(), body.join(" "))
    }

    /// Opens a binder.
    fn bind(&mut self, word: &str) -> String {
        let sort = self.rng.below(SORTS.len());
        self.binders += 1;
        let name = format!("b{}", self.binders);
        let text = format!("{word} {name}:{} . ", SORTS[sort].name);
        self.scope.push((name, sort));
        text
    }

    fn statement(&mut self, depth: usize) -> String {
        if depth > 0 && self.rng.chance(25) {
            let condition = self.condition(1);
            let (then, otherwise) = (self.statement(depth - 1), self.statement(depth - 1));
            return format!("if ({condition}) {{ {then} }} else {{ {otherwise} }}");
        }
        let at = self.rng.below(self.variables.len());
        let sort = self.variables[at].sort;
        let (place, value) = (self.place(at), self.of_sort(sort, 2));
        format!("{place} := {value};")
    }

    fn place(&mut self, at: usize) -> String {
        let (mut text, indices) = (self.variables[at].name.clone(), self.variables[at].indices.clone());
        for index in indices {
            text.push_str(&format!("[{}]", self.of_sort(index, 1)));
        }
        text
    }

    /// An expression whose value mostly belongs to a sort.
    fn of_sort(&mut self, sort: usize, depth: usize) -> String {
        let Sort { low, size, .. } = &SORTS[sort];
        if sort == ENUMERATION {
            return self.member(depth);
        }
        if let Some(name) = self.bound(sort).filter(|_| self.rng.chance(50)) {
            return name;
        }
        if self.rng.chance(25) {
            return value(sort, self.rng.below(*size));
        }
        let number = self.number(depth);
        if self.rng.chance(6) { number } else { format!("({number}) mod {size} + {low}").replace("+ -", "- ") }
    }

    /// A binder of a sort.
    fn bound(&mut self, sort: usize) -> Option<String> {
        let fitting: Vec<&String> =
            self.scope.iter().filter(|(_, other)| *other == sort).map(|(name, _)| name).collect();
        if fitting.is_empty() { None } else { Some(fitting[self.rng.below(fitting.len())].clone()) }
    }

    /// A place that is a member of the enumeration, or an integer.
    fn read(&mut self, member: bool) -> Option<String> {
        let fits = |variable: &Variable| (variable.sort == ENUMERATION) == member;
        let fitting: Vec<usize> = (0..self.variables.len()).filter(|&at| fits(&self.variables[at])).collect();
        if fitting.is_empty() {
            return None;
        }
        let at = fitting[self.rng.below(fitting.len())];
        Some(self.place(at))
    }

    fn member(&mut self, depth: usize) -> String {
        match self.rng.below(4) {
            0 => self.bound(ENUMERATION),
            1 if depth > 0 => Some(format!("next[{}]", self.member(depth - 1))),
            2 if depth > 0 => self.read(true),
            _ => None,
        }
        .unwrap_or_else(|| value(ENUMERATION, self.rng.below(3)))
    }

    fn number(&mut self, depth: usize) -> String {
        let leaf = |generator: &mut Generator| {
            let sort = generator.rng.below(ENUMERATION);
            generator.bound(sort).unwrap_or_else(|| format!("{}", generator.rng.below(6)))
        };
        if depth == 0 {
            return leaf(self);
        }
        match self.rng.below(12) {
            0 => format!("cost[{}]", self.of_sort(1, depth - 1)),
            1 => format!("-({})", self.number(depth - 1)),
            2 => format!("popcount({})", self.number(depth - 1)),
            3 => format!("ite({}, {}, {})", self.condition(depth - 1), self.number(depth - 1), self.number(depth - 1)),
            4..=6 => {
                let op = ["+", "-", "*", "xor", "+", "/", "mod"][self.rng.below(7)];
                format!("({} {op} {})", self.number(depth - 1), self.number(depth - 1))
            }
            7..=10 => self.read(false).unwrap_or_else(|| leaf(self)),
            _ => leaf(self),
        }
    }

    /// A condition that selects: an element compared with a value.
    fn test(&mut self) -> String {
        let at = self.rng.below(self.variables.len());
        let sort = self.variables[at].sort;
        let place = self.place(at);
        let other = self.bound(sort).unwrap_or_else(|| value(sort, self.rng.below(SORTS[sort].size)));
        format!("{place} {} {other}", ["=", "!="][self.rng.below(2)])
    }

    fn condition(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.test();
        }
        match self.rng.below(11) {
            0 => format!("!({})", self.condition(depth - 1)),
            1 | 2 => format!("({} && {})", self.condition(depth - 1), self.condition(depth - 1)),
            3 | 4 => format!("({} || {})", self.condition(depth - 1), self.condition(depth - 1)),
            5 => format!("(({}) => ({}))", self.condition(depth - 1), self.condition(depth - 1)),
            6 | 7 => {
                let word = ["forall", "exists"][self.rng.below(2)];
                let binder = self.bind(word);
                let body = self.condition(depth - 1);
                self.scope.pop();
                format!("({binder}{body})")
            }
            8 => format!("edge[{}][{}]", self.of_sort(1, depth - 1), self.of_sort(2, depth - 1)),
            9 => {
                let op = ["<", "<=", ">", ">=", "=", "!="][self.rng.below(6)];
                format!("{} {op} {}", self.number(depth - 1), self.number(depth - 1))
            }
            _ => self.test(),
        }
    }

    /// An argument of an event.
    fn expression(&mut self, depth: usize) -> String {
        if self.rng.chance(30) { self.member(depth) } else { self.number(depth) }
    }
}

fn type_of(variable: &Variable) -> String {
    let indices: String = variable.indices.iter().map(|&index| format!("[{}]", SORTS[index].name)).collect();
    format!("{}{indices}", SORTS[variable.sort].name)
}

/// A value of a sort.
fn value(sort: usize, index: usize) -> String {
    let Sort { low, members, .. } = &SORTS[sort];
    match members.get(index) {
        Some(member) => (*member).to_owned(),
        None => (low + i32::try_from(index).expect("small")).to_string(),
    }
}
