//! Questions about single nodes to random models with starts that single out a node: the verdicts of the line, with reductions in many
//! combinations, are those without any.
//!
//! `SEED` is the first seed, `COUNT` how many. Each model is checked as options default, and in some other ways. What is compared beside the
//! verdicts: the number of states where orbits are summed, the parts that are never executed, and that violations are runs of the model.

use battery::parallel;
use battery::random::Rng;
use checker::{Question, ReductionKind, Report, SearchOrder, Threads, Verdict};
use frontend::diagnostics::Diagnostics;
use frontend::murphi::{self, program::Program};
use frontend::sequential::{Options, Property, Sequential, interpret::is_initial, parse, trace::replay};
use pipeline::{Images, Language, Plan, Slicing, Starts, Trace};

/// The models of each language in a run.
const COUNT: u64 = 60;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A way to check a model.
struct Way<P> {
    name: &'static str,
    plan: Plan,
    question: Question<P>,
}

fn plain() -> Plan {
    Plan { symmetry: None, slicing: Slicing::Off, dead_values: false, partial_order: false, ..Plan::default() }
}

fn ways<P: Clone>(question: &Question<P>) -> Vec<Way<P>> {
    let at_images = || Plan { images: Images::On, ..Plan::default() };
    let whole = || Plan { slicing: Slicing::Off, dead_values: false, partial_order: false, ..at_images() };
    let way = |name, plan| Way { name, plan, question: question.clone() };
    let with = |name, plan, change: &dyn Fn(&mut Question<P>)| {
        let mut question = question.clone();
        change(&mut question);
        Way { name, plan, question }
    };
    vec![
        way("as options default", Plan::default()),
        way("images", at_images()),
        way("images only", whole()),
        way("images and partial order", Plan { partial_order: true, ..whole() }),
        way("images and slices", Plan { slicing: Slicing::Auto, ..whole() }),
        way("images and forgotten values", Plan { dead_values: true, ..whole() }),
        way("images and orbits", Plan { counts_orbits: true, ..whole() }),
        way("moved starts", Plan { starts: Starts::Moved, ..Plan::default() }),
        way("moved starts only", Plan { starts: Starts::Moved, ..whole() }),
        with("two threads", at_images(), &|own| own.threads = Threads { most: 2, from: 1 }),
        with("two threads only", whole(), &|own| own.threads = Threads { most: 2, from: 1 }),
        with("depth first", at_images(), &|own| own.order = SearchOrder::DepthFirst),
        with("until all is decided", at_images(), &|own| own.until_decided = true),
        with("to the first violation", at_images(), &|own| own.keep_going = false),
        with("to the first violation, moved starts", Plan { starts: Starts::Moved, ..Plan::default() }, &|own| {
            own.keep_going = false;
        }),
    ]
}

/// What happened: runs at images, runs with moved starts, violations that were replayed.
type Counts = [usize; 3];

fn verdicts<T>(report: &Report<T>) -> Vec<(String, Verdict)> {
    report.answers.iter().map(|answer| (answer.name.clone(), answer.verdict)).collect()
}

/// Whether what a run says is right, where a run without reductions explored everything.
fn agrees<P, T>(whole: &Report<T>, way: &Way<P>, report: &Report<T>) -> Result<(), String> {
    let (right, found) = (verdicts(whole), verdicts(report));
    if way.question.keep_going {
        if right != found {
            return Err(format!("{found:?}, not {right:?}"));
        }
    } else {
        let is_right = |(own, other): (&(String, Verdict), &(String, Verdict))| {
            own.0 == other.0 && (own.1 == other.1 || own.1 == Verdict::Inconclusive)
        };
        if found.len() != right.len() || !found.iter().zip(&right).all(is_right) || report.verdict != whole.verdict {
            return Err(format!("{:?}: {found:?}, not {right:?}", report.verdict));
        }
    }
    if let Some(full) = report.full().filter(|_| way.question.keep_going && report.complete)
        && full.states != whole.states.to_string()
    {
        return Err(format!("{} states in all orbits, not {}", full.states, whole.states));
    }
    if let (Some(found), Some(right)) = (&report.executed, &whole.executed)
        && found.iter().zip(right).any(|(found, right)| found.is_some_and(|found| (found > 0) != (*right > Some(0))))
    {
        return Err(format!("executed {found:?}, not {right:?}"));
    }
    Ok(())
}

