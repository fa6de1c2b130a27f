//! Words for what libraries report as types: reductions, refusals, ways out. The options of the command line are named here only.

use checker::{
    Finding, NetSize, Open, Outcome, Place, Reduction, Refinement, RefinementEnd, Refusal, RunEnd, SliceEffect,
    StructuralEffect, StructuralRules,
};
use frontend::diagnostics::closest;
use pipeline::listed;
use slicing::reduce::Alternative;

use crate::paint::{count, counted};

const NO_OVERFLOW: &str = "the message flow proves that no queue overflows";

/// The ground of an answer, in one line; nothing where the verdict says all.
pub(crate) fn finding(finding: &Finding) -> String {
    let at = |depth: &usize| format!("(state at depth {depth})");
    match finding {
        Finding::Verdict => String::new(),
        Finding::Fault { text, process, step: Some(step) } => format!("{text} (`{process}`, step {step})"),
        Finding::Fault { text, process, step: None } => format!("{text} (`{process}`, at the start)"),
        Finding::Deadlock { meaning, depth } => format!("{meaning} {}", at(depth)),
        Finding::False { depth } => format!("does not hold {}", at(depth)),
        Finding::Undefined { fault, at: Place::Depth(depth) } => format!("cannot be evaluated: {fault} {}", at(depth)),
        Finding::Undefined { fault, at: Place::Steps(steps) } => {
            format!("cannot be evaluated: {fault} (state after {steps} steps)")
        }
        Finding::FalseAtStart { is_shown: true } => "false at the start, which the run shows".to_owned(),
        Finding::FalseAtStart { is_shown: false } => "false at the start".to_owned(),
        Finding::Unreachable { instance, depth } if instance.is_empty() => {
            format!("from here it cannot be reached {}", at(depth))
        }
        Finding::Unreachable { instance, depth } => {
            format!("from here it cannot be reached for {} {}", instance.join(", "), at(depth))
        }
        Finding::Unmet => "no state and no step meets it".to_owned(),
        Finding::Run { stem, end } => run(*stem, *end),
        Finding::Vacuous { antecedents } => {
            let texts: Vec<String> = antecedents.iter().map(|text| format!("`{text}`")).collect();
            format!("{} is true in no reachable state, so that nothing is asked behind it", texts.join(", "))
        }
        Finding::NoOverflow => NO_OVERFLOW.to_owned(),
        Finding::Open(reason) => open(reason),
    }
}

/// A run that violates a formula, with so many steps before its end.
fn run(stem: usize, end: RunEnd) -> String {
    let steps = |count: usize| counted(count as u64, "step");
    match end {
        RunEnd::Fault => format!("violated by a run of {} that ends in a fault", steps(stem + 1)),
        RunEnd::Stop => format!("violated by a run that ends after {}", steps(stem)),
        RunEnd::Cycle { steps: cycle, is_fair } => {
            let kind = if is_fair { "fair run" } else { "run" };
            format!("violated by a {kind}: {}, then {} for ever", steps(stem), steps(cycle))
        }
    }
}

/// The reason why a question is open.
fn open(reason: &Open) -> String {
    let text = match reason {
        Open::States => "not every state was explored",
        Open::Runs => "not every run was explored",
        Open::Met => "it is met, and not every state was explored",
        Open::OtherFault => {
            "another fault was met, and symmetries may change the kind of a fault; a search without them decides it"
        }
        Open::Formula => "a formula is not answered by this run",
        Open::LargeAutomaton => "the automaton of the formula is too large; split the formula into several",
        Open::MixedTime => "every temporal operator stands behind `A` or `E` if one does",
        Open::Undecided => "the formula was not decided",
        Open::Unread => "states on the disk could not be read",
        Open::Unsearched(stopped) => return format!("{stopped}, before the search"),
        Open::Unshown(stopped) => {
            return format!("a violation was met, and {} came before its run was made", stopped.cause);
        }
    };
    text.to_owned()
}

