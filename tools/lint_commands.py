"""lint_commands.py COMPILE_COMMANDS FOLDER: how clang compiles the units that FOLDER/units.txt lists.

A unit that is not compiled itself is compiled as the first file that it includes. What g++ has
precompiled clang cannot read."""
import json
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[2])
commands = {}
for entry in json.loads(pathlib.Path(sys.argv[1]).read_text()):
    entry["command"] = re.sub(r"-Winvalid-pch|-fpch-preprocess|-include \S*cmake_pch\.hxx", "",
                              entry["command"])
    commands[entry["file"]] = entry
for unit in (folder / "units.txt").read_text().split():
    if unit not in commands:
        first = re.match(r'#include "(.+)"', pathlib.Path(unit).read_text())[1]
        first = next(file for file in commands if file.endswith("/" + first))
        commands[unit] = {**commands[first], "file": unit,
                          "command": commands[first]["command"].replace(first, unit)}
(folder / "compile_commands.json").write_text(json.dumps(list(commands.values()), indent=1))
