"""The rows that most tables hold."""

import datetime as dt
import random

from pyspark.sql.types import (
    BooleanType,
    DateType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from hudigen import env
from hudigen.fixture import mkdf


class Rows:
    """Makes rows of id[,id2], part, ts, name, amount, qty, flag, note, each a function of (seed, table, id, version)."""

    def __init__(self, fx, keytype=None, parttype=None, nparts=3, part=True, extra=()):
        self.fx = fx
        self.kt = keytype or fx.choose("keytype", ["string", "long", "int", "composite"])
        self.pt = (parttype or fx.choose("parttype", ["string", "int", "date", "long"])) if part else None
        self.np = nparts
        self.dead = set()
        kt = {"string": StringType(), "long": LongType(), "int": IntegerType(), "composite": StringType()}[self.kt]
        f = [StructField("id", kt)]
        if self.kt == "composite":
            f.append(StructField("id2", IntegerType()))
        if part:
            f.append(
                StructField(
                    "part",
                    {"string": StringType(), "int": IntegerType(), "date": DateType(), "long": LongType()}[self.pt],
                )
            )
        f += [
            StructField("ts", LongType()),
            StructField("name", StringType()),
            StructField("amount", DoubleType()),
            StructField("qty", IntegerType()),
            StructField("flag", BooleanType()),
            StructField("note", StringType()),
        ]
        f += list(extra)
        self.schema = StructType(f)
        self.key = "id,id2" if self.kt == "composite" else "id"

    def pv(self, i):
        """The partition value of row i."""
        k = i % self.np
        return {
            "string": f"2024-0{k % 9 + 1}" if self.np < 9 else f"p{k:03d}",
            "int": 10 * (k + 1),
            "long": 1000 + k,
            "date": dt.date(2024, 1, 1) + dt.timedelta(days=k),
        }[self.pt]

    def row(self, i, ver, ts):
        """Row i as version ver writes it."""
        r = random.Random(f"{env.seed}/{self.fx.name}/{i}/{ver}")
        d = {
            "id": f"k{i:05d}" if self.kt in ("string", "composite") else i * 7 + 3,
            "id2": i % 5,
            "ts": ts,
            "name": r.choice(["ann", "bob", "čeněk", "дима", "絵里", "o'neil", "a,b", ""]) + f"-{ver}-{i}",
            "amount": round(r.uniform(-1000, 1000), 3),
            "qty": r.randint(0, 1000),
            "flag": r.choice([True, False, None]),
            "note": r.choice([None, "", f"n{r.randint(0, 99)}", "x" * r.randint(1, 30)]),
        }
        if self.pt:
            d["part"] = self.pv(i)
        return d

    def rows(self, ids, ver, ts=None, **over):
        """Rows of the ids; ts and the named columns may be values or functions of the id."""
        out = []
        for i in ids:
            t = ts(i) if callable(ts) else (ts if ts is not None else 1000 * ver + i)
            d = self.row(i, ver, t)
            for k, v in over.items():
                d[k] = v(i) if callable(v) else v
            out.append(d)
        return out

    def df(self, rows, schema=None):
        """The rows as a data frame."""
        schema = schema or self.schema
        return mkdf([tuple(r.get(f.name) for f in schema.fields) for r in rows], schema)

    def put(self, op, ids, ver, ts=None, msg=None, opts=None, **over):
        """Writes rows of the ids with an operation."""
        ids = list(ids)
        if env.version == 8 and self.fx.mor and self.dead is not None:
            # Spark 1.0.2 cannot read a log where a key comes again after a delete block (see mor_delete_reinsert)
            if op == "delete":
                self.dead |= set(ids)
            elif self.dead & set(ids):
                ids = [i for i in ids if i not in self.dead]
                msg = (msg or f"{len(ids)} rows") + " (1.0.2: deleted keys left out)"
        return self.fx.write(self.df(self.rows(ids, ver, ts, **over)), op, msg or f"{len(ids)} rows", opts)

    def std_filters(self):
        """Predicates whose row counts on the snapshot the manifest gives."""
        f = []
        if self.pt:
            f.append(
                {
                    "string": f"part = '{self.pv(0)}'",
                    "int": "part = 10",
                    "long": "part in (1000, 1002)",
                    "date": "part = date'2024-01-02'",
                }[self.pt]
            )
        f.append("id = 'k00007'" if self.kt in ("string", "composite") else "id = 52")
        f += ["qty between 200 and 500", "amount > 0 and note is not null"]
        self.fx.filters = f


def seq(fx, s, n=None, ups=None, deletes=True):
    """Inserts, upserts with late rows, deletes (some late), and the deleted keys again."""
    n = n or fx.n()
    ups = ups or fx.choose("upserts", [3, 2, 4, 5])
    s.put("insert", range(n), 1, lambda i: 10000 + i)
    s.put("upsert", range(0, n // 2), 2, lambda i: 20000 + i)
    s.put(
        "upsert",
        range(n // 4, 3 * n // 4),
        3,
        lambda i: [500, 15000, 30000][i % 3] + i,
        f"{3*n//4 - n//4} rows, 1/3 older than the base row, 1/3 between commit 1 and 2",
    )
    if deletes:
        s.put(
            "delete",
            range(n // 8, n // 8 + n // 6),
            4,
            lambda i: [100, 90000][i % 2] + i,
            f"{n//6} keys, every other one with an older ordering value",
        )
    for u in range(3, ups):
        s.put("upsert", range(u, n, 3), 10 + u, lambda i: 40000 + u * 1000 + i)
    if env.version == 8:
        s.put(
            "upsert",
            list(range(n // 2 + n // 4, n - 3)) + list(range(n, n + 12)),
            5,
            lambda i: [200, 95000][(i // 2) % 2] + i,
            "old keys (some late) and 12 new keys; no deleted key again: Spark 1.0.2 cannot read that, see mor_delete_reinsert",
        )
    else:
        s.put(
            "upsert",
            list(range(n // 8, n // 8 + n // 12)) + list(range(n, n + 12)),
            5,
            lambda i: [200, 95000][(i // 2) % 2] + i,
            "deleted keys re-inserted (some late) and 12 new keys",
        )
    s.std_filters()
    return n
