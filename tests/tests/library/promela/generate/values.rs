//! Variables, expressions, conditions and assignments of random models.
//!
//! Invariant: what is assigned has few values: remainders, constants, and constants plus such values where widths are drawn.

use super::Generator;

impl Generator {
    pub(super) fn variable(&mut self) -> String {
        let mut list = vec!["x", "y", "b"];
        if self.has.array {
            list.extend(["a[0]", "a[1]", if self.has.faults { "a[x % 3]" } else { "a[x % 2]" }]);
        }
        if self.has.records {
            list.extend(["t.f", "t.g[0]", "t.g[x % 2]", "ts[1].f", "ts[b].v.h", "t.v.f", "v.f", "v.h"]);
        }
        if self.has_local {
            list.push("n");
        }
        if !self.block_locals.is_empty() && self.rng.chance(40) {
            return self.rng.pick(&self.block_locals).clone();
        }
        self.pick(&list).to_owned()
    }

    /// A variable of some width, with few but large values.
    fn wide(&mut self) -> &'static str {
        self.pick(&["w", "s", "i", "u"])
    }

    fn constant(&mut self) -> String {
        if self.has.widths && self.rng.chance(40) {
            let list =
                ["-1", "7", "8", "127", "255", "256", "-2", "32767", "-32768", "65535", "2147483647", "-2147483647"];
            return self.pick(&list).to_owned();
        }
        self.rng.below(3).to_string()
    }

    pub(super) fn value(&mut self) -> String {
        match self.rng.below(24) {
            0..=7 => self.rng.below(3).to_string(),
            8..=12 => self.variable(),
            13 => "_pid".to_owned(),
            14 => "_nr_pr".to_owned(),
            15 if self.has.queue => "len(q)".to_owned(),
            16 if self.has.last => "_last".to_owned(),
            17 if self.has.channels => format!("len({})", self.channel_place()),
            18..=20 if self.has.widths => self.wide_value(),
            21 => format!("({} -> {} : {})", self.condition(0), self.rng.below(2), self.variable()),
            _ => format!("({} {} {})", self.variable(), self.pick(&["+", "*"]), self.variable()),
        }
    }

    /// An expression of constants, small and wide variables, whose operators have a result in C.
    fn wide_value(&mut self) -> String {
        let left = if self.rng.chance(50) { self.wide().to_owned() } else { self.variable() };
        match self.rng.below(12) {
            0..=2 => format!("({left} + {})", self.constant()),
            3..=4 => format!("({left} - {})", self.constant()),
            5 => format!("({left} * {})", self.constant()),
            6 => format!("({left} / {})", self.pick(&["2", "-2", "3"])),
            7 => format!("({left} % {})", self.pick(&["2", "-3", "3"])),
            8 => format!("({left} {} {})", self.pick(&["<<", ">>"]), self.pick(&["0", "1", "3", "8", "31"])),
            9 => format!("({left} {} {})", self.pick(&["&", "|", "^"]), self.constant()),
            10 => format!("{}({left})", self.pick(&["-", "~"])),
            _ => left,
        }
    }

    /// A comparison of two values.
    pub(super) fn comparison(&mut self) -> String {
        if self.has.widths && self.rng.chance(35) {
            let op = self.pick(&["==", "!=", "<", ">=", ">", "<="]);
            return format!("({} {op} {})", self.wide_value(), self.constant());
        }
        if self.has.last && self.rng.chance(10) {
            return format!("(_last {} {})", self.pick(&["==", "!="]), self.rng.below(3));
        }
        if self.has.words && self.rng.chance(20) {
            return "low".to_owned();
        }
        let (variable, op) = (self.variable(), self.pick(&["==", "!=", "<", ">="]));
        let other = if self.rng.chance(50) { self.rng.below(3).to_string() } else { self.variable() };
        format!("({variable} {op} {other})")
    }

    pub(super) fn condition(&mut self, depth: usize) -> String {
        match self.rng.below(20) {
            0..=2 if depth > 0 => {
                let op = self.pick(&["&&", "||"]);
                format!("({} {op} {})", self.condition(depth - 1), self.condition(depth - 1))
            }
            3 if depth > 0 => format!("!({} && {})", self.condition(depth - 1), self.comparison()),
            4..=6 if self.has.queue || self.has.channels => self.channel_condition(),
            7 => format!("!{}", self.comparison()),
            _ => self.comparison(),
        }
    }

    pub(super) fn assignment(&mut self) -> String {
        if self.has.widths && self.rng.chance(35) {
            return match self.rng.below(5) {
                0 => self.pick(&["u++", "u--", "b++", "b--"]).to_owned(),
                1 => format!("{} = {}", self.wide(), self.constant()),
                2 => format!("x = ({}) % 3", self.wide_value()),
                _ => {
                    let (target, small, constant) = (self.wide(), self.variable(), self.constant());
                    format!("{target} = {small} {} {constant}", self.pick(&["+", "-", "*", "<<", "&", "^"]))
                        .replace("<< 2147483647", "<< 31")
                        .replace("<< -", "<< ")
                        .replace("<< 2147483647", "<< 31")
                }
            };
        }
        let variable = self.variable();
        if self.has.words && self.rng.chance(20) {
            return if self.rng.chance(50) {
                format!("give({variable}, {})", self.value())
            } else {
                format!("turn({variable})")
            };
        }
        match self.rng.below(10) {
            0 => format!("{variable} = ({} -> {} : {}) % 2", self.condition(0), self.rng.below(2), self.value()),
            1..=2 => format!("{variable} = {}", self.rng.below(2)),
            _ if variable == "b" => "b = 1 - b".to_owned(),
            _ => format!("{variable} = ({}) % 3", self.value()),
        }
    }
}
