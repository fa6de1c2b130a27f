//! Codes of Murphi: `E08..`.

super::codes! {
    MURPHI_CHARACTER = "E0801", "a character that is no part of Murphi",
        cause: "Outside comments and texts a model holds names, numbers and the operators of the language only.",
        example: "x := x @ 1;",
        fix: "Remove the character. Names are made of ASCII letters, digits and `_`.";
    MURPHI_OPEN = "E0802", "a comment or text that is never closed",
        cause: "`/*` opens a comment that ends at `*/`, and a quote a text that ends at the next quote; there is none. A backslash takes the quote behind it into the text.",
        example: "rule \"step\\\" begin end;",
        fix: "Close it. A comment of one line is written `-- ..`.";
    MURPHI_UNEXPECTED = "E0803", "something else is expected here",
        cause: "The text does not follow the grammar of Murphi at this place.",
        example: "if x = 1 do y := 2; end;",
        fix: "Write what the message expects. Assignments are `place := value`, statements are separated by `;`, and blocks are closed by `end`.";
    MURPHI_TOO_DEEP = "E0804", "nested too deeply",
        cause: "Expressions, statements, rules and types are nested at most 256 levels deep; chains of `&` and `|` count as one level.",
        example: "a generated condition with thousands of parentheses",
        fix: "Use `forall` and `exists`, functions, or shorter conditions.";
    MURPHI_NUMBER = "E0805", "the number does not fit",
        cause: "Integers have 32 bits: -2147483648 to 2147483647. A leading zero makes a number octal, `0x` hexadecimal.",
        example: "const N: 3000000000;",
        fix: "Use a smaller number, and leave leading zeros out.";
    MURPHI_CHAINED = "E0806", "the operator cannot be chained",
        cause: "Comparisons and `->` do not associate: `a < b < c` and `a -> b -> c` have no meaning.",
        example: "invariant 0 < x < 3;",
        fix: "Write `0 < x & x < 3`, or set parentheses.";
    MURPHI_REAL = "E0807", "real numbers",
        cause: "CMurphi has a type `real` and numbers with a fraction; they are not supported, since states are compared exactly.",
        example: "var t: real(5, 99);",
        fix: "Use a range of integers, scaled if necessary.";
    MURPHI_PROBABILITY = "E0808", "a probabilistic construct",
        cause: "CMurphi reads rules whose guard is a probability, and formulas `pctl`. Here a rule is enabled or not.",
        example: "pctl [x until <= 10 !x] > 0;",
        fix: "Write the rules without probabilities: every rule that can happen is tried.";
    MURPHI_UNSUPPORTED = "E0809", "a construct of CMurphi that is not supported",
        cause: "Functions in C++ (`externfun`, `externproc`) and priorities of rules are left out.",
        example: "rule 3 \"urgent\" x = 1 ==> begin x := 2; end;",
        fix: "Write functions in Murphi, and conditions in guards.";
    MURPHI_UNKNOWN_NAME = "E0810", "there is no such name",
        cause: "A name is used that is not declared above. Upper and lower case differ, and a name of a body is known in that body only.",
        example: "rule begin coutn := 0; end;",
        fix: "Correct the name, or declare it above its use.";
    MURPHI_WRONG_NAME = "E0811", "the name means something else",
        cause: "A type, a procedure or a value stands where something else is needed. All names of a scope share one name space.",
        example: "type T: 0 .. 3; .. x := T;",
        fix: "Use a name of the kind that the message asks for.";
    MURPHI_DUPLICATE = "E0812", "a name is declared twice",
        cause: "Constants, types, variables, procedures and members of enumerations of one scope share one name space; so do the fields of a record.",
        example: "type A: enum { red }; B: enum { red };",
        fix: "Rename one of them.";
    MURPHI_NOT_CONSTANT = "E0813", "not a constant",
        cause: "Constants, bounds of types, sizes, and the bounds of rulesets are computed before the model runs: they read no variables and call no functions.",
        example: "var n: 0 .. 3; a: array [0 .. n] of boolean;",
        fix: "Use literals, constants and operators.";
    MURPHI_CONSTANT_FAULT = "E0814", "the constant cannot be computed",
        cause: "Computing a constant divides by zero or leaves 32 bits.",
        example: "const N: 1 / 0;",
        fix: "Correct the expression.";
    MURPHI_EMPTY_TYPE = "E0815", "the type has no values",
        cause: "The lower bound of a range is above its upper bound, or an enumeration, scalar set, union or multiset has no members.",
        example: "type T: 3 .. 1;",
        fix: "Write the lower bound first. With `-D`, check that the types still fit the constants.";
    MURPHI_TOO_LARGE = "E0816", "too large",
        cause: "The variables, a type or the locals of a body have more than 65536 simple parts, there are more than 1048576 names of enumerations and scalar sets, a loop runs over a type with more values than that, or the rulesets around a rule give more than 1048576 instances.",
        example: "var a: array [0 .. 1000000] of boolean;",
        fix: "Check a smaller instance.";
    MURPHI_TYPE = "E0817", "the types do not mix",
        cause: "Integers mix with integers of all ranges, conditions with conditions, members of enumerations and scalar sets with their own type and its unions, and arrays and records with those of the same structure.",
        example: "type C: enum { red }; .. n := red;",
        fix: "Use a value of the type that the message names.";
    MURPHI_CONDITION = "E0818", "not a condition",
        cause: "Guards, properties, `if`, `while`, `?:` and the operands of `! & | ->` are conditions. `&` and `|` also take integers, but both operands alike.",
        example: "if n then x := 1; end;",
        fix: "Compare: `n != 0`.";
    MURPHI_NOT_VARIABLE = "E0819", "this is no variable, or it cannot be changed",
        cause: "Assignments, `clear`, `undefine`, `isundefined` and `var` parameters take variables and parts of them. Constants, values of loops and rulesets, parameters without `var` and aliases of values are fixed.",
        example: "for i: 0 .. 3 do i := 0; end;",
        fix: "Use a variable.";
    MURPHI_FIELD = "E0820", "there is no such field",
        cause: "A field is named of something that is no record, or of a record that does not have it.",
        example: "var r: record a: boolean; end; .. r.b := true;",
        fix: "Correct the name.";
    MURPHI_INDEX = "E0821", "this has no elements",
        cause: "Only arrays and multisets have elements.",
        example: "var n: 0 .. 3; .. n[0] := 1;",
        fix: "Index an array.";
    MURPHI_ARGUMENTS = "E0822", "the arguments do not fit",
        cause: "A call gives one argument for each parameter, and a `var` parameter takes a variable of its own type: a range with other bounds is another type there.",
        example: "procedure p(var a: 0 .. 5); .. p(x); where x: 0 .. 3",
        fix: "Give the arguments that the message asks for.";
    MURPHI_RETURN = "E0823", "a wrong `return`",
        cause: "A function returns a value; procedures, rules and start states return without one.",
        example: "rule begin return 1; end;",
        fix: "Write `return value` in functions and `return` elsewhere.";
    MURPHI_SIMPLE = "E0824", "a simple type is needed",
        cause: "Indices, loops, `switch` and `isundefined` are about simple values: not about arrays, records and multisets.",
        example: "isundefined(r) where r is a record",
        fix: "Use a part of it.";
    MURPHI_UNION = "E0825", "this cannot be a member of the union",
        cause: "The members of a union are enumerations, scalar sets and unions of them, without common values.",
        example: "type U: union { boolean, Node };",
        fix: "Make an enumeration of it, or name it once.";
    MURPHI_MULTISET = "E0826", "a wrong use of a multiset",
        cause: "Elements of a multiset are named by slots that `choose`, `multisetcount` and `multisetremovepred` give. A slot has no value of its own, and multisets are not compared.",
        example: "multisetremove(0, net);",
        fix: "Choose a slot: `choose m: net do .. multisetremove(m, net); .. end`.";
    MURPHI_STEP = "E0827", "the loop does not reach its bound",
        cause: "The step of a loop is zero, or leads away from the bound.",
        example: "for i := 10 to 0 by 1 do .. end;",
        fix: "Write a negative step for a loop from above to below.";
    MURPHI_EFFECT = "E0828", "a condition changes the state",
        cause: "A guard, property or alias around a rule calls a function that changes variables of the state. These conditions only look at a state.",
        example: "function next(): boolean; begin x := !x; return x; end; rule next() ==> begin end;",
        fix: "Move the change to the statements of the rule.";
    MURPHI_NO_START = "E0829", "there is no start state",
        cause: "A model has at least one start state.",
        example: "var x: boolean; rule begin x := true; end;",
        fix: "Write `startstate begin .. end;`.";
    MURPHI_OVERRIDE = "E0830", "the constant cannot be overridden",
        cause: "`-D name=value` sets a constant that is an integer, or a condition by 0 and 1; members of enumerations have no such form.",
        example: "-D start=2 for const start: red;",
        fix: "Override another constant.";
    MURPHI_LIVENESS = "E0831", "`liveness` in a body",
        cause: "`liveness p` says that p can always be reached again: of all states, not of a place in a body.",
        example: "rule begin liveness x = 0; end;",
        fix: "Write it outside of rules and procedures.";
    MURPHI_NO_FORM = "E0832", "the model has no sequential form",
        cause: "A model of Murphi is brought into the sequential language. Left out are multisets, `assume`, procedures that call themselves, loops with a computed step, functions in guards and properties that do more than assign scalar locals, branch, look for a value or count, starts that fault, and models beyond the bounds of the language.",
        example: "var network: multiset [4] of Message;",
        fix: "Check the model as it is; to convert it, write an array instead of the multiset, or the condition instead of the function.";
    MURPHI_QUESTION = "E0833", "a question that is no invariant",
        cause: "A file of questions has invariants of the model: declarations with a name, within rulesets if need be, or lines `name: condition`.",
        example: "invariant \"both read\" !(Cache[1] = Shared & Cache[2] = Shared); liveness \"x\" x = 0;",
        fix: "Leave out all but invariants; a formula is a line `name: formula` in a file of lines.";
    MURPHI_OCTAL = "W0801", "a leading zero makes a number octal",
        cause: "rumur reads a number with a leading zero as octal, CMurphi as decimal. It is read as octal here.",
        example: "var x: 0 .. 010;",
        fix: "Write the number without the leading zero.";
    MURPHI_SCALARSET = "N0801", "a declared scalar set does not hold",
        cause: "The values of a scalar set are meant to be alike, and a place of the model tells them apart. They are not exchanged, so that the answer is right and the search larger.",
        example: "type pid: scalarset(3); rule begin for p: pid do last := p; end; end;",
        fix: "Make the rounds of the loop commute, or leave it: the last value wins.";
    MURPHI_FORM = "N0802", "the sequential form says less than the model",
        cause: "The sequential form keeps states, steps, faults and invariants. A deadlock of the process is a state without steps; the default of Murphi, a state all of whose steps stay, cannot be said there. Every fault of a step, an assertion too, is `error`. `cover`, `liveness` and formulas have no counterpart and are left out.",
        example: "a model with a rule whose steps stay, brought into the sequential language",
        fix: "Ask the model itself for what is left out.";
}
