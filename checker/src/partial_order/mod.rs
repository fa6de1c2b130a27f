//! Partial order reduction of actor models: states where one rebec is expanded for all.
//!
//! The ample set of a state is all steps of one rebec `r`, if these conditions hold, else every step:
//!
//! 1. Serving its oldest message has successors only: no branch faults, meets a bound, or overflows a queue.
//! 2. It makes no rebec, unless created rebecs are renumbered (heap symmetry).
//! 3. No branch changes the value of a variable that a property reads (C2).
//! 4. No other rebec can put a message into a queue to which a branch sends, before `r` moves ([`between`], C1). The
//!    queue of `r` itself counts as one of them if a branch sends to `r`, and always if overflow matters.
//! 5. The message is of a kind that is free, not sticky ([`sticky`], C3).
//!
//! Conditions 1 to 3 are read off the memoised step, so they are about this very local state. Condition 4 is about
//! this very state: the messages in the queues of the others now, and their consequences.
//!
//! Soundness. Only `r` takes messages from its queue and writes its variables, so while others move, `r` has the same
//! oldest message and the same branches; appending to different queues commutes, and so does appending to a queue and
//! serving its oldest message. By 4 no other step appends where a branch of `r` does. So every step of others
//! commutes with every branch of `r`, and neither disables the other: room in a queue only grows when `r` waits,
//! except by its own sends. Given a path from the state to a deadlock, a fault or a state that violates an invariant:
//! if `r` moves on it, its first step can come first (it does not fault, by 1); if not, any branch of `r` can be put
//! before it, and by 3 the propositions along the path stay the same. A deadlock has no messages, so there `r` moves.
//! By 5 the second case repeats finitely often without a full expansion, which shortens the path. With formulas
//! without `X`, the ample sets are functions of the state, so the same holds for the product with an automaton.
//!
//! Creation. The identity of a created rebec depends on the creations of its class so far, so two creations do not
//! commute. Where created rebecs are renumbered, their names do not matter. Name each after its creator and the
//! number of earlier creations of that creator; then a creation depends on the history of its creator only and
//! commutes with the steps of others, and states that differ in these names only are one state of the search. Only
//! its creator can send to a new rebec before `r` moves; it is treated as any rebec of its class all the same.
//! Without renumbering a server that creates is never a singleton ample set (symmetric independence, \[Ios02\] Def.
//! 7). A class has a bounded number of rebecs: a search that never meets this bound has covered all orders all the
//! same, and where a search meets it and leaves an answer open, the model is searched again without creations in
//! ample sets.
//!
//! Overflow: a step of `r` makes room in its queue and could hide that a send to `r` overflows. Where overflow
//! matters, the steps of `r` are an ample set only if no other rebec can send to it before it moves; then each refused send of
//! others is refused in both orders.
//!
//! Weak fairness: a fair run serves `r` in the end, so the second case does not arise; the reduced run has the same
//! steps of each rebec, and a rebec that has a message keeps it until it moves. A run of a formula ends at a fault,
//! also at a refused send; so overflow matters for formulas unless it is excluded.
//!
//! Errs towards less reduction. Source: \[Jag10\] 4, \[Mod06\] 3; Lemma 6 of \[Jag10\] (`initial` is invisible) and
//! senders by known rebecs are false and not used; see `docs/warts.md`.

pub(crate) mod between;
pub(crate) mod flow;
mod loss;
mod sticky;

use bitvec::vec::BitVec;
use engine::UnionFind;
use frontend::model::{Base, Expr, ExprKind, Model, Place, PropertyKind, PropertySet, RebecId, ServerId};

use between::Between;
use flow::{Flow, Kind};
pub(crate) use loss::assigns;

/// The facts about a model and a question before the search.
#[derive(Clone, Debug)]
pub(crate) struct PartialOrder {
    /// The messages.
    pub(crate) flow: Flow,
    /// The possible receivers of sends by others.
    pub(crate) between: Between,
    /// The kinds of messages that may be singleton ample sets.
    pub(crate) free: BitVec<u64>,
    /// For each rebec of `main` the elements of its variables that a property reads.
    pub(crate) visible: Vec<Vec<usize>>,
    /// Whether hiding a refused send would matter.
    pub(crate) overflow: Overflow,
    /// Whether created rebecs are renumbered, so that a server that creates may be an ample set.
    pub(crate) renumbers: bool,
    /// Known-wrong variants.
    pub(crate) wrong: Wrong,
}

/// Whether hiding a refused send would matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Overflow {
    /// It does not: overflow is not checked, or excluded.
    Hidden,
    /// It does: it is checked, or it ends a run and the question is about runs.
    Kept,
}

/// The context of the reduction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Context {
    /// Whether hiding a refused send would matter.
    pub(crate) overflow: Overflow,
    /// Whether created rebecs are renumbered.
    pub(crate) renumbers: bool,
}

impl From<Overflow> for Context {
    fn from(overflow: Overflow) -> Context {
        Context { overflow, renumbers: false }
    }
}

