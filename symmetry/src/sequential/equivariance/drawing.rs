//! Candidates that rename variables: automorphisms of a graph of the text.
//!
//! Each variable is a vertex, and so is each term, statement and summand. A term that names one variable only has a colour for its whole text
//! and is joined to that variable; any other is joined to its parts, through vertices of their places where their order has a meaning. Equal
//! terms are one vertex; summands are not. An atom of a property has a colour of its own.
//!
//! # Soundness
//!
//! These are guesses: each is proved like any other candidate.
//!
//! # Complexity
//!
//! The graph is linear in the text, whatever the number of values.

use engine::{GraphBuilder, SparsePermutation, Vertex};
use frontend::sequential::{Expr, ExprKind, Place, Sequential, SortId, Stmt, StmtKind, Summand, VariableId};
use rustc_hash::FxHashMap;

use super::names::Names;
use super::written::{Head, Vocabulary, are_independent, is_commutative, may_fault, number};

/// The most steps for the graph and its automorphisms.
const MOST_STEPS: u64 = 1 << 29;

/// A part of the text as it is drawn.
enum Part {
    /// A text that names at most one variable, which has no name in it.
    Text(Vec<u32>, Option<VariableId>),
    /// A vertex above others, at this height.
    Vertex(Vertex, u32),
}

/// The property that vertices of one colour share: numbers, and the height.
type Colour = (Vec<u32>, u32);

/// What is drawn that is no part of a text.
#[derive(Clone, Copy)]
enum Mark {
    Variable = 64,
    Local,
    Place,
    Summand,
    Argument,
    Block,
    Atom,
}

struct Drawing<'a> {
    vocabulary: &'a Vocabulary<'a>,
    builder: GraphBuilder,
    colours: FxHashMap<Colour, u32>,
    /// Terms and statements by their colours and parts.
    known: FxHashMap<(u32, Vec<u32>), Vertex>,
    locals: FxHashMap<VariableId, Vertex>,
    /// The sorts of the parameters in scope.
    scope: Vec<SortId>,
}

