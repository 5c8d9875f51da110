#!/usr/bin/env python3
"""Compares `pagesieve check` and `repair` with harfix (PyPI) on the same Arabic text, clean and damaged.

usage: arabic.py DIR [--windows 500] [--letters 400] [--pagesieve target/release/pagesieve]

DIR is what examples/letters/fetch.sh laid out: DIR/text/ar/*.txt is held-out running text. Each window is a page of whole
words; every class damages the same windows. Caught: a route other than `keep`. Repaired: the text equals the undamaged one,
letter for letter. Needs `pip install harfix`.
"""
import argparse, glob, json, os, random, re, subprocess, sys, tempfile, unicodedata

LETTER = re.compile("[\u0621-\u064a\u0671-\u06d3]")


def windows(folder, most, letters):
    """Pages of running text with so many letters, lines of about 60 characters."""
    out, words, n = [], [], 0
    for path in sorted(glob.glob(os.path.join(folder, "*.txt"))):
        for paragraph in open(path, encoding="utf-8"):
            if len(LETTER.findall(paragraph)) < 0.6 * len(paragraph.strip() or "x"):
                continue  # tables, options and names of commands
            for word in paragraph.split():
                words.append(word)
                n += len(LETTER.findall(word))
                if n >= letters:
                    out.append(lines(words))
                    words, n = [], 0
                    if len(out) == most:
                        return out
    return out


def lines(words):
    rows, row = [], ""
    for word in words:
        if len(row) + len(word) > 60:
            rows.append(row)
            row = ""
        row = (row + " " + word).strip()
    return "\n".join(rows + [row])


def forms():
    """Letter → its shapes {isolated, final, initial, medial}."""
    table = {}
    for code in list(range(0xFE80, 0xFEFD)) + list(range(0xFB50, 0xFBB2)):
        kind, *base = unicodedata.decomposition(chr(code)).split() or [""]
        if kind in ("<isolated>", "<final>", "<initial>", "<medial>") and len(base) == 1:
            table.setdefault(chr(int(base[0], 16)), {}).setdefault(kind.strip("<>"), chr(code))
    return table


FORMS = forms()


def shaped(text):
    out = []
    for at, letter in enumerate(text):
        own = FORMS.get(letter)
        if not own:
            out.append(letter)
            continue
        before = FORMS.get(text[at - 1], {}) if at else {}
        after = FORMS.get(text[at + 1], {}) if at + 1 < len(text) else {}
        joins_before = "initial" in before and "final" in own
        joins_after = "initial" in own and "final" in after
        kind = {(0, 0): "isolated", (1, 0): "final", (0, 1): "initial", (1, 1): "medial"}[joins_before, joins_after]
        out.append(own.get(kind) or own.get("isolated") or letter)
    return "".join(out)


def visual(text):
    """Lines as they look; numbers and Latin runs keep their order, brackets are mirrored."""
    turned = []
    for line in text.split("\n"):
        back = line[::-1].translate(str.maketrans("()[]{}«»<>", ")(][}{»«><"))
        turned.append(re.sub(r"[0-9A-Za-z\u0660-\u0669](?:[0-9A-Za-z\u0660-\u0669.,:/_-]*[0-9A-Za-z\u0660-\u0669])?",
                             lambda run: run.group()[::-1], back))
    return "\n".join(turned)


def wrong_letters(n, rng):
    def damage(text):
        letters = sorted(set(LETTER.findall(text)), key=text.count, reverse=True)[:24]
        chosen = rng.sample(letters, min(n, len(letters))) if n else letters
        moved = chosen[1:] + chosen[:1]
        return text.translate(str.maketrans("".join(chosen), "".join(moved)))
    return damage


def lam_alef(text):
    return re.sub("ل([اأإآ])", r"\1ل", text)


def merged(rng):
    return lambda text: "".join("" if c == " " and rng.random() < 0.5 else c for c in text)


CLASSES = {
    "clean": lambda rng: lambda text: text,
    "visual order": lambda rng: visual,
    "presentation forms": lambda rng: shaped,
    "bidi controls": lambda rng: lambda text: " ".join(f"\u202b{word}\u202c" for word in text.split(" ")),
    "lam-alef transposed": lambda rng: lam_alef,
    "half of the blanks lost": merged,
    "all blanks lost": lambda rng: lambda text: text.replace(" ", ""),
    "elongations unmapped": lambda rng: lambda text: re.sub("(?<=[بتثسشصضطعفقكلمنهي])(?=[بتثسشصضطعفقكلمنهيا])",
                                                        lambda _: "\ufffd" if rng.random() < 0.3 else "", text),
    "two letters exchanged": lambda rng: wrong_letters(2, rng),
    "six letters exchanged": lambda rng: wrong_letters(6, rng),
    "all letters exchanged": lambda rng: wrong_letters(0, rng),
    "read as Latin-1": lambda rng: lambda text: text.encode("cp1256", "ignore").decode("cp1252", "replace"),
}
REPAIRED = ("visual order", "presentation forms", "bidi controls", "elongations unmapped", "read as Latin-1")


def ours(program, pages):
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write("\f".join(pages) + "\f")
        file.flush()
        checked = json.loads(subprocess.run([program, "check", file.name, "--json"], capture_output=True, check=False).stdout)
        repaired = subprocess.run([program, "repair", file.name], capture_output=True, check=False).stdout.decode()
    return [page["route"] for page in checked["pages"]], repaired.split("\f")


def theirs(pages):
    from harfix.detect import assess_document
    from harfix.repair import repair_text
    routes, texts = [], []
    for page in pages:
        report = assess_document(page)
        routes.append(report.route)
        try:
            fixed = repair_text(page)
            texts.append(fixed if isinstance(fixed, str) else fixed.text)
        except Exception:
            texts.append(page)
    return routes, texts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir")
    parser.add_argument("--windows", type=int, default=500)
    parser.add_argument("--letters", type=int, default=400)
    parser.add_argument("--pagesieve", default="target/release/pagesieve")
    args = parser.parse_args()
    clean = windows(os.path.join(args.dir, "text", "ar"), args.windows, args.letters)
    if not clean:
        sys.exit(f"no text below {args.dir}/text/ar: run examples/letters/fetch.sh {args.dir}")
    print(f"{len(clean)} pages of {args.letters} letters\n")
    print("| damage | pagesieve: not kept | harfix: not kept | pagesieve: repaired exactly | harfix |")
    print("|---|---|---|---|---|")
    squeezed = lambda text: " ".join(text.split())
    for name, make in CLASSES.items():
        damage = make(random.Random(7))
        pages = [damage(text) for text in clean]
        cells = []
        results = [ours(args.pagesieve, pages), theirs(pages)]
        for routes, _ in results:
            caught = sum(route != "keep" for route in routes)
            cells.append(f"{100 * caught / len(pages):.1f} %")
        for _, texts in results:
            same = sum(squeezed(a) == squeezed(b) for a, b in zip(texts, clean))
            cells.append(f"{100 * same / len(pages):.1f} %" if name in REPAIRED else "")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
