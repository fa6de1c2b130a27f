//! Pages: one file each, readable without scripts and without a network, in light and in dark.
//!
//! Templates are in `cli/templates` and compiled into the binary. minijinja escapes every value that goes into a page
//! except the drawings, which escape their own texts. The policy in the head of each page forbids loading anything
//! and running any script except the one of the page with that hash.
//!
//! Invariant: only the drawings of [`super::svg`], [`super::graph`], [`crate::render::plot`], [`crate::render::growth`] and
//! [`crate::render::compare`] are marked as safe markup.

use minijinja::{AutoEscape, Environment, Value, context};

use super::Additions;
use super::coloured::Coloured;
use super::graph;
use super::listing::Listing;
use super::read::{
    DetectionFile, ExplanationFile, GeneratorFile, GroupFile, NearFile, PropertyFile, ReductionFile, ReportFile, cycles,
};
use super::runs::{ShownRun, explanations};
use super::svg;
use crate::command_line::shell;
use crate::paint;

/// The most rejected candidates of a page.
const MOST_REJECTED: usize = 50;

/// The hash of `cli/templates/sort.js`, for the policy of pages that hold it.
const SORT_HASH: &str = "YnAh1kHv38/SKBTQ96YBKY4L8KqwZgoj2VU2XLLOL/0=";

/// The hash of `cli/templates/batch.js`.
const BATCH_HASH: &str = "wilQZvOtQNgOtZjKLtXhdSykg8f48gdgfSTpn2WZ7lE=";

/// A page from a template.
///
/// # Errors
/// A template that is broken.
pub(crate) fn page(template: &str, context: Value) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|name| match name.rsplit('.').next() {
        Some("html") => AutoEscape::Html,
        _ => AutoEscape::None, // the style and the script, which hold no values
    });
    environment.add_filter("count", paint::count);
    environment.add_filter("time", paint::time);
    environment.add_filter("size", paint::size);
    for (name, text) in [
        ("base.html", include_str!("../../../templates/base.html")),
        ("check.html", include_str!("../../../templates/check.html")),
        ("detect.html", include_str!("../../../templates/detect.html")),
        ("compare.html", include_str!("../../../templates/compare.html")),
        ("batch.html", include_str!("../../../templates/batch.html")),
        ("parts.html", include_str!("../../../templates/parts.html")),
        ("listing.html", include_str!("../../../templates/listing.html")),
        ("near.html", include_str!("../../../templates/near.html")),
        ("symmetry.html", include_str!("../../../templates/symmetry.html")),
        ("style.css", include_str!("../../../templates/style.css")),
        ("batch.js", include_str!("../../../templates/batch.js")),
        ("sort.js", include_str!("../../../templates/sort.js")),
    ] {
        environment.add_template(name, text)?;
    }
    let globals = context! {
        version => env!("CARGO_PKG_VERSION"),
        chart_style => svg::STYLE,
        sort_hash => SORT_HASH,
        batch_hash => BATCH_HASH,
    };
    environment.get_template(template)?.render(context! { ..context, ..globals })
}

/// The page of one model.
///
/// # Errors
/// A template that is broken.
pub(crate) fn report(report: &ReportFile, additions: &Additions) -> Result<String, minijinja::Error> {
    let group = report.group.as_ref();
    let colours = group.map_or(&[][..], |group| &group.orbits);
    let drawing = additions.topology.as_ref().and_then(|topology| graph::draw(topology, colours));
    let violations = report.violations().map(|(property, trace)| ShownRun::violation(report, property, trace));
    let shown: Vec<ShownRun> = violations.chain(explanations(report)).collect();
    let runs: Vec<Value> =
        std::iter::once(whole_run(report)).chain(report.properties.iter().filter_map(run_of_formula)).collect();
    page(
        "check.html",
        context! {
            title => report.model.path,
            path => report.model.path,
            language => language(&report.model.language, report.model.dialect.as_deref()),
            constants => report.model.constants.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>(),
            processes => report.model.processes,
            variables => report.model.variables,
            verdict => report.verdict,
            complete => report.complete,
            exact => report.exact,
            states => report.states,
            transitions => report.transitions,
            depth => report.depth,
            deadlocks => report.deadlock_states,
            seconds => report.seconds,
            memory => report.peak_memory_bytes,
            limit => report.limit.as_ref().map(super::read::LimitFile::text),
            properties => report.properties.iter().map(row).collect::<Vec<_>>(),
            definitions => report.definitions,
            command => (!report.command_line.is_empty()).then(|| shell(&report.command_line)),
            listing => additions.text.as_deref().map(|text| Listing::new(text, report)),
            near => near(&additions.near),
            not_asked => report.not_asked,
            violations => report.violations().count(),
            shown => shown,
            runs => runs,
            orbits => group.map_or_else(Vec::new, orbits),
            generators => group.map_or_else(Vec::new, generators),
            drawing => drawing,
            coloured => additions.coloured.as_ref().and_then(Coloured::of).map(|coloured| coloured.draw()),
            growing => report.growing.iter().map(|one| one.text(&format!("“{}”", one.name))).collect::<Vec<_>>(),
            notices => report.notices,
        },
    )
}

