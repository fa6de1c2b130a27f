use battery::generate::{model, render};
use battery::harness::read_model;
use frontend::lower::LowerOptions;
use frontend::model::PropertySet;
use symmetry::*;
fn main() {
    for a in std::env::args().skip(1) {
        let (text, seed) = match a.parse::<u64>() { Ok(s) => (render::model(&model(s)), s), Err(_) => (std::fs::read_to_string(&a).unwrap(), 0) };
        let (m, d) = read_model(text.as_bytes(), &LowerOptions::default());
        let Some(m) = m else { println!("{a} refused {}", d.list.len()); continue };
        let p = PropertySet::default();
        let d = symmetry::detect::constraint(&m, &p);
        let g = ValidatedGroup::new(&m, &p, d.candidates.clone());
        let r = ValidatedGroup::new(&m, &p, ScalarSets.candidates(&m));
        println!("== {a} constraint {} (candidates {}) rules {} opaque {:?} v {} e {} t {:?} {:?} {:?}", g.order(), d.order, r.order(), d.opaque, d.vertices, d.edges, d.lower, d.graph, d.search);
        for x in g.rejected() { println!("  rejected {}: {}", x.permutation.text(&m), x.reason.witness(&m)); }
        if std::env::var("V").is_ok() {
        for x in g.generators() { println!("  gen {}", x.text(&m)); }
        for x in r.generators() { if !g.contains(x) { println!("  missing {}", x.text(&m)); } }
        }
        if std::env::var("P").is_ok() { println!("{seed}\n{text}"); println!("{}", csp::actors::Actors::new(&m,&p).map(|a| a.print()).unwrap_or_default()); }
    }
}
