//! A message sequence chart as SVG: one lane per rebec, time downwards, an arrow from the sending of a message to its
//! service.
//!
//! The same drawing is used by itself (with its own style and a title) and inside a page (where the page has the
//! style); [`STYLE`] is that style, for light and for dark.
//!
//! Invariant: the drawing has no script, no link and nothing that is loaded; every text is escaped.

use std::fmt::Write;

use super::chart::{Chart, Origin, Row, StepRow};
use super::escape::xml;

/// The style of charts; the colours are variables, so that a page may have its own.
pub(crate) const STYLE: &str = "\
.msc{--ink:#1d2733;--soft:#5b6b7c;--line:#b9c4cf;--paper:#ffffff;--mark:#1f6feb;--bad:#b42318;background:var(--paper)}
@media (prefers-color-scheme:dark){.msc{--ink:#e4eaf0;--soft:#9fb0c0;--line:#465565;--paper:#10161c;--mark:#6cb0ff;--bad:#ff8d80}}
.msc text{font:12px ui-sans-serif,system-ui,sans-serif;fill:var(--ink);stroke:var(--paper);stroke-width:4px;paint-order:stroke;stroke-linejoin:round}
.msc .name{font-weight:600}.msc .call{font-family:ui-monospace,monospace;font-weight:600}
.msc .note,.msc .number{fill:var(--soft);font-size:11px}.msc .bad{fill:var(--bad);font-weight:600}
.msc .life{stroke:var(--line);stroke-dasharray:3 4}.msc .head{fill:var(--paper);stroke:var(--line)}
.msc .box{fill:var(--mark)}.msc .send{stroke:var(--mark);fill:none;stroke-width:1.5}.msc .tip{fill:var(--mark)}
.msc .late{stroke-dasharray:4 3;opacity:.7}.msc .loop{stroke:var(--mark);fill:none;stroke-width:2}
.msc .wrong{fill:var(--bad)}
";

/// Pixels above the first row.
const TOP: usize = 52;
/// Pixels left of the first lane.
const LEFT: usize = 64;
/// Pixels of one line of text.
const LINE: usize = 15;
/// Pixels of a row without notes.
const ROW: usize = 30;
/// The most notes shown of one step.
const MOST_NOTES: usize = 6;
/// The most messages shown that were not served.
const MOST_WAITING: usize = 12;

/// A separate drawing.
pub(crate) fn document(chart: &Chart, title: &str) -> String {
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", drawing(chart, title, Some(STYLE)))
}

/// A drawing inside a page.
pub(crate) fn inline(chart: &Chart, title: &str) -> String {
    drawing(chart, title, None)
}

/// The positions of a drawing.
struct Layout {
    /// Pixels between lanes.
    lane: usize,
    /// Characters that fit between two lanes.
    fits: usize,
    /// The top of each row, and the end of the last.
    rows: Vec<usize>,
    height: usize,
    width: usize,
}

impl Layout {
    fn new(chart: &Chart) -> Layout {
        let steps = chart.rows.iter().filter_map(Row::step);
        let labels = steps.clone().map(|step| step.label.chars().count() + 4);
        let names = chart.lanes.iter().map(|name| name.chars().count());
        let notes = steps.clone().flat_map(|step| &step.notes).map(|note| note.chars().count().saturating_sub(4));
        let longest = labels.chain(names).chain(notes).max().unwrap_or(8).clamp(14, 30);
        let lane = longest * 7 + 26;
        let mut rows = vec![TOP];
        for row in &chart.rows {
            let notes = row.step().map_or(0, |step| step.notes.len().min(MOST_NOTES + 1));
            rows.push(rows.last().copied().unwrap_or(TOP) + ROW + LINE * notes);
        }
        let end = rows.last().copied().unwrap_or(TOP);
        let tail = LINE * (3 + chart.waiting.len().min(MOST_WAITING + 1));
        let width = LEFT + lane * chart.lanes.len().max(2) + 40;
        Layout { lane, fits: longest, rows, height: end + tail, width }
    }

    fn x(&self, lane: usize) -> usize {
        LEFT + lane * self.lane
    }

    /// The middle of the box of a row.
    fn y(&self, row: usize) -> usize {
        self.rows[row] + 12
    }

    fn cut(&self, text: &str) -> String {
        let mut cut: String = text.chars().take(self.fits + 6).collect();
        if cut.len() < text.len() {
            cut.push('…');
        }
        xml(&cut)
    }
}

impl Row {
    fn step(&self) -> Option<&StepRow> {
        match self {
            Row::Step(step) => Some(step),
            Row::Gap(_) => None,
        }
    }
}

fn drawing(chart: &Chart, title: &str, style: Option<&str>) -> String {
    let layout = Layout::new(chart);
    let (width, height) = (layout.width, layout.height);
    let namespace = style.map_or("", |_| " xmlns=\"http://www.w3.org/2000/svg\"");
    let mut out = format!(
        "<svg{namespace} class=\"msc\" role=\"img\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<title>{}</title>\n",
        xml(title)
    );
    if let Some(style) = style {
        let _ = writeln!(out, "<style>{style}</style>");
        let _ = writeln!(out, "<rect width=\"{width}\" height=\"{height}\" fill=\"var(--paper)\"/>");
    }
    out.push_str(&lanes(chart, &layout));
    out.push_str(&arrows(chart, &layout));
    for (index, row) in chart.rows.iter().enumerate() {
        match row {
            Row::Step(step) => out.push_str(&step_row(step, &layout, index)),
            Row::Gap(steps) => {
                let (x, y) = (layout.x(0) + 12, layout.y(index) + 4);
                let _ = writeln!(out, "<text class=\"note\" x=\"{x}\" y=\"{y}\">… {steps} steps are left out …</text>");
            }
        }
    }
    out.push_str(&ending(chart, &layout));
    out.push_str("</svg>\n");
    out
}

fn lanes(chart: &Chart, layout: &Layout) -> String {
    let mut out = String::new();
    let end = layout.rows.last().copied().unwrap_or(TOP);
    for (lane, name) in chart.lanes.iter().enumerate() {
        let x = layout.x(lane);
        let _ = writeln!(out, "<line class=\"life\" x1=\"{x}\" y1=\"34\" x2=\"{x}\" y2=\"{end}\"/>");
        let _ =
            writeln!(out, "<text class=\"name\" x=\"{x}\" y=\"24\" text-anchor=\"middle\">{}</text>", layout.cut(name));
    }
    out
}

/// The row of a step, if it is shown.
fn row_of(chart: &Chart, number: usize) -> Option<usize> {
    chart.rows.iter().position(|row| row.step().is_some_and(|step| step.number == number))
}

fn arrows(chart: &Chart, layout: &Layout) -> String {
    let mut out = String::new();
    for (index, row) in chart.rows.iter().enumerate() {
        let Some(step) = row.step() else { continue };
        let to = (layout.x(step.lane), layout.y(index));
        let from = match step.origin {
            Some(Origin::Start(lane)) if lane != step.lane => (layout.x(lane), TOP - 10),
            Some(Origin::Step(number, lane)) => match row_of(chart, number) {
                Some(row) => (layout.x(lane), layout.y(row)),
                None => (to.0.saturating_sub(40), to.1), // sent by a step that is left out
            },
            _ => continue,
        };
        out.push_str(&arrow(from, to));
    }
    out
}

/// An arrow; to the own lane it bends to the left.
fn arrow(from: (usize, usize), to: (usize, usize)) -> String {
    let (x1, y1) = from;
    let (x2, y2) = to;
    if x1 == x2 {
        let (bend, tip) = (x1.saturating_sub(26), x2 - 7);
        let back = tip - 7;
        let (high, low) = (y2 - 4, y2 + 4);
        return format!(
            "<path class=\"send\" d=\"M{x1} {y1} C{bend} {y1} {bend} {y2} {tip} {y2}\"/>\n<path class=\"tip\" d=\"M{tip} {y2} L{back} {high} L{back} {low} Z\"/>\n"
        );
    }
    // The corner above keeps the line away from the text next to the box.
    let tip = (if x2 > x1 { x2 - 7 } else { x2 + 7 }, y2 - 8);
    format!(
        "<path class=\"send\" d=\"M{x1} {y1} L{} {}\"/>\n<path class=\"tip\" d=\"{}\"/>\n",
        tip.0,
        tip.1,
        triangle(from, tip)
    )
}

/// A triangle at the end of a line, along it.
#[expect(clippy::cast_precision_loss)]
fn triangle(from: (usize, usize), tip: (usize, usize)) -> String {
    let (tx, ty) = (tip.0 as f64, tip.1 as f64);
    let (dx, dy) = (tx - from.0 as f64, ty - from.1 as f64);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let (bx, by) = (tx - 9.0 * ux, ty - 9.0 * uy);
    let (sx, sy) = (-4.0 * uy, 4.0 * ux);
    format!("M{tx} {ty} L{:.1} {:.1} L{:.1} {:.1} Z", bx + sx, by + sy, bx - sx, by - sy)
}

fn step_row(step: &StepRow, layout: &Layout, index: usize) -> String {
    let (x, y) = (layout.x(step.lane), layout.y(index));
    let mut out =
        format!("<rect class=\"box\" x=\"{}\" y=\"{}\" width=\"12\" height=\"16\" rx=\"2\"/>\n", x - 6, y - 8);
    let (text, base) = (x + 12, y + 4);
    let _ = writeln!(
        out,
        "<text class=\"number\" x=\"{}\" y=\"{base}\" text-anchor=\"end\">{}</text>",
        LEFT - 40,
        step.number
    );
    let _ = writeln!(out, "<text class=\"call\" x=\"{text}\" y=\"{base}\">{}</text>", layout.cut(&step.label));
    for (line, note) in (1..).zip(step.notes.iter().take(MOST_NOTES)) {
        let _ =
            writeln!(out, "<text class=\"note\" x=\"{text}\" y=\"{}\">{}</text>", base + line * LINE, layout.cut(note));
    }
    if step.notes.len() > MOST_NOTES {
        let y = base + (MOST_NOTES + 1) * LINE;
        let more = step.notes.len() - MOST_NOTES;
        let _ = writeln!(out, "<text class=\"note\" x=\"{text}\" y=\"{y}\">… {more} more changes</text>");
    }
    out
}

/// The part that repeats, the fault, and the messages that wait.
fn ending(chart: &Chart, layout: &Layout) -> String {
    let mut out = String::new();
    let end = layout.rows.last().copied().unwrap_or(TOP);
    let mut y = end + LINE;
    let x = layout.x(0) - 30;
    let mut line = |class: &str, text: &str| {
        let _ = writeln!(out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", xml(text));
        y += LINE;
    };
    if let Some(fault) = &chart.fault {
        line("bad", &format!("fault: {fault}"));
    }
    match chart.cycle_from {
        Some(from) if row_of(chart, from + 1).is_some() => {
            let (first, last) = (from + 1, last_number(chart));
            line(
                "name",
                &match first == last {
                    true => format!("step {last} repeats for ever"),
                    false => format!("steps {first} to {last} repeat for ever"),
                },
            );
        }
        Some(_) => line("name", "the last state repeats for ever"),
        None => {}
    }
    for waiting in chart.waiting.iter().take(MOST_WAITING) {
        line("note", &format!("{} still has {} in its queue", chart.lanes[waiting.lane], waiting.label));
    }
    if chart.waiting.len() > MOST_WAITING {
        line("note", &format!("… {} more messages wait", chart.waiting.len() - MOST_WAITING));
    }
    if let Some(row) = chart.cycle_from.and_then(|from| row_of(chart, from + 1)) {
        let (x, top, bottom) = (LEFT - 34, layout.rows[row] + 2, end - 6);
        let _ = writeln!(out, "<path class=\"loop\" d=\"M{} {top} H{x} V{bottom} H{}\"/>", x + 8, x + 8);
    }
    out
}

fn last_number(chart: &Chart) -> usize {
    chart.rows.iter().rev().find_map(Row::step).map_or(0, |step| step.number)
}

#[cfg(test)]
mod tests {
    use super::super::chart::{Chart, tests::sample};
    use super::{document, inline};

    #[test]
    fn lanes_steps_and_waiting_messages_are_drawn() {
        let text = document(&Chart::new(&sample()), "counterexample");
        for part in
            [">a</text>", ">b</text>", ">m(1)</text>", "a still has answer() in its queue", "<title>counterexample<"]
        {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert_eq!(text.matches("class=\"box\"").count(), 2);
        assert_eq!(text.matches("class=\"tip\"").count(), 1); // the first message was there at the start
        assert!(!inline(&Chart::new(&sample()), "x").contains("http"));
    }

    #[test]
    fn names_are_escaped() {
        let mut trace = sample();
        trace.steps[0].rebec = Some("<script>alert(1)</script>".to_owned());
        let text = document(&Chart::new(&trace), "\"><script>");
        assert!(!text.contains("<script"), "{text}");
    }

    #[test]
    fn a_lasso_is_marked() {
        let mut trace = sample();
        trace.cycle_from = Some(1);
        let text = document(&Chart::new(&trace), "lasso");
        assert!(text.contains("class=\"loop\"") && text.contains("step 2 repeats for ever"), "{text}");
    }
}
