"""Asks Spark every query of a finished table and stores table, answers and manifest."""

import glob
import hashlib
import json
import os
import re
import shutil
import zipfile

import pyarrow.parquet as pq

from hudigen import env
from hudigen.fixture import ACTIONS, mkdf, timeline

SERVICES = ("clean", "rollback", "savepoint", "restore", "compaction", "clustering", "indexing", "logcompaction")
META = ["_hoodie_record_key", "_hoodie_partition_path", "_hoodie_commit_time", "_hoodie_commit_seqno"]
CDC = ["ts_ms", "op", "before", "after"]


def err(e):
    """The part of a Spark exception that a person wants to read."""
    text = str(e).strip()
    causes = re.findall(r"Caused by: ([^\n]+)", text)
    lines = [x for x in text.split("\n") if x.strip() and not x.startswith("An error occurred while calling")]
    head = (lines[0].lstrip(": ") if lines else text)[:240]
    return (head + (" | cause: " + causes[-1][:220] if causes else ""))[:480]


def zipdir(folder, out):
    """Zips a folder, empty folders included."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for root, dirs, files in os.walk(folder):
            dirs.sort()
            rel = os.path.relpath(root, folder)
            if rel != "." and not files and not dirs:
                z.writestr(zipfile.ZipInfo(rel + "/"), "")
            for f in sorted(files):
                if not f.endswith(".crc"):
                    z.write(os.path.join(root, f), os.path.normpath(os.path.join(rel, f)))


def live_files(fx):
    """The newest base file of each file group: a copy-on-write table's snapshot, for tables that Spark cannot read."""
    newest = {}
    for f in glob.glob(f"{fx.path}/**/*.parquet", recursive=True):
        group, _, instant = os.path.basename(f).removesuffix(".parquet").split("_")
        newest[group] = max(newest.get(group, ("", "")), (instant, f))
    return ["file://" + f for _, f in newest.values()]


def read(fx, options=None):
    """The table as Spark reads it."""
    if fx.files_only:
        return env.spark.read.parquet(*live_files(fx))
    return env.spark.read.format("hudi").options(**{**fx.read_opts, **(options or {})}).load(fx.path)


def read_cdc(fx, options):
    """A CDC query. Its iterator in 0.15.0 and 1.0.2 loses rows when hasNext() is called twice, as coalesce and sort
    do: a bare collect() calls it once per row."""
    d = read(fx, options)
    rows = d.collect()
    return mkdf([tuple(r) for r in rows], d.schema) if rows else env.spark.createDataFrame([], d.schema)


def store(df, file, sort):
    """Writes one Parquet file, sorted by the columns; gives the number of rows."""
    tmp = file + ".tmp"
    shutil.rmtree(tmp, ignore_errors=True)
    df = df.coalesce(1)
    if sort:
        df = df.sortWithinPartitions(*[f"`{c}`" for c in sort])
    df.write.parquet("file://" + tmp)
    (part,) = glob.glob(tmp + "/part-*")
    shutil.move(part, file)
    shutil.rmtree(tmp)
    return pq.ParquetFile(file).metadata.num_rows


