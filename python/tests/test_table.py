"""The table API, on the table of trips."""

from __future__ import annotations

import datetime
import decimal
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import adbc_driver_manager
import duckdb
import pandas
import polars
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from conftest import ANSWERS, ROOT, TRIPS, same

from adbc_driver_hudi import ConnectionOptions, DatabaseOptions, Partition, Table, dbapi, scan_polars, tables

field = pc.field


def test_forms(trips: Table, spark: pa.Table) -> None:
    scan = trips.scan()
    same(spark, scan.to_arrow())
    same(spark, pa.table(scan))
    same(spark, scan.reader().read_all())
    same(spark, pa.Table.from_batches(list(scan), scan.schema().to_arrow()))
    same(spark, pa.Table.from_pandas(scan.to_pandas(), schema=scan.to_arrow().schema, preserve_index=False))
    same(spark, scan.to_polars().to_arrow().cast(scan.to_arrow().schema))
    assert scan.count() == trips.count() == spark.num_rows == len(scan.to_pylist())
    assert polars.DataFrame(scan).height == spark.num_rows


def test_plain_python(trips: Table) -> None:
    """Without an Arrow library, values are those that pyarrow gives."""
    for rows in (trips.scan(), trips.timeline(), trips.files(), trips.scan(limit=0), trips.scan(meta=True)):
        assert sorted(map(repr, rows.to_pylist())) == sorted(map(repr, _in_utc(rows.to_arrow().to_pylist())))


