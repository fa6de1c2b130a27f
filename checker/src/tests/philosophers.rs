//! The dining philosophers of [Jag10] Fig. 2, for any number.

use frontend::model::*;

use super::build::{binary, class, flag, instance, link, send, sender, server, set, this, var, variable, when};

const PHIL: u32 = 0;
const FORK: u32 = 1;

fn flags(known: u32, known_names: [&str; 2], names: &[&str]) -> Vec<Variable> {
    let rebec = Sort::Rebec(ClassId(known));
    let known = known_names.iter().map(|name| variable(name, rebec, Role::Known, Value::Null));
    known.chain(names.iter().map(|name| variable(name, Sort::Bool, Role::State, Value::Bool(false)))).collect()
}

fn known(id: u32, class: u32) -> Expr {
    var(id, Sort::Rebec(ClassId(class)))
}

fn put(variable: u32, value: bool) -> Stmt {
    set(variable, Rvalue::Expr(flag(value)))
}

fn is_sender(rebec: Expr) -> Expr {
    binary(BinaryOp::Equal, sender(), rebec)
}

fn fork() -> Class {
    let (busy, requester) = (2, 3);
    let is_busy = || var(busy, Sort::Bool);
    let again = || send(this(FORK), "request", vec![]);
    let permit = |phil| send(known(phil, PHIL), "permit", vec![]);
    let granted = |phil| vec![put(busy, true), permit(phil)];
    let from_left = when(is_busy(), vec![put(requester, true), again()], granted(0));
    let from_right = when(is_busy(), vec![put(requester, false), again()], granted(1));
    let decide = when(var(requester, Sort::Bool), vec![permit(0)], vec![permit(1)]);
    let from_self = when(is_busy(), vec![again()], vec![put(busy, true), decide]);
    let from_others = when(is_sender(known(0, PHIL)), vec![from_left], vec![from_right]);
    let request = when(is_sender(this(FORK)), vec![from_self], vec![from_others]);
    let servers = vec![
        server("initial", &[], vec![put(busy, false), put(requester, false)]),
        server("request", &[], vec![request]),
        server("release", &[], vec![put(busy, false)]),
    ];
    class(FORK, "Fork", 3, flags(PHIL, ["philL", "philR"], &["busy", "requester"]), servers)
}

fn phil() -> Class {
    let (eating, left, right) = (2, 3, 4);
    let to_self = |message| send(this(PHIL), message, vec![]);
    let to_fork = |fork, message| send(known(fork, FORK), message, vec![]);
    let clear = || vec![put(left, false), put(right, false), put(eating, false)];
    let permit = when(
        is_sender(known(0, FORK)),
        vec![put(left, true), to_fork(1, "request")],
        vec![put(right, true), to_self("eat")],
    );
    let leave = vec![to_fork(0, "release"), to_fork(1, "release"), to_self("arrive")];
    let servers = vec![
        server("initial", &[], [clear(), vec![to_self("arrive")]].concat()),
        server("arrive", &[], vec![to_fork(0, "request")]),
        server("permit", &[], vec![permit]),
        server("eat", &[], vec![put(eating, true), to_self("leave")]),
        server("leave", &[], [clear(), leave].concat()),
    ];
    class(PHIL, "Phil", 3, flags(FORK, ["forkL", "forkR"], &["eating", "fL", "fR"]), servers)
}

/// `n` philosophers around a table, `n` even: rebecs `0..n` are philosophers, `n..2n` forks. Odd philosophers take the
/// forks in the other order.
pub(crate) fn philosophers(n: u32) -> Model {
    let phil_at = |at: u32| {
        let (before, after) = (n + (at + n - 1) % n, n + at);
        let forks = if at.is_multiple_of(2) { [after, before] } else { [before, after] };
        instance(&format!("phil{at}"), PHIL, &forks)
    };
    let fork_at = |at: u32| instance(&format!("fork{at}"), FORK, &[at, (at + 1) % n]);
    let mut model = Model {
        dialect: Dialect::Rebeca20,
        features: Vec::new(),
        constants: Vec::new(),
        scalar_sets: Vec::new(),
        classes: vec![phil(), fork()],
        instances: (0..n).map(phil_at).chain((0..n).map(fork_at)).collect(),
        creatable: Vec::new(),
    };
    link(&mut model);
    model
}
