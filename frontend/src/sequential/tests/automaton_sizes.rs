//! Sizes of the automata of formulas that papers on the translation use, beside those of SPIN: a change that makes one larger is
//! noticed. The table of `docs/automata.md`.
//!
//! Source: the formulas of \[EH00\] and \[SB00\], patterns of \[DAC99\], two classes of \[CCJ09\]; the sizes beside ours were measured with
//! SPIN 6.5.2.

use ltl::automaton;

use super::model;
use crate::sequential::spans::expression_without_spans;
use crate::sequential::{Expr, ExprKind, PropertyKind};

/// A formula, the states of its automaton and of that of its negation, and those that SPIN gives, where it does.
type Row = (&'static str, (usize, usize), (Option<usize>, Option<usize>));

const ROWS: &[Row] = &[
    ("p U (q && G(r))", (2, 4), (Some(2), Some(7))),
    ("p U (q && X(r U s))", (3, 4), (None, None)),
    ("p U (q && X(r && F(s && X(F(t && X(F(u && X(F(v)))))))))", (7, 8), (None, None)),
    ("F(p && X(G(q)))", (2, 2), (None, None)),
    ("F(p && X(q && X(F(r))))", (4, 4), (None, None)),
    ("F(p && X(q U r))", (3, 2), (None, None)),
    ("F(G(p)) || G(F(q))", (3, 2), (Some(5), Some(3))),
    ("G(p => (q U r))", (2, 3), (Some(4), Some(3))),
    ("G(p && X(F(q && X(F(r && X(F(s)))))))", (5, 5), (None, None)),
    ("G(F(p)) && G(F(q)) && G(F(r)) && G(F(s)) && G(F(t))", (1, 6), (None, Some(6))),
    ("(p U (q U r)) || (q U (r U p)) || (r U (p U q))", (7, 2), (Some(8), Some(53))),
    ("G(p => (q U (G(r) || G(s))))", (4, 6), (Some(8), Some(15))),
    ("p U q", (2, 2), (Some(2), Some(3))),
    ("p U (q U r)", (3, 3), (Some(3), Some(5))),
    ("G(F(p)) => G(F(q))", (3, 2), (Some(5), Some(3))),
    ("F(p) U G(q)", (3, 2), (Some(4), Some(6))),
    ("G(p) U q", (4, 3), (Some(4), Some(4))),
    ("G(p => F(q))", (2, 2), (Some(4), Some(2))),
    ("!(F(G(p)) || F(G(q)))", (1, 3), (Some(3), Some(3))),
    ("F(p) && F(!p)", (4, 2), (Some(4), Some(6))),
    ("G((p && !q && F(q)) => (!r U q))", (3, 4), (Some(7), Some(4))),
    ("G((p && !q) => (!q U ((r && !q) || G(!q))))", (3, 3), (Some(8), Some(5))),
    ("G(!p) || F(p && F(q))", (4, 3), (Some(5), Some(5))),
    ("F(p) => (!p U (q || G(!p)))", (3, 2), (Some(4), Some(13))),
    ("G(!p) || F(p && (!q U (r || G(!q))))", (5, 4), (Some(6), Some(9))),
    ("F(r) => ((p => (!r U (q && !r))) U r)", (4, 3), (Some(5), Some(6))),
    ("G((s && !r && F(r)) => ((p => (!r U (q && !r))) U r))", (4, 4), (Some(9), Some(7))),
    ("G(p => F(q && X(F(r))))", (4, 3), (None, None)),
    ("F(p && F(q && F(r))) && F(s && F(t && F(u)))", (16, 6), (Some(16), Some(14))),
    ("F(p) && F(q) && F(r) && F(s)", (16, 4), (Some(16), Some(10))),
];

/// The states of the automaton of a formula over `p` to `v`.
fn size(formula: &str) -> usize {
    let named = formula.chars().map(|letter| match letter {
        'p'..='v' => format!("({letter} = 1)"),
        other => other.to_string(),
    });
    let named: String = named.collect();
    let text = format!(
        "proc P(p : BIT, q : BIT, r : BIT, s : BIT, t : BIT, u : BIT, v : BIT) = [true] e {{ }} -> P;
         init P(p = 0, q = 0, r = 0, s = 0, t = 0, u = 0, v = 0); ltl L = {named};"
    );
    let model = model(&text);
    let PropertyKind::Ltl(formula) = &model.properties[0].kind else { panic!("a formula") };
    let mut conditions = Vec::new();
    let mut number = |condition: &Expr| {
        let (mut plain, mut positive) = (expression_without_spans(condition), true);
        while let ExprKind::Not(inner) = plain.kind {
            (plain, positive) = (*inner, !positive);
        }
        let known = conditions.iter().position(|other| *other == plain);
        let number = known.unwrap_or_else(|| {
            conditions.push(plain);
            conditions.len() - 1
        });
        (number, positive)
    };
    automaton(formula, true, &mut number).expect("a small automaton").len()
}

#[test]
fn the_usual_formulas_have_small_automata() {
    for (formula, own, spin) in ROWS {
        let sizes = (size(formula), size(&format!("!({formula})")));
        println!("{formula:<60} {sizes:?} {spin:?}");
        assert_eq!(sizes, *own, "{formula}");
        assert!(spin.0.is_none_or(|most| sizes.0 <= most) && spin.1.is_none_or(|most| sizes.1 <= most), "{formula}");
    }
}
