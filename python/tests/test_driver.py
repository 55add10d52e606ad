"""The driver by its standard interfaces, and as a library in a process."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import adbc_driver_manager
import pandas
import polars
import pyarrow as pa
import pytest
from conftest import ROOT, TRIPS, same
from pyarrow.compute import field

import adbc_driver_hudi
from adbc_driver_hudi import Table, dbapi

SQL = "SELECT city, count(*) AS n, sum(fare) AS fares FROM trips WHERE distance_km > 9 GROUP BY city ORDER BY city"


@pytest.fixture(scope="module")
def want(spark: pa.Table) -> pa.Table:
    some = spark.filter(field("distance_km") > 9).group_by("city").aggregate([("fare", "count"), ("fare", "sum")])
    return some.rename_columns(["city", "n", "fares"]).sort_by("city")


def check(want: pa.Table, rows: list[tuple[object, ...]]) -> None:
    assert [(c, n) for c, n, _ in rows] == list(zip(*want.select(["city", "n"]).to_pydict().values()))
    assert [f for _, _, f in rows] == pytest.approx(want["fares"].to_pylist())


def test_dbapi(want: pa.Table, spark: pa.Table) -> None:
    with dbapi.connect(TRIPS) as connection, connection.cursor() as cursor:
        cursor.execute(SQL)
        check(want, cursor.fetchall())
        cursor.execute("SELECT * FROM trips")
        same(spark, cursor.fetch_arrow_table())
        cursor.execute("SELECT count(*) FROM trips WHERE city = ? AND distance_km > ?", ("osaka", 9.0))
        ((n,),) = cursor.fetchall()
        assert n == dict(zip(want["city"].to_pylist(), want["n"].to_pylist()))["osaka"]
        cursor.execute("SELECT count(*) FROM trips WHERE city = $city AND distance_km > $far", {"far": 9.0, "city": "osaka"})
        assert cursor.fetchall() == [(n,)]
        cursor.execute("SELECT count(*) FROM trips")  # the values above are not this one's
        assert cursor.fetchall() == [(spark.num_rows,)]
        assert connection.adbc_get_info()["driver_name"]
        assert connection.adbc_get_table_types()
        with pytest.raises(dbapi.Error):
            cursor.execute("DROP TABLE trips")
        with pytest.raises(dbapi.ProgrammingError, match="nonsense"):
            cursor.execute("SELECT nonsense FROM trips")
            cursor.fetchall()


def test_folder(want: pa.Table) -> None:
    """A folder of tables is a database of them."""
    with dbapi.connect(str(ROOT / "testdata")) as connection, connection.cursor() as cursor:
        cursor.execute(SQL)
        check(want, cursor.fetchall())


def test_pandas(want: pa.Table) -> None:
    with dbapi.connect(TRIPS) as connection:
        frame = pandas.read_sql(SQL, connection)
    check(want, list(frame.itertuples(index=False, name=None)))


def test_polars(want: pa.Table) -> None:
    with dbapi.connect(TRIPS) as connection:
        check(want, polars.read_database(SQL, connection).rows())
    check(want, polars.read_database_uri(SQL, f"hudi://{TRIPS}", engine="adbc").rows())


def test_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, want: pa.Table) -> None:
    """Driver managers find the driver by its name, or by the URI alone."""
    adbc_driver_hudi.manifest(tmp_path)
    monkeypatch.setenv("ADBC_DRIVER_PATH", str(tmp_path))
    for arguments in ({"driver": "hudi", "uri": TRIPS}, {"uri": f"hudi://{TRIPS}"}):
        with adbc_driver_manager.dbapi.connect(**arguments, autocommit=True) as connection:  # type: ignore[arg-type]
            with connection.cursor() as cursor:
                cursor.execute(SQL)
                check(want, cursor.fetchall())


def python(program: str, *arguments: str) -> str:
    """Runs a program in a process of its own."""
    command = [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(program), *arguments]
    r = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert r.returncode == 0, r.stderr
    return r.stdout.strip()


@pytest.mark.parametrize("first", ["duckdb", "adbc_driver_hudi"])
def test_beside_duckdb(first: str) -> None:
    """Two DuckDBs in a process, whichever comes first, and threads that use both."""
    program = f"""
        import {first}, sys
        import duckdb, adbc_driver_hudi
        from adbc_driver_hudi import dbapi
        for _ in range(3):
            with dbapi.connect(sys.argv[1]) as c, c.cursor() as cur:
                cur.execute("SELECT count(*) FROM trips t JOIN trips u USING (trip_id)")
                (n,), = cur.fetchall()
            scan = adbc_driver_hudi.Table(sys.argv[1]).scan()
            assert duckdb.sql("SELECT count(*) FROM scan").fetchone() == (n,)
        print(n, duckdb.sql("SELECT version()").fetchone()[0] != "")
    """
    assert python(program, TRIPS) == "463 True"


def test_duckdb_comes_with_sql(tmp_path: Path) -> None:
    """DuckDB's library is loaded when a statement needs it, not before; without it, scans do all the same."""
    program = """
        import sys
        from pyarrow.compute import field
        import adbc_driver_hudi
        from adbc_driver_hudi import Table, dbapi

        def loaded():
            with open("/proc/self/maps") as f:
                return "libhudi_duckdb" in f.read()

        trips = Table(sys.argv[1])
        n = trips.scan().to_arrow().num_rows
        for condition in ["fare > 20 AND city IN ('osaka', 'lisbon')", field("distance_km") > 9.0]:
            scan = trips.scan(["city", "fare"], condition, limit=10)
            assert sum(b.num_rows for b in scan) == 10 == scan.to_pandas().shape[0]
        assert sum(p.to_arrow().num_rows for p in trips.partitions()) == n
        assert trips.scan_polars().select("city").collect().height == n
        assert "city" in trips.schema().names
        assert trips.changes().to_arrow().num_rows == n
        with dbapi.connect(sys.argv[1]) as c, c.cursor() as cur:
            cur.execute("SELECT city FROM trips WHERE fare > 20 LIMIT 3")
            assert len(cur.fetchall()) == 3
            assert c.adbc_get_objects(depth="all").read_all().num_rows == 1
        assert not loaded()
        try:
            print(n, trips.count() == n and loaded())
        except adbc_driver_hudi._session.manager.Error as e:
            print(n, e)
    """
    assert python(program, TRIPS) == "463 True"
    alone = tmp_path / "adbc_driver_hudi"
    shutil.copytree(os.path.dirname(adbc_driver_hudi.__file__), alone, ignore=shutil.ignore_patterns("libhudi_duckdb*"))
    said = python(f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n" + textwrap.dedent(program), TRIPS)
    assert said.startswith("463 ") and "libhudi_duckdb" in said and "No such file" in said


def test_pages_of_loading() -> None:
    """The table of relocations, the library's first part, is not kept in memory."""
    program = """
        import re, sys
        from adbc_driver_hudi import Table

        Table(sys.argv[1]).schema()
        with open("/proc/self/smaps") as f:
            first = re.search(r"libadbc_driver_hudi.so\\nSize: +(\\d+) kB\\n(?:.*\\n)*?Rss: +(\\d+) kB", f.read())
        print(*first.groups())
    """
    size, resident = map(int, python(program, TRIPS).split())
    assert size > 1000 and resident < size / 2


def test_without_pyarrow() -> None:
    """Only the driver manager is needed."""
    program = """
        import sys
        sys.modules["pyarrow"] = None
        from adbc_driver_hudi import Table, scan_polars
        import polars
        t = Table(sys.argv[1])
        assert t.scan().to_polars().height == t.count() == len(t.scan().to_pylist()) == 463
        assert t.scan(limit=3)._repr_html_() and t.properties() and len(t.schema()) > 3 and t.partitions()
        assert scan_polars(sys.argv[1]).filter(polars.col("city") == "osaka").collect().height > 0
        try:
            t.scan().to_arrow()
        except ImportError as e:
            print(e)
    """
    assert "pip install pyarrow" in python(program, TRIPS)


def test_spawned_and_forked() -> None:
    """A forked child is told that it can't go on; a spawned one works."""
    program = """
        import multiprocessing, sys
        from adbc_driver_hudi import Table
        def ask(path):
            try:
                return Table(path).count()
            except Exception as e:
                return "fork" in str(e)
        if __name__ == "__main__":
            assert ask(sys.argv[1]) == 463
            with multiprocessing.get_context("fork").Pool(1) as pool:
                print(pool.apply(ask, (sys.argv[1],)))
    """
    assert python(program, TRIPS) == "True"


def test_forked_amid_a_stream() -> None:
    """The child has no thread that reads for it, and hears that it can't go on."""
    program = """
        import os, sys
        from adbc_driver_hudi import Table
        batches = iter(Table(sys.argv[1]).scan(batch_size=10))
        next(batches)
        if (child := os.fork()) == 0:
            try:
                next(batches)
            except Exception as e:
                os._exit(7 if "fork" in str(e) else 8)
            os._exit(9)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), 10 + sum(b.num_rows for b in batches))
    """
    assert python(program, TRIPS) == "7 463"


def test_threads_of_a_stream(trips: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches are read by one thread."""
    started = []
    start = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", lambda t: (started.append(t.name), start(t)))
    for read in (iter, lambda scan: scan.to_pylist()):
        scan = trips.scan(batch_size=10)
        del started[:]
        assert sum(1 for _ in read(scan)) > 40
        assert len(started) <= 2, started  # the first plans


def test_many_connections_at_once(spark: pa.Table) -> None:
    def ask(i: int) -> int:
        with dbapi.connect(TRIPS) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT * FROM trips" if i % 2 else f"SELECT count(*), {i} FROM trips")
            return len(cursor.fetchall())

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(64))) == [spark.num_rows if i % 2 else 1 for i in range(64)]


def test_one_table_in_many_threads(spark: pa.Table) -> None:
    table = Table(TRIPS)
    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(lambda _: table.scan(filter="distance_km > 9").to_arrow().num_rows, range(64)))
    assert set(counts) == {spark.filter(field("distance_km") > 9).num_rows}


def test_lifetimes(spark: pa.Table) -> None:
    """Streams outlive what they came from; whatever order things die in, and in whatever thread."""
    reader = Table(TRIPS).scan().reader()
    gc.collect()
    assert sum(b.num_rows for b in reader) == spark.num_rows

    batch = next(iter(Table(TRIPS).scan(batch_size=10)))
    gc.collect()
    assert batch.to_pylist()[0]

    readers = [Table(TRIPS).scan().reader() for _ in range(8)]
    first = [r.read_next_batch() for r in readers]
    thread = threading.Thread(target=readers.clear)  # half read, in another thread
    thread.start()
    thread.join()
    assert all(b.num_rows for b in first)

    connection = dbapi.connect(TRIPS)
    cursor = connection.cursor()
    cursor.execute("SELECT * FROM trips")
    handle = cursor.fetch_arrow()
    cursor.close()
    connection.close()
    assert pa.table(handle).num_rows == spark.num_rows

    for _ in range(20):  # opened and dropped
        Table(TRIPS).scan().__arrow_c_stream__()


def resident() -> int:
    """The memory that this process holds, in bytes."""
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_no_leak() -> None:
    table = Table(TRIPS)

    def ask(n: int) -> None:
        for i in range(n):
            if i % 4 == 0:
                table.sql(SQL).to_arrow()
            elif i % 4 == 1:
                next(iter(table.scan(batch_size=16)))
            else:
                table.scan(filter="distance_km > 9").to_arrow()
        gc.collect()

    ask(200)
    before = resident()
    ask(1000)
    assert resident() - before < 64 << 20


def test_ctrl_c() -> None:
    """Ctrl-C stops a scan, and the next one works."""
    program = """
        import os, polars, signal, sys, threading, time
        from adbc_driver_hudi import Table
        t = Table(sys.argv[1])
        slow = t.sql("SELECT sum(a.i * b.i % 7) AS s FROM range(100000) a(i), range(10000000) b(i)")
        for ask in (slow.to_arrow, slow.to_pylist, slow.to_polars, slow.count, lambda: list(slow)):
            timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            try:
                ask()
            except KeyboardInterrupt:
                pass
            else:
                raise AssertionError("not stopped")
        print(t.count())
    """
    t0 = time.monotonic()
    assert python(program, TRIPS) == "463"
    assert time.monotonic() - t0 < 60


def test_ctrl_c_in_dbapi() -> None:
    program = """
        import os, signal, sys, threading
        from adbc_driver_hudi import dbapi
        with dbapi.connect(sys.argv[1]) as c, c.cursor() as cur:
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
            try:
                cur.execute("SELECT sum(a.i * b.i % 7) AS s FROM range(100000) a(i), range(10000000) b(i)")
                cur.fetchall()
            except (dbapi.Error, KeyboardInterrupt) as e:
                print("stopped")
            cur.execute("SELECT 1")
            print(cur.fetchall())
    """
    assert python(program, TRIPS).splitlines() == ["stopped", "[(1,)]"]