/// Checks a model in some ways.
fn compare<L: Language>(
    model: &L,
    question: &Question<L::Properties>,
    is_run: impl Fn(&Trace<L>) -> bool,
    rng: &mut Rng,
) -> Result<Counts, String>
where
    L::Properties: Clone,
{
    let check = |plan: &Plan, question: &Question<L::Properties>| {
        pipeline::check(model, question, plan, &mut ()).map_err(|error| format!("{error:?}"))
    };
    let whole = check(&plain(), question)?;
    let mut counts = [0; 3];
    for (at, way) in ways(question).into_iter().enumerate() {
        if at > 2 && rng.below(3) > 0 {
            continue;
        }
        let report = check(&way.plan, &way.question).map_err(|error| format!("{}: {error}", way.name))?;
        agrees(&whole, &way, &report).map_err(|problem| format!("{}: {problem}", way.name))?;
        let used = |kind| report.reductions.iter().any(|one| one.kind == kind && one.is_applied());
        counts[0] += usize::from(used(ReductionKind::Images));
        counts[1] += usize::from(used(ReductionKind::MovedStarts));
        for answer in &report.answers {
            match &answer.trace {
                Some(trace) if !is_run(trace) => return Err(format!("{}: no run violates {}", way.name, answer.name)),
                Some(_) => counts[2] += 1,
                None => {}
            }
        }
    }
    Ok(counts)
}