/// The effect of a reduction, or the reason that it was not applied and the change that would allow it, in one line.
pub(crate) fn detail(reduction: &Reduction) -> String {
    match &reduction.outcome {
        Outcome::Structural(effect) => structural(effect),
        Outcome::Sliced(effect) => sliced(effect),
        Outcome::Forgotten { values, attempts } => {
            let others = match *attempts {
                0 => String::new(),
                1 => "; one search showed others to be read".to_owned(),
                count => format!("; {count} searches showed others to be read"),
            };
            format!("forgotten where no step reads them before it writes them: {}{others}", values.join("; "))
        }
        Outcome::MovedStarts { fixed } => format!(
            "the group also moves the starts, of order {fixed} where it keeps them; states are orbits, whose sizes do not add up to the full count"
        ),
        Outcome::AtImages { kept, invariants, images } => format!(
            "{} that the group moves {} checked at {} of each state; a group that keeps all properties has order {kept}",
            counted(*invariants as u64, "invariant"),
            if *invariants == 1 { "is" } else { "are" },
            counted(*images as u64, "image"),
        ),
        Outcome::Quotient { order, model_order, representative, is_exact } => {
            let stored = if *is_exact { "one state" } else { "one state or several" };
            let cut = if model_order == order {
                String::new()
            } else {
                format!(", of {model_order} before the question or a bound cut it")
            };
            format!("{stored} per orbit of a group of order {order}{cut}; representatives by {representative}")
        }
        Outcome::Renumbered { inexact } => {
            let detail = "created rebecs are numbered as they are reached; those without messages that nobody reaches are left out";
            match inexact {
                0 => detail.to_owned(),
                _ => {
                    format!("{detail}; not exact: {inexact} states have too many orders of rebecs that nobody reaches")
                }
            }
        }
        Outcome::Servers { expansions, free, kinds, keeps_overflow } => {
            let more = if *keeps_overflow { "; refused sends are kept" } else { "" };
            let expansions = counted(*expansions, "expansion");
            format!("{expansions} by a singleton ample set; {free} of {kinds} kinds of messages can be ample{more}")
        }
        Outcome::Instances { expansions, free, instances } => {
            let expansions = counted(*expansions, "expansion");
            format!("{expansions} by some of the steps; {free} of {instances} instances may be among them")
        }
        Outcome::NoOverflow => NO_OVERFLOW.to_owned(),
        Outcome::HoldsOnAllRuns => "the formula holds on all runs, and so on the fair ones".to_owned(),
        Outcome::OverflowOpen => {
            "the message flow does not exclude overflow; `quotient bounds` says of which queues".to_owned()
        }
        Outcome::Refused(refusal) => refused(refusal),
    }
}

/// The rules that made a net smaller, and the net whose states are counted.
fn structural(effect: &StructuralEffect) -> String {
    let StructuralRules { constant, sinks, implied, dead, duplicates, irrelevant, agglomerated } = effect.rules;
    let rules = [
        (constant, "constant place", ""),
        (sinks, "sink place", ""),
        (implied, "implied place", ""),
        (dead, "dead transition", ""),
        (duplicates, "duplicate transition", ""),
        (irrelevant, "irrelevant transition", ""),
        (agglomerated, "place", " with agglomerated transitions"),
    ];
    let applied = rules.into_iter().filter(|&(count, ..)| count > 0);
    let applied: Vec<String> =
        applied.map(|(count, name, more)| format!("{}{more}", counted(count as u64, name))).collect();
    let size = |NetSize { places, transitions }| {
        format!("{} and {}", counted(places as u64, "place"), counted(transitions as u64, "transition"))
    };
    let (after, before) = (size(effect.after), size(effect.before));
    format!("without {}; the states are those of the smaller net, of {after} in place of {before}", applied.join(", "))
}

fn sliced(effect: &SliceEffect) -> String {
    let SliceEffect { method, removed, replaced, is_fair, refinement } = effect;
    let removed =
        self::removed(removed).map_or_else(|| "nothing removed".to_owned(), |removed| format!("removed {removed}"));
    let any = if replaced.is_empty() { String::new() } else { format!(", any value for {}", replaced.join(", ")) };
    match refinement {
        None => {
            let fair = if *is_fair { ", with all that may fault, for fair runs" } else { "" };
            format!("{method}: {removed}{any}{fair}")
        }
        Some(Refinement { rounds, kept, ended }) => {
            let kept = if kept.is_empty() { String::new() } else { format!(", refined by {}", kept.join(", ")) };
            let end = match ended {
                RefinementEnd::Static => ", ends with the static slice",
                RefinementEnd::Limit => ", ended by a limit",
                RefinementEnd::Answered => "",
            };
            format!("{method}: {}{kept}{end}{any}; {removed}", counted(*rounds, "round"))
        }
    }
}

