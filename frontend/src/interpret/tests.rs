//! The meaning of bodies: faults, choices, control flow, creation, starts and replay, on models built by hand.

use super::trace::replay;
use super::*;
use crate::model::samples::*;
use crate::model::{
    Arm, Base, BinaryOp, Block, Class, ClassId, Dialect, Dimension, ExprKind, Feature, LocalId, MethodId, Model,
    RebecId, Role, Rvalue, ScalarSet, ScalarSetId, Sort, StmtKind, Value, VariableId, Width,
};
use crate::source::Span;

const C: RebecId = RebecId(0);

fn bounds() -> Bounds {
    Bounds { max_rebecs: 4, max_statements: 1_000, max_calls: 200, max_work: 20_000 }
}

fn first(model: &Model) -> State {
    starts(model, &bounds()).next().unwrap().result.unwrap()
}

/// The results of the first message of the only rebec.
fn results(model: &Model) -> Vec<Result<State, Stop>> {
    step_results(model, &bounds(), &first(model), C).into_iter().map(|step| step.result).collect()
}

/// The variables of `c` after `initial` with the given block, in each branch, or the fault.
fn run(class: Class, locals: &[(&str, Sort, &[Dimension])], block: Block) -> Vec<Result<Vec<Value>, FaultKind>> {
    let outcome = |result| match result {
        Ok(state) => Ok(State::rebec(&state, C).unwrap().values.clone()),
        Err(Stop::Fault(fault)) => Err(fault.kind),
        Err(Stop::Limit(limit)) => panic!("{limit:?}"),
    };
    results(&solo(class, locals, block)).into_iter().map(outcome).collect()
}

fn counter() -> Class {
    class(0, "C", 2).has("x", INT, Value::Int(0)).has("y", BYTE, Value::Int(0))
}

fn ints(x: i32, y: i32) -> Result<Vec<Value>, FaultKind> {
    Ok(vec![Value::Int(x), Value::Int(y)])
}

fn x() -> crate::model::Expr {
    read(var(0), INT)
}

fn add(place_id: u32, amount: i32) -> crate::model::Stmt {
    set(var(place_id), binary(BinaryOp::Add, read(var(place_id), INT), int(amount)))
}

#[test]
fn a_ball_is_passed_until_the_players_stop() {
    let model = ping_pong();
    let mut states = vec![first(&model)];
    while let Some(step) = successors(&model, &bounds(), states.last().unwrap()).into_iter().next() {
        states.push(step.result.unwrap());
    }
    assert!(states.last().unwrap().is_deadlock());
    assert_eq!(states.len(), 5, "two initial messages and two balls");
    let counts: Vec<Value> = states[4].rebecs.iter().flatten().map(|rebec| rebec.values[1]).collect();
    assert_eq!(counts, [Value::Int(2), Value::Int(1)]);
    let trace = replay(&model, &bounds(), &states, None).unwrap();
    assert_eq!(trace.states().cloned().collect::<Vec<_>>(), states);
    let mut lasso = trace;
    assert!(!lasso.close(0, State::is_deadlock) && lasso.close(4, State::is_deadlock));
    assert_eq!(lasso.cycle_from, Some(4));
    states.swap(1, 2);
    assert_eq!(replay(&model, &bounds(), &states, None).unwrap_err().index, 1);
}

#[test]
fn choices_branch_in_order_and_only_the_chosen_option_is_evaluated() {
    let by_zero = binary(BinaryOp::Divide, int(1), int(0));
    let block = vec![choose(var(0), vec![int(1), by_zero, int(2)]), choose(var(1), vec![int(3), int(4)])];
    let expected = [ints(1, 3), ints(1, 4), Err(FaultKind::DivisionByZero), ints(2, 3), ints(2, 4)];
    assert_eq!(run(counter(), &[], block), expected);
}

#[test]
fn stored_integers_are_checked_against_their_width() {
    let narrowing = |value| Err(FaultKind::Narrowing { value, width: Width::Byte });
    assert_eq!(run(counter(), &[], vec![set(var(1), int(127))]), [ints(0, 127)]);
    assert_eq!(run(counter(), &[], vec![set(var(1), int(128))]), [narrowing(128)]);
    assert_eq!(run(counter(), &[("b", BYTE, &[])], vec![let_(0, int(-129))]), [narrowing(-129)]);
    assert_eq!(run(counter(), &[], vec![choose(var(1), vec![int(200)])]), [narrowing(200)]);
}

