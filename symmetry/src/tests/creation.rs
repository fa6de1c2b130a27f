//! Models that create rebecs: the candidates of the constraint detector against the rules of the papers and the explicit state space.

use engine::RandomSource;
use frontend::model::{Model, PropertySet};

use super::support::{commutes, confirm, fixture, group, model, order, properties, reachable};
use crate::detect::{Constraints, Switches, detect, detect_with};
use crate::{
    Strategy::{Constraint, KnownRebec, ScalarSet},
    ValidatedGroup,
};

/// A hub with two leaves, and items that are created, passed on, compared and used.
fn random_text(random: &mut RandomSource) -> String {
    let hub = [
        "a.tick(); b.tick();",
        "{ boolean c = ?(true, false); if (c) { a.tick(); } else { b.tick(); } }",
        "if (n < 2) { n++; item = new Item(null):(true, item); }",
        "if (n < 2) { n++; boolean c = ?(true, false); \
         if (c) { item = new Item(a):(true, null); } else { item = new Item(b):(true, null); } }",
        "if (item != null) { a.take(item); b.take(item); }",
        "if (item != null) { item.use(); }",
        "up = !up;",
        "item = null;",
        "if (item == other) { up = true; } else { other = item; }",
        "b.take(item); a.tick();",
        "if (sender == a) { up = true; } else { up = false; }",
        "if (n < 2) { n++; item = new Item(a):(false, item); }",
    ];
    let leaf = [
        "x = !x;",
        "y = true;",
        "hub.back(mine);",
        "if (mine != null) { mine.use(); }",
        "if (made < 1) { made++; mine = new Item(self):(y, mine); }",
        "x = mine == null;",
        "y = x;",
    ];
    let item = [
        "if (leaf != null) { leaf.tick(); }",
        "if (next != null) { next.use(); }",
        "on = !on;",
        "if (next == self) { on = true; }",
        "if (leaf != null && on) { leaf.take(self); }",
        "next = self;",
        "if (sender == next) { next = null; }",
    ];
    let mut body = |pool: &[&str], fair: usize| {
        let statement = |random: &mut RandomSource| {
            // Most statements of the hub treat its leaves alike.
            let bound = if random.below(6) == 0 { pool.len() } else { fair };
            pool[random.below(bound)].to_owned()
        };
        let count = 1 + random.below(2);
        (0..count).map(|_| statement(random)).collect::<Vec<String>>().join(" ")
    };
    let (go, back) = (body(&hub, 9), body(&hub, 9));
    let (tick, take) = (body(&leaf, leaf.len()), body(&leaf, leaf.len()));
    let uses = body(&item, item.len());
    format!(
        "reactiveclass Hub(5) {{ knownrebecs {{ Leaf a, b; }} statevars {{ byte n; boolean up; Item item; Item other; }}
           Hub() {{ self.go(); }} msgsrv go() {{ {go} }} msgsrv back(Item given) {{ item = given; {back} }} }}
         reactiveclass Leaf(4) {{ knownrebecs {{ Hub hub; }} statevars {{ boolean x; boolean y; byte made; Item mine; }}
           Leaf() {{ }} msgsrv tick() {{ {tick} }} msgsrv take(Item given) {{ mine = given; {take} }} }}
         reactiveclass Item(3) {{ knownrebecs {{ Leaf leaf; }} statevars {{ boolean on; Item next; }}
           Item(boolean first, Item behind) {{ on = first; next = behind; }} msgsrv use() {{ {uses} }} }}
         main {{ Hub h(p, q):(); Leaf p(h):(); Leaf q(h):(); }}"
    )
}

#[test]
fn generators_of_random_models_with_new_keep_every_transition() {
    let mut random = RandomSource::new(71);
    let (mut creating, mut beyond) = (0, 0);
    for _ in 0..250 {
        let text = random_text(&mut random);
        let model = model(&text);
        if model.creatable.is_empty() {
            continue;
        }
        let found = group(&model, Constraint);
        assert!(found.rejected().is_empty(), "{:?}\n{text}", found.rejected());
        let rules = group(&model, ScalarSet);
        assert!(rules.generators().iter().all(|generator| found.contains(generator)), "{text}");
        (creating, beyond) = (creating + 1, beyond + usize::from(order(&found) > order(&rules)));
        confirm(&model, &found, 300);
    }
    assert!(creating > 100 && beyond > 20, "{creating} {beyond}");
}

