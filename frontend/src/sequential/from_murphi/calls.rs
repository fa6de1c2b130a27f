//! Calls: a function that changes nothing becomes an expression where its body allows that (`functions`); all others are
//! written out where they are called, with locals of their own.

use super::build::{self, assign, equal, int, ite, place, when};
use super::functions::ends;
use super::lower::{Frame, Lower, Meaning, Result, Where};
use super::statements::needs_flag;
use crate::murphi::program::{Argument, Binding, Bound, Expr as Source, Local, LocalKind, ProcedureId, Stmt, TypeId};
use crate::sequential::{Expr, ExprKind, Sequential, VariableId};
use crate::source::Span;

impl<'p> Lower<'p> {
    /// The result of a function.
    pub(super) fn call_value(
        &mut self,
        id: ProcedureId,
        arguments: &'p [Argument],
        expr: &'p Source,
    ) -> Result<Meaning> {
        let is_simple = self.program.types.is_simple(expr.of);
        if is_simple {
            let (frame, budget) = (self.frame.clone(), self.budget);
            let (lost, defined) = (self.lost.len(), self.defined.clone());
            let found = self.purely(|lower| lower.function(id, arguments, expr));
            match found {
                Ok(value) => return Ok(Meaning::Value(value, false)),
                Err(refused) if self.is_pure => return Err(refused),
                Err(_) => {
                    (self.frame, self.budget, self.defined) = (frame, budget, defined);
                    self.lost.truncate(lost);
                }
            }
        }
        if self.is_pure {
            return self.refuse("a function in a condition that has no form as an expression", expr.span);
        }
        let at = self.call(id, arguments, expr.span)?.expect("a function has a result");
        if !is_simple {
            return Ok(Meaning::Place(at));
        }
        let (value, is_partial) = self.read_leaf(&at);
        // The local keeps its value: each call has its own.
        self.saved.insert(at.first);
        Ok(Meaning::Value(value, is_partial))
    }

    /// The value of an argument as one of the type of its parameter, and whether it may be undefined.
    pub(super) fn argument(&mut self, value: &'p Source, needed: TypeId) -> Result<(Expr, bool)> {
        let (found, is_partial) = self.raw(value)?;
        if !is_partial {
            let found = self.settle(found, value.of, false)?;
            return Ok((self.fitted(found, value.of, needed)?, false));
        }
        let (own, others) = (self.undefined(value.of)?, self.undefined(needed)?);
        if self.fits(value.of, needed) && own == others {
            return Ok((found, true));
        }
        let found = self.save_raw(found, value.of, true)?;
        let fitted = self.fitted(found.clone(), value.of, needed)?;
        Ok((ite(equal(found, own), others, fitted), true))
    }

    /// Writes a procedure out; the place of the result of a function.
    pub(super) fn call(&mut self, id: ProcedureId, arguments: &'p [Argument], span: Span) -> Result<Option<Where>> {
        let procedure = self.program.procedure(id);
        if self.open.contains(&id) {
            return self.refuse(format!("`{}`, which calls itself", procedure.name), span);
        }
        let mut locals = vec![Meaning::Nothing; procedure.frame.locals.len()];
        debug_assert_eq!(arguments.len(), procedure.parameters, "a call has every argument");
        for (number, argument) in arguments.iter().enumerate() {
            let own = &procedure.frame.locals[number];
            locals[number] = match argument {
                Argument::Reference(at) => {
                    let mut at = self.place(at)?;
                    let touched = self.touch_place(&at)?;
                    touched.into_iter().for_each(|one| self.evaluate(Some(one)));
                    self.keep(&mut at)?;
                    Meaning::Place(at)
                }
                Argument::Value(value) if self.program.types.is_simple(own.of) => {
                    let (value, is_partial) = self.argument(value, own.of)?;
                    Meaning::Value(self.save_raw(value, own.of, is_partial)?, is_partial)
                }
                Argument::Value(value) => {
                    let to = self.declare_undefined(&own.name, own.of)?;
                    self.copy_whole(&to, value)?;
                    Meaning::Place(to)
                }
            };
        }
        let result = match procedure.result {
            Some(of) => Some((of, Some(self.declare_undefined(&format!("{}_result", procedure.name), of)?))),
            None => None,
        };
        let place_of_result = result.clone().and_then(|(_, at)| at);
        let outer =
            std::mem::replace(&mut self.frame, Frame { locals, own: &procedure.frame.locals, result, returned: None });
        self.open.push(id);
        let done =
            self.whole_body(&procedure.frame.locals, arguments.len(), &procedure.body, procedure.result.is_some());
        let closed = self.open.pop();
        debug_assert_eq!(closed, Some(id), "calls end in reverse order");
        self.frame = outer;
        done.map(|()| place_of_result)
    }

