//! Escaping for the formats that are written as text.
//!
//! Invariant: the result of these functions is text in their format, whatever the argument: no tag, entity, quotation
//! mark or control character of a model's name survives as such.

use crate::paint::is_hidden;

/// Text and attribute values of XML, SVG and HTML. Characters that XML cannot hold become U+FFFD.
pub(crate) fn xml(text: &str) -> String {
    limits::work(text.len() as u64);
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(character),
            character if is_hidden(character) || matches!(character, '\u{fffe}' | '\u{ffff}') => {
                out.push('\u{fffd}');
            }
            character => out.push(character),
        }
    }
    out
}

/// Text of a Mermaid diagram: all but letters, digits and a few signs as `#code;`.
pub(crate) fn mermaid(text: &str) -> String {
    limits::work(text.len() as u64);
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) && character != '\n' {
            out.push('\u{fffd}');
        } else if character.is_alphanumeric() || " _-.,()[]=+*/?!'|".contains(character) {
            out.push(character);
        } else {
            out.push_str(&format!("#{};", u32::from(character)));
        }
    }
    out
}

/// Text inside of a line of Markdown: all signs that begin markup, a link, a name to be called or a cell as `&#code;`.
pub(crate) fn markdown(text: &str) -> String {
    limits::work(text.len() as u64);
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => out.push(' '),
            character if is_hidden(character) => out.push('\u{fffd}'),
            character if "&<>|`*_[]#~@\\$\"".contains(character) => {
                out.push_str(&format!("&#{};", u32::from(character)));
            }
            character => out.push(character),
        }
    }
    out
}

/// A path as a relative reference of a URI: all bytes but the unreserved ones and `/` as `%XX`.
pub(crate) fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{markdown, mermaid, uri, xml};

    #[test]
    fn markup_is_text() {
        assert_eq!(xml("<script a=\"b\">&'\u{1b}"), "&lt;script a=&quot;b&quot;&gt;&amp;&#39;\u{fffd}");
        assert_eq!(markdown("a_b | <c>\n@all"), "a&#95;b &#124; &#60;c&#62; &#64;all");
        assert_eq!(mermaid("a<b>; end\n#1"), "a#60;b#62;#59; end#10;#35;1");
        assert_eq!(uri("a b/../\"x\".rebeca"), "a%20b/../%22x%22.rebeca");
    }
}
