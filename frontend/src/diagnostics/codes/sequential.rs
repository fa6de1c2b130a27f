//! Codes of the sequential language `.lpe`: `E06..`.

super::codes! {
    LPE_CHARACTER = "E0601", "a character that is no part of the language",
        cause: "Outside comments an `.lpe` file holds names, numbers and the operators of the language only.",
        example: "const N = 3; type P : 0..N-1 @",
        fix: "Remove the character. Names are made of ASCII letters, digits and `_`.";
    LPE_OPEN_COMMENT = "E0602", "a comment that is never closed",
        cause: "`/*` opens a comment that ends at `*/`, and there is none.",
        example: "/* two processes",
        fix: "Close the comment, or use `//` for one line.";
    LPE_UNEXPECTED = "E0603", "something else is expected here",
        cause: "The text does not follow the grammar of the sequential language at this place.",
        example: "proc P(x : BOOL) = [true] flip { x = 1; } -> P;",
        fix: "Write what the message names. Assignments are `place := value;`, guards stand in brackets, and each declaration ends in `;`.";
    LPE_TOO_DEEP = "E0604", "nested too deeply",
        cause: "Expressions and statements are nested at most 256 levels deep; chains of `&&` and `||` count as one level.",
        example: "a generated condition with thousands of parentheses",
        fix: "Use `forall` and `exists`, a table, or shorter conditions.";
    LPE_NUMBER = "E0605", "the number does not fit",
        cause: "Integers have 32 bits: -2147483648 to 2147483647.",
        example: "const N = 3000000000;",
        fix: "Use a smaller number.";
    LPE_CHAINED_COMPARISON = "E0606", "comparisons cannot be chained",
        cause: "`=`, `!=`, `<`, `<=`, `>`, `>=` do not associate: `a < b < c` has no meaning.",
        example: "[0 < x < 3] step { .. }",
        fix: "Write `0 < x && x < 3`, or set parentheses if the truth of one comparison is really compared.";
    LPE_FOREIGN_OPERATOR = "E0607", "an operator of another language",
        cause: "Equality is `=`, the remainder is `mod`, and the logical operators are `&&`, `||` and `xor`.",
        example: "[x == 1] step { .. }",
        fix: "Use the operator that the help line names.";
    LPE_TEMPORAL = "E0608", "a temporal operator in the wrong place",
        cause: "`G F X U W R [] <>` belong to `ltl`, outside of quantifiers, comparisons and arithmetic: conditions speak of one state.",
        example: "assert A = G(x = 0);",
        fix: "Move the formula to `ltl`, and write the cases of a quantified formula out, joined by `&&` or `||`.";
    LPE_FUNCTION = "E0609", "there is no such function",
        cause: "A name is followed by `(`. The functions are `ite(condition, a, b)`, `popcount(n)`, and of two integers `div`, `rem`, `pow`, `root`, `bitand`, `bitor`, `shl`, `shr`, `ushr`; array elements are indexed with brackets.",
        example: "[pc(i) = idle] step { .. }",
        fix: "Write `pc[i]`.";
    LPE_UNKNOWN_TYPE = "E0610", "there is no such type",
        cause: "A type is used that is neither declared above nor one of `BOOL` and `BIT`.",
        example: "proc P(x : Bool) = ..",
        fix: "Declare it, `type T : 0..3;` or `type T : { a, b };`, or correct the name.";
    LPE_UNKNOWN_NAME = "E0611", "there is no such name",
        cause: "A name is neither a constant, a table, a value of an enumeration, a variable of the process, nor bound by `sum`, `forall` or `exists` around it. Constants and propositions are declared above their use.",
        example: "[pc[i] = idel] step { .. }",
        fix: "Correct the name or declare it.";
    LPE_DUPLICATE = "E0612", "a name is declared twice",
        cause: "Constants, tables, values of enumerations, variables and propositions share one name space; so do types, the summation variables of one summand, and the names of properties. A local has a name that nothing around it has.",
        example: "const N = 3; type T : { N, M };",
        fix: "Rename one of them.";
    LPE_OTHER_PROCESS = "E0613", "not the process of this file",
        cause: "A file declares one process; each summand continues as that process, and `init` starts it.",
        example: "proc P(x : BOOL) = [true] e { } -> Q;",
        fix: "Write the name of the process.";
    LPE_FORMALS = "E0614", "the formals are not repeated as declared",
        cause: "`-> P(x, y)` repeats the variables of the process, all of them, in order: changes are made in the body.",
        example: "proc P(x : BOOL, y : BOOL) = [true] e { } -> P(y, x);",
        fix: "Write `-> P`, and assign in the body.";
    LPE_NOT_ASSIGNABLE = "E0615", "this cannot be assigned",
        cause: "Only variables of the process change. Constants, tables, values and summation variables are fixed.",
        example: "sum i:P . [true] e { i := 0; } -> X",
        fix: "Assign to a variable of the process.";
    LPE_MISSING = "E0616", "a declaration is missing",
        cause: "A model has one `proc` and one `init`.",
        example: "type T : 0..1;",
        fix: "Add the declaration that the message names.";
    LPE_REPEATED = "E0617", "a declaration too many",
        cause: "A model has one `proc`. It may have several `init`, but only the first one has `*`: each of the others is one whole state.",
        example: "init P(*); init P(*);",
        fix: "Remove one of them. Concurrent processes are one process with arrays over their identities.";
    LPE_NOT_CONSTANT = "E0618", "not a constant",
        cause: "Constants, bounds, tables and initial values are computed before the process runs, so they cannot read its variables.",
        example: "init P(x = 0, y = x);",
        fix: "Use literals, constants and tables.";
    LPE_KIND = "E0620", "the kinds of values do not fit",
        cause: "Integers of all ranges mix; values of an enumeration compare with, index and go to the same enumeration only.",
        example: "type PC : { idle, busy }; .. pc[i] + 1",
        fix: "Use a value of the kind that the message names.";
    LPE_CONDITION = "E0621", "not a condition",
        cause: "Guards, `if`, `ite`, propositions and the operands of `! && || =>` are conditions: values that can be 0 or 1 only.",
        example: "type N : 0..3; proc P(n : N) = [n] e { } -> P;",
        fix: "Compare: `n != 0`.";
    LPE_INDEXING = "E0622", "wrong number of indices",
        cause: "An element has one index for each dimension of its variable or table; a scalar has none, and whole arrays are not values.",
        example: "proc P(pc : BOOL[T]) = [pc] e { } -> P;",
        fix: "Give one index for each dimension.";
    LPE_EMPTY_TYPE = "E0623", "the type has no values",
        cause: "The lower bound of a range is above its upper bound, or an enumeration has no names.",
        example: "type T : 3..1;",
        fix: "Write the lower bound first. With `-D`, check that the ranges still fit the constant.";
    LPE_TOO_LARGE = "E0624", "too large",
        cause: "An enumeration or table has more than 1048576 values, the variables and locals have more than 65536 elements, the sums and quantifiers around one place have more than 268435456 combinations, the `for` loops around one statement make more than 4096 rounds, or there are more than 4096 initial states behind those of the first `init`.",
        example: "type T : 0..2000000000; .. sum t:T . [true] e { } -> P",
        fix: "Check a smaller instance.";
    LPE_CONSTANT_FAULT = "E0625", "the constant cannot be computed",
        cause: "Computing a constant divides by zero, leaves 32 bits, reads a table outside its bounds, or takes too long.",
        example: "const N = 1 / 0;",
        fix: "Correct the expression.";
    LPE_NO_INITIAL = "E0626", "an initial value is missing",
        cause: "`init` gives each variable a value, a list of values, or `*` for any. Leaving one out does not mean zero.",
        example: "proc P(x : BOOL, y : BOOL) = ..; init P(x = 0);",
        fix: "Add `y = ..` or `y = *`; `init P(*)` leaves all variables open.";
    LPE_LENGTH = "E0627", "the list has the wrong length",
        cause: "A list gives one value for each element, row by row.",
        example: "type P : 0..2; const prio[P] = [0, 1];",
        fix: "Give as many values as there are elements. With `-D`, lists of another length no longer fit.";
    LPE_OUTSIDE = "E0628", "the initial value is outside the type",
        cause: "An initial value is no value of the variable's type.",
        example: "init P(x = 2); where x : BOOL",
        fix: "Use a value of the type, or a wider type.";
    LPE_OVERRIDE = "E0629", "the constant cannot be overridden",
        cause: "`-D name=value` sets a constant that is a 32-bit integer; tables and values of enumerations have no such form.",
        example: "-D prio=1 for const prio[P] = [0, 1];",
        fix: "Override an integer constant that the table is computed from.";
    LPE_EXPANSION = "E0630", "the property is too large",
        cause: "Propositions are expanded where they are used; expanded, this one is nested deeper than 256 levels or the properties have more than 1048576 parts.",
        example: "a chain of propositions, each of which uses the one before twice",
        fix: "Use smaller properties.";
    LPE_FAIR = "E0631", "no process takes part",
        cause: "`fair P` requests weak fairness towards each value of `P`, but no summand has a summation variable of that type.",
        example: "proc X(x : BOOL) fair P = [true] e { } -> X;",
        fix: "Name the type that the summation variables of the processes have.";
    LPE_HOLD = "E0632", "not a variable of the turn",
        cause: "`hold x` says that a state where `x` is not its least value is inside of a step. So `x` is a scalar, and every initial state gives it the least value of its type.",
        example: "type T : 0..2; .. init P(turn = 1); hold turn;",
        fix: "Begin with the least value, or use another variable.";
    LPE_INSIDE = "E0633", "not a formula that can count inside of steps",
        cause: "`inside f` says that the conditions of the formula `f` hold at a state of a run also where they hold in a state inside of the step that the run takes from there. So there is `ltl f`, and `hold` says which states are inside of steps.",
        example: "ltl f = G F [x = 1]; inside f;",
        fix: "Add `hold` for the variable of the turn, or leave `inside` out.";
    LPE_NO_FORM = "E0640", "the model has no sequential form",
        cause: "A Rebeca model is brought into the sequential language. Left out are `new`, methods that call themselves, choices `?(..)` inside loops whose number of rounds is not known, starts that fault, and models beyond the bounds of the language.",
        example: "msgsrv start() { Worker w = new Worker():(); }",
        fix: "Check the model as it is; to convert it, name its rebecs in `main`, or write the loop out.";
    LPE_NO_FAIRNESS = "N0641", "the process does not have the fairness of the model",
        cause: "Weak fairness of rebecs is the default of Rebeca: a rebec that has a message from some state on serves one in the end. In a process, `fair` names the sort whose values are fair. Where rebecs of several classes have steps there is no such sort, so that a formula that holds of the model may be violated in the process, by a run that leaves a rebec out.",
        example: "LTL { Blinks: G(F(lit)); } of a lamp next to a cat that always has a message, too",
        fix: "Ask the model itself about its formulas.";
}
