//! Codes about the command line and the files it names, `E05..` and `N05..`, beside those of the texts.

pub(crate) use frontend::diagnostics::codes::*;
use frontend::diagnostics::{Code, Diagnostic, Explanation};

frontend::codes! {
    FILE_NOT_FOUND = "E0500", "there is no such file",
        cause: "A file named on the command line does not exist.",
        example: "quotient check missing.rebeca",
        fix: "Check the spelling and the folder. `-` reads the model from standard input.";
    NOT_A_FILE = "E0501", "the path is a folder",
        cause: "A folder was given where the text of one file is needed.",
        example: "quotient check models/",
        fix: "Name the model's file. Folders are not searched by this command.";
    UNREADABLE = "E0502", "the file cannot be read",
        cause: "The system refused to read the file, most often because of its permissions.",
        example: "quotient check secret.rebeca (a file without read permission)",
        fix: "Make the file readable, or copy it to a place where it is.";
    UNWRITABLE = "E0503", "the output cannot be written",
        cause: "The system refused to write the output: a folder that does not exist, permissions, or a full disk. \
                The file that was there before is unchanged.",
        example: "quotient check model.rebeca -o no/such/folder/report.json",
        fix: "Choose another path, or make room.";
    UNKNOWN_PROPERTY = "E0504", "there is no such property",
        cause: "`--name` selects one property by its name, and neither the model's property file nor the list of built-in \
                names has it. The built-in names are `deadlock`, `overflow`, `assertion` and `error`.",
        example: "quotient check model.rebeca --name Saftey",
        fix: "Use one of the names that the diagnostic lists, or name the property file with `--property`.";
    NOT_AVAILABLE = "E0505", "the option is not available in this version",
        cause: "The command does not do this for the language of the model: `fmt` does not format sequential processes.",
        example: "quotient fmt mutex.lpe",
        fix: "`quotient convert mutex.lpe --to text` prints the canonical text, without comments.";
    CONTRADICTION = "E0506", "two options contradict each other",
        cause: "One option requests what another excludes, or an option has no meaning for the language of the model.",
        example: "quotient check model.rebeca --name deadlock --no-deadlock",
        fix: "Leave one of the two out.";
    UNKNOWN_CODE = "E0507", "there is no such diagnostic code",
        cause: "`quotient explain` knows the codes that diagnostics print in brackets.",
        example: "quotient explain E9999",
        fix: "Run `quotient explain` without a code for the list.";
    NOT_A_TRACE = "E0508", "the file is not a trace",
        cause: "The file is not JSON, or not JSON of the shape that `quotient check --json` and `quotient simulate --json` \
                write.",
        example: "quotient replay model.rebeca",
        fix: "Write the report with `quotient check MODEL --json -o report.json` and replay that file.";
    NO_TRACE = "E0509", "the report has no such trace",
        cause: "The report was read, but nothing in it has a counterexample, or the property named with `--property` has \
                none or is not in the report.",
        example: "quotient replay report.json --property deadlock (of a report that holds)",
        fix: "Replay a report whose verdict is `violated`, and name one of its violated properties.";
    MALFORMED_GRAPH = "E0511", "the graph is malformed",
        cause: "A line of the file does not follow the DIMACS format: `p edge VERTICES EDGES` first, then `n VERTEX COLOUR` \
                and `e VERTEX VERTEX`, vertices from 1, no loops and no edge twice.",
        example: "quotient graph model.rebeca",
        fix: "Correct the line that is named. Loops can be encoded by a colour, directed or multiple edges by vertices in between.";
    OVERWRITES = "E0512", "a result would overwrite something",
        cause: "A file that results are written to is one that the command reads, or another result is written there, perhaps by \
                another path or a link.",
        example: "quotient check model.rebeca -o model.rebeca",
        fix: "Name another file. `quotient fmt FILE` formats in place without `-o`.";
    NO_PROCESSES = "E0520", "fairness needs processes",
        cause: "`--fairness weak` assumes that a process which can move from some state on for ever moves again and again. \
                The rebecs of a Rebeca model are its processes; a sequential process has none unless it declares a sort of \
                them.",
        example: "quotient check mutex.lpe --fairness weak (of `proc P(..) = ..` without `fair`)",
        fix: "Declare the sort whose values are the processes, `proc P(..) fair Id = ..`, or leave the option out.";
    UNUSABLE_CHECKPOINT = "E0530", "the checkpoint cannot be used",
        cause: "`--resume` names a folder without a checkpoint, or the checkpoint there is damaged or was made for another model, \
                other properties, other options or by another build of quotient; or the folder of `--checkpoint` cannot be \
                made, is used by another process, or has a checkpoint that the search would replace.",
        example: "quotient check model.rebeca --resume there/is/no/such/folder",
        fix: "Resume with the model and the options that the checkpoint was made with; limits may differ. Otherwise \
               start anew, with `--overwrite` in the same folder.";
    NO_CRITERION = "E0540", "there is nothing to slice for",
        cause: "A slice keeps what a question depends on, and the question names no variable, assertion or message.",
        example: "quotient slice model.rebeca (without a property file)",
        fix: "Name a property file with `--property`, use `--name deadlock`, `--name assertion` or `--name error`, or use \
               `--method deadlock`.";
    NO_SUCH_VARIABLE = "E0541", "`--abstract` names no variable of the model",
        cause: "`--abstract` takes state variables as `Class.variable`, `rebec.variable` or `variable`, and the model declares \
                none of this name.",
        example: "quotient slice model.rebeca --method bounded --abstract Sender.speed",
        fix: "Use one of the names that the diagnostic lists.";
    NOT_PRESERVED = "E0542", "the slicing method does not preserve the question",
        cause: "A slice has fewer messages and steps than the model: overflow is never preserved, deadlock by the method \
                `deadlock` only, and formulas only if they are of safety and without X.",
        example: "quotient check model.rebeca --slice static (which checks overflow)",
        fix: "Leave out what is not preserved, or use the method that the diagnostic names.";
    NO_SUCH_CLASS = "E0543", "`--class` names no class of the model",
        cause: "`--class` draws the dependence graph of one class, and the model declares none of this name.",
        example: "quotient slice model.rebeca --graph dot --class Sendr",
        fix: "Use one of the names that the diagnostic lists.";
    NO_PERMUTATION = "E0544", "`--why` is no permutation of the model",
        cause: "`--why` takes cycles of names as `quotient detect` prints them: values of types of a sequential process, its variables, \
                or rebecs. A name is unknown, stands twice, or is of another kind than the next one.",
        example: "quotient detect cells.lpe --why '(CELL 1, CEL 2)'",
        fix: "Use the names that `quotient detect` prints, each once.";
    QUESTION = "E0545", "a question that is no condition",
        cause: "`--questions` names a file of questions: lines `name: condition` or `name: formula` over the names of the model. Names are given once.",
        example: "quotient check ring.lpe --questions ring.txt (with a line `alone x = 1`)",
        fix: "Write the question as the diagnostic says. Temporal operators stand around conditions, never inside of one.";
    NOT_CTL = "E0546", "a formula mixes linear and branching time",
        cause: "A formula with path quantifiers is decided where each of `X F G U` stands directly behind `A` or `E`, and each quantifier in \
                front of one of these: that is CTL. This formula has a temporal operator without a quantifier, so it is one of CTL*.",
        example: "ltl L = AG F p;",
        fix: "Write a quantifier in front of each temporal operator, such as `AG AF p`, or leave all of them out: `G F p` is a formula of \
              linear time, about every run.";
    HEAD_LINE = "E0548", "a head line of a model is wrong",
        cause: "`batch` reads lines such as `//@ quotient: --no-deadlock -D N=4` in the first lines of a model as options for it. An option \
                is unknown, has a wrong value, or is one that a model does not choose: files, outputs and threads.",
        example: "//@ quotient: --no-deadlok",
        fix: "Correct the line, or give the option on the command line. `quotient batch --help` lists the options.";
    NOT_A_BASELINE = "E0549", "the file is not a baseline",
        cause: "`--expect` names a file that `quotient batch` wrote with `--update-expect`, and a line of this one is none of it.",
        example: "quotient batch models/ --expect rows.csv",
        fix: "Write a baseline with `--update-expect`, or name the one that was written.";
    PROPERTIES_FOUND = "N0501", "a property file was found next to the model",
        cause: "The file has the model's name with the extension `.property`. Where the model is one of Rebeca, Murphi or DVE, its properties are \
                checked with the model. Models of other languages have no such file, and it is not read.",
        example: "quotient check ring.rebeca (with ring.property in the same folder)",
        fix: "Nothing is wrong with a file that is read: `--no-property` ignores it, and `--property FILE` takes another one. One that is not read \
              can be named with `--questions`, or its lines belong into the model.";
    ONE_THREAD = "N0502", "the search uses one thread",
        cause: "`--threads` requests more threads than the search uses: depth-first searches and searches with checkpoints stay \
                on one. The result is the same, later.",
        example: "quotient check model.rebeca --search dfs --threads 8",
        fix: "Nothing is wrong. Leave `--threads` out, or the option that the notice names.";
    NOTHING_ASKED = "N0503", "nothing is asked",
        cause: "The options and files of the command line leave no question: no deadlock, no faults, no property. States are counted, and `holds` says \
                that the search ended.",
        example: "quotient check model.lpe --no-deadlock --no-faults --no-property",
        fix: "Nothing is wrong if only the numbers are wanted.";
    CHECKPOINT_LOST = "N0530", "a checkpoint could not be written",
        cause: "The folder of `--checkpoint` is full, or may not be written: the search continued without, and an older checkpoint is \
                still there. Or a limit ended the run where nothing is saved: before the search for states or after it, as in \
                runs for formulas.",
        example: "quotient check model.rebeca --checkpoint /dev/full",
        fix: "Give a folder with room. Where nothing was saved, give the run more time or memory.";
    DAMAGED_ROW = "N0532", "a row of the journal is damaged",
        cause: "A line of the file of `batch --resume` is no row, or its checksum is wrong: the file was changed, or was not \
                written whole. The row is not used.",
        example: "quotient batch models/ --resume rows.jsonl (with a line that was edited)",
        fix: "Nothing is wrong: the model is run again. Remove the line so that it is not reported again.";
    NEAR_SYMMETRY = "N0533", "a place keeps permutations out of the group",
        cause: "Without this place, and the others that are reported with it, all these permutations would be symmetries: a value is named, \
                compared by order, computed with, or treated in an order that shows.",
        example: "quotient detect cells.lpe --format short (where `init last = 1` names one cell of three)",
        fix: "Nothing is wrong. If the difference is not meant, write the place without the name or the order: for instance let the model \
              choose the value.";
    SPILL_FAILED = "N0531", "states could not be put on the disk",
        cause: "Memory was short, and the folder of `--spill`, or that of the system for temporary files, is full or may not be \
                written. The search continued as far as memory was enough.",
        example: "quotient check model.rebeca --max-memory 64M --spill /proc",
        fix: "Give a folder with room, or more memory.";
    RUN_LEFT_OUT = "N0534", "a part of the report is left out",
        cause: "A limit or a signal came while the report was written: its runs, or the files of `--report`, were too long for the time or memory \
                that was left. The verdicts are those of the finished search.",
        example: "quotient check model.lpe --timeout 8s --report page.html, where the counterexample has a million steps",
        fix: "Give the command more time or memory.";
    PROPERTY_LEFT_OUT = "N0535", "a property has no text",
        cause: "A `never` claim or another property that is an automaton cannot be written in this format: a check of the text does not answer it.",
        example: "quotient convert model.pml --to lpe, where the model has a `never` claim",
        fix: "Check the model itself, or write the runs that violate the property with `--to hoa` and give them by `--buchi`.";
    NEVER_EXECUTED = "W0560", "a part of the model is never executed",
        cause: "The search explored every reachable state, and none has a step that executes this message server, rule, summand, transition \
                or statement: nobody sends the message, or the guard is never true. Or no step takes this branch, evaluates this assertion or \
                chooses this alternative. Assertions inside are never checked, so that a property which holds may hold for want of steps.",
        example: "quotient check model.rebeca (where `msgsrv alarm() { assertion(false); }` is sent by nobody)",
        fix: "Correct the guard, the condition or the sender, or remove the part. `coverage` in the report as JSON has the count of each part.";
    NEVER_READ = "W0561", "a variable is never read",
        cause: "Nothing depends on the variable, parameter or field: neither the model nor the properties read it in a condition, an index, an \
                argument or the value of a variable that is read itself. `n := n + 1` alone is no read. A variable of the state \
                that is never read multiplies the states, and often a condition was meant to read it.",
        example: "quotient check model.rebeca (where `statevars { int sent; }` is counted by `sent = sent + 1` and no condition names it)",
        fix: "Remove it with its assignments, or read it where it was meant to be read. A name that begins with `_` is not reported.";
}

