"""The generated pages say what the code says."""

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_experiments_is_not_stale() -> None:
    spec = importlib.util.spec_from_file_location("experiments_page", DOCS / "experiments.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = (DOCS / "experiments.md").read_text(encoding="utf-8")
    assert page == module.page(), "run: python docs/experiments.py"
