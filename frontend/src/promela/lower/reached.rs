//! The summands of control points that are reached, and the turn, where some summand needs it.
//!
//! A point is reached if some process begins there, or a summand whose own points are reached leads there. The others are inside of a `d_step`
//! that is one summand, or behind a statement that is never executed. Soundness: every step that is possible is a step of a summand of
//! reached points, by induction on the length of the run. Complexity: near-linear in the text.

use std::collections::{BTreeMap, BTreeSet};

use super::super::flow::Point;
use super::fresh::assigns;
use super::merge::MOST_POINTS_OF_TEXT;
use super::steps::declares;
use super::{Lowering, Refused};
use crate::sequential::from_actors::build::int;
use crate::sequential::{Expr, ExprKind, Place, Stmt, StmtKind};

impl Lowering<'_> {
    /// The summands of the points that are reached.
    pub(super) fn reached_summands(&mut self) -> Result<(), Refused> {
        self.fresh = (0..self.processes.len()).collect();
        self.all_summands()?;
        while self.has_come_back() {
            self.all_summands()?;
        }
        let Some(hold) = self.hold else { return Ok(()) };
        let takes = |place: &Place, value: &Expr| place.variable == hold && value.kind != int(-1).kind;
        if self.model.summands.iter().any(|summand| assigns(&summand.body, &takes)) {
            return Ok(());
        }
        // Nobody takes the turn: the model is made again without it.
        assert_eq!(hold.index() + 1, self.model.variables.len(), "the turn is the last variable");
        self.model.variables.pop();
        self.hold = None;
        let before = std::mem::take(&mut self.sources);
        self.all_summands()?;
        assert_eq!(self.sources, before, "the same summands are reached, each of which leaves its sequence");
        Ok(())
    }

    fn all_summands(&mut self) -> Result<(), Refused> {
        self.model.locals.clear();
        self.model.summands.clear();
        self.sources.clear();
        self.points_left = MOST_POINTS_OF_TEXT;
        self.summands()?;
        self.leave_out_unreached();
        Ok(())
    }

    fn leave_out_unreached(&mut self) {
        assert_eq!(self.sources.len(), self.model.summands.len(), "every summand has its control points");
        let starts = self.slots.iter().enumerate().filter(|(_, slots)| !slots.first.is_empty());
        let mut reached: BTreeSet<(usize, Point)> =
            starts.map(|(process, _)| (process, self.flows[process].start)).collect();
        let points: Vec<BTreeMap<u32, Point>> =
            self.controls.iter().map(|(_, _, members)| by_member(members)).collect();
        // For each point the summands that take a process from there, once for each process; and how many points of a summand are missing.
        let mut from: BTreeMap<(usize, Point), Vec<usize>> = BTreeMap::new();
        let mut missing: Vec<usize> = self.sources.iter().map(Vec::len).collect();
        for (number, sources) in self.sources.iter().enumerate() {
            sources.iter().for_each(|&source| from.entry(source).or_default().push(number));
        }
        let mut ready: Vec<usize> = (0..missing.len()).filter(|&number| missing[number] == 0).collect();
        let mut open: Vec<(usize, Point)> = reached.iter().copied().collect();
        loop {
            while let Some(number) = ready.pop() {
                limits::work(1);
                let mut targets = Vec::new();
                self.targets(&self.model.summands[number].body, &points, &mut targets);
                open.extend(targets.into_iter().filter(|&target| reached.insert(target)));
            }
            let Some(point) = open.pop() else { break };
            for &number in from.get(&point).into_iter().flatten() {
                missing[number] -= 1;
                ready.extend((missing[number] == 0).then_some(number));
            }
        }
        let is_reached = |sources: &Vec<(usize, Point)>| sources.iter().all(|source| reached.contains(source));
        let (summands, sources) = (std::mem::take(&mut self.model.summands), std::mem::take(&mut self.sources));
        for (mut summand, sources) in summands.into_iter().zip(sources) {
            if !is_reached(&sources) {
                if !declares(&summand.body) {
                    continue;
                }
                summand.guard = Expr { span: summand.guard.span, ..int(0) };
            }
            self.model.summands.push(summand);
            self.sources.push(sources);
        }
    }
}

impl Lowering<'_> {
    /// The control points to which a body leads.
    fn targets(&self, body: &[Stmt], points: &[BTreeMap<u32, Point>], found: &mut Vec<(usize, Point)>) {
        let mut add = |stmt: &Stmt| {
            let StmtKind::Assign(place, value) = &stmt.kind else { return };
            let ExprKind::Member(_, index) = value.kind else { return };
            let control = self.controls.iter().position(|(variable, _, _)| *variable == place.variable);
            let Some(process) = control else { return };
            found.extend(points[process].get(&index).map(|&point| (process, point)));
        };
        body.iter().for_each(|stmt| stmt.visit(&mut add));
    }
}

/// The control point of each member.
fn by_member(members: &BTreeMap<Point, i32>) -> BTreeMap<u32, Point> {
    members.iter().map(|(&point, &member)| (member.cast_unsigned(), point)).collect()
}
