#!/usr/bin/env bash
# Bars of a fleet that take too long for tests, all roles on this machine. Prints figures; fails when a bar is missed.
#
# usage: tests/bars/fleet.sh volume [DOCUMENTS=100000]            one-page documents: memory, ledger transactions
#        tests/bars/fleet.sh nights [DOCUMENTS=25000] [PAGES=20]  three nights: CPU, what is fetched, what is asked for
#        tests/bars/fleet.sh speed  [DOCUMENTS=2500] [PAGES=20]   against `scan` with the same threads
#
# PAGESIEVE and FLEET_CORPUS name the programs (target/release/pagesieve, target/release/examples/fleet_corpus),
# PAGESIEVE_TEST_POSTGRES and PAGESIEVE_TEST_AMQP the services, SCRATCH a folder, THREADS the scoring threads (2).
set -euo pipefail
cd "$(dirname "$0")/../.."
bar=${1:?volume, nights or speed}
pagesieve=$(realpath "${PAGESIEVE:-target/release/pagesieve}")
make_corpus=$(realpath "${FLEET_CORPUS:-target/release/examples/fleet_corpus}")
threads=${THREADS:-2}
work=$(mktemp -d "${SCRATCH:-/tmp}/fleet-bars.XXXXXX")
server=${PAGESIEVE_TEST_POSTGRES:?names a database}
database=bars_$$
missed=0

psql -q "$server" -c "create database $database"
export PAGESIEVE_LEDGER__URL="${server%/*}/$database"
export PAGESIEVE_QUEUE__URL=${PAGESIEVE_TEST_AMQP:?names a broker}
export PAGESIEVE_QUEUE__PREFIX=bars-$$
export PAGESIEVE_RESULTS__ROOT=$work/root
export PAGESIEVE_WORKER__FILE_ROOTS=$work/corpus
roles=()

clean_up() {
  for role in "${roles[@]}"; do kill -9 "$role" 2>/dev/null || true; done
  psql -q "$server" -c "drop database $database with (force)" || true
  rm -rf "$work"
}
trap clean_up EXIT

say() { printf '%s\n' "$*"; }
holds() { # holds NAME CONDITION: an awk condition
  if awk "BEGIN { exit !($2) }"; then say "  ok   $1"; else say "  MISS $1 ($2)"; missed=1; fi
}

start() {
  roles=()
  for role in coordinator relay "worker --threads $threads"; do
    # shellcheck disable=SC2086
    "$pagesieve" $role 2>>"$work/roles.log" &
    roles+=($!)
  done
}
stop() {
  kill -TERM "${roles[@]}"
  wait "${roles[@]}" || { say "a role did not end well:"; tail -5 "$work/roles.log"; missed=1; }
  roles=()
}
submit() { "$pagesieve" submit "$work/corpus" --corpus bars "$@" 2>/dev/null; }
field() { "$pagesieve" status "$1" --json | sed -n "s/^ *\"$2\": \"\{0,1\}\([^\",]*\).*/\1/p" | head -1; }
finished() { # asked of the database: `status` costs several times as much, and what is measured is the fleet
  [ "$(psql -qAt "$PAGESIEVE_LEDGER__URL" -c "select state = 'closed' and not exists (select 1 from outbox where published_at is null \
    and withdrawn_at is null) from jobs where id = '$1'")" = t ]
}
roles_cpu() { # CPU seconds of the roles and of their children that have ended
  local role
  for role in "${roles[@]}"; do
    sed 's/.*) //' "/proc/$role/stat" | awk -v tick="$(getconf CLK_TCK)" '{ printf " %.2f", ($12 + $13 + $14 + $15) / tick }'
  done
}
rss() { sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\).*/\1/p' "/proc/$1/status"; }
transactions() { psql -qAt "$server" -c "select xact_commit + xact_rollback from pg_stat_database where datname = '$database'"; }
requests() { "$pagesieve" status --json | grep -A1 "\"bars-$$.ocr\"" | sed -n 's/.*"messages": \([0-9]*\).*/\1/p'; }
now() { date +%s.%N; }
cpu() { # sets cpu: user and system seconds of all processes of this shell that have ended, and of theirs
  times >"$work/times" # not in a subshell, which has its own
  cpu=$(tail -1 "$work/times" | sed 's/[ms]/ /g' | awk '{ printf "%.2f", $1 * 60 + $2 + $3 * 60 + $4 }')
}
per() { awk "BEGIN { printf \"%.3f\", ($1) / ($2) }"; }

