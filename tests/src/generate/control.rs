//! Random loops, `switch`, and the jumps inside them: bounded, except for a few that are endless on purpose.

use super::scope::{Binding, Writer};
use super::spec::{Expr, MemberKind, Sort, Stmt};

impl Writer<'_> {
    /// Runs `write` with the flags of a loop body.
    fn inside<T>(&mut self, may_continue: bool, write: impl FnOnce(&mut Self) -> T) -> T {
        let before = (self.may_break, self.may_continue);
        (self.may_break, self.may_continue) = (true, may_continue);
        let result = write(self);
        (self.may_break, self.may_continue) = before;
        result
    }

    pub(super) fn for_loop(&mut self, out: &mut Vec<Stmt>) {
        let name = self.names.fresh("l");
        let limit = if self.rng.chance(85) {
            Expr::int(self.literal(1, 3))
        } else {
            let value = self.integer(0);
            Expr::binary(Sort::Int, "&", value, Expr::int(3))
        };
        let mark = self.scope.len();
        self.scope.push(Binding { name: name.clone(), sort: Sort::Int, axes: Vec::new(), is_assignable: false });
        let body = self.inside(true, |writer| writer.block(2));
        self.scope.truncate(mark);
        out.push(Stmt::For(name, limit, body));
    }

    pub(super) fn while_loop(&mut self, out: &mut Vec<Stmt>) {
        let name = self.names.fresh("l");
        let counter = Expr::atom(Sort::Int, name.clone());
        let start = Expr::int(self.literal(0, 2));
        let declaration = Stmt::Local { name: name.clone(), sort: Sort::Int, length: None, value: Some(start) };
        let mark = self.scope.len();
        self.scope.push(Binding { name, sort: Sort::Int, axes: Vec::new(), is_assignable: false });
        let is_endless = !self.is_careful && self.rng.chance(6);
        let mut body = self.inside(is_endless, |writer| writer.block(2));
        if !is_endless {
            body.push(Stmt::Step(counter.clone(), "++"));
        }
        let below = Expr::binary(Sort::Bool, "<", counter, Expr::int(self.literal(1, 3)));
        let condition = if self.rng.chance(30) {
            let more = self.boolean(1);
            Expr::binary(Sort::Bool, "&&", below, more)
        } else {
            below
        };
        self.scope.truncate(mark);
        let looping = if self.rng.chance(60) { Stmt::While(condition, body) } else { Stmt::DoWhile(body, condition) };
        out.push(Stmt::Block(vec![declaration, looping]));
    }

    pub(super) fn for_each(&mut self, out: &mut Vec<Stmt>) {
        let spec = self.spec;
        let sets: Vec<String> =
            spec.lineage(self.class).into_iter().filter_map(|class| Some(class.set.as_ref()?.name.clone())).collect();
        let free: Vec<String> =
            sets.into_iter().filter(|set| !self.scope.iter().any(|binding| binding.name == *set)).collect();
        if free.is_empty() {
            return self.assign(out);
        }
        let name = self.rng.pick(&free).clone();
        let mark = self.scope.len();
        let sort = Sort::Scalar(name.clone());
        self.scope.push(Binding { name: name.clone(), sort, axes: Vec::new(), is_assignable: false });
        let body = self.inside(true, |writer| writer.block(3));
        self.scope.truncate(mark);
        out.push(Stmt::ForEach(name, body));
    }

    pub(super) fn switch(&mut self, out: &mut Vec<Stmt>) {
        let value = if self.rng.chance(70) { self.integer(0) } else { self.small_integer(1) };
        let mut labels: Vec<i32> = (0..4).collect();
        let mut arms = Vec::new();
        for _ in 0..self.rng.between(1, 3) {
            let taken = labels.split_off(labels.len() - self.rng.weighted(&[0, 8, 2]).min(labels.len()));
            arms.push((taken, self.arm()));
        }
        if self.rng.chance(60) {
            let at = if self.rng.chance(80) { arms.len() } else { self.rng.below(arms.len()) };
            let body = self.arm();
            arms.insert(at, (Vec::new(), body));
        }
        arms.retain({
            let mut defaults = 0;
            move |(labels, _)| {
                defaults += usize::from(labels.is_empty());
                !labels.is_empty() || defaults == 1
            }
        });
        out.push(Stmt::Switch(value, arms));
    }

    /// The statements of an arm: without a local, mostly ended by `break`.
    fn arm(&mut self) -> Vec<Stmt> {
        let before = self.may_break;
        self.may_break = false;
        let mut body = self.block(2);
        self.may_break = before;
        if body.iter().any(|stmt| matches!(stmt, Stmt::Local { .. })) {
            body = vec![Stmt::Block(body)];
        }
        if self.rng.chance(65) {
            body.push(Stmt::Break);
        }
        body
    }

    /// `break`, `continue` or `return` under a condition.
    pub(super) fn leave(&mut self, out: &mut Vec<Stmt>) {
        let mut ways = Vec::new();
        if self.may_break {
            ways.extend([Stmt::Break, Stmt::Break]);
        }
        if self.may_continue {
            ways.extend([Stmt::Continue, Stmt::Continue]);
        }
        match self.kind {
            MemberKind::Method(Some(sort)) => {
                let value = self.value(sort, 1);
                ways.push(Stmt::Return(Some(value)));
            }
            _ => ways.push(Stmt::Return(None)),
        }
        let condition = self.boolean(1);
        let way = self.rng.pick(&ways).clone();
        out.push(Stmt::If(condition, vec![way], Vec::new()));
    }
}
