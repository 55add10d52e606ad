"""Wide tables that several writers fill, each its own columns. examples/multistream reads them."""

import threading

from hudigen import env
from hudigen.fixture import mkdf, table

# Who writes what, beside the key a and the time ts.
STREAMS = {"orders": ("b", "c"), "payments": ("d",), "parcels": ("e",)}
PAYLOAD = "org.apache.hudi.common.model.OverwriteNonDefaultsWithLatestAvroPayload"
COLUMNS = "a string, b string, c double, d double, e string, ts bigint"


def row(i, stream, version, ts):
    values = {"b": f"{stream} {version}/{i}", "c": i / 4 + version, "d": i * 1.5 + version, "e": f"box {version}/{i}"}
    return (f"a{i:03d}", *(values[c] if c in STREAMS[stream] else None for c in "bcde"), ts)


def same_time(*writers):
    """Runs writers side by side."""
    errors = []

    def guarded(do):
        try:
            do()
        except Exception as e:
            errors.append(e)

    threads = [threading.Thread(target=guarded, args=(w,)) for w in writers]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]


@table("multistream", minv=9, extra=True)
def t_multistream(fx):
    fx.setup(True, "a", part=None).opt(
        {
            "hoodie.datasource.write.payload.class": PAYLOAD,
            "hoodie.table.type": "MERGE_ON_READ",
            "hoodie.index.type": "BUCKET",
            "hoodie.bucket.index.num.buckets": "1",
            "hoodie.index.bucket.engine": "SIMPLE",
            "hoodie.write.concurrency.mode": "NON_BLOCKING_CONCURRENCY_CONTROL",
            "hoodie.clean.failed.writes.policy": "LAZY",
            "hoodie.cleaner.policy.failed.writes": "LAZY",
            "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider",
        }
    )
    fx.what = "three writers at a time, each with its own columns of one wide table; nulls give way (IGNORE_DEFAULTS)"

    def stream(name, version, ids):
        rows = [row(i, name, version, 1000 * version + i) for i in ids]
        fx.write(mkdf(rows, COLUMNS), "upsert", f"{name} writes {', '.join(STREAMS[name])} of {len(rows)} rows")

    stream("orders", 1, range(24))
    compact = {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"}
    rows = [row(i, "payments", 1, 1000 + i) for i in range(0, 24, 2)]
    fx.write(mkdf(rows, COLUMNS), "upsert", "payments writes d of 12 rows; compaction", compact)
    same_time(
        lambda: stream("orders", 2, range(20, 30)),
        lambda: stream("payments", 2, range(0, 30, 3)),
        lambda: stream("parcels", 2, range(5, 35, 2)),
    )
    stream("payments", 3, range(4, 9))
    fx.write(
        mkdf([(f"a{i:03d}", None, 99.5, None, "returned", 4000 + i) for i in range(6, 10)], COLUMNS),
        "upsert",
        "a fourth writer overlaps with two: c and e of 4 rows",
    )
    fx.write(mkdf([row(i, "orders", 5, 5000 + i) for i in (3, 33)], COLUMNS), "delete", "2 keys")
    stream("parcels", 6, range(2, 5))


@table("multistream_merge_into", minv=9, extra=True)
def t_multistream_merge_into(fx):
    fx.mor = True
    fx.keys = ["a"]
    fx.what = "writers MERGE INTO their own columns of one wide table: their log blocks hold only these (IS_PARTIAL)"
    for k, v in {
        "hoodie.spark.sql.merge.into.partial.updates": "true",
        "hoodie.spark.sql.insert.into.operation": "upsert",
        "hoodie.embed.timeline.server": "false",
        "hoodie.compact.inline": "false",
        "hoodie.logfile.data.block.format": "avro",
    }.items():
        env.spark.sql(f"set {k}={v}")
    fx.sql(
        f"create table {fx.name} ({COLUMNS}) using hudi tblproperties(primaryKey='a', "
        f"preCombineField='ts', type='mor', recordMergeMode='COMMIT_TIME_ORDERING') location '{fx.path}'",
        "",
    )

    def values(rows):
        text = [f"('{r[0]}', {', '.join('null' if v is None else repr(v) for v in r[1:])})" for r in rows]
        typed = ", ".join(f"cast({c.split()[0]} as {c.split()[1]}) {c.split()[0]}" for c in COLUMNS.split(", "))
        return f"select {typed} from values {', '.join(text)} as v(a, b, c, d, e, ts)"

    def merge(name, version, ids):
        rows = [row(i, name, version, 1000 * version + i) for i in ids]
        sets = ", ".join(f"{c} = s.{c}" for c in STREAMS[name])
        fx.sql(
            f"merge into {fx.name} t using ({values(rows)}) s on t.a = s.a "
            f"when matched then update set {sets}, ts = s.ts",
            f"{name} merges {', '.join(STREAMS[name])} into {len(rows)} rows",
        )

    rows = [row(i, "orders", 1, 1000 + i) for i in range(24)]
    fx.sql(f"insert into {fx.name} {values(rows)}", "orders inserts 24 rows")
    merge("payments", 2, range(0, 24, 2))
    merge("parcels", 3, range(0, 24, 3))
    merge("orders", 4, range(6, 12))
    merge("payments", 5, range(8, 11))
