"""A room of src/stickslip includes only itself and the rooms above it in this list."""
import pathlib
import re
import sys

ORDER = ["math", "problem", "solver", "mesh", "fem", "body", "proximity", "contact",
         "haptics/models", "haptics/loop", "haptics/stability", "scene", "motion", "simulation",
         "studies", "io", "devices"]

root = pathlib.Path(sys.argv[1])
faults = []
for source in sorted(root.rglob("*.[ch]pp")):
    folder = source.parent.relative_to(root).as_posix()
    if folder not in ORDER:
        if source.parent != root:
            faults.append(f"{source}: room '{folder}' is not in the list of layers_test.py")
        continue
    for number, line in enumerate(source.read_text().splitlines(), 1):
        found = re.match(r'#include "stickslip/([\w/]+)/\w+\.hpp"', line)
        if found and ORDER.index(found[1]) > ORDER.index(folder):
            faults.append(f"{source}:{number}: {folder} includes {found[1]}, which stands below it")
print("\n".join(faults) or "every include points upwards")
sys.exit(1 if faults else 0)
