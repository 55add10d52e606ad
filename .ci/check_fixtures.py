#!/usr/bin/env python3
"""Asks a built `hudi` command every query of a set of tables and compares its rows with the stored answers.

    check_fixtures.py BIN DIR [--kinds snapshot,read_optimized,time_travel,incremental,cdc,filter] [--only SUBSTR] [-v]

DIR holds folders with table.zip, manifest.json and expected/*.parquet at any depth. Prints one line per wrong query and
last 'N of M right'; exit 0 only when all are right. A table whose manifest says `refused` must fail with that text.
Needs pyarrow.
"""

import argparse
import concurrent.futures
import datetime
import decimal
import glob
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq

IGNORED = {"_hoodie_file_name"}
# Answers of Spark that are not ours, each with its reason: "folder kind" -> reason.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "known_differences.json")) as known_file:
    KNOWN = json.load(known_file)


def norm(v):
    """A value as something that compares and sorts."""
    if v is None or isinstance(v, (bool, int)):
        return v
    if isinstance(v, float):
        return "nan" if math.isnan(v) else repr(v + 0.0)
    if isinstance(v, decimal.Decimal):
        return format(v.normalize(), "f") if v else "0"
    if isinstance(v, datetime.datetime):
        if v.tzinfo:
            v = v.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return v.isoformat()
    if isinstance(v, (datetime.date, datetime.time)):
        return v.isoformat()
    if isinstance(v, bytes):
        return v.hex()
    if isinstance(v, dict):
        return {k: norm(x) for k, x in v.items()}
    if isinstance(v, list):
        if v and all(isinstance(x, tuple) and len(x) == 2 for x in v):  # a map
            return sorted([[norm(a), norm(b)] for a, b in v], key=str)
        return [norm(x) for x in v]
    if isinstance(v, tuple):
        return [norm(x) for x in v]
    return str(v)


def rows(table, columns):
    """The rows of the columns, each as text, sorted."""
    if not columns:
        return [""] * table.num_rows
    return sorted(json.dumps([norm(v) for v in r]) for r in zip(*[table[c].to_pylist() for c in columns]))


def differ(want, got, text_partitions):
    """What is wrong with an answer, or None."""
    if text_partitions:
        # Spark shows the partition columns of time-based key generators as strings: the table's own type is right.
        for i, f in enumerate(got.schema):
            if f.name in want.column_names and pa.types.is_string(want.schema.field(f.name).type):
                if pa.types.is_integer(f.type):
                    got = got.set_column(i, f.name, got[f.name].cast(pa.string()))
    wanted = [c for c in want.column_names if c not in IGNORED]
    given = [c for c in got.column_names if c not in IGNORED]
    if set(wanted) != set(given):
        return f"columns missing {sorted(set(wanted) - set(given))} extra {sorted(set(given) - set(wanted))}"
    if want.num_rows != got.num_rows:
        return f"{got.num_rows} rows, {want.num_rows} expected"
    w, g = rows(want, wanted), rows(got, wanted)
    if w != g:
        bad = [c for c in wanted if rows(want, [c]) != rows(got, [c])]
        d = [(a, b) for a, b in zip(w, g) if a != b]
        return f"values differ in {bad[:6]} ({len(d)} rows), e.g. want {d[0][0][:160]} got {d[0][1][:160]}"
    types = {f.name: (f.type, got.schema.field(f.name).type) for f in want.schema if f.name in wanted}
    bad = [f"{c}: want {a} got {b}" for c, (a, b) in types.items() if not same_type(a, b)]
    return "types: " + "; ".join(bad[:4]) if bad else None


def same_type(a, b):
    """Whether b is what Spark's type a is here: string and binary of any kind, any unit of the same timestamp."""
    t = pa.types
    if t.is_dictionary(b):
        b = b.value_type
    text = lambda x: t.is_string(x) or t.is_large_string(x) or t.is_string_view(x)
    binary = lambda x: t.is_binary(x) or t.is_large_binary(x) or t.is_fixed_size_binary(x) or t.is_binary_view(x)
    if text(a) or text(b):
        return text(a) and text(b)
    if binary(a) or binary(b):
        return binary(a) and binary(b)
    if t.is_timestamp(a) and t.is_timestamp(b):
        return a.unit == "ns" or bool(a.tz) == bool(b.tz)  # ns: an INT96 answer, which knows no zone
    if t.is_struct(a) and t.is_struct(b):
        return len(a) == len(b) and all(x.name == y.name and same_type(x.type, y.type) for x, y in zip(a, b))
    if t.is_list(a) and (t.is_list(b) or t.is_large_list(b)):
        return same_type(a.value_type, b.value_type)
    if t.is_map(a) and t.is_map(b):
        return same_type(a.item_type, b.item_type)
    return a == b


