#!/usr/bin/env python3
"""Running text out of Debian packages: extract.py DEBS OUT writes OUT/<code>/<source>.txt, a paragraph a line.

Paragraphs are taken once, untranslated ones (found in the English original too) are dropped.
"""
import collections, glob, gzip, html, os, re, struct, subprocess, sys, tempfile

CODES = {"en-us": "en", "zh-cn": "zh", "zh-tw": "zh-hant", "nb": "nb", "no": "nb"}
NAMES = re.compile(r",[^\s\d]")  # the game's lists of invented names
TAG = re.compile(r"<[^>]{0,400}>")


def clean(text):
    text = html.unescape(TAG.sub(" ", text))
    return re.sub(r"\s+", " ", text).strip()


def help_pages(root):
    for path in sorted(glob.glob(root + "/usr/share/libreoffice/help/*/text/**/*.html", recursive=True)):
        with open(path, encoding="utf-8", errors="replace") as f:
            body = f.read()
        for part in re.findall(r"<(?:p|h1|h2|h3|h4)\b[^>]*>(.*?)</(?:p|h1|h2|h3|h4)>", body, re.S):
            yield clean(part)


def catalog(path):
    with open(path, "rb") as f:
        data = f.read()
    magic, _, n, ids, strs = struct.unpack("<5I", data[:20])
    for i in range(n):
        (li, oi), (ls, os_) = struct.unpack("<2I", data[ids + 8 * i:][:8]), struct.unpack("<2I", data[strs + 8 * i:][:8])
        original = data[oi:oi + li].split(b"\0")[0].decode("utf-8", "replace")
        text = data[os_:os_ + ls].split(b"\0")[0].decode("utf-8", "replace")
        if li and text != original:
            yield original, text


def manual(path):
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as f:
        lines, out = f.read().split("\n"), []
    for line in lines + [".PP"]:
        if line.startswith((".", "'")):
            if out:
                yield clean(re.sub(r"\\f.|\\-|\\&|\\[a-zA-Z(].?", "", " ".join(out)))
            out = []
        else:
            out.append(line)


def main(debs, out):
    found = collections.defaultdict(list)
    for deb in sorted(glob.glob(debs + "/*.deb")):
        name = os.path.basename(deb).split("_")[0]
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(["dpkg", "-x", deb, root], check=True)
            if name.startswith("libreoffice-help-"):
                code = name[len("libreoffice-help-"):]
                found[CODES.get(code, code), "help"] += help_pages(root)
            elif name.startswith("manpages"):
                code = name[len("manpages-"):] if name not in ("manpages", "manpages-dev") else "en"
                base = root + "/usr/share/man/" + ("man" if code == "en" else code + "/man")
                for path in sorted(glob.glob(base + "*/*.gz")):
                    if os.path.isfile(path):
                        found[code, "man"] += manual(path)
            else:
                source = "game" if name.startswith("wesnoth") else "menus"
                for path in sorted(glob.glob(root + "/**/*.mo", recursive=True)):
                    code = re.search(r"/([A-Za-z_@-]+)/LC_MESSAGES/", path)
                    if not code or "latin" in code[1] or "valencia" in code[1]:
                        continue
                    code = {"zh_CN": "zh", "zh_TW": "zh-hant", "pt_BR": "pt"}.get(code[1], re.split("[_@-]", code[1])[0])
                    for original, text in catalog(path):
                        if code == "en":
                            continue
                        found[code, source].append(clean(text))
                        if source == "game" and code == "de":
                            found["en", source].append(clean(original))
    english = {p for (code, _), paragraphs in found.items() if code == "en" for p in paragraphs}
    for (code, source), paragraphs in sorted(found.items()):
        os.makedirs(f"{out}/{code}", exist_ok=True)
        kept = [p for p in dict.fromkeys(paragraphs) if len(p) >= 12 and (code == "en" or p not in english)
                and len(NAMES.findall(p)) < 5]
        with open(f"{out}/{code}/{source}.txt", "w", encoding="utf-8") as f:
            f.write("\n".join(kept))
        print(f"{code}/{source}: {len(kept)} paragraphs, {sum(map(len, kept))} characters")


main(*sys.argv[1:])
