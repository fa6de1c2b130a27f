//! The communication graph of a model as a drawing: rebecs on a circle, an arrow from each rebec to its known rebecs,
//! orbits of the group as colours.
//!
//! Colours repeat after [`COLOURS`]; each node has the number of its orbit, so that no information depends on colour
//! only.
//!
//! Invariant: every text is escaped; positions are rounded to tenths, so that the drawing is the same on every machine.

use crate::language::pictures::Topology;
use std::fmt::Write;

use serde::Serialize;

use super::escape::xml;

/// The largest graph that is drawn.
const MOST_NODES: usize = 60;

/// The number of colours: classes `c0`, `c1`, .. of the page's style.
pub(crate) const COLOURS: usize = 8;

/// A drawing with its key.
#[derive(Clone, Serialize, Debug)]
pub(crate) struct Drawing {
    /// The drawing; markup.
    pub(crate) svg: String,
    /// For each colour its number and its members.
    pub(crate) key: Vec<Group>,
    /// Whether colours are orbits, else classes.
    pub(crate) by_orbit: bool,
}

/// The members of one colour.
#[derive(Clone, Serialize, Debug)]
pub(crate) struct Group {
    /// The number, from 1.
    pub(crate) number: usize,
    /// The colour, below [`COLOURS`].
    pub(crate) colour: usize,
    /// The rebecs.
    pub(crate) members: Vec<String>,
}

/// Draws a graph of at most [`MOST_NODES`] rebecs; orbits that hold none of them are ignored.
pub(crate) fn draw(topology: &Topology, orbits: &[Vec<String>]) -> Option<Drawing> {
    let count = topology.nodes.len();
    if count == 0 || count > MOST_NODES {
        return None;
    }
    let by_orbit = orbits.iter().any(|orbit| topology.nodes.iter().any(|(name, _)| orbit.contains(name)));
    let groups = if by_orbit { orbit_of(topology, orbits) } else { class_of(topology) };
    let number = |node: usize| groups.iter().position(|group| group.contains(&node)).unwrap_or(0);
    let key = (1..).zip(&groups).map(|(number, members)| Group {
        number,
        colour: (number - 1) % COLOURS,
        members: members.iter().map(|&node| topology.nodes[node].0.clone()).collect(),
    });
    Some(Drawing { svg: svg(topology, &number), key: key.collect(), by_orbit })
}

/// The nodes of each orbit; nodes in no orbit form singletons.
fn orbit_of(topology: &Topology, orbits: &[Vec<String>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (node, (name, _)) in topology.nodes.iter().enumerate() {
        let orbit = orbits.iter().find(|orbit| orbit.contains(name));
        let together = |&other: &usize| orbit.is_some_and(|orbit| orbit.contains(&topology.nodes[other].0));
        match groups.iter_mut().find(|group| group.iter().any(together)) {
            Some(group) => group.push(node),
            None => groups.push(vec![node]),
        }
    }
    groups
}

fn class_of(topology: &Topology) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (node, (_, class)) in topology.nodes.iter().enumerate() {
        match groups.iter_mut().find(|group| topology.nodes[group[0]].1 == *class) {
            Some(group) => group.push(node),
            None => groups.push(vec![node]),
        }
    }
    groups
}

