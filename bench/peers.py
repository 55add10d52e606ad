#!/usr/bin/env python3
"""Times readers on the same tables: hudi-go (bench/hudibench, and its Python package), hudi-rs, DuckDB's read_parquet, pyarrow.

    peers.py DATA [--threads 1,2] [--runs 3] [--readers hudi-go,hudi-go-ro,hudi-rs,duckdb,pyarrow] [--cases cow-all,mor-3] [--out FILE]

DATA is the folder that gen.py filled. Every measurement is a fresh process bound to as many CPUs as it has threads; it
streams all batches as Arrow and counts rows. Of several runs the one with the least CPU time counts. Prints a Markdown
table; --out writes it, and FILE.json with every run. DuckDB and pyarrow know no Hudi: they get the live base files of
the table, which for a merge-on-read table is less work and gives stale rows: such figures are marked. So is hudi-go-ro, the
read-optimized query: it tells what merging costs on top of the same base files. hudi-rs refuses the sorted layout. hudi-go-python needs
the wheel (pip wheel ../python) installed beside the readers.
"""

import argparse
import glob
import importlib
import json
import os
import resource
import subprocess
import sys
import time

THREE = ["l_orderkey", "l_quantity", "l_shipdate"]
EARLY = ("l_shipdate", "<", "1992-06-01")  # 1 row in 26
CASES = {
    # name: (table, columns or None for the table's own 17, condition or None)
    "cow-all": ("cow", None, None),
    "cow-3": ("cow", THREE, None),
    "cow-text": ("cow", ["l_shipmode", "l_comment"], None),
    "cow-3-where": ("cow", THREE, EARLY),
    "mor-all": ("mor", None, None),
    "mor-3": ("mor", THREE, None),
    "mor-3-where": ("mor", THREE, EARLY),
    "lsm-all": ("lsm", None, None),
    "lsm-3": ("lsm", THREE, None),
    "near-all": ("near", None, None),
    "near-3": ("near", THREE, None),
}
READERS = ["hudi-go", "hudi-go-python", "hudi-go-ro", "hudi-rs", "duckdb", "pyarrow"]
UNMERGED = ("hudi-go-ro", "duckdb", "pyarrow")  # on tables with logs
HERE = os.path.dirname(os.path.abspath(__file__))


def base_files(table):
    """The base files of a table that was written once and never compacted: all Parquet files in it but native logs."""
    files = glob.glob(f"{glob.escape(table)}/*.parquet")
    return sorted(f for f in files if not f.endswith((".log.parquet", ".deletes.parquet")))


def own_columns(table, columns):
    """The columns asked for; without a list all but Hudi's."""
    import pyarrow.parquet as pq

    if columns:
        return columns
    return [c for c in pq.read_schema(base_files(table)[0]).names if not c.startswith("_hoodie_")]


def sql(condition):
    """A condition as SQL text."""
    return f"{condition[0]} {condition[1]} DATE '{condition[2]}'"


def hudi_go_python(table, columns, threads, condition):
    from adbc_driver_hudi import Table

    scan = Table(table, threads=threads).scan(columns, sql(condition) if condition else None)
    return sum(b.num_rows for b in scan)


def hudi_rs(table, columns, threads, condition):
    from hudi import HudiReadOptions, HudiTable

    os.environ["TOKIO_WORKER_THREADS"] = str(threads)
    options = HudiReadOptions().with_projection(own_columns(table, columns))
    if condition:
        options = options.with_filters([condition])
    return sum(b.num_rows for b in HudiTable(table).read_stream(options))


def duckdb(table, columns, threads, condition):
    import duckdb as db

    con = db.connect()
    con.execute(f"SET threads = {threads}")
    names = ", ".join(f'"{c}"' for c in own_columns(table, columns))
    where = f" WHERE {sql(condition)}" if condition else ""
    reader = con.execute(f"SELECT {names} FROM read_parquet({base_files(table)}){where}").fetch_record_batch(1 << 17)
    return sum(b.num_rows for b in reader)


def pyarrow(table, columns, threads, condition):
    import pyarrow as pa
    import pyarrow.dataset as ds

    pa.set_cpu_count(threads)
    pa.set_io_thread_count(threads)
    data = ds.dataset(base_files(table), format="parquet")
    where = ds.field(condition[0]) < pa.scalar(condition[2]).cast(pa.date32()) if condition else None
    batches = data.to_batches(columns=own_columns(table, columns), filter=where, use_threads=threads > 1)
    return sum(b.num_rows for b in batches)


