//! The canonical Rebeca text of a model and of a property set.
//!
//! Parsing and lowering the text gives the same model up to spans. A class prints its own declarations; the inherited
//! ones come back with `extends`. A scalar set is introduced by the first variable that uses it. Grouped axes follow
//! the name and come before the array axes, which are part of the type.
//!
//! Layout: four spaces per level, one declaration or statement per line; sections without entries are left out.

mod expressions;
mod properties;
mod statements;

use super::display::{sort_name, value_text};
use super::{
    Body, Class, ClassId, ClassKind, Dimension, Instance, Local, Method, Model, Role, ScalarSetId, Server, Sort, Value,
    Variable,
};

pub use properties::{print_condition, print_properties};

/// The canonical text of a model.
///
/// # Panics
/// If the model is not verified.
pub fn print(model: &Model) -> String {
    let mut printer = Printer::new(model);
    for (name, value) in &model.constants {
        printer.line(&format!("env boolean {name} = {value};"));
    }
    for feature in &model.features {
        printer.line(&format!("featurevar {};", feature.name));
    }
    for index in 0..model.classes.len() {
        if !printer.out.is_empty() {
            printer.out.push('\n');
        }
        printer.class(ClassId::from_index(index));
    }
    if !printer.out.is_empty() {
        printer.out.push('\n');
    }
    printer.braces("main", |printer| {
        for instance in &model.instances {
            printer.instance(instance);
        }
    });
    assert!(printer.level == 0, "every brace is closed");
    printer.out
}

/// Text that grows line by line.
struct Printer<'a> {
    model: &'a Model,
    out: String,
    level: usize,
}

