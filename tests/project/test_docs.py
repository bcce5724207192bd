"""The generated pages say what the code says."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", ["experiments", "diagnostics", "fields"])
def test_a_generated_page_is_not_stale(name: str) -> None:
    spec = importlib.util.spec_from_file_location(f"{name}_page", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert page == module.page(), f"run: python docs/{name}.py"
