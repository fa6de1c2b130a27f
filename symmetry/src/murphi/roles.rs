//! [`Roles`]: which simple parts of variables, locals and results hold values of which class, and which arrays they are
//! the indices of.
//!
//! A type says what values there are; a class says which of them are the same kind of name. One range may be a process
//! here and a number there: these are two classes.

use frontend::murphi::program::{Frame, LocalKind, Owner, Program, TypeId, TypeKind, Types};

/// The number of a class.
pub type Class = u32;

/// The class of the truth values, which nothing moves.
pub const TRUTH: Class = 0;

/// Index into [`Roles::nodes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(u32);

/// The classes of the parts of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// A simple value.
    Simple(Class),
    /// An array: the class of its indices, and its elements.
    Array(Class, NodeId),
    /// A record, field by field.
    Record(Vec<NodeId>),
    /// A multiset with such elements.
    Multiset(NodeId),
    /// A slot of a multiset, which has no class.
    Slot,
}

/// The classes of all places of a program.
#[derive(Clone, Default, Debug)]
pub struct Roles {
    /// The parts.
    pub nodes: Vec<Node>,
    /// Those of the variables of the state.
    pub variables: Vec<NodeId>,
    /// Those of the locals of the start states.
    pub starts: Vec<Vec<NodeId>>,
    /// Those of the locals of the rules.
    pub rules: Vec<Vec<NodeId>>,
    /// Those of the locals of the properties.
    pub properties: Vec<Vec<NodeId>>,
    /// Those of the locals of the procedures.
    pub procedures: Vec<Vec<NodeId>>,
    /// Those of the results of functions.
    pub results: Vec<Option<NodeId>>,
}

impl Roles {
    /// Roles in which every place has a class of its own but for truth values, and the number of classes.
    pub(super) fn apart(program: &Program) -> (Roles, Class) {
        let mut roles = Roles::default();
        let mut classes = TRUTH + 1;
        let types = &program.types;
        let locals = |roles: &mut Roles, classes: &mut Class, frame: &Frame| -> Vec<NodeId> {
            let local = |local: &frontend::murphi::program::Local| match local.kind {
                LocalKind::Slot => roles.push(Node::Slot),
                _ => roles.of_type(types, local.of, classes),
            };
            frame.locals.iter().map(local).collect()
        };
        roles.variables =
            program.variables.iter().map(|variable| roles.of_type(types, variable.of, &mut classes)).collect();
        roles.starts = program.starts.iter().map(|rule| locals(&mut roles, &mut classes, &rule.frame)).collect();
        roles.rules = program.rules.iter().map(|rule| locals(&mut roles, &mut classes, &rule.frame)).collect();
        roles.properties = program.properties.iter().map(|one| locals(&mut roles, &mut classes, &one.frame)).collect();
        roles.procedures = program.procedures.iter().map(|one| locals(&mut roles, &mut classes, &one.frame)).collect();
        let results = program.procedures.iter();
        roles.results = results.map(|one| one.result.map(|of| roles.of_type(types, of, &mut classes))).collect();
        debug_assert!(roles.is_of(program), "every place has its role");
        (roles, classes)
    }

    /// Whether there are roles for all places of a program.
    pub(super) fn is_of(&self, program: &Program) -> bool {
        let rules = [(&program.starts, &self.starts), (&program.rules, &self.rules)];
        let fits = |frame: &Frame, locals: &Vec<NodeId>| frame.locals.len() == locals.len();
        self.variables.len() == program.variables.len()
            && rules.iter().all(|(rules, roles)| {
                rules.len() == roles.len() && rules.iter().zip(*roles).all(|(rule, locals)| fits(&rule.frame, locals))
            })
            && [self.procedures.len(), self.results.len()] == [program.procedures.len(); 2]
            && self.properties.len() == program.properties.len()
    }

    /// Those of the locals of a frame.
    pub(super) fn locals(&self, owner: Owner) -> &[NodeId] {
        match owner {
            Owner::Procedure(number) => &self.procedures[number],
            Owner::Start(number) => &self.starts[number],
            Owner::Rule(number) => &self.rules[number],
            Owner::Property(number) => &self.properties[number],
        }
    }

    fn push(&mut self, node: Node) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("parts are bounded"));
        self.nodes.push(node);
        id
    }

    /// A part of a type, with new classes.
    pub(super) fn of_type(&mut self, types: &Types, of: TypeId, classes: &mut Class) -> NodeId {
        limits::work(1);
        let mut class = |of: TypeId| {
            if of == Types::BOOLEAN {
                return TRUTH;
            }
            *classes += 1;
            *classes - 1
        };
        let node = match types.kind(of) {
            TypeKind::Array { index, element } => {
                let index = class(*index);
                Node::Array(index, self.of_type(types, *element, classes))
            }
            TypeKind::Record(fields) => {
                Node::Record(fields.iter().map(|field| self.of_type(types, field.of, classes)).collect())
            }
            TypeKind::Multiset { element, .. } => Node::Multiset(self.of_type(types, *element, classes)),
            _ => Node::Simple(class(of)),
        };
        self.push(node)
    }

    /// The part of a number.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Gives every class the number that a function says.
    pub(super) fn renumber(&mut self, number: impl Fn(Class) -> Class) {
        assert_eq!(number(TRUTH), TRUTH, "truth values stay the first class");
        for node in &mut self.nodes {
            match node {
                Node::Simple(class) | Node::Array(class, _) => *class = number(*class),
                Node::Record(_) | Node::Multiset(_) | Node::Slot => {}
            }
        }
    }
}
