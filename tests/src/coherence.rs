//! Generated models of Murphi in the size of real cache protocols.
//!
//! A cluster has caches that are exchangeable, three controllers (cache, directory, memory), each a procedure with nested switches over the
//! kinds of messages and the states of the controller, and a multiset of messages. A message of a kind causes at most one of a later kind, so
//! the models are finite and small in states whatever their text.

use std::fmt::Write;

/// A model.
#[derive(Clone, Copy, Debug)]
pub struct Coherence {
    /// The clusters, equal up to names.
    pub clusters: usize,
    /// The caches of a cluster.
    pub caches: usize,
    /// The kinds of messages.
    pub kinds: usize,
    /// The states of each controller.
    pub states: usize,
    /// Whether the caches are declared as a scalar set.
    pub is_declared: bool,
}

impl Coherence {
    /// The text of the model.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        let names =
            |letter: char, count: usize| (0..count).map(|at| format!("{letter}{at}")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, "-- {} clusters of {} caches", self.clusters, self.caches);
        let caches =
            if self.is_declared { format!("scalarset({})", self.caches) } else { format!("1..{}", self.caches) };
        let _ = writeln!(out, "const NetMax: 2;\ntype\n  Kind: enum {{{}}};", names('k', self.kinds));
        let _ = writeln!(out, "  State: enum {{{}}};", names('s', self.states));
        for cluster in 0..self.clusters {
            let _ = writeln!(out, "  Cache{cluster}: {caches};");
            let _ = writeln!(out, "  Message{cluster}: record kind: Kind; who: Cache{cluster}; end;");
            let _ = writeln!(out, "  Line{cluster}: record state: State; last: Kind; end;");
        }
        out.push_str("var\n");
        for cluster in 0..self.clusters {
            let _ = writeln!(out, "  cache{cluster}: array[Cache{cluster}] of Line{cluster};");
            let _ = writeln!(out, "  directory{cluster}: Line{cluster};\n  memory{cluster}: Line{cluster};");
            let _ = writeln!(out, "  owner{cluster}: Cache{cluster};");
            let _ = writeln!(out, "  net{cluster}: multiset[NetMax] of Message{cluster};");
        }
        for cluster in 0..self.clusters {
            self.cluster(&mut out, cluster);
        }
        out.push_str("startstate \"reset\"\n");
        for cluster in 0..self.clusters {
            let _ = writeln!(
                out,
                "  for c: Cache{cluster} do cache{cluster}[c].state := s0; cache{cluster}[c].last := k0; end;"
            );
            for line in ["directory", "memory"] {
                let _ = writeln!(out, "  {line}{cluster}.state := s0; {line}{cluster}.last := k0;");
            }
            let _ = writeln!(out, "  undefine owner{cluster};");
        }
        out.push_str("end;\n");
        for cluster in 0..self.clusters {
            let _ = writeln!(out, "invariant \"owned {cluster}\"");
            let _ =
                writeln!(out, "  isundefined(owner{cluster}) | exists c: Cache{cluster} do c = owner{cluster} end;");
        }
        out
    }

    fn cluster(&self, out: &mut String, cluster: usize) {
        let _ = writeln!(
            out,
            "procedure Send{cluster}(kind: Kind; who: Cache{cluster});\nvar message: Message{cluster};\nbegin"
        );
        let _ = writeln!(out, "  message.kind := kind;\n  message.who := who;");
        let _ = writeln!(
            out,
            "  if MultiSetCount(m: net{cluster}, true) < NetMax then MultiSetAdd(message, net{cluster}); end;\nend;"
        );
        for (place, name) in ["Cache", "Directory", "Memory"].into_iter().enumerate() {
            self.controller(out, cluster, (place, name));
        }
        let _ = writeln!(
            out,
            "choose m: net{cluster} do\n  rule \"deliver {cluster}\" true ==>\n  var message: Message{cluster};\n  begin"
        );
        let _ = writeln!(out, "    message := net{cluster}[m];\n    MultiSetRemove(m, net{cluster});");
        let _ = writeln!(out, "    HandleCache{cluster}(cache{cluster}[message.who], message);");
        let _ = writeln!(out, "    HandleDirectory{cluster}(directory{cluster}, message);");
        let _ = writeln!(out, "    HandleMemory{cluster}(memory{cluster}, message);\n  end;\nend;");
        for number in 0..36 / self.clusters.max(1) - 1 {
            let (state, kind) = (number % self.states, number * 3 % self.kinds);
            let _ = writeln!(out, "ruleset c: Cache{cluster} do\n  rule \"request {cluster} {number}\"");
            let _ = writeln!(
                out,
                "    cache{cluster}[c].state = s{state} & MultiSetCount(m: net{cluster}, true) = 0\n  ==>"
            );
            let _ = writeln!(out, "    Send{cluster}(k{kind}, c);\n  end;\nend;");
        }
    }

    /// A procedure that handles a message: an arm for each kind, and within it one for each state.
    fn controller(&self, out: &mut String, cluster: usize, (place, name): (usize, &str)) {
        let _ = writeln!(
            out,
            "procedure Handle{name}{cluster}(var line: Line{cluster}; message: Message{cluster});\nbegin"
        );
        let _ = writeln!(out, "  switch message.kind");
        for kind in 0..self.kinds {
            let _ = writeln!(out, "  case k{kind}:\n    switch line.state");
            for state in 0..self.states {
                let _ = writeln!(out, "    case s{state}:");
                let _ = writeln!(out, "      line.state := s{};", (state + kind + place) % self.states);
                if (state + kind) % 3 == place {
                    let _ = writeln!(out, "      owner{cluster} := message.who;");
                }
                let next = kind + 1 + (state + place) % 5;
                if (kind + state) % 4 == place && next < self.kinds {
                    let _ = writeln!(out, "      Send{cluster}(k{next}, message.who);");
                }
            }
            let _ = writeln!(out, "    end;\n    line.last := k{kind};");
        }
        out.push_str("  end;\nend;\n");
    }
}
