//! Random models of Promela that SPIN reads, too: processes and what they share, in few words each.
//!
//! A model draws its features first ([`Features`]), few of many, so that its states stay few. `values` makes expressions and assignments, `channels` makes
//! statements on channels, `statements` everything around them, `claims` makes formulas and `never` claims.
//!
//! Invariant: values stay small, so that state spaces do. No model has what SPIN refuses or is known to count otherwise: labels with a meaning before first
//! statements, jumps to first statements, `else` beside statements on channels, `unless` on a guard, questions to rendezvous channels, and `skip` behind `printf` or `skip` in an option, which SPIN leaves out.
//! Where states are counted otherwise on purpose, the model says so ([`Model::counts_otherwise`]).

mod channels;
mod claims;
mod statements;
mod values;

use battery::random::Rng;

/// A model.
pub(super) struct Model {
    /// Its text.
    pub(super) text: String,
    /// Whether accept labels may stand inside of `atomic` sequences, where SPIN does not see all of them.
    pub(super) has_labels_inside: bool,
    /// Whether assertions may fail inside of `atomic` sequences: the state before them is stored, unlike in SPIN.
    pub(super) counts_otherwise: bool,
}

/// The place of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Plain,
    Atomic,
    Escape,
    Step,
}

/// What a model has; each feature is drawn apart.
#[derive(Clone, Debug, Default)]
struct Features {
    /// Symbols in variables and messages.
    symbols: bool,
    queue: bool,
    meetings: bool,
    array: bool,
    /// An array of channels, and channels that are parameters, locals and messages.
    channels: bool,
    /// Records, with arrays and records in them.
    records: bool,
    /// Variables of all widths, negative values and operators on bits.
    widths: bool,
    /// Locals of blocks.
    blocks: bool,
    /// `for` and `select`.
    counts: bool,
    /// `goto`, behind statements and at the beginning of proctypes, braces, options and escapes.
    jumps: bool,
    timeouts: bool,
    provided: bool,
    last: bool,
    /// `inline` and `#define`.
    words: bool,
    /// `unless` around and inside of everything.
    escapes: bool,
    /// Loops and nested choices in `atomic` and `d_step`.
    inner_loops: bool,
    /// Processes that make processes.
    starts: bool,
    inner_asserts: bool,
    /// Locals and labels of processes in claims.
    remote: bool,
    never: bool,
    init: bool,
    /// Indices outside of their arrays, variables without a channel, and values that nothing takes.
    faults: bool,
}

impl Features {
    fn random(rng: &mut Rng) -> Features {
        let mut rare = || rng.chance(16);
        let mut drawn = Features {
            channels: rare(),
            records: rare(),
            widths: rare(),
            blocks: rare(),
            counts: rare(),
            jumps: rare(),
            timeouts: rare(),
            provided: rare(),
            last: rare(),
            words: rare(),
            escapes: rare(),
            inner_loops: rare(),
            starts: rare(),
            inner_asserts: rare(),
            never: rare(),
            init: rare(),
            ..Features::default()
        };
        drawn.symbols = rng.chance(30);
        drawn.queue = rng.chance(50);
        drawn.meetings = rng.chance(40);
        drawn.array = rng.chance(30);
        drawn.remote = rng.chance(40);
        drawn
    }
}

struct Generator {
    rng: Rng,
    has: Features,
    kinds: Vec<&'static str>,
    labels: usize,
    has_labels_inside: bool,
    capacity: usize,
    /// Whether the channels of `c` hold a message.
    has_room: bool,
    has_local: bool,
    is_looped: bool,
    /// The channel variable of the process, if it has one.
    channel: Option<&'static str>,
    /// The locals of the blocks around.
    block_locals: Vec<String>,
    /// How many locals of blocks were made.
    blocks: usize,
    /// How many processes may still be made, of `R` and of `S`.
    runs: [usize; 2],
    /// The labels that jumps go to.
    targets: Vec<usize>,
    /// The processes with a local `n`, and those with the label `spot`, by name and number.
    locals: Vec<(&'static str, usize)>,
    spots: Vec<(&'static str, usize)>,
}

/// Where a label may be put.
const MARK: char = '\u{1}';

/// The model of a seed.
pub(super) fn model(seed: u64) -> Model {
    let mut rng = Rng::new(seed);
    let kinds = ["accept", "progress", "end"].into_iter().filter(|_| rng.chance(30)).collect();
    let has_labels_inside = rng.chance(50);
    // Drawn by itself, so that models without it keep their seeds.
    let faults = Rng::new(!seed).chance(25);
    let has = Features { faults, ..Features::random(&mut rng) };
    let mut generator = Generator {
        kinds,
        labels: 0,
        has_labels_inside,
        capacity: rng.between(1, 2),
        has_room: false,
        has_local: false,
        is_looped: false,
        channel: None,
        block_locals: Vec::new(),
        blocks: 0,
        runs: [0; 2],
        targets: Vec::new(),
        locals: Vec::new(),
        spots: Vec::new(),
        has,
        rng,
    };
    let text = generator.text();
    Model { text, has_labels_inside, counts_otherwise: generator.has.inner_asserts }
}

impl Generator {
    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.rng.below(list.len())]
    }

