"""What failed writers, restores and upgrades leave behind."""

import glob
import os
import shutil

from hudigen import env
from hudigen.fixture import Skip, table
from hudigen.rows import Rows, seq


@table("rollback_mor", "rollback_cow")
def t_rollback(fx):
    s = Rows(fx)
    fx.setup(fx.name.endswith("mor"), s.key).event_time().opt({"hoodie.rollback.using.markers": "false"})
    fx.what = "a failed commit (its completed file removed after the write) rolled back by the next write"
    n = fx.n()
    s.put("insert", range(n), 1)
    s.put("upsert", range(n // 2), 2)
    s.put("upsert", range(0, n, 2), 3, msg="this commit is then made to fail")
    bad = fx.uncomplete_last()
    fx.step(f"removed the completed file of {bad}")
    s.put("upsert", range(0, n, 5), 4, msg=f"rolls {bad} back first")
    s.put("delete", range(1, n, 8), 5)
    fx.extra["rolled_back_instant"] = bad
    s.std_filters()


@table("savepoint_restore_mor", "savepoint_restore_cow")
def t_restore(fx):
    s = Rows(fx)
    fx.setup(fx.name.endswith("mor"), s.key).event_time()
    n = fx.n()
    fx.what = "savepoint, more commits, restore to the savepoint, more commits"
    s.put("insert", range(n), 1)
    sp = s.put("upsert", range(n // 2), 2)
    fx.register()
    fx.sql(f"call create_savepoint(table => '{fx.name}', commit_time => '{sp}')", "")
    s.put("upsert", range(n // 3, n + 20), 3)
    s.put("delete", range(0, n, 3), 4)
    fx.sql(f"call rollback_to_savepoint(table => '{fx.name}', instant_time => '{sp}')", "")
    fx.extra["savepoint"] = sp
    s.put("upsert", range(0, n, 6), 5, msg="after the restore")
    s.std_filters()


@table("leftovers_mor", "leftovers_cow")
def t_left(fx):
    s = Rows(fx)
    fx.setup(fx.name.endswith("mor"), s.key).event_time()
    n = fx.n()
    fx.what = "the newest commit is inflight (completed file removed), its data files are there and must be ignored"
    s.put("insert", range(n), 1)
    s.put("upsert", range(n // 2), 2)
    s.put("upsert", range(0, n + 15, 2), 3)
    bad = fx.uncomplete_last()
    fx.step(f"removed the completed file of {bad}")
    fx.extra["inflight_instant"] = bad
    # marker-less residue of a writer
    s.std_filters()


@table("corrupt_last_log", "corrupt_mid_log")
def t_corrupt(fx):
    s = Rows(fx, nparts=1)
    fx.setup(True, s.key).event_time().opt(
        {
            "hoodie.metadata.enable": "false",
            "hoodie.logfile.data.block.format": fx.choose("logfmt", ["avro", "parquet"]),
        }
    )
    n = fx.n()
    fx.read_opts = {"hoodie.metadata.enable": "false"}
    fx.what = (
        "MOR, no metadata table: "
        + ("the newest" if "last" in fx.name else "a middle")
        + " log file truncated in mid block"
    )
    s.put("insert", range(n), 1)
    s.put("upsert", range(n // 2), 2)
    s.put("upsert", range(n // 4, n), 3)
    if "mid" in fx.name:
        s.put("upsert", range(n // 3, n, 4), 4)
    logs = sorted(glob.glob(fx.path + "/*/.*.log.*"))
    logs = [l for l in logs if not l.endswith(".crc")]
    logs.sort(key=os.path.getmtime)
    f = logs[-1 if "last" in fx.name else -2]
    sz = os.path.getsize(f)
    with open(f, "r+b") as h:
        h.truncate(int(sz * 0.6))
    c = os.path.join(os.path.dirname(f), "." + os.path.basename(f) + ".crc")
    os.path.exists(c) and os.remove(c)
    fx.step(f"truncated {os.path.basename(f)} from {sz} to {int(sz * .6)} bytes")
    s.std_filters()


@table("upgraded", "upgraded_direct")
def t_up(fx):
    st = os.path.join(env.out, "upgrade_stage")
    os.makedirs(st, exist_ok=True)
    me = os.path.join(st, f"{fx.name}_v{env.version}")
    s = Rows(fx, keytype="string", parttype="string")
    fx.setup(True, s.key).event_time()
    if fx.name == "upgraded_direct" and env.version == 8:
        raise Skip("upgraded_direct is 0.15.0 -> 1.2.0 only")
    n = 50
    if env.version == 6:
        fx.what = "stage 1 (0.15.0) of the table that newer versions then upgrade"
        s.put("insert", range(n), 1)
        s.put("upsert", range(n // 2), 2, lambda i: 20000 + i)
        s.put("delete", range(0, n, 9), 3, lambda i: 30000 + i)
        s.put(
            "upsert",
            [i for i in range(n // 2, n) if i % 9 or fx.name == "upgraded_direct"],
            4,
            lambda i: [5, 40000][i % 2] + i,
            (
                "keys not deleted before (1.0.2 cannot compact a deleted and re-inserted key)"
                if fx.name == "upgraded"
                else None
            ),
        )
    else:
        if env.version == 8:
            s.dead = set(range(0, n, 9))
        prev = os.path.join(st, f"{fx.name}_v{8 if env.version == 9 and fx.name == 'upgraded' else 6}")
        if not os.path.isdir(prev):
            raise Skip(f"needs {prev} first")
        shutil.copytree(prev, fx.path)
        fx.step(f"table of {os.path.basename(prev)} taken over")
        fx.what = f"written by older Hudi, then upgraded and written by {env.hudi}"
        for k in ("hoodie.write.record.merge.mode",):
            fx.base.pop(k, None)
        fx.base["hoodie.datasource.write.payload.class"] = "org.apache.hudi.common.model.DefaultHoodieRecordPayload"
        s.put("upsert", range(0, n, 3), 50 + env.version, lambda i: [6, 50000 * (env.version - 7)][i % 2] + i)
        s.put("upsert", range(n, n + 10), 60 + env.version, lambda i: 70000 + i)
        s.put("delete", range(4, n, 11), 70 + env.version, lambda i: 900000 + i)
    shutil.rmtree(me, ignore_errors=True)
    shutil.copytree(fx.path, me)
    s.std_filters()


@table("written_as_v6", "written_as_v8", minv=8)
def t_old_version(fx):
    v = int(fx.name[-1])
    if v >= env.version:
        raise Skip("not an older version")
    s = Rows(fx)
    fx.setup(True, s.key).event_time().opt({"hoodie.write.table.version": str(v), "hoodie.write.auto.upgrade": "false"})
    if v == 6:
        fx.opt({"hoodie.datasource.write.payload.class": "org.apache.hudi.common.model.DefaultHoodieRecordPayload"})
    fx.what = f"Hudi {env.hudi} writing table version {v}"
    seq(fx, s)