#[test]
fn queues_are_bounded_and_the_served_message_has_left() {
    let ping = || send(this(0), "initial", vec![]);
    let full = FaultKind::QueueOverflow { receiver: C, bound: 1 };
    let class = || class(0, "C", 1);
    assert_eq!(run(class(), &[], vec![ping()]), [Ok(vec![])], "the bound counts what is queued behind the message");
    assert_eq!(run(class(), &[], vec![ping(), ping()]), [Err(full.clone())]);
    let late = vec![ping(), at(9, ping()), assert(flag(false))];
    let result = results(&solo(class(), &[], late)).pop().unwrap();
    assert_eq!(result, Err(Stop::Fault(Fault { kind: full, span: Span::new(9, 10) })), "effects come first");
    let early = vec![assert(flag(false)), ping(), ping()];
    assert_eq!(run(class(), &[], early), [Err(FaultKind::AssertionFailed(None))]);
}

#[test]
fn receivers_are_checked_after_the_arguments_are_evaluated() {
    let by_zero = || binary(BinaryOp::Divide, int(1), int(0));
    let to = |receiver, name: &str, arguments| run(counter(), &[], vec![send(receiver, name, arguments)]);
    assert_eq!(to(null(), "initial", vec![by_zero()]), [Err(FaultKind::DivisionByZero)]);
    assert_eq!(to(null(), "initial", vec![]), [Err(FaultKind::NullReceiver)]);
    let unknown = |message: &str| Err(FaultKind::NotUnderstood { receiver: C, message: message.into() });
    assert_eq!(to(sender(), "ball", vec![]), [unknown("ball")]);
    assert_eq!(to(sender(), "initial", vec![int(1)]), [unknown("initial")]);
    assert_eq!(to(sender(), "initial", vec![]), [ints(0, 0)], "`sender` of `initial` is the rebec itself");
}

#[test]
fn arguments_are_converted_to_the_parameters() {
    let with = |argument| {
        let class = counter().serves("m", body(&[("n", BYTE)], &[], vec![]));
        results(&solo(class, &[], vec![send(sender(), "m", vec![argument])])).pop().unwrap()
    };
    let kind = |argument| match with(argument) {
        Err(Stop::Fault(fault)) => fault.kind,
        other => panic!("{other:?}"),
    };
    assert_eq!(with(int(-128)).unwrap().rebec(C).unwrap().queue[0].arguments, [Value::Int(-128)]);
    assert_eq!(kind(int(300)), FaultKind::Narrowing { value: 300, width: Width::Byte });
    assert_eq!(kind(flag(true)), FaultKind::NotUnderstood { receiver: C, message: "m".into() });
}

#[test]
fn loops_and_switches_follow_java() {
    let less = |n| binary(BinaryOp::Less, x(), int(n));
    let odd = binary(BinaryOp::Equal, binary(BinaryOp::Remainder, x(), int(2)), int(1));
    let body = vec![when(odd, vec![stmt(StmtKind::Continue)], vec![]), add(1, 1)];
    assert_eq!(run(counter(), &[], vec![repeat(less(5), body, vec![add(0, 1)])]), [ints(5, 3)]);
    let body = vec![add(0, 1), when(less(3), vec![], vec![stmt(StmtKind::Break)])];
    assert_eq!(run(counter(), &[], vec![repeat(flag(true), body, vec![])]), [ints(3, 0)]);
    let arm = |labels: &[i32], is_default, block| Arm { labels: labels.to_vec(), is_default, block };
    let switch = |value| {
        let arms = vec![
            arm(&[1], false, vec![add(0, 1)]),
            arm(&[], true, vec![add(0, 10)]),
            arm(&[2, 3], false, vec![add(0, 100), stmt(StmtKind::Break)]),
            arm(&[4], false, vec![add(0, 1000), stmt(StmtKind::Return(None))]),
        ];
        run(counter(), &[], vec![stmt(StmtKind::Switch { value: int(value), arms }), add(1, 1)])
    };
    assert_eq!(switch(1), [ints(111, 1)]);
    assert_eq!(switch(3), [ints(100, 1)]);
    assert_eq!(switch(4), [ints(1000, 0)]);
    assert_eq!(switch(9), [ints(110, 1)], "`default` falls through to what follows it");
}

