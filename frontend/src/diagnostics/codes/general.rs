//! Codes about files as a whole: `E00..`.

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
}
