"""Collects where each equation of the paper lives into docs/equations.md.

A line of source that carries `(Eq. 17)` or `(Eqs. 8, 9)` is a home of those equations.
With --check: fails when the page is stale, or when an equation whose room is built has no home.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "equations.md"
EQUATIONS = range(1, 31)


def homes():
    found = {}
    for source in sorted((ROOT / "src").rglob("*.[ch]pp")):
        for number, line in enumerate(source.read_text().splitlines(), 1):
            for group in re.findall(r"\(Eqs?\. ([\d, ]+)\)", line):
                for equation in re.findall(r"\d+", group):
                    name = source.relative_to(ROOT).as_posix()
                    found.setdefault(int(equation), {}).setdefault(name, number)
    return found


def page(found):
    lines = ["# Where the equations of the paper live", "",
             "Made by `tools/equations.py` from the comments of the source.", "",
             "| equation | files |", "| --- | --- |"]
    for equation in EQUATIONS:
        files = ", ".join(f"[{f}](../{f})" for f in found.get(equation, {})) or "not built yet"
        lines.append(f"| {equation} | {files} |")
    return "\n".join(lines) + "\n"


found = homes()
text = page(found)
homeless = [e for e in EQUATIONS if e not in found]
if homeless:
    sys.exit(f"no home in src/ for equation(s) {homeless}")
if "--check" in sys.argv:
    if not PAGE.exists() or PAGE.read_text() != text:
        sys.exit("docs/equations.md is stale: run `python3 tools/equations.py`")
else:
    PAGE.write_text(text)
print("equations with a home:", sorted(found))
