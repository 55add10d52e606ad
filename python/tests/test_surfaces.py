"""Every way to ask gives what Spark gives, on all tables."""

from __future__ import annotations

import datetime
import os
import random
import re
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from conftest import Real, checker, manifests

from adbc_driver_hudi import DatabaseOptions, Scan, Table, dbapi

#: Conditions of which Spark's counts are wrong (it takes -0.0 for no zero), that only Spark's own SQL has, or that
#: name a column by a word which DuckDB's SQL wants in quotes (at).
NOT_ASKED = re.compile(r"^f = 0$|`|\bsize\(|^at ")
KINDS = {"snapshot", "read_optimized", "time_travel", "incremental", "cdc", "filter"}


def sample() -> list[str]:
    """One table in six, other ones each day of the year; all of them if HUDI_ALL_TABLES is set."""
    every = 1 if os.environ.get("HUDI_ALL_TABLES") else 6
    return manifests()[datetime.date.today().timetuple().tm_yday % every :: every]


def scan(table: Table, q: dict[str, Any]) -> Scan:
    """The scan that is a query of a manifest."""
    options = q.get("options", {})
    if q["kind"] == "filter":
        return table.scan(filter=q["filter"])
    if q["kind"] in ("incremental", "cdc"):
        begin = options.get("begin")
        if begin and q.get("begin_inclusive") and begin.strip("0"):
            begin = str(int(begin) - 1).zfill(len(begin))
        return table.changes(begin, options.get("end"), deletes=False, images=q["kind"] == "cdc", meta=True)
    return table.scan(as_of=options.get("as_of"), read_optimized=q["kind"] == "read_optimized", meta=True)


def asked(real: Real, kinds: set[str] = KINDS) -> list[dict[str, Any]]:
    """The queries of a table's manifest."""
    return [q for q in checker.queries(real.manifest, kinds) if not NOT_ASKED.search(q.get("filter", ""))]


def wrong(real: Real, q: dict[str, Any], answer: pa.Table) -> str | None:
    """What is wrong with an answer, but for what is known to be."""
    if q["kind"] == "filter":
        return None if answer.num_rows == q["row_count"] else f"{answer.num_rows} rows, {q['row_count']} expected"
    why = checker.differ(pq.read_table(f"{real.folder}/{q['file']}"), answer, "keygen" in real.label)
    return None if checker.KNOWN.get(f"{real.label} {q['kind']}") else why


@pytest.mark.parametrize("real", sample(), indirect=True)
def test_answers(real: Real) -> None:
    table = real.open()
    for q in asked(real):
        if "refused" in q:
            with pytest.raises(dbapi.Error) as refusal:
                table.scan().to_arrow()
            assert q["refused"].lower() in str(refusal.value).lower()
            continue
        rows = scan(real.as_text() if q["kind"] == "cdc" else table, q)
        answer = rows.to_arrow()
        answer.validate(full=True)
        assert wrong(real, q, answer) is None, q
        # The schema that is promised is the one that comes.
        assert rows.schema().to_arrow().equals(answer.schema, check_metadata=True), q
        assert rows.count() == answer.num_rows, q
        if q["kind"] in ("snapshot", "time_travel", "read_optimized"):
            parts = [p.to_arrow() for p in rows.partitions()]
            together = pa.concat_tables(parts) if parts else answer.schema.empty_table()
            assert wrong(real, q, together) is None, ("partitions", q)


@pytest.mark.parametrize("real", manifests()[::7], indirect=True)
def test_sql(real: Real) -> None:
    """SQL through the engine, and plain SELECTs through the driver alone."""
    if real.manifest.get("refused"):
        pytest.skip("refused")
    (q,) = asked(real, {"snapshot"})
    options = {DatabaseOptions.META.value: "true"}
    options |= {DatabaseOptions.READ.value + k: v for k, v in real.read_options.items()}
    with dbapi.connect(real.path, db_kwargs=options) as connection, connection.cursor() as cursor:
        name = real.open().name
        for statement in (f'SELECT * FROM "{name}"', f'SELECT t.* FROM "{name}" t WHERE 1 = 1 ORDER BY 1'):
            cursor.execute(statement)
            assert wrong(real, q, cursor.fetch_arrow_table()) is None, statement


def some_expression(of: random.Random, rows: pa.Table, depth: int) -> pc.Expression:
    """A random condition on the columns of some rows, with constants among their values, NaN and null included."""
    if depth > 0 and of.random() < 0.7:
        one = some_expression(of, rows, depth - 1)
        other = some_expression(of, rows, depth - 1)
        return of.choice([one & other, one | other, ~one])
    plain = [f for f in rows.schema if not pa.types.is_nested(f.type)]
    column = of.choice(plain)
    field, values = pc.field(column.name), rows[column.name].to_pylist()
    value = pa.scalar(of.choice(values), column.type)
    kinds = [field == value, field != value, field < value, field <= value, field > value, field >= value]
    some = pa.array(of.sample(values, min(4, len(values))), column.type)
    if not pa.types.is_floating(column.type):  # NaN is in a list for pyarrow
        kinds.append(field.isin(some))
    return of.choice([*kinds, field.is_null(), field.is_valid()])


@pytest.mark.parametrize("real", [m for m in manifests() if "all_types" in m or "stats_nan" in m or "part_d" in m], indirect=True)
def test_expressions(real: Real) -> None:
    """pyarrow's expressions keep the rows that pyarrow itself keeps."""
    table = real.open()
    whole = table.scan(meta=True).to_arrow()
    of = random.Random(real.label)
    for _ in range(40):
        expression = some_expression(of, whole, 2)
        want = checker.differ(whole.filter(expression), table.scan(filter=expression, meta=True).to_arrow(), False)
        assert want is None, expression