/// The near symmetries, with the places of each.
fn near(list: &[NearFile]) -> Vec<Value> {
    let entry =
        |near: &NearFile| context! { permutations => near.permutations, places => near.places().collect::<Vec<_>>() };
    list.iter().map(entry).collect()
}

/// The page of the symmetries of a model.
///
/// # Errors
/// A template that is broken.
pub(crate) fn detection(found: &DetectionFile, additions: &Additions) -> Result<String, minijinja::Error> {
    let group = &found.group;
    let drawing = additions.topology.as_ref().and_then(|topology| graph::draw(topology, &group.orbits));
    let seconds: Vec<(String, f64)> =
        found.seconds.iter().filter_map(|(stage, value)| Some((stage.clone(), value.as_f64()?))).collect();
    page(
        "detect.html",
        context! {
            title => format!("Symmetries of {}", found.model.path),
            path => found.model.path,
            language => language(&found.model.language, found.model.dialect.as_deref()),
            processes => found.model.processes,
            variables => found.model.variables,
            strategy => found.strategy,
            properties => found.properties,
            group => used(group),
            generators => generators(group),
            orbits => orbits(group),
            graph => found.graph,
            rejected => found.rejected.iter().take(MOST_REJECTED).map(|candidate| context! {
                cycles => cycles(&candidate.cycles), witness => candidate.witness,
            }).collect::<Vec<_>>(),
            all_rejected => found.rejected.len(),
            near => near(&found.near),
            why => found.why.iter().map(|why| context! {
                cycles => cycles(&why.cycles), symmetry => why.symmetry, place => why.broken_by,
                witness => why.witness,
            }).collect::<Vec<_>>(),
            not_represented => found.not_represented,
            seconds => seconds,
            drawing => drawing,
            coloured => additions.coloured.as_ref().and_then(Coloured::of).map(|coloured| coloured.draw()),
        },
    )
}

fn generators(group: &GroupFile) -> Vec<Value> {
    let one = |generator: &GeneratorFile| {
        context! { text => generator.text(), kind => generator.kind, rules => generator.rules.join(", ") }
    };
    group.generators.iter().map(one).collect()
}

/// The orbits of more than one name, as text.
fn orbits(group: &GroupFile) -> Vec<String> {
    group.orbits.iter().filter(|orbit| orbit.len() > 1).map(|orbit| orbit.join(", ")).collect()
}

/// The run over reachable states, with its reductions.
fn whole_run(report: &ReportFile) -> Value {
    let (states, transitions) =
        (paint::counted(report.states, "stored state"), paint::counted(report.transitions, "transition"));
    let considered = &report.reductions_considered;
    let others = report.reductions.iter().filter(|name| !considered.iter().any(|known| known.name == **name));
    let others = others.map(|name| ReductionFile { name: name.clone(), applied: true, ..ReductionFile::default() });
    context! {
        explored => format!("{states}, {transitions}"),
        reductions => considered.iter().cloned().chain(others).collect::<Vec<_>>(),
        group => report.group.as_ref().map(used),
    }
}

/// The separate run of a formula, if it has one.
fn run_of_formula(property: &PropertyFile) -> Option<Value> {
    let run = property.run.as_ref()?;
    let explored = format!(
        "{} of the model, {} and {} with the automaton of the formula, {}",
        paint::counted(run.system_states, "stored state"),
        paint::counted(run.states, "state"),
        paint::counted(run.transitions, "transition"),
        paint::time(run.seconds)
    );
    let (formula, reductions) = (&property.name, &run.reductions_considered);
    Some(context! { formula, explored, reductions, group => run.group.as_ref().map(used) })
}

/// The group of a run.
fn used(group: &GroupFile) -> Value {
    let exact = if group.exact { "exact" } else { "not exact" };
    let cut = !group.model_order.is_empty() && group.model_order != group.order;
    context! {
        order => group.order,
        model_order => cut.then_some(&group.model_order),
        detector => group.detector,
        representative => format!("{}, {exact}", group.representative),
        structure => group.structure,
    }
}