def command(binary, table, q, out):
    """The command line of a query."""
    kind, o = q["kind"], q.get("options", {})
    if kind == "filter":
        return [binary, "scan", table, "--where", q["filter"], "-o", "parquet", "-O", out]
    args = [binary, "scan", table, "--meta", "-o", "parquet", "-O", out]
    if kind == "read_optimized":
        args += ["--query", "read_optimized"]
    elif kind == "time_travel":
        args += ["--as-of", o["as_of"]]
    elif kind in ("incremental", "cdc"):
        args += ["--query", kind]
        begin = o.get("begin")
        if begin:  # exclusive here: a release that took it as inclusive is asked from one tick earlier
            if q.get("begin_inclusive") and begin.strip("0"):
                begin = str(int(begin) - 1).zfill(len(begin))
            args += ["--begin", begin]
        if o.get("end"):
            args += ["--end", o["end"]]
    return args


def unzip(folder, scratch):
    """Unpacks a table; gives its base path and the options that it is to be read with."""
    table = f"{scratch}/t"
    shutil.rmtree(table, ignore_errors=True)
    with zipfile.ZipFile(f"{folder}/table.zip") as z:
        z.extractall(table)
    found = glob.glob(f"{table}/**/hoodie.properties", recursive=True, include_hidden=True)
    root = next(os.path.dirname(os.path.dirname(p)) for p in found if "/metadata/" not in p)
    if not os.path.exists(f"{folder}/source.zip"):
        return root, []
    shutil.rmtree(f"{scratch}/s", ignore_errors=True)
    with zipfile.ZipFile(f"{folder}/source.zip") as z:
        z.extractall(f"{scratch}/s")
    return root, ["--option", f"hoodie.bootstrap.base.path={scratch}/s"]


def ask(cmd, q, folder, out, label):
    """Runs one query; gives what is wrong, or None."""
    if os.path.exists(out):
        os.remove(out)
    try:
        r = subprocess.run(cmd, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "no answer in 120 s"
    message = (r.stderr.strip().splitlines() or ["no message"])[-1][:200]
    if "refused" in q:
        ok = r.returncode == 1 and q["refused"].lower() in r.stderr.lower()
        return None if ok else f"exit {r.returncode}, not refused with {q['refused']!r}: {message}"
    if r.returncode:
        return f"exit {r.returncode}: {message}"
    try:
        if q["kind"] == "filter":
            n = pq.read_metadata(out).num_rows
            return None if n == q["row_count"] else f"{n} rows, {q['row_count']} expected"
        return differ(pq.read_table(f"{folder}/{q['file']}"), pq.read_table(out), "keygen" in label)
    except (OSError, pa.ArrowException) as e:
        return f"{type(e).__name__}: {e}"[:200]


def queries(manifest, kinds):
    """The queries of a table that are asked."""
    if manifest.get("refused"):
        return [{"kind": "snapshot", "refused": manifest["refused"]}]
    out = [q for q in manifest["queries"] if q["kind"] in kinds and q.get("file")]  # no file: Spark failed
    if "filter" in kinds:
        for f in manifest.get("filters_on_snapshot") or []:
            count = f.get("row_count_nan_greatest", f["row_count"])
            out.append({"kind": "filter", "filter": f["predicate"], "row_count": count})
    return out


def check(manifest, a):
    """Asks all queries of one table; gives (right, total, lines to print)."""
    folder = os.path.dirname(manifest)
    label = os.path.relpath(folder, a.dir)
    with open(manifest) as f:
        todo = queries(json.load(f), set(a.kinds.split(",")))
    right, lines = 0, []
    if not todo:
        return 0, 0, lines
    with tempfile.TemporaryDirectory() as scratch:
        root, options = unzip(folder, scratch)
        out = f"{scratch}/out.parquet"
        for q in todo:
            why = ask(command(a.binary, root, q, out) + options, q, folder, out, label)
            known = why and KNOWN.get(f"{label} {q['kind']}")
            right += why is None or bool(known)
            if known:
                lines.append(f"known {label} {q['kind']} -- {known}")
                continue
            name = f"{label} {q['kind']} {json.dumps(q.get('options') or q.get('filter') or '')}"
            if why:
                lines.append(f"WRONG {name} -- {why}")
            elif a.v:
                lines.append(f"ok    {name}")
    return right, len(todo), lines


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("binary")
    p.add_argument("dir")
    p.add_argument("--kinds", default="snapshot,read_optimized,time_travel")
    p.add_argument("--only", default="")
    p.add_argument("--jobs", type=int, default=os.cpu_count(), help="tables asked at the same time")
    p.add_argument("-v", action="store_true", help="print right answers too")
    a = p.parse_args()
    found = sorted(glob.glob(f"{a.dir}/**/manifest.json", recursive=True))
    chosen = [m for m in found if a.only in os.path.relpath(os.path.dirname(m), a.dir)]
    right = total = 0
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for r, n, lines in pool.map(lambda m: check(m, a), chosen):
            right, total = right + r, total + n
            for line in lines:
                print(line, flush=True)
    print(f"{right} of {total} right")
    sys.exit(0 if total and right == total else 1)


if __name__ == "__main__":
    main()
