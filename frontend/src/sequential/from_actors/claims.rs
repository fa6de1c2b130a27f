//! Properties: definitions as `prop`, invariants as `assert`, formulas as `ltl`.

use super::build::{and, not, or};
use super::expressions::{Missing, Scope};
use super::layout::Layout;
use super::names::Names;
use crate::model::{self, PropertySet, Sort};
use crate::sequential::{Expr, Formula, Property, PropertyKind, Proposition};
use crate::source::Span;

type Refused = (&'static str, Span);

/// Adds the properties. Definitions that are not conditions are left out: the uses of all definitions are expanded
/// already.
///
/// # Errors
/// The construct without a counterpart, and its place.
pub(super) fn claims(layout: &mut Layout<'_>, set: &PropertySet) -> Result<(), Refused> {
    for definition in set.definitions.iter().filter(|definition| definition.value.sort == Sort::Bool) {
        let value = condition(layout, &definition.value)?;
        let name = layout.names.fresh(&[&definition.name]);
        layout.out.propositions.push(Proposition { name, value, span: Span::NONE });
    }
    let mut names = Names::default();
    for property in &set.properties {
        let kind = match &property.kind {
            model::PropertyKind::Invariant(expr) => PropertyKind::Invariant(condition(layout, expr)?),
            model::PropertyKind::End(expr) => {
                assert!(layout.out.ends.is_none(), "one condition says which states may end");
                layout.out.ends = Some(condition(layout, expr)?);
                continue;
            }
            model::PropertyKind::Ltl(inner) => PropertyKind::Ltl(formula(layout, inner)?),
        };
        let name = names.fresh(&[&property.name]);
        layout.out.properties.push(Property { name, kind, span: Span::NONE });
    }
    Ok(())
}

fn condition(layout: &mut Layout<'_>, expr: &model::Expr) -> Result<Expr, Refused> {
    layout.expression(&Scope::of_properties(), expr).map_err(|Missing(what)| (what, expr.span))
}

/// A formula; a part that consists of conditions only becomes one condition.
fn formula(layout: &mut Layout<'_>, inner: &model::Formula) -> Result<Formula, Refused> {
    use model::Formula as Of;
    let mut boxed = |inner: &Of| formula(layout, inner).map(Box::new);
    Ok(match inner {
        Of::Atom(expr) => Formula::Atom(condition(layout, expr)?),
        Of::Not(f) => match *boxed(f)? {
            Formula::Atom(condition) => Formula::Atom(not(condition)),
            other => Formula::Not(Box::new(other)),
        },
        Of::And(list) => joined(list.iter().map(|f| formula(layout, f)).collect::<Result<_, _>>()?, and, Formula::And),
        Of::Or(list) => joined(list.iter().map(|f| formula(layout, f)).collect::<Result<_, _>>()?, or, Formula::Or),
        Of::Implies(f, g) => match (*boxed(f)?, *boxed(g)?) {
            (Formula::Atom(f), Formula::Atom(g)) => Formula::Atom(or(vec![not(f), g])),
            (f, g) => Formula::Implies(Box::new(f), Box::new(g)),
        },
        Of::Next(f) => Formula::Next(boxed(f)?),
        Of::Finally(f) => Formula::Finally(boxed(f)?),
        Of::Globally(f) => Formula::Globally(boxed(f)?),
        Of::Until(f, g) => Formula::Until(boxed(f)?, boxed(g)?),
        Of::WeakUntil(f, g) => Formula::WeakUntil(boxed(f)?, boxed(g)?),
        Of::Release(f, g) => Formula::Release(boxed(f)?, boxed(g)?),
        Of::Quantified(paths, f) => Formula::Quantified(*paths, boxed(f)?),
        Of::Accepted(automaton, list) => {
            let list = list.iter().map(|f| formula(layout, f)).collect::<Result<_, _>>()?;
            Formula::Accepted(automaton.clone(), list)
        }
    })
}

fn joined(list: Vec<Formula>, conditions: fn(Vec<Expr>) -> Expr, formulas: fn(Vec<Formula>) -> Formula) -> Formula {
    if list.iter().all(|formula| matches!(formula, Formula::Atom(_))) {
        let atoms = list.into_iter().filter_map(|formula| match formula {
            Formula::Atom(atom) => Some(atom),
            _ => None,
        });
        return Formula::Atom(conditions(atoms.collect()));
    }
    formulas(list)
}
