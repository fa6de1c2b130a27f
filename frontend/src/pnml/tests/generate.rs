//! Random symmetric nets, their documents, and their markings by a direct interpreter.

use std::collections::HashSet;
use std::fmt::Write as _;

const GRAMMAR: &str = "http://www.pnml.org/version-2009/grammar";
/// The colours of the one enumeration.
const COLOURS: i32 = 3;
/// The variables `v0`, `v1` over the enumeration.
const VARIABLES: usize = 2;

/// The counts of a state space.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Counts {
    states: usize,
    edges: usize,
    deadlocks: usize,
    /// The greatest number of tokens in a place and in a marking.
    most: (i32, i32),
}

impl Counts {
    /// Counts a marking with so many steps.
    pub(super) fn add(&mut self, marking: impl Iterator<Item = i32>, steps: usize) {
        let marking: Vec<i32> = marking.collect();
        self.states += 1;
        self.edges += steps;
        self.deadlocks += usize::from(steps == 0);
        self.most.0 = self.most.0.max(marking.iter().copied().max().unwrap_or(0));
        self.most.1 = self.most.1.max(marking.iter().sum());
    }
}

/// A value of the enumeration, or of a variable shifted by so many places.
#[derive(Clone, Copy, Debug)]
enum Value {
    Constant(i32),
    Variable(usize, i32),
}

impl Value {
    fn of(self, binding: [i32; VARIABLES]) -> i32 {
        match self {
            Value::Constant(value) => value,
            Value::Variable(variable, by) => (binding[variable] + by).rem_euclid(COLOURS),
        }
    }

    fn text(self) -> String {
        match self {
            Value::Constant(value) => format!("<useroperator declaration=\"c{value}\"/>"),
            Value::Variable(variable, by) => {
                let inner = format!("<variable refvariable=\"v{variable}\"/>");
                match by {
                    0 => inner,
                    1 => format!("<successor><subterm>{inner}</subterm></successor>"),
                    _ => format!("<predecessor><subterm>{inner}</subterm></predecessor>"),
                }
            }
        }
    }
}

/// A multiset: so many times a value, or each value once.
#[derive(Clone, Copy, Debug)]
enum Part {
    Times(i32, Value),
    All,
}

/// A sum of parts.
type Multiset = Vec<Part>;

fn tokens(parts: &Multiset, is_coloured: bool, binding: [i32; VARIABLES]) -> Vec<i32> {
    let size = if is_coloured { COLOURS } else { 1 };
    let number = |colour: i32| {
        let part = |part: &Part| match *part {
            Part::Times(number, value) => number * i32::from(!is_coloured || value.of(binding) == colour),
            Part::All => 1,
        };
        parts.iter().map(part).sum()
    };
    (0..size).map(number).collect()
}

fn multiset_text(parts: &Multiset, is_coloured: bool) -> String {
    let part = |part: &Part| match *part {
        Part::All if is_coloured => "<all><usersort declaration=\"colour\"/></all>".to_owned(),
        Part::All => "<dotconstant/>".to_owned(),
        Part::Times(number, value) => {
            let value = if is_coloured { value.text() } else { "<dotconstant/>".to_owned() };
            let number = format!("<numberconstant value=\"{number}\"><positive/></numberconstant>");
            format!("<numberof><subterm>{number}</subterm><subterm>{value}</subterm></numberof>")
        }
    };
    match parts.as_slice() {
        [one] => part(one),
        many => {
            let many: String = many.iter().map(|one| format!("<subterm>{}</subterm>", part(one))).collect();
            format!("<add>{many}</add>")
        }
    }
}

/// A transition: its arcs by place, and whether its variables differ.
#[derive(Clone, Debug)]
struct Transition {
    inputs: Vec<(usize, Multiset)>,
    outputs: Vec<(usize, Multiset)>,
    differs: bool,
}

impl Transition {
    /// The variables that occur in it.
    fn variables(&self) -> [bool; VARIABLES] {
        let mut found = [self.differs; VARIABLES];
        for part in self.inputs.iter().chain(&self.outputs).flat_map(|(_, parts)| parts) {
            if let Part::Times(_, Value::Variable(variable, _)) = part {
                found[*variable] = true;
            }
        }
        found
    }
}

/// A random net.
#[derive(Clone, Debug)]
pub(in crate::pnml) struct Model {
    /// Whether places have tokens of the enumeration, and their initial markings.
    places: Vec<(bool, Multiset)>,
    transitions: Vec<Transition>,
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % n
    }

    fn value(&mut self, is_closed: bool) -> Value {
        if is_closed || self.below(4) == 0 {
            return Value::Constant(i32::try_from(self.below(3)).expect("small"));
        }
        Value::Variable(self.below(VARIABLES), i32::try_from(self.below(3)).expect("small") - 1)
    }

    fn multiset(&mut self, is_closed: bool, is_coloured: bool) -> Multiset {
        let parts = 1 + self.below(5) / 4;
        let part = |random: &mut Random| match random.below(6) {
            0 if is_coloured => Part::All,
            1 => Part::Times(2, random.value(is_closed || !is_coloured)),
            _ => Part::Times(1, random.value(is_closed || !is_coloured)),
        };
        (0..parts).map(|_| part(self)).collect()
    }
}

