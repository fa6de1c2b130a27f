//! Codes about names, declarations and inheritance: `E02..`, found by the lowering.

super::codes! {
    UNKNOWN_CLASS = "E0201", "unknown class",
        cause: "A class or interface is named that the model does not declare.",
        example: "main { Fok fork0():(); }   // the class is called Fork",
        fix: "Declare the class, or correct the name.";
    UNKNOWN_TYPE = "E0202", "unknown type",
        cause: "A declaration names a type that is neither `boolean`, `byte`, `short`, `int`, nor a class, nor a scalar set of this class.",
        example: "statevars { bool busy; }",
        fix: "Use one of the types above. Floating-point numbers and `long` do not exist in Rebeca models that are checked.";
    UNKNOWN_NAME = "E0203", "unknown name",
        cause: "An expression names something that is not in scope: no local, parameter, known rebec, variable or constant has this name.",
        example: "msgsrv m() { buzy = true; }   // the variable is called busy",
        fix: "Correct the name or declare it. The rebecs of `main` are not visible inside classes: pass them as known rebecs.";
    UNKNOWN_MESSAGE = "E0204", "unknown message",
        cause: "A message is sent that the receiver's class has no message server for. For `sender` any class may have it.",
        example: "fork.requst();   // the server is called request",
        fix: "Correct the name, or add the message server.";
    UNKNOWN_METHOD = "E0205", "unknown method",
        cause: "A call without a receiver names neither a method of the class nor a built-in function (`pow`, `sqrt`, `assertion`).",
        example: "msgsrv m() { request(); }   // a message server is sent to: self.request()",
        fix: "Correct the name; send to a message server with `self.name(..)`.";
    UNKNOWN_REBEC = "E0206", "unknown rebec",
        cause: "`main` binds a name that is no rebec of `main`.",
        example: "main { Phil p(frk):(); Fork fork():(); }",
        fix: "Correct the name. Rebecs may be used before they are declared.";
    UNKNOWN_SCALAR_SET = "E0207", "unknown scalar set",
        cause: "A group `[i]` or `forEachValueOf(i)` names a scalar set that the class does not introduce.",
        example: "statevars { boolean signal[j]; }   // no known rebecs are grouped by [j:1..2]",
        fix: "Introduce the set with grouped known rebecs: `knownrebecs { Train trn[j:1..2]; }`.";
    DUPLICATE_CLASS = "E0210", "class declared twice",
        cause: "Two classes or interfaces have one name.",
        example: "reactiveclass A(2) {} reactiveclass A(3) {}",
        fix: "Rename one of them.";
    DUPLICATE_VARIABLE = "E0211", "variable declared twice",
        cause: "Two known rebecs or state variables of a class have one name.",
        example: "statevars { int n; boolean n; }",
        fix: "Rename one of them.";
    DUPLICATE_MEMBER = "E0212", "member declared twice",
        cause: "Two message servers or methods of a class have one name. Overloading is not supported.",
        example: "msgsrv m() {} msgsrv m(int k) {}",
        fix: "Rename one of them.";
    DUPLICATE_REBEC = "E0213", "rebec declared twice",
        cause: "Two rebecs of `main` have one name.",
        example: "main { A a():(); A a():(); }",
        fix: "Rename one of them.";
    DUPLICATE_LOCAL = "E0214", "local declared twice",
        cause: "A parameter or local has the name of another one that is still in scope.",
        example: "msgsrv m(int k) { int k; }",
        fix: "Rename one of them.";
    DUPLICATE_SCALAR_SET = "E0215", "scalar set introduced twice",
        cause: "Two groups of a class introduce a scalar set of one name.",
        example: "knownrebecs { T t[i:1..2]; L l[i:1..2]; }",
        fix: "Write the bounds once and `[i]` afterwards: `L l[i]`. Lists over one set rotate together.";
    DUPLICATE_CONSTANT = "E0216", "constant declared twice",
        cause: "Two `env` or `featurevar` declarations have one name.",
        example: "env int N = 2; env int N = 3;",
        fix: "Remove one of them.";
    INHERITANCE_CYCLE = "E0220", "inheritance goes in a circle",
        cause: "A class extends itself through one or more others.",
        example: "reactiveclass A extends B (2) {} reactiveclass B extends A (2) {}",
        fix: "Break the circle.";
    BAD_PARENT = "E0221", "not something to extend or implement",
        cause: "A class extends one class and implements interfaces; an interface extends interfaces.",
        example: "reactiveclass A implements B (2) {} reactiveclass B(2) {}",
        fix: "Use `extends` for one class and `implements` for interfaces.";
    NOT_IMPLEMENTED = "E0222", "an abstract member is not implemented",
        cause: "A class that can be instantiated lacks a message server or method that its parent or interface declares.",
        example: "interface N { msgsrv send(); } reactiveclass T implements N (3) {}",
        fix: "Implement the member, or make the class abstract.";
    OVERRIDE_MISMATCH = "E0223", "an override has another signature",
        cause: "A message server or method replaces an inherited one with other parameter types, another result, or as another kind of member.",
        example: "reactiveclass A(2) { msgsrv m(int k) {} } reactiveclass B extends A (2) { msgsrv m() {} }",
        fix: "Give both the same parameters and result.";
    ABSTRACT_INSTANCE = "E0224", "an abstract class is instantiated",
        cause: "`main` or `new` makes a rebec of an abstract class or interface.",
        example: "abstract reactiveclass A(2) {} main { A a():(); }",
        fix: "Instantiate a class that extends it.";
    MISPLACED_BODY = "E0225", "an abstract member is misplaced",
        cause: "Members without body stand in interfaces, or marked `abstract` in abstract classes.",
        example: "reactiveclass A(2) { abstract msgsrv m(); }",
        fix: "Write a body, or make the class abstract.";
    SEVERAL_CONSTRUCTORS = "E0226", "more than one constructor",
        cause: "A class has more than one constructor. Overloading is not supported.",
        example: "reactiveclass A(2) { A() {} A(int k) {} }",
        fix: "Keep one of them.";
    MIXED_DIALECTS = "E0230", "two dialects in one model",
        cause: "The model has `msgsrv initial` (the papers and Core Rebeca 2.0: a message that every new rebec finds in its queue) and constructors (2.1 and later: run at once). The two start differently.",
        example: "reactiveclass A(2) { msgsrv initial() {} } reactiveclass B(2) { B() {} }",
        fix: "Use one of them throughout, or choose dialect 2.1, in which `initial` is an ordinary message server.";
    NO_MAIN = "E0231", "the model has no main",
        cause: "Without `main { .. }` there are no rebecs.",
        example: "reactiveclass A(2) {}",
        fix: "Add `main { A a():(); }`.";
    EMPTY_MAIN = "E0232", "main declares no rebec",
        cause: "A model without rebecs does nothing.",
        example: "reactiveclass A(2) {} main { }",
        fix: "Declare at least one rebec: `A a():();`.";
    NO_SUPER = "E0233", "super is not supported",
        cause: "Calls through `super` are not part of the language that is checked.",
        example: "B() { super(); }",
        fix: "Move the shared statements into a method and call that.";
    KNOWN_COUNT = "E0240", "wrong number of known rebecs",
        cause: "A rebec is given more or fewer known rebecs than its class declares (groups count once per element; inherited ones come first).",
        example: "reactiveclass A(2) { knownrebecs { A l, r; } } main { A a(a):(); }",
        fix: "Give one rebec, or `null`, for each known rebec.";
    ARGUMENT_COUNT = "E0241", "wrong number of arguments",
        cause: "A message, call or creation has more or fewer arguments than there are parameters.",
        example: "msgsrv m(int k) {}  msgsrv go() { self.m(); }",
        fix: "Give one argument for each parameter.";
    FOREIGN_VARIABLE = "E0242", "variables of another rebec are not visible",
        cause: "Rebecs share no variables: only `self.x` may be read.",
        example: "if (fork.busy) { .. }",
        fix: "Ask by message and keep the answer in a variable of your own.";
    SCALAR_SET_IN_STATE = "E0244", "a scalar set is introduced outside knownrebecs",
        cause: "New scalar sets come from grouped known rebecs only; variables use them.",
        example: "statevars { boolean busy[i:1..2]; }",
        fix: "Write the bounds in `knownrebecs`, and `busy[i]` here; or use an array: `boolean[2] busy;`.";
    C_STYLE_ARRAY = "E0245", "array dimensions stand behind the type",
        cause: "`int x[3]` is not Rebeca: brackets behind a name group it by a scalar set.",
        example: "statevars { int x[3]; }",
        fix: "Write `int[3] x;`.";
    FIXED_NAME = "E0246", "this name may not be declared",
        cause: "The name belongs to the language here: `initial` is called by the system, keywords are reserved.",
        example: "int initial() { return 1; }",
        fix: "Choose another name.";
    DEPENDENT_ITERATIONS = "W0201", "the order of forEachValueOf may matter",
        cause: "The rounds of the loop are not proved independent ([Jag10] 3.3.2): a round writes what another one reads or writes, or two rounds may send to one rebec. The loop runs over the values in ascending order, so the model has a meaning; but rotations of the scalar set need not be symmetries.",
        example: "forEachValueOf(i) { count = count + 1; }",
        fix: "Nothing needs to be done: detected symmetries are validated one by one. Independent rounds make more of them valid.";
    ALIASED_GROUP = "W0202", "one rebec stands twice in a group",
        cause: "Grouped known rebecs are bound to the same rebec more than once, and the class iterates over the group: messages of different rounds meet in one queue.",
        example: "main { Ctrl c(t, t):(); T t():(); }",
        fix: "Bind different rebecs, unless this is meant.";
    SHADOWED_PREDEFINED = "N0201", "a predefined name is shadowed",
        cause: "`self` and `sender` are predefined; a declaration of the same name hides them in its scope.",
        example: "knownrebecs { Sender sender; }",
        fix: "Rename the declaration if the predefined meaning is wanted.";
    HIDDEN_VARIABLE = "N0203", "an inherited variable is hidden",
        cause: "A class declares a variable of a name that it inherits, as in Java: it then has both. What the parent wrote uses the parent's, what the child writes and properties use the child's.",
        example: "reactiveclass B extends A (2) { statevars { int id; } }   // A has `id`",
        fix: "Nothing has to be done if two variables are meant; otherwise remove the second declaration.";
    INITIAL_IS_ORDINARY = "N0202", "initial is an ordinary message server here",
        cause: "Dialect 2.1 or a later one was requested, which has constructors, so nobody sends `initial` unless the model does.",
        example: "reactiveclass A(2) { msgsrv initial() {} }   // in dialect 2.1",
        fix: "Request no dialect for models with `msgsrv initial`.";
}