#[test]
fn endless_bodies_have_no_other_outcome() {
    let forever = at(5, repeat(flag(true), vec![add(0, 0)], vec![]));
    let model = solo(counter(), &[], vec![choose(var(0), vec![int(1), int(2)]), forever]);
    let endless = Fault { kind: FaultKind::Endless, span: Span::new(5, 6) };
    assert_eq!(results(&model), [Err(Stop::Fault(endless.clone()))]);
    let state = first(&model);
    let trace = replay(&model, &bounds(), std::slice::from_ref(&state), Some((C, &endless))).unwrap();
    assert_eq!(trace.stop(), Some((C, &Stop::Fault(endless.clone()))));
    assert_eq!(replay(&model, &bounds(), &[state.clone(), state], Some((C, &endless))).unwrap_err().index, 1);
}

#[test]
fn recursion_without_end_is_too_deep_on_any_stack() {
    let call = || stmt(StmtKind::Do(Rvalue::Call { method: MethodId(0), arguments: vec![] }));
    let recursive = move |depth, bounds: Bounds| {
        let nested = (0..depth).fold(call(), |inner, _| when(flag(true), vec![inner], vec![]));
        let model = solo(counter().method("f", None, body(&[], &[], vec![nested])), &[], vec![call()]);
        step_results(&model, &bounds, &first(&model), C).pop().unwrap().result
    };
    let few = Bounds { max_calls: 100, ..bounds() };
    assert!(matches!(recursive(6, few), Err(Stop::Fault(Fault { kind: FaultKind::TooDeep, .. }))));
    let small = std::thread::Builder::new().stack_size(1 << 18);
    let deep = small.spawn(move || recursive(6, Bounds { max_calls: 100_000, ..Bounds::default() })).unwrap();
    assert!(matches!(deep.join().unwrap(), Err(Stop::Fault(Fault { kind: FaultKind::TooDeep, .. }))));
    let work = Bounds { max_calls: u32::MAX, ..bounds() };
    assert_eq!(recursive(6, work), Err(Stop::Limit(ExecutionLimit::Work)));
}

#[test]
fn calls_nest_up_to_the_bound_and_return() {
    let positive = binary(BinaryOp::Greater, read(local(0), INT), int(0));
    let less = binary(BinaryOp::Subtract, read(local(0), INT), int(1));
    let call = |argument| Rvalue::Call { method: MethodId(0), arguments: vec![argument] };
    let deeper = stmt(StmtKind::Let { local: LocalId(1), value: Some(call(less)) });
    let more = stmt(StmtKind::Return(Some(binary(BinaryOp::Add, read(local(1), INT), int(1)))));
    let block = vec![when(positive, vec![deeper, more], vec![]), stmt(StmtKind::Return(Some(int(0))))];
    let method = body(&[("n", INT)], &[("m", INT, &[])], block);
    let count = |n, bounds: Bounds| {
        let block = vec![stmt(StmtKind::Assign { place: var(0), value: call(int(n)) })];
        let model = solo(counter().method("count", Some(INT), method.clone()), &[], block);
        let result = step_results(&model, &bounds, &first(&model), C).pop().unwrap().result;
        result.map(|state| State::rebec(&state, C).unwrap().values[0])
    };
    assert_eq!(count(600, Bounds::default()), Ok(Value::Int(600)));
    assert_eq!(count(100_000, Bounds::default()), Ok(Value::Int(100_000)));
    let few = Bounds { max_calls: 10, ..bounds() };
    assert_eq!(count(8, few), Ok(Value::Int(8)), "the server and nine calls");
    assert!(matches!(count(9, few), Err(Stop::Fault(Fault { kind: FaultKind::TooDeep, .. }))));
}

#[test]
fn too_many_branches_are_a_limit() {
    let block = (0..20).map(|_| choose(var(0), vec![int(1), int(2)])).collect();
    assert_eq!(results(&solo(counter(), &[], block)), [Err(Stop::Limit(ExecutionLimit::Work))]);
}

