//! The generator's own form of a model: drawn at random, rendered to text and shrunk.
//!
//! It has just enough of Rebeca to build and to take apart well-typed models, and shares nothing with the frontend,
//! so that an error in the frontend's tree cannot hide itself here.
//!
//! Invariants: every name is unique in the model, except that classes share message names on purpose (one signature
//! per name); every expression carries the sort it was made for.

/// A whole model.
#[derive(Clone, Debug)]
pub struct ModelSpec {
    /// Whether rebecs start with `msgsrv initial` (2.0) or with a constructor.
    pub is_dialect_20: bool,
    /// `env int name = value;`
    pub environment: Vec<(String, i32)>,
    /// `featurevar name;`
    pub features: Vec<String>,
    /// Classes and interfaces, parents before children.
    pub classes: Vec<ClassSpec>,
    /// The rebecs of `main`.
    pub rebecs: Vec<RebecSpec>,
    /// The definitions of the property file.
    pub definitions: Vec<(String, Expr)>,
    /// The invariants of the property file.
    pub invariants: Vec<(String, Expr)>,
}

/// The keyword of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `reactiveclass`
    Reactive,
    /// `abstract reactiveclass`
    Abstract,
    /// `interface`
    Interface,
}

/// A class or interface.
#[derive(Clone, Debug)]
pub struct ClassSpec {
    /// Its keyword.
    pub form: Form,
    /// Its name.
    pub name: String,
    /// Its parent.
    pub extends: Option<String>,
    /// Its interface.
    pub implements: Option<String>,
    /// The bound of its queue.
    pub bound: usize,
    /// The scalar set it introduces, if some grouped known rebec does.
    pub set: Option<SetSpec>,
    /// Its known rebecs.
    pub known: Vec<KnownSpec>,
    /// Its state variables.
    pub variables: Vec<VariableSpec>,
    /// Its start (constructor or `initial`), servers and methods.
    pub members: Vec<MemberSpec>,
}

/// A scalar set.
#[derive(Clone, Debug)]
pub struct SetSpec {
    /// Its name.
    pub name: String,
    /// Its least value.
    pub low: i32,
    /// The number of its values.
    pub size: usize,
}

/// A known rebec, or a group of them.
#[derive(Clone, Debug)]
pub struct KnownSpec {
    /// Its name.
    pub name: String,
    /// Its class.
    pub class: String,
    /// Whether it is grouped over the scalar set of its class.
    pub is_grouped: bool,
}

/// An axis of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Axis {
    /// An array of this length.
    Array(usize),
    /// One element per value of the scalar set.
    Set(String),
}

/// A state variable.
#[derive(Clone, Debug)]
pub struct VariableSpec {
    /// Its name.
    pub name: String,
    /// The sort of its elements.
    pub sort: Sort,
    /// Its axes: arrays, or one scalar set.
    pub axes: Vec<Axis>,
    /// Whether it only counts creations: nothing else assigns it.
    pub is_counter: bool,
}

/// The kind of a member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemberKind {
    /// The constructor or `initial`.
    Start,
    /// A message server.
    Server,
    /// A method and its result.
    Method(Option<Sort>),
}

/// A member of a class.
#[derive(Clone, Debug)]
pub struct MemberSpec {
    /// Its kind.
    pub kind: MemberKind,
    /// Its name; without meaning for a start.
    pub name: String,
    /// Names and sorts of its parameters.
    pub parameters: Vec<(String, Sort)>,
    /// Its statements; `None` for an abstract member.
    pub body: Option<Vec<Stmt>>,
}

/// A rebec of `main`.
#[derive(Clone, Debug)]
pub struct RebecSpec {
    /// Its name.
    pub name: String,
    /// Its class.
    pub class: String,
    /// Its known rebecs, inherited ones first, one per slot.
    pub known: Vec<Expr>,
    /// The arguments of its start.
    pub arguments: Vec<Expr>,
}

/// The sort of an expression or variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sort {
    /// `boolean`
    Bool,
    /// `byte`
    Byte,
    /// `short`
    Short,
    /// `int`, and every integer expression.
    Int,
    /// The rebecs of a class.
    Rebec(String),
    /// The sort of `sender` and `null`.
    AnyRebec,
    /// The values of a scalar set.
    Scalar(String),
}

