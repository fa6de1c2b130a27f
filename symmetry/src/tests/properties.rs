//! The cut of groups to the stabiliser of the properties.

use super::support::{confirm, fixture, group, load_balancer, model, order, properties};
use crate::{
    Strategy::{self, KnownRebec, ScalarSet},
    ValidatedGroup,
};
use frontend::model::{Model, PropertySet};

/// The order of the group that fixes the properties of a text.
fn cut(model: &Model, strategy: Strategy, text: &str) -> u64 {
    let set = properties(model, &format!("property {{ {text} }}"));
    let group = ValidatedGroup::new(model, &set, strategy.candidates(model));
    assert!(group.is_exact() && group.is_for(model, &set) && !group.is_for(model, &PropertySet::default()));
    confirm(model, &group, 100);
    order(&group)
}

/// Rebecs without known rebecs, all alike.
fn alike(count: usize) -> Model {
    let main: String = (0..count).map(|rebec| format!("N n{rebec}():(); ")).collect();
    model(&format!(
        "reactiveclass N(3) {{ statevars {{ boolean x; byte k; byte t; }} msgsrv initial() {{ self.go(); }}
            msgsrv go() {{ x = ?(true, false); }} }} main {{ {main} }}"
    ))
}

#[test]
fn invariants_are_fixed_as_wholes_and_atoms_one_by_one() {
    let model = fixture("soundness/m07_asymmetric_property.rebeca");
    assert_eq!(order(&group(&model, KnownRebec)), 2);
    assert_eq!(cut(&model, KnownRebec, "Assertion { P: !(a.x && !b.x); }"), 1);
    assert_eq!(cut(&model, KnownRebec, "Assertion { P: !(a.x && b.x); }"), 2);
    assert_eq!(cut(&model, KnownRebec, "LTL { P: G(F(a.x || b.x)); }"), 2);
    let both = "define { pa = a.x; pb = b.x; } LTL { P: G(F(pa)) && G(F(pb)); }";
    assert_eq!(cut(&model, KnownRebec, both), 1);
}

#[test]
fn stabilisers_are_exact() {
    let model = alike(8);
    assert_eq!(order(&group(&model, KnownRebec)), 40_320);
    assert_eq!(cut(&model, KnownRebec, "Assertion { P: !(n0.x && n5.x); }"), 2 * 720);
    assert_eq!(cut(&model, KnownRebec, "Assertion { P: n0.x; Q: n7.k < 3; }"), 720);
    assert_eq!(cut(&model, KnownRebec, "Assertion { P: n0.x || n1.x || n2.x; Q: n3.x == n4.x; }"), 6 * 2 * 6);
    assert_eq!(cut(&model, KnownRebec, "Assertion { P: n0.k < n1.k; }"), 720);
    assert_eq!(cut(&model, KnownRebec, "Assertion { P: n0.k + n1.k == 2; }"), 1_440);
}

#[test]
fn operands_that_may_fault_keep_their_order() {
    let model = alike(3);
    let faulting = "Assertion { P: n0.k / n0.t == 1 || n1.k / n1.t == 1; }";
    assert_eq!(cut(&model, KnownRebec, faulting), 1);
    assert_eq!(cut(&model, KnownRebec, "Assertion { P: n0.k == 1 || n1.k == 1; }"), 2);
}

#[test]
fn positions_and_scalars_rotate_in_properties() {
    let trains = fixture("trains/train3.rebeca");
    let group = "Assertion { P: !(ctrl.signal[1] && ctrl.signal[2]) || ctrl.signal[3]; }";
    assert_eq!(cut(&trains, ScalarSet, group), 1);
    let all = "Assertion { P: !(ctrl.signal[1] && ctrl.signal[2] && ctrl.signal[3]); }";
    assert_eq!(cut(&trains, ScalarSet, all), 3);
    let bridge = "Assertion { P: !(t1.onTheBridge && t2.onTheBridge) && !(t2.onTheBridge && t3.onTheBridge)
        && !(t3.onTheBridge && t1.onTheBridge); }";
    assert_eq!(cut(&trains, ScalarSet, bridge), 3);
    let balancer = load_balancer(4, 2);
    assert_eq!(order(&super::support::group(&balancer, ScalarSet)), 16);
    // Both balancers rotate together, so every element fixes the statement that they agree.
    assert_eq!(cut(&balancer, ScalarSet, "Assertion { P: lb1.srvNo == lb2.srvNo; }"), 16);
}
