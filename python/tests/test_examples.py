"""The examples run, and say what the table says."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, TRIPS

EXAMPLES = ROOT / "examples"


def run(*command: str) -> str:
    r = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=300)
    assert r.returncode == 0, r.stderr
    return r.stdout


@pytest.mark.parametrize("engine", ["dask", "pyspark"])
def test_distributed(engine: str) -> None:
    """Worker processes read the partitions; the program itself compares with one scan."""
    if importlib.util.find_spec(engine) is None:
        pytest.skip(f"no {engine}")
    assert "the same" in run(str(EXAMPLES / "distributed" / f"with_{engine}.py"), TRIPS)


def test_notebook(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(EXAMPLES / "notebooks" / "trips.ipynb", as_version=4)
    folder = str(EXAMPLES / "notebooks")
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": folder}}).execute()
    outputs = [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]
    assert any("image/png" in o.get("data", {}) for o in outputs)
    assert any("text/html" in o.get("data", {}) for o in outputs)
