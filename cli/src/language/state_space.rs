//! A state space as Aldebaran text or for Graphviz.
//!
//! States are numbered breadth first. With one initial state it is state 0; with several, a fresh state 0 has an edge
//! `init` to each, and the others move up by one. The label of an edge is `rebec.message(arguments)`,
//! or the event of a summand with its arguments.

use std::fmt::Write;

use checker::{Graph, Limit};

use crate::paint::clean;

/// A labelled transition system.
pub(crate) struct StateSpace {
    /// The number of states.
    states: u64,
    transitions: Vec<Transition>,
}

/// A labelled transition.
pub(crate) struct Transition {
    /// The state that it leaves.
    pub(crate) from: u64,
    pub(crate) label: String,
    /// The state that it enters.
    pub(crate) to: u64,
}

impl StateSpace {
    /// A transition system of so many states, the first of them initial.
    pub(crate) fn new(states: u64, initial: u64, transitions: impl Iterator<Item = Transition>) -> StateSpace {
        let shift = u64::from(initial != 1);
        let starts =
            (0..initial * shift).map(|number| Transition { from: 0, label: "init".to_owned(), to: number + 1 });
        let moved = transitions.map(|one| Transition { from: one.from + shift, to: one.to + shift, ..one });
        let space = StateSpace { states: states + shift, transitions: starts.chain(moved).collect() };
        let is_inside = |one: &Transition| one.from.max(one.to) < space.states;
        debug_assert!(space.transitions.iter().all(is_inside), "transitions join states");
        space
    }

    /// That of a graph, by the labels of the steps of each state that have a successor, in the order of its transitions.
    ///
    /// # Errors
    /// The limit that ended the exploration, if it is known.
    pub(crate) fn labelled<S>(
        graph: Graph<S>,
        labels: impl Fn(&S) -> Vec<String>,
    ) -> Result<StateSpace, Option<Limit>> {
        let Graph { states, initial, edges, complete, limit } = graph;
        if !complete {
            return Err(limit);
        }
        let labelled = edges.iter().zip(states.iter().flat_map(labels));
        let transitions = labelled.map(|(edge, label)| Transition { from: edge.from, label, to: edge.to });
        let space = StateSpace::new(states.len() as u64, initial, transitions);
        let starts = if initial == 1 { 0 } else { initial };
        assert_eq!(space.transitions.len() as u64, edges.len() as u64 + starts, "every edge has its label");
        Ok(space)
    }

    /// Aldebaran text.
    pub(crate) fn aut(&self) -> String {
        let mut out = format!("des (0, {}, {})\n", self.transitions.len(), self.states);
        for Transition { from, label, to } in &self.transitions {
            let _ = writeln!(out, "({from},{},{to})", quoted(label));
        }
        out
    }

    /// Text for Graphviz; state 0 has a double border.
    pub(crate) fn dot(&self, name: &str) -> String {
        let mut out = format!("digraph {} {{\n  node [shape=circle];\n", quoted(name));
        for number in 0..self.states {
            let shape = if number == 0 { " [shape=doublecircle]" } else { "" };
            let _ = writeln!(out, "  {number}{shape};");
        }
        for Transition { from, label, to } in &self.transitions {
            let _ = writeln!(out, "  {from} -> {to} [label={}];", quoted(label));
        }
        out.push_str("}\n");
        out
    }
}

/// Text in quotation marks, with quotation marks, backslashes and control characters escaped.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", clean(text).replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::{StateSpace, Transition, quoted};

    fn sample() -> StateSpace {
        let transition = |from, label: &str, to| Transition { from, label: label.to_owned(), to };
        StateSpace { states: 2, transitions: vec![transition(0, "a.m(1)", 1), transition(1, "b.\"n\"()", 0)] }
    }

    #[test]
    fn aldebaran_text_counts_first() {
        assert_eq!(sample().aut(), "des (0, 2, 2)\n(0,\"a.m(1)\",1)\n(1,\"b.\\\"n\\\"()\",0)\n");
    }

    #[test]
    fn graphviz_text_marks_the_initial_state() {
        let text = sample().dot("a \"name\"");
        assert!(text.starts_with("digraph \"a \\\"name\\\"\" {\n"), "{text}");
        assert!(text.contains("  0 [shape=doublecircle];\n  1;\n  0 -> 1 [label=\"a.m(1)\"];\n"), "{text}");
    }

    #[test]
    fn names_are_quoted() {
        assert_eq!(quoted("a\"b\\c\n"), "\"a\\\"b\\\\c\\\\n\"");
    }
}
