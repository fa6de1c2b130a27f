//! Codes about files as a whole, `E00..`, and about the values that are given for constants.

super::codes! {
    NOT_UTF8 = "E0001", "the file is not UTF-8",
        cause: "Models and property files are text in UTF-8. A byte was found that no UTF-8 text contains.",
        example: "a model saved as UTF-16 or Latin-1",
        fix: "Save the file as UTF-8. A byte order mark and CRLF line ends are accepted.";
    NUL_BYTE = "E0002", "the file holds a NUL byte",
        cause: "A NUL byte is never part of a model; the file is probably binary or was damaged.",
        example: "an object file passed as a model",
        fix: "Pass the model's text file.";
    FILE_TOO_LARGE = "E0003", "the file is too large",
        cause: "Files above 32 MiB are not read: no model that can be checked is as large.",
        example: "a log file passed as a model",
        fix: "Pass the model's text file, or generate a smaller model.";
    UNKNOWN_CONSTANT = "E0510", "a value is given for a constant that the model does not have",
        cause: "A value such as `N=5` replaces that of an `env` variable, of a scalar `const` of a sequential process or of a \
                macro, and the model declares none of this name.",
        example: "Size=4, for a model that has no `Size`",
        fix: "Declare `env int Size = 3;` in the model, or correct the name.";
    FEATURE_RANGE = "E0547", "a range of numbers is given for a feature variable",
        cause: "A range such as `SLOTTED=0..1` gives a constant one number after the other. The name is that of a feature variable, \
                which is true or false.",
        example: "SLOTTED=0..1, for a model with `featurevars { SLOTTED; }`",
        fix: "Give one truth value, or the list `true,false`.";
}
