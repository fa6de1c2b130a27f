//! Models that are well-formed, and one small change for each rule that breaks it.

use super::{verify, verify_properties};
use crate::model::samples::*;
use crate::model::*;

/// A model with every kind of statement: methods, loops, `switch`, choices, arrays and inheritance.
fn rich() -> Model {
    let x = || read(var(0), INT);
    let add = || set(var(0), binary(BinaryOp::Add, x(), int(1)));
    let less = || binary(BinaryOp::Less, x(), int(9));
    let half = body(&[("n", INT)], &[], vec![stmt(StmtKind::Return(Some(binary(BinaryOp::Divide, x(), int(2)))))]);
    let call = Rvalue::Call { method: MethodId(0), arguments: vec![int(1)] };
    let block = vec![
        stmt(StmtKind::Let { local: LocalId(0), value: Some(Rvalue::Choose(vec![int(1), int(2)])) }),
        stmt(StmtKind::Let { local: LocalId(1), value: None }),
        set(place(Base::Local(LocalId(1)), vec![read(local(0), INT)]), int(1)),
        repeat(less(), vec![stmt(StmtKind::Continue)], vec![add()]),
        stmt(StmtKind::Assign { place: var(0), value: call.clone() }),
        stmt(StmtKind::Do(call)),
        stmt(StmtKind::Switch {
            value: x(),
            arms: vec![
                Arm { labels: vec![1], is_default: false, block: vec![stmt(StmtKind::Break)] },
                Arm { labels: vec![], is_default: true, block: vec![] },
            ],
        }),
        assert(expr(ExprKind::And(vec![less(), flag(true)]), Sort::Bool)),
        send(this(0), "initial", vec![]),
    ];
    let locals: [(&str, Sort, &[Dimension]); 2] = [("n", INT, &[]), ("a", INT, &[Dimension::Array(3)])];
    let base = class(0, "Base", 2).has("x", INT, Value::Int(0)).method("half", Some(INT), half.clone());
    let base = base.serves("initial", body(&[], &locals, block));
    let mut heir = class(1, "Heir", 2);
    heir.parent = Some(ClassId(0));
    heir.ancestors = vec![ClassId(0), ClassId(1)];
    (heir.variables, heir.methods) = (base.variables.clone(), base.methods.clone());
    let heir = heir.serves("initial", body(&[("p", BYTE)], &[], vec![]));
    let instances = vec![instance("b", 0, &[], &[]), instance("h", 1, &[], &[&[Value::Int(1), Value::Int(2)]])];
    model(Dialect::Rebeca20, vec![base, heir], instances)
}

#[test]
fn well_formed_models_break_no_rule() {
    for model in [ping_pong(), chooser(), creator(), rich()] {
        assert_eq!(verify(&model), []);
    }
}

fn block(model: &mut Model) -> &mut Block {
    &mut model.classes[0].servers[0].body.block
}

/// The broken rule, the name of the change, and the change.
type Change<'a> = (u8, &'a str, fn(&mut Model));

