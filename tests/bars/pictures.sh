#!/usr/bin/env bash
# Photographs report and live page over a folder of PDFs, 1280 and 400 pixels wide, in Chromium (Debian's `chromium`); the pictures of the
# README were made so. Looking at them is the check that tests/live.rs cannot make.
#
# usage: tests/bars/pictures.sh PAGESIEVE FOLDER OUT     needs PAGESIEVE_QUEUE__URL (a RabbitMQ); writes OUT/*.png
set -euo pipefail
pagesieve=$(realpath "$1") folder=$2 out=$(realpath -m "$3")
: "${PAGESIEVE_QUEUE__URL:?names a broker}"
scratch=$(mktemp -d)
up=
trap '[ -z "$up" ] || kill "$up" 2>/dev/null || true; sleep 1; rm -rf "$scratch"' EXIT
mkdir -p "$out"

# photograph URL NAME WIDTH HEIGHT [dark]
photograph() {
  chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$scratch/profile-$2" \
    ${5:+--force-dark-mode --blink-settings=preferredColorScheme=0} \
    --virtual-time-budget=2000 --window-size="$3,$4" --screenshot="$out/$2.png" "$1" >/dev/null 2>&1
}

"$pagesieve" scan "$folder" --out "$scratch/out" --quiet >/dev/null
"$pagesieve" report "$scratch/out" --html "$scratch/report.html" --gallery 8
photograph "file://$scratch/report.html" report-1280 1280 1500
photograph "file://$scratch/report.html" report-400 400 1500
photograph "file://$scratch/report.html" report-1280-dark 1280 1500 dark

export PAGESIEVE_QUEUE__PREFIX="pictures-$$" PAGESIEVE_LEDGER__URL="sqlite://$scratch/ledger.sqlite" PAGESIEVE_RESULTS__ROOT="$scratch/root"
"$pagesieve" up --listen 127.0.0.1:0 2>"$scratch/up.log" &
up=$!
address() { sed -n 's/.*listening on \(http:\S*\)$/\1/p' "$scratch/up.log"; }
until [ -n "$(address)" ]; do sleep 0.1; done
status() { curl -fsS "$(address)/v1/status"; }
wait_closed() { until status | grep -q "\"job\":\"$1\"[^}]*\"state\":\"closed\"\|\"state\":\"closed\"[^}]*\"job\":\"$1\""; do sleep 0.5; done; }
wait_closed "$("$pagesieve" submit "$folder" --corpus archive)"
job=$("$pagesieve" submit "$folder" --corpus archive --force)
for _ in $(seq 20); do status >/dev/null; sleep 0.5; done # a pace is known after two looks
photograph "$(address)/" live-1280 1280 1500
photograph "$(address)/" live-400 400 1500
photograph "$(address)/" live-1280-dark 1280 1500 dark
wait_closed "$job"
photograph "$(address)/jobs/$job" job-1280 1280 1500
photograph "$(address)/jobs/$job" job-400 400 1500
ls -l "$out"