    /// Writes the body of a rule or procedure, whose own locals begin at a number.
    pub(super) fn whole_body(
        &mut self,
        own: &'p [Local],
        from: usize,
        body: &'p [Stmt],
        needs_value: bool,
    ) -> Result<()> {
        for (number, local) in own.iter().enumerate().skip(from) {
            if local.kind == LocalKind::Variable {
                let at = self.declare_undefined(&local.name, local.of)?;
                self.frame.locals[number] = Meaning::Place(at);
            }
        }
        let misses_value = needs_value && !ends(body);
        if misses_value || needs_flag(body, true) {
            let id = self.declare("returned", Sequential::BOOL, Vec::new(), int(0));
            self.defined.insert(id);
            self.frame.returned = Some(id);
        }
        self.body(body, !misses_value)?;
        if misses_value {
            let returned = self.scalar_read(self.frame.returned.expect("it is declared"));
            let fail = build::fail("a function ends without returning a value");
            self.block.push(when(build::not(returned), vec![fail], Vec::new()));
        }
        Ok(())
    }

    /// Sets the local that says that the body has returned.
    pub(super) fn set_returned(&mut self) {
        if let Some(id) = self.frame.returned {
            self.block.push(assign(place(VariableId::from_index(id), Vec::new()), int(1)));
        }
    }

    /// The meaning of a name around a rule or in a function of a condition, and the places at which its evaluation may fault.
    pub(super) fn bind_purely(&mut self, binding: &'p Binding) -> Result<Vec<Expr>> {
        let (meaning, touched) = match &binding.to {
            Bound::Place(place) => {
                let at = self.place(place)?;
                let value = self.touch_place(&at)?;
                (Meaning::Place(at), value)
            }
            Bound::Value(value) if self.program.types.is_simple(value.of) => {
                let (found, is_partial) = self.raw(value)?;
                let found = if is_partial { found } else { self.settle(found, value.of, false)? };
                let touched = self.touched(&found).into_iter().collect();
                (Meaning::Value(found, is_partial), touched)
            }
            Bound::Value(value) => {
                let at = self.whole(value)?;
                let touched = self.touch_place(&at)?;
                (Meaning::Place(at), touched)
            }
        };
        self.frame.locals[binding.local.index()] = meaning;
        Ok(touched)
    }

    /// Conditions that are true, and fault where the indices of a place are outside of their types.
    pub(super) fn touch_place(&mut self, at: &Where) -> Result<Vec<Expr>> {
        let is_name =
            |index: &Expr| matches!(index.kind, ExprKind::Parameter(_) | ExprKind::Int(_) | ExprKind::Member(..));
        if !at.may_miss && at.indices.iter().all(is_name) {
            return Ok(Vec::new());
        }
        let leaves = self.leaves.of(self.program, at.of)?;
        let Some(leaf) = leaves.first() else { return Ok(Vec::new()) };
        let mut indices = at.indices.clone();
        indices.extend(leaf.dims.iter().map(|&dim| self.literal(dim, self.hull(dim).low)));
        let value = build::read(VariableId::from_index(at.first), indices);
        Ok(vec![equal(value.clone(), value)])
    }
}