def one(reader, table, columns, threads, condition):
    """Runs a Python reader in this process and prints its figures; loading the library does not count."""
    ask, module = {
        "hudi-go-python": (hudi_go_python, "adbc_driver_hudi"),
        "hudi-rs": (hudi_rs, "hudi"),
        "duckdb": (duckdb, "duckdb"),
        "pyarrow": (pyarrow, "pyarrow"),
    }[reader]
    for name in (module, "pyarrow.dataset", "pyarrow.parquet"):
        importlib.import_module(name)
    t0, c0 = time.perf_counter(), time.process_time()
    rows = ask(table, columns, threads, condition)
    cpu = time.process_time() - c0
    figures = {"reader": reader, "rows": rows, "seconds": time.perf_counter() - t0, "cpu_seconds": cpu}
    figures["rows_per_cpu_second"] = rows / cpu
    figures["peak_rss"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    print(json.dumps(figures))


def binary():
    """Builds hudibench beside this file's build folder."""
    out = os.path.join(HERE, "..", "bin", "hudibench")
    subprocess.run(["go", "build", "-o", out, "./hudibench"], cwd=HERE, check=True)
    return out


def measure(reader, data, case, threads, program):
    """One measurement in a process of its own."""
    name, columns, condition = CASES[case]
    if reader in ("hudi-go", "hudi-go-ro"):
        cmd = [program, "-table", os.path.join(data, name), "-threads", str(threads)]
        cmd += ["-query", "read_optimized"] if reader == "hudi-go-ro" else []
        cmd += ["-columns", ",".join(columns)] if columns else []
        cmd += ["-where", sql(condition)] if condition else []
    else:
        cmd = [sys.executable, os.path.abspath(__file__), data, "--one", reader, "--cases", case, "--threads", str(threads)]
    return run(reader, cmd, threads)


def run(reader, cmd, threads):
    """Runs a command on as many CPUs as it has threads; its last line are the figures."""
    cpus = sorted(os.sched_getaffinity(0))[:threads]
    r = subprocess.run(
        cmd, capture_output=True, text=True, timeout=900, preexec_fn=lambda: os.sched_setaffinity(0, cpus)
    )
    if r.returncode:
        return {"reader": reader, "error": (r.stderr.strip().splitlines() or ["failed"])[-1][:160]}
    return json.loads(r.stdout.strip().splitlines()[-1])


def markdown(results):
    """The table of the best runs."""
    lines = [
        "| case | threads | reader | wall s | CPU s | M rows per CPU s | peak MB |",
        "|---|---|---|---|---|---|---|",
    ]
    for r in results:
        name = r["reader"] + (" (base files only, not merged)" if r["partial"] else "")
        if "error" in r:
            lines.append(f"| {r['case']} | {r['threads']} | {name} | failed: {r['error']} | | | |")
            continue
        lines.append(
            f"| {r['case']} | {r['threads']} | {name} | {r['seconds']:.2f} | {r['cpu_seconds']:.2f} | "
            f"{r['rows_per_cpu_second'] / 1e6:.2f} | {r['peak_rss'] / 1e6:.0f} |"
        )
    return "\n".join(lines) + "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("data", type=os.path.abspath)  # hudi-rs takes no relative path
    p.add_argument("--threads", default="1,2")
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--readers", default=",".join(READERS))
    p.add_argument("--cases", default=",".join(CASES))
    p.add_argument("--out", default="")
    p.add_argument("--one", default="", help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.one:
        name, columns, condition = CASES[a.cases]
        one(a.one, os.path.join(a.data, name), columns, int(a.threads), condition)
        return
    program = binary() if {"hudi-go", "hudi-go-ro"} & set(a.readers.split(",")) else ""
    best, every = [], []
    for case in a.cases.split(","):
        name = CASES[case][0]
        for threads in map(int, a.threads.split(",")):
            for reader in a.readers.split(","):
                if reader == "hudi-go-ro" and name == "cow" or reader == "hudi-rs" and name in ("lsm", "near"):
                    continue  # the same as hudi-go; refused
                runs = [measure(reader, a.data, case, threads, program) for _ in range(a.runs)]
                about = {"case": case, "threads": threads, "partial": name != "cow" and reader in UNMERGED}
                every += [{**about, **r} for r in runs]
                best.append({**about, **min(runs, key=lambda r: r.get("cpu_seconds", 1e9))})
                print(json.dumps(best[-1]), file=sys.stderr, flush=True)
    print(markdown(best))
    if a.out:
        with open(a.out, "w") as f:
            f.write(markdown(best))
        with open(a.out + ".json", "w") as f:
            json.dump(every, f, indent=1)


if __name__ == "__main__":
    main()
