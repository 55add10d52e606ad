"""Expression indexes of the metadata table, and bucket indexes, whose file ids tell which keys a file group has."""

import datetime as dt

from hudigen import env
from hudigen.answers import err
from hudigen.fixture import mkdf, table
from hudigen.tables.histories import SMALL

EXPRESSED = "id string, part string, ts bigint, at timestamp, day date, name string, tag string, n int"


def expressed(ids, ver):
    """Rows whose columns rise with the id, so that files have ranges of their own; some nulls, in one file only."""
    out = []
    for i in ids:
        at = dt.datetime(2021, 1, 1) + dt.timedelta(days=10 * i, minutes=ver)
        odd = 40 <= i < 60 and i % 5 == 0
        out.append(
            (
                f"k{i:04d}",
                f"p{i % 2}",
                int(at.replace(tzinfo=dt.timezone.utc).timestamp()),
                None if odd else at,
                None if odd else at.date(),
                f"{'AbCdEfGh'[i // 20 % 8]}Name{i:03d}",
                f"Tag{i // 20}",
                i * 10 + ver,
            )
        )
    return mkdf(out, EXPRESSED)


INDEXES = (
    ("from_unixtime", "column_stats", "ts", "expr='from_unixtime', format='yyyy-MM-dd'"),
    ("year", "column_stats", "at", "expr='year'"),
    ("lower", "column_stats", "name", "expr='lower'"),
    ("prefix", "column_stats", "name", "expr='substring', pos='1', len='2'"),
    ("tags", "bloom_filters", "tag", "expr='identity'"),
)


@table("expression_index", "expression_index_v8", extra=True)
def expression_index(fx):
    fx.what = "expression indexes of all kinds, and no statistics of columns: files hold rising values"
    fx.setup(False).event_time().opt(SMALL).opt(
        {
            "hoodie.parquet.small.file.limit": "0",
            "hoodie.metadata.compact.max.delta.commits": "20",
            "hoodie.metadata.index.expression.file.group.count": "1",
            # without these 1.2.0 fails to update the indexes
            "hoodie.embed.timeline.server": "true",
            "hoodie.metadata.streaming.write.enabled": "false",
        }
    )
    fx.write(expressed(range(0, 20), 1), "insert", "20 rows")
    fx.write(expressed(range(20, 40), 1), "insert", "20 rows in new files")
    fx.register()
    env.spark.sql("set hoodie.write.lock.provider=org.apache.hudi.client.transaction.lock.InProcessLockProvider")
    env.spark.sql("set hoodie.write.markers.type=DIRECT")
    env.spark.sql("set hoodie.metadata.index.column.stats.enable=false")
    env.spark.sql("set hoodie.metadata.index.partition.stats.enable=false")
    env.spark.sql("set hoodie.metadata.index.expression.file.group.count=1")
    for name, kind, column, options in INDEXES:
        q = f"create index {name} on {fx.name} using {kind}({column}) options({options})"
        try:
            fx.sql(q, "")
        except Exception as e:
            fx.note(q + " failed: " + err(e))
    fx.write(expressed(range(40, 60), 1), "insert", "20 rows in new files, some nulls")
    fx.write(expressed(range(0, 5), 2), "upsert", "5 rows of the first files")
    fx.filters = [
        "ts between 1609459200 and 1609900000",
        "ts = 1610323260",
        "at >= timestamp'2022-01-20 00:00:00'",
        "at < timestamp'2020-05-20 00:00:00'",
        "name = 'CName050'",
        "name >= 'C' and name < 'D'",
        "tag = 'Tag2'",
        "at is null",
    ]


BUCKET = {
    "hoodie.index.type": "BUCKET",
    "hoodie.index.bucket.engine": "SIMPLE",
    "hoodie.bucket.index.num.buckets": "4",
}


def bucketed(ids, ver):
    """Rows with two key columns."""
    schema = "id string, line int, ts bigint, qty int, part string"
    return mkdf([(f"k{i:03d}", i % 4, 1000 * ver + i, 1000 * ver + i, f"p{i % 3}") for i in ids], schema)


@table("bucket_simple", "bucket_simple_composite", extra=True)
def bucket(fx):
    fx.what = "a bucket index of 4 buckets: the first eight digits of a file id are its bucket"
    two = fx.name.endswith("composite")
    fx.setup(two, "id,line" if two else "id").event_time().opt(SMALL).opt(BUCKET)
    if two:
        fx.what += ", by one of two key columns"
        fx.opt({"hoodie.bucket.index.hash.field": "id"})
    fx.write(bucketed(range(40), 1), "upsert", "40 rows")
    fx.write(bucketed(range(0, 40, 3), 2), "upsert", "14 rows")
    fx.write(bucketed([3, 4], 3), "delete", "2 keys")
    fx.filters = ["id = 'k003'", "id = 'k006'", "id in ('k010', 'k011')", "id = 'nobody'"]


@table("bucket_single_complex", "bucket_reversed", extra=True)
def bucket_of_key(fx):
    reversed_ = fx.name.endswith("reversed")
    fx.setup(False, "id,line" if reversed_ else "id").event_time().opt(SMALL).opt(BUCKET)
    if reversed_:
        fx.what = "a bucket index of 4 buckets whose key columns are named in another order than the record key's"
        fx.opt({"hoodie.bucket.index.hash.field": "line,id"})
    else:
        fx.what = "a bucket index of 4 buckets, ComplexKeyGenerator with one key field: the whole key is hashed"
        fx.opt({"hoodie.datasource.write.keygenerator.class": "org.apache.hudi.keygen.ComplexKeyGenerator"})
    fx.incremental = fx.time_travel = False
    fx.write(bucketed(range(40), 1), "upsert", "40 rows")
    fx.filters = ["id = 'k003'", "id = 'k006' and line = 2", "id in ('k010', 'k011')", "id = 'nobody'"]


@table("bucket_commas_v6", extra=True)
def bucket_commas(fx):
    fx.what = "a bucket index of one of two key columns; the other has commas, and what follows them is hashed too"
    fx.setup(False, "id,name").event_time().opt(SMALL).opt(BUCKET).opt({"hoodie.bucket.index.hash.field": "id"})
    fx.incremental = fx.time_travel = False
    rows = [(f"k{i:03d}", f"last {i}, first", 1000 + i, i, f"p{i % 2}") for i in range(40)]
    fx.write(mkdf(rows, "id string, name string, ts bigint, qty int, part string"), "upsert", "40 rows")
    fx.filters = ["id = 'k003'", "id in ('k010', 'k011')", "id = 'k004' and name = 'last 4, first'"]
