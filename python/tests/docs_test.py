"""The snippets of docs/python.md and README.md do what they say, one after the other."""
import re

import pytest
from conftest import ROOT


@pytest.mark.parametrize("name", ["docs/python.md", "README.md"])
def test_snippets_run(name, tmp_path, monkeypatch, program, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    program("run", ROOT / "scenes/grasp.toml", "--headless", "--duration", "0.4", "--record",
            tmp_path / "grasp.h5")
    text = (ROOT / name).read_text(encoding="utf-8")
    snippets = list(re.finditer(r"```python\n(.*?)```", text, re.S))
    assert snippets
    names = {}
    for snippet in snippets:
        line = text[:snippet.start()].count("\n") + 2
        # as if it stood in the document, so that a failure names the line there
        exec(compile("\n" * (line - 1) + snippet[1], name, "exec"), names)
    if name == "docs/python.md":
        assert 2.3 < names["push"] < 2.7
        assert 'did you mean "friction"?' in capsys.readouterr().out
    from matplotlib import pyplot
    pyplot.close("all")
