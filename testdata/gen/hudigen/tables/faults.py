"""Sequences of writes after which readers are known to have given wrong rows."""

import glob
import os
import shutil

from hudigen import env
from hudigen.fixture import drop_checksum, mkdf, table
from hudigen.rows import Rows

SMALL = {"hoodie.index.bloom.num_entries": "200"}
STATISTICS = {
    "hoodie.metadata.index.column.stats.enable": "true",
    "hoodie.metadata.index.partition.stats.enable": "true",
}
BUCKET = {
    "hoodie.index.type": "BUCKET",
    "hoodie.bucket.index.num.buckets": "2",
    "hoodie.index.bucket.engine": "SIMPLE",
}
NON_BLOCKING = {
    "hoodie.write.concurrency.mode": "NON_BLOCKING_CONCURRENCY_CONTROL",
    "hoodie.clean.failed.writes.policy": "LAZY",
    "hoodie.cleaner.policy.failed.writes": "LAZY",
    "hoodie.table.type": "MERGE_ON_READ",
    "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider",
}


@table("stats_nan_cow", "stats_nan_mor", extra=True)
def stats_nan(fx):
    fx.what = "column statistics of a file whose double and float columns hold NaN, infinities, zeros and nulls"
    fx.setup(fx.name.endswith("mor"), "id", "part").opt(STATISTICS).opt(SMALL)
    ddl = "id string, part string, ts bigint, d double, f float, n int"
    nan, inf = float("nan"), float("inf")
    first = [(1.5, 1.5), (nan, nan), (9.0, 9.0), (-2.0, None)]
    second = [(nan, nan), (nan, nan)]
    third = [(-0.0, 0.0), (0.0, -0.0), (inf, -inf), (None, None)]
    for part, values in (("p1", first), ("p2", second), ("p3", third)):
        rows = [(f"{part}-{i}", part, 1, d, f, i) for i, (d, f) in enumerate(values)]
        fx.write(mkdf(rows, ddl), "insert", f"partition {part}: d, f = {values}")
    fx.write(
        mkdf([("p1-0", "p1", 2, nan, nan, 50), ("p3-0", "p3", 2, 7.0, nan, 60)], ddl), "upsert", "NaN over a number"
    )
    fx.filters = ["d > 5", "d < 0", "d = 9.0", "f >= 1.5", "n >= 2", "d is null", "part = 'p1' and n = 2", "f = 0"]


@table("stats_new_column", extra=True)
def stats_new_column(fx):
    fx.what = "column statistics and a column that the older files lack: their rows are null in it"
    fx.setup(False, "id", "part").opt(STATISTICS).opt(SMALL).opt({"hoodie.parquet.small.file.limit": "0"})
    old, new = "id string, part string, ts bigint, a int", "id string, part string, ts bigint, a int, b string"
    fx.write(mkdf([(f"a{i}", f"p{i % 2}", 1, i) for i in range(8)], old), "insert", "8 rows without b")
    fx.write(mkdf([(f"b{i}", f"p{i % 2}", 1, i, f"v{i}") for i in range(6)], new), "insert", "6 rows with b")
    rows = [(f"c{i}", "p1", 1, None, None) for i in range(3)]
    fx.write(mkdf(rows, new), "insert", "3 rows where a and b are null")
    fx.filters = ["b is null", "b is not null", "b = 'v3'", "a is null", "b is null and a > 5", "a < 2 or b is null"]


@table("first_log_failed", extra=True)
def first_log_failed(fx):
    fx.what = "bucket index, non-blocking writers: the first log of a file group is of a write that never finished"
    fx.setup(True, "id", "part").event_time().opt(BUCKET).opt(NON_BLOCKING)
    ddl = "id string, part string, ts bigint, qty int"
    fx.write(mkdf([(f"k{i}", "p0", 1, i) for i in range(8)], ddl), "upsert", "8 rows, then made to fail")
    bad = fx.uncomplete_last()
    fx.step(f"removed the completed file of {bad}")
    fx.extra["inflight_instant"] = bad
    fx.write(mkdf([(f"k{i}", "p0", 2, 100 + i) for i in range(4, 12)], ddl), "upsert", "8 rows, 4 of them new")
    fx.write(mkdf([(f"k{i}", "p0", 3, 200 + i) for i in range(6, 14, 3)], ddl), "upsert", "3 rows")
    fx.filters = ["qty >= 200", "id = 'k0'"]


