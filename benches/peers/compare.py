#!/usr/bin/env python3
"""Compares whole processes on one folder of PDF files in one run: pagesieve, extractors and quality gates.

usage: compare.py FOLDER [--runs 5] [--copies 10] [--labels labels.tsv] [--only NAME,…]

Every tool gets the same files (each linked `--copies` times into a scratch folder, so that a run is long enough to time) and
one thread. What is taken is user + system CPU time of the whole process tree, runs of the tools alternating; the table gives
the median. Tools that are one process a file (pdftotext, mutool, pdf-oxide) are charged that CPU less that of as many
processes that only print their version: the start of a process is not their work.

The floor is examples/inflate_floor: reading the folder and inflating each content, font and ToUnicode stream once.

With --labels (columns sha256, page, label, manual; files are named <sha256>.pdf) it also says how many labelled pages each
quality gate sends to OCR, by label.

Builds what it needs below target/peers (CARGO_TARGET_DIR is heeded) and skips, saying so, what cannot be installed: pdftotext (poppler-utils),
mutool (mupdf-tools), pypdfium2 (PyPI), pdf_oxide_cli and pdf-inspector (crates.io).
"""
import argparse, collections, csv, os, re, shutil, statistics, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
PEERS = os.path.join(TARGET, "peers")

PDFIUM = """
import sys, pypdfium2
for path in sys.stdin.read().split("\\n"):
    try:
        document = pypdfium2.PdfDocument(path)
        for page in document:
            page.get_textpage().get_text_bounded()
    except Exception:
        pass
"""


class Cost:
    """CPU seconds, wall seconds and largest resident set of a process tree."""

    def __init__(self, cpu=0.0, wall=0.0, rss_mib=0.0):
        self.cpu, self.wall, self.rss_mib = cpu, wall, rss_mib


def run(argv, stdin=None):
    """Runs one process tree to its end; its output goes nowhere, its exit code is not asked."""
    began = time.monotonic()
    process = subprocess.Popen(argv, stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if stdin is not None:
        process.stdin.write(stdin)
        process.stdin.close()
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - began, usage.ru_maxrss / 1024)


def per_file(argv, files, version):
    """One process a file, less as many that print a version."""
    total = Cost()
    for path in files:
        for command, sign in ((argv(path), 1), (version, -1)):
            cost = run(command)
            total.cpu += sign * cost.cpu
            if sign > 0:
                total.wall += cost.wall
                total.rss_mib = max(total.rss_mib, cost.rss_mib)
    return total


def build(argv, **more):
    return subprocess.run(argv, check=False, **more).returncode == 0


def tools(folder, files, scratch, only):
    """Name → a function that runs it once over all files; `only` names those wanted, empty for all."""
    listed = ("\n".join(files)).encode()
    found, missing = {}, []
    binary = os.path.join(TARGET, "release", "pagesieve")
    floor = os.path.join(TARGET, "release", "examples", "inflate_floor")
    cargo = ["cargo", "build", "--release", "--locked", "-q", "--manifest-path", os.path.join(ROOT, "Cargo.toml")]
    if not (build(cargo + ["--bin", "pagesieve"]) and build(cargo + ["--example", "inflate_floor"])):
        sys.exit("pagesieve does not build")
    ranges = os.path.join(scratch, "ranges.tsv")
    with open(ranges, "wb") as out:
        subprocess.run([floor, "index", folder], stdout=out, check=True)
    found["floor"] = lambda: run([floor, "run", ranges])

    def scan():
        out = tempfile.mkdtemp(dir=scratch)
        cost = run([binary, "scan", folder, "--out", out, "--threads", "1", "--quiet"])
        shutil.rmtree(out)
        return cost

    found["pagesieve scan"] = scan
    if shutil.which("pdftotext"):
        found["pdftotext"] = lambda: per_file(lambda path: ["pdftotext", path, "-"], files, ["pdftotext", "-v"])
    else:
        missing.append("pdftotext")
    if shutil.which("mutool"):
        found["mutool draw -F txt"] = lambda: per_file(lambda path: ["mutool", "draw", "-F", "txt", path], files, ["mutool", "-v"])
    else:
        missing.append("mutool")
    if subprocess.run([sys.executable, "-c", "import pypdfium2"], capture_output=True).returncode == 0:
        found["pypdfium2"] = lambda: run([sys.executable, "-c", PDFIUM], listed)
    else:
        missing.append("pypdfium2")
    inspector = os.path.join(PEERS, "release", "peer-pdf-inspector")
    manifest = os.path.join(ROOT, "benches", "peers", "pdf-inspector", "Cargo.toml")
    wanted = lambda name: not only or name in only
    if not wanted("pdf-inspector"):
        pass
    elif build(["cargo", "build", "--release", "-q", "--target-dir", PEERS, "--manifest-path", manifest]):
        found["pdf-inspector"] = lambda: run([inspector], listed)
    else:
        missing.append("pdf-inspector")
    oxide = os.path.join(PEERS, "bin", "pdf-oxide")
    if not wanted("pdf-oxide classify"):
        pass
    elif os.path.exists(oxide) or build(["cargo", "install", "-q", "pdf_oxide_cli", "--root", PEERS, "--target-dir", PEERS]):
        found["pdf-oxide classify"] = lambda: per_file(lambda path: [oxide, "classify", path], files, [oxide, "--version"])
    else:
        missing.append("pdf-oxide")
    return found, missing, {"inspector": inspector, "oxide": oxide, "pagesieve": binary}


