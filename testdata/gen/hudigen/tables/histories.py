"""What table services and less usual writers leave: log compaction, duplicates, generated keys, resized buckets."""

import os

from hudigen import env
from hudigen.fixture import mkdf, table
from hudigen.tables.basic import CLU

SMALL = {"hoodie.index.bloom.num_entries": "200"}
DDL = "id string, part string, ts bigint, qty int, note string"


def rows(ids, ver, ts=None):
    """Rows of the ids as version ver writes them."""
    return mkdf([(f"k{i:03d}", f"p{i % 2}", ts or 100 * ver + i, 1000 * ver + i, f"v{ver}") for i in ids], DDL)


@table("log_compaction", "log_compaction_v6", extra=True)
def log_compaction(fx):
    fx.what = "log compaction: older log blocks of a slice merged into one, then more logs"
    fx.setup(True).event_time().opt(SMALL).opt({"hoodie.parquet.small.file.limit": "0"})
    fx.write(rows(range(20), 1), "insert", "20 rows")
    fx.write(rows(range(8), 2), "upsert", "8 rows")
    fx.write(rows(range(4, 12), 3), "upsert", "8 rows")
    fx.write(rows([1, 9], 4), "delete", "2 keys")
    options = {
        "hoodie.log.compaction.enable": "true",
        "hoodie.log.compaction.inline": "true",
        "hoodie.log.compaction.blocks.threshold": "2",
    }
    fx.write(rows(range(2, 6), 5, 50), "upsert", "4 late rows, then a log compaction", options)
    fx.write(rows(range(0, 20, 5), 6), "upsert", "4 rows")
    names = os.listdir(os.path.join(fx.path, ".hoodie", "timeline" if env.v1x else ""))
    done = [n for n in names if "logcompaction" in n or "compaction" in n]
    fx.note(f"compaction instants: {sorted(done)}")


@table("bulk_insert_duplicates", "insert_duplicates_mor", extra=True)
def duplicates(fx):
    fx.what = "the same keys written twice without looking them up: both rows count"
    mor = fx.name.endswith("mor")
    fx.setup(mor).opt(SMALL).opt({"hoodie.merge.allow.duplicate.on.inserts": "true"})
    op = "insert" if mor else "bulk_insert"
    fx.write(rows(range(10), 1), op, "10 rows")
    fx.write(rows(range(5, 15), 2), op, "10 rows, 5 of them with keys that exist")
    if mor:
        fx.write(rows([6, 7], 3), "upsert", "2 rows")
    fx.filters = ["id = 'k006'", "note = 'v2'"]


@table("duplicates_positions", extra=True)
def duplicates_positions(fx):
    fx.what = "a base file that has keys twice, with logs whose record positions tell the rows of one key apart"
    fx.setup(True).event_time().opt(SMALL).opt({"hoodie.metadata.enable": "false"})
    fx.read_opts = {"hoodie.metadata.enable": "false"}
    once = {"hoodie.combine.before.insert": "false"}
    fx.write(rows([*range(8), *range(0, 8, 2)], 1), "bulk_insert", "12 rows, 4 keys twice", once)
    fx.write(rows(range(0, 8, 3), 3), "upsert", "3 keys, k000 and k006 among them")
    fx.write(rows([2, 3], 4), "delete", "2 keys")
    fx.filters = ["id = 'k000'", "note = 'v1'"]


@table("generated_keys_cow", "generated_keys_mor", extra=True)
def generated(fx):
    fx.what = "a table without a record key: Hudi makes the keys"
    fx.setup(fx.name.endswith("mor"), ts=None).opt(SMALL)
    for k in ("hoodie.datasource.write.recordkey.field", "hoodie.simple.index.parallelism"):
        fx.base.pop(k)
    fx.write(rows(range(10), 1), "insert", "10 rows")
    fx.write(rows(range(5), 2), "insert", "5 more")
    fx.register()
    for k in ("hoodie.metadata.index.column.stats.enable", "hoodie.metadata.index.partition.stats.enable"):
        fx.sql(f"set {k}=false")
    fx.sql(f"update {fx.name} set qty = 7 where id = 'k003'", "")
    fx.sql(f"delete from {fx.name} where id = 'k004'", "")
    fx.filters = ["qty = 7", "id = 'k003'"]


@table("overwrite_not_cleaned", extra=True)
def overwrite(fx):
    fx.what = "insert_overwrite twice; the replaced files are still there, the second clean is only planned"
    fx.setup(True).event_time().opt(SMALL).opt({"hoodie.clean.automatic": "false"})
    fx.write(rows(range(12), 1), "insert", "12 rows")
    fx.write(rows(range(0, 6, 2), 2), "insert_overwrite", "partition p0 replaced by 3 rows")
    fx.write(rows(range(0, 12, 3), 3), "upsert", "4 rows")
    clean = {"hoodie.clean.automatic": "true", "hoodie.clean.commits.retained": "1"}
    fx.write(rows([1, 3], 4), "insert_overwrite", "partition p1 replaced by 2 rows, then a clean", clean)
    fx.write(rows([0, 1], 5), "upsert", "2 rows, then a clean", clean)
    folder = os.path.join(fx.path, ".hoodie", "timeline")
    cleans = sorted(f for f in os.listdir(folder) if f.endswith(".clean"))
    if cleans:
        os.remove(os.path.join(folder, cleans[-1]))
        fx.step(f"removed the completed file {cleans[-1]}: the clean is pending")
    fx.filters = ["part = 'p1'"]


