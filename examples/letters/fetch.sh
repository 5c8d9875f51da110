#!/usr/bin/env bash
# Fetches what the letter models are built from and measured on into DIR (about 1 GB; nothing of it is committed).
#
#   examples/letters/fetch.sh DIR
#   cargo run --release --no-default-features --example letters-build -- DIR src/score/signals/letters/models.bin
#   cargo run --release --no-default-features --example letters-evaluate -- DIR
#
# DIR/lingua/<language>/   n-grams and 1,000 test sentences of the lingua language-model crates (Apache-2.0), by cargo
# DIR/wordfreq/            word frequencies of wordfreq (data CC BY-SA 4.0), by pip
# DIR/text/<code>/*.txt    held-out running text, a paragraph a line, from translated manuals and games of Debian, by apt
set -euo pipefail
dir=$(mkdir -p "$1" && cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)

languages="english german french spanish portuguese italian dutch polish czech slovak hungarian romanian swedish danish
bokmal finnish turkish vietnamese indonesian russian ukrainian bulgarian serbian greek arabic persian urdu hebrew thai
catalan croatian slovene lithuanian latvian estonian latin icelandic macedonian belarusian hindi korean chinese japanese"
if [ ! -d "$dir/lingua" ]; then
  work=$(mktemp -d)
  mkdir "$work/src" && echo 'fn main() {}' > "$work/src/main.rs"
  { printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\n'
    for l in $languages; do echo "lingua-$l-language-model = \"=1.3.0\""; done; } > "$work/Cargo.toml"
  (cd "$work" && cargo vendor --quiet vendor > /dev/null)
  for l in $languages; do
    mkdir -p "$dir/lingua/$l"
    cp "$work/vendor/lingua-$l-language-model"/{models/ngrams.fst,testdata/sentences.txt} "$dir/lingua/$l/"
  done
  rm -rf "$work"
fi

if [ ! -d "$dir/wordfreq" ]; then
  work=$(mktemp -d)
  pip download --quiet --no-deps --dest "$work" wordfreq==3.1.1
  python3 -m zipfile -e "$work"/wordfreq-*.whl "$work/wheel"
  mkdir -p "$dir/wordfreq" && cp "$work"/wheel/wordfreq/data/{large,small}_*.msgpack.gz "$work"/wheel/wordfreq/data/_chinese_mapping.msgpack.gz "$dir/wordfreq/"
  rm -rf "$work"
fi

mkdir -p "$dir/deb"
packages="wesnoth-1.16-data manpages-dev manpages"
for l in en-us de fr es pt it nl pl cs hu fi sv da tr vi id ru el hi ko ja zh-cn zh-tw; do packages+=" libreoffice-help-$l"; done
for l in ar fa he th bg sr ro uk sk nb hi ko ca hr sl lt lv et; do packages+=" libreoffice-l10n-$l"; done
for l in ro uk sr nb da hu ru; do packages+=" manpages-$l"; done
cd "$dir/deb"
for p in $packages; do ls "$p"_*.deb > /dev/null 2>&1 || apt-get download -qq "$p"; done
python3 "$here/extract.py" "$dir/deb" "$dir/text"