volume() {
  local documents=${1:-100000} job state done_ waiting before after closing
  "$make_corpus" "$work/corpus" "$documents" 1
  start
  before=$(transactions)
  job=$(submit)
  local -A half last
  while :; do
    # One statement, for it counts too: the job's state, documents that are done, requests that wait.
    IFS='|' read -r state done_ waiting < <(psql -qAt "$PAGESIEVE_LEDGER__URL" -c "select state, \
      (select count(*) from documents where state is not null), \
      (select count(*) from outbox where published_at is null) from jobs where id = '$job'") || true
    if [ "${state:-}" = closed ] && [ "$waiting" = 0 ]; then break; fi
    if [ "${state:-}" = closing ] || [ "${state:-}" = published ]; then closing=$(rss "${roles[0]}"); sleep 0.5; continue; fi
    for at in 0 1 2; do
      last[$at]=$(rss "${roles[$at]}")
      if [ "${done_:-0}" -ge $((documents / 2)) ] && [ -z "${half[$at]:-}" ]; then half[$at]=${last[$at]}; fi
    done
    sleep 3
  done
  sleep 2 # the server's counters lag
  after=$(transactions)
  say "volume: $documents documents of one page"
  local names=(coordinator relay worker)
  for at in 0 1 2; do
    say "  ${names[$at]}: ${half[$at]} kB at half, ${last[$at]} kB at the end"
    holds "the ${names[$at]} grows by no more than a tenth over the second half" "${last[$at]} <= 1.1 * ${half[$at]} + 4096"
  done
  say "  coordinator while it merged the snapshot: ${closing:-not seen} kB"
  say "  ledger transactions per document: $(per "$after - $before" "$documents")"
  holds "at most 0.1 ledger transactions per document" "($after - $before) / $documents <= 0.1"
  stop
}

night() { # night NAME: sets job, wall, used, asked
  local begun used_before asked_before cpu
  begun=$(now)
  cpu
  used_before=$cpu
  start
  asked_before=$(requests)
  job=$(submit)
  while ! finished "$job"; do sleep 1; done
  wall=$(per "$(now) - $begun" 1)
  asked=$(($(requests) - ${asked_before:-0}))
  pages=$(field "$job" pages)
  scored=$(($(field "$job" documents) - $(field "$job" carried)))
  each=$(roles_cpu)
  stop
  cpu
  used=$(per "$cpu - $used_before" 1)
  say "$1: $scored documents scored of $(field "$job" documents), $pages pages, $wall s, $used CPU-s, $asked pages asked for"
  say "  CPU-s of coordinator, relay, worker without its children that live:$each"
} # the CPU of this script's own polls is in it

nights() {
  local documents=${1:-25000} n_pages=${2:-20} first changed=$((${1:-25000} / 100))
  "$make_corpus" "$work/corpus" "$documents" "$n_pages"
  night "first night"
  first=$used
  say "  $(per "$pages" "$wall") pages/s from the start of the roles to the last request"
  "$make_corpus" "$work/corpus" "$documents" "$n_pages" 2
  night "second night"
  holds "at most 5 % of the first night's CPU" "$used <= 0.05 * $first"
  holds "only what is changed and new is fetched" "$scored == 2 * $changed"
  export PAGESIEVE_LIMITS__DEPTH=29 # another score key, as other rules have
  night "third night, other limits"
  holds "everything is scored again" "$scored == $(field "$job" documents)"
  holds "nothing is asked for twice" "$asked == 0"
}

speed() {
  local documents=${1:-2500} n_pages=${2:-20} begun scan fleet job
  "$make_corpus" "$work/corpus" "$documents" "$n_pages"
  cat "$work"/corpus/*/*.pdf >/dev/null # both find the files in memory
  begun=$(now)
  "$pagesieve" scan -q "$work/corpus" --out "$work/scan" --threads "$threads" >/dev/null
  scan=$(per "$documents * $n_pages" "$(now) - $begun")
  start
  until grep -q "coordinator: reading" "$work/roles.log"; do sleep 0.1; done
  begun=$(now)
  job=$(submit)
  while ! finished "$job"; do sleep 0.2; done
  fleet=$(per "$documents * $n_pages" "$(now) - $begun")
  say "speed: scan $scan pages/s, fleet $fleet pages/s: $(per "100 * $fleet" "$scan") %"
  holds "the fleet has at least 90 % of scan's pages/s" "$fleet >= 0.9 * $scan"
  stop
}

"$bar" "${@:2}"
exit $missed
