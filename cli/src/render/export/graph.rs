//! The communication graph of a model as a drawing: rebecs on a circle, an arrow from each rebec to its known rebecs,
//! orbits of the group as colours.
//!
//! Colours repeat after [`COLOURS`]; each node has the number of its orbit, so that no information depends on colour
//! only.
//!
//! Invariant: every text is escaped; positions are rounded to tenths, so that the drawing is the same on every machine.

use crate::language::pictures::Topology;
use std::collections::{BTreeMap, BTreeSet, HashMap};
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
    /// The number of rebecs, where each node stands for several; else 0.
    pub(crate) folded: usize,
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

/// Draws a graph; orbits that hold none of its rebecs are ignored. Of more than [`MOST_NODES`] rebecs, those of one orbit or class are one
/// node; a graph that is too large then is not drawn.
pub(crate) fn draw(topology: &Topology, orbits: &[Vec<String>]) -> Option<Drawing> {
    let count = topology.nodes.len();
    if count > MOST_NODES {
        let folded = folded(topology, orbits);
        let fits = folded.nodes.len() <= MOST_NODES;
        return if fits { draw(&folded, &[]).map(|drawing| Drawing { folded: count, ..drawing }) } else { None };
    }
    if count == 0 {
        return None;
    }
    let by_orbit = orbits.iter().any(|orbit| topology.nodes.iter().any(|(name, _)| orbit.contains(name)));
    let groups = if by_orbit { orbit_of(topology, orbits) } else { class_of(topology) };
    assert!(groups.iter().map(Vec::len).sum::<usize>() == count, "every node is in one group");
    let number = |node: usize| groups.iter().position(|group| group.contains(&node)).unwrap_or(0);
    let key = (1..).zip(&groups).map(|(number, members)| Group {
        number,
        colour: (number - 1) % COLOURS,
        members: members.iter().map(|&node| topology.nodes[node].0.clone()).collect(),
    });
    Some(Drawing { svg: svg(topology, &number), key: key.collect(), by_orbit, folded: 0 })
}

/// One node for each orbit or class, an edge wherever there is one between members.
fn folded(topology: &Topology, orbits: &[Vec<String>]) -> Topology {
    let mut orbit_by_name: HashMap<&str, usize> = HashMap::new();
    for (number, orbit) in orbits.iter().enumerate() {
        orbit_by_name.extend(orbit.iter().map(|name| (name.as_str(), number)));
    }
    let has_orbits = topology.nodes.iter().any(|(name, _)| orbit_by_name.contains_key(name.as_str()));
    let mut numbers: HashMap<(Option<usize>, &str), usize> = HashMap::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut group_of = Vec::with_capacity(topology.nodes.len());
    for (node, (name, class)) in topology.nodes.iter().enumerate() {
        let key = match orbit_by_name.get(name.as_str()) {
            Some(&orbit) => (Some(orbit), ""),
            None if has_orbits => (None, name.as_str()),
            None => (None, class.as_str()),
        };
        let group = *numbers.entry(key).or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[group].push(node);
        group_of.push(group);
    }
    let node = |members: &Vec<usize>| {
        let (first, class) = &topology.nodes[members[0]];
        let name = if members.len() == 1 { first.clone() } else { format!("{} × {class}", members.len()) };
        (name, class.clone())
    };
    assert!(members.iter().all(|members| !members.is_empty()), "a group has a node");
    let mut edges: BTreeMap<(usize, usize), BTreeSet<&String>> = BTreeMap::new();
    for (from, to, names) in &topology.edges {
        edges.entry((group_of[*from], group_of[*to])).or_default().extend(names);
    }
    let edge = |((from, to), names): ((usize, usize), BTreeSet<&String>)| {
        (from, to, names.into_iter().take(6).cloned().collect::<Vec<_>>())
    };
    Topology { nodes: members.iter().map(node).collect(), edges: edges.into_iter().map(edge).collect() }
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
    fn large_graphs_have_a_node_for_each_orbit() {
        let nodes: Vec<(String, String)> = (0..100).map(|i| (format!("n{i}"), "C".to_owned())).collect();
        let edges = (0..100).map(|i| (i, (i + 1) % 100, vec!["next".to_owned()])).collect();
        let topology = Topology { nodes, edges };
        let half = |from: usize| (from..100).step_by(2).map(|i| format!("n{i}")).collect::<Vec<_>>();
        let drawing = draw(&topology, &[half(0), half(1)]).expect("small enough");
        assert_eq!((drawing.folded, drawing.svg.matches("class=\"edge\"").count()), (100, 2));
        assert!(drawing.svg.contains("50 × C"), "{}", drawing.svg);
        let orbits: Vec<Vec<String>> = (0..50).map(|i| vec![format!("n{i}"), format!("n{}", i + 50)]).collect();
        assert_eq!(draw(&topology, &orbits).expect("small enough").svg.matches("2 × C: C").count(), 50);
        assert!(draw(&topology, &[vec!["n0".to_owned(), "n1".to_owned()]]).is_none());
    }

    #[test]
    fn without_orbits_classes_are_colours() {
        let drawing = draw(&ring(), &[vec!["x=1".to_owned()]]).expect("small enough");
        assert!(!drawing.by_orbit);
        assert_eq!(drawing.key.len(), 1);
    }
}
