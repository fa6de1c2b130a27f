//! The canonical text of small models, and parentheses.

use super::expressions::Names;
use super::{print, print_properties};
use crate::model::samples::*;
use crate::model::*;

#[test]
fn whole_models() {
    insta::assert_snapshot!(print(&chooser()), @r"
    reactiveclass Picker(1) {
        knownrebecs {
            Leaf leaf[i:1..2];
        }
        statevars {
            boolean marked[i];
            i current;
        }
        msgsrv initial() {
            current = ?(1, 2);
            marked[current] = true;
            forEachValueOf(i) {
                if (i == current) {
                    leaf[current +% 1].poke();
                }
            }
        }
    }

    reactiveclass Leaf(2) {
        msgsrv initial() {
        }
        msgsrv poke() {
        }
    }

    main {
        Picker p(a, b):();
        Leaf a():();
        Leaf b():();
    }
    ");
    insta::assert_snapshot!(print(&creator()), @r"
    reactiveclass Node(3) {
        knownrebecs {
            Node parent;
        }
        statevars {
            int level = 7;
        }
        Node(int depth) {
            level = depth;
            if (depth > 0) {
                Node child = new Node(self):(depth - 1);
                child.hello();
            }
        }
        msgsrv hello() {
        }
    }

    main {
        Node root(null):(2);
    }
    ");
}

#[test]
fn a_class_prints_its_own_declarations() {
    let axes = [Dimension::Array(2), Dimension::Array(2)];
    let values = [1, 0, 0, 1].map(Value::Int);
    let mut talker = class(0, "Talker", 0).serves("talk", body(&[("n", BYTE)], &[], vec![]));
    talker.kind = ClassKind::Interface;
    talker.servers[0].is_abstract = true;
    let mut base = class(1, "Base", 2).with(Role::State, "m", INT, &axes, &values);
    base = base.method("f", None, body(&[], &[], vec![])).method("g", Some(Sort::Bool), body(&[], &[], vec![]));
    base.kind = ClassKind::Abstract;
    base.methods[0].is_abstract = true;
    base.methods[1].body.block = vec![stmt(StmtKind::Return(Some(flag(true))))];
    let mut derived = class(2, "Derived", 3).serves("talk", body(&[("n", BYTE)], &[], vec![]));
    derived.variables = base.variables.clone();
    derived.methods = base.methods.clone();
    derived.methods[0] = Method { is_abstract: false, declared_in: ClassId(2), ..derived.methods[0].clone() };
    derived.parent = Some(ClassId(1));
    derived.interfaces = vec![ClassId(0)];
    derived.ancestors = vec![ClassId(0), ClassId(1), ClassId(2)];
    let mut model = model(Dialect::Rebeca21, vec![talker, base, derived], vec![]);
    model.features.push(Feature { name: "fast".into(), span: Span::NONE });
    insta::assert_snapshot!(print(&model), @r"
    featurevar fast;

    interface Talker {
        msgsrv talk(byte n);
    }

    abstract reactiveclass Base(2) {
        statevars {
            int[2][2] m = {{1, 0}, {0, 1}};
        }
        abstract void f();
        boolean g() {
            return true;
        }
    }

    reactiveclass Derived extends Base implements Talker(3) {
        msgsrv talk(byte n) {
        }
        void f() {
        }
    }

    main {
    }
    ");
}

#[test]
fn statements() {
    let x = || read(var(0), INT);
    let add = || set(var(0), binary(BinaryOp::Add, x(), int(1)));
    let positive = || binary(BinaryOp::Greater, x(), int(0));
    let arm = |labels: &[i32], is_default| Arm {
        labels: labels.to_vec(),
        is_default,
        block: vec![add(), stmt(StmtKind::Break)],
    };
    let block = vec![
        stmt(StmtKind::Let { local: LocalId(0), value: None }),
        stmt(StmtKind::Let { local: LocalId(1), value: Some(Rvalue::Choose(vec![flag(true), flag(false)])) }),
        when(positive(), vec![add()], vec![when(flag(true), vec![], vec![add()])]),
        repeat(positive(), vec![stmt(StmtKind::Continue)], vec![]),
        repeat(positive(), vec![], vec![add(), add()]),
        stmt(StmtKind::Switch { value: x(), arms: vec![arm(&[1, -2], false), arm(&[], true)] }),
        stmt(StmtKind::Block(vec![stmt(StmtKind::Return(None))])),
        stmt(StmtKind::Assert { condition: positive(), message: Some("say \"no\"\n".into()) }),
        send(expr(ExprKind::Cast(ClassId(0), Box::new(sender())), Sort::Rebec(ClassId(0))), "m", vec![]),
    ];
    let locals: [(&str, Sort, &[Dimension]); 2] = [("a", INT, &[Dimension::Array(3)]), ("b", Sort::Bool, &[])];
    let class = class(0, "C", 1).has("x", INT, Value::Int(0));
    let mut model = solo(class, &locals, block);
    model.instances[0].arguments = vec![vec![Value::Bool(true)], vec![Value::Int(-1), Value::Int(2)]];
    insta::assert_snapshot!(print(&model), @r#"
    reactiveclass C(1) {
        statevars {
            int x;
        }
        msgsrv initial() {
            int[3] a;
            boolean b = ?(true, false);
            if (x > 0) {
                x = x + 1;
            } else if (true) {
            } else {
                x = x + 1;
            }
            while (x > 0) {
                continue;
            }
            for (; x > 0; x = x + 1, x = x + 1) {
            }
            switch (x) {
                case 1:
                case -2:
                    x = x + 1;
                    break;
                default:
                    x = x + 1;
                    break;
            }
            {
                return;
            }
            assertion(x > 0, "say \"no\"\n");
            ((C)sender).m();
        }
    }

    main {
        C c():(true, ?(-1, 2));
    }
    "#);
}

#[test]
fn parentheses_stand_where_java_needs_them() {
    use BinaryOp::*;
    let model = ping_pong();
    let class = &model.classes[0];
    let names = Names { model: &model, scope: Some((class, &class.servers[0].body)) };
    let x = || read(var(1), INT);
    let p = || binary(Less, x(), int(1));
    let and = |operands| expr(ExprKind::And(operands), Sort::Bool);
    let or = |operands| expr(ExprKind::Or(operands), Sort::Bool);
    let ite = |c, a, b: Expr| {
        let sort = b.sort;
        expr(ExprKind::Ite(Box::new(c), Box::new(a), Box::new(b)), sort)
    };
    let narrow = |operand| expr(ExprKind::Narrow(Width::Byte, Box::new(operand)), INT);
    let rotate = |operand, amount| expr(ExprKind::Rotate(Box::new(operand), Box::new(amount)), INT);
    let cases = [
        (binary(Subtract, binary(Subtract, x(), x()), x()), "count - count - count"),
        (binary(Subtract, x(), binary(Subtract, x(), x())), "count - (count - count)"),
        (binary(Multiply, binary(Add, x(), int(1)), x()), "(count + 1) * count"),
        (binary(Add, x(), binary(Multiply, int(1), x())), "count + 1 * count"),
        (rotate(binary(Add, x(), int(1)), binary(Add, int(1), int(2))), "count + 1 +% (1 + 2)"),
        (binary(Add, x(), rotate(x(), int(1))), "count + (count +% 1)"),
        (binary(Subtract, x(), int(-1)), "count - -1"),
        (unary(UnaryOp::Negate, int(-1)), "-(-1)"),
        (unary(UnaryOp::Negate, unary(UnaryOp::Negate, x())), "-(-count)"),
        (unary(UnaryOp::Complement, unary(UnaryOp::Negate, x())), "~-count"),
        (unary(UnaryOp::Negate, binary(Add, x(), x())), "-(count + count)"),
        (unary(UnaryOp::Not, p()), "!(count < 1)"),
        (and(vec![p(), or(vec![p(), p()]), p()]), "count < 1 && (count < 1 || count < 1) && count < 1"),
        (or(vec![and(vec![p(), p()]), p()]), "count < 1 && count < 1 || count < 1"),
        (and(vec![binary(BitOr, p(), p()), p()]), "count < 1 | count < 1 && count < 1"),
        (binary(Equal, p(), and(vec![p(), p()])), "count < 1 == (count < 1 && count < 1)"),
        (binary(Add, ite(p(), x(), int(1)), int(2)), "(count < 1 ? count : 1) + 2"),
        (
            ite(ite(p(), p(), p()), x(), ite(p(), x(), x())),
            "(count < 1 ? count < 1 : count < 1) ? count : count < 1 ? count : count",
        ),
        (narrow(binary(Add, x(), int(1))), "(byte)(count + 1)"),
        (narrow(int(-1)), "(byte)-1"),
        (binary(Power, binary(Add, x(), int(1)), int(2)), "pow(count + 1, 2)"),
        (expr(ExprKind::InstanceOf(ClassId(1), Box::new(sender())), Sort::Bool), "sender instanceof Pong"),
        (int(i32::MIN), "-2147483648"),
    ];
    for (expr, text) in cases {
        assert_eq!(names.expr(&expr), text);
    }
}

#[test]
fn property_sets() {
    let model = ping_pong();
    let count = |rebec| read(place(Base::Remote(RebecId(rebec), VariableId(1)), vec![]), INT);
    let zero = |rebec| binary(BinaryOp::Equal, count(rebec), int(0));
    let both = || expr(ExprKind::And(vec![zero(0), zero(1)]), Sort::Bool);
    let atom = |expr| Box::new(Formula::Atom(expr));
    let property = |name: &str, kind| Property { name: name.into(), kind, span: Span::NONE };
    let until = Formula::Until(atom(zero(0)), Box::new(Formula::Finally(atom(zero(1)))));
    let progress = Formula::Globally(Box::new(Formula::Implies(atom(both()), Box::new(until))));
    let mixed = Formula::And(vec![Formula::Atom(zero(0)), Formula::Not(Box::new(progress.clone()))]);
    let properties = PropertySet {
        definitions: vec![Definition { name: "idle".into(), value: zero(0), span: Span::NONE }],
        properties: vec![
            property("Safe", PropertyKind::Invariant(both())),
            property("Progress", PropertyKind::Ltl(progress)),
            property("Mixed", PropertyKind::Ltl(mixed)),
        ],
    };
    insta::assert_snapshot!(print_properties(&model, &properties), @r"
    property {
        define {
            idle = ping.count == 0;
        }
        Assertion {
            Safe: ping.count == 0 && pong.count == 0;
        }
        LTL {
            Progress: G((ping.count == 0 && pong.count == 0) -> ((ping.count == 0) U F(pong.count == 0)));
            Mixed: ping.count == 0 && !G((ping.count == 0 && pong.count == 0) -> ((ping.count == 0) U F(pong.count == 0)));
        }
    }
    ");
}
