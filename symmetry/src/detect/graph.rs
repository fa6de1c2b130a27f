//! `main` as a coloured graph.
//!
//! Each rebec has a vertex, coloured by its class. A known rebec is a path owner - out - in - target, whose two inner vertices carry the
//! slot and the direction as colours; `null` is a target of its own. An argument is a path of the same kind to each of its possible
//! values: rebecs, or one vertex per other value, coloured by this value. For scalar sets, every rebec has one vertex per value of each
//! of its sets, and these form a directed cycle (again by paths of two coloured vertices). A grouped known rebec is joined, through a
//! vertex for the axis, to the values that give its position, and its slot colour does not contain the position.
//!
//! Invariants: vertex `i` is rebec `i` of `main`. Automorphisms of the graph and permutations that keep the drawn relations correspond
//! one to one: the neighbours and the colour determine every vertex except rebecs and scalar values.
//!
//! Complexity: linear in `main` and the sizes of the scalar sets of its rebecs.

use engine::{Graph, GraphBuilder, SparsePermutation, Vertex};
use frontend::model::{ClassId, Dimension, Model, RebecId, ScalarSetId, Sort, Value, Variable};
use rustc_hash::FxHashMap;

use crate::permutation::{ModelPermutation, add, has_set, rebecs, sets};
use crate::topology::known;

/// The relation of known rebecs that a picture keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Detail {
    /// Every position.
    Ordered,
    /// Positions up to rotations of scalar sets.
    Clusters,
    /// Only which rebecs are known.
    Channels,
}

/// The meaning of the colour of a vertex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Colour {
    Rebec(ClassId),
    Value(Value),
    /// An element of a known-rebec variable; scalar positions are left out in [`Detail::Clusters`].
    KnownOut(u32, usize),
    KnownIn,
    ChannelOut,
    ArgumentOut(usize),
    ArgumentIn,
    Scalar(ScalarSetId),
    CycleOut,
    CycleIn,
    Axis(usize),
}

/// The coloured graph of `main`, with the meanings of its vertices.
pub(super) struct Picture {
    pub(super) graph: Graph,
    /// The first vertex of the scalar values of a rebec and a set.
    scalars: FxHashMap<(RebecId, ScalarSetId), Vertex>,
}

struct Painter<'m> {
    model: &'m Model,
    detail: Detail,
    builder: GraphBuilder,
    colours: FxHashMap<Colour, u32>,
    values: FxHashMap<Value, Vertex>,
    scalars: FxHashMap<(RebecId, ScalarSetId), Vertex>,
}

impl Picture {
    /// Draws `main`.
    pub(super) fn new(model: &Model, detail: Detail) -> Picture {
        let mut painter = Painter {
            model,
            detail,
            builder: GraphBuilder::new(),
            colours: FxHashMap::default(),
            values: FxHashMap::default(),
            scalars: FxHashMap::default(),
        };
        for (rebec, instance) in rebecs(model).zip(&model.instances) {
            let vertex = painter.vertex(Colour::Rebec(instance.class));
            assert!(vertex == vertex_of(rebec), "rebecs are the first vertices");
        }
        for rebec in rebecs(model) {
            painter.scalars(rebec);
            if detail == Detail::Channels {
                painter.channels(rebec);
            } else {
                painter.known(rebec);
            }
            painter.arguments(rebec);
        }
        let graph = painter.builder.build().expect("paths between vertices that are there");
        Picture { graph, scalars: painter.scalars }
    }

    /// An automorphism as a permutation of the model.
    pub(super) fn lift(&self, model: &Model, automorphism: &SparsePermutation) -> ModelPermutation {
        let images = rebecs(model).map(|rebec| RebecId(automorphism.image(rebec.0))).collect();
        let mut lifted = ModelPermutation::of_rebecs(model, images).expect("colours keep rebecs and their classes");
        for (&(rebec, set), &first) in &self.scalars {
            let target = self.scalars[&(lifted.image(rebec), set)];
            let (size, amount) = (model.scalar_set(set).size(), automorphism.image(first.number()) - target.number());
            let turned = |at: u32| automorphism.image(first.number() + at) == target.number() + add(at, amount, size);
            debug_assert!((0..size).all(turned), "a cycle of scalars is turned as a whole");
            lifted.set_rotation(rebec, set, amount);
        }
        debug_assert_eq!(lifted.check(model), Ok(()), "an automorphism is a permutation of the model");
        lifted
    }
}

