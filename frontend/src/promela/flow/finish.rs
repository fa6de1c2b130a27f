//! The end of the construction of control points: jumps are resolved, and each statement knows whether it stays inside of its atomic sequence.
//!
//! A statement leaves its sequence where the point behind it is outside, and where the way there goes over an exit or a label outside: the last statement
//! of a sequence leaves it even if a jump behind it leads back inside, and a process that jumps to the label before the sequence is not inside. A jump
//! from inside of one sequence to inside of another stays.
//!
//! Source: SPIN 6.5.2, `make_atomic`, `patch_atomic` and `huntele`.

use std::collections::BTreeSet;

use super::{Action, Builder, Control, Edge, Flow, ListKind, Point, has_meaning};
use crate::diagnostics::{Diagnostic, codes, did_you_mean};
use crate::promela::labels::plain;
use crate::source::Span;

impl Builder<'_> {
    /// A rendezvous gives the turn away, so that the process leaves an atomic sequence behind its send statement by a step of its own, unless that
    /// statement is the last one of the sequence.
    fn leave_after_meetings(&self, points: &mut Vec<Control>) {
        for (point, edge) in (0..points.len())
            .flat_map(|point| (0..points[point].edges.len()).map(move |edge| (point, edge)))
            .collect::<Vec<_>>()
        {
            let own = &points[point].edges[edge];
            let Action::Send { channel, .. } = &own.action else { continue };
            let may_meet = (self.sizes)(channel) == Some(ListKind::Channel { may_meet: true });
            let leaves = own.atomic.is_some() && own.step.is_none() && !own.stays;
            if !may_meet || !leaves || own.is_last {
                continue;
            }
            let goes = Edge { action: Action::Skip, escapes: Vec::new(), ..own.clone() };
            let between = Control { atomic: own.atomic, step: None, span: Some(own.span), edges: vec![goes] };
            points.push(between);
            let last = points.len() - 1;
            points[point].edges[edge].target = last;
            points[point].edges[edge].stays = true;
        }
    }

    /// The point that a point stands for; `None` if labels stand for each other.
    fn resolved(&self, mut point: Point) -> Option<Point> {
        for _ in 0..=self.same.len() {
            match self.same[point] {
                Some(other) => point = other,
                None => return Some(point),
            }
        }
        None
    }

    /// Whether the way to a point, from a sequence, ends inside of one and is inside all along.
    fn stays_inside(&self, own: Option<u32>, point: Point) -> bool {
        let way = std::iter::successors(Some(point), |&point| self.same[point]);
        let target = self.resolved(point).expect("circles are broken");
        if self.stays_on_jumps {
            return self.points[target].atomic == own;
        }
        { way }.all(|point| !self.outside.contains(&point)) && self.points[target].atomic.is_some()
    }

    /// A process is at the choice or the braces, never at the first statement in them unless something leads back there, so that a label there would not
    /// be seen. SPIN refuses it, too.
    fn refuse_labels_at_choices(&mut self) {
        let mut chosen: BTreeSet<Point> = self.chosen.iter().filter_map(|&point| self.resolved(point)).collect();
        for edge in self.points.iter().flat_map(|point| &point.edges) {
            self.resolved(edge.target).map(|target| chosen.remove(&target));
        }
        for (name, &(point, _)) in &self.labels {
            let own = self.at_choices.iter().find(|label| label.text == *name).map(|label| label.span);
            let hidden = self.resolved(point).filter(|point| chosen.contains(point)).and(self.points[point].span);
            if let Some(span) = own.or(hidden).filter(|_| has_meaning(name)) {
                let message = format!(
                    "the label `{}` stands before the first statement of an option or of braces, where no process ever is",
                    plain(name)
                );
                let help = "put it before `if`, `do`, `unless` or `{`, or behind the first statement";
                self.sink.push(Diagnostic::error(codes::PROMELA_PLACE, span, message).help(help));
            }
        }
    }

    /// Of several labels of a name another process sees the first one, and SPIN keeps the point of the last one, where that one stands before a jump.
    fn refuse_labels_at_jumps(&mut self) {
        for label in &self.at_jumps {
            let name = plain(&label.text);
            if self.labels.keys().filter(|other| plain(other) == name).count() > 1 {
                let message =
                    format!("another process or a claim names `{name}`, of which there are several, one before a jump");
                let help = "SPIN leaves out points of such labels: give the label that is meant a name of its own";
                self.sink.push(Diagnostic::error(codes::PROMELA_DUPLICATE, label.span, message).help(help));
            }
        }
    }

    /// A `d_step` is one step, which begins with its first statement. SPIN refuses jumps to others, too.
    fn refuse_jumps_into_steps(&mut self) {
        for (name, from) in &self.jumps {
            let step = self.steps_of_labels.get(&name.text);
            if step.is_some_and(|step| *from != Some(*step)) {
                let message = format!("a jump from outside to the label `{}` inside of a `d_step`", plain(&name.text));
                let help = "put the label before `d_step`, or write `atomic`";
                self.sink.push(Diagnostic::error(codes::PROMELA_SCOPE, name.span, message).help(help));
            }
        }
    }

    /// The statements behind the jumps of escapes, in the place of these, without what escapes from them in turn. A jump from inside of an atomic sequence
    /// to outside is a step.
    fn pass_jumps(&mut self) {
        let before = self.points.clone();
        for (point, control) in before.iter().enumerate() {
            limits::work(1);
            let is_inside = |edge: &Edge| {
                edge.atomic.is_some() && !edge.is_last && (edge.step.is_none() || control.atomic.is_some())
            };
            let is_inside = control.edges.iter().any(is_inside);
            for jump in control.edges.iter().filter(|edge| edge.passes) {
                let Some(target) = self.resolved(jump.target) else { continue };
                let behind = &before[target];
                let stays = behind.atomic.is_some() && !behind.edges.iter().all(|edge| edge.is_last);
                let list: Vec<Edge> = if is_inside && !stays {
                    vec![Edge { passes: false, ..jump.clone() }]
                } else {
                    let own = behind.edges.iter().filter(|edge| !edge.is_escape);
                    own.map(|edge| Edge { escapes: jump.escapes.clone(), ..edge.clone() }).collect()
                };
                self.points.push(Control { edges: list.clone(), ..Control::default() });
                self.same.push(None);
                let first = self.points.len() - 1;
                let edges = &mut self.points[point].edges;
                let at = edges.iter().position(|edge| edge.passes).expect("the jump");
                edges.splice(at..=at, list);
                let escapes = edges.iter_mut().flat_map(|edge| &mut edge.escapes);
                escapes.filter(|escape| **escape == jump.target).for_each(|escape| *escape = first);
            }
        }
    }

    pub(super) fn finish(mut self, start: Point, end: Point) -> Flow {
        assert!(self.breaks.is_empty(), "every loop that was entered is left");
        assert!(self.atomic.is_none() && self.step.is_none(), "every sequence ends in the text");
        assert_eq!(self.points.len(), self.same.len(), "every point is one of its own, or stands for another");
        let defined: Vec<String> = self
            .labels
            .iter()
            .filter(|(_, (_, open))| open.is_none())
            .map(|(name, _)| plain(name).to_owned())
            .collect();
        for (name, (_, open)) in &self.labels {
            if let Some(span) = open {
                let message = format!("there is no label `{name}` in this proctype");
                let help = did_you_mean(name, defined.iter().map(String::as_str));
                self.sink.push(Diagnostic::error(codes::PROMELA_LABEL, *span, message).help_opt(help));
            }
        }
        self.refuse_labels_at_choices();
        self.refuse_labels_at_jumps();
        self.refuse_jumps_into_steps();
        // `L: goto L` is a step that stays.
        for point in 0..self.points.len() {
            if self.resolved(point).is_none() {
                self.same[point] = None;
                let span = self.points[point].span.unwrap_or(Span::NONE);
                let edge = Edge { atomic: None, step: None, ..self.edge(Action::Skip, point, span) };
                self.points[point].edges.push(edge);
            }
        }
        if !self.escapes_by_jumps {
            self.pass_jumps();
        }
        let resolve = |point: Point| self.resolved(point).expect("circles are broken");
        let mut points = self.points.clone();
        for edge in points.iter_mut().flat_map(|point| &mut point.edges) {
            edge.stays = edge.atomic.is_some() && self.stays_inside(edge.atomic, edge.target);
            edge.target = resolve(edge.target);
            edge.escapes.iter_mut().for_each(|point| *point = resolve(*point));
        }
        let labels = self.labels.iter().map(|(name, &(point, _))| (name.clone(), resolve(point))).collect();
        self.leave_after_meetings(&mut points);
        let targets = points.iter().flat_map(|point| &point.edges).map(|edge| edge.target);
        assert!(
            { targets }.all(|target| self.same.get(target).is_none_or(Option::is_none)),
            "no target stands for another point"
        );
        let escapes = points.iter().flat_map(|point| &point.edges).flat_map(|edge| &edge.escapes);
        assert!(
            { escapes }.all(|&escape| self.same.get(escape).is_none_or(Option::is_none)),
            "no escape stands for another point"
        );
        let mut edges = points.iter().flat_map(|point| &point.edges);
        debug_assert!(edges.all(|edge| edge.target < points.len()), "every edge leads to a point");
        assert!(points[end].edges.is_empty(), "nothing follows the closing brace");
        let mut edges = points.iter().flat_map(|point| &point.edges);
        debug_assert!(edges.all(|edge| self.escapes_by_jumps || !edge.passes), "no jump of an escape is left");
        let mut parts = points.iter().map(|point| (point.atomic, point.step));
        debug_assert!(parts.all(|(atomic, step)| atomic.is_some() || step.is_none()), "a d_step is an atomic sequence");
        Flow { points, start: resolve(start), end, labels }
    }
}
