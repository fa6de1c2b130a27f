#!/usr/bin/env bash
# Prints a table of the contest's questions that are answered in a time, with and without symmetry, and compares the answers with known ones.
#
#   benches/contest/table.sh PROGRAM FOLDER [SECONDS [MEMORY [EVERY [EXAMINATIONS]]]]
#
# FOLDER is that of `run.sh`, which runs the examinations. Of its instances, in the order of their names, one of EVERY is taken, 1 for all.
# An instance is whole where all of its questions are answered. Answers that differ from the known ones are listed on standard error; the exit code
# says whether there are none. A signal ends the run, and the table is that of the instances before the one at hand.
set -u
is_over=""
trap 'is_over=1' INT TERM
program=$1 folder=$2 seconds=${3:-60} memory=${4:-4G} every=${5:-1} examinations=${6:-all}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find "$(realpath "$folder")/inputs" -name '*.tgz' | LC_ALL=C sort | awk -v every="$every" 'NR % every == 0' >"$work/archives"
ln -s "$(realpath "$folder")/oracle.tsv" "$work/oracle.tsv"
if [ "$examinations" = all ]; then
    examinations="StateSpace ReachabilityDeadlock OneSafe StableMarking QuasiLiveness Liveness UpperBounds ReachabilityCardinality
        ReachabilityFireability CTLCardinality CTLFireability LTLCardinality LTLFireability"
fi
# Both ways of one examination follow each other, so that what else the machine does weighs on both.
while [ -z "$is_over" ] && read -r archive; do
    instance=$(basename "$archive" .tgz)
    mkdir "$work/inputs"
    ln -s "$archive" "$work/inputs/"
    for examination in $examinations; do
        for way in symmetry none; do
            options=""
            [ "$way" = none ] && options="--symmetry none"
            "$here/run.sh" "$program" "$work" "$seconds" "$memory" "$examination" '*' "$options" 2>>"$work/answers.$way" </dev/null |
                grep '^DIFFERENT' | sed "s/^/$way: /" >&2
        done
    done
    rm -r "$work/inputs"
    [ -n "$is_over" ] || echo "$instance" >>"$work/instances"
done <"$work/archives"
awk -F'\t' '
    FILENAME ~ /instances$/ { is_taken[$1] = 1; next }
    FILENAME ~ /answers/ {
        if (NF == 4 && $4 != "CANNOT_COMPUTE") { found[FILENAME ~ /none$/, $1, $2, $3] = $4; is_run[$2] = 1 }
        next
    }
    !($1 in is_taken) || !($2 in is_run) { next }
    {
        asked[$2]++
        if (!(($2, $1) in left)) { instances[$2]++; left[$2, $1] = 1 }
        for (way = 0; way < 2; way++) {
            if (!((way, $1, $2, $3) in found)) { open[way, $2, $1] = 1; continue }
            answered[way, $2]++
            if ($4 == "?") fresh[way, $2]++
            else if (found[way, $1, $2, $3] == $4) equal[way, $2]++
            else { different[way, $2]++; wrong++ }
        }
        if (((0, $1, $2, $3) in found) && ((1, $1, $2, $3) in found) && found[0, $1, $2, $3] != found[1, $1, $2, $3]) {
            print "the two ways differ:", $1, $2, $3 > "/dev/stderr"
            wrong++
        }
    }
    END {
        print "| examination | instances | questions | whole | answered | as known | not known | different | whole, no symmetry | answered | as known | not known | different |"
        print "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
        for (e in asked) {
            row = "| " e " | " instances[e] " | " asked[e] " |"
            for (way = 0; way < 2; way++) {
                whole = 0
                for (pair in left) {
                    split(pair, parts, SUBSEP)
                    if (parts[1] == e && !((way, e, parts[2]) in open)) whole++
                }
                row = row " " whole " | " answered[way, e] + 0 " | " equal[way, e] + 0 " | " fresh[way, e] + 0 " | " different[way, e] + 0 " |"
            }
            print row | "sort"
        }
        close("sort")
        exit wrong > 0
    }' "$work/instances" "$work/answers.symmetry" "$work/answers.none" "$work/oracle.tsv"
