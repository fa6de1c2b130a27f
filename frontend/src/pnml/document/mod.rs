//! Tree of elements to [`Document`]: the sorts, variables, places, transitions and arcs of a net, with names resolved.
//!
//! Pages are joined: a net is one graph whatever page shows its nodes, and reference nodes stand for the nodes that they name. A
//! place/transition net is a symmetric net all of whose places are of the sort `dot`. A faulty part is reported and left out, and reading
//! goes on.

mod sorts;
mod terms;

use rustc_hash::FxHashMap;

use super::xml::Element;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, codes, did_you_mean, sorted};
use crate::source::{Name, Span};

pub(super) use sorts::{Base, Domain, Sorts};
pub(super) use terms::{Comparison, Guard, Term, TermKind, joined};

/// A net as its document describes it.
#[derive(Default, Debug)]
pub(super) struct Document {
    /// The sorts.
    pub(super) sorts: Sorts,
    /// The variables, in order.
    pub(super) variables: Vec<Variable>,
    /// The places, in order.
    pub(super) places: Vec<Place>,
    /// The transitions, in order.
    pub(super) transitions: Vec<Transition>,
    /// The ids of reference nodes, with those of the nodes that they are.
    pub(super) aliases: Vec<(String, String)>,
}

/// A variable.
#[derive(Debug)]
pub(super) struct Variable {
    /// Its name for people.
    pub(super) name: String,
    /// Its values.
    pub(super) sort: Domain,
}

/// A place.
#[derive(Debug)]
pub(super) struct Place {
    /// Its id.
    pub(super) id: Name,
    /// The colours of its tokens.
    pub(super) sort: Domain,
    /// Its initial marking; none for no tokens.
    pub(super) initial: Option<Term>,
}

/// A transition.
#[derive(Debug)]
pub(super) struct Transition {
    /// Its id.
    pub(super) id: Name,
    /// The condition on its variables.
    pub(super) guard: Guard,
    /// The tokens that it takes: places with multisets.
    pub(super) inputs: Vec<(usize, Term)>,
    /// The tokens that it puts.
    pub(super) outputs: Vec<(usize, Term)>,
}

impl Document {
    /// Whether the document has a node.
    fn has_node(&self, node: Node) -> bool {
        match node {
            Node::Place(place) => place < self.places.len(),
            Node::Transition(transition) => transition < self.transitions.len(),
            Node::Broken => true,
        }
    }

    /// Whether the places on the arcs of a transition, and the variables in its terms, are those of the document.
    fn has_all_of(&self, transition: &Transition) -> bool {
        let mut arcs = transition.inputs.iter().chain(&transition.outputs);
        let has_place = |(place, _): &(usize, Term)| *place < self.places.len();
        let mut variables = Vec::new();
        transition.guard.variables(&mut variables);
        arcs.clone().for_each(|(_, term)| term.variables(&mut variables));
        arcs.all(has_place) && variables.iter().all(|&variable| variable < self.variables.len())
    }
}

/// The elements of which a page may have several.
const REPEATED: [&str; 7] =
    ["page", "place", "transition", "arc", "referencePlace", "referenceTransition", "declaration"];

/// A node of the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Node {
    Place(usize),
    Transition(usize),
    /// The node has a fault.
    Broken,
}

