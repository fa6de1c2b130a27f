//! Random well-typed expressions: mostly small and harmless, sometimes one that may fault.

use super::scope::{Binding, Writer};
use super::spec::{Axis, Expr, Form, MemberKind, Node, Sort};

impl Writer<'_> {
    /// An expression of a sort; `depth` bounds its nesting.
    pub(super) fn value(&mut self, sort: &Sort, depth: usize) -> Expr {
        match sort {
            Sort::Bool => self.boolean(depth),
            Sort::Byte | Sort::Short | Sort::Int => self.small_integer(depth),
            Sort::Rebec(class) => self.rebec(class, depth),
            Sort::AnyRebec => Expr::atom(Sort::AnyRebec, "sender"),
            Sort::Scalar(set) => self.scalar(set).unwrap_or_else(|| self.whole_set(set)),
        }
    }

    /// `?(low, .., high)`: the only way to a scalar value without a variable.
    pub(super) fn whole_set(&mut self, name: &str) -> Expr {
        let set = self.spec.set(name).expect("the sort names a scalar set");
        let values = (set.low..).take(set.size).map(Expr::int).collect();
        Expr { sort: Sort::Scalar(name.to_owned()), node: Node::Choose(values) }
    }

    /// A scalar of the set, if some name in scope holds one.
    pub(super) fn scalar(&mut self, set: &str) -> Option<Expr> {
        let sort = Sort::Scalar(set.to_owned());
        let names = self.bindings(|binding| binding.sort == sort && binding.axes.is_empty());
        if names.is_empty() {
            return None;
        }
        let value = Expr::atom(sort.clone(), self.rng.pick(&names).name.clone());
        if !self.rng.chance(35) {
            return Some(value);
        }
        let by = if self.rng.chance(80) { Expr::int(self.literal(-1, 3)) } else { self.integer(1) };
        Some(Expr::binary(sort, "+%", value, by))
    }

    /// The name with an index for each axis; `None` when an axis needs a scalar and there is none.
    pub(super) fn place(&mut self, binding: &Binding) -> Option<Expr> {
        if binding.axes.is_empty() {
            return Some(Expr::atom(binding.sort.clone(), binding.name.clone()));
        }
        let mut indices = Vec::new();
        for axis in &binding.axes {
            indices.push(match axis {
                Axis::Set(set) => self.scalar(set)?,
                Axis::Array(length) => self.index(*length),
            });
        }
        Some(Expr { sort: binding.sort.clone(), node: Node::Index(binding.name.clone(), indices) })
    }

    /// The weight of an expression that may fault.
    pub(super) fn risk(&self, weight: usize) -> usize {
        if self.is_careful { 0 } else { weight }
    }

    fn index(&mut self, length: usize) -> Expr {
        let size = i32::try_from(length).expect("arrays are small");
        match self.rng.weighted(&[77, 17, self.risk(6)]) {
            0 => Expr::int(self.literal(0, size - 1)),
            1 => {
                // A non-negative value below 4, modulo the length.
                let value = self.integer(0);
                let masked = Expr::binary(Sort::Int, "&", value, Expr::int(3));
                Expr::binary(Sort::Int, "%", masked, Expr::int(size))
            }
            _ => self.integer(1),
        }
    }

    pub(super) fn literal(&mut self, low: i32, high: i32) -> i32 {
        let span = usize::try_from(high - low).expect("literals are drawn from a range");
        low + i32::try_from(self.rng.below(span + 1)).expect("ranges of literals are small")
    }

    /// The value of some name whose sort satisfies a condition.
    pub(super) fn read(&mut self, wanted: impl Fn(&Sort) -> bool) -> Option<Expr> {
        let names = self.bindings(|binding| wanted(&binding.sort));
        if names.is_empty() {
            return None;
        }
        let binding = self.rng.pick(&names).clone();
        self.place(&binding)
    }

    /// A known rebec whose class satisfies a condition.
    pub(super) fn known(&mut self, wanted: impl Fn(&str) -> bool) -> Option<Expr> {
        let is_known = |b: &Binding| !b.is_assignable && matches!(&b.sort, Sort::Rebec(class) if wanted(class));
        let names = self.bindings(is_known);
        if names.is_empty() {
            return None;
        }
        let binding = self.rng.pick(&names).clone();
        self.place(&binding)
    }

    /// A rebec of the class that is hardly ever null: a known one, `self`, or any other.
    pub(super) fn definite_rebec(&mut self, class: &str) -> Expr {
        let spec = self.spec;
        if spec.conforms(self.class, class) && self.rng.chance(40) {
            return Expr::atom(Sort::Rebec(class.to_owned()), "self");
        }
        self.known(|known| spec.conforms(known, class)).unwrap_or_else(|| self.rebec(class, 0))
    }

    fn call(&mut self, wanted: impl Fn(&Sort) -> bool, sort: Sort) -> Option<Expr> {
        // Methods rarely call methods: recursion may be endless.
        if matches!(self.kind, MemberKind::Method(_)) && !self.rng.chance(2) {
            return None;
        }
        let methods = self.methods(|result| result.is_some_and(&wanted));
        if methods.is_empty() {
            return None;
        }
        let method = self.rng.pick(&methods).clone();
        let arguments = method.parameters.iter().map(|(_, sort)| self.value(sort, 1)).collect();
        Some(Expr { sort, node: Node::Call(method.name, arguments) })
    }

    fn choose(&mut self, sort: Sort, options: impl Fn(&mut Self) -> Expr) -> Option<Expr> {
        if self.choices == 0 {
            return None;
        }
        let left = self.choices - 1;
        self.choices = 0; // Options hold no further choice.
        let count = self.rng.between(2, 3);
        let drawn = (0..count).map(|_| options(self)).collect();
        self.choices = left;
        Some(Expr { sort, node: Node::Choose(drawn) })
    }

    /// An integer between about -4 and 4, unless a variable holds a larger one.
    pub(super) fn small_integer(&mut self, depth: usize) -> Expr {
        match self.rng.weighted(&[36, 22, 16, 14, 12]) {
            0 => Expr::int(self.literal(0, 2)),
            1 => self.read(Sort::is_integer).unwrap_or_else(|| Expr::int(1)),
            2 => {
                let modulus = Expr::int(self.literal(2, 3));
                let dividend = self.integer(depth.max(1));
                Expr::binary(Sort::Int, "%", dividend, modulus)
            }
            3 => {
                let chosen = self.choose(Sort::Int, |writer| Expr::int(writer.literal(0, 2)));
                chosen.unwrap_or_else(|| Expr::int(0))
            }
            _ => {
                let Some(x) = self.read(Sort::is_integer) else { return Expr::int(0) };
                let below = Expr::binary(Sort::Bool, "<", x.clone(), Expr::int(2));
                let next = Expr::binary(Sort::Int, "+", x, Expr::int(1));
                let reset = Expr::int(self.literal(0, 1));
                ternary(below, next, reset)
            }
        }
    }

    /// Any integer expression.
    pub(super) fn integer(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            let read = if self.rng.chance(70) { self.read(Sort::is_integer) } else { None };
            return read.unwrap_or_else(|| Expr::int(self.literal(0, 3)));
        }
        let int = Sort::Int;
        match self.rng.weighted(&[24, 30, 8, 8, 8, 8, self.risk(4), self.risk(6), 4, self.risk(2), self.risk(2)]) {
            0 => self.integer(0),
            1 => {
                let operator = *self.rng.pick(&["+", "-", "*", "+", "-"]);
                let (a, b) = (self.integer(depth - 1), self.integer(depth - 1));
                Expr::binary(int, operator, a, b)
            }
            2 => {
                let operator = *self.rng.pick(&["&", "|", "^", "<<", ">>", ">>>"]);
                let (a, b) = (self.integer(depth - 1), Expr::int(self.literal(0, 3)));
                Expr::binary(int, operator, a, b)
            }
            3 => {
                let (c, a, b) = (self.boolean(depth - 1), self.integer(depth - 1), self.integer(depth - 1));
                ternary(c, a, b)
            }
            4 => self.call(Sort::is_integer, Sort::Int).unwrap_or_else(|| self.integer(0)),
            5 => {
                let chosen = self.choose(Sort::Int, |writer| writer.integer(1));
                chosen.unwrap_or_else(|| self.integer(0))
            }
            6 => {
                let operator = *self.rng.pick(&["/", "%"]);
                let (a, b) = (self.integer(depth - 1), self.integer(0));
                Expr::binary(int, operator, a, b)
            }
            7 => {
                let name = *self.rng.pick(&["pow", "sqrt"]);
                let mut arguments = vec![self.integer(0), self.integer(0)];
                if name == "sqrt" {
                    let (a, b) = (arguments.remove(0), arguments.remove(0));
                    arguments.push(Expr::binary(Sort::Int, "-", a, b));
                }
                Expr { sort: int, node: Node::Call(name.to_owned(), arguments) }
            }
            8 => {
                let operator = *self.rng.pick(&["-", "~"]);
                let operand = self.integer(depth - 1);
                Expr { sort: int, node: Node::Unary(operator, Box::new(operand)) }
            }
            9 => {
                let name = *self.rng.pick(&["byte", "short", "int"]);
                let operand = self.integer(depth - 1);
                Expr { sort: int, node: Node::Cast(name.to_owned(), Box::new(operand)) }
            }
            _ => self.step().unwrap_or_else(|| self.integer(0)),
        }
    }

    /// `x++`, `--x`, ..: an effect inside an expression.
    fn step(&mut self) -> Option<Expr> {
        let names = self.bindings(|binding| binding.is_assignable && binding.sort.is_integer());
        if names.is_empty() {
            return None;
        }
        let binding = self.rng.pick(&names).clone();
        let place = Box::new(self.place(&binding)?);
        let operator = *self.rng.pick(&["++", "--"]);
        let is_prefix = self.rng.chance(50);
        let node = if is_prefix { Node::Unary(operator, place) } else { Node::Postfix(operator, place) };
        Some(Expr { sort: Sort::Int, node })
    }

    /// Any boolean expression.
    pub(super) fn boolean(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return self.read(|sort| *sort == Sort::Bool).unwrap_or_else(|| self.comparison(0));
        }
        match self.rng.weighted(&[25, 25, 16, 12, 5, 6, 8, 3]) {
            0 => self.boolean(0),
            1 => self.comparison(depth),
            2 => {
                let operator = *self.rng.pick(&["&&", "||", "&&", "||", "&", "^", "==", "!="]);
                let (a, b) = (self.boolean(depth - 1), self.boolean(depth - 1));
                Expr::binary(Sort::Bool, operator, a, b)
            }
            3 => {
                let operand = self.boolean(depth - 1);
                Expr { sort: Sort::Bool, node: Node::Unary("!", Box::new(operand)) }
            }
            4 => {
                let (c, a, b) = (self.boolean(0), self.boolean(depth - 1), self.boolean(0));
                Expr { sort: Sort::Bool, node: Node::Ternary(Box::new(c), Box::new(a), Box::new(b)) }
            }
            5 => self.call(|sort| *sort == Sort::Bool, Sort::Bool).unwrap_or_else(|| self.comparison(0)),
            6 if self.choices > 0 => {
                self.choices -= 1;
                let values = vec![Expr::bool(true), Expr::bool(false)];
                Expr { sort: Sort::Bool, node: Node::Choose(values) }
            }
            _ => Expr::bool(self.rng.chance(50)),
        }
    }

    fn comparison(&mut self, depth: usize) -> Expr {
        let operator = *self.rng.pick(&["==", "!="]);
        let sets = self.bindings(|b| matches!(b.sort, Sort::Scalar(_)) && b.axes.is_empty());
        if !sets.is_empty() && self.rng.chance(20) {
            let Sort::Scalar(set) = &self.rng.pick(&sets).sort.clone() else { unreachable!("filtered above") };
            if let (Some(a), Some(b)) = (self.scalar(set), self.scalar(set)) {
                return Expr::binary(Sort::Bool, operator, a, b);
            }
        }
        match self.rng.weighted(&[60, 25, 6, 9]) {
            0 => {
                let operator = *self.rng.pick(&["==", "!=", "<", "<=", ">", ">="]);
                let (a, b) = (self.integer(depth.saturating_sub(1)), Expr::int(self.literal(0, 2)));
                Expr::binary(Sort::Bool, operator, a, b)
            }
            1 => {
                let other = self.read(|sort| matches!(sort, Sort::Rebec(_)));
                let other = other.unwrap_or_else(|| Expr::atom(Sort::AnyRebec, "self"));
                Expr::binary(Sort::Bool, operator, Expr::atom(Sort::AnyRebec, "sender"), other)
            }
            2 => {
                let rebec = self.read(|sort| matches!(sort, Sort::Rebec(_)));
                let rebec = rebec.unwrap_or_else(|| Expr::atom(Sort::AnyRebec, "sender"));
                Expr::binary(Sort::Bool, operator, rebec, Expr::atom(Sort::AnyRebec, "null"))
            }
            _ => {
                let names: Vec<String> = self.spec.classes.iter().map(|class| class.name.clone()).collect();
                let class = self.rng.pick(&names).clone();
                let sender = Box::new(Expr::atom(Sort::AnyRebec, "sender"));
                Expr { sort: Sort::Bool, node: Node::InstanceOf(sender, class) }
            }
        }
    }

    /// A rebec that may stand where `class` is required.
    pub(super) fn rebec(&mut self, class: &str, depth: usize) -> Expr {
        let sort = Sort::Rebec(class.to_owned());
        match self.rng.weighted(&[70, self.risk(4), self.risk(4), 3, 5]) {
            0 => {
                let spec = self.spec;
                let known = self.read(|sort| matches!(sort, Sort::Rebec(name) if spec.conforms(name, class)));
                if let Some(known) = known {
                    return known;
                }
            }
            1 if !self.creations.is_empty() || self.rng.chance(60) => return self.cast_sender(class),
            2 => return Expr::atom(sort, "sender"),
            3 => return Expr::atom(sort, "null"),
            4 if depth > 0 => {
                let (c, a, b) = (self.boolean(0), self.rebec(class, 0), self.rebec(class, 0));
                // `c ? null : sender` has no class of its own.
                if matches!(a.node, Node::Atom(_)) || matches!(b.node, Node::Atom(_)) {
                    return a;
                }
                return Expr { sort, node: Node::Ternary(Box::new(c), Box::new(a), Box::new(b)) };
            }
            _ => {}
        }
        if self.spec.conforms(self.class, class) {
            return Expr::atom(sort, "self");
        }
        let spec = self.spec;
        let known = self.read(|sort| matches!(sort, Sort::Rebec(name) if spec.conforms(name, class)));
        if known.is_none() && (self.is_careful || self.rng.chance(70)) {
            return Expr::atom(sort, "null");
        }
        known.unwrap_or_else(|| self.cast_sender(class))
    }

    pub(super) fn cast_sender(&mut self, class: &str) -> Expr {
        let sender = Box::new(Expr::atom(Sort::AnyRebec, "sender"));
        Expr { sort: Sort::Rebec(class.to_owned()), node: Node::Cast(class.to_owned(), sender) }
    }

    /// `new C(..):(..)`.
    pub(super) fn creation(&mut self, class: &str) -> Expr {
        assert_eq!(self.spec.class(class).form, Form::Reactive, "only such classes are made");
        let known = self.spec.slots(class).iter().map(|slot| self.rebec(slot, 0)).collect();
        let parameters = self.spec.start(class).map(|start| start.parameters.clone()).unwrap_or_default();
        let arguments = parameters.iter().map(|(_, sort)| self.value(sort, 0)).collect();
        Expr { sort: Sort::Rebec(class.to_owned()), node: Node::New(class.to_owned(), known, arguments) }
    }
}

/// An integer `c ? a : b`.
fn ternary(c: Expr, a: Expr, b: Expr) -> Expr {
    Expr { sort: Sort::Int, node: Node::Ternary(Box::new(c), Box::new(a), Box::new(b)) }
}
