//! Codes of Promela: `E085.` and `E086.`.

super::codes! {
    PROMELA_CHARACTER = "E0850", "a character that is no part of Promela",
        cause: "Outside comments and texts a model holds names, numbers and the operators of the language only.",
        example: "x = x $ 1;",
        fix: "Remove the character. Names are made of ASCII letters, digits and `_`.";
    PROMELA_OPEN = "E0851", "a comment or text that is never closed",
        cause: "`/*` opens a comment that ends at `*/`, and a quote a text that ends at the next quote on the same line; there is none.",
        example: "printf(\"step);",
        fix: "Close it. A comment of one line is written `// ..`.";
    PROMELA_NUMBER = "E0852", "the number does not fit",
        cause: "Numbers have 32 bits.",
        example: "int x = 9999999999;",
        fix: "Use a smaller number.";
    PROMELA_DIRECTIVE = "E0853", "a line of the preprocessor that cannot be read",
        cause: "`#define`, `#undef`, `#if`, `#ifdef`, `#ifndef`, `#elif`, `#else` and `#endif` are read, and `#include` where the model is a file.",
        example: "#fi",
        fix: "Correct the line.";
    PROMELA_UNEXPECTED = "E0854", "something else is expected here",
        cause: "The text does not follow the grammar of Promela at this place.",
        example: "do x = 1 od",
        fix: "Write what the message expects. Options begin with `::`, statements are separated by `;` or `->`.";
    PROMELA_NESTING = "E0855", "nested too deeply, or too long",
        cause: "Statements, expressions and uses of `inline` texts are nested at most 200 levels deep, records 16; an expression has at most 65,536 binary operators; `inline` texts may not use themselves.",
        example: "inline a() { a() }",
        fix: "Use shorter conditions, and texts that do not use themselves.";
    PROMELA_UNSUPPORTED = "E0856", "a construct of SPIN that is not supported",
        cause: "Embedded C code, priorities, trace claims, parameters that are records, `run` inside a condition and `return` in an `inline` text that is used as a statement have no translation.",
        example: "c_code { x = 1; }",
        fix: "Write the model without it, as the message says.";
    PROMELA_UNKNOWN = "E0857", "there is no such name",
        cause: "A variable, symbol, type or proctype is used that is not declared, or not in this scope.",
        example: "byte count; init { coutn = 1 }",
        fix: "Correct the name, or declare it.";
    PROMELA_DUPLICATE = "E0858", "a name is declared twice",
        cause: "Names of one scope are unique: global variables, the locals of a block, proctypes, and the labels of a proctype that are not in braces of their own.",
        example: "byte x; short x;",
        fix: "Rename one of them.";
    PROMELA_SIZE = "E0859", "a size or initial value is not usable",
        cause: "The sizes of arrays, the capacities of channels and the numbers of active processes are constants, at most 4096. All variables together have at most 65,536 elements, and declare at most as many channels. Initial values have to be computable when their process is made.",
        example: "byte n; byte a[n];",
        fix: "Use numbers, symbols, macros and operators.";
    PROMELA_TYPE = "E0860", "a value of another kind is needed",
        cause: "A channel is needed for sending and receiving, an array where there is an index, an index where an array stands, and a single field where a record stands.",
        example: "byte x; init { x!1 }",
        fix: "Use a variable of the kind that the message asks for.";
    PROMELA_LABEL = "E0861", "a label or loop that does not exist",
        cause: "`goto` and `P@label` name a label of the proctype; `break` leaves the innermost `do` or `for`.",
        example: "init { goto done }",
        fix: "Define the label, or correct its name.";
    PROMELA_ARGUMENTS = "E0862", "the number of arguments is wrong",
        cause: "`run` and `inline` texts take one argument per parameter; a message of a channel that is named, and not a value of a variable, has at most one value per field.",
        example: "chan c = [1] of { byte }; init { c!1,2 }",
        fix: "Give as many arguments as the declaration has.";
    PROMELA_SCOPE = "E0863", "not possible at this place",
        cause: "`_pid` and locals belong to a process, temporal operators to `ltl`, and `P[n]` to a process that can exist.",
        example: "byte x = _pid; init { skip }",
        fix: "Move it into a proctype, or use a global variable.";
    PROMELA_PROCESSES = "E0864", "no process, or too many",
        cause: "At the start there is at least one process, and never are there more than 255.",
        example: "proctype P() { skip }",
        fix: "Write `init`, or `active` before a proctype.";
    PROMELA_PLACE = "E0865", "a label before the first statement of an option",
        cause: "A process waits at `if`, `do`, `{` or at the statement before `unless`, and takes the first statement of an option or of the braces from there. It is never at a label between `::` or `{` and this statement, so that a label that begins with `accept`, `progress` or `end` would have no meaning. SPIN refuses it, too.",
        example: "do :: accept: x = 1 od",
        fix: "Put the label before the choice, or behind the first statement of the option.";
    PROMELA_INCLUDE = "E0866", "a text that cannot be included",
        cause: "`#include \"file\"` puts the text of another file in its place. The name is relative to the folder of the text that includes it; for standard input to the current folder. There is no such file, it is no regular file or too large, or files include each other more than 32 levels deep.",
        example: "#include \"missing.pml\"",
        fix: "Correct the name, or put `#ifndef` around a text that is included more than once.";
    PROMELA_INSIDE = "W0850", "a label inside of an atomic sequence is not seen",
        cause: "The states inside of `atomic` and `d_step` are no states of a run, unless the sequence blocks in them. A run that passes a progress label there may violate `progress`, as in SPIN. Accept labels are seen inside of `atomic`; where one is inside of a `d_step`, which is one step, the property `accept` is left out.",
        example: "do :: atomic { x = 1; progress: x = 0 } od",
        fix: "Put the label before the sequence or behind it.";
}
