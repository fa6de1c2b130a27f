//! Random expressions and statements of Murphi, by type.

use std::rc::Rc;

use super::generate::Writer;
use super::scope::{Entry, Form, Kind, Place, Ty};

impl Writer {
    /// A value of a type.
    pub(super) fn value(&mut self, of: &Ty, depth: usize) -> String {
        self.some_value(of, depth).unwrap_or_else(|| "true".into())
    }

    /// A value of a type, if there is something that has one.
    pub(super) fn some_value(&mut self, of: &Ty, depth: usize) -> Option<String> {
        match &of.kind {
            Kind::Boolean if self.rng.chance(40) => Some(self.leaf(of)),
            Kind::Boolean => Some(self.condition(depth)),
            // Many results of arithmetic would be outside of the range.
            Kind::Range(low, high) if self.rng.chance(if self.dialect.is_whole { 80 } else { 95 }) => {
                Some((low + i32::try_from(self.rng.below(usize::try_from(high - low + 1).ok()?)).ok()?).to_string())
            }
            Kind::Range(..) => Some(self.integer(depth)),
            Kind::Names(_) => self.member(of, depth),
            _ => self.compound(of, depth),
        }
    }

    /// A value of a simple type that has no parts.
    pub(super) fn leaf(&mut self, of: &Ty) -> String {
        match &of.kind {
            Kind::Boolean => self.one(&["true", "false"]).to_owned(),
            Kind::Range(low, high) => (low
                + i32::try_from(self.rng.below(usize::try_from(high - low + 1).expect("not empty"))).expect("few"))
            .to_string(),
            _ => {
                let Kind::Names(sorts) = &of.kind else { return "true".into() };
                let mut list: Vec<String> = sorts.iter().flat_map(|(_, names)| names.clone()).collect();
                let whole =
                    self.places(&|place| place.mixes(of), false).into_iter().filter(|place| place.steps.is_empty());
                list.extend(whole.map(|place| place.name));
                list.get(self.rng.below(list.len().max(1))).cloned().unwrap_or_else(|| "true".into())
            }
        }
    }

    fn member(&mut self, of: &Ty, depth: usize) -> Option<String> {
        let Kind::Names(sorts) = &of.kind else { return None };
        let literals: Vec<&String> = sorts.iter().flat_map(|(_, names)| names).collect();
        let places = self.places(&|place| place.mixes(of), false);
        if !literals.is_empty() && (places.is_empty() || self.rng.chance(65)) {
            return Some(literals[self.rng.below(literals.len())].clone());
        }
        if depth > 0
            && self.rng.chance(10)
            && let Some(call) = self.call(Some(&|result: &Ty| result.mixes(of)), self.is_calm(), depth - 1)
        {
            return Some(call);
        }
        let place = places.get(self.rng.below(places.len().max(1)))?.clone();
        Some(self.write_place(&place, depth))
    }

    fn compound(&mut self, of: &Ty, depth: usize) -> Option<String> {
        if depth > 0
            && self.rng.chance(20)
            && let Some(call) = self.call(Some(&|result: &Ty| result.text == of.text), self.is_calm(), depth - 1)
        {
            return Some(call);
        }
        let places = self.places(&|place| place.text == of.text, false);
        let place = places.get(self.rng.below(places.len().max(1)))?.clone();
        Some(self.write_place(&place, depth))
    }

    /// Whether functions with effects are not called: in conditions and in functions without effects.
    fn is_calm(&self) -> bool {
        self.is_pure || !self.in_body
    }

