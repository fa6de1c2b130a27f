//! Random models of Murphi as text, by type, so that most are accepted: declarations of every kind, procedures, nests of rules, start
//! states and properties.
//!
//! A model whose states are too many is written again with fuel: each step takes some.

use std::fmt::Write;
use std::rc::Rc;

use battery::random::Rng;

use super::scope::{Entry, Form, Kind, Place, Step, Ty};

/// The constructs that a model may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    /// Whether unions, multisets and what else `rumur` does not read are used.
    pub(super) is_whole: bool,
    /// The steps of every run, if they are bounded.
    pub(super) fuel: Option<u32>,
}

/// A function or procedure.
#[derive(Clone)]
struct Heading {
    name: String,
    /// Whether each is a `var` parameter, with its type.
    parameters: Vec<(bool, Rc<Ty>)>,
    result: Option<Rc<Ty>>,
    is_pure: bool,
}

/// A text in the making.
pub(super) struct Writer {
    pub(super) rng: Rng,
    pub(super) dialect: Dialect,
    pub(super) scope: Vec<Entry>,
    /// The types by which declarations choose.
    types: Vec<Rc<Ty>>,
    headings: Vec<Heading>,
    /// Whether nothing may be changed that is there before the current body.
    pub(super) is_pure: bool,
    /// The result of the current function.
    pub(super) result: Option<Rc<Ty>>,
    /// Whether a body is written: conditions of rules and properties change nothing.
    pub(super) in_body: bool,
    /// The locals of the body that begins, which are undefined.
    undefined: Vec<String>,
    /// The names that were given so far.
    names: usize,
}

/// The text of a model.
pub(super) fn model(seed: u64, dialect: Dialect) -> String {
    let mut writer = Writer {
        rng: Rng::new(seed),
        dialect,
        scope: Vec::new(),
        types: Vec::new(),
        headings: Vec::new(),
        is_pure: false,
        result: None,
        in_body: false,
        undefined: Vec::new(),
        names: 0,
    };
    writer.text()
}

impl Writer {
    pub(super) fn fresh(&mut self, word: &str) -> String {
        self.names += 1;
        format!("{word}{}", self.names)
    }

