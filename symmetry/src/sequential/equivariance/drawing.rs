//! Candidates that rename variables: automorphisms of a graph of the text.
//!
//! Each variable is a vertex, and so is each text and each summand. A text that names one variable only has a colour for all of it but the name,
//! and is joined to that variable; any other is joined to its parts, through vertices of their places where their order has a meaning. Summands
//! are vertices of their own, joined to the parts of their guard and body where the order of these has no meaning. A condition of the properties has a
//! colour of its own.
//!
//! # Soundness
//!
//! These are guesses: each is proved like any other candidate.
//!
//! # Complexity
//!
//! The graph is linear in the texts that differ, whatever the number of values.

use engine::{GraphBuilder, SparsePermutation, Vertex};
use frontend::sequential::{Sequential, VariableId};
use rustc_hash::FxHashMap;

use super::names::Names;
use super::terms::{Terms, Text, TextId, commutes};
use super::written::{Head, Vocabulary, number};

/// The most steps for the graph and its automorphisms.
const MOST_STEPS: u64 = 1 << 29;

/// A text as it is drawn.
#[derive(Clone, Copy)]
enum Part {
    /// A text that names at most one variable, with the number of what is left of it without that name.
    Shape(u32, Option<VariableId>),
    /// A vertex above others, at this height.
    Vertex(Vertex, u32),
}

/// The property that vertices of one colour share.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Colour {
    /// What a variable is declared as.
    Variable(Vec<u32>),
    Shape(u32),
    /// What a text begins with, and the height.
    Text(u32, u32),
    /// A place among parts, and the height.
    Place(u32, u32),
    /// What a summand begins with.
    Summand(Vec<u32>),
    /// The number of a condition.
    Condition(u32),
}

struct Drawing<'a> {
    terms: &'a Terms,
    builder: GraphBuilder,
    colours: FxHashMap<Colour, u32>,
    /// The numbers of shapes, by what they begin with and the shapes of their parts.
    shapes: FxHashMap<Vec<u32>, u32>,
    /// The texts that are drawn.
    parts: Vec<Option<Part>>,
    /// The vertices of shapes with the variables that they name, and of places.
    known: FxHashMap<(Colour, Option<u32>), Vertex>,
}

/// Renamings that the texts of a process and of these conditions suggest.
pub(super) fn renamings(
    model: &Sequential,
    vocabulary: &Vocabulary<'_>,
    terms: &Terms,
    summands: &[TextId],
    conditions: &[TextId],
) -> Vec<Names> {
    // Several initial states are not drawn.
    if !model.starts.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let draw = || {
        let mut drawing = Drawing::new(terms);
        for variable in &model.variables {
            let mut text = Vec::new();
            vocabulary.declaration(variable, &mut text);
            drawing.vertex(Colour::Variable(text));
        }
        summands.iter().for_each(|&summand| drawing.summand(summand));
        conditions.iter().enumerate().for_each(|(place, &condition)| drawing.condition(number(place), condition));
        let graph = drawing.builder.build().expect("edges join different vertices that exist");
        let mut add = |generator: &SparsePermutation| {
            let is_variable = |&&(point, _): &&(u32, u32)| (point as usize) < model.variables.len();
            let id = |point: u32| VariableId::from_index(point as usize);
            let moved = generator.pairs().iter().filter(is_variable).map(|&(from, to)| (id(from), id(to)));
            let names: Names = moved.collect();
            assert!(names.values().all(|image| names.contains_key(image)), "variables go to variables");
            found.push(names);
        };
        engine::automorphisms(&graph, &mut add);
    };
    limits::at_most(MOST_STEPS, draw);
    found.retain(|names| !names.is_empty());
    found
}