impl Painter<'_> {
    fn vertex(&mut self, colour: Colour) -> Vertex {
        let next = u32::try_from(self.colours.len()).expect("fewer colours than vertices");
        let colour = *self.colours.entry(colour).or_insert(next);
        self.builder.add_vertex(colour)
    }

    /// Adds a path from one vertex to another through two coloured ones; returns the first of these.
    fn path(&mut self, from: Vertex, out: Colour, into: Colour, to: Vertex) -> Vertex {
        let out = self.vertex(out);
        let into = self.vertex(into);
        self.builder.add_edge(from, out);
        self.builder.add_edge(out, into);
        self.builder.add_edge(into, to);
        out
    }

    fn value(&mut self, value: Value) -> Vertex {
        if let Value::Rebec(rebec) = value {
            return vertex_of(rebec);
        }
        if let Some(&vertex) = self.values.get(&value) {
            return vertex;
        }
        let vertex = self.vertex(Colour::Value(value));
        self.values.insert(value, vertex);
        vertex
    }

    fn scalars(&mut self, rebec: RebecId) {
        if self.detail != Detail::Clusters {
            return;
        }
        for set in sets(self.model).filter(|&set| has_set(self.model, rebec, set)) {
            let size = self.model.scalar_set(set).size();
            if size == 1 {
                continue;
            }
            let values: Vec<Vertex> = (0..size).map(|_| self.vertex(Colour::Scalar(set))).collect();
            self.scalars.insert((rebec, set), values[0]);
            for (at, &value) in values.iter().enumerate() {
                self.builder.add_edge(vertex_of(rebec), value);
                self.path(value, Colour::CycleOut, Colour::CycleIn, values[(at + 1) % values.len()]);
            }
        }
    }

    fn known(&mut self, rebec: RebecId) {
        let model = self.model;
        for (variable, targets) in known(model, rebec) {
            for (position, target) in targets.iter().enumerate() {
                let links = self.links(rebec, variable, position);
                let fixed = links.iter().fold(position, |rest, link| rest - link.share);
                let to = self.value(target.map_or(Value::Null, Value::Rebec));
                let out = self.path(vertex_of(rebec), Colour::KnownOut(variable.offset, fixed), Colour::KnownIn, to);
                for link in links {
                    let axis = self.vertex(Colour::Axis(link.axis));
                    self.builder.add_edge(out, axis);
                    self.builder.add_edge(axis, link.value);
                }
            }
        }
    }

    /// The scalar values that give the position of an element.
    fn links(&self, rebec: RebecId, variable: &Variable, position: usize) -> Vec<Link> {
        let (mut rest, mut stride, mut links) = (position, 1, Vec::new());
        for (axis, &dimension) in variable.dimensions.iter().enumerate().rev() {
            let len = self.model.extent(dimension) as usize;
            let index = rest % len;
            if let Dimension::Scalar(set) = dimension
                && let Some(&first) = self.scalars.get(&(rebec, set))
            {
                let value = first + u32::try_from(index).expect("within the set");
                links.push(Link { axis, value, share: index * stride });
            }
            rest /= len;
            stride *= len;
        }
        links
    }

    fn channels(&mut self, rebec: RebecId) {
        let mut targets: Vec<RebecId> = self.model.instances[rebec.index()].known.iter().copied().flatten().collect();
        targets.sort_unstable();
        targets.dedup();
        for target in targets {
            self.path(vertex_of(rebec), Colour::ChannelOut, Colour::KnownIn, vertex_of(target));
        }
    }

    /// Draws the arguments of a rebec. Arguments over scalar sets are left out: they always choose over a whole set.
    fn arguments(&mut self, rebec: RebecId) {
        let model = self.model;
        let instance = &model.instances[rebec.index()];
        let parameters = model.class(instance.class).creation_parameters(model.dialect);
        for (number, (parameter, values)) in parameters.iter().zip(&instance.arguments).enumerate() {
            if matches!(parameter.sort, Sort::Scalar(_)) {
                continue;
            }
            for &value in values {
                let to = self.value(value);
                self.path(vertex_of(rebec), Colour::ArgumentOut(number), Colour::ArgumentIn, to);
            }
        }
    }
}

/// The vertex of a rebec.
fn vertex_of(rebec: RebecId) -> Vertex {
    Vertex::new(rebec.0)
}

/// A scalar value that gives the position of an element of a grouped variable along one axis.
struct Link {
    axis: usize,
    value: Vertex,
    /// The amount that the position along this axis adds to the position of the element.
    share: usize,
}
