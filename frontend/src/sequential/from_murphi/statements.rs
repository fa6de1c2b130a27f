//! Statements. A `return` before the end of a body sets a local; what follows is skipped where that is 1.

use super::build::{and, assign, equal, int, not, place, when};
use super::functions::{ends, may_return};
use super::lower::{Lower, Meaning, Result, Where};
use crate::murphi::program::{Binding, Bound, Branch, Case, Expr as Source, Stmt, StmtKind, TypeId};
use crate::sequential::{Expr, VariableId};

/// The rounds of a loop, each in a block of its own.
pub(super) type Round<'r, 'p> = &'r mut dyn FnMut(&mut Lower<'p>) -> Result<()>;

/// Whether a body returns at another place than its ends.
pub(super) fn needs_flag(body: &[Stmt], is_tail: bool) -> bool {
    let Some((stmt, rest)) = body.split_first() else { return false };
    let one = std::slice::from_ref(stmt);
    if rest.is_empty() || ends(one) {
        return match &stmt.kind {
            StmtKind::Return(_) => !is_tail,
            StmtKind::If(branches, otherwise) => {
                branches.iter().any(|branch| needs_flag(&branch.body, is_tail)) || needs_flag(otherwise, is_tail)
            }
            StmtKind::Switch(_, cases, otherwise) => {
                cases.iter().any(|case| needs_flag(&case.body, is_tail)) || needs_flag(otherwise, is_tail)
            }
            StmtKind::Alias(_, body) => needs_flag(body, is_tail),
            _ => may_return(one),
        };
    }
    if let Some((branches, _)) = early(stmt) {
        return branches.iter().any(|branch| needs_flag(&branch.body, is_tail)) || needs_flag(rest, is_tail);
    }
    may_return(one) || needs_flag(rest, is_tail)
}

/// A branch that ends in all its cases but the last: what follows it belongs to the last one.
fn early(stmt: &Stmt) -> Option<(&[Branch], &[Stmt])> {
    match &stmt.kind {
        StmtKind::If(branches, otherwise)
            if branches.iter().all(|branch| ends(&branch.body)) && !may_return(otherwise) =>
        {
            Some((branches, otherwise))
        }
        _ => None,
    }
}

impl<'p> Lower<'p> {
    /// Statements in order; at the end of the body if `is_tail`.
    pub(super) fn body(&mut self, body: &'p [Stmt], is_tail: bool) -> Result<()> {
        let Some((stmt, rest)) = body.split_first() else { return Ok(()) };
        let one = std::slice::from_ref(stmt);
        if rest.is_empty() || ends(one) {
            return self.statement(stmt, is_tail);
        }
        if let Some((branches, otherwise)) = early(stmt)
            && may_return(one)
        {
            return self.branches(branches, is_tail, &mut |lower| {
                lower.body(otherwise, false)?;
                lower.body(rest, is_tail)
            });
        }
        self.statement(stmt, false)?;
        if !may_return(one) {
            return self.body(rest, is_tail);
        }
        let condition = self.unless_returned(None).expect("the local is declared");
        let rest = self.inner(|lower| lower.body(rest, is_tail))?;
        self.block.push(when(condition, rest, Vec::new()));
        Ok(())
    }

    fn statement(&mut self, stmt: &'p Stmt, is_tail: bool) -> Result<()> {
        let before = std::mem::replace(&mut self.span, stmt.span);
        self.budget = super::functions::budget();
        limits::work(1);
        let done = self.kind(stmt, is_tail);
        self.span = before;
        done
    }

