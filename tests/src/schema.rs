//! The part of JSON Schema that the files of `docs/schemas` use, so that the tests hold every report against its schema.
//!
//! The reports are also held against the schemas by the other side: a field that a schema does not describe is a fault of the schema
//! ([`faults`] with `whole`). A keyword that this file does not know is a fault as well, so that no part of a schema is passed over.
//!
//! Source: JSON Schema, draft 2020-12, core and validation.

use serde_json::{Map, Value as Json};

/// The keywords without effect on values.
const SILENT: [&str; 4] = ["$schema", "$defs", "title", "description"];

/// The places where a value does not fit a schema, in words; with `whole` also the fields that the schema does not describe.
pub fn faults(schema: &Json, value: &Json, whole: bool) -> Vec<String> {
    let mut checker = Checker { root: schema, whole, faults: Vec::new() };
    checker.check(schema, value, "");
    checker.faults
}

struct Checker<'a> {
    root: &'a Json,
    whole: bool,
    faults: Vec<String>,
}

impl<'a> Checker<'a> {
    fn fault(&mut self, at: &str, what: &str) {
        self.faults.push(format!("{}: {what}", if at.is_empty() { "/" } else { at }));
    }

    fn check(&mut self, schema: &'a Json, value: &Json, at: &str) {
        let Some(keywords) = schema.as_object() else { return self.fault(at, "the schema is no object") };
        for (keyword, argument) in keywords {
            self.keyword(keywords, (keyword, argument), value, at);
        }
    }

    fn keyword(&mut self, all: &'a Map<String, Json>, one: (&str, &'a Json), value: &Json, at: &str) {
        let (keyword, argument) = one;
        let list = || argument.as_array().into_iter().flatten();
        match keyword {
            "$ref" => {
                let pointer = argument.as_str().and_then(|text| text.strip_prefix('#')).unwrap_or("?");
                match self.root.pointer(pointer) {
                    Some(target) => self.check(target, value, at),
                    None => self.fault(at, &format!("the schema has no {argument}")),
                }
            }
            "type" => {
                let fits = list().chain(argument.is_string().then_some(argument)).any(|name| is_of(name, value));
                self.require(fits, at, &format!("{value} is not of type {argument}"));
            }
            "const" => self.require(value == argument, at, &format!("{value} is not {argument}")),
            "enum" => self.require(list().any(|one| one == value), at, &format!("{value} is none of {argument}")),
            "minimum" => {
                let fits = value.as_f64().is_none_or(|number| argument.as_f64().is_some_and(|least| number >= least));
                self.require(fits, at, &format!("{value} is below {argument}"));
            }
            "minItems" | "maxItems" => {
                let count = value.as_array().map_or(0, Vec::len) as u64;
                let bound = argument.as_u64().unwrap_or(0);
                let fits = if keyword == "minItems" { count >= bound } else { count <= bound };
                self.require(!value.is_array() || fits, at, &format!("{count} items, {keyword} {bound}"));
            }
            "pattern" => {
                let fits = value.as_str().is_none_or(|text| is_decimal(argument.as_str().unwrap_or_default(), text));
                self.require(fits, at, &format!("{value} does not match {argument}"));
            }
            "required" => {
                for name in list().filter_map(Json::as_str) {
                    let fits = value.as_object().is_none_or(|fields| fields.contains_key(name));
                    self.require(fits, at, &format!("there is no `{name}`"));
                }
            }
            "properties" | "additionalProperties" => self.fields(all, value, at, keyword),
            "items" => {
                for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                    self.check(argument, item, &format!("{at}/{number}"));
                }
            }
            "anyOf" => {
                let tried = |option| {
                    let mut inner = Checker { root: self.root, whole: self.whole, faults: Vec::new() };
                    inner.check(option, value, at);
                    inner.faults
                };
                let least = argument.as_array().into_iter().flatten().map(tried).min_by_key(Vec::len);
                self.faults.extend(least.unwrap_or_default());
            }
            silent if SILENT.contains(&silent) => {}
            unknown => self.fault(at, &format!("the keyword `{unknown}` is not known here")),
        }
    }

    /// The fields by name, and those without a name in the schema.
    fn fields(&mut self, schema: &'a Map<String, Json>, value: &Json, at: &str, keyword: &str) {
        let described = schema.get("properties").and_then(Json::as_object);
        for (name, field) in value.as_object().into_iter().flatten() {
            let at = format!("{at}/{name}");
            match (described.and_then(|described| described.get(name)), schema.get("additionalProperties")) {
                (Some(own), _) if keyword == "properties" => self.check(own, field, &at),
                (None, Some(others)) if keyword != "properties" => self.check(others, field, &at),
                (None, None) if self.whole => self.fault(&at, "the schema does not describe this field"),
                _ => {}
            }
        }
    }

    fn require(&mut self, fits: bool, at: &str, what: &str) {
        if !fits {
            self.fault(at, what);
        }
    }
}

fn is_of(name: &Json, value: &Json) -> bool {
    match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("number") => value.is_number(),
        Some("integer") => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => false,
    }
}

/// The two patterns that the schemas use: decimal numbers, with or without zeros in front.
fn is_decimal(pattern: &str, text: &str) -> bool {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match pattern {
        "^[0-9]+$" => digits,
        "^[1-9][0-9]*$" => digits && !text.starts_with('0'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::faults;
    use serde_json::json;

    #[test]
    fn each_keyword_refuses_something() {
        let schema = json!({
            "$defs": { "n": { "type": "integer", "minimum": 0 } }, "type": "object", "required": ["a"],
            "properties": {
                "a": { "$ref": "#/$defs/n" }, "b": { "enum": ["x", null] }, "c": { "const": 1 },
                "d": { "type": ["array", "null"], "items": { "type": "string" }, "minItems": 2, "maxItems": 3 },
                "e": { "type": "string", "pattern": "^[1-9][0-9]*$" },
                "f": { "anyOf": [{ "type": "object", "required": ["p"], "properties": { "p": {} } }, { "type": "boolean" }] },
                "g": { "type": "object", "additionalProperties": { "type": "number" } } } });
        let good = json!({ "a": 1, "b": null, "c": 1, "d": ["s", "t"], "e": "10", "f": { "p": 0 }, "g": { "k": 0.5 } });
        assert_eq!(faults(&schema, &good, true), Vec::<String>::new());
        for (field, wrong) in [
            ("a", json!(-1)),
            ("a", json!("1")),
            ("b", json!("y")),
            ("c", json!(2)),
            ("d", json!(["s"])),
            ("d", json!(["s", "t", "u", "v"])),
            ("d", json!(["s", 1])),
            ("e", json!("01")),
            ("e", json!("")),
            ("f", json!({ "q": 1 })),
            ("f", json!("x")),
            ("g", json!({ "k": "v" })),
        ] {
            let mut value = good.clone();
            value[field] = wrong;
            assert!(!faults(&schema, &value, false).is_empty(), "{value}");
        }
        assert_eq!(faults(&schema, &json!({}), false), ["/: there is no `a`"]);
        let more = json!({ "a": 1, "more": 2 });
        assert!(faults(&schema, &more, false).is_empty() && !faults(&schema, &more, true).is_empty());
        assert!(!faults(&json!({ "allOf": [] }), &good, false).is_empty());
    }
}
