//! The rules of the project about its own text, as far as a test can tell: what a file opens with, how long it is, what it
//! may not hold, and that what it refers to exists.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use battery::harness::root;

/// The most lines of a file of source text.
const MAX_LINES: usize = 800;

/// A file of the repository.
struct File {
    /// Its path from the root.
    name: String,
    text: String,
}

/// All files with one of the extensions, without what is built.
fn all(extensions: &[&str]) -> Vec<File> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path: PathBuf = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && name != ".git" {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extensions.iter().any(|known| extension == *known)) {
                let name = path.strip_prefix(root()).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                found.push(File { name, text: std::fs::read_to_string(&path).expect("a text") });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(!found.is_empty(), "no files of {extensions:?}");
    found
}

/// Fails with one line per problem.
fn none(problems: &[String]) {
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}

/// Each line that a predicate objects to, as a problem.
fn lines(files: &[File], objects: impl Fn(&str) -> bool) -> Vec<String> {
    let numbered = files.iter().flat_map(|file| (1..).zip(file.text.lines()).map(move |(at, line)| (file, at, line)));
    let bad = numbered.filter(|(_, _, line)| objects(line));
    bad.map(|(file, at, line)| format!("{}:{at}: {line}", file.name)).collect()
}

#[test]
fn every_source_file_opens_with_its_purpose() {
    let bad = all(&["rs"]).into_iter().filter(|file| !file.text.starts_with("//! "));
    none(&bad.map(|file| format!("{} does not open with `//!`", file.name)).collect::<Vec<String>>());
}

#[test]
fn no_source_file_is_long() {
    let long = all(&["rs"]).into_iter().filter(|file| file.text.lines().count() > MAX_LINES);
    none(&long.map(|file| format!("{}: {} lines", file.name, file.text.lines().count())).collect::<Vec<String>>());
}

#[test]
fn nothing_is_left_for_later() {
    let words = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")];
    let macros = [concat!("db", "g!("), concat!("to", "do!("), concat!("unimple", "mented!(")];
    let has_word = |line: &str| line.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word));
    none(&lines(&all(&["rs"]), |line| has_word(line) || macros.iter().any(|name| line.contains(name))));
}

#[test]
fn white_space_is_plain() {
    none(&lines(&all(&["rs", "md", "toml", "rebeca", "property", "lpe", "dve", "pnml"]), |line| {
        line.contains('\t') || line.ends_with(' ') || line.ends_with('\r')
    }));
}

#[test]
fn no_path_of_a_machine_is_named() {
    let folders = ["work", "root", "home", "Users", "tmp"].map(|name| format!("/{name}/"));
    let files = all(&["rs", "md", "toml", "snap", "rebeca", "property", "lpe", "dve", "pnml"]);
    none(&lines(&files, |line| {
        folders.iter().any(|folder| line.contains(folder.as_str())) || line.contains(":\\Users")
    }));
}

/// Whether a text in brackets is a key of the bibliography: `Abc99`, `Abc99a`, or capitals only.
fn is_key(text: &str) -> bool {
    let letters = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let name = letters.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(|c| c.is_ascii_alphabetic());
    let capitals = text.len() >= 3 && text.chars().all(|c| c.is_ascii_uppercase());
    capitals || (is_name && letters.len() - name.len() == 2)
}

/// The keys that a line cites: in brackets, and not a link.
fn cited(line: &str) -> Vec<String> {
    let parts = line.split('[').skip(1).filter_map(|part| part.split_once(']'));
    let keys = parts.filter(|(key, rest)| is_key(key) && !rest.starts_with(['(', '[', ':']));
    keys.map(|(key, _)| key.to_owned()).collect()
}

#[test]
fn every_citation_resolves() {
    let bibliography = std::fs::read_to_string(root().join("docs/bibliography.md")).expect("the bibliography");
    let rows = bibliography.lines().filter_map(|line| line.strip_prefix("| [")?.split_once(']'));
    let known: BTreeSet<&str> = rows.map(|(key, _)| key).collect();
    assert!(known.contains("Jag10") && known.len() >= 5, "{known:?}");
    let files = all(&["rs", "md"]);
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.name != "docs/bibliography.md") {
        let text = if file.name.ends_with(".md") { prose(&file.text) } else { file.text.clone() };
        for (at, line) in (1..).zip(text.lines()) {
            let comment =
                if file.name.ends_with(".md") { line } else { line.split_once("//").map_or("", |parts| parts.1) };
            for key in cited(comment).iter().filter(|key| !known.contains(key.as_str())) {
                problems.push(format!("{}:{at}: [{key}] is not in the bibliography", file.name));
            }
        }
    }
    none(&problems);
}

