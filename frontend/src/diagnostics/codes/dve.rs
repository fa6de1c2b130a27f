//! Codes of DVE: `E0711` and above.

super::codes! {
    DVE_CHARACTER = "E0711", "a character that is no part of DVE",
        cause: "Outside comments a model holds names, numbers and the operators of the language only.",
        example: "effect x = x @ 1;",
        fix: "Remove the character. Names are made of ASCII letters, digits and `_`. Texts for the preprocessor `m4` are to be expanded first.";
    DVE_OPEN_COMMENT = "E0712", "a comment that is never closed",
        cause: "`/*` opens a comment that ends at `*/`; there is none.",
        example: "/* process P { .. }",
        fix: "Close it. A comment of one line is written `// ..`.";
    DVE_UNEXPECTED = "E0713", "something else is expected here",
        cause: "The text does not follow the grammar of DVE at this place.",
        example: "trans s -> t { effect x := 1; };",
        fix: "Write what the message expects. Transitions are separated by commas and closed by `;`, and so are effects.";
    DVE_TOO_DEEP = "E0714", "nested too deeply",
        cause: "Expressions are nested at most 200 levels deep; chains of `and` and of `or` count as one level.",
        example: "a generated condition with thousands of parentheses",
        fix: "Write shorter conditions.";
    DVE_NUMBER = "E0715", "the number does not fit",
        cause: "Numbers have 32 bits: -2147483648 to 2147483647.",
        example: "guard x < 3000000000;",
        fix: "Use a smaller number.";
    DVE_UNKNOWN_NAME = "E0716", "there is no such name",
        cause: "A name is used that is not declared. Upper and lower case differ; variables of another process are named `P->x`, its states `P.s`.",
        example: "guard coutn == 0;",
        fix: "Correct the name, or declare it.";
    DVE_WRONG_NAME = "E0717", "the name means something else",
        cause: "A process, a state or a channel stands where something else is needed, or a channel is declared inside a process.",
        example: "guard P == 1;",
        fix: "Use a name of the kind that the message asks for.";
    DVE_DUPLICATE = "E0718", "a name is declared twice",
        cause: "Variables, constants, channels and processes share one name space; so do the states, variables and constants of one process.",
        example: "byte x; int x;",
        fix: "Rename one of them.";
    DVE_NOT_CONSTANT = "E0719", "not a constant",
        cause: "Sizes, values of constants and initial values are computed before the processes run: they read no variables.",
        example: "byte n = 3; byte a[n];",
        fix: "Use literals and constants.";
    DVE_CONSTANT_FAULT = "E0720", "the constant cannot be computed",
        cause: "Computing a constant divides by zero or leaves 32 bits.",
        example: "const int N = 1 / 0;",
        fix: "Correct the expression.";
    DVE_TOO_LARGE = "E0721", "too large",
        cause: "An array has no or more than 65536 elements, a channel holds more than 1024 messages, the property has more than 128 conditions, or the transitions have more than 65536 pairs over channels or combinations in a synchronous system.",
        example: "byte a[100000];",
        fix: "Check a smaller instance.";
    DVE_INITIAL = "E0722", "the initial value does not fit",
        cause: "An array takes a list, a scalar one value, both within their type, and a constant needs one.",
        example: "byte a[2] = 1;",
        fix: "Write `byte a[2] = {1, 1};`, or give a value of the type.";
    DVE_NOT_VARIABLE = "E0723", "this cannot be assigned to",
        cause: "Effects and receives change variables and elements of arrays. Constants are fixed.",
        example: "const byte N = 2; .. effect N = 3;",
        fix: "Use a variable.";
    DVE_MESSAGE = "E0724", "the parts of the message do not fit",
        cause: "A message has as many parts as the channel declares, or, for a rendezvous without types, as many as are received.",
        example: "channel {byte} c[1]; .. sync c!{1, 2};",
        fix: "Send and receive the same number of values, or declare other types: `channel {byte, byte} c[1];`.";
    DVE_PROPERTY = "E0725", "the property changes or shows something",
        cause: "The process that `system async property P` names is an automaton that reads the states of the others. It has no variables, effects, synchronisations or committed states, and others do not see it.",
        example: "process P { .. trans q -> q { effect x = 1; }; } system async property P;",
        fix: "Leave it with states and guards only; what it shall remember belongs into its states.";
    DVE_ACCEPTANCE = "E0726", "the form of acceptance is not supported",
        cause: "Acceptance is by states that are passed infinitely often. Rabin, Streett and Muller acceptance and generalised forms are not read.",
        example: "accept rabin ( .. );",
        fix: "Write `accept s, t;`.";
    DVE_MISSING = "E0727", "a part of the model is missing",
        cause: "A model has at least one process and says `system async;` or `system sync;`, and each process has an initial state.",
        example: "process P { state s; trans; }",
        fix: "Add the part that the message names.";
    DVE_REPEATED = "E0728", "a part stands twice",
        cause: "A model has one `system`, a process one `init`, and a transition one `sync`.",
        example: "system async; system async;",
        fix: "Keep one of them.";
    DVE_OVERRIDE = "E0729", "the constant cannot be overridden",
        cause: "`-D name=value` sets a constant without an index, to a number of 32 bits.",
        example: "-D a=2 for const byte a[2] = {0, 1};",
        fix: "Override another constant.";
    DVE_INDEXING = "E0730", "an index too many or too few",
        cause: "An array is used with one index, everything else without.",
        example: "byte a[2]; .. guard a == 1;",
        fix: "Write `a[0]`.";
    DVE_SYNCHRONOUS = "E0731", "channels or committed states in a synchronous system",
        cause: "In `system sync` every process takes a transition in every step, so that nothing waits for a message or for a committed process.",
        example: "channel c; .. sync c!; .. system sync;",
        fix: "Write `system async;`, or leave the channels out.";
    DVE_EXCESS_INITIAL = "W0711", "more initial values than elements",
        cause: "A list of initial values is longer than its array. The published models do this; the rest of the list is ignored.",
        example: "byte a[2] = {1, 0, 0};",
        fix: "Remove the values, or make the array longer.";
    DVE_MIXED = "W0712", "operators that versions of DiVinE group differently",
        cause: "`and` and `or`, and also `&`, `|` and `^`, have one level in DiVinE 1 and 2 and are read from left to right, as here; DiVinE 3 reads `and` and `or` from right to left.",
        example: "guard a or b and c;",
        fix: "Write `(a or b) and c` or `a or (b and c)`.";
    DVE_ACCEPT_IGNORED = "N0711", "accepting states have no meaning here",
        cause: "Only the process that `system async property P` names accepts runs.",
        example: "process P { .. accept s; .. } system async;",
        fix: "Name the process as the property, or leave `accept` out.";
}