/// Nodes in two groups of variables, a token and a counter, and questions about some of the nodes.
fn process_text(rng: &mut Rng) -> String {
    let count = 2 + rng.below(3);
    let guards = [
        "at = i",
        "at != i",
        "on[i]",
        "!on[i]",
        "colour[i] = red",
        "colour[j] = blue",
        "phase[i] = 0",
        "phase[i] < 2",
        "phase[j] = 2",
        "taken",
        "!taken",
        "last = j",
        "true",
        "true",
        "forall k:P . !on[k]",
        "exists k:P . phase[k] = 1",
    ];
    let effects = [
        "at := i;",
        "at := j;",
        "last := at;",
        "on[i] := !on[i];",
        "on[j] := on[i];",
        "colour[i] := blue;",
        "colour[i] := red;",
        "phase[i] := 1;",
        "phase[i] := (phase[i] + 1) mod 3;",
        "taken := !taken;",
        "taken := on[j];",
        "",
        "if (on[i]) { at := j; } else { colour[i] := blue; }",
    ];
    let faulty = ["phase[i] := phase[i] + 1;", "many := many + 1;", "many := many - 1;"];
    let summand = |number: usize, rng: &mut Rng| {
        let own = ["phase[i] = 0", "phase[i] = 1", "!on[i]", "colour[i] = red"];
        let local = ["phase[i] := phase[i] + 1;", "on[i] := 1;", "colour[i] := blue;"];
        // Steps that see their own node only, for partial order.
        if rng.below(3) == 0 {
            return format!("sum i:P . [{}] own{number}(i) {{ {} }} -> M", rng.pick(&own), rng.pick(&local));
        }
        let order = if rng.below(12) == 0 { "i <= j && " } else { "" };
        let (one, other) = (rng.pick(&guards), rng.pick(&guards));
        let (first, second) = (rng.pick(&effects), rng.pick(&effects));
        let fault = if rng.below(12) == 0 { *rng.pick(&faulty) } else { "" };
        format!("sum i:P . sum j:P . [{order}{one} && {other}] step{number}(i) {{ {first} {second} {fault} }} -> M")
    };
    let summands: Vec<String> = (0..1 + rng.below(4)).map(|number| summand(number, rng)).collect();
    let conditions = [
        "!on[0]",
        "at != 1",
        "!(on[0] && on[1])",
        "forall i:P . i = 1 || !(on[1] && on[i])",
        "colour[1] = red || on[0]",
        "forall i:P . !on[i] || colour[i] = blue",
        "!(at = 0 && on[1])",
        "at != last",
        "last != 0",
        "phase[1] < 2",
        "phase[0] <= phase[1]",
        "!(phase[0] = 2 && at = 1 && last = 0)",
        "exists i:P . i != 0 && !on[i]",
        "many < 2 || on[1]",
    ];
    let mut properties: Vec<String> = Vec::new();
    for at in 0..1 + rng.below(4) {
        properties.push(format!("assert Q{at} = {};", rng.pick(&conditions)));
    }
    if rng.below(4) == 0 {
        properties.push(format!("ends {};", rng.pick(&["at = 0", "forall i:P . on[i]", "!on[1]", "taken"])));
    }
    let first = rng.below(count);
    let on = match rng.below(3) {
        0 => "0".to_owned(),
        _ => format!("[{}]", (0..count).map(|at| u8::from(at == first).to_string()).collect::<Vec<_>>().join(", ")),
    };
    let start =
        |at: usize| format!("init M(on = {on}, colour = red, phase = 0, at = {at}, last = {at}, taken = 0, many = 0);");
    let starts: Vec<String> = match rng.below(4) {
        // All nodes alike.
        0 if on == "0" => (0..count).map(start).collect(),
        1 => (0..2).map(start).collect(),
        _ => vec![start(first)],
    };
    format!(
        "type P : 0..{};\ntype K : {{ red, blue }};\ntype C : 0..2;\nproc M(on : BOOL[P], colour : K[P], phase : C[P], at : P, last : P, \
         taken : BOOL, many : C) =\n{};\n{}\n{}",
        count - 1,
        summands.join("\n + "),
        starts.join("\n"),
        properties.join("\n")
    )
}

fn process(text: &str, rng: &mut Rng) -> Result<Counts, String> {
    let mut found = Diagnostics::new();
    let model: Sequential =
        parse(text, &Options::default(), &mut found).model.ok_or_else(|| format!("{:?}", found.list))?;
    let question: Question<Vec<Property>> = Question {
        deadlock: rng.below(2) == 0,
        faults: rng.below(2) == 0,
        properties: model.properties.clone(),
        keep_going: true,
        ..Question::default()
    };
    let is_run = |trace: &Trace<Sequential>| {
        let states: Vec<_> = trace.states().cloned().collect();
        is_initial(&model, &trace.start) && replay(&model, &states, None).is_ok()
    };
    compare(&model, &question, is_run, rng)
}

