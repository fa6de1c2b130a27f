#!/usr/bin/env bash
# Runs the workloads of the project beside the peers that are installed, one after the other, and prints one table.
#
#   benches/peers/run.sh PEERS [WORKLOAD..]
#
# PEERS is a folder with the same workloads in the languages of the peers, which are no part of the project:
#   PEERS/promela/{phil,lb,peterson}.pml   SPIN, with -DN=4, -DC=6 -DS=2, -DN=6
#   PEERS/murphi/gen.sh OUT                writes phil.m, lbr_6_2.m, lbr_6_3.m, petr_6.m for rumur
# and workloads are phil4, lb62, pet6 (if none is given) and lb63. Peers that are not installed are left out.
#
#   QUOTIENT=program (target/release/quotient)   STATERIGHT=program, called as `program x WORKLOAD bfs THREADS`
#   LIMIT=seconds of a run (600)                 THREADS=threads of the second run of each (2)
#
# Every program explores the whole state space without reductions, exactly; SPIN and LTSmin count a start-up state more. Columns:
# seconds of the processor and of the clock, memory at its peak, and both as multiples of ours in the same configuration.
# Figures drift with what else the machine does: compare within one table only.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -ge 1 ] && [ -d "$1" ] || { sed -n '2,17s/^# \{0,1\}//p' "$0" >&2; exit 2; }
peers=$(cd "$1" && pwd); shift
[ $# -gt 0 ] || set -- phil4 lb62 pet6
quotient=${QUOTIENT:-$root/target/release/quotient}
limit=${LIMIT:-600}; threads=${THREADS:-2}
[ -x "$quotient" ] || { echo "no program $quotient: cargo build --release" >&2; exit 2; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"

# measure PROGRAM WORKLOAD CONFIGURATION PATTERN COMMAND..: adds a row; PATTERN is an awk program that prints the states.
measure() {
  local name=$1 workload=$2 configuration=$3 pattern=$4; shift 4
  /usr/bin/time -o usage -f '%U %S %e %M' timeout "$limit" "$@" >output 2>&1 || true
  local states user system wall kib
  states=$(awk "$pattern" output | head -1)
  read -r user system wall kib < <(tail -1 usage)
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$workload" "$configuration" "$name" "${states:-none}" \
    "$(awk "BEGIN { print $user + $system }")" "$wall" "$((kib / 1024))" >>rows
}

ours() {
  local workload=$1 model options=()
  case $workload in
    phil4) model=$root/fixtures/rebeca/philosophers/phil4_fig2.rebeca ;;
    lb63)  model=$root/fixtures/rebeca/load_balancer/lb6_3.rebeca ;;
    lb62)  model=$work/lb62.rebeca
           sed -e '/Server s3/d' -e 's/s1, s2, s3/s1, s2/; s/1\.\.3/1..2/; s/(1, 2, 3)/(1, 2)/' \
             "$root/fixtures/rebeca/load_balancer/lb6_3.rebeca" >"$model" ;;
    pet6)  model=$root/fixtures/lpe/locks/filter.lpe; options=(-D N=6) ;;
    *)     echo "no workload $workload" >&2; exit 2 ;;
  esac
  local count
  for count in 1 "$threads"; do
    measure quotient "$workload" "$count" '/ states / { gsub(",", "", $1); print $1; exit }' \
      "$quotient" check "$model" ${options[@]+"${options[@]}"} --plain --no-property --threads "$count"
  done
}

spin_peer() {
  local workload=$1 file definitions
  case $workload in
    phil4) file=phil definitions="-DN=4" ;;
    lb62)  file=lb definitions="-DC=6 -DS=2" ;;
    lb63)  file=lb definitions="-DC=6 -DS=3" ;;
    pet6)  file=peterson definitions="-DN=6" ;;
  esac
  local kind flags
  while read -r kind flags; do
    # shellcheck disable=SC2086
    spin -a $definitions "$peers/promela/$file.pml" >/dev/null 2>&1 &&
      gcc -O2 -march=native -DMEMLIM=14000 -DSAFETY -DNOREDUCE $flags -o pan pan.c 2>/dev/null || continue
    measure "SPIN $kind" "$workload" 1 '/states, stored/ { print $1; exit }' ./pan -m3000000 -n -w23
  done <<<$'depth-first \nbreadth-first -DBFS\n-DCOLLAPSE -DCOLLAPSE'
}

rumur_peer() {
  local workload=$1 file
  case $workload in phil4) file=phil ;; lb62) file=lbr_6_2 ;; lb63) file=lbr_6_3 ;; pet6) file=petr_6 ;; esac
  [ -d murphi ] || sh "$peers/murphi/gen.sh" "$work/murphi"
  local count
  for count in 1 "$threads"; do
    rumur --threads "$count" --deadlock-detection off --symmetry-reduction off --set-capacity 268435456 \
      --output rumur.c "murphi/$file.m" 2>/dev/null &&
      gcc -std=c11 -O3 -march=native -mcx16 -o rumur_run rumur.c -lpthread -latomic 2>/dev/null || continue
    measure rumur "$workload" "$count" '/ states, .* rules/ { for (i = 2; i <= NF; i++) if ($i ~ /^states/) found = $(i - 1) }
      END { print found }' ./rumur_run
  done
}

stateright_peer() {
  local count
  for count in 1 "$threads"; do
    measure Stateright "$1" "$count" '/^states/ { print $2; exit }' "$STATERIGHT" x "$1" bfs "$count"
  done
}

for workload in "$@"; do
  ours "$workload"
  if command -v spin >/dev/null; then spin_peer "$workload"; fi
  if command -v rumur >/dev/null; then rumur_peer "$workload"; fi
  if [ -x "${STATERIGHT:-}" ]; then stateright_peer "$workload"; fi
done

awk -F'\t' '
  BEGIN {
    print "| workload | threads | program | states | CPU s | wall s | MB | CPU, ours = 1 | MB, ours = 1 |"
    print "|---|--:|---|--:|--:|--:|--:|--:|--:|"
  }
  $3 == "quotient" { seconds[$1, $2] = $5; memory[$1, $2] = $7 }
  {
    time = seconds[$1, $2] > 0 ? sprintf("%.1f", $5 / seconds[$1, $2]) : ""
    space = memory[$1, $2] > 0 ? sprintf("%.1f", $7 / memory[$1, $2]) : ""
    printf "| %s | %s | %s | %s | %.2f | %.2f | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6, $7, time, space
  }' rows
