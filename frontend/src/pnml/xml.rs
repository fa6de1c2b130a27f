//! XML to a tree of elements with their places in the text.
//!
//! Names are local names: name spaces and their prefixes are dropped. Comments, processing instructions and types of documents are skipped, and so
//! are the parts of a document that say how a net is drawn or what other tools keep in it. An entity that XML does not define is refused.
//!
//! # Complexity
//!
//! Linear in the text; elements are nested at most [`MAX_DEPTH`] deep.

use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};

use crate::diagnostics::{Diagnostic, Diagnostics, codes};
use crate::source::Span;

/// The deepest nesting of elements.
const MAX_DEPTH: usize = 400;
/// Elements that say nothing of the behaviour of a net.
const SKIPPED: [&str; 2] = ["graphics", "toolspecific"];

/// An element.
#[derive(Clone, Default, Debug)]
pub(super) struct Element {
    /// Its local name.
    pub(super) name: String,
    /// Its attributes by their local names, in order.
    pub(super) attributes: Vec<(String, String)>,
    /// The elements in it, in order.
    pub(super) children: Vec<Element>,
    /// The text in it, outside of its elements.
    text: String,
    /// Its first tag.
    pub(super) span: Span,
}

impl Element {
    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The first element in it with a name.
    pub(super) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The elements in it with a name.
    pub(super) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Its text without white space around it.
    pub(super) fn text(&self) -> &str {
        self.text.trim()
    }
}

/// A fault of a document.
struct Fault {
    span: Span,
    message: String,
}

/// The outermost element of a document; nothing if the text is no such document, which is reported.
pub(super) fn read(text: &str, sink: &mut Diagnostics) -> Option<Element> {
    match tree(text) {
        Ok(element) => Some(element),
        Err(Fault { span, message }) => {
            let diagnostic = Diagnostic::error(codes::PNML_XML, span, message);
            sink.push(diagnostic.help("the text must be one well-formed XML document"));
            None
        }
    }
}

fn offset(position: u64) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX - 1)
}

fn tree(text: &str) -> Result<Element, Fault> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    // The elements that are open, outermost first; the first stands for the document.
    let mut open = vec![Element::default()];
    let mut skipped = 0usize;
    loop {
        limits::work(1);
        let from = offset(reader.buffer_position());
        let event = reader.read_event();
        let span = Span::new(from, offset(reader.buffer_position()));
        let fault = |message: String| Fault { span, message };
        match event.map_err(|error| fault(format!("no XML: {error}")))? {
            Event::Start(start) => {
                if open.len() + skipped > MAX_DEPTH {
                    return Err(fault(format!("elements are nested more than {MAX_DEPTH} deep")));
                }
                let element = element(&start, span).map_err(fault)?;
                if skipped > 0 || SKIPPED.contains(&element.name.as_str()) {
                    skipped += 1;
                } else {
                    open.push(element);
                }
            }
            Event::End(_) if skipped > 0 => skipped -= 1,
            Event::End(_) => {
                // The reader has compared the names of tags.
                let closed = open.pop().unwrap_or_default();
                let Some(parent) = open.last_mut() else { return Err(fault("a tag closes nothing".to_owned())) };
                parent.children.push(closed);
            }
            Event::Eof => break,
            _ if skipped > 0 => {}
            Event::Text(part) => {
                let part = part.xml_content().map_err(|error| fault(format!("no text: {error}")))?;
                add(&mut open, &part);
            }
            Event::CData(part) => {
                let part = part.decode().map_err(|error| fault(format!("no text: {error}")))?;
                add(&mut open, &part);
            }
            Event::GeneralRef(reference) => {
                let character =
                    reference.resolve_char_ref().map_err(|error| fault(format!("no character: {error}")))?;
                let name = reference.decode().map_err(|error| fault(format!("no text: {error}")))?;
                match (character, resolve_xml_entity(&name)) {
                    (Some(character), _) => add(&mut open, character.encode_utf8(&mut [0; 4])),
                    (None, Some(part)) => add(&mut open, part),
                    (None, None) => return Err(fault(format!("the entity `&{name};` is not defined"))),
                }
            }
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    let outermost = if text.trim().is_empty() { "the text is empty" } else { "there is not one outermost element" };
    let whole = Fault { span: Span::new(0, 0), message: outermost.to_owned() };
    if open.len() > 1 || skipped > 0 {
        let span = open.last().map_or(Span::NONE, |element| element.span);
        return Err(Fault { span, message: "the element is never closed".to_owned() });
    }
    let mut document = open.pop().unwrap_or_default();
    match document.children.len() {
        1 => Ok(document.children.remove(0)),
        _ => Err(whole),
    }
}

fn add(open: &mut [Element], part: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(part);
    }
}

fn element(start: &BytesStart<'_>, span: Span) -> Result<Element, String> {
    let local = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| format!("no attribute: {error}"))?;
        if attribute.key.as_namespace_binding().is_some() {
            continue;
        }
        let value = attribute.unescape_value().map_err(|error| format!("no value of an attribute: {error}"))?;
        attributes.push((local(attribute.key.local_name().as_ref()), value.trim().to_owned()));
    }
    let name = local(start.local_name().as_ref());
    Ok(Element { name, attributes, span, ..Element::default() })
}
