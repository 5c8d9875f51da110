#!/usr/bin/env bash
# The conformance suite of object storage on s3s-fs, a server that checks signatures and shares no code with moto. Built once by
# `cargo install` (about 300 crates), which is why this is no test.
#
# usage: tests/bars/s3s.sh
#
# Left out is what s3s-fs does otherwise than S3: its conditional put is not atomic (the race); keys are its paths, so that `a/../b` is none;
# a missing bucket is a missing object; a header that is dropped on the way breaks its signature. It knows no If-Match: the client
# compares ETags itself.
set -euo pipefail
cd "$(dirname "$0")/../.."
home=${CARGO_TARGET_DIR:-target}/s3s-fs
[ -x "$home/bin/s3s-fs" ] || CARGO_TARGET_DIR="$home/build" cargo install -q s3s-fs --version 0.14.1 --locked --debug --features binary --root "$home"
data=$(mktemp -d)
port=$((53000 + $$ % 1000))
"$home/bin/s3s-fs" --host 127.0.0.1 --port "$port" --access-key pagesieve --secret-key pagesieve-secret "$data" >"$data.log" 2>&1 &
server=$!
trap 'kill $server; rm -rf "$data" "$data.log"' EXIT
for _ in $(seq 100); do
  if (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi
  sleep 0.1
done
# A wrong key must be refused, or the suite would prove nothing of signatures.
answer=$(AWS_ACCESS_KEY_ID=pagesieve AWS_SECRET_ACCESS_KEY=wrong PAGESIEVE_STORE__ENDPOINT="http://127.0.0.1:$port" PAGESIEVE_STORE__PATH_STYLE=true \
  cargo run -q -- scan s3://nowhere/ --out "$data/out" 2>&1) && { echo "a wrong key was taken"; exit 1; }
case $answer in *SignatureDoesNotMatch*) ;; *) echo "another answer: $answer"; exit 1 ;; esac
PAGESIEVE_TEST_S3="http://127.0.0.1:$port" cargo test --lib objects::s3 -- \
  --skip a_missing_bucket_is_the --skip keys_of_others --skip of_many_creates --skip what_has_changed
