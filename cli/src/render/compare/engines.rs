//! The graph of a model as other programs see it: columns for each of them, with the order that they find.

use serde::Serialize;

use super::folded_to;
use crate::paint::{count, order, time};

/// The coloured graph of a model, its group by our engine, and by others.
#[derive(Serialize)]
pub(crate) struct GraphOfModel {
    /// Vertices.
    pub(crate) vertices: usize,
    /// Edges.
    pub(crate) edges: usize,
    /// The order that our engine finds, decimal; `None` where a limit came first.
    pub(crate) order: Option<String>,
    /// The time that it takes.
    #[serde(rename = "seconds")]
    pub(crate) own_seconds: f64,
    /// The others.
    pub(crate) engines: Vec<Engine>,
}

/// Another program on the graph.
#[derive(Serialize)]
pub(crate) struct Engine {
    /// Its name.
    #[serde(rename = "engine")]
    pub(crate) name: &'static str,
    /// The order, as it prints it.
    pub(crate) order: Option<String>,
    /// Seconds of the process, its start included.
    pub(crate) seconds: Option<f64>,
    /// Whether it agrees with our engine.
    pub(crate) agreement: Agreement,
    /// Why it gave no order.
    pub(crate) reason: Option<String>,
}

impl Engine {
    /// A program that gave no order.
    pub(crate) fn without(name: &'static str, reason: String) -> Engine {
        Engine { name, order: None, seconds: None, agreement: Agreement::Unknown, reason: Some(reason) }
    }
}

frontend::named! {
    /// Whether two orders are the same.
    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub(crate) enum Agreement {
        /// All digits are.
        Same = "same",
        /// The digits that the program prints are.
        SameRounded = "same-rounded",
        /// They differ.
        Different = "different",
        /// One of them is not known.
        Unknown = "unknown",
    }
}

impl Agreement {
    /// The agreement of a printed order with one in decimal digits.
    pub(crate) fn of(printed: &str, own: &str) -> Agreement {
        if printed.bytes().all(|byte| byte.is_ascii_digit()) {
            return if printed == own { Agreement::Same } else { Agreement::Different };
        }
        let Some((mantissa, exponent)) = parts(printed) else { return Agreement::Unknown };
        let Some((own_mantissa, own_exponent)) = parts(own) else { return Agreement::Unknown };
        // Programs print seven digits at least, and sum up errors of multiplications.
        match exponent == own_exponent && (mantissa - own_mantissa).abs() < 1e-5 {
            true => Agreement::SameRounded,
            false => Agreement::Different,
        }
    }
}

/// A number as a factor from 1 to 10 and a power of ten, however many digits it has.
fn parts(text: &str) -> Option<(f64, usize)> {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: usize = exponent.trim_start_matches('+').parse().ok()?;
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let all: String = whole.chars().chain(rest.chars()).take(17).collect();
    let lead = format!("{}.{}", all.get(..1)?, all.get(1..)?);
    let mantissa: f64 = lead.parse().ok()?;
    // Ten, where rounding has made it so, is one of the next power.
    let exponent = exponent + whole.len().checked_sub(1)?;
    Some(if mantissa > 9.999_995 { (mantissa / 10.0, exponent + 1) } else { (mantissa, exponent) })
}

/// The text for people: a row for each program.
pub(super) fn text(graph: &GraphOfModel, width: Option<u16>) -> String {
    let GraphOfModel { vertices, edges, order: own, own_seconds, engines } = graph;
    let mut out = format!("  graph of {} vertices and {} edges\n", count(*vertices as u64), count(*edges as u64));
    let dash = || "-".to_owned();
    let own = ["quotient".to_owned(), own.as_deref().map_or_else(dash, order), time(*own_seconds), dash()];
    let others = engines.iter().map(|engine| {
        let printed = engine
            .order
            .as_deref()
            .map_or_else(dash, |text| if text.contains('e') { text.to_owned() } else { order(text) });
        let agreement = engine.reason.clone().unwrap_or_else(|| engine.agreement.name().to_owned());
        [engine.name.to_owned(), printed, engine.seconds.map_or_else(dash, time), agreement]
    });
    let heads = ["engine", "order", "time", "agreement"].map(str::to_owned);
    for cells in [heads, own].into_iter().chain(others) {
        out.push_str(&folded_to(&cells, &[15, 9, 9, 9], &[0, 3], width));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Agreement;

    #[test]
    fn rounded_orders_agree_where_their_digits_do() {
        assert_eq!(Agreement::of("48", "48"), Agreement::Same);
        assert_eq!(Agreement::of("48", "49"), Agreement::Different);
        assert_eq!(Agreement::of("1.307674368000e12", "1307674368000"), Agreement::SameRounded);
        assert_eq!(Agreement::of("1.307674e12", "1307674368000"), Agreement::SameRounded);
        assert_eq!(Agreement::of("1.307674e13", "1307674368000"), Agreement::Different);
        assert_eq!(Agreement::of("1.407674e12", "1307674368000"), Agreement::Different);
        assert_eq!(Agreement::of("1.0000000e3", "999999999"), Agreement::Different);
        assert_eq!(Agreement::of("10.000000e2", "1000"), Agreement::SameRounded);
        assert_eq!(Agreement::of("inf", "1000"), Agreement::Unknown);
    }
}