    /// An integer.
    pub(super) fn integer(&mut self, depth: usize) -> String {
        let places = self.places(&|of| matches!(of.kind, Kind::Range(..)), false);
        if depth == 0 || self.rng.chance(40) {
            return match places.is_empty() || self.rng.chance(35) {
                true => self.one(&["0", "1", "2", "N", "M", "1"]).to_owned(),
                false => {
                    let place = places[self.rng.below(places.len())].clone();
                    self.write_place(&place, depth)
                }
            };
        }
        let under = depth - 1;
        match self.rng.below(14) {
            0..=2 => format!("({} + {})", self.integer(under), self.integer(0)),
            3..=4 => format!("({} - {})", self.integer(under), self.integer(0)),
            5 => format!("({} * {})", self.integer(under), self.integer(0)),
            6 => format!("({} {} {})", self.integer(under), self.one(&["/", "%"]), self.integer(0)),
            7 if self.dialect.is_whole => {
                let op = self.one(&["<<", ">>", "&", "|", "^"]);
                format!("({} {op} {})", self.integer(under), self.integer(0))
            }
            8 => format!("{}({})", self.one(&["-", "-"]), self.integer(under)),
            9 => format!("({} ? {} : {})", self.condition(under), self.integer(under), self.integer(under)),
            10..=11 => {
                let call = self.call(Some(&|of: &Ty| matches!(of.kind, Kind::Range(..))), self.is_calm(), under);
                call.unwrap_or_else(|| "1".into())
            }
            12 => match self.slots(under) {
                Some((slots, condition)) => format!("multisetcount({slots}, {condition})"),
                None => "0".into(),
            },
            _ => self.integer(under),
        }
    }

    /// `slot: multiset` with a condition about it.
    fn slots(&mut self, depth: usize) -> Option<(String, String)> {
        let multisets = self.places(&|of| matches!(of.kind, Kind::Multiset(_)), false);
        let place = multisets.get(self.rng.below(multisets.len().max(1)))?.clone();
        let (of, path) = (place.of.clone(), self.write_place(&place, 0));
        let name = self.fresh("s");
        self.scope.push(Entry { name: name.clone(), of, form: Form::Slot, is_old: true });
        let condition = self.condition(depth);
        self.scope.pop();
        Some((format!("{name}: {path}"), condition))
    }

