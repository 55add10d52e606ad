#!/usr/bin/env python3
"""One wide table that three writers fill, against the join of three tables that it replaces.

    multistream.py DATA --make [--rows 1000000]     makes the tables, with Spark
    multistream.py DATA [--threads 1,2] [--runs 3] [--out FILE]

DATA/wide            orders (a, b, c) written at first, then payments (a, d) of all keys and parcels (a, e) of 80 % of
                     them, each as rows with nulls elsewhere (IGNORE_DEFAULTS), in Avro log blocks
DATA/wide_lsm        the same table with native logs, sorted by key (lsm_tree layout)
DATA/wide_compacted  the same table after a compaction
DATA/{orders,payments,parcels}.parquet    what each writer would write on its own; DuckDB joins them on a

Every measurement is a fresh process, see peers.py. The best of the runs by CPU time counts.
"""

import argparse
import json
import os
import resource
import shutil
import sys
import time

import gen
import peers

JOIN = """SELECT o.a, b, c, d, e FROM read_parquet('{0}/orders.parquet') o
LEFT JOIN read_parquet('{0}/payments.parquet') p ON o.a = p.a
LEFT JOIN read_parquet('{0}/parcels.parquet') q ON o.a = q.a"""
CASES = ("wide", "wide_lsm", "wide_compacted", "DuckDB joins three tables")


def make(a):
    spark = gen.session(a)
    h = lambda salt: f"xxhash64(id, {salt})"
    rows = spark.range(0, a.rows, 1, 1).selectExpr(
        "id",
        f"lower(hex({h(1)})) || '-' || lpad(id, 9, '0') as a",
        f"'order ' || pmod({h(2)}, 100000) as b",
        f"pmod({h(3)}, 1000000) / 100.0D as c",
        f"pmod({h(4)}, 1000000) / 100.0D as d",
        f"'box ' || pmod({h(5)}, 1000) || ' of depot ' || pmod({h(6)}, 50) as e",
    )
    streams = {
        "orders": rows.selectExpr("a", "b", "c"),
        "payments": rows.selectExpr("a", "d"),
        "parcels": rows.where(f"pmod({h(7)}, 5) > 0").selectExpr("a", "e"),
    }
    wide = os.path.join(a.out, "wide")
    shutil.rmtree(wide, ignore_errors=True)
    types = {"a": "string", "b": "string", "c": "double", "d": "double", "e": "string"}
    for name, df in streams.items():
        df.toPandas().to_parquet(os.path.join(a.out, f"{name}.parquet"), index=False, compression="gzip")
        columns = [c if c in df.columns else f"cast(null as {t}) {c}" for c, t in types.items()]
        first = name == "orders"
        how = ("bulk_insert", "overwrite") if first else ("upsert", "append")
        gen.write(df.selectExpr(*columns, "1L as ts"), wide, "MERGE_ON_READ", *how, **OPTIONS)
    gen.sort(wide, os.path.join(a.out, "wide_lsm"))
    compacted = os.path.join(a.out, "wide_compacted")
    shutil.rmtree(compacted, ignore_errors=True)
    shutil.copytree(wide, compacted)
    for op in ("schedule", "run"):
        at_once = "hoodie.compact.inline.max.delta.commits=1"
        spark.sql(f"call run_compaction(op => '{op}', path => '{compacted}', options => '{at_once}')").collect()
    spark.stop()


OPTIONS = {
    "hoodie.datasource.write.recordkey.field": "a",
    "hoodie.datasource.write.precombine.field": "ts",
    "hoodie.write.record.merge.mode": "COMMIT_TIME_ORDERING",
    "hoodie.datasource.write.payload.class": "org.apache.hudi.common.model.OverwriteNonDefaultsWithLatestAvroPayload",
    "hoodie.metadata.enable": "false",
    "hoodie.bulkinsert.sort.mode": "NONE",
    "hoodie.bulkinsert.shuffle.parallelism": "1",
}


def join(data, threads):
    """The join in DuckDB, streamed as Arrow batches."""
    import duckdb

    t0, c0 = time.perf_counter(), time.process_time()
    con = duckdb.connect()
    con.execute(f"SET threads = {threads}")
    rows = sum(b.num_rows for b in con.execute(JOIN.format(data)).fetch_record_batch(1 << 17))
    cpu = time.process_time() - c0
    figures = {"rows": rows, "seconds": time.perf_counter() - t0, "cpu_seconds": cpu, "rows_per_cpu_second": rows / cpu}
    figures["peak_rss"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    print(json.dumps(figures))


def measure(a, case, threads, program):
    if case in os.listdir(a.data):
        cmd = [program, "-table", os.path.join(a.data, case), "-columns", "a,b,c,d,e", "-threads", str(threads)]
        return peers.run("hudi-go", cmd, threads)
    return peers.run("DuckDB", [sys.executable, os.path.abspath(__file__), a.data, "--join", str(threads)], threads)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("data")
    p.add_argument("--make", action="store_true")
    p.add_argument("--rows", type=int, default=1_000_000)
    p.add_argument("--hudi", default="1.2.0")
    p.add_argument("--mem", default="4g")
    p.add_argument("--cores", default="2")
    p.add_argument("--threads", default="1,2")
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--out", default="")
    p.add_argument("--join", type=int, default=0, help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.join:
        join(a.data, a.join)
        return
    if a.make:
        a.out = os.path.abspath(a.data)
        os.makedirs(a.out, exist_ok=True)
        make(a)
        return
    program = peers.binary()
    best = []
    for threads in map(int, a.threads.split(",")):
        for case in CASES:
            runs = [measure(a, case, threads, program) for _ in range(a.runs)]
            about = {"case": case, "threads": threads, "partial": False}
            about["reader"] = "hudi-go" if case.startswith("wide") else "DuckDB"
            best.append({**min(runs, key=lambda r: r.get("cpu_seconds", 1e9)), **about})
    if len({r.get("rows") for r in best}) != 1:
        sys.exit(f"the readers do not agree on the number of rows: {best}")
    print(peers.markdown(best))
    if a.out:
        with open(a.out, "w") as f:
            f.write(peers.markdown(best))


if __name__ == "__main__":
    main()
