//! `compare`: one row a detector and choice of representatives.

use serde_json::Value as Json;

use super::{Folder, fixture};
use crate::binary::quotient;

#[test]
fn detectors_stand_side_by_side() {
    let model = fixture("two_phase_commit/2pc2");
    let run = quotient(&["compare", &model, "--json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report: Json = serde_json::from_str(&run.stdout).expect("JSON");
    let rows = report["models"][0]["rows"].as_array().expect("rows");
    let detectors: Vec<&str> = rows.iter().filter_map(|row| row["detector"].as_str()).collect();
    assert_eq!(detectors, ["none", "known-rebec", "scalar-set", "channel-diagram", "constraint"]);
    assert_eq!((&rows[0]["states"], &rows[0]["group"]), (&Json::from(324), &Json::Null));
    assert_eq!((&rows[1]["states"], &rows[1]["group"]["order"]), (&Json::from(166), &Json::from("2")));
    assert!(rows.iter().all(|row| row["complete"] == true));
}

#[test]
fn counts_that_a_limit_ends_are_lower_bounds() {
    let run = quotient(&["compare", &fixture("philosophers/phil2_fig2"), "--states-limit", "100"]);
    assert!(run.code == Some(0) && run.stdout.contains("> 100"), "{run:?}");
    let csv = quotient(&["compare", &fixture("philosophers/phil2_fig2"), "--states-limit", "100", "--csv"]).stdout;
    assert!(csv.starts_with("model,detector,") && csv.contains(",none,,,,,,true,100,"), "{csv}");
}

#[test]
fn the_limit_on_time_is_shared_by_all_runs() {
    let folder = Folder::new();
    let counters = "reactiveclass C(2) { statevars { int n; } msgsrv initial() { self.up(); } \
        msgsrv up() { n = (n + 1) % 100000; self.up(); } } main { C a():(); C b():(); }";
    let model = folder.file("counters.rebeca", counters);
    let run = quotient(&["compare", &model, "--json", "--timeout", "900ms"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report: Json = serde_json::from_str(&run.stdout).expect("JSON");
    let rows = report["models"][0]["rows"].as_array().expect("rows");
    assert_eq!(rows[0]["complete"], false, "{report}");
}