def _in_utc(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Zones as Python's own."""
    for row in rows:
        for key, v in row.items():
            if isinstance(v, datetime.datetime) and v.tzinfo:
                row[key] = v.astimezone(datetime.timezone.utc)
    return rows


def test_columns_and_limit(trips: Table, spark: pa.Table) -> None:
    got = trips.scan(columns=["fare", "city"]).to_arrow()
    assert got.column_names == ["fare", "city"]
    same(spark.select(["fare", "city"]), got)
    assert trips.scan(limit=7).count() == 7 == trips.scan(limit=7).to_arrow().num_rows
    assert trips.scan(limit=0).to_arrow().num_rows == 0 == trips.scan(limit=0).count()
    assert max(b.num_rows for b in trips.scan(batch_size=50)) <= 50
    with pytest.raises(TypeError):
        trips.scan(columns="fare")
    with pytest.raises(ValueError):
        trips.scan(limit=-1)
    with pytest.raises(Exception, match="nonsense"):
        trips.scan(columns=["nonsense"]).to_arrow()
    with pytest.raises(ValueError, match="count"):
        trips.scan(columns=[])
    with pytest.raises(TypeError, match="names"):
        trips.scan(columns=[3])  # type: ignore[list-item]
    for wrong in (2.5, "5", True):
        with pytest.raises(TypeError, match="limit is a whole number"):
            trips.scan(limit=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "sql, expression",
    [
        ("distance_km > 9", field("distance_km") > 9.0),
        ("fare > 20", field("fare") > pa.scalar(decimal.Decimal("20.00"), pa.decimal128(8, 2))),
        ("paid AND city = 'osaka'", field("paid") & (field("city") == "osaka")),
        ("NOT (city = 'osaka') OR distance_km <= 2.5", ~(field("city") == "osaka") | (field("distance_km") <= 2.5)),
        ("tip IS NULL", field("tip").is_null()),
        ("trip_id >= 'T00100' AND city <> 'lisbon'", (field("trip_id") >= "T00100") & (field("city") != "lisbon")),
        ("city IN ('osaka', 'lisbon') AND tip IS NOT NULL", field("city").isin(["osaka", "lisbon"]) & field("tip").is_valid()),
        ("NOT (city IN ('osaka'))", ~field("city").isin(["osaka"])),
        (
            "ts < TIMESTAMP '2025-03-02 00:00:00Z'",
            field("ts") < pa.scalar(datetime.datetime(2025, 3, 2, tzinfo=datetime.timezone.utc), pa.timestamp("us", "UTC")),
        ),
    ],
)
def test_filters(trips: Table, spark: pa.Table, sql: str, expression: pc.Expression) -> None:
    want = spark.filter(expression)
    same(want, trips.scan(filter=sql).to_arrow())
    same(want, trips.scan(filter=expression).to_arrow())
    substrait = bytes(expression.to_substrait(spark.schema))
    same(want, trips.scan(filter=substrait).to_arrow())
    same(want.select(["trip_id"]), trips.scan(["trip_id"], expression).to_arrow())
    assert trips.count(expression) == trips.count(sql) == want.num_rows
    for filter in (sql, expression):
        parts = trips.partitions(filter=filter)
        same(want, pa.concat_tables([trips.scan(limit=0).to_arrow(), *(p.to_arrow() for p in parts)]))


def test_bad_filters(trips: Table) -> None:
    with pytest.raises(TypeError, match="int"):
        trips.scan(filter=3)  # type: ignore[arg-type]
    for expression in (pc.utf8_upper(field("city")) == "OSAKA", field("fare") > 2.5, field("city").isin([])):
        with pytest.raises(ValueError, match="SQL text"):
            trips.scan(filter=expression)
    with pytest.raises(ValueError, match="nonsense.*there are .*city"):
        trips.scan(filter=field("nonsense") > 3)
    with pytest.raises(adbc_driver_manager.NotSupportedError, match="write it in SQL"):
        trips.scan(filter=field("distance_km") / 2.0 > 4.0).to_arrow()
    for empty in ("", " ", b""):
        with pytest.raises(ValueError, match="empty"):
            trips.scan(filter=empty)
    for more in ("fare > 0 LIMIT 3", "false UNION ALL SELECT * FROM trips", "fare > 0; SELECT 1"):
        with pytest.raises(adbc_driver_manager.ProgrammingError, match="syntax error"):
            trips.scan(filter=more).to_arrow()
    assert trips.scan(filter="fare > 0 -- any", limit=2).to_arrow().num_rows == 2
    with pytest.raises(TypeError, match="SQL text"):
        trips.files(filter=field("city") == "osaka")  # type: ignore[arg-type]
    with pytest.raises(adbc_driver_manager.ProgrammingError, match="extended expression"):
        trips.scan(filter=b"no substrait").to_arrow()
    with pytest.raises(Exception):
        trips.scan(filter="fare >").to_arrow()


def test_time_travel(trips: Table) -> None:
    import pyarrow.parquet as pq

    instant = "20261130023112389"
    want = pq.read_table(ANSWERS / "expected" / f"time_travel_{instant}.parquet")
    same(want, trips.scan(as_of=instant, meta=True).to_arrow())
    moment = datetime.datetime(2026, 11, 30, 2, 31, 13, tzinfo=datetime.timezone.utc)
    for same_time in (moment, pandas.Timestamp(moment), int(moment.timestamp() * 1000), moment.isoformat()):
        assert trips.scan(as_of=same_time).count() == want.num_rows, same_time
    local = moment.astimezone().replace(tzinfo=None)
    assert trips.scan(as_of=local).count() == trips.scan(as_of=pandas.Timestamp(local)).count() == want.num_rows
    for wrong in ("", 1.5, True, pandas.NaT, datetime.time(1)):
        with pytest.raises(TypeError, match="a time is"):
            trips.scan(as_of=wrong)  # type: ignore[arg-type]
    assert trips.scan(as_of=int(instant)).count() == want.num_rows
    with pytest.raises(adbc_driver_manager.Error, match="before the first write"):
        trips.scan(as_of=978307200).count()  # seconds, taken for milliseconds
    late = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=3650)
    assert trips.scan(as_of=late).count() == trips.count()
    with pytest.raises(Exception, match="before the first write"):
        trips.scan(as_of=datetime.date(2001, 1, 1)).to_arrow()


def test_changes(trips: Table) -> None:
    first = trips.timeline().to_pylist()[0]["completion"]
    changes = trips.changes(first)
    kinds = {r["_hoodie_operation"] for r in changes.to_pylist()}
    assert kinds == {"I", "U", "D"}
    deleted = trips.changes(first, filter="_hoodie_operation = 'D'").to_arrow()
    assert deleted.num_rows > 0 and deleted.schema == changes.schema().to_arrow()
    updated = trips.changes(first, deletes=False)
    assert "_hoodie_operation" not in updated.schema().names
    assert 0 < updated.count() < changes.count()
    assert set(trips.changes(first, images=True).to_arrow()["op"].to_pylist()) <= {"i", "u", "d"}


