//! Random statements and bodies.
//!
//! Mostly small assigned values keep integers small, and a budget of sends keeps queues mostly short, so that most
//! models are small; the rest overflows, faults or grows, which is tested as well.

use super::scope::{Binding, Writer};
use super::skeleton::Creation;
use super::spec::{Axis, Expr, MemberKind, MemberSpec, Node, Sort, Stmt};

impl Writer<'_> {
    /// The body of the member.
    pub(super) fn body(&mut self) -> Vec<Stmt> {
        let mut out = Vec::new();
        if *self.kind == MemberKind::Start {
            self.define_scalars(&mut out);
            self.define_rebecs(&mut out);
        }
        let count = match self.kind {
            MemberKind::Start => self.rng.between(1, 3),
            MemberKind::Server => self.rng.between(1, 4),
            MemberKind::Method(_) => self.rng.between(0, 2),
        };
        for _ in 0..count {
            self.statement(&mut out);
        }
        self.create(&mut out);
        while self.sends > 0 {
            self.send(&mut out);
        }
        self.send_in_either_order(&mut out);
        if let MemberKind::Method(Some(result)) = self.kind
            && !self.rng.chance(8)
        {
            let value = self.value(result, 1);
            out.push(Stmt::Return(Some(value)));
        }
        out
    }

    /// Gives scalar variables their first value: mostly.
    fn define_scalars(&mut self, out: &mut Vec<Stmt>) {
        for binding in self.bindings(|b| b.is_assignable && matches!(b.sort, Sort::Scalar(_))) {
            if self.rng.chance(88)
                && let Sort::Scalar(set) = &binding.sort
            {
                let value = self.whole_set(set);
                out.push(Stmt::Assign(Expr::atom(binding.sort.clone(), binding.name.clone()), "=", value));
            }
        }
    }

    /// Gives rebec variables a rebec: mostly.
    fn define_rebecs(&mut self, out: &mut Vec<Stmt>) {
        for binding in self.bindings(|b| b.is_assignable && b.axes.is_empty()) {
            if let Sort::Rebec(class) = &binding.sort
                && self.rng.chance(75)
            {
                let value = self.definite_rebec(class);
                let place = Expr::atom(binding.sort.clone(), binding.name.clone());
                if value.node != place.node {
                    out.push(Stmt::Assign(place, "=", value));
                }
            }
        }
    }

    pub(super) fn block(&mut self, most: usize) -> Vec<Stmt> {
        let mark = self.scope.len();
        self.depth += 1;
        let mut out = Vec::new();
        for _ in 0..self.rng.between(1, most) {
            self.statement(&mut out);
        }
        self.depth -= 1;
        self.scope.truncate(mark);
        out
    }

    fn statement(&mut self, out: &mut Vec<Stmt>) {
        let deep = self.depth >= 2;
        let nested = |weight: usize| if deep { 0 } else { weight };
        let weights = [
            36,
            nested(22),
            6,
            nested(5),
            nested(4),
            nested(5),
            nested(4),
            6,
            4,
            16,
            self.risk(3),
            nested(2),
            self.risk(2),
        ];
        match self.rng.weighted(&weights) {
            0 => self.assign(out),
            1 => self.branch(out),
            2 => self.local(out),
            3 => self.for_loop(out),
            4 => self.while_loop(out),
            5 => self.for_each(out),
            6 => self.switch(out),
            7 => self.leave(out),
            8 => self.call_method(out),
            9 if self.sends > 0 && !(self.is_careful && self.may_break) => self.send(out),
            10 => self.assertion(out),
            11 => {
                let body = self.block(2);
                out.push(Stmt::Block(body));
            }
            12 => self.grow(out),
            _ => self.assign(out),
        }
    }

    fn target(&mut self, wanted: impl Fn(&Sort) -> bool) -> Option<(Binding, Expr)> {
        let names = self.bindings(|binding| binding.is_assignable && wanted(&binding.sort));
        if names.is_empty() {
            return None;
        }
        let binding = self.rng.pick(&names).clone();
        let place = self.place(&binding)?;
        Some((binding, place))
    }

    pub(super) fn assign(&mut self, out: &mut Vec<Stmt>) {
        let Some((binding, place)) = self.target(|_| true) else { return };
        match &binding.sort {
            sort if sort.is_integer() => self.assign_integer(out, place),
            Sort::Scalar(set) if self.rng.chance(20) && self.choices > 0 => {
                self.choices -= 1;
                let value = self.whole_set(set);
                out.push(Stmt::Assign(place, "=", value));
            }
            Sort::Bool if self.rng.chance(10) => {
                let operator = *self.rng.pick(&["&=", "|=", "^="]);
                let value = self.boolean(1);
                out.push(Stmt::Assign(place, operator, value));
            }
            sort => {
                let mut value = self.value(sort, 2);
                if value == place {
                    value = self.value(sort, 2);
                }
                out.push(Stmt::Assign(place, "=", value));
            }
        }
    }

    fn assign_integer(&mut self, out: &mut Vec<Stmt>, place: Expr) {
        match self.rng.weighted(&[60, 14, 14, 6, self.risk(3), 3]) {
            0 => {
                let value = self.small_integer(2);
                out.push(Stmt::Assign(place, "=", value));
            }
            1 => {
                let small = Expr::binary(Sort::Bool, "<", place.clone(), Expr::int(self.literal(1, 2)));
                let step = if self.rng.chance(50) {
                    Stmt::Step(place, "++")
                } else {
                    Stmt::Assign(place, "+=", Expr::int(self.literal(1, 2)))
                };
                out.push(Stmt::If(small, vec![step], Vec::new()));
            }
            2 => {
                let positive = Expr::binary(Sort::Bool, ">", place.clone(), Expr::int(0));
                out.push(Stmt::If(positive, vec![Stmt::Step(place, "--")], Vec::new()));
            }
            3 => {
                let operator = *self.rng.pick(&["&=", "%="]);
                let mask = Expr::int(self.literal(2, 3));
                out.push(Stmt::Assign(place, operator, mask));
            }
            4 => {
                let value = self.integer(2);
                out.push(Stmt::Assign(place, "=", value));
            }
            _ => {
                let operator = *self.rng.pick(&["-=", "*=", "|=", "^=", "<<=", ">>=", "/="]);
                let value = Expr::int(self.literal(0, 2));
                out.push(Stmt::Assign(place.clone(), operator, value));
                out.push(Stmt::Assign(place, "%=", Expr::int(3)));
            }
        }
    }

    /// A value that soon leaves its width.
    fn grow(&mut self, out: &mut Vec<Stmt>) {
        let Some((binding, place)) = self.target(Sort::is_integer) else { return };
        let factor = if binding.sort == Sort::Int { 100_000 } else { 100 };
        let grown = Expr::binary(Sort::Int, "*", place.clone(), Expr::int(factor));
        let value = Expr::binary(Sort::Int, "+", grown, Expr::int(self.literal(1, 90)));
        out.push(Stmt::Assign(place, "=", value));
    }

    fn branch(&mut self, out: &mut Vec<Stmt>) {
        let condition = self.boolean(2);
        let then = self.block(2);
        let otherwise = if self.rng.chance(50) { self.block(2) } else { Vec::new() };
        out.push(Stmt::If(condition, then, otherwise));
    }

    fn local(&mut self, out: &mut Vec<Stmt>) {
        let name = self.names.fresh("l");
        let sort = [Sort::Bool, Sort::Int, Sort::Byte, Sort::Short][self.rng.weighted(&[3, 4, 2, 1])].clone();
        let (sort, length) = match self.rng.weighted(&[80, 10, 10]) {
            0 => (sort, None),
            1 => (sort, Some(self.rng.between(1, 3))),
            _ => {
                let sorts: Vec<Sort> = self.bindings(|_| true).into_iter().map(|binding| binding.sort).collect();
                let rebecs: Vec<Sort> = sorts.into_iter().filter(|sort| matches!(sort, Sort::Rebec(_))).collect();
                (if rebecs.is_empty() { sort } else { self.rng.pick(&rebecs).clone() }, None)
            }
        };
        let value = if length.is_none() && self.rng.chance(80) { Some(self.value(&sort, 1)) } else { None };
        let axes = length.map(Axis::Array).into_iter().collect();
        out.push(Stmt::Local { name: name.clone(), sort: sort.clone(), length, value });
        self.scope.push(Binding { name, sort, axes, is_assignable: true });
    }

    fn call_method(&mut self, out: &mut Vec<Stmt>) {
        if matches!(self.kind, MemberKind::Method(_)) && !self.rng.chance(3) {
            return;
        }
        let methods = self.methods(|_| true);
        if methods.is_empty() {
            return;
        }
        let method = self.rng.pick(&methods).clone();
        let arguments = method.parameters.iter().map(|(_, sort)| self.value(sort, 1)).collect();
        let sort = match method.kind {
            MemberKind::Method(Some(sort)) => sort,
            _ => Sort::Bool, // of no meaning: the result is dropped
        };
        out.push(Stmt::Do(Expr { sort, node: Node::Call(method.name, arguments) }));
    }

    fn assertion(&mut self, out: &mut Vec<Stmt>) {
        let condition = if self.rng.chance(70) {
            let value = self.integer(0);
            Expr::binary(Sort::Bool, "<", value, Expr::int(self.literal(2, 4)))
        } else {
            self.boolean(1)
        };
        let has_message = self.rng.chance(50);
        out.push(Stmt::Assert(condition, has_message));
    }

    /// Makes rebecs, mostly at most one or two per creator.
    fn create(&mut self, out: &mut Vec<Stmt>) {
        let creations: Vec<Creation> =
            self.creations.iter().filter(|creation| creation.creator == self.class).cloned().collect();
        for creation in creations {
            if *self.kind == MemberKind::Start && creation.made == creation.creator || !self.rng.chance(55) {
                continue;
            }
            let value = self.creation(&creation.made);
            let made = creation.made.clone();
            let place = self.target(move |sort| *sort == Sort::Rebec(made.clone()));
            let making = match place {
                Some((_, place)) if self.rng.chance(85) => Stmt::Assign(place, "=", value),
                _ => Stmt::Do(value),
            };
            let counter = Expr::atom(Sort::Byte, creation.counter.clone());
            if self.rng.chance(4) {
                out.push(making);
                continue;
            }
            let few = Expr::binary(Sort::Bool, "<", counter.clone(), Expr::int(self.literal(1, 2)));
            out.push(Stmt::If(few, vec![Stmt::Step(counter, "++"), making], Vec::new()));
        }
    }

    fn send(&mut self, out: &mut Vec<Stmt>) {
        self.sends -= 1;
        let receiver = self.receiver();
        let spec = self.spec;
        let servers: Vec<MemberSpec> = match &receiver.sort {
            Sort::Rebec(class) => spec.servers(class).into_iter().cloned().collect(),
            _ => {
                let all = spec.classes.iter().flat_map(|class| &class.members);
                all.filter(|member| member.kind == MemberKind::Server).cloned().collect()
            }
        };
        if servers.is_empty() {
            return;
        }
        let server = self.rng.pick(&servers).clone();
        let arguments = server.parameters.iter().map(|(_, sort)| self.value(sort, 1)).collect();
        let send = Stmt::Send(receiver, server.name, arguments);
        if self.rng.chance(25) && self.depth < 2 {
            let condition = self.boolean(1);
            out.push(Stmt::If(condition, vec![send], Vec::new()));
        } else {
            out.push(send);
        }
    }

    /// Sometimes two last sends in either order: branches that differ and may lead to the same state.
    fn send_in_either_order(&mut self, out: &mut Vec<Stmt>) {
        let [.., Stmt::Send(..), Stmt::Send(..)] = out.as_slice() else { return };
        if self.choices == 0 || !self.rng.chance(40) {
            return;
        }
        let first_order = out.split_off(out.len() - 2);
        let second_order = first_order.iter().rev().cloned().collect();
        let options = vec![Expr::bool(true), Expr::bool(false)];
        let coin = Expr { sort: Sort::Bool, node: Node::Choose(options) };
        out.push(Stmt::If(coin, first_order, second_order));
    }

    fn receiver(&mut self) -> Expr {
        let own = Sort::Rebec(self.class.to_owned());
        match self.rng.weighted(&[26, 66, self.risk(5), self.risk(3)]) {
            0 => Expr::atom(own, "self"),
            1 => {
                let mut known = if self.is_careful || self.rng.chance(70) { self.known(|_| true) } else { None };
                if known.is_none() && !self.is_careful {
                    known = self.read(|sort| matches!(sort, Sort::Rebec(_)));
                }
                known.unwrap_or_else(|| Expr::atom(own, "self"))
            }
            2 => Expr::atom(Sort::AnyRebec, "sender"),
            _ => {
                let classes: Vec<String> = self.spec.classes.iter().map(|class| class.name.clone()).collect();
                let class = self.rng.pick(&classes).clone();
                self.cast_sender(&class)
            }
        }
    }
}