impl Sort {
    /// Whether it is an integer of any width.
    pub fn is_integer(&self) -> bool {
        matches!(self, Sort::Byte | Sort::Short | Sort::Int)
    }
}

/// An expression and its sort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// The sort it was made for.
    pub sort: Sort,
    /// Its operation.
    pub node: Node,
}

/// The operation of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// A name or a literal.
    Atom(String),
    /// A prefix operator.
    Unary(&'static str, Box<Expr>),
    /// `place++` or `place--`
    Postfix(&'static str, Box<Expr>),
    /// An infix operator.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `?(a, b, ..)`
    Choose(Vec<Expr>),
    /// `name[i]..`; in properties the name may be `rebec.name`.
    Index(String, Vec<Expr>),
    /// `name(a, ..)`
    Call(String, Vec<Expr>),
    /// `(T)e`
    Cast(String, Box<Expr>),
    /// `e instanceof C`
    InstanceOf(Box<Expr>, String),
    /// `new C(..):(..)`
    New(String, Vec<Expr>, Vec<Expr>),
}

impl Expr {
    /// A name or literal.
    pub fn atom(sort: Sort, text: impl Into<String>) -> Expr {
        Expr { sort, node: Node::Atom(text.into()) }
    }

    /// An integer literal; negative ones are unary minus.
    pub fn int(value: i32) -> Expr {
        let literal = Expr::atom(Sort::Int, value.unsigned_abs().to_string());
        if value < 0 { Expr { sort: Sort::Int, node: Node::Unary("-", Box::new(literal)) } } else { literal }
    }

    /// `true` or `false`.
    pub fn bool(value: bool) -> Expr {
        Expr::atom(Sort::Bool, value.to_string())
    }

    /// `left operator right`.
    pub fn binary(sort: Sort, operator: &'static str, left: Expr, right: Expr) -> Expr {
        Expr { sort, node: Node::Binary(operator, Box::new(left), Box::new(right)) }
    }

    /// The operands, left to right.
    pub fn operands(&self) -> Vec<&Expr> {
        match &self.node {
            Node::Atom(_) => Vec::new(),
            Node::Unary(_, a) | Node::Postfix(_, a) | Node::Cast(_, a) | Node::InstanceOf(a, _) => vec![a],
            Node::Binary(_, a, b) => vec![a, b],
            Node::Ternary(a, b, c) => vec![a, b, c],
            Node::Choose(all) | Node::Index(_, all) | Node::Call(_, all) => all.iter().collect(),
            Node::New(_, known, arguments) => known.iter().chain(arguments).collect(),
        }
    }

    /// The operands, left to right.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.node {
            Node::Atom(_) => Vec::new(),
            Node::Unary(_, a) | Node::Postfix(_, a) | Node::Cast(_, a) | Node::InstanceOf(a, _) => vec![a],
            Node::Binary(_, a, b) => vec![a, b],
            Node::Ternary(a, b, c) => vec![a, b, c],
            Node::Choose(all) | Node::Index(_, all) | Node::Call(_, all) => all.iter_mut().collect(),
            Node::New(_, known, arguments) => known.iter_mut().chain(arguments).collect(),
        }
    }
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    /// `place = value;`, `place += value;`, ..
    Assign(Expr, &'static str, Expr),
    /// `place++;` or `place--;`
    Step(Expr, &'static str),
    /// `T x = e;` or `T[n] x;`
    Local {
        /// Its name.
        name: String,
        /// The sort of its elements.
        sort: Sort,
        /// The length of an array.
        length: Option<usize>,
        /// Its first value; plain locals only.
        value: Option<Expr>,
    },
    /// `if (c) {..} else {..}`
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `while (c) {..}`
    While(Expr, Vec<Stmt>),
    /// `do {..} while (c);`
    DoWhile(Vec<Stmt>, Expr),
    /// `for (int i = 0; i < limit; i++) {..}`
    For(String, Expr, Vec<Stmt>),
    /// `forEachValueOf(s) {..}`
    ForEach(String, Vec<Stmt>),
    /// `switch (e) {..}`; an arm without labels is `default`.
    Switch(Expr, Vec<(Vec<i32>, Vec<Stmt>)>),
    /// `{..}`
    Block(Vec<Stmt>),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`
    Return(Option<Expr>),
    /// `receiver.message(..);`
    Send(Expr, String, Vec<Expr>),
    /// A call or creation as a statement.
    Do(Expr),
    /// `assertion(c, "message");`
    Assert(Expr, bool),
}

impl Stmt {
    /// The blocks inside, in order.
    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Stmt::If(_, then, otherwise) => vec![then, otherwise],
            Stmt::While(_, body)
            | Stmt::DoWhile(body, _)
            | Stmt::For(_, _, body)
            | Stmt::ForEach(_, body)
            | Stmt::Block(body) => vec![body],
            Stmt::Switch(_, arms) => arms.iter_mut().map(|(_, body)| body).collect(),
            _ => Vec::new(),
        }
    }

    /// The expressions of the statement itself, blocks excluded.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Stmt::Assign(place, _, value) => vec![place, value],
            Stmt::Step(place, _) => vec![place],
            Stmt::Local { value: Some(e), .. } | Stmt::Return(Some(e)) => vec![e],
            Stmt::If(e, ..) | Stmt::While(e, _) | Stmt::DoWhile(_, e) | Stmt::For(_, e, _) | Stmt::Switch(e, _) => {
                vec![e]
            }
            Stmt::Send(receiver, _, arguments) => std::iter::once(receiver).chain(arguments).collect(),
            Stmt::Do(e) | Stmt::Assert(e, _) => vec![e],
            _ => Vec::new(),
        }
    }
}

impl ModelSpec {
    /// The class of a name.
    pub fn class(&self, name: &str) -> &ClassSpec {
        self.classes.iter().find(|class| class.name == name).expect("classes are declared before they are named")
    }

    /// A class with its ancestors, the oldest first.
    pub fn lineage(&self, name: &str) -> Vec<&ClassSpec> {
        let mut line = Vec::new();
        let mut next = Some(name);
        while let Some(name) = next {
            let class = self.class(name);
            line.push(class);
            next = class.extends.as_deref();
        }
        line.reverse();
        line
    }

    /// Whether a rebec of `class` may stand where `wanted` is required.
    pub fn conforms(&self, class: &str, wanted: &str) -> bool {
        self.lineage(class)
            .iter()
            .any(|ancestor| ancestor.name == wanted || ancestor.implements.as_deref() == Some(wanted))
    }

    /// The start of a class: its own or that of its nearest ancestor with one.
    pub fn start(&self, class: &str) -> Option<&MemberSpec> {
        let line = self.lineage(class);
        line.into_iter().rev().find_map(|class| class.members.iter().find(|member| member.kind == MemberKind::Start))
    }

    /// The scalar set of a name.
    pub fn set(&self, name: &str) -> Option<&SetSpec> {
        self.classes.iter().filter_map(|class| class.set.as_ref()).find(|set| set.name == name)
    }

    /// The servers of a class, inherited and promised ones included, each name once.
    pub fn servers(&self, class: &str) -> Vec<&MemberSpec> {
        let mut found: Vec<&MemberSpec> = Vec::new();
        let line = self.lineage(class);
        let interfaces = line.iter().filter_map(|class| class.implements.as_deref()).map(|name| self.class(name));
        for member in line.iter().copied().chain(interfaces).flat_map(|class| &class.members) {
            if member.kind == MemberKind::Server && !found.iter().any(|other| other.name == member.name) {
                found.push(member);
            }
        }
        found
    }

    /// The classes of the known-rebec slots of a class, inherited ones first, groups element by element.
    pub fn slots(&self, class: &str) -> Vec<String> {
        let mut slots = Vec::new();
        for class in self.lineage(class) {
            let size = class.set.as_ref().map_or(1, |set| set.size);
            for known in &class.known {
                slots.extend(std::iter::repeat_n(known.class.clone(), if known.is_grouped { size } else { 1 }));
            }
        }
        slots
    }
}
