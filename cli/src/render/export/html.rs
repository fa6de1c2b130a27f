//! Pages: one file each, readable without scripts and without a network, in light and in dark.
//!
//! Templates are in `cli/templates` and compiled into the binary. minijinja escapes every value that goes into a page
//! except the drawings, which escape their own texts. The policy in the head of each page forbids loading anything
//! and running any script except the one of the page with that hash.
//!
//! Invariant: only the drawings of [`super::svg`], [`super::graph`], [`crate::render::plot`], [`crate::render::growth`] and
//! [`crate::render::compare`] are marked as safe markup.

use minijinja::{AutoEscape, Environment, Value, context};
use serde::Serialize;

use super::Additions;
use super::coloured::Coloured;
use super::graph;
use super::listing::Listing;
use super::read::{
    DetectionFile, ExplanationFile, GroupFile, NearFile, PlaceFile, PropertyFile, ReductionFile, ReportFile, cycles,
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
    let rows: Vec<Row> = report.properties.iter().map(Row::new).collect();
    let generators = group.map_or_else(Vec::new, generators);
    let runs: Vec<Reduced> = std::iter::once(Reduced::of_report(report))
        .chain(report.properties.iter().filter_map(Reduced::of_formula))
        .collect();
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
            properties => rows,
            definitions => report.definitions.iter().map(|one| context! { name => one.name, text => one.text }).collect::<Vec<_>>(),
            command => (!report.command_line.is_empty()).then(|| shell(&report.command_line)),
            listing => additions.text.as_deref().map(|text| Listing::new(text, report)),
            near => near(&additions.near),
            not_asked => report.not_asked,
            violations => report.violations().count(),
            shown => shown,
            runs => runs,
            orbits => group.map_or_else(Vec::new, orbits),
            generators => generators,
            drawing => drawing,
            coloured => additions.coloured.as_ref().and_then(Coloured::of).map(|coloured| coloured.draw()),
            growing => report.growing.iter().map(|one| one.text(&format!("“{}”", one.name))).collect::<Vec<_>>(),
            notices => report.notices.iter().map(|notice| context! {
                severity => notice.severity, code => notice.code, message => notice.message, line => notice.line,
            }).collect::<Vec<_>>(),
        },
    )
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
            graph => context! {
                vertices => found.graph.vertices, edges => found.graph.edges, order => found.graph.order,
            },
            rejected => found.rejected.iter().take(MOST_REJECTED).map(|candidate| context! {
                cycles => cycles(&candidate.cycles), witness => candidate.witness,
            }).collect::<Vec<_>>(),
            all_rejected => found.rejected.len(),
            near => near(&found.near),
            why => found.why.iter().map(|why| context! {
                cycles => cycles(&why.cycles), symmetry => why.symmetry, place => why.broken_by.as_ref().map(place),
                witness => why.witness,
            }).collect::<Vec<_>>(),
            not_represented => found.not_represented,
            seconds => seconds,
            drawing => drawing,
            coloured => additions.coloured.as_ref().and_then(Coloured::of).map(|coloured| coloured.draw()),
        },
    )
}

fn near(list: &[NearFile]) -> Vec<Value> {
    let entry = |near: &NearFile| {
        context! { permutations => near.permutations, places => near.places().map(place).collect::<Vec<_>>() }
    };
    list.iter().map(entry).collect()
}

fn place(place: &PlaceFile) -> Value {
    context! { line => place.line, text => place.text, reason => place.reason }
}

fn generators(group: &GroupFile) -> Vec<Generator> {
    let listed = group.generators.iter().map(|generator| Generator {
        text: generator.text(),
        kind: generator.kind.clone(),
        rules: generator.rules.join(", "),
    });
    listed.collect()
}

/// The orbits of more than one name, as text.
fn orbits(group: &GroupFile) -> Vec<String> {
    group.orbits.iter().filter(|orbit| orbit.len() > 1).map(|orbit| orbit.join(", ")).collect()
}

/// The reductions of one run.
#[derive(Serialize)]
struct Reduced {
    /// The formula of the run; absent for the reachability run.
    formula: Option<String>,
    /// The part that the run explored.
    explored: String,
    reductions: Vec<Reduction>,
    group: Option<Used>,
}

#[derive(Serialize)]
struct Reduction {
    name: String,
    applied: bool,
    detail: String,
}

/// The group of a run.
#[derive(Serialize)]
struct Used {
    order: String,
    model_order: Option<String>,
    detector: String,
    representative: String,
    structure: Option<String>,
}

impl Reduced {
    fn of_report(report: &ReportFile) -> Reduced {
        let explored = format!(
            "{}, {}",
            paint::counted(report.states, "stored state"),
            paint::counted(report.transitions, "transition")
        );
        Reduced {
            formula: None,
            explored,
            reductions: reductions(&report.reductions_considered, &report.reductions),
            group: report.group.as_ref().map(used),
        }
    }

    fn of_formula(property: &PropertyFile) -> Option<Reduced> {
        let run = property.run.as_ref()?;
        let explored = format!(
            "{} of the model, {} and {} with the automaton of the formula, {}",
            paint::counted(run.system_states, "stored state"),
            paint::counted(run.states, "state"),
            paint::counted(run.transitions, "transition"),
            paint::time(run.seconds)
        );
        Some(Reduced {
            formula: Some(property.name.clone()),
            explored,
            reductions: reductions(&run.reductions_considered, &[]),
            group: run.group.as_ref().map(used),
        })
    }
}

fn reductions(considered: &[ReductionFile], applied: &[String]) -> Vec<Reduction> {
    let listed = considered.iter().map(|reduction| Reduction {
        name: reduction.name.clone(),
        applied: reduction.applied,
        detail: reduction.detail.clone(),
    });
    let others = applied.iter().filter(|name| !considered.iter().any(|known| known.name == **name));
    let others = others.map(|name| Reduction { name: name.clone(), applied: true, detail: String::new() });
    listed.chain(others).collect()
}

fn used(group: &GroupFile) -> Used {
    let exact = if group.exact { "exact" } else { "not exact" };
    let cut = !group.model_order.is_empty() && group.model_order != group.order;
    Used {
        order: group.order.clone(),
        model_order: cut.then(|| group.model_order.clone()),
        detector: group.detector.clone(),
        representative: format!("{}, {exact}", group.representative),
        structure: group.structure.clone(),
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

/// A row of the table of answers.
#[derive(Serialize)]
struct Row {
    name: String,
    kind: &'static str,
    text: Option<String>,
    verdict: String,
    message: String,
    /// The name of the run that shows the verdict.
    run: Option<&'static str>,
}

impl Row {
    fn new(property: &PropertyFile) -> Row {
        Row {
            name: property.name.clone(),
            kind: kind(&property.kind),
            text: property.text.clone(),
            verdict: property.verdict.clone(),
            message: property.message.clone(),
            run: match (&property.trace, &property.explanation) {
                (Some(_), _) => Some("counterexample"),
                (None, Some(ExplanationFile { witness: Some(_), .. })) => Some("witness"),
                _ => None,
            },
        }
    }
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

#[derive(Serialize)]
struct Generator {
    text: String,
    kind: String,
    rules: String,
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