@table("delete_string_ordering", "delete_string_ordering_v8", extra=True)
def string_ordering(fx):
    fx.what = "event-time ordering by a string: deletes and updates that are older lose"
    fx.setup(True, "id", "part").event_time().opt(SMALL)
    ddl = "id string, part string, ts string, qty int, _hoodie_is_deleted boolean"
    fx.write(mkdf([(f"k{i}", "p0", "5", i, False) for i in range(10)], ddl), "insert", "10 rows, ts = '5'")
    late = [(f"k{i}", "p0", "3", 10 + i, True) for i in range(0, 3)]
    good = [(f"k{i}", "p0", "7", 10 + i, True) for i in range(3, 5)]
    text = [(f"k{i}", "p0", "10", 10 + i, False) for i in range(5, 7)]
    fx.write(mkdf(late + good + text, ddl), "upsert", "k0-k2 deleted at '3', k3-k4 at '7', k5-k6 updated at '10' < '5'")
    fx.write(mkdf([("k3", "p0", "6", 99, False), ("k4", "p0", "8", 99, False)], ddl), "upsert", "k3 at '6', k4 at '8'")


@table("delete_boolean_ordering", extra=True)
def boolean_ordering(fx):
    fx.what = "event-time ordering by a boolean: what is false is older than what is true"
    fx.setup(True, "id", "part", "last").event_time().opt(SMALL).opt({"hoodie.metadata.enable": "false"})
    fx.read_opts = {"hoodie.metadata.enable": "false"}
    ddl = "id string, part string, last boolean, qty int"
    fx.write(mkdf([(f"k{i}", "p0", i % 2 == 0, i) for i in range(12)], ddl), "insert", "12 rows, every other one true")
    fx.write(mkdf([(f"k{i}", "p0", i % 3 == 0, 20 + i) for i in range(8)], ddl), "upsert", "8 rows, every third true")
    fx.write(mkdf([(f"k{i}", "p0", i > 6, 0) for i in range(5, 10)], ddl), "delete", "5 keys, k7-k9 with true")
    fx.filters = ["last", "not last", "qty > 20"]


@table("delete_without_ordering", "delete_without_ordering_v8", extra=True)
def no_ordering(fx):
    fx.mor = True
    fx.what = "event-time table: DELETE FROM carries no ordering value, MERGE INTO ... DELETE that of its source; then lower values come"
    for k, v in {
        "hoodie.spark.sql.insert.into.operation": "upsert",
        "hoodie.embed.timeline.server": "false",
        "hoodie.compact.inline": "false",
        "hoodie.index.bloom.num_entries": "200",
        "hoodie.metadata.index.column.stats.enable": "false",
        "hoodie.metadata.index.partition.stats.enable": "false",
    }.items():
        fx.sql(f"set {k}={v}")
    t = fx.name
    fx.sql(
        f"create table {t} (id string, ts bigint, qty int, part string) using hudi tblproperties(primaryKey='id', "
        f"preCombineField='ts', type='mor') partitioned by (part) location '{fx.path}'",
        "",
    )
    rows = ",".join(f"('k{i}', cast(1000 as bigint), {i}, 'p0')" for i in range(12))
    fx.sql(f"insert into {t} select * from values {rows}", "insert 12 rows, ts 1000")
    fx.sql(f"delete from {t} where id in ('k0','k1','k2')", "")
    gone = ",".join(f"('k{i}', cast(5 as bigint), 0, 'p0')" for i in (3, 4))
    fx.sql(
        f"merge into {t} t using (select * from values {gone} as v(id, ts, qty, part)) s on t.id = s.id "
        "when matched then delete",
        "merge into, k3 and k4 deleted",
    )
    if env.version != 8:  # 1.0.2 cannot read a key that comes again after a delete block
        again = "('k1', cast(7 as bigint), 77, 'p0'), ('k4', cast(7 as bigint), 77, 'p0')"
        fx.sql(f"insert into {t} select * from values {again}", "k1 and k4 again with ts 7")
    late = "('k5', cast(9 as bigint), 99, 'p0'), ('k6', cast(2000 as bigint), 99, 'p0')"
    fx.sql(f"insert into {t} select * from values {late}", "k5 late, k6 newer")
    fx.sql(f"update {t} set qty = 500 where id = 'k7'", "")


