"""A table under construction: its write options, the steps taken, what to ask of it afterwards."""

import os
import random
import re
import shutil

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from hudigen import env

# Tables that keep the default of 1.x, column and partition statistics in the metadata table: the others are faster to write.
STATS = {
    "cow_basic",
    "mor_avro_logs",
    "cow_nonpartitioned",
    "clustering_mor",
    "replace_mor",
    "evolve_add_widen_mor",
    "all_types_mor",
    "all_types_cow",
    "mor_compacted",
    "base_zstd",
}


def mkdf(rows, schema):
    """A data frame whose rows live in the JVM, so that no later job starts a Python worker."""
    if isinstance(schema, str):
        schema = ddl(schema)
    d = env.spark.createDataFrame(rows, schema)
    if not rows:
        return d
    return DataFrame(env.spark._jsparkSession.createDataFrame(d._jdf.collectAsList(), d._jdf.schema()), env.spark)


def ddl(s):
    """The schema written as a DDL column list."""
    return StructType.fromDDL(s) if hasattr(StructType, "fromDDL") else env.spark.createDataFrame([], s).schema


class Skip(Exception):
    """Raised by a table that this Hudi release cannot write."""


# (name, function, lowest and highest table version, set) of every table.
TABLES = []


def table(*names, minv=6, maxv=99, extra=False):
    """Registers the function under each name. Tables marked extra are made for one release and go to OUT/extra."""

    def deco(fn):
        for n in names:
            TABLES.append((n, fn, minv, maxv, extra))
        return fn

    return deco


ACTIONS = ("commit", "deltacommit", "replacecommit")


def timeline(path, actions=ACTIONS):
    """The completed instants of the active timeline, of either layout."""
    h = os.path.join(path, ".hoodie")
    d = os.path.join(h, "timeline")
    if not os.path.isdir(d):
        d = h
    out = []
    for f in sorted(os.listdir(d)) if os.path.isdir(d) else []:
        m = re.match(r"^(\d{14,17})(?:_(\d{14,17}))?\.([a-z]+)$", f)
        if m and m.group(3) in actions:
            p = os.path.join(d, f)
            out.append(dict(instant=m.group(1), completion=m.group(2), action=m.group(3), file=p))
    return out


def drop_checksum(path):
    """Removes the checksum file that Hadoop's local file system keeps beside a file that was changed by hand."""
    checksum = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.crc")
    if os.path.exists(checksum):
        os.remove(checksum)


