#!/usr/bin/env bash
# Runs examinations of the Model Checking Contest and compares the answers with known ones.
#
#   benches/contest/run.sh PROGRAM FOLDER [SECONDS [MEMORY [EXAMINATIONS [INSTANCES [OPTIONS]]]]]
#
# FOLDER has `inputs/*.tgz`, each an instance as the contest packs it, and `oracle.tsv` with the columns instance, examination, question and
# answer, where `?` is no answer. EXAMINATIONS is a list of names or `all`, INSTANCES a pattern of bash, OPTIONS are passed on to `mcc`. The
# table counts, for each examination, the questions, those with an answer in the time, and of these the equal, the different and those that
# nobody has answered. Different ones are listed before it; the exit code says whether there are none.
set -u
program=$1 folder=$2 seconds=${3:-60} memory=${4:-4G} examinations=${5:-all} instances=${6:-*} options=${7:-}
if [ "$examinations" = all ]; then
    examinations="StateSpace ReachabilityDeadlock OneSafe StableMarking QuasiLiveness Liveness UpperBounds ReachabilityCardinality
        ReachabilityFireability CTLCardinality CTLFireability LTLCardinality LTLFireability"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for archive in "$folder"/inputs/$instances.tgz; do
    instance=$(basename "$archive" .tgz)
    tar xzf "$archive" -C "$work"
    for examination in $examinations; do
        # shellcheck disable=SC2086
        timeout $((seconds + 15)) "$program" mcc "$work/$instance" "$examination" --timeout "${seconds}s" --max-memory "$memory" --quiet \
            $options 2>"$work/errors" |
            awk -v OFS='\t' -v i="$instance" -v e="$examination" '$1 == "STATE_SPACE" || $1 == "FORMULA" { print i, e, $2, $3 }'
        if grep -q '^error' "$work/errors"; then
            head -1 "$work/errors" | sed "s|^|# $instance $examination: |" >&2
        fi
    done
    rm -rf "${work:?}/$instance"
done | tee "$work/answers" >&2
awk -F'\t' -v wanted=" $(echo $examinations) " '
    FNR == NR { if ($4 != "CANNOT_COMPUTE") found[$1, $2, $3] = $4; seen[$1] = 1; next }
    FNR > 1 && seen[$1] && index(wanted, " " $2 " ") {
        asked[$2]++
        if (!(($1, $2, $3) in found)) next
        answered[$2]++
        if ($4 == "?") fresh[$2]++
        else if (found[$1, $2, $3] == $4) equal[$2]++
        else { different[$2]++; wrong++; print "DIFFERENT", $1, $2, $3, "found", found[$1, $2, $3], "known", $4 }
    }
    END {
        printf "%-26s %9s %9s %9s %9s %9s\n", "examination", "questions", "answered", "equal", "new", "different"
        for (e in asked) printf "%-26s %9d %9d %9d %9d %9d\n", e, asked[e], answered[e], equal[e], fresh[e], different[e] | "sort"
        close("sort")
        exit wrong > 0
    }' "$work/answers" "$folder/oracle.tsv"
