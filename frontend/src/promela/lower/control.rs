//! The control points of all proctypes, their variables and names, and the variable of the turn.

use std::collections::{BTreeMap, BTreeSet};

use super::super::flow::{ListKind, flow};
use super::super::syntax::ast::{Place, Type};
use super::{Lowering, Refused};
use crate::sequential::Domain;
use crate::source::Span;

impl Lowering<'_> {
    /// The control points of all proctypes, and their variables.
    pub(super) fn control(&mut self) -> Result<(), Refused> {
        for number in 0..self.processes.len() {
            let (leaves, groups, taken, wrong) = (&self.leaves, &self.groups, &self.taken, self.wrong);
            let sizes = |place: &Place| {
                let names: Vec<&str> = place.parts.iter().map(|part| part.name.text.as_str()).collect();
                let name = names.join(".");
                let exact = leaves.get(&(Some(number), name.clone())).or_else(|| leaves.get(&(None, name.clone())));
                let Some(leaf) = exact else {
                    // An array of records has the size that its fields have at its part of their names.
                    let field = format!("{name}.");
                    let of = |owner: Option<usize>| {
                        leaves.iter().find(|((own, name), _)| *own == owner && name.starts_with(&field))
                    };
                    let (_, leaf) = of(Some(number)).or_else(|| of(None))?;
                    let size = leaf.sizes.get(names.len() - 1).copied().flatten()?;
                    return place.parts.last()?.index.is_none().then_some(ListKind::Array(size));
                };
                match leaf.sizes.last().copied().flatten() {
                    Some(size) if place.parts.last().is_some_and(|part| part.index.is_none()) => {
                        Some(ListKind::Array(size))
                    }
                    _ if leaf.of != Type::Chan => None,
                    _ => {
                        let mut named = (0..groups.len())
                            .filter(|group| leaf.group.map_or(taken.contains(group), |own| own == *group));
                        let may_meet = !wrong.leaves_with_meetings() && named.any(|group| groups[group].capacity == 0);
                        Some(ListKind::Channel { may_meet })
                    }
                }
            };
            let process = &self.processes[number];
            let name = &process.name.text;
            let labels = self.labels.iter().filter(|(of, _)| of == name).map(|(_, label)| label.as_str()).collect();
            self.flows.push(flow(&process.body, process.end, &sizes, labels, self.wrong, self.sink));
        }
        if self.sink.has_errors() {
            return Err(Refused);
        }
        for number in 0..self.processes.len() {
            self.control_of(number);
        }
        let holds = (0..self.flows.len()).any(|number| {
            self.controls[number]
                .2
                .keys()
                .any(|&point| self.flows[number].points[point].edges.iter().any(|edge| edge.stays))
        });
        if holds {
            let sort = self.range(-1, self.room - 1);
            self.hold = Some(self.variable(&["turn"], sort, Vec::new(), Span::NONE));
        }
        Ok(())
    }

    pub(super) fn control_of(&mut self, number: usize) {
        let flow = &self.flows[number];
        let mut order = vec![flow.start];
        let mut known = BTreeSet::from([flow.start]);
        let mut at = 0;
        while let Some(&point) = order.get(at) {
            limits::work(1);
            let targets = flow.points[point].edges.iter().map(|edge| edge.target);
            order.extend(targets.filter(|&target| known.insert(target)));
            at += 1;
        }
        order.sort_by_key(|&point| (flow.points[point].span, point));
        let (flow, name) = (flow.clone(), self.processes[number].name.text.clone());
        let mut names = vec![self.names.fresh(&[&format!("{name}_gone")])];
        let mut members = BTreeMap::new();
        let mut label_at = BTreeMap::new();
        for (label, &point) in &flow.labels {
            label_at.entry(point).or_insert(label);
        }
        for point in order {
            members.insert(point, i32::try_from(names.len()).expect("texts are bounded"));
            let line = self.line(flow.points[point].span.unwrap_or(Span::NONE));
            let numbered = if point == flow.end { format!("{name}_end") } else { format!("{name}_line{line}") };
            let wanted = label_at
                .get(&point)
                .map_or_else(|| numbered.clone(), |label| format!("{name}_{}", label.replace(' ', "_")));
            names.push(self.names.fresh(&[&wanted, &numbered]));
        }
        let sort = self.sort(&format!("{name}_points"), Domain::Members(names));
        let slots = self.slots[number].sort;
        let span = self.processes[number].name.span;
        let variable = self.variable(&[&format!("{name}_at")], sort, vec![slots], span);
        self.controls.push((variable, sort, members));
    }
}