/// The language of a model in words.
pub(crate) fn language(name: &str, dialect: Option<&str>) -> String {
    match (name, dialect) {
        ("rebeca", Some(dialect)) => format!("Rebeca {dialect}"),
        ("rebeca", None) => "Rebeca".to_owned(),
        ("lpe", _) => "sequential process".to_owned(),
        ("murphi", _) => "Murphi".to_owned(),
        ("dve", _) => "DVE".to_owned(),
        ("promela", _) => "Promela".to_owned(),
        ("pnml", _) => "Petri net".to_owned(),
        (other, _) => other.to_owned(),
    }
}

/// A row of the table of answers, with the name of the run that shows the verdict.
fn row(property: &PropertyFile) -> Value {
    let PropertyFile { name, text, verdict, message, .. } = property;
    let run = match (&property.trace, &property.explanation) {
        (Some(_), _) => Some("counterexample"),
        (None, Some(ExplanationFile { witness: Some(_), .. })) => Some("witness"),
        _ => None,
    };
    context! { name, kind => kind(&property.kind), text, verdict, message, run }
}

/// The meaning of a kind of property, in words.
fn kind(kind: &str) -> &'static str {
    match kind {
        "deadlock" => "no state without a way on",
        "overflow" => "no message to a full queue",
        "error" => "no other fault at run time",
        "assertion" => "every assertion(..) of the text",
        "invariant" => "true in every state",
        "ltl" => "true of every infinite run",
        "ctl" => "true at every start",
        "cover" => "true in some state",
        "recovery" => "can be reached again from every state",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::super::Additions;
    use super::super::chart::tests::sample;
    use super::super::read::{DetectionFile, ModelFile, PropertyFile, ReportFile};
    use super::{detection, report};
    use crate::language::pictures::Topology;

    fn hostile() -> ReportFile {
        let name = "<script>alert('x')</script>\"'`{{ 1 + 1 }}";
        let mut trace = sample();
        trace.steps[0].event = name.to_owned();
        let property = PropertyFile {
            name: name.to_owned(),
            message: name.to_owned(),
            trace: Some(trace),
            ..PropertyFile::default()
        };
        let model = ModelFile { path: format!("../{name}"), ..ModelFile::default() };
        ReportFile { model, verdict: "violated".to_owned(), properties: vec![property], ..ReportFile::default() }
    }

    #[test]
    fn names_are_text() {
        let name = "<script>alert('x')</script>".to_owned();
        let topology = Topology { nodes: vec![(name.clone(), name)], edges: Vec::new() };
        let text = Some("<script>alert('x')</script>".to_owned());
        let additions = Additions { topology: Some(topology), text, ..Additions::default() };
        let page = report(&hostile(), &additions).expect("a page");
        assert!(!page.contains("<script") && page.contains("&lt;script&gt;"), "{page}");
        assert!(page.contains("{{ 1 + 1 }}"));
    }

    #[test]
    fn pages_load_nothing() {
        let page = report(&hostile(), &Additions::default()).expect("a page");
        assert!(page.contains("default-src 'none'"));
        for word in ["http:", "https:", " src=", "url(", "@import", "<link", "<iframe"] {
            assert!(!page.contains(word), "{word}");
        }
    }

    #[test]
    fn symmetries_have_a_page() {
        let found = DetectionFile::read(serde_json::json!({
            "model": { "path": "m<.rebeca" }, "strategy": "constraint",
            "group": { "order": "2", "structure": "S2", "orbits": [["a", "b"], ["f0", "f1"]],
                "generators": [{ "cycles": [["a", "b"], ["f0", "f1"]], "kind": "process", "rules": ["inter-rebec"] }] },
            "graph": { "vertices": 40, "edges": 60, "order": "4" },
            "rejected": [{ "cycles": [["a", "c"]], "witness": "<b>" }],
            "seconds": { "lower": 0.01, "search": 0.02 } }))
        .expect("a report");
        let nodes = ["a", "b"].map(|name| (name.to_owned(), "C".to_owned())).to_vec();
        let page = detection(
            &found,
            &Additions { topology: Some(Topology { nodes, edges: Vec::new() }), ..Additions::default() },
        )
        .expect("a page");
        for part in
            ["(a, b)(f0, f1)", "inter-rebec", "&lt;b&gt;", "(a, c)", "exchanged by some symmetry", "m&lt;.rebeca"]
        {
            assert!(page.contains(part), "{part}\n{page}");
        }
    }
}