class Asker:
    """Collects the answers of one table; an answer that equals an earlier one shares its file."""

    def __init__(self, fx, dest):
        self.fx, self.dest, self.queries, self.seen = fx, dest, [], {}
        os.makedirs(os.path.join(dest, "expected"))

    def ask(self, kind, options, spark_options, more=None):
        """Asks one query. What Spark cannot answer becomes a note, not a query."""
        fx = self.fx
        name = "_".join([kind, *options.values()])
        q = {"kind": kind, "options": options, "file": f"expected/{name}.parquet", "spark_options": spark_options}
        q.update(more or {})
        path = os.path.join(self.dest, q["file"])
        try:
            d = read_cdc(fx, spark_options) if kind == "cdc" else read(fx, spark_options)
            d = fx.fix(d) if fx.fix else d
            order = CDC if kind == "cdc" else META + fx.keys
            q["row_count"] = store(d, path, [c for c in order if c in d.columns])
        except Exception as x:
            fx.note(f"Spark failed: {kind} {options}: {err(x)}")
            shutil.rmtree(path + ".tmp", ignore_errors=True)
            return
        digest = hashlib.sha1(open(path, "rb").read()).hexdigest()
        if digest in self.seen:
            os.remove(path)
            q["file"] = self.seen[digest]
        self.seen.setdefault(digest, q["file"])
        self.queries.append(q)

    def times(self, instants):
        """Time travel to the first, a middle and the last but one instant."""
        n = len(instants)
        if not n:
            return
        wanted = sorted({0, n // 2, max(0, n - 2)} - {n - 1}) or [0]
        for i in wanted[: 2 if env.lite else 3]:
            at = instants[i]["instant"]
            self.ask("time_travel", {"as_of": at}, {"as.of.instant": at})

    def changes(self, instants):
        """Incremental and CDC queries over some ranges of completion times (of instant times before layout 2)."""
        if not instants:
            return
        field = "completion" if env.v1x and instants[0]["completion"] else "instant"
        done = sorted(instants, key=lambda x: x[field])
        n = len(done)
        pairs = [(None, done[-1])]
        pairs += [(done[0], done[-1])] if n > 1 else []
        pairs += [(done[0], done[n // 2])] if n > 2 else []
        pairs += [(done[n // 2], done[-1])] if n > 3 and not env.lite else []
        for begin, end in pairs + self.fx.more_incr:
            self.range("incremental", field, begin, end)
        for begin, end in pairs if self.fx.cdc else []:
            self.range("cdc", field, begin, end)

    def range(self, kind, field, begin, end):
        """One incremental or CDC query."""
        options = {"begin": begin[field] if begin else "000", "end": end[field]}
        spark_options = {
            "hoodie.datasource.query.type": "incremental",
            "hoodie.datasource.read.begin.instanttime": options["begin"],
            "hoodie.datasource.read.end.instanttime": options["end"],
        }
        if kind == "cdc":
            spark_options["hoodie.datasource.query.incremental.format"] = "cdc"
        more = {
            "range_field": "completion time" if field == "completion" else "instant (requested) time",
            "begin_inclusive": env.hudi == "1.0.2" and field == "completion" and kind == "incremental",
            "end_inclusive": True,
            "begin_instant": begin["instant"] if begin else None,
            "end_instant": end["instant"],
        }
        self.ask(kind, options, spark_options, more)

    def filters(self):
        """Counts each predicate's rows on the stored snapshot; Spark's own push-down is checked against it."""
        snapshot = os.path.join(self.dest, "expected", "snapshot.parquet")
        if not os.path.exists(snapshot):
            return []
        want = env.spark.read.parquet("file://" + snapshot)
        out = []
        for predicate in self.fx.filters:
            f = {"predicate": predicate, "row_count": want.filter(predicate).count()}
            try:
                n = read(self.fx).filter(predicate).count()
                if n != f["row_count"]:
                    f["spark_pushdown_row_count"] = n
                    self.fx.note(
                        f"SUSPICIOUS: [{predicate}] gives {n} rows through Spark's push-down, {f['row_count']} on the snapshot"
                    )
            except Exception as x:
                f["spark_pushdown_error"] = err(x)
            out.append(f)
        return out


def finish(fx, dest):
    """Asks, zips and describes a written table."""
    asker = Asker(fx, dest)
    instants = fx.tl()
    asker.ask("snapshot", {}, {})
    if fx.mor:
        asker.ask("read_optimized", {}, {"hoodie.datasource.query.type": "read_optimized"})
    if fx.time_travel:
        asker.times(instants)
    if fx.incremental and not fx.odd:
        asker.changes(instants)
    filters = asker.filters()
    if fx.afterwards:
        fx.afterwards()
    zipdir(fx.path, os.path.join(dest, "table.zip"))
    source = os.path.join(env.work, fx.name, "source.zip")
    if os.path.exists(source):
        shutil.move(source, dest)
    describe(fx, dest, asker.queries, filters)


def describe(fx, dest, queries, filters):
    """Writes manifest.json and README."""
    text = open(os.path.join(fx.path, ".hoodie/hoodie.properties")).read()
    properties = dict(l.split("=", 1) for l in text.splitlines() if "=" in l and l[0] != "#")
    manifest = {
        "name": fx.name,
        "hudi": env.hudi,
        "table_version": int(properties["hoodie.table.version"]),
        "seed": env.seed,
        "table_type": "MERGE_ON_READ" if fx.mor else "COPY_ON_WRITE",
        "choices": fx.choices,
        "record_key": fx.keys,
        "properties": properties,
        "timeline": [
            {k: x[k] for k in ("instant", "completion", "action")} for x in timeline(fx.path, ACTIONS + SERVICES)
        ],
        **fx.extra,
        "queries": queries,
        "filters_on_snapshot": filters,
        "notes": fx.notes,
    }
    with open(os.path.join(dest, "manifest.json"), "w") as f:
        json.dump(manifest, f, indent=1, ensure_ascii=False)
        f.write("\n")
    steps = "; ".join(f"{i + 1}) {s}" for i, s in enumerate(fx.steps))
    notes = " NOTES: " + " | ".join(fx.notes) if fx.notes else ""
    head = f"{fx.name} (Hudi {env.hudi}, table version {manifest['table_version']}, seed {env.seed})"
    with open(os.path.join(dest, "README"), "w") as f:
        f.write(f"{head}: {fx.what}. Steps: {steps}{notes}\n")
