#!/usr/bin/env bash
# Prints models of any size with large symmetry groups, for measurements.
#
#   benches/generate.sh processors N lpe|pnml   N processors that lock their memories and those of each other, by one bus: SN on pairs
#   benches/generate.sh balancer C S            C clients of S servers, with a bit for each pair of them: SC x SS
set -euo pipefail

processors_lpe() {
    cat <<END
type P : 0..$(($1 - 1));
type PC : { active, waiting, own, out };
proc Memory(pc : PC[P], memory : BOOL[P], access : BOOL[P][P], bus : BOOL) =
    sum p:P . [pc[p] = active && memory[p]] start_own { pc[p] := own; memory[p] := 0; } -> Memory
  + sum p:P . [pc[p] = own] end_own { pc[p] := active; memory[p] := 1; } -> Memory
  + sum p:P . [pc[p] = active] ask { pc[p] := waiting; } -> Memory
  + sum p:P . sum q:P . [p != q && pc[p] = waiting && memory[q] && bus]
      start { pc[p] := out; memory[q] := 0; bus := 0; access[p][q] := 1; } -> Memory
  + sum p:P . sum q:P . [access[p][q]] end { pc[p] := active; memory[q] := 1; bus := 1; access[p][q] := 0; } -> Memory;
init Memory(pc = active, memory = 1, access = 0, bus = 1);
END
}

processors_pnml() {
    awk -v n="$1" '
        function place(id, tokens) { printf "<place id=\"%s\"><initialMarking><text>%d</text></initialMarking></place>\n", id, tokens }
        function transition(id, from, to, count, list, at) {
            printf "<transition id=\"%s\"/>\n", id
            count = split(from, list)
            for (at = 1; at <= count; at++) printf "<arc id=\"x%d\" source=\"%s\" target=\"%s\"/>\n", arcs++, list[at], id
            count = split(to, list)
            for (at = 1; at <= count; at++) printf "<arc id=\"x%d\" source=\"%s\" target=\"%s\"/>\n", arcs++, id, list[at]
        }
        BEGIN {
            print "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">"
            print "<net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"page\">"
            place("bus", 1)
            for (i = 0; i < n; i++) {
                place("active" i, 1); place("memory" i, 1); place("own" i, 0); place("queue" i, 0)
                transition("startown" i, "active" i " memory" i, "own" i)
                transition("endown" i, "own" i, "active" i " memory" i)
                transition("ask" i, "active" i, "queue" i)
                for (j = 0; j < n; j++) if (i != j) {
                    pair = i "_" j
                    place("access" pair, 0)
                    transition("start" pair, "queue" i " memory" j " bus", "access" pair)
                    transition("end" pair, "access" pair, "active" i " memory" j " bus")
                }
            }
            print "</page></net></pnml>"
        }'
}

balancer() {
    cat <<END
type C : 0..$(($1 - 1));
type S : 0..$(($2 - 1));
type PC : { idle, asking, served };
proc Balancer(pc : PC[C], at : BOOL[C][S]) =
    sum c:C . [pc[c] = idle] ask { pc[c] := asking; } -> Balancer
  + sum c:C . sum s:S . [pc[c] = asking && !(exists t:S . at[c][t])] send { pc[c] := served; at[c][s] := 1; } -> Balancer
  + sum c:C . sum s:S . [at[c][s]] done { pc[c] := idle; at[c][s] := 0; } -> Balancer;
init Balancer(pc = idle, at = 0);
END
}

case "${1:-} ${3:-}" in
    "processors lpe") processors_lpe "$2" ;;
    "processors pnml") processors_pnml "$2" ;;
    "balancer "[0-9]*) balancer "$2" "$3" ;;
    *) sed -n '2,5p' "$0" >&2; exit 2 ;;
esac