    fn kind(&mut self, stmt: &'p Stmt, is_tail: bool) -> Result<()> {
        match &stmt.kind {
            StmtKind::Assign(to, value) => self.assign(to, value)?,
            StmtKind::Undefine(to) => {
                let at = self.place(to)?;
                self.fill(&at, true)?;
            }
            StmtKind::Clear(to) => {
                let at = self.place(to)?;
                self.fill(&at, false)?;
            }
            StmtKind::If(branches, otherwise) => {
                self.branches(branches, is_tail, &mut |lower| lower.body(otherwise, is_tail))?;
            }
            StmtKind::Switch(subject, cases, otherwise) => {
                let found = self.scalar(subject)?;
                let subject = self.save(found, subject.of)?;
                self.cases(&subject, cases, otherwise, is_tail)?;
            }
            StmtKind::For(binder, body) => {
                self.each(binder, stmt.span, &mut |lower| {
                    let block = lower.inner(|lower| lower.body(body, false))?;
                    match lower.unless_returned(None).filter(|_| may_return(body)) {
                        Some(condition) => lower.block.push(when(condition, block, Vec::new())),
                        None => lower.block.extend(block),
                    }
                    Ok(())
                })?;
            }
            StmtKind::While(condition, body) => self.while_loop(condition, body)?,
            StmtKind::Alias(bindings, body) => {
                for binding in bindings {
                    self.bind(binding, true)?;
                }
                self.body(body, is_tail)?;
            }
            StmtKind::Call(id, arguments) => drop(self.call(*id, arguments, stmt.span)?),
            StmtKind::Return(value) => self.returns(value.as_ref(), is_tail)?,
            StmtKind::Error(text) => self.block.push(super::build::fail(text)),
            StmtKind::Assert(condition, text) => {
                let condition = self.scalar(condition)?;
                let text = if text.is_empty() { "an assertion does not hold" } else { text };
                self.block.push(when(not(condition), vec![super::build::fail(text)], Vec::new()));
            }
            StmtKind::Cover(_, condition) => {
                let condition = self.scalar(condition)?;
                let touched = self.touched(&condition);
                self.evaluate(touched);
            }
            StmtKind::Put(value) if self.program.types.is_simple(value.of) => {
                let (value, _) = self.raw(value)?;
                let touched = self.touched(&value);
                self.evaluate(touched);
            }
            StmtKind::Put(value) => {
                let at = self.whole(value)?;
                let touched = self.touch_place(&at)?;
                touched.into_iter().for_each(|one| self.evaluate(Some(one)));
            }
            StmtKind::Assume(_) => return self.refuse("`assume`, which excludes steps,", stmt.span),
            StmtKind::MultisetAdd(..) | StmtKind::MultisetRemove(..) | StmtKind::MultisetRemoveWhere(..) => {
                return self.refuse("a multiset", stmt.span);
            }
        }
        Ok(())
    }

    /// Evaluates a condition for its faults.
    pub(super) fn evaluate(&mut self, condition: Option<Expr>) {
        if let Some(condition) = condition {
            let fault = super::build::fail("a fault of an expression");
            self.block.push(when(not(condition), vec![fault], Vec::new()));
        }
    }

    fn branches(&mut self, branches: &'p [Branch], is_tail: bool, otherwise: Round<'_, 'p>) -> Result<()> {
        let Some((first, rest)) = branches.split_first() else { return otherwise(self) };
        let condition = self.scalar(&first.condition)?;
        let then = self.inner(|lower| lower.body(&first.body, is_tail))?;
        let other = self.inner(|lower| lower.branches(rest, is_tail, otherwise))?;
        if then.is_empty() && other.is_empty() {
            let touched = self.touched(&condition);
            self.evaluate(touched);
        } else {
            self.block.push(when(condition, then, other));
        }
        Ok(())
    }

    fn cases(&mut self, subject: &Expr, cases: &'p [Case], otherwise: &'p [Stmt], is_tail: bool) -> Result<()> {
        let Some((first, rest)) = cases.split_first() else { return self.body(otherwise, is_tail) };
        let mut list = Vec::new();
        for value in &first.values {
            let value = self.purely(|lower| lower.scalar(value))?;
            list.push(equal(subject.clone(), value));
        }
        let then = self.inner(|lower| lower.body(&first.body, is_tail))?;
        let other = self.inner(|lower| lower.cases(subject, rest, otherwise, is_tail))?;
        self.block.push(when(super::build::or(list), then, other));
        Ok(())
    }

    fn assign(&mut self, to: &'p crate::murphi::program::Place, value: &'p Source) -> Result<()> {
        let mut at = self.place(to)?;
        if value.has_call() {
            self.keep(&mut at)?;
        }
        if !self.program.types.is_simple(to.of) {
            return self.copy_whole(&at, value);
        }
        let found = self.scalar(value)?;
        self.store(&at, found, value.of)
    }

    /// Writes a defined value to a leaf.
    fn store(&mut self, at: &Where, value: Expr, of: TypeId) -> Result<()> {
        let sort = self.out.variable(VariableId::from_index(at.first)).sort;
        let hull = self.hull(at.of);
        let holds_only_type = hull.exact && self.out.domain(sort).bounds() == (hull.low, hull.high);
        let value = if holds_only_type { value } else { self.fitted(value, of, at.of)? };
        self.assign_leaf(at, value);
        if at.indices.is_empty() && at.first >= self.partial.len() {
            self.defined.insert(at.first);
        }
        Ok(())
    }

