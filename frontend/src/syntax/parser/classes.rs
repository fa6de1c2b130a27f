//! The outer shape of a model: environment, classes and interfaces with their sections and members, `main`.

use super::operands::Binding;
use super::{Failed, Parse, Parser};
use crate::diagnostics::{Diagnostic, codes, did_you_mean};
use crate::source::Span;
use crate::syntax::ast::{ClassDecl, ClassForm, Field, InstanceDecl, Member, MemberKind, Name, Program, Type};
use crate::syntax::token::TokenKind;

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Program {
        let mut program = Program::default();
        while self.kind() != TokenKind::End {
            let start = self.at;
            match self.top(&mut program) {
                Ok(()) => {}
                Err(_) if matches!(self.tokens[start].kind, TokenKind::Env | TokenKind::FeatureVar) => {
                    self.recover_item(Failed::Syntax, start);
                }
                Err(_) => self.recover_top(start),
            }
            assert!(self.at > start, "a part of a model has tokens");
        }
        program.is_annotated = self.is_annotated;
        program
    }

    /// One class, `main`, or declaration outside the classes.
    fn top(&mut self, program: &mut Program) -> Parse<()> {
        let conditions = self.annotations()?;
        if !matches!(self.kind(), TokenKind::ReactiveClass | TokenKind::Interface | TokenKind::Abstract) {
            self.refuse_conditions(&conditions);
        }
        match self.kind() {
            TokenKind::End | TokenKind::Semicolon => {
                self.bump();
            }
            TokenKind::Env => {
                self.bump();
                let field = self.field()?;
                program.environment.push(field);
                self.semicolon()?;
            }
            TokenKind::FeatureVar => {
                self.bump();
                if self.kind() == TokenKind::Boolean {
                    self.bump();
                }
                for name in self.names("the name of a feature variable")? {
                    self.note_declared(&name);
                    program.features.push(name);
                }
                self.semicolon()?;
            }
            TokenKind::Main => self.main(program)?,
            TokenKind::ReactiveClass | TokenKind::Interface | TokenKind::Abstract => {
                let class = self.class()?;
                program.classes.push(ClassDecl { conditions, ..class });
            }
            _ if self.physical_class() => {}
            _ if self.is_word_at(0, "property") && self.kind_at(1) == TokenKind::BraceOpen => {
                let message = "this is a property file, not a model";
                let help = "pass the model, and its property file next to it with the same name";
                self.error(codes::WRONG_FILE_KIND, self.span(), message, help);
                self.at = self.tokens.len() - 1;
            }
            _ => return Err(self.fault("`reactiveclass`, `interface`, `env`, `featurevar` or `main`")),
        }
        Ok(())
    }

    fn class(&mut self) -> Parse<ClassDecl> {
        let start = self.span();
        let is_abstract = self.eat(TokenKind::Abstract);
        let form = match self.kind() {
            TokenKind::Interface => ClassForm::Interface,
            TokenKind::ReactiveClass if is_abstract => ClassForm::Abstract,
            TokenKind::ReactiveClass => ClassForm::Reactive,
            _ => return Err(self.fault("`reactiveclass`")),
        };
        self.bump();
        let name = self.name("the name of a class")?;
        let (extends, implements, queue_bound) = (Vec::new(), Vec::new(), None);
        let (known, variables, members) = (Vec::new(), Vec::new(), Vec::new());
        let conditions = Vec::new();
        let mut class = ClassDecl {
            conditions,
            form,
            name,
            extends,
            implements,
            queue_bound,
            known,
            variables,
            members,
            span: start,
        };
        if self.class_header(&mut class).is_err() {
            while !matches!(self.kind(), TokenKind::BraceOpen | TokenKind::End) && !self.starts_section() {
                self.bump();
            }
        } else {
            self.check_queue_bound(&class);
        }
        let open = self.expect(TokenKind::BraceOpen)?.span;
        self.class_body(&mut class);
        // A missing `}` is reported and assumed: a class starts next.
        let _ = self.close(TokenKind::BraceClose, open);
        class.span = self.span_from(start);
        Ok(class)
    }

    /// `(n)`, `extends A` and `implements I, J`, in any order.
    fn class_header(&mut self, class: &mut ClassDecl) -> Parse<()> {
        loop {
            match self.kind() {
                TokenKind::Extends => {
                    self.bump();
                    class.extends.extend(self.names("the name of a class")?);
                }
                TokenKind::Implements => {
                    self.bump();
                    class.implements.extend(self.names("the name of an interface")?);
                }
                TokenKind::ParenOpen if class.queue_bound.is_none() => {
                    let open = self.bump().span;
                    class.queue_bound = Some(self.expression()?);
                    self.close(TokenKind::ParenClose, open)?;
                }
                TokenKind::BraceOpen => return Ok(()),
                _ => return Err(self.fault("`{`")),
            }
        }
    }

    fn check_queue_bound(&mut self, class: &ClassDecl) {
        let name = &class.name;
        match (&class.queue_bound, class.form) {
            (Some(bound), ClassForm::Interface) => {
                let message = format!("the interface `{}` has a queue bound", name.text);
                let help = "drop it: the classes that implement the interface have their own";
                self.error(codes::INTERFACE_CONTENT, bound.span, message, help);
            }
            (None, ClassForm::Reactive) => {
                let message = format!("the class `{}` has no queue bound", name.text);
                let help = format!("write the most messages that its queue holds: `reactiveclass {}(5)`", name.text);
                self.error(codes::MISSING_QUEUE_BOUND, name.span, message, help);
            }
            _ => {}
        }
    }

    fn class_body(&mut self, class: &mut ClassDecl) {
        let mut sections = [None, None];
        while !self.at_list_end() && !self.starts_top() {
            let start = self.at;
            if let Err(failed) = self.class_item(class, &mut sections) {
                self.recover_member(failed, start);
            }
            assert!(self.at > start, "a section or a member has tokens");
        }
    }

    /// A section or a member. `sections` holds the places where `knownrebecs` and `statevars` were opened.
    fn class_item(&mut self, class: &mut ClassDecl, sections: &mut [Option<Span>; 2]) -> Parse<()> {
        let conditions = self.annotations()?;
        match self.kind() {
            TokenKind::Semicolon => {
                self.refuse_conditions(&conditions);
                self.bump();
                Ok(())
            }
            TokenKind::KnownRebecs | TokenKind::StateVars => {
                self.refuse_conditions(&conditions);
                let known = self.kind() == TokenKind::KnownRebecs;
                self.check_section(class, &mut sections[usize::from(!known)]);
                self.bump();
                self.section(if known { &mut class.known } else { &mut class.variables })
            }
            _ if self.hybrid_mode() => Ok(()),
            _ => {
                if let Some(member) = self.member(class)? {
                    class.members.push(Member { conditions, ..member });
                }
                Ok(())
            }
        }
    }

    fn check_section(&mut self, class: &ClassDecl, first: &mut Option<Span>) {
        let (span, word) = (self.span(), self.text_of(self.span()));
        if class.form == ClassForm::Interface {
            let message = format!("the interface `{}` has a `{word}` section", class.name.text);
            let help = "an interface holds only message servers and methods without bodies";
            self.error(codes::INTERFACE_CONTENT, span, message, help);
        } else if let Some(first) = *first {
            let message = format!("the class `{}` has two `{word}` sections", class.name.text);
            let diagnostic = Diagnostic::error(codes::DUPLICATE_SECTION, span, message).related(first, "the first one");
            self.diagnostics.push(diagnostic.help("move all declarations into the first one"));
        }
        *first = first.or(Some(span));
    }

    /// `{ T a, b; .. }`
    fn section(&mut self, fields: &mut Vec<Field>) -> Parse<()> {
        let open = self.expect(TokenKind::BraceOpen)?.span;
        while !self.at_list_end() && !self.starts_section() {
            let start = self.at;
            if self.eat(TokenKind::Semicolon) {
                continue;
            }
            let field = self.annotations().and_then(|conditions| {
                let field = self.field()?;
                self.semicolon()?;
                Ok(Field { conditions, ..field })
            });
            match field {
                Ok(field) => fields.push(field),
                Err(failed) => self.recover_item(failed, start),
            }
            assert!(self.at > start, "a field has tokens");
        }
        let _ = self.close(TokenKind::BraceClose, open);
        Ok(())
    }

    /// A constructor, message server or method; `None` for a variable in the wrong place, which is reported.
    fn member(&mut self, class: &ClassDecl) -> Parse<Option<Member>> {
        let start = self.span();
        self.modifiers();
        let is_abstract = self.eat(TokenKind::Abstract);
        self.modifiers();
        let (kind, name) = match self.kind() {
            TokenKind::MsgSrv => {
                self.bump();
                (MemberKind::Server, self.free_name("the name of a message server")?)
            }
            TokenKind::Void => {
                self.bump();
                (MemberKind::Method(None), self.name("the name of a method")?)
            }
            TokenKind::Identifier if self.kind_at(1) == TokenKind::ParenOpen => {
                let name = self.bump_name();
                self.check_constructor(class, &name);
                (MemberKind::Constructor, name)
            }
            kind if kind == TokenKind::Identifier || kind.is_primitive() => {
                let ty = self.type_name()?;
                if self.kind() == TokenKind::Identifier && self.kind_at(1) != TokenKind::ParenOpen {
                    self.misplaced_variable(ty)?;
                    return Ok(None);
                }
                (MemberKind::Method(Some(ty)), self.name("the name of a method")?)
            }
            _ => return Err(self.fault("`msgsrv`, a constructor, a method or `}`")),
        };
        self.note_declared(&name);
        let parameters = self.parameters()?;
        self.body_at = self.at;
        let body = match self.kind() {
            TokenKind::BraceOpen => Some(self.braced_statements()?),
            _ => {
                self.semicolon()?;
                None
            }
        };
        let member =
            Member { conditions: Vec::new(), kind, is_abstract, name, parameters, body, span: self.span_from(start) };
        self.check_body(class, &member);
        Ok(Some(member))
    }

    fn check_constructor(&mut self, class: &ClassDecl, name: &Name) {
        if class.form == ClassForm::Interface {
            let message = format!("the interface `{}` has a constructor", class.name.text);
            self.error(codes::INTERFACE_CONTENT, name.span, message, "move it to the classes that implement it");
        } else if name.text != class.name.text {
            let message =
                format!("the constructor name `{}` differs from the class name `{}`", name.text, class.name.text);
            let help = did_you_mean(&name.text, [class.name.text.as_str()]).unwrap_or_else(|| {
                format!(
                    "a message server is written `msgsrv {0}(..)`, a method has its type before its name: `void {0}(..)`",
                    name.text
                )
            });
            let diagnostic = Diagnostic::error(codes::CONSTRUCTOR_NAME, name.span, message);
            self.diagnostics.push(diagnostic.related(class.name.span, "the class").help(help));
        }
    }

    /// Reads and reports a variable declared outside of `statevars`.
    fn misplaced_variable(&mut self, ty: Type) -> Parse<()> {
        let field = self.field_of(ty)?;
        let message = "variables are declared in `statevars`";
        let help = "move the declaration into the section `statevars { .. }` of the class";
        self.error(codes::VARIABLE_OUTSIDE_SECTION, field.span, message, help);
        self.semicolon()?;
        Ok(())
    }

    fn check_body(&mut self, class: &ClassDecl, member: &Member) {
        let bodiless = member.is_abstract || class.form == ClassForm::Interface;
        let name = &member.name;
        if bodiless && member.body.is_some() {
            let what = if member.is_abstract { "is abstract" } else { "stands in an interface" };
            let message = format!("`{}` {what} and has a body", name.text);
            self.error(codes::UNEXPECTED_BODY, name.span, message, "replace the body by `;`");
        } else if !bodiless && member.body.is_none() {
            let message = format!("`{}` has no body", name.text);
            let help = "write `{ .. }`, or `abstract` before it in an abstract class";
            self.error(codes::MISSING_BODY, name.span, message, help);
        }
    }

    /// `main { C a(..):(..); .. }`
    fn main(&mut self, program: &mut Program) -> Parse<()> {
        let start = self.bump().span;
        if program.main.is_some() {
            let help = "put all rebecs into one `main`";
            self.error(codes::DUPLICATE_SECTION, start, "the model has two `main` blocks", help);
        }
        let instances = program.main.get_or_insert_default();
        let open = self.expect(TokenKind::BraceOpen)?.span;
        while !self.at_list_end() && !self.starts_section() {
            let start = self.at;
            if self.eat(TokenKind::Semicolon) {
                continue;
            }
            match self.instance() {
                Ok(instance) => instances.push(instance),
                Err(failed) => self.recover_item(failed, start),
            }
            assert!(self.at > start, "a rebec has tokens");
        }
        let _ = self.close(TokenKind::BraceClose, open);
        Ok(())
    }

    fn instance(&mut self) -> Parse<InstanceDecl> {
        let conditions = self.annotations()?;
        let class = self.name("the class of a rebec")?;
        self.plain_annotations()?;
        let name = self.name("the name of a rebec")?;
        self.note_declared(&name);
        let example = format!("{} {}(known rebecs):(arguments);", class.text, name.text);
        let Binding { known, arguments, .. } = self.binding(&example)?;
        let span = self.span_from(class.span);
        self.semicolon()?;
        Ok(InstanceDecl { conditions, class, name, known, arguments, span })
    }
}
