//! Formulas as text for people, whatever the language of their atoms.

use crate::Formula;

impl<A> Formula<A> {
    /// The text, with parentheses around everything that is neither a word nor a quantified or temporal formula.
    ///
    /// ```
    /// use ltl::{Formula, Paths};
    /// let home = Formula::Atom("x = 0");
    /// let again = Formula::Quantified(Paths::Some, Box::new(Formula::Finally(Box::new(home))));
    /// assert_eq!(again.text(&mut |&atom: &&str| atom.to_owned()), "EF (x = 0)");
    /// ```
    pub fn text(&self, atom: &mut dyn FnMut(&A) -> String) -> String {
        let mut joined = |operands: &[&Formula<A>], operator: &str| {
            let operands: Vec<String> = operands.iter().map(|operand| operand.operand(atom)).collect();
            operands.join(operator)
        };
        match self {
            Formula::Atom(own) => atom(own),
            Formula::Not(inner) => format!("!{}", joined(&[inner], "")),
            Formula::And(list) => joined(&list.iter().collect::<Vec<_>>(), " && "),
            Formula::Or(list) => joined(&list.iter().collect::<Vec<_>>(), " || "),
            Formula::Implies(left, right) => joined(&[left, right], " -> "),
            Formula::Next(inner) => format!("X {}", joined(&[inner], "")),
            Formula::Finally(inner) => format!("F {}", joined(&[inner], "")),
            Formula::Globally(inner) => format!("G {}", joined(&[inner], "")),
            Formula::Until(left, right) => joined(&[left, right], " U "),
            Formula::WeakUntil(left, right) => joined(&[left, right], " W "),
            Formula::Release(left, right) => joined(&[left, right], " R "),
            Formula::Quantified(paths, path) => match &**path {
                Formula::Until(left, right) => joined(&[left, right], &format!(" {}U ", paths.letter())),
                path => format!("{}{}", paths.letter(), path.text(atom)),
            },
            Formula::Accepted(_, list) => format!("accepted({})", joined(&list.iter().collect::<Vec<_>>(), ", ")),
        }
    }

    fn operand(&self, atom: &mut dyn FnMut(&A) -> String) -> String {
        let text = self.text(atom);
        let is_one = match self {
            Formula::Quantified(_, path) => !matches!(**path, Formula::Until(..)),
            Formula::Not(_) | Formula::Next(_) | Formula::Finally(_) | Formula::Globally(_) | Formula::Accepted(..) => {
                true
            }
            _ => text.chars().all(|letter| letter.is_alphanumeric() || "_.[]".contains(letter)),
        };
        if is_one { text } else { format!("({text})") }
    }
}