    /// A condition.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(25) {
            return self.simple_condition(depth);
        }
        let under = depth - 1;
        match self.rng.below(16) {
            0..=2 => format!("({} & {})", self.condition(under), self.condition(under)),
            3..=5 => format!("({} | {})", self.condition(under), self.condition(under)),
            6 => format!("({} -> {})", self.condition(under), self.condition(under)),
            7 => format!("!({})", self.condition(under)),
            8..=10 => {
                let outer = self.scope.len();
                let binder = self.binder(false);
                let body = self.condition(under);
                self.scope.truncate(outer);
                format!("({} {binder} do {body} end)", self.one(&["forall", "exists", "Exists"]))
            }
            11 => {
                let call = self.call(Some(&|of: &Ty| matches!(of.kind, Kind::Boolean)), self.is_calm(), under);
                call.unwrap_or_else(|| "true".into())
            }
            12 => {
                let places = self.places(&|of| !of.is_simple() && !of.has_multiset(), false);
                match places.get(self.rng.below(places.len().max(1))).cloned() {
                    Some(place) => {
                        let other = self.compound(&place.of, under).unwrap_or_else(|| place.name.clone());
                        format!("({} {} {other})", self.write_place(&place, under), self.one(&["=", "!="]))
                    }
                    None => "true".into(),
                }
            }
            13 => format!("({} ? {} : {})", self.condition(0), self.condition(under), self.condition(0)),
            _ => self.simple_condition(depth),
        }
    }

    fn simple_condition(&mut self, depth: usize) -> String {
        match self.rng.below(12) {
            0..=1 => {
                let places = self.places(&|of| matches!(of.kind, Kind::Boolean), false);
                match places.get(self.rng.below(places.len().max(1))).cloned() {
                    Some(place) => self.write_place(&place, depth),
                    None => self.one(&["true", "false"]).to_owned(),
                }
            }
            2..=4 => {
                let op = self.one(&["=", "!=", "<", "<=", ">", ">=", "=", "<="]);
                format!("{} {op} {}", self.integer(depth.min(1)), self.integer(0))
            }
            5..=8 => {
                let places = self.places(&|of| matches!(of.kind, Kind::Names(_)), false);
                match places.get(self.rng.below(places.len().max(1))).cloned() {
                    Some(place) => {
                        let other = self.member(&place.of, 0).unwrap_or_else(|| "L0".into());
                        format!("{} {} {other}", self.write_place(&place, depth), self.one(&["=", "!="]))
                    }
                    None => "true".into(),
                }
            }
            9..=10 => {
                let places = self.places(&|of| of.is_simple(), false);
                let places: Vec<Place> = places.into_iter().filter(|place| place.form != Form::Value).collect();
                match places.get(self.rng.below(places.len().max(1))).cloned() {
                    Some(place) => {
                        let not = self.one(&["!", ""]);
                        format!("{not}isundefined({})", self.write_place(&place, 0))
                    }
                    None => "true".into(),
                }
            }
            _ if self.dialect.is_whole => {
                let places = self.places(&|of| matches!(&of.kind, Kind::Names(sorts) if sorts.len() > 1), false);
                match places.get(self.rng.below(places.len().max(1))).cloned() {
                    Some(place) => format!("ismember({}, lab)", self.write_place(&place, 0)),
                    None => "N > 1".into(),
                }
            }
            _ => "N > M".into(),
        }
    }

    /// Statements of a body.
    pub(super) fn statements(&mut self, depth: usize) -> String {
        let was = std::mem::replace(&mut self.in_body, true);
        let count = 1 + self.rng.below(3);
        let list: Vec<String> = (0..count).map(|_| self.statement(depth)).collect();
        self.in_body = was;
        list.join(" ")
    }

    fn statement(&mut self, depth: usize) -> String {
        if depth > 0 && self.rng.chance(50) {
            return self.nested(depth - 1);
        }
        let is_simple = self.rng.chance(75);
        let places = self.places(&|of| of.is_simple() || !is_simple, true);
        let Some(place) = places.get(self.rng.below(places.len().max(1))).cloned() else { return String::new() };
        let of = place.of.clone();
        let usual = if self.dialect.is_whole || self.rng.chance(20) { 0 } else { 6 };
        match usual + self.rng.below(24 - usual) {
            0 if self.rng.chance(40) => format!("undefine {};", self.write_place(&place, depth)),
            1 => format!("clear {};", self.write_place(&place, depth)),
            2 if self.rng.chance(40) => format!("assert {} | {};", self.condition(0), self.condition(1)),
            3 if !self.is_pure && self.rng.chance(30) => {
                format!("assume {} | {};", self.condition(0), self.condition(1))
            }
            4 if !self.is_pure => {
                let name = self.fresh("cover ");
                format!("cover {} \"{name}\";", self.condition(1))
            }
            5 => match self.rng.chance(15) {
                true => "error \"met\";".into(),
                false => format!("put {};", self.integer(1)),
            },
            6..=9 => self.call(None, self.is_pure, 1).map_or(String::new(), |call| format!("{call};")),
            10..=13 => self.of_multiset().unwrap_or_else(|| self.assignment(&place, &of)),
            14 if self.result.is_none() && self.rng.chance(30) => "return;".into(),
            _ => self.assignment(&place, &of),
        }
    }

    fn assignment(&mut self, place: &Place, of: &Ty) -> String {
        if matches!(of.kind, Kind::Multiset(_)) && self.rng.chance(70) {
            return String::new();
        }
        if self.rng.chance(35)
            && let Some(turned) = self.turn(place, of)
        {
            return turned;
        }
        let target = self.write_place(place, 1);
        match self.some_value(of, 1) {
            Some(value) => format!("{target} := {value};"),
            None => format!("undefine {target};"),
        }
    }

    /// The next value of a place: so that steps lead somewhere.
    fn turn(&mut self, place: &Place, of: &Ty) -> Option<String> {
        let path = self.write_place(place, 0);
        let values: Vec<String> = match &of.kind {
            Kind::Boolean => return Some(format!("{path} := !{path};")),
            Kind::Range(low, high) => {
                return Some(format!("if {path} < {high} then {path} := {path} + 1; else {path} := {low}; end;"));
            }
            Kind::Names(sorts) => sorts.iter().flat_map(|(_, names)| names.clone()).collect(),
            _ => return None,
        };
        let [first, .., last] = &values[..] else { return None };
        Some(format!("if {path} = {first} then {path} := {last}; else {path} := {first}; end;"))
    }

    fn of_multiset(&mut self) -> Option<String> {
        let multisets = self.places(&|of| matches!(of.kind, Kind::Multiset(_)), true);
        let place = multisets.get(self.rng.below(multisets.len().max(1)))?.clone();
        let Kind::Multiset(element) = &place.of.kind else { return None };
        let path = self.write_place(&place, 0);
        let slots: Vec<String> = {
            let of = &place.of.text;
            let own = self.scope.iter().filter(|entry| entry.form == Form::Slot && entry.of.text == *of);
            own.map(|entry| entry.name.clone()).collect()
        };
        if !slots.is_empty() && self.rng.chance(60) {
            return Some(format!("multisetremove({}, {path});", slots[self.rng.below(slots.len())]));
        }
        if self.rng.chance(70) {
            let value = self.some_value(element, 1)?;
            let add = format!("multisetadd({value}, {path});");
            let slot = self.fresh("s");
            // Mostly where there is room.
            return Some(match self.rng.chance(80) {
                true => format!("if multisetcount({slot}: {path}, true) < 1 then {add} end;"),
                false => add,
            });
        }
        let name = self.fresh("s");
        self.scope.push(Entry { name: name.clone(), of: place.of.clone(), form: Form::Slot, is_old: true });
        let condition = self.condition(1);
        self.scope.pop();
        Some(format!("multisetremovepred({name}: {path}, {condition});"))
    }

    fn nested(&mut self, depth: usize) -> String {
        let outer = self.scope.len();
        let text = match self.rng.below(10) {
            0..=2 => {
                let (condition, then) = (self.condition(1), self.statements(depth));
                let other = match self.rng.below(3) {
                    0 => format!("else {}", self.statements(depth)),
                    1 => format!("elsif {} then {}", self.condition(1), self.statements(depth)),
                    _ => String::new(),
                };
                format!("if {condition} then {then} {other} end;")
            }
            3..=4 => self.switch(depth),
            5..=6 => {
                let binder = self.binder(false);
                format!("for {binder} do {} {};", self.statements(depth), self.one(&["end", "endfor"]))
            }
            7 => {
                // What is counted is written nowhere else, so that the loop ends.
                let places = self.places(&|of| of.text == "num", true);
                match places.get(self.rng.below(places.len().max(1))).cloned() {
                    Some(place) => {
                        let path = self.write_place(&place, 0);
                        format!("while {path} < 2 do {path} := {path} + 1; end;")
                    }
                    None => String::new(),
                }
            }
            8 => {
                let (head, entry) = self.alias_of(1);
                self.scope.push(entry);
                format!("alias {head} do {} end;", self.statements(depth))
            }
            _ => self.statement(0),
        };
        self.scope.truncate(outer);
        text
    }

    fn switch(&mut self, depth: usize) -> String {
        let places = self.places(&|of| matches!(of.kind, Kind::Names(_)), false);
        let (subject, of) = match places.get(self.rng.below(places.len().max(1))).cloned() {
            Some(place) if self.rng.chance(60) => (self.write_place(&place, 0), place.of),
            _ => (self.integer(1), Rc::new(Ty { text: "num".into(), kind: Kind::Range(0, 2) })),
        };
        let mut text = format!("switch {subject} ");
        for _ in 0..1 + self.rng.below(2) {
            let first = self.some_value(&of, 0).unwrap_or_else(|| subject.clone());
            let more = match self.rng.chance(30) {
                true => self.some_value(&of, 0).map_or(String::new(), |value| format!(", {value}")),
                false => String::new(),
            };
            text += &format!("case {first}{more}: {} ", self.statements(depth));
        }
        if self.rng.chance(50) {
            text += &format!("else {} ", self.statements(depth));
        }
        text + self.one(&["end;", "endswitch;"])
    }
}
