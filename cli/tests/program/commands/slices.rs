//! `slice`, and `check --slice METHOD`, where a method does not preserve the question: the place of what it speaks of.

use battery::harness::root;

use super::{Folder, expect, fixture};

#[test]
fn refusals_of_slices_name_their_places() {
    let folder = Folder::new();
    let path = |name: &str| root().join("fixtures").join(name).to_string_lossy().into_owned();
    let (endless, makes) = (fixture("soundness/m14_slice_divergence"), fixture("creation/as_argument"));
    let (process, murphi) = (path("lpe/partial_order/workers.lpe"), path("murphi/properties/questions.m"));
    let loops = "reactiveclass A(2) {\n    statevars { int x; boolean y; boolean z; }\n    msgsrv initial() {\n        z = !y;\n        \
        x = 3;\n        while (x > 0) { x = x - 1; y = z; }\n    }\n}\nmain { A a():(); }\n";
    let loops = folder.file("loops.rebeca", loops);
    folder.file("loops.property", "property { define { yes = a.y; } Assertion { P: !yes; } }");
    let bounded = ["--abstract", "A.z", "--name", "P"];
    let (sliced, checked) = (["slice", &loops, "--method", "bounded"], ["check", &loops, "--slice", "bounded"]);
    let cases: &[(&[&str], &str)] = &[
        (&["slice", &endless, "--name", "P"], "m14_slice_divergence.property:3:9\n"),
        (&["slice", &makes, "--method", "deadlock"], "as_argument.rebeca:18:"),
        (&["slice", &process, "--name", "Cleared"], "workers.lpe:28:5\n"),
        (&["slice", &murphi, "--name", "both on"], "questions.m:51:"),
        (&[sliced, bounded].concat(), "loops.rebeca:6:9\n"),
        (&[checked, bounded].concat(), "loops.rebeca:6:9\n"),
    ];
    for (words, place) in cases {
        let said = expect(2, words).stderr;
        assert!(said.contains("error[E0542]: ") && said.contains(place), "{words:?}\n{said}");
    }
    // Deadlock is asked for on the command line, which has no lines.
    let said = expect(2, &["slice", &endless, "--method", "static", "--name", "deadlock"]).stderr;
    assert!(said.contains("[E0542]") && !said.contains("-->"), "{said}");
}
