"""lint_commands.py COMPILE_COMMANDS FOLDER: how clang compiles the units and the files of lint.

A unit is compiled as the first file that it includes. What g++ has precompiled clang cannot read."""
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
for unit in folder.glob("*.cpp"):
    first = re.match(r'#include "(.+)"', unit.read_text())[1]
    if first not in commands:  # of a file that is gone
        unit.unlink()
        continue
    commands[str(unit)] = {**commands[first], "file": str(unit),
                           "command": commands[first]["command"].replace(first, str(unit))}
(folder / "compile_commands.json").write_text(json.dumps(list(commands.values()), indent=1))