/// The net of a document. Faults go to the sink; the result is of use only if there are none.
pub(super) fn read(root: &Element, sink: &mut Diagnostics) -> Document {
    let nets: Vec<&Element> = root.all("net").collect();
    let [net] = nets.as_slice() else {
        let message = format!("the outermost element `{}` contains {} nets", root.name, nets.len());
        sink.push(Diagnostic::error(codes::PNML_NOT_A_NET, root.span, message).help("write one `net` into `pnml`"));
        return Document::default();
    };
    let kind = net.attribute("type").unwrap_or_default();
    let is_coloured = kind.ends_with("/symmetricnet");
    if root.name != "pnml" || !(is_coloured || kind.ends_with("/ptnet")) {
        let message = format!("`{}` with a net of type `{kind}` is not understood", root.name);
        let help = "the types of the grammar of 2009 that are read are `ptnet` and `symmetricnet`";
        sink.push(Diagnostic::error(codes::PNML_NOT_A_NET, net.span, message).help(help));
        return Document::default();
    }
    let document = Document { sorts: Sorts::new(), ..Document::default() };
    let mut reader = Reader {
        document,
        is_coloured,
        nodes: FxHashMap::default(),
        aliases: Vec::new(),
        variables: FxHashMap::default(),
        sink,
    };
    reader.declarations(net);
    let mut pages = vec![*net];
    let mut places = 0;
    while let Some(page) = pages.get(places) {
        pages.extend(page.all("page"));
        places += 1;
    }
    pages.iter().for_each(|page| reader.page(page));
    pages.iter().for_each(|page| reader.nodes(page));
    reader.references(&pages);
    let (all, known) = (&reader.document, reader.nodes.values().map(|&(node, _)| node));
    debug_assert!({ known }.all(|node| all.has_node(node)), "an id is one of a node that the net has");
    pages.iter().for_each(|page| page.all("arc").for_each(|arc| reader.arc(arc)));
    let of = |node| match node {
        Node::Place(place) => Some(reader.document.places[place].id.text.clone()),
        Node::Transition(transition) => Some(reader.document.transitions[transition].id.text.clone()),
        Node::Broken => None,
    };
    let aliases = reader.aliases.iter().filter_map(|(id, node)| Some((id.clone(), of(*node)?))).collect();
    let document = Document { aliases, ..reader.document };
    debug_assert!(document.transitions.iter().all(|one| document.has_all_of(one)), "arcs join what the net has");
    document
}

