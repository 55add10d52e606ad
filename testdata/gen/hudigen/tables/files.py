"""Base files as different writers and settings write them."""

import datetime as dt
import random
from decimal import Decimal as D

from hudigen import env
from hudigen.fixture import Skip, mkdf, table
from hudigen.tables.paths import listed

DDL = (
    "id string, part string, ts bigint, i int, l bigint, d double, b boolean, s string, rep string, dec decimal(9,2), "
    "dec2 decimal(25,5), day date, at timestamp, bin binary, arr array<int>, m map<string,bigint>"
)


def data(fx, ids, ver):
    """Rows that make dictionaries, runs and deltas: sorted, repeated, random and null columns."""
    rows = []
    for i in ids:
        r = random.Random(f"{env.seed}/{fx.name}/{i}/{ver}")
        null = lambda v: None if r.random() < 0.2 else v
        rows.append(
            (
                f"k{i:05d}",
                "p0",
                1000 * ver + i,
                null(i * 3),
                (1 << 41) + i,
                null(r.uniform(-9, 9)),
                null(i % 5 == 0),
                null(f"prefix-{i // 10:04d}-{r.randint(0, 9)}"),
                ["red", "green", None][i // 40 % 3],
                null(D(r.randint(-9999, 9999)).scaleb(-2)),
                null(D(r.randint(-(10**20), 10**20)).scaleb(-5)),
                null(dt.date(2024, 1, 1) + dt.timedelta(days=i // 7)),
                null(dt.datetime(2024, 1, 1, 0, 0, i % 60, 1000 * (i % 999))),
                null(bytearray(r.randbytes(i % 5))),
                null([r.randint(0, 9) for _ in range(i % 4)]),
                null({f"m{j}": j for j in range(i % 3)}),
            )
        )
    return mkdf(rows, DDL)


SETTINGS = {
    # name: (what, write options, Hadoop settings)
    "int96": ("timestamps as INT96", {"hoodie.parquet.outputtimestamptype": "INT96"}, {}),
    "timestamp_millis": ("timestamps in milliseconds", {"hoodie.parquet.outputtimestamptype": "TIMESTAMP_MILLIS"}, {}),
    "pages_v2": ("data pages of version 2: delta encodings, levels uncompressed", {}, {"parquet.writer.version": "v2"}),
    "pages_v2_no_dictionary": (
        "data pages of version 2 without dictionaries: DELTA_BINARY_PACKED, DELTA_BYTE_ARRAY, RLE",
        {"hoodie.parquet.dictionary.enabled": "false"},
        {"parquet.writer.version": "v2"},
    ),
    "no_dictionary": ("no dictionaries", {"hoodie.parquet.dictionary.enabled": "false"}, {}),
    "legacy_decimals": ("decimals all as fixed-length bytes", {"hoodie.parquet.writelegacyformat.enabled": "true"}, {}),
    "small_pages": (
        "many small pages and row groups",
        {"hoodie.parquet.page.size": "512", "hoodie.parquet.block.size": "16384"},
        {},
    ),
    "page_rows": ("pages of 20 rows", {}, {"parquet.page.row.count.limit": "20"}),
    "parquet_bloom": (
        "Parquet's own bloom filters on two columns",
        {},
        {"parquet.bloom.filter.enabled#id": "true", "parquet.bloom.filter.enabled#s": "true"},
    ),
    "lz4": ("codec LZ4_RAW", {"hoodie.parquet.compression.codec": "lz4_raw"}, {}),
    "brotli": ("codec BROTLI", {"hoodie.parquet.compression.codec": "brotli"}, {}),
}


@table(*[f"file_{n}" for n in SETTINGS], *[f"file_{n}_avro" for n in ("pages_v2", "timestamp_millis")], extra=True)
def settings(fx):
    avro = fx.name.endswith("_avro")
    what, options, hadoop = SETTINGS[fx.name[5:].removesuffix("_avro")]
    fx.what = f"base files: {what}; written by {'the Avro writer' if avro else 'the row writer'}"
    conf = env.spark.sparkContext._jsc.hadoopConfiguration()
    fx.setup(False, "id", "part").opt({"hoodie.index.bloom.num_entries": "500", **options})
    listed(fx)
    fx.opt({"hoodie.datasource.write.row.writer.enable": "false" if avro else "true"})
    for k, v in hadoop.items():
        conf.set(k, v)
    try:
        fx.write(data(fx, range(200), 1), "bulk_insert", "200 rows")
        fx.write(data(fx, range(200, 320), 1), "bulk_insert", "120 rows")
    except Exception as e:
        if "brotli" in fx.name or "lz4" in fx.name:
            raise Skip(f"codec not in this Spark: {str(e)[:80]}")
        raise
    finally:
        for k in hadoop:
            conf.unset(k)
    fx.filters = ["id = 'k00007'", "i between 100 and 200", "s > 'prefix-0012'", "rep = 'red'", "day is null", "l > 0"]


@table("file_orc", extra=True)
def orc(fx):
    fx.what = "base files in ORC"
    fx.setup(False, "id", "part").opt({"hoodie.table.base.file.format": "ORC", "hoodie.base.file.format": "ORC"})
    fx.opt({"hoodie.datasource.write.row.writer.enable": "false"})
    ddl = "id string, part string, ts bigint, qty int"
    fx.write(mkdf([(f"k{i}", f"p{i % 2}", 1, i) for i in range(10)], ddl), "insert", "10 rows")


@table("file_mixed_writers", extra=True)
def mixed(fx):
    fx.what = "one table whose files come from the row writer, the Avro writer and an upsert"
    fx.setup(True, "id", "part").event_time().opt({"hoodie.index.bloom.num_entries": "500"})
    fx.opt({"hoodie.parquet.small.file.limit": "0"})
    row, avro = ({"hoodie.datasource.write.row.writer.enable": v} for v in ("true", "false"))
    fx.write(data(fx, range(60), 1), "bulk_insert", "60 rows, row writer", row)
    fx.write(data(fx, range(60, 120), 1), "bulk_insert", "60 rows, Avro writer", avro)
    fx.write(data(fx, range(120, 150), 1), "insert", "30 rows")
    fx.write(data(fx, range(30, 140, 7), 2), "upsert", "16 rows")
    fx.filters = ["id = 'k00007'", "i between 100 and 200", "rep = 'red'"]
