//! The locals of a process at its first point: their initial values, where no step leads back to it.
//!
//! A `d_step` that begins a process can be followed from these values, so that its loops are unrolled.
//!
//! Soundness: locals are written by their own process only. That no step leads back is assumed while summands are made and checked on the
//! summands of reached points; the summands are made again without the assumption for a proctype that fails the check. So every step to
//! the point is one that makes the process, by induction on the length of the run.

use super::super::syntax::ast::Initial;
use super::merge::Known;
use super::steps::Site;
use super::{Lowering, Refused};
use crate::sequential::from_actors::build::{int, member, place as element};
use crate::sequential::{Expr, ExprKind, Place, Stmt, StmtKind};

/// The most elements whose values are known.
const MOST_KNOWN: usize = 64;

impl Lowering<'_> {
    /// The knowledge before a statement.
    pub(super) fn known_at(&mut self, site: Site) -> Result<Known, Refused> {
        let mut known = Known::default();
        if site.point != self.flows[site.process].start || !self.fresh.contains(&site.process) {
            return Ok(known);
        }
        let context = self.context(site.process);
        let pid = context.pid.clone().expect("a process has a number");
        let locals = &self.locals[site.process];
        let parameters: Vec<String> =
            locals.list[..locals.parameters].iter().map(|parameter| parameter.name.text.clone()).collect();
        let is_own = |name: &str| !parameters.iter().any(|own| name.split('.').next() == Some(own));
        let leaves = self
            .leaves
            .iter()
            .filter(|((owner, name), leaf)| *owner == Some(site.process) && leaf.group.is_none() && is_own(name));
        let variables: Vec<_> = leaves.map(|(_, leaf)| leaf.variable).collect();
        let mut places = Vec::new();
        for id in variables {
            let sorts = self.model.variables[id.index()].indices[1..].to_vec();
            let with_pid =
                |rest: Vec<i32>| element(id, std::iter::once(pid.clone()).chain(rest.into_iter().map(int)).collect());
            let size = sorts.iter().map(|&sort| self.model.domain(sort).size()).product::<usize>();
            if places.len() + size <= MOST_KNOWN {
                places.extend(self.all_indices(&sorts).into_iter().map(with_pid));
            }
        }
        for place in places {
            known.assign(&place, &int(0), self.wrong);
        }
        let has_channels = |(owner, _, initial): &(Option<usize>, String, Initial)| {
            *owner == Some(site.process) && matches!(initial, Initial::Channel(_))
        };
        if self.initials.iter().any(has_channels) {
            return Ok(Known::default());
        }
        for stmt in self.initial_values(site.process, &context)? {
            if let StmtKind::Assign(place, value) = &stmt.kind {
                known.assign(place, value, self.wrong);
            }
        }
        Ok(known)
    }

    /// Whether a step of reached points leads back to the first point of a proctype whose first values were used; they are used no more.
    pub(super) fn has_come_back(&mut self) -> bool {
        if self.wrong.never_comes_back() {
            return false;
        }
        let before = self.fresh.len();
        for process in std::mem::take(&mut self.fresh) {
            let (variable, sort, members) = &self.controls[process];
            let start = member(*sort, members[&self.flows[process].start]);
            let is_step = |index: &Expr| matches!(index.kind, ExprKind::Parameter(_));
            let comes_back = |place: &Place, value: &Expr| {
                place.variable == *variable && value.kind == start.kind && place.indices.iter().all(is_step)
            };
            if !self.model.summands.iter().any(|summand| assigns(&summand.body, &comes_back)) {
                self.fresh.insert(process);
            }
        }
        self.fresh.len() < before
    }
}

/// Whether some assignment of a body is of a kind.
pub(super) fn assigns(body: &[Stmt], is: &impl Fn(&Place, &Expr) -> bool) -> bool {
    let mut fits = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Assign(place, value) if is(place, value));
    body.iter().any(|stmt| stmt.any(&mut fits))
}
