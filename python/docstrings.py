"""docstrings.py STUB HEADER: what the stub says of classes, their members and functions, as a table
for the bindings, so that help() says the same as an editor."""
import ast
import pathlib
import sys


def docstrings(tree):
    for node in tree.body:
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            continue
        if text := ast.get_docstring(node):
            yield node.name, text.strip()
        for member in node.body if isinstance(node, ast.ClassDef) else []:
            if isinstance(member, ast.FunctionDef) and (text := ast.get_docstring(member)):
                yield f"{node.name}.{member.name}", text.strip()


def write(stub, header):
    rows = "".join(f'    {{"{name}", R"~({text})~"}},\n'
                   for name, text in docstrings(ast.parse(stub.read_text())))
    header.write_text("#pragma once\n\n#include <string_view>\n#include <utility>\n\n"
                      "namespace stickslip::python {\n\n"
                      "/// Of a class, or Class.member.\n"
                      "inline constexpr std::pair<const char*, const char*> docstrings[] = {\n"
                      f"{rows}}};\n\n"
                      "constexpr const char* doc(std::string_view name) {\n"
                      "  for (const auto& [known, text] : docstrings) {\n"
                      "    if (name == known) return text;\n"
                      "  }\n"
                      "  return \"\";\n"
                      "}\n\n}  // namespace stickslip::python\n")


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
