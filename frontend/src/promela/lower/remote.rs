//! References to other processes: `P[pid]@label` and `P[pid]:variable`, and without a number those to the first process of a proctype.
//!
//! Where there is no such process, a label is not reached and a variable is 0. So SPIN has it where no process has the number; where one of another
//! proctype has it, SPIN takes its memory for that of one of the named proctype. A constant number that only such processes can have is refused.

use super::super::flow::Point;
use super::super::labels::plain;
use super::super::syntax::ast::{Expr, Name};
use super::{Context, Lowering, Refused};
use crate::diagnostics::{closest, codes};
use crate::sequential::from_actors::build::{and, binary, equal, int, ite, member, read};
use crate::sequential::{self as seq, BinaryOp, ExprKind, Values};

impl Lowering<'_> {
    /// The proctype of a name.
    pub(super) fn proctype(&mut self, process: &Name) -> Result<usize, Refused> {
        if let Some(found) = self.processes.iter().position(|other| other.name.text == process.text) {
            return Ok(found);
        }
        let help = closest(&process.text, self.processes.iter().map(|other| other.name.text.as_str()));
        let help = help.map(|other| format!("did you mean `{other}`?"));
        let message = format!("there is no proctype `{}`", process.text);
        self.refuse_with(codes::PROMELA_UNKNOWN, process.span, &message, help)
    }

    /// The point of a label of another proctype.
    pub(super) fn labelled_point(&mut self, process: usize, label: &Name) -> Result<Point, Refused> {
        let Some(&point) = self.flows[process].labels.get(&label.text) else {
            let message = format!("`{}` has no label `{}`", self.processes[process].name.text, plain(&label.text));
            return self.refuse(codes::PROMELA_LABEL, label.span, &message);
        };
        Ok(point)
    }

    /// What is said of the process with a number, or of the first one of a proctype.
    pub(super) fn remote(
        &mut self,
        name: &Name,
        process: usize,
        pid: Option<&Expr>,
        context: &Context,
        said: &dyn Fn(&mut Self, seq::Expr) -> Result<seq::Expr, Refused>,
    ) -> Result<seq::Expr, Refused> {
        let (low, high) = self.model.domain(self.slots[process].sort).bounds();
        let Some(pid) = pid else {
            if self.wrong.first_has_lowest_number() {
                return said(self, int(low));
            }
            let mut value = said(self, int(high))?;
            for number in (low..high).rev() {
                limits::work(1);
                let (variable, sort, _) = self.controls[process];
                let is_gone = equal(read(variable, vec![int(number)]), member(sort, 0));
                value = ite(is_gone, value, said(self, int(number))?);
            }
            return Ok(value);
        };
        let pid = self.expression(pid, context)?;
        let is_within = matches!(self.values(&pid, context), Some(Values::Range { low: least, high: most }) if low <= least && most <= high);
        if is_within || self.wrong.numbers_are_right() {
            return said(self, pid);
        }
        if let ExprKind::Int(number) = pid.kind {
            if number >= self.room {
                return Ok(int(0));
            }
            let message = format!(
                "no process of `{}` has the number {number}, and SPIN reads that of another proctype",
                name.text
            );
            let help =
                format!("all processes are numbered together, from 0: those of `{}` are {low} to {high}", name.text);
            return self.refuse_with(codes::PROMELA_SCOPE, name.span, &message, Some(help));
        }
        let not_below = binary(BinaryOp::GreaterEqual, pid.clone(), int(low));
        let not_above = binary(BinaryOp::LessEqual, pid.clone(), int(high));
        Ok(ite(and(vec![not_below, not_above]), said(self, pid)?, int(0)))
    }
}
