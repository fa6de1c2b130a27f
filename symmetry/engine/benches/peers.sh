#!/usr/bin/env bash
# Runs other engines on the graphs of the table, beside ours. Those that are not installed are left out.
#
#   cargo bench -p quotient-engine -- write=/tmp/graphs
#   bash symmetry/engine/benches/peers.sh /tmp/graphs [path of quotient]
#
# Milliseconds of the search without reading, as each program says itself; `-` past 60 seconds.
set -euo pipefail
folder=${1:?a folder of graphs}
quotient=${2:-target/release/quotient}
limit=60

milliseconds() { awk '{ printf "%.0f", $1 * 1000 }'; }

bliss_time() { timeout $limit bliss -v=1 "$1" 2>/dev/null | awk '/Total time/ { print $3 }' | milliseconds; }

dreadnaut_time() {
    { echo "$1 -a"; cat "$2"; echo q; } | timeout $limit dreadnaut 2>/dev/null | awk '/cpu time/ { print $4 }' | milliseconds
}

quotient_time() { timeout $limit "$quotient" graph "$1" --json 2>/dev/null | awk -F'[:,]' '/"seconds"/ { print $2 }' | milliseconds; }

echo "| graph | quotient | bliss | Traces | nauty |"
echo "|---|---|---|---|---|"
for file in "$folder"/*.dimacs; do
    name=$(basename "$file" .dimacs)
    row="| $name"
    for run in "quotient_time $file" "bliss_time $file" "dreadnaut_time At ${file%.dimacs}.dre" "dreadnaut_time As ${file%.dimacs}.dre"; do
        program=${run%%_*}
        figure=
        if command -v "$program" > /dev/null || [ "$program" = quotient ]; then figure=$($run || true); fi
        row+=" | ${figure:--}"
    done
    echo "$row |"
done