/// Checks that each change of a model breaks the rule, and no other rule.
fn breaks(model: fn() -> Model, changes: &[Change<'_>]) {
    for (rule, what, change) in changes {
        let mut model = model();
        change(&mut model);
        let rules: Vec<u8> = verify(&model).iter().map(|violation| violation.rule).collect();
        assert!(!rules.is_empty() && rules.iter().all(|found| found == rule), "{what}: {rules:?} instead of {rule}");
    }
}

#[test]
fn changed_tables_are_found() {
    breaks(
        rich,
        &[
            (1, "an unknown parent", |model| model.classes[1].parent = Some(ClassId(7))),
            (1, "an unknown sort", |model| model.classes[0].variables[0].sort = Sort::Scalar(ScalarSetId(0))),
            (1, "an unknown class in main", |model| model.instances[0].class = ClassId(2)),
            (1, "an unknown known rebec", |model| model.instances[0].known = vec![Some(RebecId(2))]),
            (2, "a wrong offset", |model| model.classes[0].servers[0].body.locals[1].offset = 5),
            (2, "too few initial values", |model| model.classes[0].variables[0].initial.clear()),
            (3, "an empty array", |model| {
                model.classes[0].servers[0].body.locals[1].dimensions = vec![Dimension::Array(0)];
            }),
            (3, "a huge array", |model| {
                model.classes[0].variables[0].dimensions = vec![Dimension::Array(u32::MAX), Dimension::Array(u32::MAX)];
            }),
            (4, "an initial value of another sort", |model| {
                for class in &mut model.classes {
                    class.variables[0].initial[0] = Value::Bool(true);
                }
            }),
            (5, "two classes of one name", |model| model.classes[1].name = "Base".into()),
            (5, "two rebecs of one name", |model| model.instances[1].name = "b".into()),
        ],
    );
    breaks(
        chooser,
        &[
            (3, "a scalar set upside down", |model| model.scalar_sets[0].low = 3),
            (4, "a defined scalar", |model| model.classes[0].variables[2].initial[0] = Value::Scalar(1)),
        ],
    );
}

#[test]
fn changed_classes_are_found() {
    breaks(
        rich,
        &[
            (6, "ancestors out of order", |model| model.classes[1].ancestors.reverse()),
            (6, "a cycle", |model| {
                model.classes[0].parent = Some(ClassId(1));
                model.classes[0].ancestors = vec![ClassId(0), ClassId(1)];
            }),
            (6, "a variable that differs from the inherited one", |model| {
                model.classes[1].variables[0].name = "y".into();
            }),
            (7, "an abstract member of a reactive class", |model| {
                model.classes[1].servers[0].is_abstract = true;
            }),
            (7, "a member from elsewhere", |model| model.classes[0].servers[0].declared_in = ClassId(1)),
            (8, "a creatable class that nothing makes", |model| model.creatable = vec![ClassId(0)]),
            (9, "too few arguments", |model| model.instances[1].arguments.clear()),
            (9, "an argument without a value", |model| model.instances[1].arguments[0].clear()),
            (9, "an argument that does not fit", |model| model.instances[1].arguments[0] = vec![Value::Int(200)]),
            (9, "too many known rebecs", |model| model.instances[0].known.push(None)),
            (10, "a constructor in the dialect of the papers", |model| {
                let body = Body { locals: vec![], parameters: 0, block: vec![] };
                model.classes[0].constructor = Some(Constructor { body, declared_in: ClassId(0), span: Span::NONE });
            }),
        ],
    );
    breaks(creator, &[(8, "a class that is made and not creatable", |model| model.creatable.clear())]);
    breaks(
        ping_pong,
        &[
            (9, "a known rebec of the wrong class", |model| model.instances[0].known = vec![Some(RebecId(0))]),
            (10, "a class without `initial`", |model| {
                model.classes[1].servers.remove(0);
                link(model);
            }),
        ],
    );
}

fn add_to(model: &mut Model, stmt: Stmt) {
    block(model).push(stmt);
    link(model);
}

#[test]
fn changed_expressions_are_found() {
    breaks(
        rich,
        &[
            (1, "an unknown local", |model| add_to(model, assert(read(local(9), Sort::Bool)))),
            (1, "an unknown feature", |model| add_to(model, assert(expr(ExprKind::Feature(FeatureId(0)), Sort::Bool)))),
            (11, "a condition that is an integer", |model| add_to(model, assert(int(1)))),
            (11, "an integer plus a boolean", |model| {
                add_to(
                    model,
                    set(var(0), expr(ExprKind::Binary(BinaryOp::Add, int(1).into(), flag(true).into()), INT)),
                );
            }),
            (11, "a byte expression", |model| {
                add_to(model, set(var(0), Expr { sort: BYTE, ..int(1) }));
            }),
            (12, "a missing index", |model| {
                block(model).insert(3, set(local(1), int(1)));
            }),
            (12, "a boolean index", |model| {
                block(model).insert(3, set(place(Base::Local(LocalId(1)), vec![flag(true)]), int(1)));
            }),
            (18, "a conjunction of one", |model| {
                add_to(model, assert(expr(ExprKind::And(vec![flag(true)]), Sort::Bool)));
            }),
            (18, "a nested disjunction", |model| {
                let or = |operands| expr(ExprKind::Or(operands), Sort::Bool);
                add_to(model, assert(or(vec![or(vec![flag(true), flag(true)]), flag(true)])));
            }),
            (24, "a named rebec in a body", |model| {
                let rebec = expr(ExprKind::Rebec(RebecId(0)), Sort::Rebec(ClassId(0)));
                add_to(model, assert(binary(BinaryOp::Equal, rebec, sender())));
            }),
        ],
    );
    breaks(
        chooser,
        &[
            (11, "a scalar that is computed with", |model| {
                let scalar = || read(var(2), Sort::Scalar(ScalarSetId(0)));
                add_to(model, assert(binary(BinaryOp::Less, scalar(), scalar())));
            }),
            (12, "a grouped variable indexed by an integer", |model| {
                add_to(model, set(element(1, int(1)), flag(true)));
            }),
            (13, "a known rebec that is assigned to", |model| {
                add_to(model, set(element(0, read(var(2), Sort::Scalar(ScalarSetId(0)))), null()));
            }),
            (23, "a choice over a part of a scalar set", |model| {
                let StmtKind::Assign { value: Rvalue::Choose(options), .. } = &mut block(model)[0].kind else { return };
                options.pop();
            }),
            (23, "a literal of a scalar set", |model| {
                let literal = expr(ExprKind::Scalar(1), Sort::Scalar(ScalarSetId(0)));
                add_to(model, set(var(2), literal));
            }),
        ],
    );
}

#[test]
fn changed_statements_are_found() {
    breaks(
        rich,
        &[
            (14, "a local declared twice", |model| {
                add_to(model, stmt(StmtKind::Let { local: LocalId(1), value: None }));
            }),
            (14, "a local used before its declaration", |model| {
                block(model).insert(0, set(var(0), read(local(0), INT)));
            }),
            (14, "an array with a value", |model| {
                let StmtKind::Let { value, .. } = &mut block(model)[1].kind else { return };
                *value = Some(Rvalue::Expr(int(1)));
            }),
            (15, "a missing target", |model| {
                let StmtKind::Send { targets, .. } = &mut block(model).last_mut().unwrap().kind else { return };
                targets[0] = None;
            }),
            (15, "a message that the receiver does not have", |model| add_to(model, send(this(0), "m", vec![]))),
            (16, "too many arguments", |model| {
                let call = Rvalue::Call { method: MethodId(0), arguments: vec![int(1), int(2)] };
                add_to(model, stmt(StmtKind::Do(call)));
            }),
            (16, "an expression as a statement", |model| add_to(model, stmt(StmtKind::Do(Rvalue::Expr(int(1)))))),
            (17, "a boolean stored as an integer", |model| add_to(model, set(var(0), flag(true)))),
            (19, "a choice in an update", |model| {
                add_to(model, repeat(flag(true), vec![], vec![choose(var(0), vec![int(1)])]));
            }),
            (20, "a value returned by a server", |model| add_to(model, stmt(StmtKind::Return(Some(int(1)))))),
            (20, "a method that returns another sort", |model| {
                for class in &mut model.classes {
                    class.methods[0].body.block = vec![stmt(StmtKind::Return(Some(flag(true))))];
                }
            }),
            (21, "`break` outside of a loop", |model| add_to(model, stmt(StmtKind::Break))),
            (21, "`continue` in a `switch`", |model| {
                let StmtKind::Switch { arms, .. } = &mut block(model)[6].kind else { return };
                arms[0].block = vec![stmt(StmtKind::Continue)];
            }),
            (22, "two labels that are equal", |model| {
                let StmtKind::Switch { arms, .. } = &mut block(model)[6].kind else { return };
                arms[1].labels.push(1);
            }),
            (23, "a choice without options", |model| add_to(model, choose(var(0), vec![]))),
        ],
    );
    breaks(
        chooser,
        &[
            (13, "the local of `forEachValueOf` assigned to", |model| {
                let StmtKind::ForEach { body, .. } = &mut block(model)[2].kind else { return };
                body.push(set(local(0), read(var(2), Sort::Scalar(ScalarSetId(0)))));
            }),
            (14, "the local of `forEachValueOf` behind the loop", |model| {
                let read = |place| read(place, Sort::Scalar(ScalarSetId(0)));
                add_to(model, assert(binary(BinaryOp::Equal, read(local(0)), read(var(2)))));
            }),
        ],
    );
    breaks(
        creator,
        &[(16, "too few known rebecs", |model| {
            let block = &mut model.classes[0].constructor.as_mut().unwrap().body.block;
            let StmtKind::If { then, .. } = &mut block[1].kind else { return };
            let StmtKind::Let { value: Some(Rvalue::New { known, .. }), .. } = &mut then[0].kind else { return };
            known.clear();
        })],
    );
}

#[test]
fn property_sets_are_checked() {
    let model = ping_pong();
    let count = || read(place(Base::Remote(RebecId(0), VariableId(1)), vec![]), INT);
    let zero = || binary(BinaryOp::Equal, count(), int(0));
    let atom = || Formula::Atom(zero());
    let rules = |kind| {
        let property = Property { name: "P".into(), kind, span: Span::NONE };
        let set = PropertySet { definitions: vec![], properties: vec![property] };
        verify_properties(&model, &set).iter().map(|violation| violation.rule).collect::<Vec<_>>()
    };
    let ltl = |formula| rules(PropertyKind::Ltl(formula));
    assert_eq!(rules(PropertyKind::Invariant(zero())), []);
    assert_eq!(rules(PropertyKind::Invariant(count())), [25]);
    assert_eq!(rules(PropertyKind::Invariant(binary(BinaryOp::Equal, sender(), null()))), [24]);
    assert_eq!(rules(PropertyKind::Invariant(read(var(0), Sort::Bool))), [24]);
    assert_eq!(ltl(Formula::Globally(Box::new(atom()))), []);
    assert_eq!(ltl(Formula::Not(Box::new(atom()))), [26]);
    assert_eq!(ltl(Formula::And(vec![atom(), Formula::Next(Box::new(atom()))])), []);
    assert_eq!(ltl(Formula::And(vec![atom(), atom()])), [26]);
    let unknown = read(place(Base::Remote(RebecId(0), VariableId(9)), vec![]), Sort::Bool);
    assert_eq!(ltl(Formula::Atom(unknown)), [1]);
}

#[test]
fn a_violation_says_where() {
    let mut model = rich();
    add_to(&mut model, at(4, stmt(StmtKind::Break)));
    let text = verify(&model)[0].to_string();
    assert_eq!(text, "rule 21 of well-formed models is broken in server `initial` of `Base` (4..5)");
}