/// Renamings that the text of a process and these conditions suggests.
pub(super) fn renamings(model: &Sequential, vocabulary: &Vocabulary<'_>, atoms: &[&Expr]) -> Vec<Names> {
    // Several initial states are not drawn.
    if !model.starts.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let draw = || {
        let mut drawing = Drawing::new(vocabulary, model);
        model.summands.iter().for_each(|summand| drawing.summand(summand));
        atoms.iter().enumerate().for_each(|(place, atom)| drawing.atom(place, atom));
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
    fn new(vocabulary: &'a Vocabulary<'a>, model: &Sequential) -> Drawing<'a> {
        let mut drawing = Drawing {
            vocabulary,
            builder: GraphBuilder::new(),
            colours: FxHashMap::default(),
            known: FxHashMap::default(),
            locals: FxHashMap::default(),
            scope: Vec::new(),
        };
        for variable in &model.variables {
            let mut text = vec![Mark::Variable as u32];
            vocabulary.declaration(variable, &mut text);
            drawing.vertex((text, 0));
        }
        assert_eq!(drawing.builder.len(), model.variables.len(), "the vertex of a variable has its number");
        drawing
    }

    fn colour(&mut self, colour: Colour) -> u32 {
        let next = number(self.colours.len());
        *self.colours.entry(colour).or_insert(next)
    }

    fn vertex(&mut self, colour: Colour) -> Vertex {
        limits::work(4);
        let colour = self.colour(colour);
        self.builder.add_vertex(colour)
    }

    /// The vertex with a colour that is joined to these, which exists once.
    fn term(&mut self, colour: Colour, mut parts: Vec<u32>) -> Vertex {
        limits::work(4 + parts.len() as u64);
        let colour = self.colour(colour);
        parts.sort_unstable();
        let Drawing { builder, known, .. } = self;
        *known.entry((colour, parts)).or_insert_with_key(|(colour, parts)| {
            let vertex = builder.add_vertex(*colour);
            parts.iter().for_each(|&part| builder.add_edge(vertex, Vertex::new(part)));
            vertex
        })
    }

    /// The vertex of a part, and its height.
    fn placed(&mut self, part: Part) -> (Vertex, u32) {
        match part {
            Part::Vertex(vertex, height) => (vertex, height),
            Part::Text(text, variable) => {
                let variable = variable.map(|id| number(id.index()));
                (self.term((text, 1), variable.into_iter().collect()), 1)
            }
        }
    }

    /// A part above others, which is a text if they name at most one variable.
    fn above(&mut self, head: Vec<u32>, parts: Vec<Part>, is_ordered: bool) -> Part {
        let mut variables: Vec<VariableId> = Vec::new();
        let mut is_text = true;
        for part in &parts {
            match part {
                Part::Text(_, variable) => variables.extend(variable),
                Part::Vertex(..) => is_text = false,
            }
        }
        variables.sort_unstable();
        variables.dedup();
        if is_text && variables.len() <= 1 {
            let mut texts: Vec<Vec<u32>> = parts
                .into_iter()
                .filter_map(|part| match part {
                    Part::Text(text, _) => Some(text),
                    Part::Vertex(..) => None,
                })
                .collect();
            if !is_ordered {
                texts.sort_unstable();
            }
            return Part::Text(head.into_iter().chain(texts.into_iter().flatten()).collect(), variables.pop());
        }
        let placed: Vec<(Vertex, u32)> = parts.into_iter().map(|part| self.placed(part)).collect();
        let height = 2 + placed.iter().map(|&(_, height)| height).max().unwrap_or(0);
        let last = placed.len() - 1;
        let below = placed.into_iter().enumerate().map(|(place, (vertex, _))| match is_ordered && place < last {
            true => self.term((vec![Mark::Place as u32, number(place)], height - 1), vec![vertex.number()]).number(),
            false => vertex.number(),
        });
        let below: Vec<u32> = below.collect();
        Part::Vertex(self.term((head, height), below), height)
    }

    fn all<'e>(&mut self, head: Vec<u32>, list: impl IntoIterator<Item = &'e Expr>, is_ordered: bool) -> Part {
        let parts: Vec<Part> = list.into_iter().map(|expr| self.expression(expr)).collect();
        self.above(head, parts, is_ordered)
    }

    fn expression(&mut self, expr: &Expr) -> Part {
        limits::work(1);
        let (operands, mut head) = (|| expr.operands(), Vec::new());
        self.vocabulary.head(expr, &mut head);
        match &expr.kind {
            ExprKind::Read(place) => self.place(place),
            ExprKind::And(list) | ExprKind::Or(list) => {
                let is_ordered = list.iter().any(|operand| may_fault(self.vocabulary, &mut self.scope, operand));
                self.all(head, list, is_ordered)
            }
            ExprKind::Forall(quantified) | ExprKind::Exists(quantified) => {
                self.scope.push(quantified.sort);
                let part = self.all(head, operands(), true);
                self.scope.pop();
                part
            }
            ExprKind::Binary(op, ..) => self.all(head, operands(), !is_commutative(*op)),
            _ => self.all(head, operands(), true),
        }
    }

    fn place(&mut self, place: &Place) -> Part {
        let variable = match self.locals.get(&place.variable) {
            Some(&local) => Part::Vertex(local, 0),
            None => Part::Text(vec![Head::Variable as u32], Some(place.variable)),
        };
        if place.indices.is_empty() {
            return variable;
        }
        let parts = [variable].into_iter().chain(place.indices.iter().map(|index| self.expression(index))).collect();
        self.above(vec![Head::Variable as u32], parts, true)
    }

    fn block(&mut self, body: &[Stmt]) -> Part {
        let is_ordered = !are_independent(body);
        let parts = body.iter().map(|stmt| self.statement(stmt)).collect();
        self.above(vec![Mark::Block as u32, number(body.len())], parts, is_ordered)
    }

    fn statement(&mut self, stmt: &Stmt) -> Part {
        limits::work(1);
        let head = |head: Head| vec![head as u32];
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                let parts = vec![self.place(place), self.expression(value)];
                self.above(head(Head::Assign), parts, true)
            }
            StmtKind::If(condition, then, otherwise) => {
                let parts = vec![self.expression(condition), self.block(then), self.block(otherwise)];
                self.above(head(Head::If), parts, true)
            }
            StmtKind::Var(id, value) => {
                let value = self.expression(value);
                let mut text = vec![Mark::Local as u32];
                self.vocabulary.sorts(self.vocabulary.variable(*id), &mut text);
                let local = self.vertex((text, 0));
                self.locals.insert(*id, local);
                self.above(head(Head::Var), vec![value, Part::Vertex(local, 0)], true)
            }
            StmtKind::For(parameter, body) => {
                self.scope.push(parameter.sort);
                let part = self.block(body);
                self.scope.pop();
                self.above(vec![Head::For as u32, self.vocabulary.sort(parameter.sort)], vec![part], true)
            }
            StmtKind::While(condition, body) => {
                let parts = vec![self.expression(condition), self.block(body)];
                self.above(head(Head::While), parts, true)
            }
            StmtKind::Fail(fault) => Part::Text(vec![Head::Fail as u32, self.vocabulary.class_of(fault)], None),
        }
    }

    fn summand(&mut self, summand: &Summand) {
        self.locals.clear();
        self.scope.clear();
        let mut text = vec![Mark::Summand as u32];
        self.vocabulary.header(summand, &mut text);
        self.scope.extend(summand.parameters.iter().map(|parameter| parameter.sort));
        let own = self.vertex((text, 0));
        let guard = match &summand.guard.kind {
            ExprKind::And(list) if !list.iter().any(|operand| may_fault(self.vocabulary, &mut self.scope, operand)) => {
                &list[..]
            }
            _ => std::slice::from_ref(&summand.guard),
        };
        let mut below: Vec<Part> = guard.iter().map(|operand| self.expression(operand)).collect();
        for (place, argument) in summand.arguments.iter().enumerate() {
            let part = self.expression(argument);
            let mark = vec![Mark::Argument as u32, number(place)];
            below.push(self.above(mark, vec![part], true));
        }
        match are_independent(&summand.body) {
            true => below.extend(summand.body.iter().map(|stmt| self.statement(stmt)).collect::<Vec<_>>()),
            false => below.push(self.block(&summand.body)),
        }
        for part in below {
            let (vertex, _) = self.placed(part);
            self.builder.add_edge(own, vertex);
        }
    }

    fn atom(&mut self, place: usize, atom: &Expr) {
        self.scope.clear();
        let part = self.expression(atom);
        let (vertex, _) = self.placed(part);
        let own = self.vertex((vec![Mark::Atom as u32, number(place)], 0));
        self.builder.add_edge(own, vertex);
    }
}