#[test]
fn methods_return_values_and_miss_them() {
    let twice = binary(BinaryOp::Multiply, read(local(0), INT), int(2));
    let positive = binary(BinaryOp::Greater, read(local(0), INT), int(0));
    let method = body(&[("n", INT)], &[], vec![when(positive, vec![stmt(StmtKind::Return(Some(twice)))], vec![])]);
    let call = |argument| {
        let value = Rvalue::Call { method: MethodId(0), arguments: vec![int(argument)] };
        let block = vec![stmt(StmtKind::Assign { place: var(0), value })];
        run(counter().method("twice", Some(BYTE), method.clone()), &[], block)
    };
    assert_eq!(call(21), [ints(42, 0)]);
    assert_eq!(call(0), [Err(FaultKind::MissingResult)]);
    assert_eq!(call(100), [Err(FaultKind::Narrowing { value: 200, width: Width::Byte })]);
}

#[test]
fn indices_are_checked_and_come_before_the_value() {
    let row = [Dimension::Array(2), Dimension::Array(3)];
    let class = || class(0, "C", 2).with(Role::State, "a", INT, &row, &[Value::Int(0); 6]);
    let cell = |i, j| place(Base::Variable(VariableId(0)), vec![int(i), int(j)]);
    let by_zero = binary(BinaryOp::Divide, int(1), int(0));
    let mut expected = vec![Value::Int(0); 6];
    expected[5] = Value::Int(4);
    assert_eq!(run(class(), &[], vec![set(cell(1, 2), int(4))]), [Ok(expected)]);
    let outside = |index, len| Err(FaultKind::IndexOutOfRange { index, len });
    assert_eq!(run(class(), &[], vec![set(cell(0, 3), by_zero)]), [outside(3, 3)]);
    assert_eq!(run(class(), &[], vec![set(cell(-1, 0), int(1))]), [outside(-1, 2)]);
}

#[test]
fn scalars_are_chosen_compared_and_rotated() {
    let model = chooser();
    let steps = step_results(&model, &bounds(), &first(&model), C);
    let chosen: Vec<Value> = steps.iter().map(|step| step.choices[0].value).collect();
    assert_eq!(chosen, [Value::Scalar(1), Value::Scalar(2)]);
    let state = steps[0].result.as_ref().unwrap();
    assert_eq!(state.rebec(C).unwrap().values[2..], [Value::Bool(true), Value::Bool(false), Value::Scalar(1)]);
    assert_eq!(state.rebec(RebecId(2)).unwrap().queue.len(), 2, "the next leaf is poked");
    assert_eq!(state.rebec(RebecId(1)).unwrap().queue.len(), 1);
}

#[test]
fn an_undefined_scalar_is_not_read() {
    let mut model = chooser();
    let block = &mut model.classes[0].servers[0].body.block;
    block.remove(0);
    let result = results(&model).pop().unwrap();
    assert!(matches!(result, Err(Stop::Fault(Fault { kind: FaultKind::UndefinedScalar, .. }))));
}

#[test]
fn constructors_run_nested_and_their_creation_comes_first() {
    let model = creator();
    let all: Vec<Start> = starts(&model, &bounds()).collect();
    assert_eq!(all.len(), 1);
    let state = all[0].result.as_ref().unwrap();
    let names: Vec<String> = state.identities().map(|id| model.rebec_name(id)).collect();
    assert_eq!(names, ["root", "Node#1", "Node#2"]);
    let levels: Vec<Value> = state.rebecs.iter().flatten().map(|rebec| rebec.values[1]).collect();
    assert_eq!(levels, [Value::Int(2), Value::Int(1), Value::Int(0)]);
    assert_eq!(state.rebec(RebecId(2)).unwrap().values[0], Value::Rebec(RebecId(1)));
    assert_eq!(state.rebec(RebecId(1)).unwrap().queue[0].sender, RebecId(0));
    assert_eq!(state.heap(&model).created, [2]);
}