/// The same in the language of Murphi, with values that may be undefined and a multiset.
fn murphi_text(rng: &mut Rng) -> String {
    let count = 2 + rng.below(3);
    let guards = [
        "at = i",
        "on[i]",
        "!on[i]",
        "colour[i] = red",
        "at != i",
        "true",
        "isundefined(colour[i])",
        "last != j",
        "isundefined(last)",
        "forall k: p do !on[k] end",
        "multisetcount(m: net, net[m] = i) > 0",
        "many < 2",
    ];
    let effects = [
        "at := i;",
        "at := j;",
        "last := at;",
        "on[i] := !on[i];",
        "on[j] := on[i];",
        "colour[i] := blue;",
        "colour[j] := colour[i];",
        "undefine colour[j];",
        "undefine at;",
        "undefine last;",
        "for k: p do on[k] := false; end;",
        "many := (many + 1) % 3;",
        "if multisetcount(m: net, net[m] = i) = 0 & j != i then multisetadd(i, net); end;",
        "multisetremovepred(m: net, net[m] = j);",
        "many := many + 1;",
    ];
    let rule = |number: usize, rng: &mut Rng| {
        let (one, other) = (rng.pick(&guards), rng.pick(&guards));
        let (first, second) = (rng.pick(&effects), rng.pick(&effects));
        format!("ruleset i: p; j: p do rule \"r{number}\" {one} & {other} ==> begin {first} {second} end; end;\n")
    };
    let rules: String = (0..1 + rng.below(4)).map(|number| rule(number, rng)).collect();
    let start = *rng.pick(&[
        "undefine at; undefine last;",
        "at := 1; undefine last;",
        "undefine at; last := 2;",
        "at := 2; last := 1; on[2] := true;",
    ]);
    let invariants = [
        "!on[1]",
        "isundefined(at) | at != 2",
        "!(on[1] & on[2])",
        "forall i: p do i = 1 | !(on[1] & on[i]) end",
        "isundefined(colour[2]) | colour[2] = red",
        "colour[1] = red",
        "multisetcount(m: net, net[m] = 1) = 0",
        "forall i: p do !on[i] | isundefined(at) end",
        "isundefined(last) | last = 1",
        "isundefined(at) | isundefined(last) | at != last",
        "!on[2] | many < 2",
        "at != 1",
    ];
    let invariants: String =
        ["a", "b", "c"].iter().map(|name| format!("invariant \"{name}\" {};\n", rng.pick(&invariants))).collect();
    format!(
        "type p: 1 .. {count}; k: enum {{ red, blue }}; c: 0 .. 2;
         var on: array [p] of boolean; colour: array [p] of k; at: p; last: p; many: c; net: multiset [{count}] of p;
         startstate begin for i: p do on[i] := false; colour[i] := red; end; many := 0; {start} end;
         {rules} {invariants}"
    )
}

fn program(text: &str, rng: &mut Rng) -> Result<Counts, String> {
    let mut found = Diagnostics::new();
    let program: Program = murphi::parse(text, &murphi::Options::default(), &mut found)
        .program
        .ok_or_else(|| format!("{:?}", found.list))?;
    let question = Question {
        properties: program.claims(),
        faults: rng.below(2) == 0,
        deadlock: rng.below(2) == 0,
        stuck: rng.below(2) == 0,
        keep_going: true,
        ..Question::default()
    };
    let is_run = |trace: &Trace<Program>| {
        let states: Vec<_> = trace.states().cloned().collect();
        murphi::trace::replay(&program, &states, None).is_ok()
    };
    compare(&program, &question, is_run, rng)
}

fn run(text: fn(&mut Rng) -> String, case: fn(&str, &mut Rng) -> Result<Counts, String>) {
    let (first, count) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(COUNT));
    let seeds: Vec<u64> = (first..first + count).collect();
    let results = parallel::map(&seeds, |&seed| {
        let mut rng = Rng::new(seed);
        let text = text(&mut rng);
        case(&text, &mut rng).map_err(|problem| format!("seed {seed}: {problem}\n{text}"))
    });
    let failures: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(
        failures.is_empty(),
        "{} of {count} fail\n{}\n{}",
        failures.len(),
        failures[0],
        failures[failures.len() - 1]
    );
    let sum = |at: usize| results.iter().flatten().map(|counts| counts[at]).sum::<usize>();
    let counts = [sum(0), sum(1), sum(2)];
    println!(
        "{count} models: {} runs at images, {} with moved starts, {} violations replayed",
        counts[0], counts[1], counts[2]
    );
    assert!(count < COUNT || counts[0] > 20 && counts[2] > 100, "too few to prove anything: {counts:?}");
}

#[test]
fn questions_to_processes_have_the_verdicts_without_reductions() {
    run(process_text, process);
}

#[test]
fn questions_to_models_of_murphi_have_the_verdicts_without_reductions() {
    run(murphi_text, program);
}
