//! Random models with loops that would not end but for a statement in them or before them that ends the step.

use super::spec::{Expr, MemberKind, ModelSpec, Node, Sort, Stmt};
use crate::random::Rng;

/// The model of a seed, with some statements of servers and constructors in such a loop first: a choice decides whether the loop
/// is entered, and an assertion or a division ends the step then; rarely nothing does.
pub fn with_ended_loops(seed: u64) -> ModelSpec {
    let mut spec = super::model(seed);
    let mut rng = Rng::new(seed);
    let mut next = 0;
    for member in spec.classes.iter_mut().flat_map(|class| &mut class.members) {
        if let (MemberKind::Start | MemberKind::Server, Some(body)) = (&member.kind, &mut member.body)
            && rng.chance(60)
        {
            let places: Vec<usize> = (0..body.len()).filter(|&at| is_repeatable(&body[at])).collect();
            if places.is_empty() {
                continue;
            }
            let at = *rng.pick(&places);
            let looping = ended_loop(&mut rng, next, &body[at]);
            next += 1;
            body.insert(at, looping);
        }
    }
    spec
}

/// Whether a second copy of a statement may stand in a loop before it.
fn is_repeatable(statement: &Stmt) -> bool {
    match statement {
        Stmt::Assign(..) | Stmt::Step(..) | Stmt::Send(..) => true,
        Stmt::If(_, then, otherwise) => then.iter().chain(otherwise).all(is_repeatable),
        _ => false,
    }
}

fn ended_loop(rng: &mut Rng, number: usize, inside: &Stmt) -> Stmt {
    let name = format!("hold{number}");
    let choice = || Expr::atom(Sort::Int, name.clone());
    let options = vec![Expr::int(0), Expr::int(1)];
    let value = Some(Expr { sort: Sort::Int, node: Node::Choose(options) });
    let declared = Stmt::Local { name: name.clone(), sort: Sort::Int, length: None, value };
    let ends = match rng.weighted(&[6, 4, 1]) {
        0 => Some(Stmt::Assert(Expr::binary(Sort::Bool, "==", choice(), Expr::int(0)), false)),
        1 => {
            let divisor = Expr::binary(Sort::Int, "-", choice(), Expr::int(1));
            let value = Some(Expr::binary(Sort::Int, "/", Expr::int(1), divisor));
            Some(Stmt::Local { name: format!("part{number}"), sort: Sort::Int, length: None, value })
        }
        _ => None,
    };
    let (mut out, mut body) = (vec![declared], Vec::new());
    if rng.chance(50) { &mut out } else { &mut body }.extend(ends);
    body.push(inside.clone());
    out.push(Stmt::While(Expr::binary(Sort::Bool, "==", choice(), Expr::int(1)), body));
    Stmt::Block(out)
}