@table("bucket_consistent", extra=True)
def consistent(fx):
    fx.what = "consistent hashing buckets, split by clustering"
    fx.setup(True).event_time().opt(
        {
            "hoodie.index.type": "BUCKET",
            "hoodie.index.bucket.engine": "CONSISTENT_HASHING",
            "hoodie.bucket.index.num.buckets": "2",
            "hoodie.bucket.index.min.num.buckets": "2",
            "hoodie.bucket.index.max.num.buckets": "8",
        }
    )
    fx.write(rows(range(30), 1), "upsert", "30 rows")
    fx.write(rows(range(0, 30, 3), 2), "upsert", "10 rows")
    fx.write(rows([3, 4], 3), "delete", "2 keys")
    fx.filters = ["id = 'k003'"]


@table("positions_off", "positions_on", "positions_parquet", extra=True)
def positions(fx):
    on = fx.name != "positions_off"
    fx.what = f"log blocks {'with' if on else 'without'} record positions; a slice of one base file and several logs"
    fx.setup(True).event_time().opt(SMALL).opt({"hoodie.write.record.positions": str(on).lower()})
    fx.opt({"hoodie.logfile.data.block.format": "parquet" if fx.name.endswith("parquet") else "avro"})
    fx.opt({"hoodie.parquet.small.file.limit": "0"})
    fx.write(rows(range(30), 1), "insert", "30 rows")
    fx.write(rows(range(0, 30, 4), 2), "upsert", "8 rows")
    fx.write(rows(range(1, 30, 7), 3), "delete", "5 keys")
    fx.write(rows(range(0, 30, 3), 4, 150), "upsert", "10 rows, some late")
    fx.filters = ["id = 'k003'", "qty > 4000"]


@table("replaced_by_clustering_twice", extra=True)
def clustered_twice(fx):
    fx.what = "two clusterings, writes between, a clean: replaced file groups partly gone"
    fx.setup(False).opt(SMALL).opt({"hoodie.parquet.small.file.limit": "0"})
    clustering = {**CLU, "hoodie.clustering.plan.strategy.sort.columns": "qty"}
    fx.write(rows(range(10), 1), "insert", "10 rows")
    fx.write(rows(range(10, 20), 1), "insert", "10 rows, then clustering", clustering)
    fx.write(rows(range(5, 15), 2), "upsert", "10 rows")
    fx.write(
        rows(range(20, 26), 1),
        "insert",
        "6 rows, then clustering and a clean",
        {**clustering, "hoodie.clean.commits.retained": "1"},
    )
    fx.write(rows([0, 25], 3), "upsert", "2 rows")
    fx.filters = ["id = 'k003'", "qty > 2000"]


@table("no_ordering_field", extra=True)
def no_ordering_field(fx):
    fx.what = "no ordering field, default merge mode, merge-on-read"
    fx.setup(True, ts=None).opt(SMALL)
    fx.write(rows(range(12), 1), "insert", "12 rows")
    fx.write(rows(range(6), 2, 1), "upsert", "6 rows with a lower ts, which does not count")
    fx.write(rows([2, 3], 3), "delete", "2 keys")
    fx.write(rows([3], 4), "upsert", "k003 again")


@table("evolve_nested", "evolve_nested_mor", extra=True)
def evolve_nested(fx):
    fx.what = "fields added and widened inside structs in arrays and maps"
    fx.setup(fx.name.endswith("mor")).event_time().opt(SMALL)
    head = "id string, part string, ts bigint, "
    first = head + "a array<struct<x:int,y:string>>, m map<string,struct<u:int>>, s struct<t:struct<v:int>>"
    second = (
        head + "a array<struct<x:bigint,y:string,z:double>>, m map<string,struct<u:int,w:string>>, "
        "s struct<t:struct<v:bigint,n:array<int>>,extra:string>"
    )
    data1 = [
        (f"k{i:03d}", f"p{i % 2}", i, [(i, f"y{i}"), (None, None)][: i % 3], {"a": (i,)}, ((i,),)) for i in range(12)
    ]
    data2 = [
        (
            f"k{i:03d}",
            f"p{i % 2}",
            100 + i,
            [(i << 33, "new", i / 2)],
            {"a": (i, "w"), "b": (1, None)},
            ((i << 33, [i]), "e"),
        )
        for i in range(0, 16, 3)
    ]
    conf = env.spark.sparkContext._jsc.hadoopConfiguration()
    conf.set("parquet.avro.write-old-list-structure", "false")
    fx.write(mkdf(data1, first), "insert", f"12 rows: {first}")
    fx.write(mkdf(data2, second), "upsert", f"6 rows: {second}")
    fx.filters = ["s.t.v > 5", "s.extra is null", "size(a) = 1"]


@table("group_of_many_batches", extra=True)
def group_of_many_batches(fx):
    fx.what = "one file group of 6000 rows with three logs: more than one batch on either side"
    fx.setup(True, part=None).event_time().opt({"hoodie.index.bloom.num_entries": "6000"})

    def many(ids, ver, late=lambda i: False):
        r = [(f"k{i * 7919 % 6000:05d}", 5 if late(i) else 100 * ver, i % 977, f"n{i % 13}") for i in ids]
        return mkdf(r, "id string, ts bigint, qty int, note string")

    fx.write(many(range(6000), 1), "bulk_insert", "6000 rows")
    fx.write(many(range(0, 6000, 5), 2, lambda i: i % 20 == 0), "upsert", "1200 rows, a quarter of them late")
    fx.write(many(range(0, 6000, 11), 3), "delete", "546 keys")
    fx.write(many(range(0, 6000, 4), 4), "upsert", "1500 rows, deleted ones among them")
    fx.filters = ["id = 'k00007'", "qty < 10", "note = 'n3'"]
