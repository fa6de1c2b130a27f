//! Codes of automata in the HOA format.

use super::codes;

codes! {
    HOA_SYNTAX = "E0701", "the file is not an automaton in the HOA format",
        cause: "Automata are read in the Hanoi format (HOA, version 1), and the file leaves it at the place that is named: \
                a missing header, an unknown word, a number out of range, or a state described twice.",
        example: "State: 0 [0] 7   (of an automaton with `States: 2`)",
        fix: "Write the automaton with a tool that knows HOA, or correct the place.";
    HOA_UNSUPPORTED = "E0702", "the automaton is not of a kind that is checked",
        cause: "Automata have generalised Buchi acceptance (`Inf(0)&Inf(1)&..`, or `t`), on states or on edges, one target an edge, at \
                most 128 propositions and 128 acceptance sets. Fin, negated sets, disjunctions and universal branching are something \
                else.",
        example: "Acceptance: 2 Fin(0)&Inf(1)",
        fix: "Convert it to a generalised Buchi automaton with a tool for automata, which may make it larger.";
    HOA_PROPOSITION = "E0703", "the proposition is not a condition of the model",
        cause: "The names after `AP:` are names that the property file defines, `prop` lines of a sequential process, or conditions such \
                as `phil0.eating`; this one is neither, or is not a boolean.",
        example: "AP: 1 \"phil0.eatng\"",
        fix: "Correct the name, or define it: `define { p = phil0.eating; }` in the property file, `prop p = ..;` in a process.";
}