mutants::mutants! {
    /// Known-wrong variants of the reduction. Only tests set any of them, to show that they are caught.
    pub(crate) struct Wrong {
        /// `initial` writes nothing visible (\[Jag10\] Lemma 6).
        initial_is_invisible,
        /// Nothing is visible.
        nothing_is_visible,
        /// Only known rebecs hold rebecs (\[Jag10\] Lemma 7 as \[Mod06\] 3.1 reads it).
        known_rebecs_only,
        /// No cycle proviso.
        no_proviso,
        /// A sticky set that is not closed under the group.
        open_sticky,
        /// A branch that faults does not count.
        faults_ignored,
        /// Overflow never matters.
        overflow_ignored,
        /// Senders do not matter.
        senders_ignored,
    }
}

/// A symmetry as it acts on kinds of messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Images {
    /// The images of the rebecs of `main`.
    pub(crate) rebecs: Vec<RebecId>,
    /// For each rebec of `main` the servers of its image that take the messages of its servers.
    pub(crate) servers: Vec<Vec<ServerId>>,
}

impl PartialOrder {
    /// Analyses a verified model. `symmetries` generate the group of a quotient, if one is used with it.
    ///
    /// # Errors
    /// The model has too many kinds of messages.
    pub(crate) fn new(
        model: &Model,
        properties: &PropertySet,
        context: impl Into<Context>,
        symmetries: &[Images],
        wrong: Wrong,
    ) -> Result<PartialOrder, TooLarge> {
        let Context { overflow, renumbers } = context.into();
        let flow = Flow::new(model, wrong.known_rebecs_only()).ok_or(TooLarge)?;
        let between = Between::new(&flow, model.instances.len()).ok_or(TooLarge)?;
        let visible = visible(model, properties);
        let candidates = flow.kinds.iter().map(|kind| {
            let class = model.class_of(kind.receiver);
            renumbers || model.creatable.is_empty() || !frontend::interpret::may_create(model, class, kind.server)
        });
        let candidates: BitVec<u64> = candidates.collect();
        let orbits = orbits(model, &flow, if wrong.open_sticky() { &[] } else { symmetries });
        let loss = loss::loss(model, &flow, &visible);
        let free = if wrong.no_proviso() { candidates } else { sticky::free(&flow, &candidates, &orbits, &loss) };
        assert_eq!(free.len(), flow.kinds.len(), "every kind of message is free or not");
        assert_eq!(visible.len(), model.instances.len(), "every rebec of `main` has its visible elements");
        let overflow = if wrong.overflow_ignored() { Overflow::Hidden } else { overflow };
        Ok(PartialOrder { flow, between, free, visible, overflow, renumbers, wrong })
    }
}

/// The model has too many kinds of messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooLarge;

/// For each rebec of `main` the elements that some property reads, ascending.
fn visible(model: &Model, properties: &PropertySet) -> Vec<Vec<usize>> {
    let mut visible = vec![Vec::new(); model.instances.len()];
    for property in &properties.properties {
        match &property.kind {
            PropertyKind::Invariant(expr) => reads(model, expr, &mut visible),
            PropertyKind::Ltl(formula) => formula.atoms().into_iter().for_each(|atom| reads(model, atom, &mut visible)),
            // Every deadlock is kept as a whole state, in which the condition is read.
            PropertyKind::End(_) => {}
        }
    }
    for elements in &mut visible {
        elements.sort_unstable();
        elements.dedup();
    }
    visible
}

fn reads(model: &Model, expr: &Expr, visible: &mut [Vec<usize>]) {
    if let ExprKind::Read(Place { base: Base::Remote(rebec, variable), .. }) = &expr.kind {
        let class = model.class(model.class_of(*rebec));
        visible[rebec.index()].extend(class.variables[variable.index()].elements());
    }
    expr.operands().into_iter().for_each(|operand| reads(model, operand, visible));
}

/// The least kind of the orbit of each kind. A kind whose image is not among the kinds is in no reachable state, for else its
/// image would be in one too.
fn orbits(model: &Model, flow: &Flow, symmetries: &[Images]) -> Vec<u32> {
    let mut kinds = UnionFind::new(flow.kinds.len());
    let is_created = |rebec: RebecId| model.ordinal(rebec).is_some();
    let image = |images: &Images, rebec: RebecId| if is_created(rebec) { rebec } else { images.rebecs[rebec.index()] };
    let server = |images: &Images, kind: &Kind| match is_created(kind.receiver) {
        true => kind.server,
        false => images.servers[kind.receiver.index()][kind.server.index()],
    };
    for images in symmetries {
        for (at, kind) in (0..).zip(&flow.kinds) {
            let moved = Kind {
                receiver: image(images, kind.receiver),
                sender: image(images, kind.sender),
                server: server(images, kind),
            };
            flow.number(moved).into_iter().for_each(|to| _ = kinds.union(at, to));
        }
    }
    kinds.least_members()
}
