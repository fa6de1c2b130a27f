//! Codes about sorts, constants and sizes: `E03..`, found by the lowering.

super::codes! {
    TYPE_MISMATCH = "E0301", "the types do not fit",
        cause: "A value of one type stands where another is expected: in an assignment, an argument, a result or a comparison.",
        example: "boolean b = 1;",
        fix: "Use a value of the type named in the message. Integers and booleans never convert into each other.";
    BAD_OPERAND = "E0302", "an operator does not take this type",
        cause: "Arithmetic takes integers, `&& || !` take booleans, `& | ^` take two of a kind, `.` takes a rebec.",
        example: "x = true + 1;",
        fix: "Use an operand of the right type.";
    NOT_A_CONDITION = "E0303", "the condition is not a boolean",
        cause: "`if`, `while`, `for`, `?:` and `assertion` need a boolean.",
        example: "if (count) { .. }",
        fix: "Compare: `if (count != 0)`.";
    BAD_INDEXING = "E0304", "wrong number of indices",
        cause: "An array or grouped variable is read or written with more or fewer indices than it has dimensions; whole arrays are not values.",
        example: "int[2][2] m; .. m[0] = 1;",
        fix: "Give one index for each dimension.";
    BAD_INDEX = "E0305", "the index has the wrong type",
        cause: "Arrays are indexed by integers, grouped variables by scalars of their own set only: a fixed index would distinguish the members of a group.",
        example: "knownrebecs { Train trn[i:1..2]; } .. trn[1].pass();",
        fix: "Index with a scalar variable, with `i` inside `forEachValueOf(i)`, or with `.. +% n`.";
    SCALAR_RESTRICTION = "E0306", "scalars are compared and indexed only",
        cause: "A scalar takes part in `==`, `!=`, `+%` and indexing within its own set, and in nothing else ([Jag10] 3.3.2): anything more would break the symmetry that the set declares.",
        example: "if (cur < 2) { .. }   // cur is a scalar",
        fix: "Use an `int` variable if numbers are meant.";
    SCALAR_CONSTANT = "E0307", "a single value of a scalar set is named",
        cause: "A scalar gets its value from another scalar, or from a choice over all values of its set. Naming some of the values would distinguish them.",
        example: "cur = 1;   // cur is a scalar of i:1..2",
        fix: "Choose over the whole set: `cur = ?(1, 2);`.";
    FIXED_PLACE = "E0308", "this cannot be assigned",
        cause: "Only variables, parameters, locals and their elements are assigned. Known rebecs, `env` and feature variables, and the value of `forEachValueOf` are fixed.",
        example: "knownrebecs { Fork left; } .. left = null;",
        fix: "Assign to a state variable: `statevars { Fork current; }`.";
    LITERAL_TOO_LARGE = "E0309", "the number does not fit",
        cause: "Integers have 32 bits: -2147483648 to 2147483647.",
        example: "x = 3000000000;",
        fix: "Use a smaller number.";
    NOT_CONSTANT = "E0310", "not a constant",
        cause: "Bounds, array sizes, `case` labels, initial values of variables and arguments in `main` are computed before the model runs.",
        example: "statevars { int a; int b = a; }",
        fix: "Use literals, `env` constants and operators on them; assign other values in `initial` or the constructor.";
    TOO_MANY_ELEMENTS = "E0311", "too many array elements",
        cause: "A class or a body has more than 65536 elements in its variables: each is part of every state.",
        example: "int[1000000000] big;",
        fix: "Use a smaller array.";
    TOO_MANY_REBECS = "E0312", "too many rebecs",
        cause: "`main` declares more than 10000 rebecs: no state space of this width can be explored.",
        example: "a generated main with a million rebecs",
        fix: "Check a smaller instance of the system.";
    BAD_QUEUE_BOUND = "E0313", "the queue bound is wrong",
        cause: "A reactive class states the length of its queue: a constant from 1 to 65535.",
        example: "reactiveclass A(0) {}",
        fix: "Write a bound such as `reactiveclass A(3)`.";
    UNUSED_VALUE = "E0314", "a value is computed and dropped",
        cause: "A built-in function or an expression stands as a statement, and nothing uses its value.",
        example: "pow(2, x);",
        fix: "Assign the value, or remove the statement.";
    NO_VALUE = "E0315", "this has no value",
        cause: "A message send, a `void` call or an `assertion` is used where a value is needed. Messages are asynchronous: nothing comes back.",
        example: "x = fork.request();",
        fix: "Let the receiver answer by a message.";
    BAD_RETURN = "E0316", "the return does not fit",
        cause: "Message servers, constructors and `void` methods return nothing; other methods return a value of their type.",
        example: "msgsrv m() { return 3; }",
        fix: "Match the declaration.";
    BAD_JUMP = "E0317", "nothing to leave here",
        cause: "`break` stands outside loops and `switch`, or `continue` outside loops.",
        example: "msgsrv m() { break; }",
        fix: "Use `return` to leave a message server.";
    DUPLICATE_LABEL = "E0318", "a label stands twice",
        cause: "Two `case` labels of a `switch` have one value, or there are two `default`.",
        example: "switch (x) { case 1: break; case 1: break; }",
        fix: "Remove one of them.";
    NEEDS_CAST = "E0319", "a cast is needed",
        cause: "A rebec of a parent class stands where a subclass is expected: it may be of the subclass, but need not.",
        example: "knownrebecs { A a; } statevars { B b; } .. b = a;   // B extends A",
        fix: "Cast it: `b = (B) a;`. A rebec of another class is then a run-time fault with a trace.";
    MIXED_CHOICE = "E0320", "the options of a choice have different types",
        cause: "All options of `?(..)`, or both branches of `?:`, are of one type.",
        example: "x = ?(1, true);",
        fix: "Make them of one type.";
    EMPTY_RANGE = "E0321", "the scalar set is empty or too large",
        cause: "The bounds of a scalar set give from 1 to 65536 values.",
        example: "knownrebecs { T t[i:2..1]; }",
        fix: "Write the lower bound first.";
    TEXT_VALUE = "E0322", "a text is not a value",
        cause: "String literals stand as the message of `assertion(condition, \"message\")` only.",
        example: "x = \"hello\";",
        fix: "Remove the text.";
    CONSTANT_FAULT = "E0324", "the constant cannot be computed",
        cause: "Computing a constant divides by zero or leaves 32 bits.",
        example: "env int N = 1 / 0;",
        fix: "Correct the expression.";
    TOO_MANY_DECLARATIONS = "E0326", "too many declarations",
        cause: "A model has at most 2048 classes, a class at most 4096 variables and a body at most 4096 locals.",
        example: "a generated model with thousands of classes",
        fix: "Use arrays in place of numbered variables, or check a smaller instance.";
    STATE_TOO_LARGE = "E0327", "too many elements in the rebecs of `main`",
        cause: "The rebecs of `main` have more than 65536 elements in their variables together: each is part of every state.",
        example: "int[60000] big;   // in a class with two rebecs",
        fix: "Use smaller arrays, or check a smaller instance.";
    CONSTANT_RANGE = "E0325", "the constant does not fit its type",
        cause: "A constant is stored in a narrower integer that does not hold it.",
        example: "statevars { byte b = 200; }",
        fix: "Use a wider type or another value.";
}