    /// Copies an array or record with what is undefined in it.
    pub(super) fn copy_whole(&mut self, to: &Where, value: &'p Source) -> Result<()> {
        let mut to = to.clone();
        self.keep(&mut to)?;
        let mut from = self.whole(value)?;
        self.keep(&mut from)?;
        assert_eq!(from.of, to.of, "arrays and records are copied between places of one type");
        let leaves = self.leaves.of(self.program, to.of)?;
        for (number, leaf) in leaves.iter().enumerate() {
            let (source, target) = (part(&from, number, leaf.of), part(&to, number, leaf.of));
            let dims = leaf.dims.clone();
            self.dims(&leaf.dims, Vec::new(), &mut |lower, indices| {
                let (mut source, mut target) = (source.clone(), target.clone());
                source.indices.extend(indices.iter().cloned());
                target.indices.extend(indices.iter().cloned());
                let (value, _) = lower.read_leaf(&source);
                lower.where_elements_are(&dims, indices, |lower| lower.assign_leaf(&target, value));
                Ok(())
            })?;
            self.forget(to.first + number);
        }
        Ok(())
    }

    /// Writes statements that only happen where indices are values of their types: between the sorts of a union are no elements.
    fn where_elements_are(&mut self, dims: &[TypeId], indices: &[Expr], write: impl FnOnce(&mut Self)) {
        let mut inside = Vec::new();
        for (&dim, index) in dims.iter().zip(indices) {
            if !self.hull(dim).exact {
                inside.push(self.is_in(index, dim));
            }
        }
        let inside = and(inside);
        let outer = std::mem::take(&mut self.block);
        write(self);
        let block = std::mem::replace(&mut self.block, outer);
        match inside == int(1) {
            true => self.block.extend(block),
            false => self.block.push(when(inside, block, Vec::new())),
        }
    }

    /// Makes a place undefined, or gives it the least values.
    fn fill(&mut self, at: &Where, undefined: bool) -> Result<()> {
        let mut at = at.clone();
        self.keep(&mut at)?;
        let leaves = self.leaves.of(self.program, at.of)?;
        for (number, leaf) in leaves.iter().enumerate() {
            let target = part(&at, number, leaf.of);
            let value = match undefined {
                true => self.undefined(leaf.of)?,
                false => {
                    let least = self.sorts.runs(self.program, leaf.of)[0].0;
                    self.literal(leaf.of, least)
                }
            };
            let dims = leaf.dims.clone();
            self.dims(&leaf.dims, Vec::new(), &mut |lower, indices| {
                let mut target = target.clone();
                target.indices.extend(indices.iter().cloned());
                let target = assign(place(VariableId::from_index(target.first), target.indices), value.clone());
                lower.where_elements_are(&dims, indices, |lower| lower.block.push(target));
                Ok(())
            })?;
            if undefined {
                self.forget(at.first + number);
            } else if leaf.dims.is_empty() && at.indices.is_empty() && at.first >= self.partial.len() {
                self.defined.insert(at.first + number);
            }
        }
        Ok(())
    }

    /// A scalar local may be undefined from here on.
    fn forget(&mut self, leaf: usize) {
        if leaf >= self.partial.len() {
            self.defined.remove(&leaf);
            self.lost.push(leaf);
        }
    }

    /// Gives a local what it stands for from here on.
    pub(super) fn bind(&mut self, binding: &'p Binding, may_fault: bool) -> Result<()> {
        let meaning = match &binding.to {
            Bound::Place(place) => {
                let mut at = self.place(place)?;
                let touched = self.touch_place(&at)?;
                touched.into_iter().filter(|_| may_fault).for_each(|one| self.evaluate(Some(one)));
                self.keep(&mut at)?;
                Meaning::Place(at)
            }
            Bound::Value(value) if self.program.types.is_simple(value.of) => {
                let (found, is_partial) = self.raw(value)?;
                let found = if is_partial { found } else { self.settle(found, value.of, false)? };
                Meaning::Value(self.save_raw(found, value.of, is_partial)?, is_partial)
            }
            Bound::Value(value) => {
                let to = self.declare_undefined("value", value.of)?;
                self.copy_whole(&to, value)?;
                Meaning::Place(to)
            }
        };
        self.frame.locals[binding.local.index()] = meaning;
        Ok(())
    }

    fn returns(&mut self, value: Option<&'p Source>, is_tail: bool) -> Result<()> {
        if let (Some(value), Some((of, Some(at)))) = (value, self.frame.result.clone()) {
            if self.program.types.is_simple(of) {
                let found = self.scalar(value)?;
                self.store(&at, found, value.of)?;
            } else {
                self.copy_whole(&at, value)?;
            }
        }
        if !is_tail {
            self.set_returned();
        }
        Ok(())
    }
}

/// A leaf of a place.
fn part(of: &Where, number: usize, kind: TypeId) -> Where {
    Where { first: of.first + number, of: kind, ..of.clone() }
}