#[test]
fn creation_is_bounded() {
    let mut model = creator();
    model.instances[0].arguments = vec![vec![Value::Int(1), Value::Int(5)]];
    let all: Vec<Start> = starts(&model, &bounds()).collect();
    assert_eq!(all[0].arguments, [(C, 0, Value::Int(1))]);
    assert!(all[0].result.is_ok());
    assert_eq!(all[1].result, Err((C, Stop::Limit(ExecutionLimit::Rebecs(ClassId(0))))));
}

#[test]
fn a_new_rebec_of_the_papers_finds_initial_from_its_creator() {
    let make = Rvalue::New { class: ClassId(1), known: vec![this(0)], arguments: vec![int(3)] };
    let maker = class(0, "M", 2).serves("initial", body(&[], &[], vec![stmt(StmtKind::Do(make))]));
    let made = class(1, "N", 1).knows("m", 0).serves("initial", body(&[("n", BYTE)], &[], vec![]));
    let mut model = model(Dialect::Rebeca20, vec![maker, made], vec![instance("m", 0, &[], &[])]);
    model.creatable = vec![ClassId(1)];
    let server = model.classes[0].server("initial").unwrap();
    assert!(may_create(&model, ClassId(0), server) && !may_create(&model, ClassId(1), server));
    let state = results(&model).pop().unwrap().unwrap();
    let rebec = state.rebec(RebecId(1)).unwrap();
    assert_eq!(rebec.values, [Value::Rebec(C)]);
    assert_eq!(rebec.queue, [Message { server, sender: C, arguments: vec![Value::Int(3)] }]);
}

/// In a constructor `sender` is the rebec that is made, also where another constructor makes it.
#[test]
fn a_constructor_is_its_own_sender() {
    let make = Rvalue::New { class: ClassId(1), known: vec![], arguments: vec![] };
    let maker = class(0, "M", 2).built_by(body(&[], &[], vec![stmt(StmtKind::Do(make))]));
    let greets = body(&[], &[], vec![send(sender(), "hello", vec![])]);
    let made = class(1, "N", 1).serves("hello", body(&[], &[], vec![])).built_by(greets);
    let mut model = model(Dialect::Rebeca21, vec![maker, made], vec![instance("m", 0, &[], &[])]);
    model.creatable = vec![ClassId(1)];
    let state = starts(&model, &bounds()).next().unwrap().result.expect("the new rebec understands it");
    assert_eq!(state.rebec(RebecId(1)).unwrap().queue[0].sender, RebecId(1));
    assert!(state.rebec(C).unwrap().queue.is_empty());
}

#[test]
fn known_rebecs_of_new_ones_are_checked_against_their_class() {
    let made = || Rvalue::New { class: ClassId(1), known: vec![this(0)], arguments: vec![] };
    let maker = class(0, "M", 2).serves("initial", body(&[], &[], vec![stmt(StmtKind::Do(made()))]));
    let mut model =
        model(Dialect::Rebeca20, vec![maker, class(1, "N", 1).knows("n", 1)], vec![instance("m", 0, &[], &[])]);
    model.creatable = vec![ClassId(1)];
    let Err(Stop::Fault(fault)) = results(&model).pop().unwrap() else { panic!("`m` is no `N`") };
    assert_eq!(fault.kind, FaultKind::WrongClass { rebec: C, class: ClassId(1) });
}

#[test]
fn starts_cover_features_arguments_and_constructors() {
    let constructor = body(&[("n", INT)], &[], vec![choose(var(0), vec![int(1), int(2)]), add(0, 0)]);
    let class = class(0, "C", 1).has("x", INT, Value::Int(0)).built_by(constructor);
    let rebec = |name| instance(name, 0, &[], &[&[Value::Int(0), Value::Int(1)]]);
    let mut model = model(Dialect::Rebeca21, vec![class], vec![rebec("a"), rebec("b")]);
    model.features.push(Feature { name: "f".into(), span: Span::NONE });
    let all: Vec<Start> = starts(&model, &bounds()).collect();
    assert_eq!(all.len(), 2 * 4 * 4);
    assert_eq!(all[0].features, [false]);
    assert_eq!(all[31].features, [true]);
    let last = &all[31];
    assert_eq!(last.arguments, [(RebecId(0), 0, Value::Int(1)), (RebecId(1), 0, Value::Int(1))]);
    assert_eq!(last.choices.len(), 2);
    let values: Vec<Value> = last.result.as_ref().unwrap().rebecs.iter().flatten().map(|r| r.values[0]).collect();
    assert_eq!(values, [Value::Int(2), Value::Int(2)]);
}