#[test]
fn citations_are_recognised() {
    assert_eq!(cited("as in [Jag10] 3.3 and [Zha13], not [`Model`] or [State], by [JLS]"), ["Jag10", "Zha13", "JLS"]);
    assert_eq!(cited("[Ios02](link) [x] [Jag1] [AB]"), [""; 0]);
}

/// A page without its fenced blocks, which hold commands and what they print; their lines stay, empty.
fn prose(text: &str) -> String {
    let mut inside = false;
    let line = |line: &str| {
        let fence = line.starts_with("```");
        inside ^= fence;
        if fence || inside { "\n".to_owned() } else { format!("{line}\n") }
    };
    text.lines().map(line).collect()
}

/// The parts of a text in backquotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The names of all tests: functions behind `#[test]`, perhaps with other attributes between.
fn tests() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in all(&["rs"]) {
        let mut is_test = false;
        for line in file.text.lines().map(str::trim) {
            if let Some((name, _)) = line.strip_prefix("fn ").and_then(|rest| rest.split_once('(')).filter(|_| is_test)
            {
                found.insert(name.to_owned());
            }
            is_test = line == "#[test]" || (is_test && line.starts_with("#["));
        }
    }
    found
}

/// The sections of the page of soundness: what each is about, and its fields by name.
fn sections(page: &str) -> Vec<(&str, BTreeMap<String, String>)> {
    let mut sections: Vec<(&str, BTreeMap<String, String>)> = Vec::new();
    let (mut inside, mut field) = (false, None);
    for line in page.lines() {
        if let Some(what) = line.strip_prefix("### ") {
            sections.push((what, BTreeMap::new()));
            (inside, field) = (true, None);
        } else if line.starts_with('#') {
            inside = false;
        } else if inside && let Some((_, fields)) = sections.last_mut() {
            if let Some((name, text)) = line.strip_prefix("- ").and_then(|rest| rest.split_once(": ")) {
                fields.insert(name.to_owned(), text.to_owned());
                field = Some(name.to_owned());
            } else if let Some(text) = field.as_ref().and_then(|field| fields.get_mut(field)) {
                text.push(' ');
                text.push_str(line.trim());
            }
        }
    }
    sections
}

#[test]
fn the_page_of_soundness_names_tests_and_paths_that_exist() {
    let page = std::fs::read_to_string(root().join("docs/soundness.md")).expect("the page");
    let tests = tests();
    let mut problems = Vec::new();
    let sections = sections(&page);
    assert!(sections.len() > 80, "only {} sections", sections.len());
    for (what, fields) in sections {
        let known = ["Claim", "Because", "Checked in", "Test"];
        let unknown = fields.keys().filter(|name| !known.contains(&name.as_str()));
        problems.extend(unknown.map(|name| format!("{what}: `{name}` is no field")));
        let [Some(_), Some(places), Some(named)] = ["Claim", "Checked in", "Test"].map(|name| fields.get(name)) else {
            problems.push(format!("{what}: a claim, the place of its check and a test are needed"));
            continue;
        };
        for path in quoted(places).filter(|text| text.contains('/')) {
            if !root().join(path).exists() {
                problems.push(format!("{what}: there is no `{path}`"));
            }
        }
        let exists = |test: &str| tests.contains(test) || (test.ends_with(".rs") && root().join(test).is_file());
        for test in quoted(named).filter(|test| !exists(test)) {
            problems.push(format!("{what}: there is no test `{test}`"));
        }
        if quoted(named).next().is_none() {
            problems.push(format!("{what}: no test is named"));
        }
    }
    none(&problems);
}

/// Each path of the repository that a page names in backquotes exists, up to a part that stands for anything.
#[test]
fn every_path_of_the_pages_exists() {
    let folders: Vec<String> = std::fs::read_dir(root())
        .expect("the root")
        .filter_map(|entry| entry.ok().filter(|entry| entry.path().is_dir()))
        .map(|entry| format!("{}/", entry.file_name().to_string_lossy()))
        .collect();
    let mut problems = Vec::new();
    let mut count = 0;
    for file in all(&["md"]) {
        let text = prose(&file.text);
        let words = quoted(&text).flat_map(str::split_whitespace);
        for word in words.filter(|word| folders.iter().any(|folder| word.starts_with(folder.as_str()))) {
            let known = word.split(['<', '*', '{']).next().unwrap_or_default();
            let known = if known == word { known } else { known.rsplit_once('/').map_or("", |parts| parts.0) };
            count += 1;
            if !root().join(known).exists() && !known.starts_with("target/") {
                problems.push(format!("{}: there is no `{word}`", file.name));
            }
        }
    }
    assert!(count > 5, "only {count} paths");
    none(&problems);
}

