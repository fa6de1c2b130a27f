//! The constraint detector against the rules of the papers, and every generator against the explicit state space.

use std::path::{Path, PathBuf};

use super::support::{commutes, confirm, group, load_balancer, model, order, reachable};
use crate::{Constraint, KnownRebec, ScalarSets};
use frontend::model::Model;

/// All models of the Rebeca folder that have finitely many small states, by path.
pub(super) fn fixtures() -> Vec<(String, Model)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/rebeca");
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rebeca") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let name = |path: &Path| path.strip_prefix(&root).unwrap().display().to_string();
    paths.iter().map(|path| (name(path), model(&std::fs::read_to_string(path).unwrap()))).collect()
}

/// The order of the constraint group; its generators are checked on up to `max` states, and it contains the papers' group.
fn found(name: &str, model: &Model, max: usize) -> u64 {
    let found = group(model, &Constraint);
    assert!(found.rejected().is_empty(), "{name}: {:?}", found.rejected());
    confirm(model, &found, max);
    let rules = group(model, &ScalarSets);
    assert!(order(&found) >= order(&rules), "{name}: {} < {}", order(&found), order(&rules));
    for generator in rules.generators() {
        assert!(found.contains(generator), "{name}: {}", generator.text(model));
    }
    order(&found)
}

#[test]
fn it_finds_at_least_what_the_rules_find_on_every_fixture() {
    for (name, model) in fixtures() {
        let unbounded = name == "creation/unbounded.rebeca" || name == "creation/violation_before_the_bound.rebeca";
        let order = found(&name, &model, if unbounded { 0 } else { 400 });
        println!("{name} {order}");
    }
}
