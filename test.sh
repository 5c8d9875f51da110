#!/usr/bin/env bash
# Passes every check of this repository, on a bare Debian machine with Rust: format, lints, documentation,
# and all tests with and without the fleet. An ignored test fails. Ends within 45 minutes on two cores.
#
# usage: ./test.sh [FILTER]     with a filter: only the tests whose name contains it, and no other check
set -euo pipefail
cd "$(dirname "$0")"
export RUST_BACKTRACE=1

step() { printf '\n== %s\n' "$*"; }
fail() { printf '\ntest.sh: FAILED: %s\n' "$*" >&2; exit 1; }
trap 'fail "line $LINENO"' ERR

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
apt_install() { as_root apt-get update -q && as_root apt-get install -y -q "$@"; }

# What builds need: a C compiler for zstd, SQLite, mimalloc and ring. What tests need: other readers of PDF files,
# which must agree that the healthy samples are healthy.
tools() {
  if ! { command -v pdftotext && command -v mutool && command -v qpdf; } >/dev/null; then
    apt_install poppler-utils mupdf-tools qpdf
  fi
  if ! command -v chromium >/dev/null; then apt_install chromium fonts-dejavu-core; fi # live page and HTML report
  if ! command -v openssl >/dev/null; then apt_install openssl; fi # certificates for the tests of AMQPS
  if ! command -v cc >/dev/null; then apt_install build-essential; fi
  command -v cargo >/dev/null || fail "cargo is missing: install Rust from https://rustup.rs"
  if ! cargo fmt --version >/dev/null 2>&1 || ! cargo clippy --version >/dev/null 2>&1; then
    rustup component add rustfmt clippy
  fi
}

# Prometheus and its checker of rules; the package would start a server, so it is only unpacked.
prometheus() {
  local folder=${CARGO_TARGET_DIR:-target}/test-prometheus
  if [ ! -x "$folder/usr/bin/promtool" ]; then
    mkdir -p "$folder"
    (cd "$folder" && { apt-get download -q prometheus || { as_root apt-get update -q && apt-get download -q prometheus; }; } && dpkg -x prometheus_*.deb .) >/dev/null
  fi
  PAGESIEVE_TEST_PROMETHEUS="$(cd "$folder" && pwd)/usr/bin/prometheus"
  export PAGESIEVE_TEST_PROMETHEUS
}
promtool() { "${PAGESIEVE_TEST_PROMETHEUS%prometheus}promtool" "$@"; }

# Services that tests need, each on loopback with a data folder and a port of its own; they end with this script.
# A test whose service is missing fails; it never skips. PAGESIEVE_TEST_POSTGRES names a database to use instead,
# PAGESIEVE_TEST_AMQP a broker, PAGESIEVE_TEST_S3 the http:// address of an S3 server that takes any credentials.
services() {
  scratch=$(mktemp -d)
  trap 'stop_services' EXIT
  [ -n "${PAGESIEVE_TEST_POSTGRES:-}" ] || start_postgres
  [ -n "${PAGESIEVE_TEST_PROMETHEUS:-}" ] || prometheus
  [ -n "${PAGESIEVE_TEST_PYTHON:-}" ] || other_engines
  [ -n "${PAGESIEVE_TEST_AMQP:-}" ] || start_rabbitmq
  [ -n "${PAGESIEVE_TEST_S3:-}" ] || start_moto
}