/// The folders that fixtures are dropped into, up to the part that the contributor chooses.
#[test]
fn contributing_lists_the_fixture_folders() {
    let page = std::fs::read_to_string(root().join("CONTRIBUTING.md")).expect("the page");
    let listed: Vec<&str> = quoted(&page).filter(|text| text.starts_with("fixtures/")).collect();
    assert!(listed.len() >= 3, "{listed:?}");
    for folder in listed {
        let known = folder.split('<').next().unwrap_or_default();
        assert!(Path::new(&root()).join(known).exists(), "there is no `{folder}`");
    }
}

/// The modules at the root of a crate that a text names behind `crate::`, also in a list in braces; not in comments.
fn modules_used(text: &str) -> BTreeSet<String> {
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let name = |text: &str| text.chars().take_while(|&c| c.is_alphanumeric() || c == '_').collect::<String>();
    let mut found = BTreeSet::new();
    for (_, rest) in code.match_indices("crate::").map(|(at, found)| code.split_at(at + found.len())) {
        let Some(list) = rest.strip_prefix('{') else {
            found.insert(name(rest));
            continue;
        };
        let mut depth = 0;
        let ends = list.find(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth < 0
        });
        let mut depth = 0;
        let items = list[..ends.unwrap_or(list.len())].split(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        });
        found.extend(items.map(|item| name(item.trim())));
    }
    found.remove("");
    found
}

/// The modules of the binary, in the order that the head of its `main.rs` gives them.
fn order_of_modules(head: &str) -> Vec<String> {
    let lines = head.lines().take_while(|line| line.starts_with("//!")).skip_while(|line| !line.contains("Order:"));
    lines.take_while(|line| line.trim() != "//!").flat_map(quoted).map(str::to_owned).collect()
}

/// Each use of a module by one that comes before it in the order, and each module outside the order.
fn against_the_order(order: &[String], files: &[(String, String)]) -> Vec<String> {
    let place = |module: &str| order.iter().position(|known| known == module);
    let mut problems = Vec::new();
    for (module, text) in files {
        let Some(own) = place(module) else {
            problems.push(format!("`{module}` is not in the order"));
            continue;
        };
        let later = modules_used(text).into_iter().filter(|used| place(used).is_none_or(|used| used > own));
        problems.extend(later.map(|used| format!("`{module}` uses `{used}`, which does not come before it")));
    }
    problems
}

#[test]
fn modules_of_the_binary_use_only_those_before_them() {
    let files = all(&["rs"]).into_iter().filter_map(|file| {
        let inner = file.name.strip_prefix("cli/src/")?.strip_suffix(".rs")?.to_owned();
        let module = inner.split('/').next().unwrap_or_default().to_owned();
        // What only tests use may look up.
        let own = file.text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
        (!["main", "stopping_tests"].contains(&module.as_str())).then_some((module, own))
    });
    let files: Vec<(String, String)> = files.collect();
    let head = std::fs::read_to_string(root().join("cli/src/main.rs")).expect("the head of the binary");
    let order = order_of_modules(&head);
    assert!(order.len() > 10 && files.len() > order.len(), "{order:?}");
    none(&against_the_order(&order, &files));
}

#[test]
fn modules_in_a_cycle_are_found() {
    let order = order_of_modules("//! Text\n//!\n//! Order: `a`,\n//! `b`.\n//!\n//! `c`\n");
    assert_eq!(order, ["a", "b"]);
    let file = |module: &str, text: &str| (module.to_owned(), text.to_owned());
    let good = [file("a", "// crate::b\nuse crate::a::x;"), file("b", "use crate::{\n a::{x, b}, b\n};")];
    assert_eq!(against_the_order(&order, &good), [""; 0]);
    let cycle = [file("a", "fn f() { crate::b::g() }"), file("b", "use crate::a;"), file("c", "")];
    assert_eq!(against_the_order(&order, &cycle).len(), 2);
    assert_eq!(against_the_order(&order, &[file("a", "use crate::{a::{b, c}, b};")]).len(), 1);
}
