"""What the tests share: the real tables of testdata, and Spark's answers."""

from __future__ import annotations

import glob
import importlib.util
import json
import os
import types
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import adbc_driver_hudi

ROOT = Path(__file__).resolve().parents[2]
TRIPS = str(ROOT / "testdata" / "trips")
ANSWERS = ROOT / "testdata" / "tables" / "extra" / "trips"


def _checker() -> types.ModuleType:
    spec = importlib.util.spec_from_file_location("check_fixtures", ROOT / ".ci" / "check_fixtures.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


#: The program that compares with Spark's answers, as a library.
checker = _checker()


def manifests() -> list[str]:
    """The folders of all test tables, relative to testdata/tables."""
    base = str(ROOT / "testdata" / "tables")
    return sorted(os.path.relpath(os.path.dirname(p), base) for p in glob.glob(f"{base}/**/manifest.json", recursive=True))


class Real:
    """A test table, unpacked."""

    def __init__(self, label: str, scratch: str) -> None:
        self.label = label
        self.folder = str(ROOT / "testdata" / "tables" / label)
        with open(f"{self.folder}/manifest.json", encoding="utf-8") as f:
            self.manifest: dict[str, Any] = json.load(f)
        self.path, extra = checker.unzip(self.folder, scratch)
        self.read_options = dict(o.split("=", 1) for o in extra if o != "--option")

    def open(self, **options: Any) -> adbc_driver_hudi.Table:
        return adbc_driver_hudi.Table(self.path, read_options=self.read_options, **options)

    def as_text(self) -> adbc_driver_hudi.Table:
        """The table with images of changes as Spark writes them, in JSON."""
        return adbc_driver_hudi.Table(self.path, read_options={**self.read_options, "hudi.cdc.format": "json"})


@pytest.fixture
def real(request: pytest.FixtureRequest, tmp_path: Path) -> Real:
    """The table that a test asks for by its label, as a parameter."""
    return Real(request.param, str(tmp_path))


@pytest.fixture
def trips() -> adbc_driver_hudi.Table:
    """The table of trips."""
    return adbc_driver_hudi.Table(TRIPS)


@pytest.fixture(scope="session")
def spark() -> Any:
    """Spark's answer for the trips, without Hudi's own columns."""
    answer = pq.read_table(ANSWERS / "expected" / "snapshot.parquet")
    return answer.select([c for c in answer.column_names if not c.startswith("_hoodie_")])


def same(want: Any, got: Any) -> None:
    """Fails unless two tables have the same rows, in any order, and types."""
    assert checker.differ(want, got, False) is None
