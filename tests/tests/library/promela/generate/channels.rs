//! Statements and conditions on channels of random models.

use super::{Generator, Place};

impl Generator {
    /// A place with a channel of one field.
    pub(super) fn channel_place(&mut self) -> String {
        let mut list = vec!["c[0]", "c[1]", if self.has.faults { "c[x % 3]" } else { "c[x % 2]" }];
        list.extend(self.channel);
        list.extend(self.channel);
        self.pick(&list).to_owned()
    }

    pub(super) fn channel_condition(&mut self) -> String {
        if self.has.channels && (!self.has.queue || self.rng.chance(50)) {
            let place = self.channel_place();
            return match self.rng.below(3) {
                0 => format!("(len({place}) == {})", self.rng.below(2)),
                1 => format!("{}({place})", self.pick(&["full", "empty", "nfull", "nempty"])),
                _ if self.has_room => format!("{place}?[{}]", self.wanted()),
                _ => format!("(len({place}) < 1)"),
            };
        }
        match self.rng.below(4) {
            0 => format!("(len(q) {} 1)", self.pick(&["<", "==", ">="])),
            1 => format!("{}(q)", self.pick(&["full", "empty", "nfull", "nempty"])),
            2 => format!("q??[{}]", self.pattern()),
            _ => format!("q?[{}]", self.pattern()),
        }
    }

    /// An argument that matches values.
    fn wanted(&mut self) -> String {
        if self.rng.chance(50) { self.rng.below(3).to_string() } else { format!("eval({})", self.variable()) }
    }

    /// The arguments of a receive statement that match values.
    fn pattern(&mut self) -> String {
        let wanted = self.wanted();
        if self.has.symbols { format!("{}, {wanted}", self.pick(&["red", "green"])) } else { wanted }
    }

    fn target(&mut self) -> String {
        match self.rng.below(8) {
            0 => "_".to_owned(),
            // What is received may not choose where it goes.
            1..=2 if self.has.faults => self.pick(&["_", "h[b]", "h[y % 3]"]).to_owned(),
            1..=3 if self.has_local => "n".to_owned(),
            4 => self.variable(),
            _ => self.pick(&["x", "y"]).to_owned(),
        }
    }

    /// A statement on a channel, where the model has any.
    pub(super) fn communication(&mut self, place: Place) -> String {
        if self.has.channels && self.rng.chance(50) {
            return self.passing(place);
        }
        if self.has.records && self.rng.chance(30) {
            return self.pick(&["z!v", "z?v", "z!t.v", "z?v.f,_", "z!1,b", "z?eval(x),v.h"]).to_owned();
        }
        let meets = self.has.meetings && place != Place::Step && (!self.has.queue || self.rng.chance(45));
        if meets {
            return match self.rng.below(4) {
                0..=1 => format!("r!{}", self.value()),
                2 => format!("r?{}", self.target()),
                _ => format!("r?{}", self.wanted()),
            };
        }
        if !self.has.queue {
            return self.assignment();
        }
        let first = if self.has.symbols { format!("{}, ", self.pick(&["red", "green"])) } else { String::new() };
        let any = if self.has.symbols { "_, " } else { "" };
        let value = if self.rng.chance(60) { self.rng.below(3).to_string() } else { self.value() };
        let target = self.target();
        match self.rng.below(10) {
            0..=2 => format!("q!{first}{value}"),
            3 => format!("q!!{first}{value}"),
            4..=5 => format!("q?{any}{target}"),
            6 => format!("q??{}", self.pattern()),
            7 => format!("q?{}", self.pattern()),
            8 => format!("q??<{}>", self.pattern()),
            _ => format!("q?<{any}{target}>"),
        }
    }

    /// A statement on a channel that may be a value.
    fn passing(&mut self, place: Place) -> String {
        if place == Place::Step {
            // A rendezvous is no step of one process.
            return self.assignment();
        }
        let channel = self.channel_place();
        match self.rng.below(10) {
            0..=2 => format!("{channel}!{}", self.value()),
            // A channel that is chosen by what is received is refused.
            3..=5 => match (channel.as_str(), self.target().as_str()) {
                ("c[x % 2]" | "c[x % 3]", "x") => format!("{channel}?y"),
                (_, target) => format!("{channel}?{target}"),
            },
            6 => format!("{channel}?{}", self.wanted()),
            7 => format!("k!{channel}"),
            8 => self.channel.map_or_else(|| "k?_".to_owned(), |own| format!("k?{own}")),
            _ => self.channel.map_or_else(|| self.assignment(), |own| format!("{own} = {channel}")),
        }
    }
}