impl<'a> Printer<'a> {
    fn new(model: &'a Model) -> Printer<'a> {
        Printer { model, out: String::new(), level: 0 }
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.level {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// `head { .. }`, or just the braces without a head.
    fn braces(&mut self, head: &str, inner: impl FnOnce(&mut Printer<'a>)) {
        self.open(head);
        inner(self);
        self.close();
    }

    fn open(&mut self, head: &str) {
        self.line(&if head.is_empty() { "{".to_owned() } else { format!("{head} {{") });
        self.level += 1;
    }

    fn close(&mut self) {
        self.level -= 1;
        self.line("}");
    }

    fn class(&mut self, id: ClassId) {
        let class = self.model.class(id);
        self.open(&self.class_head(class));
        self.variables(id, class, Role::Known, "knownrebecs");
        self.variables(id, class, Role::State, "statevars");
        if let Some(constructor) = class.constructor.as_ref().filter(|constructor| constructor.declared_in == id) {
            let head = format!("{}({})", class.name, self.parameters(&constructor.body));
            self.body(&head, class, &constructor.body);
        }
        for server in class.servers.iter().filter(|server| server.declared_in == id) {
            self.server(class, server);
        }
        for method in class.methods.iter().filter(|method| method.declared_in == id) {
            self.method(class, method);
        }
        self.close();
    }

    fn class_head(&self, class: &Class) -> String {
        let name = |id: &ClassId| self.model.class(*id).name.as_str();
        let names = |ids: &[ClassId]| ids.iter().map(name).collect::<Vec<_>>().join(", ");
        if class.kind == ClassKind::Interface {
            let extends = if class.interfaces.is_empty() { "" } else { " extends " };
            return format!("interface {}{extends}{}", class.name, names(&class.interfaces));
        }
        let form = if class.kind == ClassKind::Abstract { "abstract reactiveclass" } else { "reactiveclass" };
        let extends = class.parent.map(|parent| format!(" extends {}", name(&parent))).unwrap_or_default();
        let implements = if class.interfaces.is_empty() { "" } else { " implements " };
        // Only an abstract class may omit its bound.
        let bound = if class.queue_bound == 0 { String::new() } else { format!("({})", class.queue_bound) };
        format!("{form} {}{extends}{implements}{}{bound}", class.name, names(&class.interfaces))
    }

    fn variables(&mut self, id: ClassId, class: &Class, role: Role, section: &str) {
        let own = |variable: &&Variable| variable.declared_in == id && variable.role == role;
        if !class.variables.iter().any(|variable| own(&variable)) {
            return;
        }
        self.open(section);
        let mut introduced: Vec<ScalarSetId> = Vec::new();
        for variable in class.variables.iter().filter(own) {
            let mut introduces = |set: ScalarSetId| {
                let first = role == Role::Known && self.model.scalar_set(set).class == id && !introduced.contains(&set);
                introduced.extend(first.then_some(set));
                first
            };
            let declared = self.declarator(&variable.name, variable.sort, &variable.dimensions, &mut introduces);
            let value = self.initialiser(variable);
            self.line(&format!("{declared}{value};"));
        }
        self.close();
    }

    /// `T[2] x[i]`; `introduces` is true if the declarator introduces the scalar set.
    fn declarator(
        &self,
        name: &str,
        sort: Sort,
        dimensions: &[Dimension],
        introduces: &mut dyn FnMut(ScalarSetId) -> bool,
    ) -> String {
        let (mut axes, mut groups) = (String::new(), String::new());
        for &dimension in dimensions {
            match dimension {
                Dimension::Array(len) => axes += &format!("[{len}]"),
                Dimension::Scalar(id) => {
                    let set = self.model.scalar_set(id);
                    groups += &if introduces(id) {
                        format!("[{}:{}..{}]", set.name, set.low, set.high)
                    } else {
                        format!("[{}]", set.name)
                    };
                }
            }
        }
        format!("{}{axes} {name}{groups}", sort_name(self.model, sort))
    }

    /// `= value` if the variable does not start at its default.
    fn initialiser(&self, variable: &Variable) -> String {
        let default = match variable.sort {
            Sort::Bool => Value::Bool(false),
            Sort::Int(_) => Value::Int(0),
            Sort::Rebec(_) | Sort::AnyRebec => Value::Null,
            Sort::Scalar(_) => Value::Undefined,
        };
        if variable.initial.iter().all(|&value| value == default) {
            return String::new();
        }
        let mut texts: Vec<String> = variable.initial.iter().map(|&value| value_text(self.model, value)).collect();
        for &dimension in variable.dimensions.iter().rev() {
            let len = self.model.extent(dimension) as usize;
            texts = texts.chunks(len).map(|row| format!("{{{}}}", row.join(", "))).collect();
        }
        debug_assert!(texts.len() == 1, "every axis has its braces");
        format!(" = {}", texts.concat())
    }

    fn parameters(&self, body: &Body) -> String {
        let parameter = |local: &Local| format!("{} {}", sort_name(self.model, local.sort), local.name);
        body.parameters().iter().map(parameter).collect::<Vec<_>>().join(", ")
    }

    fn server(&mut self, class: &Class, server: &Server) {
        let head = format!("msgsrv {}({})", server.name, self.parameters(&server.body));
        self.member(&head, class, &server.body, server.is_abstract);
    }

    fn method(&mut self, class: &Class, method: &Method) {
        let result = method.result.map_or("void", |sort| sort_name(self.model, sort));
        let head = format!("{result} {}({})", method.name, self.parameters(&method.body));
        self.member(&head, class, &method.body, method.is_abstract);
    }

    fn member(&mut self, head: &str, class: &Class, body: &Body, is_abstract: bool) {
        match (is_abstract, class.kind) {
            (true, ClassKind::Interface) => self.line(&format!("{head};")),
            (true, _) => self.line(&format!("abstract {head};")),
            (false, _) => self.body(head, class, body),
        }
    }

    fn instance(&mut self, instance: &Instance) {
        let model = self.model;
        let known = instance.known.iter().map(|known| known.map_or("null".to_owned(), |rebec| model.rebec_name(rebec)));
        let arguments = instance.arguments.iter().map(|values| {
            let texts: Vec<String> = values.iter().map(|&value| value_text(model, value)).collect();
            if let [only] = &texts[..] { only.clone() } else { format!("?({})", texts.join(", ")) }
        });
        let known = known.collect::<Vec<_>>().join(", ");
        let arguments = arguments.collect::<Vec<_>>().join(", ");
        self.line(&format!("{} {}({known}):({arguments});", model.class(instance.class).name, instance.name));
    }
}

#[cfg(test)]
mod tests;