# An S3 server with the semantics of the real one; its packages live beside the build's files.
start_moto() {
  local venv=${CARGO_TARGET_DIR:-target}/test-venv port tries
  if ! "$venv/bin/python" -c 'import moto.server' 2>/dev/null; then
    if ! python3 -c 'import venv, ensurepip' 2>/dev/null; then apt_install python3 python3-venv; fi
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check 'moto[server]==5.2.5'
  fi
  port=$((59000 + $$ % 1000)) # RabbitMQ has 56000 to 58999
  "$venv/bin/moto_server" -H 127.0.0.1 -p "$port" >"$scratch/moto.log" 2>&1 &
  moto_pid=$!
  for tries in $(seq 300); do
    if (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi
    if [ "$tries" = 300 ]; then fail "moto did not start: $(tail -n 5 "$scratch/moto.log")"; fi
    sleep 0.2
  done
  export PAGESIEVE_TEST_S3="http://127.0.0.1:$port"
}

start_postgres() {
  pg_bin() { { ls -d /usr/lib/postgresql/*/bin /usr/local/pgsql/bin 2>/dev/null || true; } | sort -V | tail -n 1; }
  if [ -z "$(pg_bin)" ]; then apt_install postgresql; fi
  local bin port
  bin=$(pg_bin)
  port=$((54000 + $$ % 1000))
  as_postgres=()
  if [ "$(id -u)" = 0 ]; then as_postgres=(runuser -u postgres --); chown postgres "$scratch"; fi # initdb refuses root
  pg_ctl=("${as_postgres[@]}" "$bin/pg_ctl" -D "$scratch/pg" -w)
  (
    cd "$scratch"
    "${as_postgres[@]}" "$bin/initdb" -A trust -U pagesieve -D "$scratch/pg" >/dev/null
    "${pg_ctl[@]}" -l "$scratch/pg.log" -o "-p $port -k $scratch -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200" start >/dev/null
  )
  export PAGESIEVE_TEST_POSTGRES="postgres://pagesieve@127.0.0.1:$port/postgres"
}

# A node with name, ports and folders of its own, and its own port mapper, which would outlive it otherwise.
start_rabbitmq() {
  if ! [ -x /usr/lib/rabbitmq/bin/rabbitmq-server ]; then apt_install rabbitmq-server; fi
  rabbit_port=$((56000 + $$ % 1000))
  rabbit_home=$(mktemp -d)
  rabbit rabbitmq-server -detached >/dev/null
  rabbit rabbitmqctl wait --timeout 120 "$rabbit_home/pid" >/dev/null
  export PAGESIEVE_TEST_AMQP="amqp://guest:guest@127.0.0.1:$rabbit_port/%2f"
}

rabbit() {
  env HOME="$rabbit_home" ERL_EPMD_PORT=$((rabbit_port + 2000)) ERL_EPMD_ADDRESS=127.0.0.1 \
    RABBITMQ_NODENAME="pagesieve-$$@localhost" RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 \
    RABBITMQ_NODE_PORT=$rabbit_port RABBITMQ_DIST_PORT=$((rabbit_port + 1000)) \
    RABBITMQ_MNESIA_BASE="$rabbit_home" RABBITMQ_LOG_BASE="$rabbit_home" RABBITMQ_PID_FILE="$rabbit_home/pid" \
    RABBITMQ_ENABLED_PLUGINS_FILE="$rabbit_home/plugins" RABBITMQ_CONFIG_FILE="$rabbit_home/none" \
    RABBITMQ_CONF_ENV_FILE="$rabbit_home/none" \
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1}" \
    "/usr/lib/rabbitmq/bin/$1" "${@:2}"
}

# Other engines that must read the tables alike, and the schemas of Kubernetes: in a virtual environment of their own, kept between runs.
other_engines() {
  local venv="${CARGO_TARGET_DIR:-target}/test-python"
  if ! "$venv/bin/python" -c 'import deltalake, duckdb, kubernetes_validate, pandas, polars, pyarrow' 2>/dev/null; then
    python3 -m venv "$venv" 2>/dev/null || { apt_install python3-venv && python3 -m venv "$venv"; }
    timeout 600 "$venv/bin/pip" install -q deltalake duckdb kubernetes-validate==1.37.0 pandas polars pyarrow || fail "deltalake, duckdb, kubernetes-validate, pandas, polars and pyarrow cannot be installed"
  fi
  PAGESIEVE_TEST_PYTHON="$(cd "$venv" && pwd)/bin/python"
  export PAGESIEVE_TEST_PYTHON
}

stop_services() {
  if [ -n "${moto_pid:-}" ]; then kill "$moto_pid" 2>/dev/null || true; fi
  if [ -n "${rabbit_home:-}" ]; then
    rabbit rabbitmqctl stop "$rabbit_home/pid" >/dev/null 2>&1 || true
    env ERL_EPMD_PORT=$((rabbit_port + 2000)) epmd -kill >/dev/null 2>&1 || true
    rm -rf "$rabbit_home"
  fi
  if [ -n "${pg_ctl:-}" ]; then (cd /; "${pg_ctl[@]}" -m immediate stop >/dev/null 2>&1 || true); fi
  rm -rf "$scratch"
}

# Each test in a process of its own where cargo-nextest is installed; else cargo's runner.
tests() {
  if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --no-fail-fast --no-tests=fail "$@"
  else
    cargo test --no-fail-fast "$@"
  fi
}

tools
services
if [ $# -gt 0 ]; then
  tests "$@"
  exit
fi

step "no test is ignored"
if grep -rnE '#\[(ignore|cfg_attr\(.*ignore)' src tests; then fail "ignored tests"; fi

step "format"
cargo fmt --check

step "lints"
cargo clippy --all-targets --locked -- -D warnings
cargo clippy --lib --tests --no-default-features --locked -- -D warnings

step "alert rules"
promtool check rules dashboards/alerts.yaml
promtool test rules dashboards/alerts_test.yaml

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --locked

log=$(mktemp)
step "tests"
tests --locked --features delta,otlp 2>&1 | tee "$log" # `sql` would double the build: tests/bars/snapshot.sh, README
step "tests of the scoring library alone"
tests --lib --no-default-features --locked 2>&1 | tee -a "$log"
step "documentation tests"
cargo test --doc --locked 2>&1 | tee -a "$log"
if grep -E '^test .* [.]{3} ignored|[^0-9][1-9][0-9]* (ignored|skipped)' "$log"; then fail "tests were left out"; fi

printf '\n'
grep -hE '^ *Summary|^test result' "$log"
rm -f "$log"
echo "test.sh: all checks passed in ${SECONDS} s"
