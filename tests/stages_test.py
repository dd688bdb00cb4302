"""docs/architecture.md leads to every stage of the step: what step() calls, and what the table of stages names,
stands in that table with the file of simulation/ that defines it, and with rooms that are there."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
simulation = root / "src/stickslip/simulation"
section = (root / "docs/architecture.md").read_text().split("\n## The step\n")[1].split("\n## ")[0]
rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines()
        if line.startswith("| `")]
stages = {name: files for stage, _, files, _ in rows for name in re.findall(r"`(\w+)`", stage)}

body = (simulation / "step.cpp").read_text().split("\nStepReport step(")[1].split("\n}")[0]
called = set(re.findall(r"\b(\w+)\((?:scene, )?(?:state, )?data\)", body))
faults = [f"step() calls {name}, which no row of docs/architecture.md has" for name in called - stages.keys()]
if len(called) < 8:
    faults.append(f"only {len(called)} stages were understood in step.cpp")
for name, files in stages.items():
    sources = [simulation / f"{file}.cpp" for file in re.findall(r"`(\w+)`", files)]
    faults += [f"{name}: there is no {source}" for source in sources if not source.exists()]
    if not any(re.search(rf"^\w+ {name}\(", source.read_text(), re.M) for source in sources if source.exists()):
        faults.append(f"{name}: not defined in {files}")
for _, _, _, work in rows:
    for place in re.findall(r"`([\w/]+)`", work):
        if not list((root / "src/stickslip").glob(f"{place.rstrip('/')}*")):
            faults.append(f"there is no {place}")
print("\n".join(faults) or "every stage is where docs/architecture.md says")
sys.exit(1 if faults else 0)