class Fixture:
    """One table: a table function fills it, answers.finish asks and stores it."""

    def __init__(self, name, odd=False):
        self.name = name
        self.path = os.path.join(env.work, name, "table")
        self.rng = random.Random(f"{env.seed}/{name}")
        self.steps = []
        self.notes = []
        self.keys = ["id"]
        self.filters = []
        self.cdc = False
        self.mor = False
        self.base = {}
        self.what = ""
        self.extra = {}  # more entries of the manifest
        self.incremental = True
        self.time_travel = True
        self.odd = odd  # of the extra tables: no incremental queries
        self.choices = {}
        self.read_opts = {}
        self.afterwards = None  # called when Spark has answered, before the table is zipped
        self.files_only = False  # the snapshot is read from the base files: Spark fails on the table
        self.fix = None  # data frame -> data frame: corrects answers where Spark is known to be wrong
        self.more_incr = []  # more (begin, end) instants to ask for
        shutil.rmtree(os.path.join(env.work, name), ignore_errors=True)
        os.makedirs(os.path.dirname(self.path))

    def choose(self, label, opts):
        """The first choice for seed 1, any for other seeds; recorded in the manifest."""
        v = opts[0] if env.seed == 1 else random.Random(f"{env.seed}/{self.name}/{label}").choice(opts)
        self.choices[label] = str(v)
        return v

    def n(self, lo=40, hi=120):
        """A number of rows."""
        return self.rng.randint(lo, hi)

    def setup(self, mor, key="id", part="part", ts="ts", **o):
        """The write options that every write of this table shares."""
        self.mor = mor
        self.keys = key.split(",")
        self.base = {
            "hoodie.table.name": self.name,
            "hoodie.datasource.write.table.name": self.name,
            "hoodie.datasource.write.recordkey.field": key,
            "hoodie.datasource.write.partitionpath.field": part or "",
            "hoodie.datasource.write.table.type": "MERGE_ON_READ" if mor else "COPY_ON_WRITE",
            "hoodie.insert.shuffle.parallelism": "1",
            "hoodie.upsert.shuffle.parallelism": "1",
            "hoodie.delete.shuffle.parallelism": "1",
            "hoodie.bulkinsert.shuffle.parallelism": "1",
            "hoodie.embed.timeline.server": "false",
            "hoodie.write.markers.type": "DIRECT",
            "hoodie.metadata.enable": "true",
            "hoodie.compact.inline": "false",
            "hoodie.datasource.compaction.async.enable": "false",
            "hoodie.simple.index.parallelism": "1",
            "hoodie.bloom.index.parallelism": "1",
        }
        if env.v1x and self.name not in STATS:
            self.base.update(
                {
                    "hoodie.metadata.index.column.stats.enable": "false",
                    "hoodie.metadata.index.partition.stats.enable": "false",
                }
            )
        if ts:
            self.base["hoodie.datasource.write.precombine.field"] = ts
        if not part:
            self.base["hoodie.datasource.write.keygenerator.class"] = (
                "org.apache.hudi.keygen.NonpartitionedKeyGenerator"
            )
        elif "," in key or "," in part:
            self.base["hoodie.datasource.write.keygenerator.class"] = "org.apache.hudi.keygen.ComplexKeyGenerator"
        if not part:
            del self.base["hoodie.datasource.write.partitionpath.field"]
        if mor:
            self.base["hoodie.logfile.data.block.format"] = "avro"
        self.base.update({k: v for k, v in o.items()})
        return self

    def opt(self, d):
        """Adds write options."""
        self.base.update(d)
        return self

    def write(self, df, op, msg, opts=None, mode="append"):
        """Writes the data frame with an operation; gives the newest completed instant."""
        o = dict(self.base)
        o["hoodie.datasource.write.operation"] = op
        o.update(opts or {})
        df.write.format("hudi").options(**{k: str(v) for k, v in o.items()}).mode(mode).save(self.path)
        self.step(f"{op}: {msg}")
        return self.last()

    def step(self, s):
        """Records what was done, for the README."""
        self.steps.append(s)

    def note(self, s):
        """Records what is odd about the table or its answers."""
        self.notes.append(s)
        print("    NOTE", s, flush=True)

    def tl(self):
        """The completed data-changing instants."""
        return timeline(self.path)

    def last(self):
        """The newest of them."""
        t = self.tl()
        return t[-1]["instant"] if t else None

    def sql(self, q, msg=None):
        """Runs a statement; a message (or '' for the statement itself) makes it a step."""
        r = env.spark.sql(q)
        if msg is not None:
            self.step(msg or re.sub(r"\s+", " ", q)[:160])
        return r

    def correct(self, why, **columns):
        """Replaces columns of every answer by SQL expressions: Spark is not the judge here, what was written is."""
        self.note("corrected by hand: " + why)
        self.extra["corrected"] = sorted(columns)
        self.fix = lambda df: df.withColumns({c: F.expr(e) for c, e in columns.items()})

    def register(self):
        """Makes the table known to Spark SQL under its name."""
        env.spark.sql(f"create table if not exists {self.name} using hudi location '{self.path}'")

    def event_time(self):
        """Merges by ordering value."""
        if env.v1x:
            self.base["hoodie.write.record.merge.mode"] = "EVENT_TIME_ORDERING"
        else:
            self.base["hoodie.datasource.write.payload.class"] = (
                "org.apache.hudi.common.model.DefaultHoodieRecordPayload"
            )
        return self

    def commit_time(self):
        """Merges by order of commits."""
        if env.v1x:
            self.base["hoodie.write.record.merge.mode"] = "COMMIT_TIME_ORDERING"
        else:
            self.base["hoodie.datasource.write.payload.class"] = (
                "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"
            )
        return self

    def uncomplete_last(self):
        """Removes the completed file of the newest instant: it is inflight again, its data files stay."""
        t = self.tl()[-1]
        os.remove(t["file"])
        drop_checksum(t["file"])
        return t["instant"]