def test_about(trips: Table) -> None:
    assert trips.name == "trips"
    assert [f.name for f in trips.schema()][:2] == trips.scan().to_arrow().column_names[:2]
    assert trips.schema().to_arrow() == trips.scan().to_arrow().schema
    assert "_hoodie_record_key" in trips.schema(meta=True).names
    assert trips.properties()["hoodie.table.name"] == "trips"
    assert len(trips.timeline().to_pylist()) >= 8
    cities = {"city=lisbon", "city=nairobi", "city=osaka", "city=toronto"}
    assert {r["partition"] for r in trips.partition_paths().to_pylist()} == cities
    osaka = trips.files(filter="city = 'osaka'").to_pylist()
    assert {r["partition"] for r in osaka} == {"city=osaka"} and len(osaka) < len(trips.files().to_pylist())
    assert trips.plan("city = 'osaka'").to_pylist()
    assert trips.sql("SELECT count(*) AS n FROM trips").to_pylist() == [{"n": trips.count()}]
    found = tables(ROOT / "testdata" / "trips")
    assert list(found) == ["trips"] and found["trips"].count() == trips.count()
    with pytest.raises(Exception, match="nowhere"):
        Table("/nowhere/at/all").count()


def test_notebooks(trips: Table) -> None:
    assert "<th>city</th>" in trips.scan()._repr_html_() and "the first 10 rows" in trips.scan()._repr_html_()
    assert "MERGE_ON_READ" in trips._repr_html_() and "trip_id" in trips._repr_html_()
    assert "<td>" in trips.timeline()._repr_html_()
    assert "<th>fare</th>" in trips.scan(columns=["fare"], filter="fare > 1e9")._repr_html_()


def test_pandas(trips: Table, spark: pa.Table) -> None:
    want = spark.to_pandas().groupby("city")["fare"].sum().sort_index()
    got = trips.scan(columns=["city", "fare"]).to_pandas().groupby("city")["fare"].sum().sort_index()
    pandas.testing.assert_series_equal(want, got)


def test_duckdb(trips: Table, spark: pa.Table) -> None:
    scan = trips.scan()
    con = duckdb.connect()
    (want,) = con.execute("SELECT sum(fare) FROM spark").fetchone()
    assert con.sql("SELECT sum(fare) FROM scan").fetchone() == pytest.approx((want,))
    assert con.sql("SELECT sum(fare) FROM scan").fetchone() == pytest.approx((want,))  # a scan can be read again
    assert con.sql("SELECT sum(fare) FROM trips").fetchone() == pytest.approx((want,))  # and so can a table
    assert scan.to_duckdb(con).aggregate("sum(fare)").fetchone() == pytest.approx((want,))
    scan.to_duckdb(con, "t")
    for _ in range(2):
        assert con.execute("SELECT sum(fare) FROM t").fetchone() == pytest.approx((want,))


def test_polars_lazily(trips: Table, spark: pa.Table) -> None:
    c = polars.col
    lazy = scan_polars(TRIPS)
    eager = polars.from_arrow(spark)
    assert isinstance(eager, polars.DataFrame)
    assert lazy.collect_schema().names() == eager.columns
    for predicate in (
        c("fare") > 20,
        (c("city") == "osaka") & (c("distance_km") <= 2.5),
        c("city").is_in(["osaka", "lisbon"]) & c("trip_id").str.starts_with("T000"),
        (c("ts") < datetime.datetime(2025, 3, 2, tzinfo=datetime.timezone.utc)) | c("tip").is_null(),
        ~c("city").str.contains("o"),
        c("trip_id").str.len_chars() > 3,
    ):
        got = lazy.filter(predicate).select("trip_id", "fare").sort("trip_id").collect()
        assert got.equals(eager.filter(predicate).select("trip_id", "fare").sort("trip_id")), predicate
    assert lazy.head(5).collect().height == 5
    assert lazy.filter(c("fare") > 20).head(5).collect().height == 5
    by_city = lazy.group_by("city").agg(c("fare").sum()).sort("city").collect()
    assert by_city["city"].to_list() == sorted(set(spark["city"].to_pylist()))
    assert trips.scan_polars(as_of="20261130023040954").select(polars.len()).collect().item() == 400


