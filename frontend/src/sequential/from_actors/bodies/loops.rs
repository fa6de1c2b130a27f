//! Loops and `switch`.

use super::analysis::{chooses, leaves};
use super::{Bodies, Done, Out, Refused, Tail, Target, TargetKind};
use crate::model::{self, Arm, LocalId, Stmt};
use crate::sequential::from_actors::build::{and, each, equal, int, not, or, repeat, when};
use crate::sequential::from_actors::expressions::Binding;
use crate::sequential::{Expr, MAX_ROUNDS};

/// The greatest number of rounds of a loop that is unrolled.
const MAX_WRITTEN_OUT: usize = 64;

impl<'m> Bodies<'_, 'm> {
    pub(super) fn repeat(
        &mut self,
        condition: &'m model::Expr,
        body: &'m [Stmt],
        update: &'m [Stmt],
    ) -> Done<Vec<Out>> {
        let class = self.model().class(self.class);
        if self.repeats == 0 && (chooses(class, body, 0) || chooses(class, update, 0)) {
            return self.written_out(condition, body, update);
        }
        let (path, known) = (self.path.take(), self.known.clone());
        let since = self.raised.len();
        self.repeats += 1;
        self.targets.push(Target { kind: TargetKind::Break, flag: None });
        let condition = self.expression(condition)?;
        self.targets.push(Target { kind: TargetKind::Continue, flag: None });
        let tail = vec![self.targets.len() - 1];
        let inner = self.block(&body.iter().collect::<Vec<_>>(), &tail)?;
        let mut inner = self.close(inner);
        let update = self.block(&update.iter().collect::<Vec<_>>(), &Tail::new())?;
        let flags = self.flags(since);
        match &flags {
            Some(flags) if !update.is_empty() => inner.push(when(not(flags.clone()), update, Vec::new())),
            _ => inner.extend(update),
        }
        let condition = match flags {
            Some(flags) => and(vec![not(flags), condition]),
            None => condition,
        };
        self.repeats -= 1;
        self.path = path;
        self.after_loop(known, &inner);
        let whole = self.close(vec![repeat(condition, inner)]);
        Ok(whole)
    }

    /// A loop with choices, unrolled round by round: its condition must be known each time.
    pub(super) fn written_out(
        &mut self,
        condition: &'m model::Expr,
        body: &'m [Stmt],
        update: &'m [Stmt],
    ) -> Done<Vec<Out>> {
        let refused = Refused { what: "a choice inside a loop whose rounds are not known", span: condition.span };
        let since = self.raised.len();
        self.targets.push(Target { kind: TargetKind::Break, flag: None });
        let mut out = Vec::new();
        for _ in 0..=MAX_WRITTEN_OUT {
            let truth = self.expression(condition)?;
            match self.constant_of(&truth) {
                Some(0) => return Ok(self.close(out)),
                Some(_) if self.flags(since).is_none() => {}
                _ => return Err(refused),
            }
            self.targets.push(Target { kind: TargetKind::Continue, flag: None });
            let tail = vec![self.targets.len() - 1];
            let round = self.block(&body.iter().collect::<Vec<_>>(), &tail)?;
            out.extend(self.close(round));
            if self.flags(since).is_some() && !update.is_empty() {
                // A round that ends the loop makes no update.
                return Err(refused);
            }
            out.extend(self.block(&update.iter().collect::<Vec<_>>(), &Tail::new())?);
        }
        Err(refused)
    }

    pub(super) fn for_each(&mut self, set: model::ScalarSetId, id: LocalId, body: &'m [Stmt]) -> Done<Vec<Out>> {
        let scalars = self.model().scalar_set(set);
        let sort = self.layout.plain_sort(model::Sort::Scalar(set));
        let class = self.model().class(self.class);
        let stmts: Vec<&'m Stmt> = body.iter().collect();
        self.targets.push(Target { kind: TargetKind::Break, flag: None });
        let since = self.raised.len();
        let mut out = Vec::new();
        if chooses(class, body, 0) {
            if usize::try_from(scalars.size()).is_ok_and(|size| size > MAX_ROUNDS) {
                return Err(Refused { what: "so large a scalar set", span: scalars.span });
            }
            for value in scalars.low..=scalars.high {
                self.bind(id, Binding::Value(int(value)));
                let (flags, known) = (self.flags(since), self.known.clone());
                let round = self.round(&stmts, flags.is_some())?;
                if flags.is_some() {
                    self.merge(&known);
                }
                match flags {
                    Some(flags) => out.push(when(not(flags), round, Vec::new())),
                    None => out.extend(round),
                }
            }
        } else {
            let (path, known) = (self.path.take(), self.known.clone());
            let name = self.frame().body.locals[id.index()].name.clone();
            let name = self.names.fresh(&[&name]);
            let variable = self.loop_variable();
            self.bind(id, Binding::Value(variable));
            let round = self.round(&stmts, true)?;
            let round = match self.flags(since) {
                Some(flags) => vec![when(not(flags), round, Vec::new())],
                None => round,
            };
            out.push(each(name, sort, round));
            self.loops -= 1;
            self.path = path;
            self.after_loop(known, &out);
        }
        Ok(self.close(out))
    }

    /// A round of a loop.
    pub(super) fn round(&mut self, stmts: &[&'m Stmt], guarded: bool) -> Done<Vec<Out>> {
        let path = self.path.clone();
        if guarded {
            self.path = None;
        }
        self.targets.push(Target { kind: TargetKind::Continue, flag: None });
        let tail = vec![self.targets.len() - 1];
        let round = self.block(stmts, &tail)?;
        self.path = path;
        Ok(self.close(round))
    }

    pub(super) fn switch(&mut self, value: &'m model::Expr, arms: &'m [Arm], tail: &Tail) -> Done<Vec<Out>> {
        let sort = value.sort;
        let value = self.expression(value)?;
        self.targets.push(Target { kind: TargetKind::Break, flag: None });
        let mut tail = tail.clone();
        tail.push(self.targets.len() - 1);
        let out = self.arms(&value, arms, 0, &tail)?;
        let mut out = self.close(out);
        if !arms.iter().any(is_compared) {
            let mut first = Vec::new();
            self.evaluate(value, sort, &mut first);
            out.splice(0..0, first);
        }
        Ok(out)
    }

    /// The choice among the arms from `at` onwards that are compared with the value; after the last one the default.
    pub(super) fn arms(&mut self, value: &Expr, arms: &'m [Arm], at: usize, tail: &Tail) -> Done<Vec<Out>> {
        // Control continues from an arm into the next ones until it leaves.
        let run = |first: usize| {
            let mut stmts: Vec<&'m Stmt> = Vec::new();
            for arm in &arms[first..] {
                stmts.extend(&arm.block);
                if leaves(&arm.block) {
                    break;
                }
            }
            stmts
        };
        let Some(next) = (at..arms.len()).find(|&arm| is_compared(&arms[arm])) else {
            let default = arms.iter().position(|arm| arm.is_default);
            return default.map_or(Ok(Vec::new()), |default| self.block(&run(default), tail));
        };
        let labels = arms[next].labels.iter().map(|&label| equal(value.clone(), int(label)));
        let condition = or(labels.collect());
        let then = run(next);
        self.branches(condition, |bodies| bodies.block(&then, tail), |bodies| bodies.arms(value, arms, next + 1, tail))
    }
}

/// Whether the value decides if control goes to an arm: the labels of the default are those of values that no other arm has.
fn is_compared(arm: &Arm) -> bool {
    !arm.is_default && !arm.labels.is_empty()
}