/// The number of removed things of each kind; nothing if there are none.
pub(crate) fn removed(removed: &[(&'static str, u64)]) -> Option<String> {
    let counts: Vec<String> = removed.iter().map(|&(name, count)| counted(count, name)).collect();
    (!counts.is_empty()).then(|| counts.join(", "))
}

fn refused(refusal: &Refusal) -> String {
    let words = match refusal {
        Refusal::OverflowRequested => {
            "overflow is checked, and a deferred step may fill a queue; --no-overflow allows it, or --por on where \
             queue bounds exclude it"
        }
        Refusal::FaultsRequested => "run-time faults are checked; --por on or --no-faults allows it",
        Refusal::OrbitsCounted => "the orbits of all states are counted (--stats), and it would leave states out",
        Refusal::Automaton(name) => {
            return format!(
                "`{name}` is an automaton, and partial order keeps runs up to stuttering only; whether it distinguishes them \
                 is not decided; an LTL formula without X allows it"
            );
        }
        Refusal::Branching(name) => {
            return format!("`{name}` quantifies over runs, and partial order keeps linear formulas only");
        }
        Refusal::LongSteps(name) => {
            return format!(
                "`{name}` counts what holds inside of steps of several summands, and partial order keeps their ends only"
            );
        }
        Refusal::Next(name) => {
            return format!("`{name}` contains X, which partial order does not keep; write it without X");
        }
        Refusal::FairQuotient => {
            "no proof is known for it together with symmetry and weak fairness; --symmetry none or --fairness none allows it"
        }
        Refusal::FairProcesses => {
            "a step of others may disable a process, and weak fairness depends on when one is enabled; --fairness none allows it"
        }
        Refusal::TooManyMessages => "the model has too many kinds of messages to look at",
        Refusal::OrderWatched => {
            "the order in which a loop takes values is watched in every state that is met, and it would leave states out; \
             --symmetry none allows it"
        }
        Refusal::AtImages => "invariants are checked at images of the states; --images off allows it",
        Refusal::OfRuns => "formulas of models of this language are checked on all runs",
        Refusal::TooManyInstances => "the model has too many instances of summands or rules to look at",
        Refusal::TooSlow => "finding out which steps depend on each other takes more than a third of the time",
        Refusal::NothingFree => "every step is visible, or may be part of a cycle",
        Refusal::SeveralRepresentatives => "an orbit has several representatives; --representative auto allows it",
        Refusal::FaultKindsChange => "the group changes kinds of faults, and no execution could be found",
        Refusal::FairRenumbering => "weak fairness is not followed through renumbering; --fairness none allows it",
        Refusal::FairNumbers => {
            "weak fairness is not followed through the quotient of a model whose processes have numbers; --fairness none allows it"
        }
        Refusal::FairRepresentative => "weak fairness is followed through the quotient with --representative auto only",
        Refusal::FairCreation => {
            "weak fairness is not followed through the quotient of a model with `new`; --fairness none allows it"
        }
        Refusal::FairPartialOrder => {
            "no proof is known for it together with partial order and weak fairness; --por off allows it"
        }
        Refusal::UnknownProcesses => {
            "some instance of a summand is too large to decide where each process goes; --fairness none allows it"
        }
        Refusal::TooManyElements => "the group has too many elements to look at all of them for each state",
        Refusal::TooManyPoints => "the group acts on too many points, or not element by element",
        Refusal::NoKnownRebecs => {
            "on-the-fly reads the known rebecs of Rebeca models; the model is a sequential process"
        }
        Refusal::ViolatedInQuotient => {
            "the quotient has a run that violates the formula; the model itself was searched for it"
        }
        Refusal::NoSymmetry(strategy) => return format!("{strategy} finds no symmetry that fixes the question"),
        Refusal::StepsThatStay => {
            "a deadlock is a state all of whose steps stay, and a step may change a dead value only; --deadlock stuck or \
             --no-deadlock allows it"
        }
        Refusal::FaultsExcluded => {
            "run-time faults are not checked, and they are what shows that a forgotten value is read"
        }
        Refusal::AllStates => "a property is about all states together; --name with the others allows it",
        Refusal::Saved => "the search is kept in a checkpoint",
        Refusal::NothingDead => "there would be no fewer states, as far as a part of them shows",
        Refusal::NotDead(searches) => {
            return format!(
                "the values that were forgotten are read, which {} showed",
                counted(*searches as u64, "search")
            );
        }
        Refusal::BegunWithout => "the resumed search began without it",
        Refusal::DoesNotPay { classes, states } => {
            return format!(
                "it does not pay: {} classes per second with it, {} states per second without it",
                count(*classes),
                count(*states)
            );
        }
        Refusal::NotBroughtBack(name) => {
            return format!("the violation of `{name}` on the slice was not found on the model");
        }
        Refusal::AboutRuns(name) => {
            return format!(
                "`{name}` is about runs, of which a smaller net keeps reachable markings and deadlocks only"
            );
        }
        Refusal::NothingSmaller => "no rule makes the net smaller",
        Refusal::DeadlockTooFar => "the deadlock of the smaller net is too many steps before one of the net",
        Refusal::Undetected(reason) | Refusal::NotPreserved(reason) | Refusal::Stopped(reason) => reason,
    };
    words.to_owned()
}

/// The names that there are, behind the one that may be meant.
pub(crate) fn there_are<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let near = closest(name, known.clone()).map(|near| format!("did you mean `{near}`? "));
    format!("{}there are {}", near.unwrap_or_default(), listed(known))
}

/// The way out of a method of slicing that does not preserve a question.
pub(crate) fn alternative(alternative: Alternative) -> &'static str {
    match alternative {
        Alternative::Unsliced => "check it without slicing",
        Alternative::WithoutOverflow => "leave it out with `--no-overflow`, or check one property with `--name`",
        Alternative::WithoutDeadlock => "leave it out with `--no-deadlock`",
        Alternative::DeadlockMethod => "`--slice deadlock`, or leave it out with `--no-deadlock`",
        Alternative::StaticMethod => "use static slicing",
        Alternative::SomeQuestion => "check a property, or deadlock",
    }
}