    pub(super) fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.rng.below(list.len())]
    }

    fn text(&mut self) -> String {
        let mut out = String::new();
        let size = 2 + usize::from(self.rng.chance(25));
        let _ = writeln!(out, "const N: {size}; M: N {} 1;", self.one(&["+", "-"]));
        self.declare_types(&mut out, size);
        out += "var ";
        if let Some(fuel) = self.dialect.fuel {
            let _ = writeln!(out, "fuel: 0 .. {fuel};");
        }
        let mut cells = 0;
        // Members of scalar sets have no other names, so that some variable holds one.
        let of = self.types[1].clone();
        if matches!(&of.kind, Kind::Names(sorts) if sorts[0].1.is_empty()) {
            let _ = writeln!(out, "  v: {};", of.text);
            self.scope.push(Entry { name: "v".into(), of, form: Form::Variable, is_old: true });
        }
        for number in 0..3 + self.rng.below(5) {
            let of = self.types[self.rng.below(self.types.len())].clone();
            if number > 1 && cells + of.cells() > 11 || of.cells() > 9 {
                continue;
            }
            cells += of.cells();
            let name = format!("v{number}");
            let _ = writeln!(out, "  {name}: {};", of.text);
            self.scope.push(Entry { name, of, form: Form::Variable, is_old: true });
        }
        if self.scope.is_empty() {
            let of = self.types[0].clone();
            let _ = writeln!(out, "  v: {};", of.text);
            self.scope.push(Entry { name: "v".into(), of, form: Form::Variable, is_old: true });
        }
        for _ in 0..self.rng.below(4) {
            let procedure = self.procedure();
            out += &procedure;
        }
        for _ in 0..1 + self.rng.below(2) {
            let start = self.start();
            out += &start;
        }
        for _ in 0..3 + self.rng.below(3) {
            let rule = self.nest(2, false);
            out += &rule;
        }
        for _ in 0..1 + self.rng.below(3) {
            let property = self.nest(2, true);
            out += &property;
        }
        out
    }

    fn declare_types(&mut self, out: &mut String, size: usize) {
        let simple = |text: &str, kind: Kind| Rc::new(Ty { text: text.into(), kind });
        let (low, high) = (*self.rng.pick(&[0, 0, 1, -1]), *self.rng.pick(&[1, 2, 2, 3]));
        let num = simple("num", Kind::Range(low, high));
        let _ = writeln!(out, "type num: {low} .. {high};");
        let written = *self.rng.pick(&["scalarset(N)", "enum { p1, p2 }", "1 .. N"]);
        let kind = match written {
            "1 .. N" => Kind::Range(1, i32::try_from(size).expect("small")),
            "scalarset(N)" => Kind::Names(vec![(0, Vec::new())]),
            _ => Kind::Names(vec![(0, vec!["p1".into(), "p2".into()])]),
        };
        let _ = writeln!(out, "  pid: {written};");
        let pid = simple("pid", kind.clone());
        let lab = (1, vec!["L0".into(), "L1".into()]);
        let _ = writeln!(out, "  lab: enum {{ L0, L1 }};");
        let lab_type = simple("lab", Kind::Names(vec![lab.clone()]));
        let boolean = simple("boolean", Kind::Boolean);
        self.types = vec![num.clone(), pid.clone(), lab_type.clone(), boolean.clone(), num.clone()];
        if self.dialect.is_whole && self.rng.chance(60) {
            let other = match kind {
                Kind::Names(sorts) if self.rng.chance(70) => ("pid", sorts[0].clone()),
                _ => {
                    let _ = writeln!(out, "  col: enum {{ C0, C1 }};");
                    ("col", (2, vec!["C0".into(), "C1".into()]))
                }
            };
            let (text, sorts) = match self.rng.chance(50) {
                true => (format!("lab, {}", other.0), vec![lab, other.1]),
                false => (format!("{}, lab", other.0), vec![other.1, lab]),
            };
            let _ = writeln!(out, "  gap: union {{ {text} }};");
            let gap = simple("gap", Kind::Names(sorts));
            self.types.extend([gap.clone(), gap]);
        }
        let basic = self.types.clone();
        let field = |writer: &mut Writer| basic[writer.rng.below(basic.len())].clone();
        let fields: Vec<(String, Rc<Ty>)> =
            ["a", "b"].iter().take(1 + self.rng.below(2)).map(|name| ((*name).to_owned(), field(self))).collect();
        let listed: String = fields.iter().map(|(name, of)| format!("{name}: {}; ", of.text)).collect();
        let _ = writeln!(out, "  rec: record {listed}end;");
        let rec = simple("rec", Kind::Record(fields));
        let index = basic[1 + self.rng.below(basic.len() - 1)].clone();
        let element = if self.rng.chance(50) { rec.clone() } else { field(self) };
        let _ = writeln!(out, "  row: array [{}] of {};", index.text, element.text);
        let row = simple("row", Kind::Array(index, element));
        self.types.extend([rec.clone(), row.clone(), row.clone()]);
        if self.rng.chance(30) {
            let _ = writeln!(out, "  big: record r: row; n: num; end;");
            self.types.push(simple("big", Kind::Record(vec![("r".into(), row), ("n".into(), num)])));
        }
        if self.dialect.is_whole && self.rng.chance(50) {
            let element = if self.rng.chance(50) { rec } else { field(self) };
            let capacity = 1 + self.rng.below(2);
            let _ = writeln!(out, "  net: multiset [{capacity}] of {};", element.text);
            let net = simple("net", Kind::Multiset(element));
            self.types.extend([net.clone(), net.clone(), net]);
        }
    }

    fn procedure(&mut self) -> String {
        let is_pure = self.rng.chance(60);
        let result = (is_pure || self.rng.chance(40)).then(|| {
            let simple: Vec<Rc<Ty>> = self.types.iter().filter(|of| self.is_result(of)).cloned().collect();
            simple[self.rng.below(simple.len())].clone()
        });
        let name = self.fresh("f");
        let outer = self.scope.len();
        let mut parameters = Vec::new();
        let mut listed = Vec::new();
        for _ in 0..self.rng.below(3) {
            let of = self.types[self.rng.below(self.types.len())].clone();
            let by_reference = !is_pure && self.rng.chance(60) || matches!(of.kind, Kind::Multiset(_));
            if by_reference && is_pure {
                continue;
            }
            let parameter = self.fresh("q");
            listed.push(format!("{}{parameter}: {}", if by_reference { "var " } else { "" }, of.text));
            let form = if by_reference { Form::Variable } else { Form::Value };
            self.scope.push(Entry { name: parameter, of: of.clone(), form, is_old: true });
            parameters.push((by_reference, of));
        }
        let (word, of) = match &result {
            Some(of) => ("function", format!(": {}", of.text)),
            None => ("procedure", String::new()),
        };
        (self.is_pure, self.result) = (is_pure, result.clone());
        let mut body = self.declarations();
        body += " begin ";
        body += &self.cleared();
        body += &self.statements(1);
        if let Some(of) = &result
            && self.rng.chance(95)
        {
            let value = self.some_value(&of.clone(), 1);
            let _ = value.map(|value| write!(body, " return {value};"));
        }
        self.scope.truncate(outer);
        (self.is_pure, self.result) = (false, None);
        let text = format!("{word} {name}({}){of}; {body} end;\n", listed.join("; "));
        self.headings.push(Heading { name, parameters, result, is_pure });
        text
    }

    /// Whether a function may have results of a type: `rumur` has simple ones only.
    fn is_result(&self, of: &Ty) -> bool {
        of.is_simple() || self.dialect.is_whole && !matches!(of.kind, Kind::Multiset(_)) && !of.has_multiset()
    }

    /// `var` and `const` of a body.
    pub(super) fn declarations(&mut self) -> String {
        let mut out = String::new();
        for _ in 0..self.rng.below(5).saturating_sub(2) {
            let of = self.types[self.rng.below(self.types.len())].clone();
            let name = self.fresh("t");
            let _ = write!(out, "var {name}: {}; ", of.text);
            self.undefined.push(name.clone());
            self.scope.push(Entry { name, of, form: Form::Variable, is_old: false });
        }
        out
    }

    /// What most bodies begin with: locals have values.
    fn cleared(&mut self) -> String {
        let mut text = String::new();
        for name in std::mem::take(&mut self.undefined) {
            if self.rng.chance(90) {
                let _ = write!(text, "clear {name}; ");
            }
        }
        text
    }

    fn start(&mut self) -> String {
        let outer = self.scope.len();
        let nest = self.rng.chance(25);
        let mut out = String::new();
        if nest {
            out += &self.binder_nest();
        }
        let _ = write!(out, "startstate \"{}\" ", self.fresh("start "));
        let globals: Vec<String> =
            self.scope[..].iter().filter(|entry| entry.name.starts_with('v')).map(|e| e.name.clone()).collect();
        let mut body = self.declarations();
        body += "begin ";
        body += &self.cleared();
        for name in globals {
            if self.rng.chance(93) {
                let _ = write!(body, "clear {name}; ");
            }
        }
        if self.dialect.fuel.is_some() {
            body += "fuel := ";
            let _ = write!(body, "{}; ", self.dialect.fuel.unwrap_or_default());
        }
        if self.rng.chance(50) {
            body += &self.statements(0);
        }
        let _ = write!(out, "{body} {};", self.one(&["end", "endstartstate", "END"]));
        if nest {
            out += " end;";
        }
        out.push('\n');
        self.scope.truncate(outer);
        out
    }

    /// `ruleset .. do`, whose names are in scope from here on.
    fn binder_nest(&mut self) -> String {
        let mut out = self.one(&["ruleset ", "Ruleset "]).to_owned();
        let binder = self.binder(true);
        let _ = write!(out, "{binder} do ");
        out
    }

    /// A rule or a property inside of some constructs.
    fn nest(&mut self, depth: usize, is_property: bool) -> String {
        let outer = self.scope.len();
        let multisets = self.places(&|of| matches!(of.kind, Kind::Multiset(_)), false);
        let text = match self.rng.below(10) {
            0..=3 if depth > 0 => {
                let head = self.binder_nest();
                let inner = self.nest(depth - 1, is_property);
                let more = if !is_property && self.rng.chance(20) { self.nest(0, false) } else { String::new() };
                format!("{head}{inner}{more} {};\n", self.one(&["end", "endruleset"]))
            }
            4 if depth > 0 => {
                let (head, entry) = self.alias_of(depth);
                self.scope.push(entry);
                let inner = self.nest(depth - 1, is_property);
                format!("alias {head} do {inner} end;\n")
            }
            5..=7 if depth > 0 && !multisets.is_empty() && self.is_free() => {
                let place = multisets[self.rng.below(multisets.len())].clone();
                let of = place.of.clone();
                let path = self.write_place(&place, 0);
                let name = self.fresh("s");
                self.scope.push(Entry { name: name.clone(), of, form: Form::Slot, is_old: true });
                let inner = self.nest(depth - 1, is_property);
                format!("choose {name}: {path} do {inner} end;\n")
            }
            _ if is_property => self.property(),
            _ => self.rule(),
        };
        self.scope.truncate(outer);
        text
    }

    /// Whether `choose` may stand here: not around `liveness`, so that none is written inside of one.
    fn is_free(&self) -> bool {
        !self.scope.iter().any(|entry| entry.form == Form::Slot)
    }

    fn rule(&mut self) -> String {
        let name = self.fresh("rule ");
        let outer = self.scope.len();
        let mut guard = if self.rng.chance(60) { self.condition(1) } else { String::new() };
        let mut body = self.declarations();
        body += "begin ";
        body += &self.cleared();
        if self.dialect.fuel.is_some() {
            guard = if guard.is_empty() { "fuel > 0".into() } else { format!("fuel > 0 & ({guard})") };
            body += "fuel := fuel - 1; ";
        }
        let depth = 1 + usize::from(self.rng.chance(40));
        body += &self.statements(depth);
        self.scope.truncate(outer);
        let arrow = if guard.is_empty() { "" } else { "==>" };
        format!("rule \"{name}\" {guard} {arrow} {body} {};\n", self.one(&["end", "endrule"]))
    }

    fn property(&mut self) -> String {
        let inside_choice = !self.is_free();
        if !self.dialect.is_whole && self.rng.chance(70) {
            // `rumur` ends at the first error: many models are to have none.
            let name = self.fresh("property ");
            let conditions: Vec<String> = (0..5).map(|_| self.condition(0)).collect();
            return format!("invariant \"{name}\" {};\n", conditions.join(" | "));
        }
        let word = match self.rng.below(20) {
            0 => "assume",
            1..=4 => "cover",
            5..=7 if !inside_choice => "liveness",
            8..=9 => "assert",
            _ => "invariant",
        };
        let name = self.fresh("property ");
        let condition = match (word, self.rng.chance(70)) {
            ("assume", _) => format!("{} | {} | ({})", self.condition(0), self.condition(0), self.condition(1)),
            ("cover", _) | ("liveness", false) => self.condition(1),
            (_, true) => format!("{} | ({})", self.condition(0), self.condition(2)),
            _ => self.condition(2),
        };
        format!("{word} \"{name}\" {condition};\n")
    }

    /// `name: T` or `name := a to b`, in scope from here on.
    pub(super) fn binder(&mut self, is_constant: bool) -> String {
        // Few names, so that some hide others.
        let name = match self.dialect.is_whole {
            true => self.one(&["i", "j", "k"]).to_owned(),
            // The C code of `rumur` has parameters of these names.
            false => self.fresh("i"),
        };
        let simple: Vec<Rc<Ty>> = self.types.iter().filter(|of| of.is_simple()).cloned().collect();
        let of = simple[self.rng.below(simple.len())].clone();
        let number = Rc::new(Ty { text: "num".into(), kind: Kind::Range(0, 2) });
        // `rumur` 2022 ends by a signal at rulesets by steps, and refuses some steps that it computes.
        let shape = if is_constant && !self.dialect.is_whole { 9 } else { self.rng.below(10) };
        let (text, of) = match shape {
            0 => (format!("{name} := 0 to 1"), number),
            1 => (format!("{name} := 2 to 0 by -1"), number),
            2 if !is_constant => (format!("{name} := {} to 2", self.integer(0)), number),
            3 if !is_constant && self.dialect.is_whole => (format!("{name} := 0 to 2 by {}", self.integer(0)), number),
            _ => (format!("{name}: {}", of.text), of),
        };
        self.scope.push(Entry { name, of, form: Form::Value, is_old: false });
        text
    }

    /// `name: place` or `name: value`, with what it stands for.
    pub(super) fn alias_of(&mut self, depth: usize) -> (String, Entry) {
        let name = if self.dialect.is_whole { self.one(&["y", "z"]).to_owned() } else { self.fresh("y") };
        let places = self.places(&|_| true, false);
        if !places.is_empty() && self.rng.chance(70) {
            let place = places[self.rng.below(places.len())].clone();
            let path = self.write_place(&place, depth);
            let (of, form) = (place.of, place.form);
            let form = if form == Form::Slot { Form::Value } else { form };
            return (format!("{name}: {path}"), Entry { name, of, form, is_old: place.is_old });
        }
        let of = self.types[self.rng.below(3)].clone();
        let value = self.value(&of, depth);
        // A name alone would be another name of a variable.
        (format!("{name}: (true ? {value} : {value})"), Entry { name, of, form: Form::Value, is_old: false })
    }

    /// The calls of functions with a result, or of procedures.
    pub(super) fn call(&mut self, result: Option<&dyn Fn(&Ty) -> bool>, pure: bool, depth: usize) -> Option<String> {
        let fits = |heading: &&Heading| {
            (heading.is_pure || !pure)
                && match (result, &heading.result) {
                    (Some(result), Some(of)) => result(of),
                    (None, None) => true,
                    (None, Some(_)) => !heading.is_pure,
                    _ => false,
                }
        };
        let list: Vec<Heading> = self.headings.iter().filter(fits).cloned().collect();
        let heading = list.get(self.rng.below(list.len().max(1)))?.clone();
        let mut arguments = Vec::new();
        for (by_reference, of) in &heading.parameters {
            if *by_reference {
                let text = of.text.clone();
                let places = self.places(&|place| place.text == text, true);
                let place = places.get(self.rng.below(places.len().max(1)))?.clone();
                arguments.push(self.write_place(&place, 0));
            } else if self.dialect.is_whole && self.rng.chance(5) {
                arguments.push("undefined".into());
            } else {
                arguments.push(self.some_value(of, depth)?);
            }
        }
        Some(format!("{}({})", heading.name, arguments.join(", ")))
    }

    /// The text of a place.
    pub(super) fn write_place(&mut self, place: &Place, depth: usize) -> String {
        let mut text = place.name.clone();
        for step in &place.steps {
            match step {
                Step::Field(name) => {
                    let _ = write!(text, ".{name}");
                }
                Step::Index(of) => {
                    let index =
                        if depth == 0 || self.rng.chance(70) { self.leaf(of) } else { self.value(of, depth - 1) };
                    let _ = write!(text, "[{index}]");
                }
                Step::Slot(name) => {
                    let _ = write!(text, "[{name}]");
                }
            }
        }
        text
    }
}