/// All explanations, ordered by code.
pub(crate) fn all() -> Vec<Explanation> {
    let mut all = of_texts();
    all.extend_from_slice(TABLE);
    all.sort_by_key(|explanation| explanation.code);
    assert!(all.windows(2).all(|pair| pair[0].code != pair[1].code), "every code is declared once");
    all
}

/// The explanation of a code given as text; case is ignored.
pub(crate) fn explain(code: &str) -> Option<Explanation> {
    all().into_iter().find(|explanation| explanation.code.as_str().eq_ignore_ascii_case(code))
}

/// Commands and options that remedy a fault of a text: the libraries that report it know none.
const REMEDIES: &[(Code, &str)] = &[
    (HOA_SYNTAX, "`check --buchi` reads such files, and `quotient convert --to hoa` writes them"),
    (WRONG_FILE_KIND, "`--property FILE` names a property file"),
    (MIXED_DIALECTS, "`--core 2.1` makes `initial` an ordinary message server"),
    (INITIAL_IS_ORDINARY, "`--core` chooses the dialect; without it the model does"),
    (LPE_NO_FORM, "`quotient explain E0640` lists what is left out; `check` takes the model as it is"),
    (MURPHI_NO_FORM, "`quotient explain E0832` lists what is left out; `check` takes the model as it is"),
    (MURPHI_QUESTION, "`--property` names a file of formulas"),
    (MURPHI_SCALARSET, "`quotient detect` lists what is exchanged"),
    (LPE_NO_FAIRNESS, "`check --fairness none` asks the same of the model"),
    (MURPHI_FORM, "`check --deadlock stuck` asks the same of the model"),
];

/// The commands and options that remedy a fault of a text.
pub(crate) fn remedy(code: Code) -> Option<&'static str> {
    REMEDIES.iter().find(|(known, _)| *known == code).map(|(_, remedy)| *remedy)
}

/// A diagnostic with the remedy of its code behind its help.
pub(crate) fn with_remedy(diagnostic: &Diagnostic) -> Diagnostic {
    let Some(remedy) = remedy(diagnostic.code) else { return diagnostic.clone() };
    let help = diagnostic.help.as_ref().map_or_else(|| remedy.to_owned(), |help| format!("{help}; {remedy}"));
    diagnostic.clone().help(help)
}
