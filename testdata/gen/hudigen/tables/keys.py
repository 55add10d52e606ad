"""Key generators, partition paths and indexes that move rows."""

import datetime as dt

from hudigen.fixture import table
from hudigen.rows import Rows
from pyspark.sql.types import DateType, LongType, StringType, StructField


@table("hive_style")
def t_hive(fx):
    mor = fx.choose("mor", [False, True])
    fx.what = f"{'MOR' if mor else 'COW'}: hive style + url-encoded partition values, a null and an odd partition value"
    fx.setup(mor, "id", "part").opt(
        {
            "hoodie.datasource.write.hive_style_partitioning": "true",
            "hoodie.datasource.write.partitionpath.urlencode": "true",
        }
    )
    vals = ["a b", "x/y", "50%", "k=v", "ünï", "it's", "a:b", None, "2024-01-01 10:00:00", "a+b"]
    s = Rows(fx, keytype="string", parttype="string")
    n = fx.n()
    p = lambda i: vals[i % len(vals)]
    s.put("insert", range(n), 1, part=p)
    s.put("upsert", range(n // 2), 2, part=p)
    s.put("delete", range(0, n, 8), 3, part=p)
    fx.filters = [
        "part = 'x/y'",
        "part = 'a b'",
        "part is null",
        "part = '50%'",
        "id = 'k00007'",
        "qty between 200 and 500",
    ]


@table("drop_partition_columns")
def t_droppart(fx):
    fx.what = (
        "COW hive style, hoodie.datasource.write.drop.partition.columns=true (the partition column is only in the path)"
    )
    s = Rows(fx, parttype="string")
    fx.setup(False, s.key).opt(
        {
            "hoodie.datasource.write.hive_style_partitioning": "true",
            "hoodie.datasource.write.drop.partition.columns": "true",
        }
    )
    n = fx.n()
    s.put("insert", range(n), 1)
    s.put("upsert", range(n // 2), 2)
    s.std_filters()


@table("complex_keygen")
def t_complex(fx):
    mor = fx.choose("mor", [True, False])
    fx.what = f"{'MOR' if mor else 'COW'}: ComplexKeyGenerator, keys id,id2, two-level partitions region,day"
    s = Rows(
        fx, keytype="composite", part=False, extra=[StructField("region", StringType()), StructField("day", DateType())]
    )
    fx.setup(mor, "id,id2", "region,day").event_time()
    hs = fx.choose("hive_style", ["false", "true"])
    fx.opt({"hoodie.datasource.write.hive_style_partitioning": hs})
    o = dict(region=lambda i: ["eu", "us"][i % 2], day=lambda i: dt.date(2024, 3, 1 + i % 3))
    n = fx.n()
    s.put("insert", range(n), 1, **o)
    s.put("upsert", range(n // 2), 2, **o)
    s.put("delete", range(3, n, 9), 3, **o)
    s.put("upsert", range(n - 4, n + 8), 4, **o)
    fx.filters = [
        "region = 'eu'",
        "region = 'us' and day = date'2024-03-02'",
        "day >= date'2024-03-02'",
        "id = 'k00007' and id2 = 2",
        "qty between 200 and 500",
    ]


@table("timestamp_keygen", "custom_keygen")
def t_tskg(fx):
    custom = fx.name == "custom_keygen"
    mor = fx.choose("mor", [False, True])
    fx.what = f"{'MOR' if mor else 'COW'}: " + (
        "CustomKeyGenerator region:SIMPLE,ev:TIMESTAMP (DATE_STRING)"
        if custom
        else "TimestampBasedKeyGenerator EPOCHMILLISECONDS"
    )
    fmt = fx.choose("fmt", ["yyyy/MM/dd", "yyyy-MM-dd", "yyyyMMdd"] if not custom else ["yyyy-MM-dd", "yyyyMMdd"])
    s = Rows(
        fx,
        keytype="string",
        part=False,
        extra=[StructField("region", StringType()), StructField("ev", StringType() if custom else LongType())],
    )
    fx.setup(mor, "id", "region:SIMPLE,ev:TIMESTAMP" if custom else "ev").opt(
        {
            "hoodie.datasource.write.keygenerator.class": "org.apache.hudi.keygen."
            + ("CustomKeyGenerator" if custom else "TimestampBasedKeyGenerator"),
            "hoodie.keygen.timebased.timestamp.type": "DATE_STRING" if custom else "EPOCHMILLISECONDS",
            "hoodie.keygen.timebased.input.dateformat": "yyyy-MM-dd HH:mm:ss",
            "hoodie.keygen.timebased.output.dateformat": fmt,
            "hoodie.keygen.timebased.timezone": "UTC",
        }
    )
    base = 1704067200000
    ms = lambda i: base + (i % 4) * 86400000 + i * 1000
    o = dict(
        region=lambda i: ["eu", "us"][i % 2],
        ev=(lambda i: dt.datetime.utcfromtimestamp(ms(i) / 1000).strftime("%Y-%m-%d %H:%M:%S")) if custom else ms,
    )
    n = fx.n()
    s.put("insert", range(n), 1, **o)
    s.put("upsert", range(n // 2), 2, **o)
    s.put("delete", range(3, n, 9), 3, **o)
    fx.filters = [
        (
            "ev >= '2024-01-02' and ev < '2024-01-03'"
            if custom
            else f"ev >= {base + 86400000} and ev < {base + 2 * 86400000}"
        ),
        "region = 'eu'",
        "id = 'k00007'",
        "qty between 200 and 500",
    ]


@table("virtual_keys_cow", "virtual_keys_mor")
def t_virtual(fx):
    s = Rows(fx, keytype=fx.choose("keytype", ["string", "long"]))
    fx.setup(fx.name.endswith("mor"), s.key).event_time().opt({"hoodie.populate.meta.fields": "false"})
    fx.what = "hoodie.populate.meta.fields=false (meta columns are null in the files)"
    fx.incremental = False
    n = fx.n()
    s.put("insert", range(n), 1)
    s.put("upsert", range(n // 2), 2, lambda i: [500, 5000][i % 2] + i)
    s.put("delete", range(0, n, 7), 3)
    s.put("upsert", range(n - 5, n + 10), 4)
    s.std_filters()


@table("nometa_nested_cow", "nometa_nested_mor")
def t_nometa(fx):
    s = Rows(fx, keytype="string", part=False, extra=[StructField(c, StringType()) for c in ("y", "m", "d")])
    fx.setup(fx.name.endswith("mor"), "id", "y,m,d").event_time().opt({"hoodie.metadata.enable": "false"})
    fx.what = "no metadata table, three-level partitions: file listing needed"
    fx.read_opts = {"hoodie.metadata.enable": "false"}
    o = dict(y=lambda i: str(2023 + i % 2), m=lambda i: f"{1 + i % 3:02d}", d=lambda i: f"{1 + i % 2:02d}")
    n = fx.n()
    s.put("insert", range(n), 1, **o)
    s.put("upsert", range(n // 2), 2, **o)
    s.put("delete", range(0, n, 9), 3, **o)
    fx.filters = ["y = '2023'", "y = '2024' and m = '02'", "id = 'k00007'", "qty between 200 and 500"]


@table("global_index_move")
def t_global(fx):
    s = Rows(fx, parttype="string")
    fx.setup(True, s.key).event_time().opt(
        {
            "hoodie.index.type": "GLOBAL_SIMPLE",
            "hoodie.simple.index.update.partition.path": "true",
            "hoodie.global.simple.index.parallelism": "1",
        }
    )
    fx.what = "MOR, global index with partition path update: rows move between partitions"
    n = fx.n()
    s.put("insert", range(n), 1)
    s.put("upsert", range(n // 2), 2, part=lambda i: s.pv(i + 1), msg="half of the rows move to the next partition")
    s.put("upsert", range(n // 4, n), 3, part=lambda i: s.pv(i + 2 if i % 2 else i))
    s.std_filters()
