//! Variables that are never read, as warnings.

use frontend::diagnostics::{Diagnostic, Diagnostics};
use frontend::unread::{Instead, Unread, UnreadKind};

use crate::codes;
use crate::paint::count;

/// The most warnings of one run.
const MOST: usize = 20;

/// The help where something is stored in the state.
const MULTIPLIES: &str = "without it and its assignments, states that differ in it alone are one state";

/// A warning for each variable; the last of many counts the others.
pub(crate) fn never_read(unread: &[Unread]) -> Diagnostics {
    let mut warnings = Diagnostics::new();
    for (at, variable) in unread.iter().take(MOST).enumerate() {
        let others = if at + 1 == MOST { unread.len() - MOST } else { 0 };
        warnings.push(warning(variable, others));
    }
    warnings
}

fn warning(unread: &Unread, others: usize) -> Diagnostic {
    let (kind, help) = match (unread.kind, &unread.instead) {
        (UnreadKind::Parameter, _) => ("parameter", "remove it with its arguments"),
        (UnreadKind::Local, _) => ("local variable", "remove it with its assignments"),
        (UnreadKind::Variable, Instead::Nothing) => ("variable", "remove it"),
        (UnreadKind::Field, Instead::Nothing) => ("field", "remove it"),
        (UnreadKind::Variable, _) => ("variable", MULTIPLIES),
        (UnreadKind::Field, _) => ("field", MULTIPLIES),
    };
    let name = &unread.name;
    let mut message = match &unread.instead {
        Instead::Nothing => format!("{kind} `{name}` is never used"),
        Instead::Written => format!("{kind} `{name}` is never read"),
        Instead::ReadForItself => format!("{kind} `{name}` is read only to change itself"),
        Instead::ReadFor(other) => format!("{kind} `{name}` is read only to set `{other}`, which is never read"),
    };
    if others > 0 {
        message.push_str(&format!(", and {} more variables are never read", count(others as u64)));
    }
    Diagnostic::warning(codes::NEVER_READ, unread.span, message).help(help)
}

#[cfg(test)]
mod tests {
    use frontend::source::Span;
    use frontend::unread::{Instead, Unread, UnreadKind};

    use super::{MOST, never_read};

    #[test]
    fn many_warnings_are_counted() {
        let unread = |at: u32| Unread {
            span: Span { start: 2 * at, end: 2 * at + 1 },
            kind: UnreadKind::Variable,
            name: format!("v{at}"),
            instead: Instead::Written,
        };
        let all: Vec<Unread> = (0..30).map(unread).collect();
        assert_eq!(never_read(&all[..MOST]).list[MOST - 1].message, "variable `v19` is never read");
        let warnings = never_read(&all).list;
        assert_eq!(warnings.len(), MOST);
        let last = "variable `v19` is never read, and 10 more variables are never read";
        assert_eq!(warnings[MOST - 1].message, last);
    }
}