struct Reader<'a> {
    document: Document,
    is_coloured: bool,
    /// Places and transitions by their ids.
    nodes: FxHashMap<String, (Node, Span)>,
    /// The ids of references, with the nodes that they are.
    aliases: Vec<(String, Node)>,
    /// Variables by their ids.
    variables: FxHashMap<String, usize>,
    sink: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.sink.push(Diagnostic::error(code, span, message).help(help));
    }

    /// Reports a fault, in the place of what was to be made.
    fn refuse<T>(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) -> Option<T> {
        self.error(code, span, message, help);
        None
    }

    /// Reports that an attribute or element is missing.
    fn missing<T>(&mut self, of: &Element, what: &str) -> Option<T> {
        let message = format!("`{}` has no {what}", of.name);
        self.refuse(codes::PNML_MALFORMED, of.span, message, format!("add the {what}"))
    }

    /// The value of an attribute that has to be there.
    fn attribute(&mut self, of: &Element, name: &str) -> Option<String> {
        let value = of.attribute(name).filter(|value| !value.is_empty()).map(str::to_owned);
        value.or_else(|| self.missing(of, &format!("attribute `{name}`")))
    }

    /// An element that has to be there.
    fn child<'e>(&mut self, of: &'e Element, name: &str) -> Option<&'e Element> {
        of.child(name).or_else(|| self.missing(of, &format!("element `{name}`")))
    }

    /// Reports the parts of an element that are not understood: they could change what the net does.
    fn understood(&mut self, element: &Element, attributes: &[&str], parts: &[&str]) {
        let unknown = element.attributes.iter().map(|(name, _)| name).find(|name| !attributes.contains(&name.as_str()));
        if let Some(unknown) = unknown {
            let message = format!("the attribute `{unknown}` of `{}` is not supported", element.name);
            let help = match attributes {
                [] => "remove it".to_owned(),
                _ => format!("remove it; understood are `{}`", attributes.join("`, `")),
            };
            self.error(codes::PNML_UNSUPPORTED, element.span, message, help);
        }
        for (at, part) in element.children.iter().enumerate().filter(|(_, part)| part.name != "name") {
            if !parts.contains(&part.name.as_str()) {
                let message = format!("`{}` of `{}` is not supported in this kind of net", part.name, element.name);
                let help = format!("remove it; understood are `name`, `{}`", parts.join("`, `"));
                self.error(codes::PNML_UNSUPPORTED, part.span, message, help);
            } else if !REPEATED.contains(&part.name.as_str())
                && element.children[..at].iter().any(|other| other.name == part.name)
            {
                let message = format!("`{}` has a second `{}`", element.name, part.name);
                self.error(codes::PNML_MALFORMED, part.span, message, "keep one of them");
            }
        }
    }

    /// Reports what stands in a net or page next to nodes, arcs and pages.
    fn page(&mut self, page: &Element) {
        let attributes: &[&str] = if page.name == "net" { &["id", "type"] } else { &["id"] };
        self.understood(page, attributes, &REPEATED);
    }

    /// Reports what stands next to the text and the term of a label.
    fn label(&mut self, label: &Element) {
        self.understood(label, &[], if self.is_coloured { &["text", "structure"] } else { &["text"] });
    }

    /// The term that an element has in its `structure`.
    fn content<'e>(&mut self, element: &'e Element) -> Option<&'e Element> {
        let structure = self.child(element, "structure")?;
        let [term] = structure.children.as_slice() else {
            return self.missing(structure, "single term or sort");
        };
        Some(term)
    }

    /// A natural number below 2^31.
    fn number(&mut self, text: &str, span: Span) -> Option<i32> {
        text.parse::<i32>().ok().filter(|&number| number >= 0).or_else(|| {
            let message = format!("`{text}` is no natural number below 2147483648");
            self.refuse(codes::PNML_MALFORMED, span, message, "write it in decimal digits")
        })
    }

    /// Reports a name that nothing has.
    fn unknown<T>(&mut self, what: &str, name: &str, span: Span, known: &[&str]) -> Option<T> {
        let help = did_you_mean(name, known.iter().copied()).unwrap_or_else(|| format!("declare the {what}"));
        self.refuse(codes::PNML_UNKNOWN_NAME, span, format!("there is no {what} `{name}`"), help)
    }

    /// Reports an id that no node has.
    fn unknown_node<T>(&mut self, id: &str, span: Span) -> Option<T> {
        let known: Vec<String> = self.nodes.keys().cloned().collect();
        self.unknown("node", id, span, &sorted(&known))
    }

    fn declare(&mut self, id: &str, node: Node, span: Span) {
        if let Some((_, first)) = self.nodes.get(id) {
            let message = format!("the id `{id}` is used twice");
            let diagnostic = Diagnostic::error(codes::PNML_DUPLICATE, span, message).help("rename one of them");
            self.sink.push(diagnostic.related(*first, "the first one is here"));
            return;
        }
        self.nodes.insert(id.to_owned(), (node, span));
    }

    /// The places and transitions of a page.
    fn nodes(&mut self, page: &Element) {
        for element in &page.children {
            limits::work(1);
            match element.name.as_str() {
                "place" => {
                    let Some(id) = self.attribute(element, "id") else { continue };
                    let place = self.place(element, &id);
                    let node = place.is_some().then_some(Node::Place(self.document.places.len()));
                    self.declare(&id, node.unwrap_or(Node::Broken), element.span);
                    self.document.places.extend(place);
                }
                "transition" => {
                    let Some(id) = self.attribute(element, "id") else { continue };
                    self.declare(&id, Node::Transition(self.document.transitions.len()), element.span);
                    let guard = self.guard(element);
                    let id = Name { text: id, span: element.span };
                    self.document.transitions.push(Transition { id, guard, inputs: Vec::new(), outputs: Vec::new() });
                }
                _ => {}
            }
        }
    }

    fn place(&mut self, element: &Element, id: &str) -> Option<Place> {
        let id = Name { text: id.to_owned(), span: element.span };
        let known: &[&str] = if self.is_coloured { &["type", "hlinitialMarking"] } else { &["initialMarking"] };
        self.understood(element, &["id"], known);
        element.children.iter().filter(|part| part.name != "name").for_each(|part| self.label(part));
        if !self.is_coloured {
            let initial = match element.child("initialMarking") {
                None => None,
                Some(marking) => {
                    let text = self.child(marking, "text")?;
                    let number = self.number(text.text(), text.span)?;
                    Some(Term::dots(number, text.span))
                }
            };
            return Some(Place { id, sort: vec![Base::Dot], initial });
        }
        let kind = self.child(element, "type")?;
        let sort = self.content(kind)?;
        let sort = self.sort(sort)?;
        let initial = match element.child("hlinitialMarking") {
            None => None,
            Some(marking) => {
                let content = self.content(marking)?;
                let term = self.multiset(content, &sort)?;
                let mut variables = Vec::new();
                term.variables(&mut variables);
                if !variables.is_empty() {
                    let message = "an initial marking has no variables";
                    let help = "write the values, or `all` of a sort";
                    return self.refuse(codes::PNML_MALFORMED, content.span, message, help);
                }
                Some(term)
            }
        };
        Some(Place { id, sort, initial })
    }

    fn guard(&mut self, transition: &Element) -> Guard {
        self.understood(transition, &["id"], if self.is_coloured { &["condition"] } else { &[] });
        let condition = transition.child("condition").filter(|_| self.is_coloured);
        condition.into_iter().for_each(|condition| self.label(condition));
        let term = condition.and_then(|condition| self.content(condition));
        term.and_then(|term| self.condition(term)).unwrap_or(Guard::All(Vec::new()))
    }

    /// The nodes that stand for others, wherever these are: chains of them are followed.
    fn references(&mut self, pages: &[&Element]) {
        let is_reference = |element: &&Element| matches!(&*element.name, "referencePlace" | "referenceTransition");
        let mut open = Vec::new();
        for element in pages.iter().flat_map(|page| page.children.iter().filter(is_reference)) {
            self.understood(element, &["id", "ref"], &[]);
            if let (Some(id), Some(of)) = (self.attribute(element, "id"), self.attribute(element, "ref")) {
                open.push((element, id, of));
            }
        }
        loop {
            limits::work(1 + open.len() as u64);
            let before = open.len();
            for (element, id, of) in std::mem::take(&mut open) {
                let Some(&(node, _)) = self.nodes.get(&of) else {
                    open.push((element, id, of));
                    continue;
                };
                let fits = match node {
                    Node::Place(_) => element.name == "referencePlace",
                    Node::Transition(_) => element.name == "referenceTransition",
                    Node::Broken => true,
                };
                if fits {
                    self.aliases.push((id.clone(), node));
                    self.declare(&id, node, element.span);
                } else {
                    let message = format!("`{of}` is a node of another kind than a `{}` stands for", element.name);
                    self.error(codes::PNML_MALFORMED, element.span, message, "name a node of its own kind");
                    self.declare(&id, Node::Broken, element.span);
                }
            }
            if open.len() == before {
                break;
            }
        }
        for (element, _, of) in open {
            self.unknown_node::<()>(&of, element.span);
        }
    }

    /// A node at an end of an arc.
    fn end(&mut self, arc: &Element, attribute: &str) -> Option<Node> {
        let id = self.attribute(arc, attribute)?;
        self.nodes.get(&id).map(|&(node, _)| node).or_else(|| self.unknown_node(&id, arc.span))
    }

    fn arc(&mut self, arc: &Element) {
        limits::work(1);
        let (Some(source), Some(target)) = (self.end(arc, "source"), self.end(arc, "target")) else { return };
        let inscription = if self.is_coloured { "hlinscription" } else { "inscription" };
        self.understood(arc, &["id", "source", "target", "type"], &[inscription, "type", "arctype"]);
        let kind = arc.child("type").or_else(|| arc.child("arctype"));
        let text = |kind: &Element| {
            let value = kind.attribute("value").map(str::to_owned);
            value.unwrap_or_else(|| kind.child("text").map_or("", Element::text).to_owned())
        };
        let kind = arc.attribute("type").map(str::to_owned).or_else(|| kind.map(text));
        if let Some(kind) = kind.filter(|kind| kind != "normal") {
            let message = format!("arcs of kind `{kind}` are not supported");
            self.error(codes::PNML_UNSUPPORTED, arc.span, message, "express the net by arcs that take and put tokens");
            return;
        }
        let (place, transition, is_input) = match (source, target) {
            (Node::Place(place), Node::Transition(transition)) => (place, transition, true),
            (Node::Transition(transition), Node::Place(place)) => (place, transition, false),
            (Node::Broken, _) | (_, Node::Broken) => return,
            _ => {
                let help = "arcs lead from places to transitions, or from transitions to places";
                self.error(codes::PNML_MALFORMED, arc.span, "the arc joins two nodes of one kind", help);
                return;
            }
        };
        let Some(term) = self.inscription(arc, place) else { return };
        let transition = &mut self.document.transitions[transition];
        if is_input { &mut transition.inputs } else { &mut transition.outputs }.push((place, term));
    }

    fn inscription(&mut self, arc: &Element, place: usize) -> Option<Term> {
        if !self.is_coloured {
            let Some(inscription) = arc.child("inscription") else { return Some(Term::dots(1, arc.span)) };
            self.label(inscription);
            let text = self.child(inscription, "text")?;
            let number = self.number(text.text(), text.span)?;
            if number == 0 {
                return self.refuse(codes::PNML_MALFORMED, text.span, "the weight of an arc is 0", "leave the arc out");
            }
            return Some(Term::dots(number, text.span));
        }
        let inscription = self.child(arc, "hlinscription")?;
        self.label(inscription);
        let term = self.content(inscription)?;
        let sort = self.document.places[place].sort.clone();
        self.multiset(term, &sort)
    }
}
