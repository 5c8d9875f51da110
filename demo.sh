#!/usr/bin/env bash
# Builds pagesieve and runs its main job on PDFs it makes itself.
set -euo pipefail
cd "$(dirname "$0")"
cargo build --release --locked
bin=target/release/pagesieve
[ -n "${CARGO_TARGET_DIR:-}" ] && bin="$CARGO_TARGET_DIR/release/pagesieve"
rm -rf demo
mkdir -p demo
"$bin" sample demo/pdfs
"$bin" scan demo/pdfs --out demo/out
printf '\nOne page in full: %s inspect demo/pdfs/severed-font.pdf\n\n' "$bin"
"$bin" inspect demo/pdfs/severed-font.pdf
