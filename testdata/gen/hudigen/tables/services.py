"""Metadata table indexes, bootstrap, archival."""

import os
import shutil

from hudigen import env
from hudigen.answers import err, zipdir
from hudigen.fixture import Fixture, table
from hudigen.rows import Rows
from pyspark.sql.types import StructType


@table("mdt_full", "mdt_full_mor")
def t_mdt(fx):
    tries = (
        [{}]
        if env.version < 9
        else [
            {"hoodie.embed.timeline.server": "true"},
            {
                "hoodie.embed.timeline.server": "true",
                "hoodie.metadata.compact.max.delta.commits": "10",
                "hoodie.metadata.streaming.write.enabled": "false",
            },
            {"hoodie.metadata.compact.max.delta.commits": "100"},
        ]
    )
    for i, o in enumerate(tries):
        try:
            mdt_build(fx, o)
            return
        except Exception as e:
            if i == len(tries) - 1:
                raise
            print("    mdt_full attempt", i, o, err(e), flush=True)
            Fixture.__init__(fx, fx.name)
            fx.note(f'attempt with {o or "defaults"} failed in Spark: ' + err(e))


def mdt_build(fx, o):
    mor = fx.name.endswith("mor")
    s = Rows(fx, keytype=fx.choose("keytype", ["string", "long"]), parttype="string")
    n = fx.n(360, 480)
    fx.what = (
        "metadata table with files, column_stats, partition_stats, bloom_filters, record_index"
        + (", a secondary index and an expression index" if env.v1x else "")
        + "; 3 partitions x several file groups, values clustered by file"
    )
    fx.setup(mor, s.key).event_time().opt(
        {
            "hoodie.metadata.index.column.stats.enable": "true",
            "hoodie.metadata.index.partition.stats.enable": "true",
            "hoodie.metadata.index.bloom.filter.enable": "true",
            "hoodie.metadata.record.index.enable": "true",
            "hoodie.metadata.record.index.min.filegroup.count": "2",
            "hoodie.metadata.record.index.max.filegroup.count": "2",
            "hoodie.metadata.compact.max.delta.commits": "3",
            "hoodie.parquet.small.file.limit": "0",
            "hoodie.metadata.bloom.filter.column.list": "id",
            "hoodie.enable.data.skipping": "true",
            **o,
        }
    )
    if not mor:
        fx.opt({"hoodie.index.type": fx.choose("idx", ["RECORD_INDEX"])})
    k = n // 4
    fx.read_opts = {"hoodie.metadata.enable": "true", "hoodie.enable.data.skipping": "true"}
    for j in range(4):
        s.put(
            "insert",
            range(j * k, j * k + k),
            1,
            qty=lambda i: j * 100000 + i,
            amount=lambda i: j * 1000.0 + i / 8,
            name=lambda i: f'{"abcd"[j]}-{i:04d}',
            msg=f"new file per partition, qty from {j * 100000}",
        )
    s.put("upsert", range(0, k // 3), 2, qty=lambda i: i + 7, msg="rows of the first files")
    s.put("delete", range(k, k + 20), 3)
    if env.v1x:
        fx.register()
        env.spark.sql("set hoodie.write.lock.provider=org.apache.hudi.client.transaction.lock.InProcessLockProvider")
        env.spark.sql("set hoodie.write.markers.type=DIRECT")
        for q in (
            f"create index idx_name on {fx.name} (name)",
            f"create index idx_ts on {fx.name} using column_stats(ts) options(expr='from_unixtime', format='yyyy-MM-dd')",
        ):
            try:
                fx.sql(q, "")
            except Exception as e:
                fx.note(q + " failed: " + err(e))
        s.put("upsert", range(2 * k, 2 * k + 15), 4, name=lambda i: f"zz-{i}", qty=lambda i: 900000 + i)
    fx.filters = [
        f"part = '{s.pv(1)}'",
        f"id = '{'k00007'}'" if s.kt == "string" else "id = 52",
        "qty between 100000 and 100050",
        "qty > 890000",
        "name = 'c-0999'",
        "name like 'b-%'",
        "amount < 10.5",
        f"part = '{s.pv(2)}' and qty < 50",
    ]


@table("bootstrap_metadata_only", "bootstrap_full_record", "bootstrap_metadata_only_mor")
def t_boot(fx):
    meta = "metadata" in fx.name
    mor = fx.name.endswith("mor")
    src = os.path.join(env.sources, fx.name)
    shutil.rmtree(src, ignore_errors=True)
    s = Rows(fx, keytype="string", parttype="string")
    n = fx.n()
    fx.setup(mor).event_time().opt({"hoodie.datasource.write.hive_style_partitioning": "true"})
    s.df(s.rows(range(n), 1)).write.partitionBy("part").parquet("file://" + src)
    fx.what = f"{'METADATA_ONLY' if meta else 'FULL_RECORD'} bootstrap of a hive-style parquet folder, then upserts and deletes"
    fx.extra["bootstrap_source"] = {
        "absolute_path": src,
        "zip": "source.zip",
        "note": "the bootstrap index names these files by absolute path; unzip source.zip there or remap",
    }
    sel = "org.apache.hudi.client.bootstrap.selector." + (
        "MetadataOnlyBootstrapModeSelector" if meta else "FullRecordBootstrapModeSelector"
    )
    fx.write(
        env.spark.createDataFrame([], StructType([])),
        "bootstrap",
        f"{n} rows in the source",
        {
            "hoodie.bootstrap.base.path": "file://" + src,
            "hoodie.bootstrap.mode.selector": sel,
            "hoodie.bootstrap.parallelism": "1",
            "hoodie.bootstrap.full.input.provider": "org.apache.hudi.bootstrap.SparkParquetBootstrapDataProvider",
            "hoodie.bootstrap.keygen.class": "org.apache.hudi.keygen.SimpleKeyGenerator",
            "hoodie.datasource.write.keygenerator.class": "org.apache.hudi.keygen.SimpleKeyGenerator",
        },
        mode="overwrite",
    )
    # one partition is left untouched: its file groups stay skeleton + source
    s.put("upsert", [i for i in range(n // 2) if i % 3 == 0], 2, msg="rows of one partition only")
    if mor:
        s.put("delete", [i for i in range(n) if i % 3 == 1 and i % 4 == 0], 3, msg="deletes in the second partition")
    s.std_filters()
    zipdir(src, os.path.join(env.work, fx.name, "source.zip"))


@table("archived_cow", "archived_mor")
def t_arch(fx):
    s = Rows(fx)
    mor = fx.name.endswith("mor")
    fx.setup(mor, s.key).event_time().opt(
        {
            "hoodie.keep.min.commits": "2",
            "hoodie.keep.max.commits": "3",
            "hoodie.clean.commits.retained": "1",
            "hoodie.cleaner.commits.retained": "1",
            "hoodie.metadata.compact.max.delta.commits": "1",
            "hoodie.commits.archival.batch": "1",
            "hoodie.archive.automatic": "true",
            "hoodie.timeline.compaction.batch.size": "3",
        }
    )
    fx.what = "many commits, aggressive cleaning and archival: old instants only in the archived timeline"
    n = fx.n(30, 60)
    seen = []
    # small file limit 0 keeps MOR upserts in logs (a delta commit that also puts inserts into a small base file rewrites that base file)
    if mor:
        fx.opt(
            {
                "hoodie.compact.inline": "true",
                "hoodie.compact.inline.max.delta.commits": "3",
                "hoodie.parquet.small.file.limit": "0",
            }
        )
    for j in range(fx.choose("commits", [11, 9, 13])):
        s.put(
            "insert" if j == 0 else "upsert",
            range(n) if j == 0 else (range(j, n, 4) if mor else range(j, n + j * 2, 3)),
            j + 1,
        )
        for t in fx.tl():
            if t["instant"] not in [x["instant"] for x in seen]:
                seen.append(dict(t))
    seen.sort(key=lambda t: t["instant"])
    fx.extra["all_instants"] = [{k: t[k] for k in ("instant", "completion", "action")} for t in seen]
    fx.more_incr = [(seen[1], seen[-1]), (seen[3], seen[-1]), (seen[1], seen[4])]
    s.std_filters()