#[test]
fn known_rebecs_that_receive_created_rebecs_may_be_exchanged() {
    let model = fixture("creation/print_shop.rebeca");
    let opaque = Constraints::new(&model, &PropertySet::default(), Constraint).opaque();
    assert!(opaque.is_empty(), "{opaque:?}");
    let found = group(&model, Constraint);
    assert_eq!((order(&found), order(&group(&model, KnownRebec))), (2, 1));
    confirm(&model, &found, 10_000);
}

/// The candidates of a known-wrong graph are refused, and are no automorphisms; the right graph has none of them.
fn caught(model: &Model, switches: Switches) {
    let none = PropertySet::default();
    assert!(detect(model, &none, Constraint).candidates.is_empty());
    let wrong = detect_with(model, &none, Constraint, switches).candidates;
    assert!(!wrong.is_empty(), "the planted fault changes nothing");
    let states = reachable(model, 10_000);
    assert!(wrong.iter().all(|candidate| !commutes(model, candidate, &states, true)));
    let group = ValidatedGroup::new(model, &none, wrong.clone());
    assert_eq!((group.rejected().len(), group.generators().len()), (wrong.len(), 0));
}

#[test]
fn a_graph_without_the_first_values_of_new_rebecs_is_caught() {
    let text = "reactiveclass Hub(4) { knownrebecs { Leaf a, b; } Hub() { self.go(); }
          msgsrv go() { boolean c = ?(true, false); if (c) { a.take(new Item(a):(true)); } else { b.take(new Item(b):(false)); } } }
        reactiveclass Leaf(3) { statevars { Item mine; } Leaf() { } msgsrv take(Item given) { mine = given; } }
        reactiveclass Item(3) { knownrebecs { Leaf leaf; } statevars { boolean on; } Item(boolean first) { on = first; }
          msgsrv use() { on = !on; leaf.take(self); } }
        main { Hub h(p, q):(); Leaf p():(); Leaf q():(); }";
    caught(&model(text), Switches { ignores_creation: true, ..Switches::default() });
}

#[test]
fn which_created_rebec_is_compared_decides() {
    let text = |test: &str| {
        format!(
            "reactiveclass Hub(6) {{ knownrebecs {{ Leaf a, b; }} statevars {{ Item one; Item two; Item last; boolean x; }}
               Hub() {{ self.go(); }}
               msgsrv go() {{ one = new Item():(); two = new Item():(); a.take(one); b.take(two); self.next(); }}
               msgsrv next() {{ boolean c = ?(true, false); if (c) {{ last = one; }} else {{ last = two; }} self.look(); }}
               msgsrv look() {{ {test} }} }}
             reactiveclass Leaf(3) {{ statevars {{ Item mine; }} Leaf() {{ }} msgsrv take(Item given) {{ mine = given; }} }}
             reactiveclass Item(3) {{ Item() {{ }} msgsrv use() {{ }} }}
             main {{ Hub h(p, q):(); Leaf p():(); Leaf q():(); }}"
        )
    };
    // The leaves get different items; identities of created rebecs are kept.
    for test in ["x = last == one;", "last.use(); two.use();", "if (one == two) { x = true; }"] {
        let model = model(&text(test));
        let found = group(&model, Constraint);
        assert_eq!(order(&found), 1, "{test}");
        confirm(&model, &found, 10_000);
    }
}

#[test]
fn properties_of_created_rebecs_are_kept() {
    let model = fixture("creation/print_shop.rebeca");
    let order = |text: &str| {
        let set = properties(&model, &format!("property {{ {text} }}"));
        let detected = detect(&model, &set, Constraint);
        let found = ValidatedGroup::new(&model, &set, detected.candidates);
        assert!(found.rejected().is_empty(), "{:?}", found.rejected());
        order(&found)
    };
    assert_eq!(order("Assertion { P: colour.last == null || colour.last != plain.last; }"), 2);
    assert_eq!(order("Assertion { P: colour.last == null; }"), 1);
}