impl Model {
    /// The net of a seed.
    pub(in crate::pnml) fn random(seed: u64) -> Model {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let count = 2 + random.below(3);
        let places: Vec<(bool, Multiset)> = (0..count)
            .map(|_| {
                let is_coloured = random.below(3) > 0;
                let initial = if random.below(3) == 0 { Vec::new() } else { random.multiset(true, is_coloured) };
                (is_coloured, initial)
            })
            .collect();
        let transitions = (0..1 + random.below(4)).map(|_| {
            let mut side = |least: usize| {
                let mut arcs: Vec<(usize, Multiset)> = Vec::new();
                for _ in 0..least + random.below(2) {
                    let place = random.below(count);
                    arcs.push((place, random.multiset(false, places[place].0)));
                }
                arcs
            };
            let (inputs, outputs) = (side(1), side(0));
            let mut transition = Transition { inputs, outputs, differs: false };
            // A place that is only read.
            if random.below(3) == 0 {
                let arc = transition.inputs[0].clone();
                transition.outputs.push(arc);
            }
            transition.differs = random.below(4) == 0;
            transition
        });
        let transitions = transitions.collect();
        Model { places, transitions }
    }

    /// The document.
    pub(in crate::pnml) fn text(&self) -> String {
        let mut text = format!("<pnml xmlns=\"{GRAMMAR}/pnml\"><net id=\"n\" type=\"{GRAMMAR}/symmetricnet\">\n");
        text.push_str("<declaration><structure><declarations><namedsort id=\"colour\"><cyclicenumeration>");
        for colour in 0..COLOURS {
            let _ = write!(text, "<feconstant id=\"c{colour}\"/>");
        }
        text.push_str("</cyclicenumeration></namedsort>");
        for variable in 0..VARIABLES {
            let _ = write!(text, "<variabledecl id=\"v{variable}\"><usersort declaration=\"colour\"/></variabledecl>");
        }
        text.push_str("</declarations></structure></declaration>\n<page id=\"page\">\n");
        for (number, (is_coloured, initial)) in self.places.iter().enumerate() {
            let sort = if *is_coloured { "<usersort declaration=\"colour\"/>" } else { "<dot/>" };
            let _ = write!(text, "<place id=\"p{number}\"><type><structure>{sort}</structure></type>");
            if !initial.is_empty() {
                let initial = multiset_text(initial, *is_coloured);
                let _ = write!(text, "<hlinitialMarking><structure>{initial}</structure></hlinitialMarking>");
            }
            text.push_str("</place>\n");
        }
        let mut arcs = 0;
        for (number, transition) in self.transitions.iter().enumerate() {
            let _ = write!(text, "<transition id=\"t{number}\">");
            if transition.differs {
                let variable = |number: usize| format!("<subterm><variable refvariable=\"v{number}\"/></subterm>");
                let (left, right) = (variable(0), variable(1));
                let _ = write!(
                    text,
                    "<condition><structure><inequality>{left}{right}</inequality></structure></condition>"
                );
            }
            text.push_str("</transition>\n");
            for (list, is_input) in [(&transition.inputs, true), (&transition.outputs, false)] {
                for (place, parts) in list {
                    let (place_id, id) = (format!("p{place}"), format!("t{number}"));
                    let (source, target) = if is_input { (place_id, id) } else { (id, place_id) };
                    let term = multiset_text(parts, self.places[*place].0);
                    let term = format!("<hlinscription><structure>{term}</structure></hlinscription>");
                    let _ = writeln!(text, "<arc id=\"a{arcs}\" source=\"{source}\" target=\"{target}\">{term}</arc>");
                    arcs += 1;
                }
            }
        }
        text.push_str("</page></net></pnml>\n");
        text
    }

    /// The counts of the net; nothing if it has more states.
    pub(super) fn counts(&self, most: usize) -> Option<Counts> {
        let start: Vec<Vec<i32>> =
            self.places.iter().map(|(is_coloured, initial)| tokens(initial, *is_coloured, [0; VARIABLES])).collect();
        let mut seen = HashSet::from([start.clone()]);
        let mut queue = vec![start];
        let mut counts = Counts::default();
        while let Some(marking) = queue.pop() {
            let next: Vec<Vec<Vec<i32>>> =
                self.transitions.iter().flat_map(|transition| self.successors(transition, &marking)).collect();
            counts.add(marking.iter().flatten().copied(), next.len());
            for next in next {
                if seen.insert(next.clone()) {
                    queue.push(next);
                }
            }
            if seen.len() > most {
                return None;
            }
        }
        Some(counts)
    }

    fn successors(&self, transition: &Transition, marking: &[Vec<i32>]) -> Vec<Vec<Vec<i32>>> {
        let mut found = Vec::new();
        let values = transition.variables().map(|is_used| if is_used { COLOURS } else { 1 });
        for first in 0..values[0] {
            for second in 0..values[1] {
                if transition.differs && first == second {
                    continue;
                }
                found.extend(self.fired(transition, marking, [first, second]));
            }
        }
        found
    }

    fn fired(&self, transition: &Transition, marking: &[Vec<i32>], binding: [i32; VARIABLES]) -> Option<Vec<Vec<i32>>> {
        let mut next = marking.to_vec();
        for (place, parts) in &transition.inputs {
            for (number, taken) in next[*place].iter_mut().zip(tokens(parts, self.places[*place].0, binding)) {
                *number -= taken;
            }
        }
        if next.iter().flatten().any(|&number| number < 0) {
            return None;
        }
        for (place, parts) in &transition.outputs {
            for (number, given) in next[*place].iter_mut().zip(tokens(parts, self.places[*place].0, binding)) {
                *number += given;
            }
        }
        Some(next)
    }
}
