//! Codes of Murphi: `E08..`.

super::codes! {
    MURPHI_CHARACTER = "E0801", "a character that is no part of Murphi",
        cause: "Outside comments and texts a model holds names, numbers and the operators of the language only.",
        example: "x := x @ 1;",
        cure: "Remove the character. Names are made of ASCII letters, digits and `_`.";
    MURPHI_OPEN = "E0802", "a comment or text that is never closed",
        cause: "`/*` opens a comment that goes on to `*/`, and a quote a text that goes on to the next quote; there is none. A backslash takes the quote behind it into the text.",
        example: "rule \"step\\\" begin end;",
        cure: "Close it. A comment of one line is written `-- ..`.";
    MURPHI_UNEXPECTED = "E0803", "something else is expected here",
        cause: "The text does not follow the grammar of Murphi at this place.",
        example: "if x = 1 do y := 2; end;",
        cure: "Write what the message asks for. Assignments are `place := value`, statements are separated by `;`, and blocks are closed by `end`.";
    MURPHI_TOO_DEEP = "E0804", "nested too deeply",
        cause: "Expressions, statements, rules and types are nested at most 256 levels deep; chains of `&` and `|` count as one level.",
        example: "a generated condition with thousands of parentheses",
        cure: "Use `forall` and `exists`, functions, or shorter conditions.";
    MURPHI_NUMBER = "E0805", "the number does not fit",
        cause: "Integers have 32 bits: -2147483648 to 2147483647. A leading zero makes a number octal, `0x` hexadecimal.",
        example: "const N: 3000000000;",
        cure: "Use a smaller number, and leave leading zeros out.";
    MURPHI_CHAINED = "E0806", "the operator cannot be chained",
        cause: "Comparisons and `->` do not associate: `a < b < c` and `a -> b -> c` have no meaning.",
        example: "invariant 0 < x < 3;",
        cure: "Write `0 < x & x < 3`, or set parentheses.";
    MURPHI_REAL = "E0807", "real numbers",
        cause: "CMurphi has a type `real` and numbers with a fraction; they are not supported, since states are compared exactly.",
        example: "var t: real(5, 99);",
        cure: "Use a range of integers, scaled if necessary.";
    MURPHI_PROBABILITY = "E0808", "a probabilistic construct",
        cause: "CMurphi reads rules whose guard is a probability, and formulas `pctl`. Here a rule is enabled or not.",
        example: "rule 0.5 ==> begin x := 1; end;",
        cure: "Write the rules without probabilities: every rule that can happen is tried.";
    MURPHI_UNSUPPORTED = "E0809", "a construct of CMurphi that is not supported",
        cause: "Functions in C++ (`externfun`, `externproc`) and priorities of rules are left out.",
        example: "rule 3 \"urgent\" x = 1 ==> begin x := 2; end;",
        cure: "Write functions in Murphi, and conditions in guards.";
    MURPHI_OCTAL = "W0801", "a leading zero makes a number octal",
        cause: "rumur reads a number with a leading zero as octal, CMurphi as decimal. It is read as octal here.",
        example: "var x: 0 .. 010;",
        cure: "Write the number without the leading zero.";
}
