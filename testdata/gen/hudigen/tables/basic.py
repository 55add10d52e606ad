"""The common kinds: copy-on-write and merge-on-read, log block formats, ordering, compaction, clustering, replacement, size."""

from hudigen import env
from hudigen.answers import err
from hudigen.fixture import table
from hudigen.rows import Rows, seq
from pyspark.sql.types import BooleanType, StructField


@table("cow_basic")
def t_cow_basic(fx):
    fx.what = "COW, partitioned, metadata table on: insert, upsert, delete, upsert"
    s = Rows(fx)
    fx.setup(False, s.key)
    n = fx.n(60, 150)
    s.put("insert", range(n), 1)
    s.put("upsert", range(5, n // 2), 2)
    s.put("delete", range(n // 3, n // 3 + n // 5), 3)
    s.put("upsert", range(n - 10, n + 20), 4)
    s.std_filters()


@table("cow_nonpartitioned")
def t_cow_np(fx):
    fx.what = "COW, not partitioned"
    s = Rows(fx, part=False)
    fx.setup(False, s.key, None)
    n = fx.n(60, 150)
    s.put("insert", range(n), 1)
    s.put("upsert", range(5, n // 2), 2)
    s.put("delete", range(n // 3, n // 3 + n // 5), 3)
    s.put("upsert", range(n - 10, n + 20), 4)
    s.std_filters()


@table("mor_avro_logs")
def t_mor(fx):
    fx.what = "MOR, avro log blocks, event-time ordering with late updates and late deletes; no compaction"
    s = Rows(fx)
    fx.setup(True, s.key).event_time()
    seq(fx, s)


@table("mor_delete_reinsert", minv=8, maxv=8)
def t_mor_delre(fx):
    fx.what = "MOR, event-time: delete operation (delete blocks carry ordering value int 0), then the same keys again in later logs; Spark 1.0.2 itself fails on it (Integer/Long compare)"
    s = Rows(fx)
    s.dead = None
    fx.setup(True, s.key).event_time()
    n = fx.n()
    s.put("insert", range(n), 1)
    s.put("delete", range(0, n, 4), 2)
    s.put("upsert", range(0, n, 8), 3)
    s.std_filters()


@table("mor_is_deleted")
def t_mor_isdel(fx):
    fx.what = "MOR, event-time ordering: deletes by _hoodie_is_deleted=true carry the ordering value, so late deletes lose and late re-inserts lose"
    s = Rows(fx, extra=[StructField("_hoodie_is_deleted", BooleanType())])
    fx.setup(True, s.key).event_time().opt(
        {"hoodie.logfile.data.block.format": fx.choose("logfmt", ["avro", "parquet"])}
    )
    n = fx.n()
    s.put("insert", range(n), 1, lambda i: 10000 + i, _hoodie_is_deleted=False)
    s.put("upsert", range(n // 2), 2, lambda i: 20000 + i, _hoodie_is_deleted=False)
    s.put(
        "upsert",
        range(n // 4, n),
        3,
        lambda i: [500, 30000][i % 2] + i,
        "every third is a delete, half of the rows late",
        _hoodie_is_deleted=lambda i: i % 3 == 0,
    )
    s.put(
        "upsert",
        range(0, n + 8, 2),
        4,
        lambda i: [25000, 40000][(i // 2) % 2] + i,
        "re-inserts, some late",
        _hoodie_is_deleted=False,
    )
    s.std_filters()


@table("mor_parquet_logs")
def t_mor_pq(fx):
    fx.what = "MOR, hoodie.logfile.data.block.format=parquet, event-time ordering"
    s = Rows(fx)
    fx.setup(True, s.key).event_time().opt({"hoodie.logfile.data.block.format": "parquet"})
    seq(fx, s)


@table("mor_hfile_logs")
def t_mor_hf(fx):
    fx.what = "MOR, hoodie.logfile.data.block.format=hfile, event-time ordering"
    s = Rows(fx, keytype="string")
    fx.setup(True, s.key).event_time().opt({"hoodie.logfile.data.block.format": "hfile"})
    seq(fx, s)


@table("mor_nonpartitioned")
def t_mor_np(fx):
    fx.what = "MOR, not partitioned, log block format chosen by seed"
    s = Rows(fx, part=False)
    fx.setup(True, s.key, None).event_time().opt(
        {"hoodie.logfile.data.block.format": fx.choose("logfmt", ["avro", "parquet"])}
    )
    seq(fx, s)


@table("mor_commit_time")
def t_mor_ct(fx):
    fx.what = "MOR, commit-time ordering" + (
        " (COMMIT_TIME_ORDERING, no ordering field)"
        if env.v1x
        else " (OverwriteWithLatestAvroPayload, ordering field set)"
    )
    s = Rows(fx)
    fx.setup(True, s.key, ts=None if env.v1x else "ts").commit_time()
    seq(fx, s)


@table("mor_commit_time_with_ordering", minv=8)
def t_mor_ct2(fx):
    fx.what = "MOR, COMMIT_TIME_ORDERING although an ordering field is set"
    s = Rows(fx)
    fx.setup(True, s.key).commit_time()
    seq(fx, s)


@table("mor_multi_ordering", minv=9)
def t_mor_mo(fx):
    fx.what = "MOR, two ordering fields (ts,qty)"
    s = Rows(fx)
    fx.setup(True, s.key, ts="ts,qty").event_time()
    n = fx.n()
    s.put("insert", range(n), 1, lambda i: 1000)
    s.put("upsert", range(0, n // 2), 2, lambda i: 1000, "same ts, qty decides")
    s.put("upsert", range(n // 4, n), 3, lambda i: 999 + i % 3, "ts 999..1001, qty decides ties")
    s.put("delete", range(0, n // 6), 4, lambda i: 999 + i % 3)
    s.std_filters()


@table("mor_compacted", "mor_pending_compaction")
def t_mor_comp(fx):
    pend = fx.name == "mor_pending_compaction"
    fx.what = "MOR: logs, inline compaction, more logs" + (
        "; then a compaction scheduled and not run, then more logs" if pend else ""
    )
    s = Rows(fx)
    fx.setup(True, s.key).event_time()
    n = fx.n()
    s.put("insert", range(n), 1)
    s.put("upsert", range(n // 2), 2)
    s.put(
        "upsert",
        range(n // 4, n),
        3,
        opts={"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"},
        msg="with inline compaction after it",
    )
    s.put("upsert", range(0, n, 3), 4)
    s.put("delete", range(0, n, 7), 5)
    if pend:
        s.put(
            "upsert",
            range(0, n, 5),
            6,
            opts={"hoodie.compact.schedule.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"},
            msg="then compaction scheduled, not executed",
        )
        s.put("upsert", range(0, n, 4), 7, msg="log files written on top of the pending compaction")
        s.put("delete", range(1, n, 9), 8)
    s.std_filters()


@table("mor_log_only", "mor_log_only_compacted")
def t_mor_logonly(fx):
    fx.what = "MOR with BUCKET index: file groups hold only log files" + (
        "" if fx.name == "mor_log_only" else ", then compaction, then logs"
    )
    s = Rows(fx)
    fx.setup(True, s.key).event_time().opt(
        {
            "hoodie.index.type": "BUCKET",
            "hoodie.bucket.index.num.buckets": str(fx.choose("buckets", [2, 3, 4])),
            "hoodie.index.bucket.engine": "SIMPLE",
        }
    )
    n = fx.n()
    s.put("upsert", range(n), 1)
    s.put("upsert", range(n // 2), 2, lambda i: [500, 5000][i % 2] + i)
    s.put(
        "delete",
        range(0, n, 6),
        3,
        opts=(
            {}
            if fx.name == "mor_log_only"
            else {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"}
        ),
    )
    s.put("upsert", range(n - 8, n + 15), 4)
    s.std_filters()


@table("replace_cow", "replace_mor")
def t_replace(fx):
    s = Rows(fx, parttype="string")
    fx.setup(fx.name.endswith("mor"), s.key).event_time()
    n = fx.n()
    fx.what = "insert_overwrite of one partition, delete_partition, upserts between, insert_overwrite_table, upserts"
    s.put("insert", range(n), 1)
    s.put("upsert", range(n // 2), 2)
    s.put(
        "insert_overwrite",
        [i for i in range(n) if i % 3 == 0][:12],
        3,
        msg=f"partition {s.pv(0)} replaced with 12 rows",
    )
    s.put("upsert", range(0, n // 2, 2), 4)
    s.put(
        "delete_partition",
        [1],
        5,
        msg=f"partition {s.pv(1)} dropped",
        opts={"hoodie.datasource.write.partitions.to.delete": s.pv(1)},
    )
    s.put("upsert", range(0, n // 3), 6)
    s.std_filters()


@table("replace_table_cow", "replace_table_mor")
def t_replace2(fx):
    s = Rows(fx, parttype="string")
    fx.setup(fx.name.endswith("mor"), s.key).event_time()
    n = fx.n()
    fx.what = "insert_overwrite_table, then upserts"
    s.put("insert", range(n), 1)
    s.put("upsert", range(n // 2), 2)
    s.put("insert_overwrite_table", range(5, n // 2 + 5), 3)
    s.put("upsert", range(0, n // 3), 4)
    s.std_filters()


CLU = {
    "hoodie.clustering.inline": "true",
    "hoodie.clustering.inline.max.commits": "1",
    "hoodie.clustering.plan.strategy.sort.columns": "qty,name",
    "hoodie.clustering.plan.strategy.small.file.limit": "104857600",
    "hoodie.clustering.plan.strategy.max.num.groups": "10",
    "hoodie.clustering.plan.strategy.single.group.clustering.enabled": "true",
}


@table("clustering_cow", "clustering_mor", "clustering_pending_cow", "clustering_pending_mor")
def t_clu(fx):
    pend = "pending" in fx.name
    fx.what = "inline clustering with sort columns, writes after" + (
        ", then a clustering plan scheduled and not run" if pend else ""
    )
    s = Rows(fx)
    fx.setup(fx.name.endswith("mor"), s.key).event_time().opt({"hoodie.parquet.small.file.limit": "0"})
    n = fx.n()
    s.put("insert", range(n // 2), 1)
    s.put("insert", range(n // 2, n), 2, msg="second small file per partition")
    s.put("upsert", range(n // 4), 3, opts=CLU, msg="followed by inline clustering")
    s.put("upsert", range(n // 8, n // 2), 4)
    s.put("delete", range(0, n, 6), 5)
    if pend:
        s.put(
            "insert",
            range(n, n + 20),
            6,
            opts={**CLU, "hoodie.clustering.inline": "false", "hoodie.clustering.schedule.inline": "true"},
            msg="clustering scheduled, not executed",
        )
        try:
            s.put("insert", range(n + 20, n + 40), 7, msg="new file groups while the clustering is pending")
        except Exception as e:
            fx.note("insert during pending clustering failed: " + err(e))
    s.std_filters()


@table("base_zstd", "base_snappy", "base_gzip", "base_uncompressed", "base_dynamic_bloom")
def t_base(fx):
    c = fx.name[5:]
    s = Rows(fx)
    n = 500
    fx.what = f"base files: codec {c}, small row groups and pages, several per file"
    fx.setup(fx.choose("mor", [False, True]), s.key).event_time().opt(
        {
            "hoodie.parquet.compression.codec": c if c != "dynamic_bloom" else "gzip",
            "hoodie.parquet.block.size": "8192",
            "hoodie.parquet.page.size": "1024",
            "hoodie.parquet.max.file.size": "1000000",
            "hoodie.bloom.index.filter.type": "DYNAMIC_V0" if c == "dynamic_bloom" else "SIMPLE",
            "hoodie.index.bloom.num_entries": "100",
        }
    )
    s.put(
        "bulk_insert" if fx.choose("op", ["insert", "bulk_insert"]) == "bulk_insert" else "insert",
        range(n),
        1,
        qty=lambda i: i * 10,
    )
    s.put("upsert", range(0, n, 4), 2, qty=lambda i: i * 10 + 1)
    s.std_filters()
    fx.filters += ["qty < 100", "qty > 4800"]


@table("empty_table", "all_deleted_cow", "all_deleted_mor")
def t_empty(fx):
    if fx.name == "empty_table":
        fx.what = "created, no commits"
        fx.incremental = fx.time_travel = False
        fx.sql(
            f"create table {fx.name} (id string, ts bigint, name string, qty int, part string) using hudi tblproperties(primaryKey='id', preCombineField='ts', type='cow') partitioned by (part) location '{fx.path}'",
            "",
        )
        fx.filters = ["part = 'x'"]
        return
    s = Rows(fx)
    fx.setup(fx.name.endswith("mor"), s.key).event_time()
    n = fx.n(20, 40)
    fx.what = "every row deleted"
    s.put("insert", range(n), 1)
    s.put("delete", range(n), 2)
    s.std_filters()


@table("large_group")
def t_large(fx):
    s = Rows(fx, nparts=1, parttype="string")
    fx.setup(True, s.key).event_time()
    fx.what = "MOR, about 20k rows in one partition, 5 log files"
    n = 20000
    s.put("bulk_insert", range(n), 1)
    for j in range(5):
        s.put("upsert", range(j * 700, j * 700 + 2000), 2 + j, lambda i: 1000 * (2 + j) + (i if i % 5 else -9000))
    s.std_filters()


@table("many_partitions")
def t_many(fx):
    s = Rows(fx, nparts=200, parttype=fx.choose("parttype", ["string", "int", "date"]))
    fx.setup(fx.choose("mor", [False, True]), s.key).event_time()
    fx.what = "200 partitions with few rows each"
    s.put("insert", range(500), 1)
    s.put("upsert", range(0, 500, 11), 2)
    s.std_filters()