impl<'a> Drawing<'a> {
    fn new(terms: &'a Terms) -> Drawing<'a> {
        Drawing {
            terms,
            builder: GraphBuilder::new(),
            colours: FxHashMap::default(),
            shapes: FxHashMap::default(),
            parts: vec![None; terms.len()],
            known: FxHashMap::default(),
        }
    }

    fn vertex(&mut self, colour: Colour) -> Vertex {
        limits::work(4);
        let next = number(self.colours.len());
        let colour = *self.colours.entry(colour).or_insert(next);
        self.builder.add_vertex(colour)
    }

    /// The vertex with a colour that is joined to this one if there is one, which exists once.
    fn once(&mut self, colour: Colour, below: Option<u32>) -> Vertex {
        if let Some(&vertex) = self.known.get(&(colour.clone(), below)) {
            return vertex;
        }
        let vertex = self.vertex(colour.clone());
        if let Some(below) = below {
            self.builder.add_edge(vertex, Vertex::new(below));
        }
        self.known.insert((colour, below), vertex);
        vertex
    }

    /// A text as it is drawn.
    fn part(&mut self, id: TextId) -> Part {
        if let Some(part) = self.parts[id.index()] {
            return part;
        }
        let part = match self.terms.text(id) {
            Text::Variable(variable) => Part::Shape(0, Some(variable)),
            Text::Term { beginning, .. } => {
                let parts: Vec<Part> = self.terms.parts(id).map(|part| self.part(part)).collect();
                self.shape(beginning, &parts).unwrap_or_else(|| self.above(beginning, &parts))
            }
        };
        self.parts[id.index()] = Some(part);
        part
    }

    /// A text that names at most one variable; `None` if it names several.
    fn shape(&mut self, beginning: u32, parts: &[Part]) -> Option<Part> {
        let (mut shape, mut named) = (vec![beginning], None);
        for part in parts {
            let &Part::Shape(own, variable) = part else { return None };
            if variable.is_some_and(|variable| *named.get_or_insert(variable) != variable) {
                return None;
            }
            shape.push(own);
        }
        if commutes(beginning) {
            shape[1..].sort_unstable();
        }
        let next = number(self.shapes.len() + 1);
        Some(Part::Shape(*self.shapes.entry(shape).or_insert(next), named))
    }

    /// A vertex above the parts of a text.
    fn above(&mut self, beginning: u32, parts: &[Part]) -> Part {
        let placed: Vec<(Vertex, u32)> = parts.iter().map(|&part| self.placed(part)).collect();
        let height = 2 + placed.iter().map(|&(_, height)| height).max().unwrap_or(0);
        let own = self.vertex(Colour::Text(beginning, height));
        for (place, (vertex, _)) in placed.into_iter().enumerate() {
            let below = match commutes(beginning) || place + 1 == parts.len() {
                true => vertex,
                false => self.once(Colour::Place(number(place), height - 1), Some(vertex.number())),
            };
            self.join(own, below);
        }
        Part::Vertex(own, height)
    }

    fn join(&mut self, one: Vertex, other: Vertex) {
        limits::work(1);
        self.builder.add_edge(one, other);
    }

    /// The vertex of a part, and its height.
    fn placed(&mut self, part: Part) -> (Vertex, u32) {
        match part {
            Part::Vertex(vertex, height) => (vertex, height),
            Part::Shape(shape, named) => (self.once(Colour::Shape(shape), named.map(|id| number(id.index()))), 1),
        }
    }

    /// The vertex of a text, and its height.
    fn drawn(&mut self, text: TextId) -> (Vertex, u32) {
        let part = self.part(text);
        self.placed(part)
    }

    fn summand(&mut self, summand: TextId) {
        let terms = self.terms;
        let (header, _) = terms.beginning(summand).expect("a summand is no variable");
        let own = self.vertex(Colour::Summand(header.to_vec()));
        let parts: Vec<TextId> = terms.parts(summand).collect();
        let [guard, arguments @ .., body] = &parts[..] else { unreachable!("a summand has a guard and a body") };
        let mut below: Vec<TextId> = match is_unordered(terms, *guard, Head::And) {
            true => terms.parts(*guard).collect(),
            false => vec![*guard],
        };
        match terms.parts(*body).collect::<Vec<TextId>>()[..] {
            [] => {}
            [only] if is_unordered(terms, only, Head::Together) => below.extend(terms.parts(only)),
            _ => below.push(*body),
        }
        for text in below {
            let (vertex, _) = self.drawn(text);
            self.join(own, vertex);
        }
        for (place, &argument) in arguments.iter().enumerate() {
            let (vertex, height) = self.drawn(argument);
            let vertex = self.once(Colour::Place(number(place), height + 1), Some(vertex.number()));
            self.join(own, vertex);
        }
    }

    fn condition(&mut self, place: u32, condition: TextId) {
        let (vertex, _) = self.drawn(condition);
        let own = self.vertex(Colour::Condition(place));
        self.join(own, vertex);
    }
}

/// Whether a text has this head, and parts whose order has no meaning.
fn is_unordered(terms: &Terms, text: TextId, head: Head) -> bool {
    terms.beginning(text).is_some_and(|(beginning, commutes)| commutes && beginning[0] == head as u32)
}