def link(folder, copies, scratch):
    """The folder's files, each linked `copies` times."""
    into = os.path.join(scratch, "files")
    os.mkdir(into)
    for number in range(copies):
        for name in sorted(os.listdir(folder)):
            if name.lower().endswith(".pdf"):
                os.symlink(os.path.abspath(os.path.join(folder, name)), os.path.join(into, f"{number:02}-{name}"))
    return into


def labels(path):
    rows = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            final = row.get("manual") or row["label"]
            if int(row["page"]) >= 1 and final not in ("", "unsure", "hostile"):
                rows[row["sha256"], int(row["page"])] = final
    return rows


def routes_of(name, folder, programs, scratch):
    """(sha256, page) → whether the tool sends the page to OCR (pagesieve: OCR or decoding)."""
    files = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".pdf")]
    sha = lambda path: os.path.basename(path)[:-4]
    flagged = {}
    if name == "pagesieve scan":
        import pyarrow.dataset
        out = os.path.join(scratch, "judged")
        subprocess.run([programs["pagesieve"], "scan", folder, "--out", out, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        pages = pyarrow.dataset.dataset(os.path.join(out, "pages")).to_table(columns=["document_uri", "page", "route"])
        for uri, page, route in zip(*(column.to_pylist() for column in pages.columns)):
            flagged[sha(uri), page] = route in ("ocr", "decode")
    elif name == "pdf-inspector":
        output = subprocess.run([programs["inspector"]], input="\n".join(files), capture_output=True, text=True).stdout
        for line in output.splitlines():
            path, page, route = line.split("\t")
            flagged[sha(path), int(page)] = route == "ocr"
    else:
        return None
    return flagged


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--labels")
    parser.add_argument("--only", help="names from the table, comma-separated")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = link(arguments.folder, arguments.copies, scratch)
        files = sorted(os.path.join(folder, name) for name in os.listdir(folder))
        only = arguments.only.split(",") if arguments.only else []
        found, missing, programs = tools(folder, files, scratch, only)
        found = {name: tool for name, tool in found.items() if not only or name in only}
        for name in missing:
            print(f"left out, not installed: {name}", file=sys.stderr)
        out = os.path.join(scratch, "counted")
        summary = subprocess.run([programs["pagesieve"], "scan", folder, "--out", out, "--json", "--quiet"], capture_output=True, text=True).stdout
        n_pages = int(re.search(r'"pages":\s*(\d+)', summary).group(1))
        costs = collections.defaultdict(list)
        for number in range(arguments.runs):
            for name, tool in found.items():
                costs[name].append(tool())
                print(f"run {number + 1}: {name}: {costs[name][-1].cpu:.2f} CPU-s", file=sys.stderr)
        median = {name: statistics.median(cost.cpu for cost in all_costs) for name, all_costs in costs.items()}
        print(f"{len(files):,} files, {n_pages:,} pages, median of {arguments.runs} runs, one thread\n")
        print("| program | CPU-s | pages per CPU-s | against pdftotext | against the floor | peak MiB |")
        print("|---|---|---|---|---|---|")
        for name, cpu in sorted(median.items(), key=lambda item: item[1]):
            against = f"{median['pdftotext'] / cpu:.1f} ×" if "pdftotext" in median else "-"
            floor = f"{cpu / median['floor']:.1f} ×" if "floor" in median else "-"
            rss = max(cost.rss_mib for cost in costs[name])
            print(f"| {name} | {cpu:.2f} | {n_pages / cpu:,.0f} | {against} | {floor} | {rss:.0f} |")
        if arguments.labels:
            known = labels(arguments.labels)
            print("\n| program | " + " | ".join(sorted(set(known.values()))) + " |")
            for name in found:
                flagged = routes_of(name, arguments.folder, programs, scratch)
                if flagged is None:
                    continue
                shares = []
                for label in sorted(set(known.values())):
                    pages = [page for page, final in known.items() if final == label]
                    shares.append(f"{sum(flagged.get(page, False) for page in pages)} of {len(pages)}")
                print(f"| {name} | " + " | ".join(shares) + " |")


if __name__ == "__main__":
    main()
