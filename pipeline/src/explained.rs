//! What is said of answers to formulas in addition to the verdict: the runs that show the answer to one of branching time (their way back from a changed
//! model, and the texts of what they show), and antecedents that are never true.

use checker::{Answer, Branch, Explanation, Finding, Note, Report, Verdict};
use ltl::Properties as _;

use crate::language::{Language, Trace};
use crate::slice::BringBack;

/// The explanation of an answer about a changed model by runs of the original: nothing where one of its runs has no image, or where two that
/// share states have images that do not.
pub(crate) fn brought<L: Language>(
    answer: &mut Answer<Trace<L>>,
    lift: &BringBack<'_, L>,
    is_over: &dyn Fn() -> bool,
) -> Option<Explanation<Trace<L>>> {
    let explanation = answer.explanation.take()?;
    let trace = answer.trace.take();
    let counterexample = trace.is_some();
    // The way back reads the run of an answer: each run stands there in turn.
    let mut image = |trace: Trace<L>| {
        answer.trace = Some(trace);
        let image = lift(answer, is_over);
        (image, answer.trace.take().expect("a run"))
    };
    let (main, own) = image(trace.or(explanation.witness)?);
    let branches = main.as_ref().and_then(|main| images::<L>(explanation.branches, main, &mut |trace| image(trace).0));
    let witness = if counterexample {
        answer.trace = Some(own);
        None
    } else {
        main
    };
    Some(Explanation { witness, branches: branches?, ..explanation })
}

/// Branches of a run as branches of its image.
fn images<L: Language>(
    branches: Vec<Branch<Trace<L>>>,
    parent: &Trace<L>,
    image: &mut dyn FnMut(Trace<L>) -> Option<Trace<L>>,
) -> Option<Vec<Branch<Trace<L>>>> {
    let mut of = |branch: Branch<Trace<L>>| {
        let trace = image(branch.trace)?;
        let is_shared = (0..=branch.from).all(|at| trace.state(at) == parent.state(at));
        let branches = images::<L>(branch.branches, &trace, image).filter(|_| is_shared)?;
        Some(Branch { trace, branches, ..branch })
    };
    branches.into_iter().map(&mut of).collect()
}

/// Writes the text of each part of a formula that a run shows.
pub(crate) fn write_texts<L: Language>(model: &L, properties: &L::Properties, report: &mut Report<Trace<L>>) {
    for (name, formula) in properties.formulas() {
        let answer = report.answers.iter_mut().find(|answer| answer.name == name);
        let Some(explanation) = answer.and_then(|answer| answer.explanation.as_mut()) else { continue };
        let write = |note: &mut Note| note.text = model.formula_text(properties, formula.part(&note.part));
        explanation.notes.iter_mut().for_each(write);
        explanation.branches.iter_mut().for_each(|branch| in_branch(branch, &write));
    }
}

fn in_branch<T>(branch: &mut Branch<T>, write: &impl Fn(&mut Note)) {
    branch.notes.iter_mut().for_each(write);
    branch.branches.iter_mut().for_each(|branch| in_branch(branch, write));
}

/// Says of formulas that hold which of their antecedents no reachable state satisfies.
pub(crate) fn note_antecedents<L: Language>(model: &L, properties: &L::Properties, report: &mut Report<Trace<L>>) {
    for (name, formula) in properties.formulas() {
        let answer = report.answers.iter_mut().find(|answer| answer.name == name && answer.verdict == Verdict::Holds);
        let Some(answer) = answer else { continue };
        let untrue = answer.run.as_ref().map_or(&[][..], |run| &run.untrue);
        let (atoms, antecedents) = (formula.atoms(), formula.antecedents());
        assert!(untrue.iter().chain(&antecedents).all(|&at| at < atoms.len()), "conditions are those of the formula");
        let of =
            antecedents.iter().filter(|at| untrue.contains(at)).map(|&at| model.condition_text(properties, atoms[at]));
        let antecedents: Vec<String> = of.collect();
        if !antecedents.is_empty() {
            answer.finding = Finding::Vacuous { antecedents };
        }
    }
}
