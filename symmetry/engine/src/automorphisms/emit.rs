//! The output of generators: the emitter certifies each on the original graph, counts it, records it for later copies, and passes it to
//! the sink.
//!
//! During the solution of a component that has isomorphic copies, the emitter also records the generators, so that they can be conjugated
//! to the copies afterwards. Recordings nest.

use crate::graph::Graph;
use crate::permutation::SparsePermutation;
use crate::search::Certifier;
use crate::union_find::UnionFind;

/// Receives generators as pairs of original vertices.
pub(crate) struct Emitter<'a> {
    graph: &'a Graph,
    sink: &'a mut dyn FnMut(&SparsePermutation),
    certifier: Certifier,
    orbits: UnionFind,
    base: Vec<u32>,
    generators: usize,
    /// Beginnings of the active recordings.
    recordings: Vec<Mark>,
    recorded: Vec<SparsePermutation>,
}

/// The facts about the group of the emitted generators.
pub(crate) struct Emitted {
    pub orbits: UnionFind,
    pub base: Vec<u32>,
    /// The number of generators.
    pub generators: usize,
}

/// The beginning of a recording.
#[derive(Clone, Copy, Debug)]
struct Mark {
    generators: usize,
    base: usize,
}

impl<'a> Emitter<'a> {
    /// An emitter that has emitted nothing yet.
    pub(crate) fn new(graph: &'a Graph, sink: &'a mut dyn FnMut(&SparsePermutation)) -> Self {
        Self {
            graph,
            sink,
            certifier: Certifier::new(graph.len()),
            orbits: UnionFind::new(graph.len()),
            base: Vec::new(),
            generators: 0,
            recordings: Vec::new(),
            recorded: Vec::new(),
        }
    }

    /// Emits one generator that a reduction guarantees.
    ///
    /// # Panics
    ///
    /// When it is not an automorphism of the original graph: reductions yield nothing else.
    pub(crate) fn emit(&mut self, pairs: Vec<(u32, u32)>) {
        assert!(self.offer(pairs), "a generator failed its certification");
    }

    /// Emits a candidate if it is an automorphism of the original graph; returns whether it is.
    pub(crate) fn offer(&mut self, mut pairs: Vec<(u32, u32)>) -> bool {
        limits::work(4 * pairs.len() as u64);
        // Large supports are certified faster in the order of memory.
        if pairs.len() > self.graph.len() / 16 {
            pairs = self.certifier.sorted(&pairs);
        }
        if !self.certifier.is_automorphism(self.graph, &pairs) {
            return false;
        }
        let generator = SparsePermutation::trusted(pairs);
        for &(point, image) in generator.pairs() {
            self.orbits.union(point, image);
        }
        self.generators += 1;
        (self.sink)(&generator);
        if !self.recordings.is_empty() {
            self.recorded.push(generator);
        }
        true
    }

    /// Adds a base point.
    pub(crate) fn emit_base(&mut self, point: u32) {
        debug_assert!((point as usize) < self.graph.len(), "a base point is a vertex");
        self.base.push(point);
    }

    /// Starts recording.
    pub(crate) fn start_recording(&mut self) {
        self.recordings.push(Mark { generators: self.recorded.len(), base: self.base.len() });
    }

    /// Ends the latest recording and emits it again under every map of `maps`, each given as pairs of original
    /// vertices ascending by the first. Returns whether the recording had base points.
    pub(crate) fn end_recording(&mut self, maps: &[Vec<(u32, u32)>]) -> bool {
        let mark = self.recordings.pop().expect("recordings end after they start");
        let generators = self.recorded[mark.generators..].to_vec();
        let base = self.base[mark.base..].to_vec();
        debug_assert!(
            maps.iter().flatten().all(|&(_, image)| (image as usize) < self.graph.len()),
            "images are vertices"
        );
        for map in maps {
            let image = |point: u32| map[map.binary_search_by_key(&point, |pair| pair.0).expect("mapped")].1;
            for generator in &generators {
                self.emit(generator.pairs().iter().map(|&(from, to)| (image(from), image(to))).collect());
            }
            self.base.extend(base.iter().map(|&point| image(point)));
        }
        if self.recordings.is_empty() {
            self.recorded.clear();
        }
        !base.is_empty()
    }

    /// The facts about the group.
    pub(crate) fn finish(self) -> Emitted {
        debug_assert!(
            self.recorded.is_empty() || !self.recordings.is_empty(),
            "recorded generators are of an open recording"
        );
        Emitted { orbits: self.orbits, base: self.base, generators: self.generators }
    }
}
