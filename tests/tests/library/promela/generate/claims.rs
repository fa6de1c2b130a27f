//! Formulas and `never` claims of random models.

use super::Generator;

impl Generator {
    /// At most one claim, of the name `f`.
    pub(super) fn claims(&mut self) -> String {
        if self.has.never {
            return self.never();
        }
        if !self.rng.chance(60) {
            return String::new();
        }
        let (one, other) = (self.atom(), self.atom());
        let formula = match self.rng.below(8) {
            0 => format!("[] <> ({one})"),
            1 => format!("<> [] ({one})"),
            2 => format!("[] (({one}) -> <> ({other}))"),
            3 => format!("<> ({one})"),
            _ => self.formula(3),
        };
        format!("ltl f {{ {formula} }}\n")
    }

    fn formula(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.atom();
        }
        let inner = self.formula(depth - 1);
        match self.rng.below(10) {
            0..=1 => format!("[] ({inner})"),
            2..=3 => format!("<> ({inner})"),
            4 => format!("! ({inner})"),
            _ => {
                let op = self.pick(&["U", "W", "V", "->", "&&", "||", "<->"]);
                let less = self.rng.below(depth);
                format!("(({inner}) {op} ({}))", self.formula(less))
            }
        }
    }

    fn atom(&mut self) -> String {
        let mut list: Vec<String> = ["x == 1", "y != 0", "b == 1", "x > y", "x == y"].map(str::to_owned).to_vec();
        if self.has.queue {
            list.push("len(q) == 1".to_owned());
        }
        if self.has.widths {
            list.extend(["s < 0", "i > 255"].map(str::to_owned));
        }
        if self.has.records {
            list.push("t.f == ts[1].f".to_owned());
        }
        if self.has.remote {
            for (name, number) in &self.locals {
                list.push(format!("{name}[{number}]:n == 1"));
            }
            for (name, number) in &self.spots {
                list.push(format!("{name}[{number}]@spot"));
            }
        }
        self.rng.pick(&list).clone()
    }

    /// A claim of some states, of which the last one accepts.
    fn never(&mut self) -> String {
        let names = ["T0", "T1", "accept_all"];
        let names = &names[self.rng.below(3)..];
        let mut out = "never f {\n".to_owned();
        for name in names {
            out += &format!("{name}:\n  {}\n", self.claim_point(names));
        }
        if self.rng.chance(30) {
            out += &format!("  {}\n", self.atom());
        }
        out + "}\n"
    }

    fn claim_point(&mut self, names: &[&'static str]) -> String {
        if self.rng.chance(15) {
            return format!("({})", self.atom());
        }
        let is_loop = self.rng.chance(40);
        let mut options: Vec<String> = Vec::new();
        for _ in 0..self.rng.between(1, 3) {
            let guard = match self.rng.below(8) {
                0..=1 => "true".to_owned(),
                2 => "skip".to_owned(),
                3 => format!("!({})", self.atom()),
                4 => format!("atomic {{ ({}) -> assert (!({})) }}", self.atom(), self.atom()),
                _ => format!("({})", self.atom()),
            };
            let goes = match self.rng.below(4) {
                0 if is_loop => "break".to_owned(),
                1 if is_loop => String::new(),
                _ => format!("goto {}", self.pick(names)),
            };
            options.push(if goes.is_empty() { format!(" :: {guard}") } else { format!(" :: {guard} -> {goes}") });
        }
        if self.rng.chance(25) {
            let target = self.pick(names);
            options.push(format!(" :: else -> goto {target}"));
        }
        if is_loop { format!("do{} od;", options.concat()) } else { format!("if{} fi;", options.concat()) }
    }
}
