//! Whether the product with an automaton has a node of every reachable state, so that what is true in no node is true in no state.
//!
//! Soundness: where the automaton may stay at a start whatever it reads, the product has a node of each initial state there, and with a
//! node of a state there, since the automaton always goes on from it, one of each successor. Of other automata nothing is said.

use ltl::{Automaton, Edge};

mutants::mutants! {
    /// Known-wrong variants. Only tests set any of them, to show that they are caught.
    pub(super) struct Wrong {
        /// Any automaton will do.
        looks_at_no_automaton,
    }
}

/// Whether each reachable state has a node, whatever the states are.
pub(super) fn is_everywhere(automaton: &Automaton, wrong: Wrong) -> bool {
    let stays = |start: usize| {
        let reads_all = |edge: &Edge| edge.to == start && edge.label.positive == 0 && edge.label.negative == 0;
        automaton.edges[start].iter().any(reads_all)
    };
    wrong.looks_at_no_automaton() || automaton.initial.iter().any(|&start| stays(start))
}

#[cfg(test)]
mod tests {
    use ltl::{Bits, Formula, automaton};

    use super::*;

    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % bound
        }
    }

    fn formula(random: &mut Random, depth: usize) -> Formula<usize> {
        if depth == 0 {
            return Formula::Atom(random.below(2));
        }
        let mut part = || Box::new(formula(random, depth - 1));
        let (one, other) = (part(), part());
        match random.below(7) {
            0 => Formula::Not(one),
            1 => Formula::Implies(one, other),
            2 | 3 => Formula::Globally(one),
            4 => Formula::Finally(one),
            5 => Formula::Next(one),
            _ => Formula::Until(one, other),
        }
    }

    /// The reachable states of a graph, and those with a node of the product.
    fn reached(steps: &[Vec<usize>], letters: &[Bits], automaton: Option<&Automaton>) -> Vec<bool> {
        let places = automaton.map_or(1, Automaton::len);
        let mut seen = vec![vec![false; places]; steps.len()];
        let starts = automaton.map_or(vec![0], |automaton| automaton.initial.clone());
        let mut waiting: Vec<(usize, usize)> = starts.into_iter().map(|place| (0, place)).collect();
        while let Some((state, place)) = waiting.pop() {
            if std::mem::replace(&mut seen[state][place], true) {
                continue;
            }
            let reads =
                |edge: &&Edge| edge.label.positive & !letters[state] == 0 && edge.label.negative & letters[state] == 0;
            let next: Vec<usize> = match automaton {
                Some(automaton) => automaton.edges[place].iter().filter(reads).map(|edge| edge.to).collect(),
                None => vec![0],
            };
            waiting.extend(steps[state].iter().flat_map(|&to| next.iter().map(move |&place| (to, place))));
        }
        seen.into_iter().map(|places| places.contains(&true)).collect()
    }

    #[test]
    fn products_with_a_node_of_each_state() {
        let mut random = Random(3);
        let (mut said, mut caught) = (0, 0);
        for _ in 0..3_000 {
            let formula = formula(&mut random, 3);
            let violating = automaton(&formula, false, &mut |&atom| (atom, true)).expect("a small automaton");
            let states = 2 + random.below(5);
            let steps: Vec<Vec<usize>> = (0..states)
                .map(|state| {
                    (0..1 + random.below(2)).map(|_| random.below(states)).chain([(state + 1) % states]).collect()
                })
                .collect();
            let letters: Vec<Bits> = (0..states).map(|_| random.below(4) as Bits).collect();
            let is_whole = reached(&steps, &letters, Some(&violating)) == reached(&steps, &letters, None);
            let is_everywhere = |wrong| is_everywhere(&violating, wrong);
            assert!(is_whole || !is_everywhere(Wrong::default()), "{formula:?} {steps:?} {letters:?}");
            said += usize::from(is_everywhere(Wrong::default()));
            caught += usize::from(!is_whole && is_everywhere(Wrong { looks_at_no_automaton: true }));
        }
        assert!(said > 100 && caught > 100, "{said} products, {caught} caught");
    }
}
