//! Pages in a browser: no error on its console, nothing loaded, and the table sorts.
//!
//! The policy in the head of each page forbids every request, so that one that is tried is an error on the console. Without
//! Chromium these tests say that they are skipped; properties of the text are tested with the command line.

use std::path::{Path, PathBuf};
use std::process::Command;

use battery::harness::root;

use crate::binary::quotient;

/// Chromium, under one of its names.
fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).find(|path| path.is_file())
}

/// The document behind a page after its scripts ran, and what was said meanwhile.
fn loaded(browser: &Path, profile: &Path, page: &str, width: u32) -> (String, String) {
    let profile = format!("--user-data-dir={}", profile.display());
    let size = format!("--window-size={width},900");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions"])
        .args(["--disable-background-networking", "--disable-component-update", "--no-first-run"])
        .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", "--dump-dom"])
        .args([profile.as_str(), size.as_str(), page])
        .output()
        .expect("the browser starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn is_quiet(said: &str) -> bool {
    !said.contains("CONSOLE") && !said.contains("Refused to")
}

#[test]
fn pages_load_without_errors_and_sort() {
    let Some(browser) = browser() else {
        eprintln!("skipped: no Chromium on this machine");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let models = root().join("fixtures/rebeca/philosophers");
    let (models, html) = (models.to_string_lossy(), path("out.html"));
    quotient(&["batch", &models, "--check", "--max-states", "20000", "--html", &html]);
    let mut pages: Vec<PathBuf> = std::fs::read_dir(path("out.html.pages"))
        .expect("the pages")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(pages.len(), 5);
    pages.truncate(2);
    for page in &pages {
        let (document, said) =
            loaded(&browser, &folder.path().join("profile"), &format!("file://{}", page.display()), 1280);
        assert!(document.contains("</footer>") && is_quiet(&said), "{}\n{said}", page.display());
    }
    for (width, order, sorted) in [(500, "", "ascending"), (1280, "-", "descending")] {
        let page = format!("file://{html}#sort={order}0");
        let (document, said) = loaded(&browser, &folder.path().join("profile"), &page, width);
        assert!(is_quiet(&said), "{said}");
        assert!(document.contains(&format!("aria-sort=\"{sorted}\"")), "the script did not run\n{document}");
        let place = |name: &str| document.find(&format!("/{name}.rebeca\"")).expect(name);
        assert_eq!(place("phil2_fig2") < place("table_for_two"), order.is_empty());
    }
    // Only one row fits the search.
    let page = format!("file://{html}#find=table_for_two");
    let (document, said) = loaded(&browser, &folder.path().join("profile"), &page, 1280);
    assert!(is_quiet(&said), "{said}");
    assert!(document.contains("<output>1 of 5 rows</output>"), "{document}");
    // The test would see an error: a page that the policy forbids what it tries.
    let wrong = path("wrong.html");
    let text = std::fs::read_to_string(&pages[0]).expect("a page");
    std::fs::write(&wrong, text.replace("</footer>", "</footer><script>alert(1)</script>")).expect("a file");
    let (_, said) = loaded(&browser, &folder.path().join("profile"), &format!("file://{wrong}"), 1280);
    assert!(!is_quiet(&said), "a script that the policy forbids is not noticed\n{said}");
}

#[test]
fn pages_of_many_rows_show_some_at_once() {
    let Some(browser) = browser() else {
        eprintln!("skipped: no Chromium on this machine");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    std::fs::create_dir(path("models")).expect("a folder");
    // Rows of such models need no process.
    for number in 0..305 {
        std::fs::write(path(&format!("models/m{number:03}.lpe")), "//@ quotient: --none\n").expect("a file");
    }
    let html = path("out.html");
    quotient(&["batch", &path("models"), "--check", "--html", &html]);
    let shown = |page: &str| {
        let (document, said) = loaded(&browser, &folder.path().join("profile"), page, 1280);
        assert!(is_quiet(&said), "{said}");
        let rows = document.split("<tr id=\"r").skip(1);
        let shown = rows.filter(|row| !row.split('>').next().is_some_and(|head| head.contains("hidden"))).count();
        (document, shown)
    };
    let (document, some) = shown(&format!("file://{html}"));
    assert!(document.contains("<output>305 rows</output>") && document.contains("show all 305"), "{document}");
    assert_eq!(some, 100);
    assert!(document.contains("class=\"sortable models ready\""), "the script did not take over from the style");
    // What fits the search is shown wherever it stands, also in another order.
    let (document, some) = shown(&format!("file://{html}#find=m30"));
    assert!(document.contains("<output>5 of 305 rows</output>"), "{document}");
    assert_eq!(some, 5);
    let (document, some) = shown(&format!("file://{html}#sort=-0"));
    let last = document.split("data-name=").nth(1).expect("a row");
    assert!(some == 100 && last.contains("m304.lpe"), "{some}: {last}");
    // A link to a row shows that row, and opens it.
    let (document, some) = shown(&format!("file://{html}#r300"));
    let row = document.split("<tr id=\"r").find(|row| row.starts_with("300\"")).expect("a row");
    let head = row.split('>').next().expect("a row");
    assert!(some == 1 && !head.contains("hidden") && row.contains("<details open"), "{some}: {row}");
}

#[test]
fn points_of_charts_are_links_to_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let html = folder.path().join("out.html").to_string_lossy().into_owned();
    let models = root().join("fixtures/rebeca/trains");
    quotient(&["batch", &models.to_string_lossy(), "--check", "--html", &html]);
    let page = std::fs::read_to_string(&html).expect("a page");
    let points: Vec<&str> = page.split("<a href=\"#").skip(1).filter_map(|part| part.split('"').next()).collect();
    assert_eq!(points, ["r1", "r2"]);
    for (point, name) in points.iter().zip(["train3", "train4"]) {
        let label = page.split(&format!("<a href=\"#{point}\">")).nth(1).and_then(|part| part.split("</title>").next());
        assert!(label.is_some_and(|label| label.contains(&format!("{name}.rebeca: "))), "{label:?}");
        let row = page.split(&format!("<tr id=\"{point}\"")).nth(1).and_then(|part| part.split('>').next());
        assert!(row.is_some_and(|row| row.contains(&format!("{name}.rebeca"))), "{row:?}");
    }
}
