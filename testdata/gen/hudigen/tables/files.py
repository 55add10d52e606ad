"""Base files as different writers and settings write them."""

import datetime as dt
import glob
import random
from decimal import Decimal as D

import pyarrow.parquet as pq
from hudigen import env
from hudigen.fixture import drop_checksum, mkdf, table
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


# What Hudi's writers can be told: name -> (what, write options, Hadoop settings).
SETTINGS = {
    "no_dictionary": ("no dictionaries", {"hoodie.parquet.dictionary.enabled": "false"}, {}),
    "small_pages": (
        "many small pages and row groups",
        {"hoodie.parquet.page.size": "512", "hoodie.parquet.block.size": "16384"},
        {},
    ),
    "page_rows": ("pages of 20 rows", {}, {"parquet.page.row.count.limit": "20"}),
    "parquet_bloom": (
        "Parquet's own bloom filters on two columns",
        {},
        {
            "parquet.bloom.filter.enabled#id": "true",
            "parquet.bloom.filter.enabled#s": "true",
            "parquet.bloom.filter.expected.ndv#id": "300",
            "parquet.bloom.filter.expected.ndv#s": "300",
        },
    ),
    "lz4_hadoop": ("codec LZ4 in Hadoop's framing", {"hoodie.parquet.compression.codec": "lz4"}, {}),
}

DELTA = {
    "use_dictionary": False,
    "column_encoding": {
        "ts": "DELTA_BINARY_PACKED",
        "i": "DELTA_BINARY_PACKED",
        "l": "DELTA_BINARY_PACKED",
        "day": "DELTA_BINARY_PACKED",
        "d": "BYTE_STREAM_SPLIT",
        "b": "RLE",
        "s": "DELTA_BYTE_ARRAY",
        "rep": "DELTA_LENGTH_BYTE_ARRAY",
        "_hoodie_record_key": "DELTA_BYTE_ARRAY",
    },
}
# What other writers of such files may do: Hudi's files are written anew by pyarrow with these settings. Spark reads them.
REWRITES = {
    "int96": ("timestamps as INT96", {"use_deprecated_int96_timestamps": True}),
    "timestamp_millis": ("timestamps in milliseconds", {"coerce_timestamps": "ms", "allow_truncated_timestamps": True}),
    "pages_v2": ("data pages of version 2", {"data_page_version": "2.0", "data_page_size": 600}),
    "delta": ("delta, byte stream split and RLE encodings in data pages of version 1", DELTA),
    "delta_v2": ("the same in data pages of version 2", {**DELTA, "data_page_version": "2.0", "data_page_size": 600}),
    "integer_decimals": ("short decimals as integers", {"store_decimal_as_integer": True}),
    "brotli": ("codec BROTLI", {"compression": "brotli"}),
    "lz4_raw": ("codec LZ4_RAW", {"compression": "lz4"}),
    "zstd_groups": ("codec ZSTD, many row groups, page index", {"compression": "zstd", "write_page_index": True}),
    "no_statistics": ("no statistics, page checksums", {"write_statistics": False, "write_page_checksum": True}),
}


@table(*[f"file_{n}" for n in (*SETTINGS, *REWRITES)], extra=True)
def settings(fx):
    name = fx.name[5:]
    rewritten = name in REWRITES
    what, options, hadoop = (REWRITES[name][0], {}, {}) if rewritten else SETTINGS[name]
    fx.what = f"base files: {what}"
    conf = env.spark.sparkContext._jsc.hadoopConfiguration()
    fx.setup(False, "id", "part").opt({"hoodie.index.bloom.num_entries": "500", **options})
    listed(fx)
    for k, v in hadoop.items():
        conf.set(k, v)
    try:
        fx.write(data(fx, range(200), 1), "bulk_insert", "200 rows")
        fx.write(data(fx, range(200, 320), 1), "bulk_insert", "120 rows")
    finally:
        for k in hadoop:
            conf.unset(k)
    if name == "brotli":  # which Spark has no decoder for
        fx.afterwards = lambda: rewrite(fx, name, REWRITES[name][1])
    elif rewritten:
        rewrite(fx, name, REWRITES[name][1])
    fx.filters = ["id = 'k00007'", "i between 100 and 200", "s > 'prefix-0012'", "rep = 'red'", "day is null", "l > 0"]


def rewrite(fx, name, how):
    """Writes each base file anew, with the entries of its footer."""
    for path in glob.glob(f"{fx.path}/*/*.parquet"):
        t = pq.read_table(path, partitioning=None)
        meta = {k: v for k, v in (pq.read_metadata(path).metadata or {}).items() if k != b"ARROW:schema"}
        group = 50 if "groups" in name else len(t)
        how = {"compression": "gzip", **how}
        pq.write_table(t.replace_schema_metadata(meta), path, store_schema=False, row_group_size=group, **how)
        drop_checksum(path)
    fx.step(f"base files written anew by pyarrow: {how}")


@table("file_orc", extra=True)
def orc(fx):
    fx.what = "base files in ORC"
    fx.extra["refused"] = "orc"
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
