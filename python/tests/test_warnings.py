"""What a table has lost is told to whoever reads it, in each way to read."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

import duckdb
import pandas
import polars
import pyarrow
import pytest
from adbc_driver_manager import dbapi as manager

import adbc_driver_hudi
from adbc_driver_hudi import HudiWarning, Table, _warnings, dbapi

from conftest import Real

TORN = "v9/corrupt_mid_log"
#: The log of that table of which Hudi reads nothing, as a task of Spark died while it wrote it.
LOG = "2024-01/.abb4ec40-8069-4810-94d3-7ac5cce9aaa1-0_20261129220640862.log.1_0-8779-11482"
ROWS = 96

torn = pytest.mark.parametrize("real", [TORN], indirect=True)


def told(read: Callable[[], Any], n: int = 1) -> list[HudiWarning]:
    """The warnings that reading gives; those of streams that were given away come a little later."""
    with warnings.catch_warnings(record=True) as all:
        warnings.simplefilter("always")
        read()
        until = time.monotonic() + 10
        while _warnings.watch._given and time.monotonic() < until:
            time.sleep(0.01)
    got = [w for w in all if issubclass(w.category, HudiWarning)]
    assert len(got) == n, [str(w.message) for w in got]
    for w in got:
        assert w.filename == __file__, str(w)
    return [w.message for w in got]  # type: ignore[misc]


def is_torn(w: HudiWarning, table: str) -> None:
    (f,) = w.findings
    assert (f["table"], f["file"], f["instant"], f["offset"]) == (table, LOG, "20261129220640862", 0)
    for part in (table, LOG, "20261129220640862", "can't be read"):
        assert part in str(w)


SCANS: dict[str, Callable[[Table], Any]] = {
    "to_arrow": lambda t: t.scan().to_arrow(),
    "to_pandas": lambda t: t.scan(columns=["id"], filter="amount > 0").to_pandas(),
    "to_polars": lambda t: t.scan().to_polars(),
    "to_pylist": lambda t: t.scan().to_pylist(),
    "count": lambda t: t.count(),
    "count of a scan": lambda t: t.scan(limit=1000).count(),
    "batches": lambda t: list(t.scan()),
    "some batches": lambda t: next(iter(t.scan())),
    "html": lambda t: t.scan()._repr_html_(),
    "sql": lambda t: t.sql(f"SELECT max(amount) FROM {t.name}").to_pylist(),
    "changes": lambda t: t.changes(begin="20261129220641621", images=True).to_arrow(),
    "partitions": lambda t: [p.to_arrow() for p in t.partitions()],
    "lazy": lambda t: t.scan_polars().collect(),
    "a view": lambda t: t.scan().to_duckdb(duckdb.connect(), "v").fetchall(),
    # Given away:
    "pyarrow": lambda t: pyarrow.table(t),
    "polars": lambda t: polars.DataFrame(t.scan()),
    "reader": lambda t: t.scan().reader().read_all(),
    "relation": lambda t: t.scan().to_duckdb(duckdb.connect()).fetchall(),
    "partition": lambda t: [pyarrow.table(p) for p in t.partitions()],
}


@torn
@pytest.mark.parametrize("way", SCANS)
def test_scans_tell(real: Real, way: str) -> None:
    t = real.open()
    for _ in range(2):  # each reading
        (w,) = told(lambda: SCANS[way](t))
        is_torn(w, real.path)


def rows_one_by_one(cur: dbapi.Cursor) -> None:
    cur.execute("SELECT id FROM corrupt_mid_log")
    assert sum(1 for _ in cur) == ROWS


def some_rows(cur: dbapi.Cursor) -> None:
    cur.execute("SELECT id FROM corrupt_mid_log WHERE amount > ?", (-1e9,))
    while cur.fetchmany(10):
        pass


def partitions(cur: dbapi.Cursor) -> None:
    parts, _ = cur.adbc_execute_partitions("SELECT id FROM corrupt_mid_log")
    for p in parts:
        cur.adbc_read_partition(p)
        cur.fetchall()


def twice(cur: dbapi.Cursor) -> None:
    """Of the second statement nothing is read."""
    cur.execute("SELECT id FROM corrupt_mid_log").fetchone()
    cur.execute("SELECT 1").fetchall()


STATEMENTS: dict[str, Callable[[dbapi.Cursor], Any]] = {
    "rows": rows_one_by_one,
    "some rows": some_rows,
    "all rows": lambda c: c.execute("SELECT count(*) FROM corrupt_mid_log").fetchall(),
    "table": lambda c: c.execute("SELECT * FROM corrupt_mid_log").fetch_arrow_table(),
    "frame": lambda c: c.execute("SELECT * FROM corrupt_mid_log").fetch_df(),
    "polars": lambda c: c.execute("SELECT * FROM corrupt_mid_log").fetch_polars(),
    "reader": lambda c: c.execute("SELECT * FROM corrupt_mid_log").fetch_record_batch().read_all(),
    "stream": lambda c: pyarrow.table(c.execute("SELECT * FROM corrupt_mid_log").fetch_arrow()),
    "many": lambda c: c.executemany("SELECT id FROM corrupt_mid_log WHERE amount > ?", [(0.0,), (1.0,)]),
    "partitions": partitions,
    "twice": twice,
    "read_sql": lambda c: pandas.read_sql("SELECT * FROM corrupt_mid_log", c.connection),
    "read_database": lambda c: polars.read_database("SELECT * FROM corrupt_mid_log", c.connection),
}


@torn
@pytest.mark.parametrize("way", STATEMENTS)
def test_cursors_tell(real: Real, way: str) -> None:
    def use() -> None:
        with dbapi.connect(real.path) as conn, conn.cursor() as cur:
            STATEMENTS[way](cur)
            if way != "read_sql":
                cur.close()

    (w,) = told(use)
    is_torn(w, real.path)


@torn
def test_clones_tell(real: Real) -> None:
    def use() -> None:
        with dbapi.connect(real.path) as conn, conn.adbc_clone() as clone, clone.cursor() as cur:
            assert isinstance(conn, manager.Connection) and isinstance(cur, manager.Cursor)
            cur.execute("SELECT * FROM corrupt_mid_log")
            cur.fetchall()

    told(use)


@torn
def test_nothing_to_tell(real: Real, trips: Table) -> None:
    """What does not read the log does not tell of it."""
    t = real.open()

    def use() -> None:
        t.schema()
        t.scan(read_optimized=True).to_arrow()
        t.timeline().to_pylist()
        pyarrow.schema(t.scan())
        t.scan().reader().close()
        list(trips.scan())
        with dbapi.connect(real.path) as conn, conn.cursor() as cur:
            cur.adbc_prepare("SELECT * FROM corrupt_mid_log")
            cur.adbc_execute_schema("SELECT * FROM corrupt_mid_log")
            cur.execute("SELECT 1")
            cur.fetchall()

    told(use, 0)


@torn
def test_as_errors(real: Real, capsys: pytest.CaptureFixture[str]) -> None:
    """Who wants no table that has lost something can say so."""
    t = real.open()
    with warnings.catch_warnings():
        warnings.simplefilter("error", HudiWarning)
        for read in (t.scan().to_arrow, t.count, lambda: list(t.scan())):
            with pytest.raises(HudiWarning, match="can't be read"):
                read()
        with dbapi.connect(real.path) as conn, conn.cursor() as cur:
            cur.execute("SELECT * FROM corrupt_mid_log")
            with pytest.raises(HudiWarning) as e:
                cur.fetchall()
            is_torn(e.value, real.path)
        # Nobody is there to get that of a stream which was given away: it is shown.
        assert pyarrow.table(t).num_rows == ROWS
        until = time.monotonic() + 10
        while _warnings.watch._given and time.monotonic() < until:
            time.sleep(0.01)
        assert LOG in capsys.readouterr().err


@torn
def test_errors_come_first(real: Real) -> None:
    """A statement that fails tells why, not what else it found."""
    t = real.open()
    with warnings.catch_warnings():
        warnings.simplefilter("error", HudiWarning)
        with pytest.raises(adbc_driver_hudi.dbapi.Error):
            t.sql("SELECT id::INTEGER FROM corrupt_mid_log").to_arrow()


@torn
def test_threads(real: Real) -> None:
    """Threads that share a table are each told of their own reading, and of a thread that looks nothing stays."""
    t = real.open()

    def work(i: int) -> None:
        if i % 2:
            assert t.scan().to_arrow().num_rows == ROWS
        else:
            assert pyarrow.table(t.scan()).num_rows == ROWS

    def use() -> None:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(20)))

    for w in told(use, 20):
        is_torn(w, real.path)
    until = time.monotonic() + 5
    while any(x.name == "hudi-warnings" for x in threading.enumerate()):
        assert time.monotonic() < until
        time.sleep(0.01)


PROGRAM = """
import sys, polars
from adbc_driver_hudi import Table
frame = polars.DataFrame(Table(sys.argv[1]).scan(columns=["id"]))
print(frame.height)
"""


@torn
@pytest.mark.parametrize("level", ["", "warn"])
def test_end_of_program(real: Real, level: str) -> None:
    """A program that ends at once has been told, once; on the driver's own it writes nothing."""
    env = {**os.environ, "ADBC_DRIVER_HUDI_LOG_LEVEL": level}
    p = subprocess.run([sys.executable, "-c", PROGRAM, real.path], capture_output=True, text=True, env=env, timeout=120)
    assert (p.returncode, p.stdout) == (0, f"{ROWS}\n"), p.stderr
    lines = [json.loads(line) for line in p.stderr.splitlines() if line.startswith("{")]
    assert p.stderr.count("HudiWarning") == 1 and p.stderr.count(LOG) == 1 + len(lines), p.stderr
    if level:
        (line,) = lines
        assert (line["level"], line["table"], line["file"]) == ("WARN", real.path, LOG)
    else:
        assert not lines


