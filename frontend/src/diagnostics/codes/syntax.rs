//! Codes of the text side, found by the lexer and the parsers of models and property files: `E01..`, `W01..`, `N01..`.

super::codes! {
    UNKNOWN_CHARACTER = "E0101", "unknown character",
        cause: "No token of the language starts with this character. Models are written in ASCII outside of comments and strings; quotes, dashes and spaces copied from a typeset paper are often other characters that only look the same.",
        example: "count = count # 1;",
        fix: "Remove the character or type it anew.";
    UNTERMINATED_COMMENT = "E0102", "a comment is never closed",
        cause: "A comment that starts with `/*` reaches to the next `*/`; there is none in the rest of the file. Such comments do not nest.",
        example: "busy = false; /* the fork is free",
        fix: "Close the comment with `*/`, or start each of its lines with `//`.";
    UNTERMINATED_STRING = "E0103", "a string is not closed on its line",
        cause: "A string starts and ends with `\"` on one line.",
        example: "assertion(count < 3, \"too many);",
        fix: "Close the string with `\"`. A line break inside a string is written `\\n`, a quote `\\\"`.";
    INTEGER_TOO_LARGE = "E0104", "an integer does not fit into 32 bits",
        cause: "Rebeca's integers have at most 32 bits: `byte` has 8, `short` 16, `int` 32. This number needs more.",
        example: "int limit = 4294967296;",
        fix: "Use a smaller number; the greatest is 2147483647.";
    MALFORMED_NUMBER = "E0105", "not a number",
        cause: "A number is decimal (`42`), hexadecimal (`0x2A`), binary (`0b101`) or octal with a leading `0` (`052`), with underscores only between digits. Digits that the base lacks, a suffix, or letters behind the digits make it none of these.",
        example: "count = 08;",
        fix: "Write the number in one of these forms. A name may not start with a digit.";
    FLOAT_LITERAL = "E0106", "floating-point numbers are not supported",
        cause: "Values of a model that is checked exactly are integers, booleans and rebecs.",
        example: "return 1.5;",
        fix: "Scale the quantity so that it becomes an integer, for example tenths instead of units.";
    CHARACTER_LITERAL = "E0107", "character literals are not supported",
        cause: "Rebeca has no characters; this is Java's notation.",
        example: "kind = 'a';",
        fix: "Use a number, best with a name: `env int A = 0;`.";
    UNKNOWN_ESCAPE = "E0108", "unknown escape in a string",
        cause: "A backslash in a string starts an escape: `\\n`, `\\t`, `\\r`, `\\b`, `\\f`, `\\0`, `\\\"`, `\\'`, `\\\\`, or `\\u` with four hexadecimal digits. This is another one.",
        example: "assertion(ok, \"50\\% reached\");",
        fix: "Write `\\\\` for a backslash, or remove it.";
    UNEXPECTED_TOKEN = "E0110", "unexpected token",
        cause: "The grammar expects something else at this place. What is missing usually belongs just before it: a semicolon, an operator, a bracket.",
        example: "count = count 1;",
        fix: "Compare the place with what the message expects.";
    UNCLOSED_BRACKET = "E0111", "a bracket is never closed",
        cause: "The end of the file, or the start of the next member or class, was reached inside of this bracket.",
        example: "msgsrv tick() { if (busy) { self.tick(); }",
        fix: "Add the closing bracket. The indentation written by `quotient fmt` shows where blocks end once the file parses.";
    NESTED_TOO_DEEPLY = "E0112", "nested too deeply",
        cause: "Expressions and statements may be nested 256 levels deep, counting parentheses, blocks, operators in a row, `else if`, subscripts and calls. Operands of `&&` and `||` in a row count once.",
        example: "a generated sum of a thousand terms in one expression",
        fix: "Split the expression by variables, the statement by methods, or a long `else if` by `switch`.";
    KEYWORD_AS_NAME = "E0113", "a keyword is used as a name",
        cause: "Keywords cannot name classes, rebecs, variables or methods. Only message servers may have the name of a keyword.",
        example: "statevars { int case; }",
        fix: "Choose another name.";
    CONSTRUCTOR_NAME = "E0114", "the constructor has another name than its class",
        cause: "A member that is neither `msgsrv` nor has a type before its name is a constructor, and a constructor is named like its class.",
        example: "reactiveclass Fork(3) { Frok() { } }",
        fix: "Name it like the class. If a message server was meant, write `msgsrv` before it; a method has its type there: `void reset() { .. }`.";
    MISSING_ARGUMENTS = "E0115", "a list of known rebecs or arguments is missing",
        cause: "A rebec is declared and created with two lists: its known rebecs, and the arguments of its constructor or of `initial`: `Phil p(fork0, fork1):();`. Both are written even when they are empty.",
        example: "main { Phil p(fork0, fork1); }",
        fix: "Add the missing list, `()` or `:()` when there is nothing in it.";
    MISSING_QUEUE_BOUND = "E0116", "a class has no queue bound",
        cause: "Each reactive class says how many messages the queue of one of its rebecs holds; without it the state space could not be finite.",
        example: "reactiveclass Fork { }",
        fix: "Write the bound behind the name: `reactiveclass Fork(3)`. A queue that overflows is reported when the model is checked.";
    DUPLICATE_SECTION = "E0117", "a section stands twice",
        cause: "A class has at most one `knownrebecs` and one `statevars` section, a model at most one `main`.",
        example: "reactiveclass A(2) { statevars { int x; } statevars { int y; } }",
        fix: "Move the declarations into one section.";
    MISSING_BODY = "E0118", "a member has no body",
        cause: "Constructors, message servers and methods of a class have a body, unless they are marked `abstract`.",
        example: "reactiveclass A(2) { msgsrv run(); }",
        fix: "Write the body, `{ }` if it does nothing, or mark the member `abstract` in an abstract class.";
    UNEXPECTED_BODY = "E0119", "a member without a body has one",
        cause: "Members that are marked `abstract` and members of interfaces only say which messages are understood; the classes below them have the bodies.",
        example: "interface Network { msgsrv send() { } }",
        fix: "Write `;` instead of the body, or drop `abstract`.";
    INTERFACE_CONTENT = "E0120", "an interface holds what only a class can",
        cause: "An interface has no rebecs of its own: no queue bound, no known rebecs, no variables, no constructor.",
        example: "interface Network (3) { msgsrv send(); }",
        fix: "Move it to the classes that implement the interface.";
    NO_EFFECT = "E0121", "a statement has no effect",
        cause: "An expression is a statement only if it assigns, counts (`++`, `--`), calls, sends, or creates a rebec.",
        example: "count == 0;",
        fix: "Use the value or remove the statement. A message is sent with parentheses, `fork.request();`, and `=` assigns.";
    NOT_ASSIGNABLE = "E0122", "this cannot be assigned to",
        cause: "On the left of an assignment, and next to `++` and `--`, stands a variable or an element of an array.",
        example: "count + 1 = total;",
        fix: "Swap the sides, or compare with `==`.";
    STRAY_BRANCH = "E0123", "a branch without its statement",
        cause: "An `else` stands without `if`, or a `case` or `default` outside of `switch`. Often the statement before it ended too early: by a `;` behind the condition, or by a second statement without braces.",
        example: "if (busy); { count = 0; } else { count = 1; }",
        fix: "Check the braces and semicolons before it.";
    THIS_KEYWORD = "E0124", "`this` is not part of Rebeca",
        cause: "A rebec names itself `self`; its variables are visible without a prefix.",
        example: "this.request();",
        fix: "Write `self`.";
    FAT_ARROW = "E0125", "`=>` is not an operator",
        cause: "Implication in property files is written `->`.",
        example: "Safe: a => b;",
        fix: "Write `a -> b`, or `!a || b`.";
    VARIABLE_OUTSIDE_SECTION = "E0126", "a variable is declared outside of `statevars`",
        cause: "The variables of a class are declared in its section `statevars`, its known rebecs in `knownrebecs`. Declarations between the members are Java's.",
        example: "reactiveclass A(2) { int count; }",
        fix: "Move the declaration: `statevars { int count; }`.";
    WRONG_FILE_KIND = "E0127", "a model where a property file is read, or the reverse",
        cause: "A property file starts with `property {`, a model with a class or an `env` declaration. The files were passed in the wrong places, or have each other's endings.",
        example: "property { LTL { } } in a file that is read as a model",
        fix: "Pass the model as the model, and its property file next to it under the same name.";
    TIMED_CONSTRUCT = "E0130", "Timed Rebeca is not supported",
        cause: "`after`, `deadline`, `delay` and `now` speak about time, which Core Rebeca does not have. Leaving them out silently would check another model.",
        example: "lamp.on() after(5);",
        fix: "Remove the timing where order alone matters, or use a tool for Timed Rebeca.";
    HYBRID_CONSTRUCT = "E0131", "Hybrid Rebeca is not supported",
        cause: "Physical classes, modes and derivatives describe continuous behaviour, which cannot be explored state by state.",
        example: "physicalclass Heater { mode on { } }",
        fix: "Replace the physical rebec by a reactive one over a few discrete values, or use a tool for Hybrid Rebeca.";
    PROBABILISTIC_CONSTRUCT = "E0132", "Probabilistic Rebeca is not supported",
        cause: "Weighted choices need another analysis than the one done here: a property holds or it does not.",
        example: "lost = ?(0.1: true, 0.9: false);",
        fix: "Use the plain choice `?(true, false)`, which explores every outcome, or a tool for Probabilistic Rebeca.";
    FEATURE_DECLARATION = "E0133", "a declaration that depends on a feature",
        cause: "`@feature(..)` keeps or drops what follows it, product by product. A class, a variable or a server that only some products have can be declared once per product, so that the product is chosen before the model is read. Statements need no choice, unless they declare a local variable or a name of the condition is declared again.",
        example: "@feature(!SAFE) msgsrv fail() { }",
        fix: "Choose a product, `-D SAFE=true`, and check the others one by one. The annotation stands before a class, an interface, a field of `knownrebecs` or `statevars`, a server, a method, a constructor, a rebec of `main`, or a statement.";
    UNKNOWN_PROPERTY_SECTION = "E0140", "unknown section of a property file",
        cause: "A property file has the sections `define` (names for expressions), `Assertion` (what holds in every state) and `LTL` (formulas over runs), written like this.",
        example: "property { Assertions { Safe: a; } }",
        fix: "Use one of these names; capitals matter.";
    TEMPORAL_OUTSIDE_LTL = "E0141", "a temporal operator outside of `LTL`",
        cause: "`define` and `Assertion` hold expressions over one state. `G F X U W R [] <>` speak about runs and are operators only in `LTL` sections.",
        example: "property { Assertion { Live: F(busy); } }",
        fix: "Move the formula to an `LTL` section. An assertion holds in all states anyway: drop an outer `G`.";
    EFFECT_IN_PROPERTY = "E0142", "a property changes the state",
        cause: "Properties look at states and runs; assignments, `++`, `--`, choices and `new` would change them.",
        example: "property { Assertion { Safe: a.count = 1; } }",
        fix: "Write `==` to compare, and name the values that are meant.";
    ASSIGNMENT_AS_CONDITION = "W0101", "a condition assigns",
        cause: "`=` assigns and its value is what was assigned; as a condition this is mostly a mistyped `==`.",
        example: "if (ready = other) { count = 0; }",
        fix: "Write `==`. If the assignment is meant, a second pair of parentheses says so.";
    ANNOTATION_IGNORED = "N0101", "an annotation is ignored",
        cause: "Annotations such as `@priority(1)` steer other tools or other dialects. They have no meaning in Core Rebeca: all orders of messages are explored, also those that a priority would exclude.",
        example: "@priority(1) msgsrv tick() { }",
        fix: "Nothing has to be done; remove the annotation to silence the notice.";
    MODIFIER_IGNORED = "N0102", "an access modifier is ignored",
        cause: "`public`, `private` and `protected` are Java's. In Rebeca every message server can be sent to by whoever knows the rebec, and nothing else is visible outside.",
        example: "private int next() { return 1; }",
        fix: "Nothing has to be done; remove the modifier to silence the notice.";
}