#[expect(clippy::cast_precision_loss)]
fn svg(topology: &Topology, number: &dyn Fn(usize) -> usize) -> String {
    let count = topology.nodes.len();
    let radius = (count as f64 * 13.0).clamp(70.0, 330.0);
    let margin = 96.0;
    let middle = radius + margin;
    let size = 2.0 * middle;
    let place = |node: usize| {
        let angle = std::f64::consts::TAU * node as f64 / count as f64 - std::f64::consts::FRAC_PI_2;
        if count == 1 { (middle, middle) } else { (middle + radius * angle.cos(), middle + radius * angle.sin()) }
    };
    let mut out = format!(
        "<svg class=\"graph\" role=\"img\" width=\"{size:.0}\" height=\"{size:.0}\" viewBox=\"0 0 {size:.0} {size:.0}\">\n<title>communication graph</title>\n"
    );
    for (from, to, names) in &topology.edges {
        let title = format!("{} knows {} as {}", topology.nodes[*from].0, topology.nodes[*to].0, names.join(", "));
        out.push_str(&edge(place(*from), place(*to), from == to, &title));
    }
    for (node, (name, class)) in topology.nodes.iter().enumerate() {
        let (x, y) = place(node);
        let orbit = number(node);
        let label: String = if name.chars().count() > 14 {
            name.chars().take(13).chain(std::iter::once('…')).collect()
        } else {
            name.clone()
        };
        let _ = writeln!(
            out,
            "<g><title>{}: {}</title><circle class=\"node c{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"13\"/><text class=\"inner\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            xml(name),
            xml(class),
            orbit % COLOURS,
            y + 4.0,
            orbit + 1
        );
        let (dx, dy) = if count == 1 { (0.0, -1.0) } else { ((x - middle) / radius, (y - middle) / radius) };
        let anchor = if dx > 0.35 {
            "start"
        } else if dx < -0.35 {
            "end"
        } else {
            "middle"
        };
        let _ = writeln!(
            out,
            "<text class=\"outer\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text></g>",
            x + dx * 18.0,
            y + dy * 24.0 + 4.0,
            xml(&label)
        );
    }
    out.push_str("</svg>\n");
    out
}

/// An arrow between two circles, bent to its left so that both directions are seen.
fn edge(from: (f64, f64), to: (f64, f64), is_loop: bool, title: &str) -> String {
    let title = xml(title);
    if is_loop {
        let (x, y) = from;
        return format!(
            "<path class=\"edge\" d=\"M{:.1} {:.1} a9 9 0 1 1 12 0\"><title>{title}</title></path>\n",
            x - 6.0,
            y - 13.0
        );
    }
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let bend = (length * 0.1).min(18.0);
    let middle = ((from.0 + to.0) / 2.0 + uy * bend, (from.1 + to.1) / 2.0 - ux * bend);
    // The tip lies on the circle, in the direction from the bend.
    let (tx, ty) = (to.0 - middle.0, to.1 - middle.1);
    let last = tx.hypot(ty).max(1.0);
    let (vx, vy) = (tx / last, ty / last);
    let tip = (to.0 - vx * 14.0, to.1 - vy * 14.0);
    let back = (tip.0 - vx * 8.0, tip.1 - vy * 8.0);
    format!(
        "<path class=\"edge\" d=\"M{:.1} {:.1} Q{:.1} {:.1} {:.1} {:.1}\"><title>{title}</title></path><path class=\"tip\" d=\"M{:.1} {:.1} L{:.1} {:.1} L{:.1} {:.1} Z\"/>\n",
        from.0,
        from.1,
        middle.0,
        middle.1,
        back.0,
        back.1,
        tip.0,
        tip.1,
        back.0 - vy * 4.0,
        back.1 + vx * 4.0,
        back.0 + vy * 4.0,
        back.1 - vx * 4.0
    )
}

#[cfg(test)]
mod tests {
    use super::{Topology, draw};

    fn ring() -> Topology {
        let nodes = ["a", "b", "c<"].map(|name| (name.to_owned(), "C".to_owned())).to_vec();
        Topology { nodes, edges: (0..3).map(|i| (i, (i + 1) % 3, vec!["next".to_owned()])).collect() }
    }

    #[test]
    fn orbits_are_colours() {
        let drawing = draw(&ring(), &[vec!["a".to_owned(), "c<".to_owned()]]).expect("small enough");
        assert!(drawing.by_orbit);
        assert_eq!(drawing.key.iter().map(|group| group.members.len()).collect::<Vec<_>>(), [2, 1]);
        assert!(drawing.svg.contains("c&lt;") && !drawing.svg.contains("c<<"));
    }

    #[test]
    fn without_orbits_classes_are_colours() {
        let drawing = draw(&ring(), &[vec!["x=1".to_owned()]]).expect("small enough");
        assert!(!drawing.by_orbit);
        assert_eq!(drawing.key.len(), 1);
    }
}
