"""size_test.py FOLDER ...: no function above 80 lines, no file above 400.

clang-format, which ./check enforces, makes counting simple: a line that is only a closing brace ends a
function, or a block in one, that begins at the nearest line above with the same indentation. Classes and
tables end with "};", namespaces with a comment."""
import pathlib
import re
import sys

LONGEST_FUNCTION = 80
LONGEST_FILE = 400

RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.S)


def blocks(text):
    """First line and length of every function, and of every block in one."""
    text = RAW_STRING.sub(lambda raw: "0" + "\n" * raw[0].count("\n"), text)
    begins = {}  # indentation -> number of the last line that has it
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.lstrip()
        if not bare or bare.startswith(("//", "#")):
            continue
        indentation = len(line) - len(bare)
        if bare == "}" and indentation in begins:
            yield begins[indentation], number + 1 - begins[indentation]
        begins[indentation] = number


def faults(name, text):
    lines = text.splitlines()
    if len(lines) > LONGEST_FILE:
        yield f"{name}: {len(lines)} lines, at most {LONGEST_FILE}: split it by meaning"
    for begin, length in blocks(text):
        if length > LONGEST_FUNCTION:
            yield (f"{name}:{begin}: {length} lines, at most {LONGEST_FUNCTION}, in "
                   f"'{lines[begin - 1].strip()}': cut it along its comments")


def try_out():
    """The counter sees what it must, and nothing else."""
    def body(count):
        return "  act();\n" * count

    long_function = "void f(int a,\n       int b)\n    : a_{a} {\n" + body(76) + "}\n"
    assert not list(faults("", "template <class T>\n" + long_function))
    assert len(list(faults("", long_function.replace("}\n", "  act();\n}\n")))) == 1
    assert not list(faults("", "struct S {\n" + "  int a;\n\n  int f() {\n    act();\n  }\n" * 50 + "};\n"))
    assert not list(faults("", "const Row table[] = {\n" + "  {1},\n" * 99 + "};\n"))
    assert not list(faults("", "namespace {\n" + ("void f() {\n" + body(2) + "}\n") * 50 + "}  // namespace\n"))
    assert not list(faults("", 'const char* t = R"(\n' + "{\n" + body(99) + '}\n)";\n'))
    assert len(list(faults("", "int a;\n" * 401))) == 1


try_out()
found = []
for root in map(pathlib.Path, sys.argv[1:]):
    for source in sorted(root.rglob("*.[ch]pp")):
        found += faults(source, source.read_text())
print("\n".join(found) or "every function and every file is short")
sys.exit(1 if found else 0)
