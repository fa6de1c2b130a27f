//! Loops: over the values of a type or of constant bounds a `for`, all others a `while`.

use super::build::{and, assign, binary, int, not, place, repeat, when};
use super::functions::may_return;
use super::lower::{Lower, Meaning, Result};
use super::statements::Round;
use crate::murphi::program::{
    Binder, BinderValues, Expr as Source, ExprKind as Kind, LocalId, Steps, Stmt, TypeId, Types,
};
use crate::sequential::{
    BinaryOp, Expr, MAX_ROUNDS, Parameter, Sequential, SortId, Stmt as Written, StmtKind, VariableId,
};
use crate::source::Span;

impl<'p> Lower<'p> {
    /// Loops over the values of index types, the outermost first.
    pub(super) fn dims(
        &mut self,
        dims: &[TypeId],
        indices: Vec<Expr>,
        write: &mut dyn FnMut(&mut Self, &[Expr]) -> Result<()>,
    ) -> Result<()> {
        let Some((&first, rest)) = dims.split_first() else { return write(self, &indices) };
        let sort = self.sort(first, false)?;
        let size = self.out.domain(sort).size();
        if self.rounds.saturating_mul(size) > MAX_ROUNDS {
            return self.refuse("an array of so many elements that is copied or filled as a whole", self.span);
        }
        let (name, index) = self.binder("i");
        let rounds = self.rounds;
        self.rounds *= size;
        let more = indices.into_iter().chain([index]).collect();
        let block = self.inner(|lower| lower.dims(rest, more, write));
        self.rounds = rounds;
        self.push_loop(name, sort, block?);
        Ok(())
    }

    fn push_loop(&mut self, name: String, sort: SortId, body: Vec<Written>) {
        let kind = StmtKind::For(Parameter { name, sort, span: Span::NONE }, body);
        self.block.push(Written { kind, span: Span::NONE });
    }

    /// A loop, with nothing known of what its rounds define.
    fn looped(&mut self, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<Vec<Written>> {
        let (defined, lost) = (self.defined.clone(), self.lost.len());
        let kept = |id: &usize, saved: &rustc_hash::FxHashSet<usize>| saved.contains(id);
        self.defined = defined.iter().copied().filter(|id| kept(id, &self.saved)).collect();
        let block = self.inner(write);
        self.defined = defined;
        for id in &self.lost[lost..] {
            self.defined.remove(id);
        }
        block
    }

    /// A loop over the values of a binder.
    pub(super) fn each(&mut self, binder: &'p Binder, span: Span, round: Round<'_, 'p>) -> Result<()> {
        let by_steps = match &binder.values {
            BinderValues::Type(_) => None,
            BinderValues::Steps(steps) => {
                let is_constant = |part: &Source| matches!(part.kind, Kind::Value(_));
                let plain =
                    is_constant(&steps.from) && is_constant(&steps.to) && matches!(steps.by.kind, Kind::Value(1));
                (!plain).then_some(steps)
            }
        };
        if let Some(steps) = by_steps {
            return self.by_steps(binder.local, steps, span, round);
        }
        for (sort, _) in self.binder_sorts(binder, span)? {
            let size = self.out.domain(sort).size();
            if self.rounds.saturating_mul(size) > MAX_ROUNDS {
                return self.refuse("a loop of so many rounds", span);
            }
            let (name, _) = self.bound_local(binder.local);
            let rounds = self.rounds;
            self.rounds *= size;
            let block = self.looped(|lower| round(lower));
            self.rounds = rounds;
            self.push_loop(name, sort, block?);
        }
        Ok(())
    }

    /// A loop from a first value to a bound by a constant step.
    fn by_steps(&mut self, local: LocalId, steps: &'p Steps, span: Span, round: Round<'_, 'p>) -> Result<()> {
        let Kind::Value(by) = steps.by.kind else { return self.refuse("a loop with a computed step", span) };
        let from = self.scalar(&steps.from)?;
        let from = self.save(from, Types::INTEGER)?;
        let to = self.scalar(&steps.to)?;
        let to = self.save(to, Types::INTEGER)?;
        let integer = self.sort(Types::INTEGER, false)?;
        let name = self.local_name(local);
        let at = self.declare(&name, integer, Vec::new(), from);
        self.saved.insert(at);
        self.defined.insert(at);
        let value = self.scalar_read(at);
        let past = if by > 0 { BinaryOp::LessEqual } else { BinaryOp::GreaterEqual };
        let goes = |value: Expr| binary(past, value, to.clone());
        let more = self.declare("more", Sequential::BOOL, Vec::new(), goes(value.clone()));
        self.defined.insert(more);
        self.frame.locals[local.index()] = Meaning::Value(value.clone(), false);
        let more = VariableId::from_index(more);
        let read = self.scalar_read(more.index());
        let block = self.looped(|lower| {
            round(lower)?;
            // The next value may be beyond 32 bits: then the loop ends.
            let room = if by > 0 {
                binary(BinaryOp::LessEqual, value.clone(), int(i32::MAX - by))
            } else {
                binary(BinaryOp::GreaterEqual, value.clone(), int(i32::MIN - by))
            };
            let next = binary(BinaryOp::Add, value.clone(), int(by));
            let then = vec![assign(place(VariableId::from_index(at), Vec::new()), next.clone())];
            let stop = vec![assign(place(more, Vec::new()), int(0))];
            lower.block.push(when(and(vec![room, goes(next)]), then, stop));
            Ok(())
        })?;
        self.block.push(repeat(read, block));
        Ok(())
    }

    pub(super) fn while_loop(&mut self, condition: &'p Source, body: &'p [Stmt]) -> Result<()> {
        let defined = self.defined.clone();
        self.defined = defined.intersection(&self.saved).copied().collect();
        let plain = self.purely(|lower| lower.scalar(condition));
        self.defined = defined;
        if let Ok(plain) = plain {
            let block = self.looped(|lower| lower.body(body, false))?;
            let condition = match may_return(body) {
                true => self.unless_returned(Some(plain)).expect("a condition"),
                false => plain,
            };
            self.block.push(repeat(condition, block));
            return Ok(());
        }
        let goes = self.declare("goes", Sequential::BOOL, Vec::new(), int(1));
        self.defined.insert(goes);
        let (id, read) = (VariableId::from_index(goes), self.scalar_read(goes));
        let block = self.looped(|lower| {
            let value = lower.scalar(condition)?;
            lower.block.push(assign(place(id, Vec::new()), value));
            let inside = lower.inner(|lower| lower.body(body, false))?;
            lower.block.push(when(read.clone(), inside, Vec::new()));
            if may_return(body)
                && let Some(on) = lower.unless_returned(None)
            {
                lower.block.push(when(not(on), vec![assign(place(id, Vec::new()), int(0))], Vec::new()));
            }
            Ok(())
        })?;
        self.block.push(repeat(read.clone(), block));
        Ok(())
    }
}