@table("moved_keys", "moved_keys_compacted", "moved_keys_v6", extra=True)
def moved(fx):
    fx.what = "global index: keys move to another partition with equal, higher and lower ordering values"
    fx.setup(True, "id", "part").event_time().opt(SMALL)
    fx.opt({"hoodie.index.type": "GLOBAL_SIMPLE", "hoodie.simple.index.update.partition.path": "true"})
    fx.opt({"hoodie.global.simple.index.parallelism": "1"})
    ddl = "id string, part string, ts bigint, qty int"
    fx.write(mkdf([(f"k{i}", f"p{i % 2}", 10, i) for i in range(8)], ddl), "insert", "8 rows, ts 10")
    moves = [("k0", "p1", 10, 100), ("k1", "p0", 10, 101), ("k2", "p1", 11, 102), ("k3", "p2", 9, 103)]
    compact = {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"}
    fx.write(mkdf(moves, ddl), "upsert", f"moved: {moves}", compact if "compacted" in fx.name else None)
    fx.write(mkdf([("k0", "p0", 10, 200), ("k2", "p1", 12, 202)], ddl), "upsert", "k0 back again, k2 updated")
    fx.filters = ["part = 'p0'", "id = 'k0'", "part = 'p2'"]


@table("pending_compaction_bucket", "pending_compaction_bucket_v6", "pending_compaction_log_only", extra=True)
def pending(fx):
    fx.what = "bucket index, a compaction is scheduled and not run, rows written while it is pending"
    fx.setup(True, "id", "part").event_time().opt(BUCKET)
    if fx.name.endswith("log_only"):
        fx.opt(NON_BLOCKING).what += "; there are no base files at all"
    ddl = "id string, part string, ts bigint, qty int"
    plan = {"hoodie.compact.schedule.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"}
    fx.write(mkdf([(f"k{i}", "p0", 1, i) for i in range(8)], ddl), "upsert", "8 rows")
    fx.write(
        mkdf([(f"k{i}", "p0", 2, 20 + i) for i in range(4)], ddl), "upsert", "4 rows, then a compaction planned", plan
    )
    fx.write(mkdf([(f"k{i}", "p0", 3, 30 + i) for i in range(2, 12)], ddl), "upsert", "10 rows while it is pending")
    fx.write(mkdf([("k1", "p0", 4, 0), ("k11", "p0", 4, 0)], ddl), "delete", "k1 and k11")
    fx.filters = ["qty >= 30", "id = 'k1'"]


@table("late_rollback_v6", extra=True)
def late_rollback(fx):
    fx.what = "a failed delta commit is rolled back only later: a read in between must not see its rows"
    fx.setup(True, "id", "part").event_time().opt(SMALL)
    fx.opt({"hoodie.cleaner.policy.failed.writes": "LAZY", "hoodie.rollback.using.markers": "false"})
    fx.opt({"hoodie.write.concurrency.mode": "optimistic_concurrency_control"})
    fx.opt({"hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider"})
    ddl = "id string, part string, ts bigint, qty int"
    fx.write(mkdf([(f"k{i}", "p0", 1, i) for i in range(10)], ddl), "insert", "10 rows")
    fx.write(mkdf([(f"k{i}", "p0", 2, 20 + i) for i in range(5)], ddl), "upsert", "5 rows, then made to fail")
    bad = fx.uncomplete_last()
    fx.step(f"removed the completed file of {bad}")
    fx.write(
        mkdf([(f"k{i}", "p0", 3, 30 + i) for i in range(3, 7)], ddl), "upsert", "4 rows while the failed one stands"
    )
    middle = fx.last()
    alone = {"hoodie.cleaner.policy.failed.writes": "EAGER", "hoodie.write.concurrency.mode": "single_writer"}
    fx.write(mkdf([("k9", "p0", 4, 90)], ddl), "upsert", f"1 row; rolls {bad} back first", alone)
    fx.extra.update(rolled_back_instant=bad, read_before_rollback=middle)


@table("block_of_failed_write_v6", extra=True)
def failed_block(fx):
    fx.what = "a log file of a committed delta commit also holds a block of an instant that never completed"
    fx.setup(True, "id", "part").event_time().opt(SMALL).opt({"hoodie.metadata.enable": "false"})
    fx.read_opts = {"hoodie.metadata.enable": "false"}
    ddl = "id string, part string, ts bigint, qty int"
    fx.write(mkdf([(f"k{i}", "p0", 1, i) for i in range(10)], ddl), "insert", "10 rows")
    fx.write(mkdf([(f"k{i}", "p0", 3, 30 + i) for i in range(4)], ddl), "upsert", "4 rows, then made to fail")
    bad = fx.uncomplete_last()
    (log,) = logs(fx)
    block = open(log, "rb").read()
    os.remove(log)
    shutil.rmtree(os.path.join(fx.path, ".hoodie", ".temp", bad), ignore_errors=True)
    for f in glob.glob(f"{fx.path}/.hoodie/{bad}.*"):
        os.remove(f)
    fx.write(mkdf([(f"k{i}", "p0", 2, 20 + i) for i in range(2, 6)], ddl), "upsert", "4 rows")
    (log,) = logs(fx)
    with open(log, "ab") as f:
        f.write(block)
    drop_checksum(log)
    for name in (f"{bad}.deltacommit.requested", f"{bad}.deltacommit.inflight"):
        open(f"{fx.path}/.hoodie/{name}", "w").close()
    fx.step(f"the block of {bad} appended to the newest log file, the instant left inflight")
    fx.extra["inflight_instant"] = bad


@table("magic_twice", extra=True)
def magic_twice(fx):
    fx.what = "a log file torn after its magic, with the next, whole block behind it"
    fx.setup(True, "id", "part").event_time().opt(SMALL).opt({"hoodie.metadata.enable": "false"})
    fx.read_opts = {"hoodie.metadata.enable": "false"}
    ddl = "id string, part string, ts bigint, qty int"
    fx.write(mkdf([(f"k{i}", "p0", 1, i) for i in range(10)], ddl), "insert", "10 rows")
    fx.write(mkdf([(f"k{i}", "p0", 2, 20 + i) for i in range(4)], ddl), "upsert", "4 rows")
    (log,) = logs(fx)
    whole = open(log, "rb").read()
    with open(log, "wb") as f:
        f.write(whole[:6] + (len(whole) * 3).to_bytes(8, "big") + whole[14:40] + whole)
    drop_checksum(log)
    fx.step(f"{os.path.basename(log)}: 40 bytes of a torn block put before the block")


def logs(fx):
    """The log files, newest last."""
    found = [f for f in glob.glob(fx.path + "/*/.*.log.*") if not f.endswith(".crc")]
    return sorted(found, key=os.path.getmtime)


@table("inferred_nothing_v6", "inferred_ordering_v6", "inferred_payload_v6", "inferred_nothing", extra=True)
def inferred(fx):
    kind = fx.name.split("_")[1]
    fx.what = f"the merge mode is to be inferred: {dict(nothing='nothing set', ordering='only an ordering field', payload='a payload class')[kind]}"
    fx.setup(True, "id", "part", ts=None if kind == "nothing" else "ts").opt(SMALL)
    if kind == "payload":
        name = "org.apache.hudi.common.model.DefaultHoodieRecordPayload"
        fx.opt({"hoodie.datasource.write.payload.class": name})
    ddl = "id string, part string, ts bigint, qty int"
    fx.write(mkdf([(f"k{i}", "p0", 10, i) for i in range(8)], ddl), "insert", "8 rows, ts 10")
    fx.write(
        mkdf([(f"k{i}", "p0", [5, 20][i % 2], 20 + i) for i in range(4)], ddl), "upsert", "4 rows, two of them late"
    )
    fx.write(mkdf([("k3", "p0", 15, 33), ("k5", "p0", 9, 55)], ddl), "upsert", "2 rows, late")


@table("two_versions", extra=True)
def two_versions(fx):
    fx.what = "copy-on-write with two versions of each file: reading the folder as Parquet gives every row twice"
    s = Rows(fx, keytype="string", part=False)
    fx.setup(False, "id", None).opt(SMALL)
    s.put("insert", range(10), 1)
    s.put("upsert", range(5), 2)
    s.filters = ["id = 'k00003'"]
