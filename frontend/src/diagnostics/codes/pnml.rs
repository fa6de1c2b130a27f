//! Codes of Petri nets: `E0901` and above.

super::codes! {
    PNML_XML = "E0901", "no well-formed XML",
        cause: "A net and its formulas are XML documents: one outermost element, every tag closed by its own name, and `<`, `>` and `&` of texts written as entities.",
        example: "<pnml><net></pnml>",
        fix: "Correct the text at the place shown.";
    PNML_NOT_A_NET = "E0902", "the document is no net of a known kind",
        cause: "The outermost element is not `pnml`, there is not exactly one `net` in it, or its type is another one than `ptnet` and `symmetricnet` of the grammar of 2009.",
        example: "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/pt-hlpng\"/></pnml>",
        fix: "Export the net as a place/transition net or as a symmetric net, one net to a document.";
    PNML_MALFORMED = "E0903", "a part of the net is missing or cannot be read",
        cause: "An element lacks an attribute or an element that it needs, or there is no natural number where one is needed. Markings, weights and numbers of values are natural numbers below 2^31; a weight is positive.",
        example: "<arc id=\"a\" source=\"p\"/>",
        fix: "Add or correct what the message names.";
    PNML_UNKNOWN_NAME = "E0904", "there is no such object",
        cause: "An attribute or a formula names a place, a transition, a sort, a variable or a constant by an `id` that no element has.",
        example: "<arc id=\"a\" source=\"p\" target=\"nowhere\"/>",
        fix: "Correct the name, or declare the object.";
    PNML_DUPLICATE = "E0905", "an id is used twice",
        cause: "Places and transitions share one space of ids; so do sorts, constants and variables.",
        example: "<place id=\"p\"/><transition id=\"p\"/>",
        fix: "Rename one of them.";
    PNML_UNSUPPORTED = "E0906", "this part of the language is not supported",
        cause: "The net or formula uses something outside place/transition nets, symmetric nets and the formulas of the contest: inhibitor or reset arcs, a sort of lists or strings, an operator of high-level nets, a successor of a sort that is not cyclic.",
        example: "<arc id=\"a\" source=\"p\" target=\"t\"><type value=\"inhibitor\"/></arc>",
        fix: "Express the net without it, as by complementary places in place of inhibitor arcs.";
    PNML_SORT = "E0907", "a term has another sort than its place needs",
        cause: "Markings and inscriptions are multisets over the sort of the place, and compared values are of one sort. Integers lie in the range of the place, and differences of multisets are not negative.",
        example: "an arc of a place of sort `Fork` with the inscription `1'(philosopher)`",
        fix: "Use a term of the sort of the place.";
    PNML_TOO_LARGE = "E0908", "the unfolded net is too large",
        cause: "A coloured net is unfolded into one place per place and colour and one transition per transition and binding of its variables: at most 1,048,576 places and 2,097,152 transitions, and at most 2^26 bindings are tried. From 262,144 bindings on, those that differ in an exchange of variables and are the same step count as one.",
        example: "a transition with ten variables over a sort of 50 colours",
        fix: "Check a smaller instance.";
    PNML_UNBOUNDED = "E0909", "a place grows without bound",
        cause: "A run of the net leads from a marking to one that has more tokens in some places and less in none. It can be repeated for ever, so the net has infinitely many markings.",
        example: "a transition without input arcs",
        fix: "Bound the place, for example by a complementary place that holds the free room.";
    PNML_FOLDED = "N0901", "one transition stands for several bindings",
        cause: "The coloured net has more than 262,144 bindings of variables, and some of them differ only in which variable has which value: an exchange of the variables leaves the condition and the arcs of the transition as they are, so that the step is the same. One of these is kept. Markings and verdicts do not change, but the number of transitions counts each step once.",
        example: "a transition that takes `1'(a) + 1'(b) + 1'(c)` from a place and puts the same into another, over a sort of 100 colours",
        fix: "Nothing needs to be done.";
}
