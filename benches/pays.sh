#!/usr/bin/env bash
# Where symmetry costs more than it saves: every fixture, searched with symmetry and without, in seconds of the processor.
#
#   benches/pays.sh [-q QUOTIENT] [-l SECONDS] [MODEL..]
#
# Prints the models that take longer than LEAST seconds (0.2) without symmetry or with it, with the ratio of the seconds, and
# seconds and states of both; `sort -rn` puts the worst first. Each run ends after a limit (-l, 20 seconds). Run it on a quiet machine, with a release build.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
quotient=$root/target/release/quotient
limit=20
least=${LEAST:-0.2}
while getopts q:l: option; do
    case $option in
        q) quotient=$OPTARG ;;
        l) limit=$OPTARG ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
if [ $# -gt 0 ]; then models=("$@"); else
    mapfile -t models < <(find "$root/fixtures" -path '*/reject/*' -prune -o -path '*/notice/*' -prune -o -path '*/products/*' -prune \
        -o -type f \( -name '*.rebeca' -o -name '*.lpe' -o -name '*.m' -o -name '*.dve' -o -name '*.pml' -o -name '*.pnml' \) -print | sort)
fi
report=$(mktemp)
trap 'rm -f "$report"' EXIT

# Seconds of the processor and states of one run.
run() {
    local TIMEFORMAT='%U'
    local seconds
    seconds=$({ time "$quotient" check "$@" --keep-going --json --timeout "${limit}s" >"$report" 2>/dev/null || true; } 2>&1 | tail -1)
    local states
    states=$(grep -o '"states": *[0-9]*' "$report" | head -1 | grep -o '[0-9]*$' || true)
    echo "$seconds ${states:--}"
}

for model in "${models[@]}"; do
    read -r with reduced < <(run "$model")
    read -r without full < <(run "$model" --symmetry none)
    awk -v m="${model#"$root"/}" -v a="$with" -v b="$without" -v r="$reduced" -v f="$full" -v least="$least" \
        'BEGIN { if (a + 0 > least || b + 0 > least) printf "%6.2f  %8.2f s %10s  without %8.2f s %10s  %s\n", a / (b > 0.01 ? b : 0.01), a, r, b, f, m }'
done