    fn text(&mut self) -> String {
        let mut out = self.declarations();
        // The processes that are made.
        for (number, name) in ["S", "R"].into_iter().enumerate() {
            if !self.rng.chance(30) || name == "S" && !self.has.starts {
                continue;
            }
            let provided = self.provided();
            (self.has_local, self.is_looped) = (true, false);
            self.channel = self.has.channels.then_some("d");
            let local = self.head(false);
            let body = self.sequence(2, Place::Plain);
            let body = self.with_labels(&body, None);
            let parameters = if self.has.channels { "byte n; chan d" } else { "byte n" };
            out += &format!("proctype {name}({parameters}){provided} {{\n{local}  {body}\n}}\n");
            self.runs[number] = 2;
        }
        let mut number = 0;
        for name in ["P", "Q"].into_iter().take(self.rng.between(1, 2)) {
            let (copies, more) = if self.rng.chance(35) { (" [2]", 2) } else { ("", 1) };
            let provided = self.provided();
            out += &format!("active{copies} proctype {name}(){provided} {{\n{}\n}}\n", self.process((name, number)));
            number += more;
        }
        if self.has.init {
            out += &format!("init {{\n{}\n}}\n", self.process(("init", number)));
        }
        out + &self.claims()
    }

    /// The condition under which a process may move, of what all share.
    fn provided(&mut self) -> String {
        self.has_local = false;
        if self.has.provided && self.rng.chance(50) {
            format!(" provided ({})", self.comparison())
        } else {
            String::new()
        }
    }

    fn declarations(&mut self) -> String {
        let mut out = "byte x, y;\nbit b;\n".to_owned();
        if self.has.array {
            out += "byte a[2];\n";
        }
        if self.has.faults {
            out += "hidden byte h[2];\n";
        }
        if self.has.widths {
            out += "byte w = 255;\nshort s = -1;\nint i;\nunsigned u : 3 = 5;\n";
        }
        if self.has.records {
            out += "typedef V { byte f; bit h }\ntypedef T { byte f = 1; bit g[2]; V v }\nT t;\nT ts[2];\nV v;\n";
            out += "chan z = [1] of { V };\n";
        }
        if self.has.symbols {
            out += "mtype = { red, green };\n";
        }
        if self.has.queue {
            let fields = if self.has.symbols { "mtype, byte" } else { "byte" };
            out += &format!("chan q = [{}] of {{ {fields} }};\n", self.capacity);
        }
        if self.has.meetings {
            out += "chan r = [0] of { byte };\n";
        }
        if self.has.channels {
            self.has_room = self.rng.chance(60);
            let room = u8::from(self.has_room);
            out += &format!("chan c[2] = [{room}] of {{ byte }};\nchan k = [1] of {{ chan }};\n");
        }
        if self.has.words {
            out += "#define low (x < 2)\n#define give(v, e) v = (e) % 3\n";
            out += "inline turn(v) { b = 1 - b; v = (v + 1) % 3 }\n";
        }
        out
    }

    /// The channel variable of a process with its first value, where it has one, and whether it is set by a statement.
    fn head(&mut self, is_started: bool) -> String {
        if !self.has.channels || !is_started {
            return String::new();
        }
        self.channel = Some("e");
        let first = self.pick(&["c[0]", "c[1]"]);
        if self.has.faults && self.rng.chance(30) {
            return "  chan e;\n".to_owned();
        }
        if self.rng.chance(50) { format!("  chan e = {first};\n") } else { format!("  chan e; e = {first};\n") }
    }

    fn process(&mut self, (name, number): (&'static str, usize)) -> String {
        self.has_local = self.rng.chance(40) || self.has.counts;
        self.is_looped = self.rng.chance(60);
        self.channel = None;
        let mut local = if self.has_local { "  byte n = 1;\n".to_owned() } else { String::new() };
        local += &self.head(true);
        if self.has_local && name != "init" {
            self.locals.push((name, number));
        }
        let mut body = self.sequence(2, Place::Plain);
        if self.is_looped {
            let (label, more) = (self.label(Place::Plain), self.rng.below(3));
            let more = match more {
                0 => String::new(),
                1 => format!(" :: {}", self.sequence(1, Place::Plain)),
                _ => format!(" :: {} -> break", self.condition(1)),
            };
            body = format!("{label}do :: {body}{more} od");
        }
        let spot = (self.has.remote && name != "init").then_some((name, number));
        format!("{local}  {}", self.with_labels(&body, spot))
    }

    /// Puts the labels that jumps go to, and that claims name, at some of the marks; without marks before everything.
    fn with_labels(&mut self, body: &str, spot: Option<(&'static str, usize)>) -> String {
        let mut targets = std::mem::take(&mut self.targets);
        targets.sort_unstable();
        targets.dedup();
        let mut labels: Vec<String> = targets.iter().map(|target| format!("L{target}: ")).collect();
        let mut marks = body.matches(MARK).count();
        if let Some(place) = spot.filter(|_| marks > 0) {
            labels.push("spot: ".to_owned());
            self.spots.push(place);
        }
        let mut out = String::new();
        for part in body.chars() {
            if part != MARK {
                out.push(part);
                continue;
            }
            // The last mark takes all labels that are left.
            let taken: Vec<String> = std::mem::take(&mut labels)
                .into_iter()
                .filter(|label| {
                    let stays = marks > 1 && self.rng.chance(70);
                    if !stays {
                        out += label;
                    }
                    stays
                })
                .collect();
            labels = taken;
            marks -= 1;
        }
        labels.concat() + if labels.is_empty() { "" } else { "b = b; " } + &out
    }
}
