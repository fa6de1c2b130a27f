//! Models in which a statement that may end a step matters to a slice, each with a variant of the rules that is known to be wrong.

use std::collections::BTreeSet;

use battery::harness::root;
use slicing::Switches;
use slicing::reduce::{Method, Query, slice_with};

use super::{compare_one, read};

/// Compares the slice of a fixture with the fixture: the difference, if there is one.
fn compared(name: &str, method: Method, query: &Query, switches: Switches) -> Result<(), String> {
    let path = root().join(format!("fixtures/rebeca/{name}.rebeca"));
    let text = std::fs::read_to_string(&path).expect("a fixture");
    let properties = std::fs::read_to_string(path.with_extension("property")).ok();
    let (model, properties) = read(&text, properties.as_deref());
    let query = Query { properties, ..query.clone() };
    let slice = slice_with(&model, &query, method, &BTreeSet::new(), switches).expect("applies");
    compare_one(&model, &query, &slice, false, &mut BTreeSet::new())
}

/// A fixture whose verdict the slice has, and does not have with a wrong variant of the rules.
fn kept_and_lost(name: &str, method: Method, query: &Query, wrong: Switches) {
    assert_eq!(compared(name, method, query, Switches::default()), Ok(()), "{name}");
    let error = compared(name, method, query, wrong).expect_err(name);
    assert!(error.starts_with("a violation is missed"), "{name}: {error}");
}

/// A server of the name of the message with as many parameters may be one that does not take the arguments.
#[test]
fn a_message_that_the_sender_does_not_understand_is_kept() {
    let query = Query { faults: true, ..Query::default() };
    let wrong = Switches { passes_all: true, ..Switches::default() };
    kept_and_lost("soundness/slice_unequal_sorts", Method::Static, &query, wrong);
}
