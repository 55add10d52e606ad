#!/usr/bin/env python3
"""Writes the test tables with Spark and Hudi, and the answers that Spark gives to every query beside them.

    generate.py --out DIR [--hudi 0.15.0,1.0.2,1.2.0] [--seed 1] [--only A,B] [--extra] [--lite] [--mem 3g]

DIR/v6, v8, v9/<name>/{table.zip, manifest.json, expected/*.parquet, README}; with --extra the tables of odd kinds go to
DIR/extra/<name>. Seed 1 takes the first of every choice, any other seed draws them: other keys, types, configurations.
Tables 'upgraded*' pass from release to release through DIR/upgrade_stage, so name the releases in order.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
import traceback

os.environ["TZ"] = "UTC"
time.tzset()
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from hudigen import env  # noqa: E402


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", required=True)
    p.add_argument("--hudi", default="0.15.0,1.0.2,1.2.0", help="releases, one process each")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--only", default="", help="names of tables")
    p.add_argument("--skip", default="", help="names of tables")
    p.add_argument("--extra", action="store_true", help="the tables of odd kinds instead of the common ones")
    p.add_argument("--missing", action="store_true", help="only tables that are not there yet")
    p.add_argument("--lite", action="store_true", help="fewer time-travel and incremental queries")
    p.add_argument("--mem", default="3g")
    p.add_argument("--cores", default="2")
    p.add_argument("--list", action="store_true", help="only print the names")
    return p.parse_args()


def each_release(a):
    """Runs this program once per release; the worst exit status is the answer."""
    status = 0
    for release in a.hudi.split(","):
        i = next((i for i, x in enumerate(sys.argv) if x.startswith("--hudi")), None)
        rest = sys.argv[1:]
        if i is not None:
            rest = sys.argv[1:i] + sys.argv[i + (1 if "=" in sys.argv[i] else 2) :]
        status |= subprocess.run([sys.executable, sys.argv[0], *rest, "--hudi", release]).returncode
    return status


def make(name, fn, dest, odd):
    """Writes one table and asks it; gives a line for the log."""
    from hudigen.answers import err, finish
    from hudigen.fixture import Fixture, Skip

    t0 = time.time()
    fx = Fixture(name, odd)
    shutil.rmtree(dest, ignore_errors=True)
    try:
        fn(fx)
        t1 = time.time()
        os.makedirs(dest)
        finish(fx, dest)
        size = os.path.getsize(dest + "/table.zip") // 1024
        return f"OK   {name} write {t1 - t0:.1f}s read {time.time() - t1:.1f}s zip {size} KB " + " | ".join(fx.notes)
    except Skip as e:
        shutil.rmtree(dest, ignore_errors=True)
        return f"SKIP {name} {e}"
    except Exception as e:
        shutil.rmtree(dest, ignore_errors=True)
        return f"FAIL {name} {err(e)}\n{traceback.format_exc()[:3000]}"
    finally:
        for r in env.spark.sql("set").collect():
            if r["key"].startswith("hoodie.") or r["key"] == "spark.sql.parquet.enableVectorizedReader":
                env.spark.conf.unset(r["key"])
        shutil.rmtree(os.path.join(env.work, name), ignore_errors=True)


def extra_version(name):
    """The table version that an extra table is of: its suffix says, 9 otherwise."""
    return int(name[-1]) if name[-3:] in ("_v6", "_v8") else 9


def main():
    a = arguments()
    if "," in a.hudi and not a.list:
        sys.exit(each_release(a))
    env.configure(a if not a.list else argparse.Namespace(**{**vars(a), "hudi": a.hudi.split(",")[-1]}))
    from hudigen import tables
    from hudigen.fixture import TABLES

    tables.load()
    only, skip = set(filter(None, a.only.split(","))), set(filter(None, a.skip.split(",")))
    chosen = [t for t in TABLES if t[4] == a.extra and (not only or t[0] in only) and t[0] not in skip]
    if a.list:
        print("\n".join(t[0] for t in chosen))
        return
    env.start(a.mem, a.cores)
    folder = os.path.join(env.out, "extra" if a.extra else f"v{env.version}")
    os.makedirs(folder, exist_ok=True)
    failed = 0
    for name, fn, low, high, _ in chosen:
        dest = os.path.join(folder, name)
        if not low <= env.version <= high or a.missing and os.path.exists(f"{dest}/manifest.json"):
            continue
        if a.extra and env.version != extra_version(name):
            continue
        line = make(name, fn, dest, a.extra)
        failed += line.startswith("FAIL")
        print(line, flush=True)
    env.spark.stop()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
