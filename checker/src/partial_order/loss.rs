//! The loss of reduction when a kind of message is sticky: a guess that steers the choice of the sticky set, never
//! its soundness.
//!
//! The loss is greatest for a message that writes nothing that a property reads and sends only into queues to which
//! no other rebec ever sends; such a message is an ample set in every state where it is oldest. A message that can
//! fault, is visible or meets other senders is rarely an ample set, and making it sticky costs little.

use bitvec::vec::BitVec;
use frontend::model::{Base, Block, Class, MethodId, Model, Rvalue, StmtKind, Variable, VariableId};

use super::flow::Flow;

/// The value of each kind.
pub(super) fn loss(model: &Model, flow: &Flow, visible: &[Vec<usize>]) -> Vec<u32> {
    let mut senders: Vec<BitVec<u64>> = vec![BitVec::repeat(false, flow.rebecs); flow.rebecs];
    for (at, kind) in flow.kinds.iter().enumerate() {
        for arrow in flow.sends[at].iter().filter(|arrow| !arrow.is_birth) {
            senders[flow.kinds[arrow.to as usize].receiver.index()].set(kind.receiver.index(), true);
        }
    }
    let kinds = flow.kinds.iter().enumerate().map(|(at, kind)| {
        let class = model.class(model.class_of(kind.receiver));
        let mut targets = flow.sends[at].iter().map(|arrow| flow.kinds[arrow.to as usize].receiver.index());
        let meets_others = targets.any(|target| senders[target].count_ones() > 1);
        let elements = visible.get(kind.receiver.index()).map_or(&[][..], Vec::as_slice);
        let mut seen = vec![false; class.methods.len()];
        let body = &class.servers[kind.server.index()].body;
        let shows = writes(class, &body.block, elements, &mut seen);
        u32::from(!meets_others) + u32::from(!shows)
    });
    kinds.collect()
}

fn shows(class: &Class, variable: VariableId, visible: &[usize]) -> bool {
    let elements = class.variables[variable.index()].elements();
    visible.iter().any(|element| elements.contains(element))
}

/// Whether statements, or a method that they call, assign to a variable.
pub(crate) fn assigns(class: &Class, block: &Block, variable: &Variable) -> bool {
    writes(class, block, &variable.elements().collect::<Vec<_>>(), &mut vec![false; class.methods.len()])
}

/// Whether statements assign to a visible variable.
fn writes(class: &Class, block: &Block, visible: &[usize], seen: &mut [bool]) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Assign { place, value } => {
            matches!(place.base, Base::Variable(variable) if shows(class, variable, visible))
                || called(value).is_some_and(|method| enter(class, method, visible, seen))
        }
        StmtKind::Let { value: Some(value), .. } | StmtKind::Do(value) => {
            called(value).is_some_and(|method| enter(class, method, visible, seen))
        }
        _ => stmt.blocks().into_iter().any(|block| writes(class, block, visible, seen)),
    })
}

fn called(value: &Rvalue) -> Option<MethodId> {
    if let Rvalue::Call { method, .. } = value { Some(*method) } else { None }
}

fn enter(class: &Class, method: MethodId, visible: &[usize], seen: &mut [bool]) -> bool {
    !std::mem::replace(&mut seen[method.index()], true)
        && writes(class, &class.methods[method.index()].body.block, visible, seen)
}