@torn
def test_pickles(real: Real) -> None:
    (w,) = told(real.open().scan().to_arrow)
    copy = pickle.loads(pickle.dumps(w))
    assert str(copy) == str(w) and copy.findings == w.findings and isinstance(copy, dbapi.Warning)


def test_many_findings() -> None:
    """One warning for all findings of a kind, however many files they are in."""
    findings = [{"level": "WARN", "msg": "torn", "table": "/t", "file": f"f{i}", "offset": 1} for i in range(9, -1, -1)]
    findings += [{"level": "WARN", "msg": "cleaned", "table": "/t", "why": "age"}, {"level": "WARN", "msg": "and 7 more"}]
    got = told(lambda: _warnings.tell(findings), 3)
    assert [str(w) for w in got] == [
        "table /t: torn: f0 (offset 1); f1 (offset 1); f2 (offset 1); and 7 more",
        "table /t: cleaned: why age",
        "and 7 more",
    ]
    assert len(got[0].findings) == 10


def test_given_away_and_kept(trips: Table) -> None:
    """A stream that nobody reads keeps its statement, until it is dropped."""
    reader = trips.scan().reader()
    time.sleep(0.1)
    assert len(_warnings.watch._given) == 1
    del reader
    until = time.monotonic() + 10
    while _warnings.watch._given:
        assert time.monotonic() < until
        time.sleep(0.01)
