//! Codes about property files: `E04..`, found when they are bound to a model.

super::codes! {
    UNKNOWN_PROPOSITION = "E0401", "unknown name in a property",
        cause: "A property names neither a definition, nor a rebec of `main`, nor a feature variable.",
        example: "property { define { e = phil9.eating; } }",
        fix: "Correct the name.";
    UNKNOWN_REMOTE_VARIABLE = "E0402", "the rebec has no such variable",
        cause: "A property reads a variable that the rebec's class does not have. Parameters and locals are not part of a state.",
        example: "property { define { e = phil0.eatin; } }",
        fix: "Correct the name.";
    PROPERTY_NOT_BOOLEAN = "E0404", "the property is not a boolean",
        cause: "Assertions and the atoms of formulas are booleans.",
        example: "property { Assertion { A: node0.count; } }",
        fix: "Compare: `node0.count == 1`.";
    DUPLICATE_PROPERTY = "E0405", "name defined twice",
        cause: "Two properties or two definitions have one name.",
        example: "property { define { p = a.x; p = b.x; } }",
        fix: "Rename one of them.";
    NOT_IN_PROPERTIES = "E0406", "not allowed in a property",
        cause: "A property only looks at a state: it cannot assign, choose, call, create or send, and `self` and `sender` mean nothing in it.",
        example: "property { Assertion { A: ?(true, false); } }",
        fix: "Use variables of rebecs, constants and operators.";
    PROPERTY_INDEX = "E0407", "the index is out of range",
        cause: "A property reads an element that the array or group does not have, or indexes a group by something that is not a constant.",
        example: "property { Assertion { A: market.token[7] == 0; } }   // int[2] token",
        fix: "Use a constant index within the bounds.";
    TEMPORAL_DEFINITION = "E0408", "a definition is not a formula",
        cause: "`define` names expressions over one state; temporal operators belong into `LTL`.",
        example: "property { define { p = F(a.x); } }",
        fix: "Write the temporal operators in the `LTL` section.";
    PROPERTY_TOO_LARGE = "E0409", "the property is too large",
        cause: "With its definitions expanded a property has more than 100000 operators, or more than 1000 of them nested.",
        example: "definitions that each use the one before several times",
        fix: "Split the property, or use fewer levels of definitions.";
    TIGHT_TEMPORAL = "W0401", "a formula was read otherwise before",
        cause: "`U`, `W` and `R` bind tighter than `&&` and `||`, as in SPIN and Spot: `p && q U r` is `p && (q U r)`. Versions before 2026-11 read `(p && q) U r`.",
        example: "property { LTL { L: p && q U r; } }",
        fix: "Put the parentheses that are meant: they silence the warning.";
}