#[test]
fn a_fault_of_a_constructor_is_replayed_without_states() {
    let constructor = body(&[], &[], vec![at(3, assert(flag(false)))]);
    let class = class(0, "C", 1).built_by(constructor);
    let model = model(Dialect::Rebeca21, vec![class], vec![instance("c", 0, &[], &[])]);
    let fault = Fault { kind: FaultKind::AssertionFailed(None), span: Span::new(3, 4) };
    let trace = replay(&model, &bounds(), &[], Some((C, &fault))).unwrap();
    assert_eq!(trace.start.result, Err((C, Stop::Fault(fault.clone()))));
    let other = Fault { kind: FaultKind::DivisionByZero, span: Span::NONE };
    assert_eq!(replay(&model, &bounds(), &[], Some((C, &other))).unwrap_err().index, 0);
}

#[test]
fn properties_read_named_rebecs() {
    let model = ping_pong();
    let state = first(&model);
    let remote = |rebec, variable, sort| read(place(Base::Remote(RebecId(rebec), VariableId(variable)), vec![]), sort);
    let knows = binary(
        BinaryOp::Equal,
        remote(0, 0, Sort::Rebec(ClassId(1))),
        crate::model::Expr { kind: ExprKind::Rebec(RebecId(1)), sort: Sort::Rebec(ClassId(1)), span: Span::NONE },
    );
    assert_eq!(evaluate_in_state(&model, &state, &knows), Ok(Value::Bool(true)));
    assert_eq!(evaluate_in_state(&model, &state, &remote(1, 1, BYTE)), Ok(Value::Int(0)));
}

#[test]
fn for_each_runs_in_ascending_order_and_can_be_left() {
    let scalar = Sort::Scalar(ScalarSetId(0));
    let double = set(var(0), binary(BinaryOp::Multiply, x(), int(2)));
    let is_last = binary(BinaryOp::Equal, read(local(0), scalar), read(local(1), scalar));
    let each = |body| stmt(StmtKind::ForEach { set: ScalarSetId(0), local: LocalId(0), body });
    let keep = set(local(1), read(local(0), scalar));
    let block = vec![
        stmt(StmtKind::Let { local: LocalId(1), value: None }),
        each(vec![keep, add(0, 1), double]),
        each(vec![when(is_last, vec![stmt(StmtKind::Break)], vec![]), add(1, 1)]),
    ];
    let mut model = solo(counter(), &[("i", scalar, &[]), ("last", scalar, &[])], block);
    let (name, class, span) = ("i".to_owned(), ClassId(0), Span::NONE);
    model.scalar_sets.push(ScalarSet { name, class, low: -1, high: 1, span });
    let state = results(&model).pop().unwrap().unwrap();
    assert_eq!(state.rebec(C).unwrap().values, [Value::Int(14), Value::Int(2)]);
}

#[test]
fn faults_are_described_in_the_names_of_the_model() {
    let model = ping_pong();
    let text = |kind: FaultKind| describe_fault(&model, &kind);
    assert_eq!(
        text(FaultKind::QueueOverflow { receiver: RebecId(1), bound: 2 }),
        "the queue of `pong` is full (bound 2)"
    );
    assert_eq!(text(FaultKind::AssertionFailed(Some("no".into()))), "assertion failed: \"no\"");
    assert_eq!(text(FaultKind::Narrowing { value: 200, width: Width::Byte }), "`200` does not fit into `byte`");
    assert_eq!(text(FaultKind::IndexOutOfRange { index: 5, len: 3 }), "index 5 is outside 0..2");
    let unknown = FaultKind::NotUnderstood { receiver: RebecId(0), message: "m".into() };
    assert_eq!(text(unknown), "`ping` does not understand `m`");
    assert_eq!(text(FaultKind::WrongClass { rebec: RebecId(0), class: ClassId(1) }), "`ping` is not a `Pong`");
}
