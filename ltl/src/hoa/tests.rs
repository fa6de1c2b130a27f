//! Reading of texts by other tools, and refusals.

use super::{HoaErrorKind, parse, print};
use crate::automaton::Automaton;

fn read(text: &str) -> Automaton {
    parse(text).unwrap_or_else(|diagnostic| panic!("{diagnostic:?}\n{text}")).automaton
}

/// G F a, in the ways in which the format says it.
const WAYS: [&str; 6] = [
    "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" acc-name: Buchi Acceptance: 1 Inf(0) --BODY-- State: 0 [0] 0 {0} [!0] 0 --END--",
    "HOA: v1 States: 2 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- State: 0 [!0] 0 [0] 1 State: 1 {0} [0] 1 [!0] 0 --END--",
    "HOA: v1 Start: 0 /* implicit /* labels */ */ AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- State: 0 \"s\" 0 0 {0} --END--",
    "HOA: v1 Start: 0 Start: 1 AP: 1 \"a\" Acceptance: 3 (Inf(2)&(t)) tool: \"x\" \"1\" properties: state-labels\n\
     --BODY-- State: [0] 0 {2 1} 0 1 State: [!0] 1 {0} 0 1 --END--",
    "HOA: v1 Start: 0 AP: 1 \"a\" Alias: @a 0 Alias: @b !(@a | f) Acceptance: 1 Inf(0) --BODY-- State: 0 [@a & !@b] 0 {0} [@b|!@a] 0 --END--",
    "HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: 2 Inf(0)&Inf(1) --BODY-- State: 0 {0} [0] 0 {1} [!0] 0 --END--",
];

/// All short words over this number of propositions, with the position to which each returns.
fn words(letters: u128) -> impl Iterator<Item = (Vec<u128>, usize)> {
    (1..5usize).flat_map(move |len| {
        let count = letters.pow(u32::try_from(len).expect("short"));
        (0..count).flat_map(move |word| {
            let letters: Vec<u128> =
                (0..len).map(|at| word / letters.pow(u32::try_from(at).expect("short")) % letters).collect();
            (0..len).map(move |from| (letters.clone(), from))
        })
    })
}

#[test]
fn every_way_to_say_it_is_read() {
    for text in WAYS {
        let automaton = read(text);
        let again = read(&print(&automaton, &["a".to_owned()], "GF \"a\" \\"));
        assert_eq!(again, automaton, "{text}");
        for (letters, from) in words(2) {
            let expected = letters[from..].contains(&1);
            assert_eq!(automaton.accepts(&letters, from)[0], expected, "{letters:?} from {from}: {text}");
        }
    }
}

/// One edge for each letter, in order: the second one reads the first proposition without the second.
#[test]
fn implicit_labels_read_every_proposition() {
    let text = "HOA: v1 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 1 Inf(0) --BODY-- State: 0 0 0 {0} 0 0 --END--";
    let automaton = read(text);
    for (letters, from) in words(4) {
        assert_eq!(automaton.accepts(&letters, from)[0], letters[from..].contains(&1), "{letters:?} from {from}");
    }
}

#[test]
fn names_and_propositions_are_kept() {
    let text = "HOA: v1 name: \"no \\\"a\\\"\" States: 0 AP: 2 \"a.b == 1\" \"c\" Acceptance: 0 t --BODY-- --END--";
    let hoa = parse(text).expect("an automaton");
    assert_eq!(hoa.name.expect("a name").0, "no \"a\"");
    assert_eq!(hoa.propositions.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a.b == 1", "c"]);
    assert!(!hoa.automaton.accepts(&[0], 0)[0]);
}

#[test]
fn errors_are_reported() {
    let (wrong, other) = (HoaErrorKind::Syntax, HoaErrorKind::Unsupported);
    let body =
        |head: &str, body: &str| format!("HOA: v1 States: 2 Start: 0 AP: 1 \"a\" {head} --BODY-- {body} --END--");
    let plain = |text: &str| body("Acceptance: 1 Inf(0)", text);
    let cases: Vec<(String, HoaErrorKind)> = vec![
        (String::new(), wrong),
        ("never { }".to_owned(), wrong),
        ("HOA: v2".to_owned(), wrong),
        ("HOA: v1 States: 1".to_owned(), wrong),
        ("HOA: v1 /* ".to_owned(), wrong),
        ("HOA: v1 name: \"".to_owned(), wrong),
        ("HOA: v1 States: 99999999999999999999999".to_owned(), wrong),
        ("HOA: v1 States: 999999999".to_owned(), other),
        ("HOA: v1 AP: 999999999".to_owned(), other),
        ("HOA: v1 Acceptance: 999999999 t".to_owned(), other),
        (body("", ""), wrong),
        (body("Acceptance: 1 Inf(1)", ""), wrong),
        (body("Acceptance: 1 Fin(0)", ""), other),
        (body("Acceptance: 1 Inf(!0)", ""), other),
        (body("Acceptance: 2 Inf(0)|Inf(1)", ""), other),
        (body("Acceptance: 1 (Inf(0)", ""), wrong),
        (body("Acceptance: 1 Inf(0) Start: 0&1", ""), other),
        (body("Acceptance: 1 Inf(0) Odd: 1", ""), other),
        (plain("State: 2"), wrong),
        (plain("State: 0 [0] 2"), wrong),
        (plain("State: 0 [1] 0"), wrong),
        (plain("State: 0 [0 0"), wrong),
        (plain("State: 0 [@a] 0"), wrong),
        (plain("State: 0 [0] 0&1"), other),
        (plain("State: 0 [0] 0 {1}"), wrong),
        (plain("State: 0 [0] 0 1"), wrong),
        (plain("State: 0 0"), wrong),
        (plain("State: [0] 0 [0] 0"), wrong),
        (plain("State: 0 State: 0"), wrong),
        (plain("--ABORT--"), wrong),
        (format!("{} HOA: v1", plain("")), other),
        (plain(&format!("State: 0 [{}0] 0", "!".repeat(100_000))), other),
        (plain(&format!("State: 0 [{}0] 0", "(".repeat(100_000))), other),
    ];
    for (text, kind) in cases {
        let found = parse(&text).err().unwrap_or_else(|| panic!("{text}"));
        assert_eq!(found.kind, kind, "{found:?}: {}", &text[..text.len().min(200)]);
    }
}

/// No text makes the reader panic or takes it a long time.
#[test]
fn mangled_texts_are_refused_or_read() {
    let mut seed = 7u64;
    let mut below = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most
    };
    for round in 0..4_000 {
        let mut text = WAYS[round % WAYS.len()].as_bytes().to_vec();
        for _ in 0..1 + below(3) {
            let (at, other) = (below(text.len()), below(text.len()));
            match below(3) {
                0 => drop(text.remove(at)),
                1 => text[at] = text[other],
                _ => text.insert(at, b"0{}[]()&|!@\":tf9 "[below(17)]),
            }
        }
        let _ = parse(&String::from_utf8_lossy(&text));
    }
}