def test_partitions(trips: Table, spark: pa.Table) -> None:
    parts = trips.scan(columns=["city", "fare"], filter="distance_km > 9").partitions()
    assert len(parts) > 1
    copies = [pickle.loads(pickle.dumps(p)) for p in parts]
    assert copies == parts and all(isinstance(p, Partition) for p in copies)
    want = spark.filter(field("distance_km") > 9).select(["city", "fare"])
    same(want, pa.concat_tables(p.to_arrow() for p in copies))
    assert sum(p.count() for p in parts) == want.num_rows
    assert parts[0].schema().to_arrow() == want.schema or parts[0].schema().names == want.column_names
    (few,) = trips.scan(limit=3).partitions()
    assert few.count() == 3


def test_pickled(trips: Table) -> None:
    scan = pickle.loads(pickle.dumps(trips.scan(["city"], "fare > 20")))
    same(trips.scan(["city"], "fare > 20").to_arrow(), scan.to_arrow())
    assert pickle.loads(pickle.dumps(trips)).count() == trips.count()
    with pytest.raises(adbc_driver_manager.ProgrammingError) as error:
        trips.scan(["nonsense"]).to_arrow()
    copy = pickle.loads(pickle.dumps(error.value))
    assert type(copy) is type(error.value) and str(copy) == str(error.value) and copy.sqlstate == "42S22"
    assert copy.status_code == adbc_driver_manager.AdbcStatusCode.INVALID_ARGUMENT


def test_paths(trips: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path means one table, wherever the process is and goes; the driver's own URIs do for all that is asked."""
    monkeypatch.chdir(ROOT / "testdata")
    relative = Table("trips")
    parts = relative.partitions()
    shutil.copytree(TRIPS, tmp_path / "trips", ignore=lambda *_: ["city=osaka"])
    monkeypatch.chdir(tmp_path)
    assert relative.count() == trips.count() == sum(p.count() for p in parts)
    with pytest.raises(adbc_driver_manager.Error, match="osaka"):
        Table("trips").scan().to_arrow()
    for uri in (f"hudi://{TRIPS}", f"hudi:{TRIPS}?meta=true", f"file://{TRIPS}"):
        assert len(Table(uri).files().to_pylist()) == len(trips.files().to_pylist())
        assert list(tables(uri)) == ["trips"]


def test_hudi_columns(trips: Table) -> None:
    """Conditions may be on Hudi's own columns, in any form, whether they are wanted or not."""
    every = trips.scan(meta=True).to_arrow()
    want = every.filter(field("_hoodie_partition_path") == "city=osaka").num_rows
    for filter in ("_hoodie_partition_path = 'city=osaka'", field("_hoodie_partition_path") == "city=osaka"):
        assert trips.scan(filter=filter).to_arrow().num_rows == want
        assert trips.count(filter) == want
        assert trips.scan(filter=filter, meta=True).to_arrow().schema == every.schema


def test_options_by_name(trips: Table) -> None:
    """Members of the enumerations do for their names."""
    names = Table(TRIPS, options={DatabaseOptions.META: "true"}).schema().names
    assert names == trips.schema(meta=True).names
    for options in ({"db_kwargs": {DatabaseOptions.META: "true"}}, {"conn_kwargs": {ConnectionOptions.META: "true"}}):
        with dbapi.connect(TRIPS, **options) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT * FROM trips LIMIT 1")
            assert cursor.fetch_arrow_table().column_names == names


def test_partitions_elsewhere(trips: Table) -> None:
    """Another process reads them, with nothing but the bytes."""
    blob = pickle.dumps(trips.scan(columns=["trip_id"]).partitions())
    program = "import pickle, sys; print(sum(p.count() for p in pickle.load(sys.stdin.buffer)))"
    out = subprocess.run([sys.executable, "-c", program], input=blob, capture_output=True, check=True)
    assert int(out.stdout) == trips.count()


def test_files_that_have_gone(tmp_path: Path) -> None:
    """Every way to read tells of an error in the middle of a stream, with the file's name."""
    path = tmp_path / "trips"
    shutil.copytree(TRIPS, path)
    parts = Table(path).partitions()
    for file in path.glob("city=*/*"):
        file.unlink()
    for read in (Partition.to_arrow, Partition.to_pylist, Partition.count, Partition.to_polars, list):
        with pytest.raises(adbc_driver_manager.Error, match="no such file") as error:
            for part in parts:
                read(part)
        assert str(path) in str(error.value)
