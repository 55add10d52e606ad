"""Partial updates, payload classes, CDC and concurrent writers."""

import glob
import random
import threading
import time

from hudigen import env
from hudigen.fixture import mkdf, table
from hudigen.rows import Rows
from pyspark.sql import functions as F


@table("partial_update", "partial_update_parquet_logs", minv=8)
def t_partial(fx):
    fx.mor = True
    fx.what = "MOR, MERGE INTO with partial updates: log blocks hold only the changed columns"
    t = fx.name
    n = fx.n(40, 80)
    for k, v in {
        "hoodie.spark.sql.merge.into.partial.updates": "true",
        "hoodie.spark.sql.insert.into.operation": "upsert",
        "hoodie.embed.timeline.server": "false",
        "hoodie.compact.inline": "false",
        "hoodie.logfile.data.block.format": "parquet" if "parquet" in t else "avro",
    }.items():
        env.spark.sql(f"set {k}={v}")
    mm = fx.choose("mergemode", ["EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING"])
    fx.sql(
        f"create table {t} (id string, ts bigint, name string, amount double, qty int, info struct<a:int,b:string>, note string, part string) using hudi tblproperties(primaryKey='id', preCombineField='ts', type='mor', recordMergeMode='{mm}') partitioned by (part) location '{fx.path}'",
        "",
    )

    def vals(ids, ver):
        return ",".join(
            f"('k{i:05d}', cast({1000 * ver + i if i % 4 else 10 + i} as bigint), 'nm{ver}-{i}', cast({(i * 37 * ver) % 500 / 4} as double), {(i * 31 * ver) % 1000}, named_struct('a',{i * ver},'b','b{ver}'), cast({'null' if i % 3 == 0 else repr(f'nt{i}')} as string), 'p{i % 2}')"
            for i in ids
        )

    cols = "id, ts, name, amount, qty, info, note, part"
    fx.sql(f"insert into {t} select * from values {vals(range(n), 1)}", f"insert {n} rows")

    def merge(ids, ver, sets, extra=""):
        fx.sql(
            f"merge into {t} t using (select * from values {vals(ids, ver)} as v({cols})) s on t.id = s.id {extra} when matched then update set {sets}",
            f"merge into, {len(list(ids))} rows, set {sets}",
        )

    merge(range(0, n // 2), 3, "amount = s.amount, ts = s.ts")
    merge(range(n // 4, n), 4, "name = s.name, note = s.note, ts = s.ts")
    merge(range(0, n, 3), 5, "info = s.info, qty = s.qty, ts = s.ts")
    fx.sql(f"delete from {t} where id in ('k00002','k00003')", "delete 2 keys")
    fx.sql(
        f"merge into {t} t using (select * from values {vals(range(n - 5, n + 6), 7)} as v({cols})) s on t.id = s.id when matched then update set note = s.note, ts = s.ts when not matched then insert *",
        "merge into with partial update and insert",
    )
    fx.filters = ["part = 'p1'", "id = 'k00007'", "amount > 50", "qty between 100 and 700", "note is null"]


P = "org.apache.hudi.common.model."


@table(
    "payload_nondefaults",
    "payload_partial_update",
    "payload_partial_update_log_only",
    "payload_delete_marker",
    "payload_event_time",
    "payload_dms",
    "payload_postgres",
    "payload_mysql",
    "payload_overwrite_latest",
)
def t_payload(fx):
    nm = fx.name
    n = fx.n(40, 90)
    fx.filters = ["part = 'p1'", "id = 'k00007'", "a between 200 and 700"]
    R = lambda i, v: random.Random(f"{env.seed}/{nm}/{i}/{v}")

    def w(op, cols, rows, msg, **o):
        fx.write(mkdf(rows, cols), op, msg, o)

    wide = "id string, part string, ts bigint, a int, b string, c double, d string, e boolean"

    def row(i, ver, ts, keep, ordered=True):
        r = R(i, ver)
        m = {
            "a": r.randint(0, 1000),
            "b": f"b{ver}-{i}",
            "c": r.randint(-800, 800) / 8,
            "d": f"d{ver}-{i}",
            "e": r.random() > 0.5,
        }
        return (f"k{i:05d}", f"p{i % 2}", ts) + tuple(m[k] if k in keep else None for k in "abcde")

    late = lambda i, ver: [500, 15000 + ver, 10000 * ver][i % 3] + i

    def three_streams(op="insert"):
        w(op, wide, [row(i, 1, 10000 + i, "abcde" if i % 2 else "ab") for i in range(n)], f"{n} rows")
        w(
            "upsert",
            wide,
            [row(i, 2, late(i, 2), "ab") for i in range(0, n, 2)],
            "stream 1 writes a,b (others null), some late",
        )
        w(
            "upsert",
            wide,
            [row(i, 3, late(i, 3), "cd") for i in range(n // 4, n + 8)],
            "stream 2 writes c,d (others null), some late, 8 new keys",
        )
        w(
            "upsert",
            wide,
            [row(i, 4, late(i, 4), "e") for i in range(0, n, 3)],
            "stream 3 writes e (others null), some late",
        )
        w("upsert", wide, [row(i, 5, 25000 + i, "ad") for i in range(0, n, 4)], "stream 1+2 mix: a,d")
        w(
            "delete",
            wide,
            [row(i, 6, [100, 99000][i % 2] + i, "") for i in range(0, n, 9)],
            "deletes, every other one late",
        )
        if env.version != 8:
            w(
                "upsert",
                wide,
                [row(i, 7, 99500 + i, "b") for i in range(0, n, 18)],
                "some deleted keys again, only b set",
            )

    if nm == "payload_nondefaults":
        fx.what = "MOR, OverwriteNonDefaultsWithLatestAvroPayload"
        fx.setup(True).opt({"hoodie.datasource.write.payload.class": P + "OverwriteNonDefaultsWithLatestAvroPayload"})
        three_streams()
    elif nm.startswith("payload_partial_update"):
        fx.what = "MOR, PartialUpdateAvroPayload: streams each write a subset of columns"
        fx.setup(True).opt({"hoodie.datasource.write.payload.class": P + "PartialUpdateAvroPayload"})
        if "log_only" in nm:
            fx.opt(
                {
                    "hoodie.index.type": "BUCKET",
                    "hoodie.bucket.index.num.buckets": "2",
                    "hoodie.index.bucket.engine": "SIMPLE",
                }
            )
            fx.what += "; bucket index, no base files"
        three_streams("upsert" if "log_only" in nm else "insert")
    elif nm in ("payload_event_time", "payload_overwrite_latest"):
        c = {
            "payload_event_time": "EventTimeAvroPayload",
            "payload_overwrite_latest": "OverwriteWithLatestAvroPayload",
        }[nm]
        fx.what = f"MOR, {c} named as payload class"
        fx.setup(True).opt({"hoodie.datasource.write.payload.class": P + c})
        three_streams()
    elif nm == "payload_delete_marker":
        fx.what = "MOR, DefaultHoodieRecordPayload with hoodie.payload.delete.field=d, marker DEL, and _hoodie_is_deleted rows"
        fx.setup(True).opt(
            {
                "hoodie.datasource.write.payload.class": P + "DefaultHoodieRecordPayload",
                "hoodie.payload.delete.field": "d",
                "hoodie.payload.delete.marker": "DEL",
            }
        )
        sch = wide + ", _hoodie_is_deleted boolean"
        w("insert", sch, [row(i, 1, 10000 + i, "abcde") + (False,) for i in range(n)], f"{n} rows")
        w(
            "upsert",
            sch,
            [
                row(i, 2, 20000 + i, "abce")[:6] + ("DEL" if i % 4 == 0 else f"d{i}", True) + (False,)
                for i in range(0, n, 2)
            ],
            "d=DEL on some rows",
        )
        w(
            "upsert",
            sch,
            [row(i, 3, late(i, 3), "abcde") + (i % 5 == 0,) for i in range(1, n, 2)],
            "_hoodie_is_deleted on some, some late",
        )
        w(
            "upsert",
            sch,
            [row(i, 4, [100, 30000][i % 2] + i, "abcde") + (False,) for i in range(0, n, 3)],
            "re-inserts, half late",
        )
    elif nm == "payload_dms":
        fx.what = "MOR, AWSDmsAvroPayload (column Op)"
        fx.setup(True).opt({"hoodie.datasource.write.payload.class": P + "AWSDmsAvroPayload"})
        sch = "Op string, " + wide
        w("insert", sch, [("I",) + row(i, 1, 10000 + i, "abcde") for i in range(n)], f"{n} rows Op=I")
        w(
            "upsert",
            sch,
            [(("D" if i % 4 == 0 else "U"),) + row(i, 2, 20000 + i, "abcde") for i in range(0, n, 2)],
            "Op U and D",
        )
        w(
            "upsert",
            sch,
            [(("D" if i % 5 == 0 else "U"),) + row(i, 3, late(i, 3), "abcde") for i in range(0, n, 3)],
            "Op U and D, some late",
        )
        w("upsert", sch, [("I",) + row(i, 4, 40000 + i, "abcde") for i in range(0, n, 8)], "deleted keys again, Op I")
    elif nm == "payload_postgres":
        fx.what = "MOR, PostgresDebeziumAvroPayload (_change_operation_type, _event_lsn, unavailable TOAST values)"
        sch = "_change_operation_type string, _event_lsn bigint, " + wide
        fx.setup(True, ts="_event_lsn").opt(
            {"hoodie.datasource.write.payload.class": P + "debezium.PostgresDebeziumAvroPayload"}
        )

        def r(i, ver, lsn, op, toast=False):
            x = list(row(i, ver, lsn, "abcde"))
            if toast:
                x[4] = "__debezium_unavailable_value"
            return (op, lsn) + tuple(x)

        w("insert", sch, [r(i, 1, 10000 + i, "c") for i in range(n)], f"{n} rows")
        w(
            "upsert",
            sch,
            [r(i, 2, 20000 + i, "d" if i % 4 == 0 else "u", i % 3 == 0) for i in range(0, n, 2)],
            "u and d, some toast",
        )
        w(
            "upsert",
            sch,
            [r(i, 3, late(i, 3), "d" if i % 5 == 0 else "u", i % 2 == 0) for i in range(0, n, 3)],
            "u and d, some late, some toast",
        )
        w("upsert", sch, [r(i, 4, 40000 + i, "c") for i in range(0, n, 8)], "deleted keys again")
    else:
        fx.what = "MOR, MySqlDebeziumAvroPayload (_change_operation_type, _event_bin_file, _event_pos, _event_seq)"
        sch = "_change_operation_type string, _event_bin_file string, _event_pos bigint, _event_seq string, " + wide
        fx.setup(True, ts="_event_bin_file,_event_pos" if env.version >= 9 else "_event_seq").opt(
            {"hoodie.datasource.write.payload.class": P + "debezium.MySqlDebeziumAvroPayload"}
        )

        def r(i, ver, pos, op):
            return (
                op,
                f"mysql-bin.{ver * 10:06d}" if env.version < 9 else f"{ver * 10:06d}",
                pos,
                f"{ver * 10:06d}.{pos}",
            ) + row(i, ver, pos, "abcde")

        w("insert", sch, [r(i, 1, 10000 + i, "c") for i in range(n)], f"{n} rows")
        w("upsert", sch, [r(i, 2, 20000 + i, "d" if i % 4 == 0 else "u") for i in range(0, n, 2)], "u and d")
        w(
            "upsert",
            sch,
            [r(i, [0, 1, 3][i % 3], late(i, 3), "d" if i % 5 == 0 else "u") for i in range(0, n, 2)],
            "u and d, some with an older binlog file",
        )
        w(
            "upsert",
            sch,
            [r(i, 10, 9 + i, "c") for i in range(0, n, 8)],
            "binlog 100 < 90 as text only when unpadded; deleted keys again",
        )


@table(*[f"cdc_{m}_{t}" for t in ("cow", "mor") for m in ("op_key_only", "data_before", "data_before_after")])
def t_cdc(fx):
    m = fx.name[4:-4]
    fx.cdc = True
    fx.what = f"CDC enabled, supplemental logging {m}"
    s = Rows(fx)
    fx.setup(fx.name.endswith("mor"), s.key).event_time().opt(
        {"hoodie.table.cdc.enabled": "true", "hoodie.table.cdc.supplemental.logging.mode": m.upper()}
    )
    n = fx.n(30, 60)
    s.put("insert", range(n), 1)
    s.put("upsert", range(n // 3, n + 10), 2)
    s.put("delete", range(0, n, 5), 3)
    s.put("upsert", list(range(0, n, 10)) + list(range(n - 3, n + 3)), 4, msg="re-inserts and updates")
    if s.pt == "string":
        s.put("insert_overwrite", [3, 6, 9], 5, msg="one partition replaced")
    s.std_filters()


@table("nbcc", minv=8)
def t_nbcc(fx):
    s = Rows(fx, parttype="string", nparts=2)
    fx.setup(True, s.key)
    mm = fx.choose("mergemode", ["COMMIT_TIME_ORDERING", "EVENT_TIME_ORDERING"])
    fx.opt(
        {
            "hoodie.write.record.merge.mode": mm,
            "hoodie.index.type": "BUCKET",
            "hoodie.bucket.index.num.buckets": "2",
            "hoodie.index.bucket.engine": "SIMPLE",
            "hoodie.write.concurrency.mode": "NON_BLOCKING_CONCURRENCY_CONTROL",
            "hoodie.clean.failed.writes.policy": "LAZY",
            "hoodie.cleaner.policy.failed.writes": "LAZY",
            "hoodie.table.type": "MERGE_ON_READ",
            "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider",
        }
    )
    fx.what = f"NBCC, bucket index, {mm}: an earlier-requested delta commit completes after a later-requested one"
    n = fx.n(30, 60)
    s.put("upsert", range(n), 1)
    e = []
    slow = s.df(s.rows(range(0, 20), 2, lambda i: 5000 + i))
    slow = slow.withColumn(
        "note", F.expr("concat('slow', java_method('java.lang.Thread', 'sleep', cast(qty * 0 + 700 as bigint)))")
    )

    def go():
        try:
            fx.write(slow, "upsert", "slow writer: 20 rows (ids 0..19), requested first, completes last")
        except Exception as x:
            e.append(x)

    th = threading.Thread(target=go)
    before = len(glob.glob(fx.path + "/.hoodie/timeline/*.deltacommit.requested"))
    th.start()
    for _ in range(600):
        if len(glob.glob(fx.path + "/.hoodie/timeline/*.deltacommit.requested")) > before:
            break
        time.sleep(0.02)
    time.sleep(0.3)
    s.put(
        "upsert",
        range(10, 30),
        3,
        lambda i: [4000, 6000][i % 2] + i,
        msg="fast writer: ids 10..29, requested second, completes first",
    )
    th.join()
    if e:
        raise e[0]
    t = fx.tl()
    fx.note(
        f"instants/completions: {[(x['instant'], x['completion']) for x in t]}; inverted={t[1]['completion'] > t[2]['completion']}"
    )
    s.put("upsert", range(0, n, 7), 4, lambda i: 7000 + i)
    s.std_filters()
