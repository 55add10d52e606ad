"""Schema evolution, by writing and by ALTER TABLE, and all column types."""

import datetime as dt
import random
from decimal import Decimal as D

from hudigen import env
from hudigen.answers import err
from hudigen.fixture import Skip, mkdf, table
from pyspark.sql.types import ArrayType, StructType

EV1 = "id string, part string, ts bigint, a int, b float, c int, s struct<x:int,y:string>"


def evrows(fx, ids, ver, schema, opts=None, op="upsert", msg=""):
    st = StructType.fromDDL(schema) if hasattr(StructType, "fromDDL") else env.spark.createDataFrame([], schema).schema
    rows = []
    for i in ids:
        r = random.Random(f"{env.seed}/{fx.name}/{i}/{ver}")

        def val(t):
            n = t.simpleString()
            if n == "int":
                return r.randint(-1000, 1000)
            if n == "bigint":
                return r.randint(-(2**40), 2**40)
            if n in ("float", "double"):
                return float(r.randint(-4000, 4000)) / 8
            if n == "string":
                return f"s{r.randint(0, 999)}" if r.random() > 0.1 else None
            if n == "boolean":
                return r.random() > 0.5
            if n == "date":
                return dt.date(2020, 1, 1) + dt.timedelta(days=r.randint(0, 2000))
            if n.startswith("decimal"):
                return D(r.randint(-99999, 99999)) / 100
            if isinstance(t, StructType):
                return tuple(val(x.dataType) for x in t.fields)
            if isinstance(t, ArrayType):
                return [val(t.elementType) for _ in range(r.randint(0, 3))]
            raise ValueError(n)

        rows.append(
            tuple(
                (
                    {"id": f"k{i:05d}", "part": f"p{i % 2}", "ts": 1000 * ver + i}[f.name]
                    if f.name in ("id", "part", "ts")
                    else val(f.dataType)
                )
                for f in st.fields
            )
        )
    fx.write(mkdf(rows, st), op, msg or f"{len(rows)} rows, schema {schema}", opts)


@table("evolve_add_widen_cow", "evolve_add_widen_mor")
def t_evolve(fx):
    if not env.v1x:
        env.spark.conf.set(
            "spark.sql.parquet.enableVectorizedReader", "false"
        )  # 0.15.0 refuses nested type changes in vectorized mode
    fx.setup(fx.name.endswith("mor")).event_time()
    fx.what = (
        "schema evolution by writing: add columns, int->long, float->double, int->double, nested add, missing column"
    )
    n = fx.n()
    evrows(fx, range(n), 1, EV1, op="insert")
    evrows(fx, range(0, n // 3), 2, EV1.replace("a int", "a bigint") + ", d string")
    evrows(
        fx,
        range(n // 4, n // 2),
        3,
        "id string, part string, ts bigint, a bigint, b double, c int, s struct<x:int,y:string,z:bigint>, d string, e decimal(10,2)",
    )
    evrows(
        fx,
        range(n // 3, n - 10),
        4,
        "id string, part string, ts bigint, a bigint, b double, c double, s struct<x:bigint,y:string,z:bigint>, d string, e decimal(10,2), f array<int>",
    )
    try:
        evrows(
            fx,
            range(n - 20, n),
            5,
            "id string, part string, ts bigint, a bigint, b double, c double, s struct<x:bigint,y:string,z:bigint>, e decimal(10,2), f array<int>",
            {
                "hoodie.write.set.null.for.missing.columns": "true",
                "hoodie.datasource.write.schema.allow.auto.evolution.column.drop": "false",
            },
            msg="column d missing from the input",
        )
    except Exception as e:
        fx.note("write with a missing column failed: " + err(e))
    fx.filters = ["part = 'p1'", "id = 'k00007'", "a > 1000", "b between -100 and 100", "d is null", "c < 0"]


@table("evolve_to_string_cow", "evolve_to_string_mor")
def t_evolve_str(fx):
    fx.setup(fx.name.endswith("mor")).event_time()
    fx.what = "schema evolution by writing: int->string, long->string, double->string, date->string"
    n = fx.n()
    evrows(fx, range(n), 1, "id string, part string, ts bigint, a int, b bigint, c double, e float", op="insert")
    evrows(fx, range(0, n // 3), 2, "id string, part string, ts bigint, a string, b bigint, c double, e float")
    evrows(fx, range(n // 4, n // 2), 3, "id string, part string, ts bigint, a string, b string, c string, e double")
    fx.filters = ["part = 'p1'", "id = 'k00007'", "a like 's%'", "b is null"]


@table("evolve_full_cow", "evolve_full_mor")
def t_evolve_full(fx):
    mor = fx.name.endswith("mor")
    fx.mor = mor
    fx.what = "schema-on-read evolution by ALTER TABLE: add, rename, type change, drop, reorder, nested add/rename"
    env.spark.sql("set hoodie.schema.on.read.enable=true")
    env.spark.sql("set hoodie.metadata.index.column.stats.enable=false")
    env.spark.sql("set hoodie.datasource.write.schema.allow.auto.evolution.column.drop=true")
    env.spark.sql(f"set spark.sql.parquet.enableVectorizedReader={'true' if env.v1x else 'false'}")
    fx.read_opts = {"hoodie.schema.on.read.enable": "true"}
    try:
        n = fx.n(30, 60)
        t = fx.name
        fx.sql(
            f"create table {t} (id string, ts bigint, name string, amount float, qty int, info struct<a:int,b:string>, part string) using hudi "
            f"tblproperties(primaryKey='id', preCombineField='ts', type='{'mor' if mor else 'cow'}', 'hoodie.metadata.enable'='true', 'hoodie.embed.timeline.server'='false', 'hoodie.compact.inline'='false') partitioned by (part) location '{fx.path}'",
            "",
        )

        def ins(cols, ids, ver):
            v = []
            for i in ids:
                r = random.Random(f"{env.seed}/{t}/{i}/{ver}")
                m = {
                    "id": f"'k{i:05d}'",
                    "ts": str(1000 * ver + i),
                    "name": f"'nm{ver}-{i}'",
                    "amount": f"cast({r.randint(-4000, 4000) / 8} as double)",
                    "qty": str(r.randint(0, 1000)),
                    "info": f"named_struct('a',{i},'b','b{i}')",
                    "infoc": f"named_struct('a',{i},'b','b{i}','c',cast({i * 11} as bigint))",
                    "infobb": f"named_struct('a',{i},'bb','b{i}','c',cast({i * 11} as bigint))",
                    "ext": f"'e{ver}-{i}'",
                    "part": f"'p{i % 2}'",
                }
                v.append("(" + ",".join(m[c] for c in cols) + ")")
            fx.sql(
                f"insert into {t} select * from values " + ",".join(v),
                f"insert into (upsert) {len(v)} rows, columns {cols}",
            )

        env.spark.sql("set hoodie.spark.sql.insert.into.operation=upsert")
        ins(["id", "ts", "name", "amount", "qty", "info", "part"], range(n), 1)
        fx.sql(f"update {t} set qty = qty + 1000, ts = ts + 5000 where qty < 300", "")
        fx.sql(f"alter table {t} add columns(ext string after name)", "")
        ins(["id", "ts", "name", "ext", "amount", "qty", "info", "part"], range(n // 2, n + 5), 11)
        fx.sql(f"alter table {t} alter column amount type double", "")
        fx.sql(f"alter table {t} rename column name to fullname", "")
        fx.sql(f"update {t} set fullname = concat('U', fullname), ts = ts + 20000 where qty > 700", "")
        fx.sql(f"alter table {t} add columns(info.c bigint)", "")
        fx.sql(f"alter table {t} drop column qty", "")
        ins(["id", "ts", "name", "ext", "amount", "infoc", "part"], range(0, n, 4), 30)
        fx.sql(f"alter table {t} rename column info.b to bb", "")
        fx.sql(f"alter table {t} alter column ext after ts", "")
        ins(["id", "ts", "ext", "name", "amount", "infobb", "part"], range(2, n, 5), 40)
        fx.sql(f"delete from {t} where id in ('k00001','k00005')", "")
        fx.filters = [
            "part = 'p1'",
            "id = 'k00007'",
            "fullname like 'Unm%'",
            "amount > 0",
            "ext is null",
            "info.bb = 'b7'",
        ]
    except Exception as e:
        fx.note("stopped at: " + err(e))
        if not fx.tl():
            raise


AT = (
    "id string, part string, ts bigint, c_bool boolean, c_int int, c_long bigint, c_float float, c_double double, c_d1 decimal(10,2), c_d2 decimal(20,4), c_d3 decimal(38,18), "
    "c_date date, c_ts timestamp, c_bin binary, c_str string, c_arr array<int>, c_sarr array<string>, c_map map<string,int>, c_mapst map<string,struct<u:int,v:string>>, c_struct struct<x:int,y:string,z:struct<w:double>>, c_astruct array<struct<p:int,q:string>>"
)


@table(
    "all_types_cow",
    "all_types_mor",
    "all_types_mor_parquet_logs",
    "all_types_list3_cow",
    "all_types_list3_mor",
    "all_types_ntz_cow",
    "all_types_ntz_mor",
)
def t_types(fx):
    if "ntz" in fx.name and env.version < 9:
        raise Skip("timestamp_ntz: Hudi 0.15.0 and 1.0.2 cannot convert it to Avro")
    l3 = "list3" in fx.name  # the default (old, two-level) list structure cannot hold null elements
    env.spark.sparkContext._jsc.hadoopConfiguration().set(
        "parquet.avro.write-old-list-structure", "false" if l3 else "true"
    )
    fx.setup("mor" in fx.name).event_time()
    fx.what = "all column types, nulls everywhere, unicode, empty values, extremes" + (
        "; parquet.avro.write-old-list-structure=false, null array elements"
        if l3
        else "; old two-level parquet lists, no null array elements"
    )
    if "parquet" in fx.name:
        fx.opt({"hoodie.logfile.data.block.format": "parquet"})
    ddl = AT + (", c_ntz timestamp_ntz" if "ntz" in fx.name else "")
    st = env.spark.createDataFrame([], ddl).schema

    def mk(ids, ver):
        rows = []
        for i in ids:
            r = random.Random(f"{env.seed}/{fx.name}/{i}/{ver}")
            nul = lambda v, p=0.15: None if r.random() < p else v
            el = nul if l3 else (lambda v: v)
            S = lambda: r.choice(
                ["", "a", "žluťoučký kůň", "日本語", "😀 emoji", "tab\tnl\n", " lead", 'q"uote', "x" * 200]
            )
            big = i % 7 == 0
            rows.append(
                (
                    f"k{i:05d}",
                    f"p{i % 2}",
                    1000 * ver + i,
                    nul(r.random() > 0.5),
                    nul(r.choice([-(2**31), 2**31 - 1, 0]) if big else r.randint(-999, 999)),
                    nul(r.choice([-(2**63), 2**63 - 1]) if big else r.randint(-(2**40), 2**40)),
                    nul(
                        r.choice([float("inf"), float("-inf"), float("nan"), -0.0]) if big else r.randint(-800, 800) / 8
                    ),
                    nul(r.choice([float("inf"), float("nan"), 1e308, -1e-300]) if big else r.uniform(-1e6, 1e6)),
                    nul(D(r.randint(-(10**10) + 1, 10**10 - 1)).scaleb(-2)),
                    nul(D(r.randint(-(10**20) + 1, 10**20 - 1)).scaleb(-4)),
                    nul(D(r.randint(-(10**28), 10**28)).scaleb(-10)),
                    nul(dt.date(1900, 1, 1) + dt.timedelta(days=r.randint(0, 70000))),
                    nul(
                        dt.datetime(1950, 1, 1)
                        + dt.timedelta(seconds=r.randint(0, 4 * 10**9), microseconds=r.randint(0, 999999))
                    ),
                    nul(bytearray(r.randbytes(r.randint(0, 12)))),
                    nul(S()),
                    nul([el(r.randint(0, 9)) for _ in range(r.randint(0, 4))]),
                    nul([el(S()) for _ in range(r.randint(0, 3))]),
                    nul({f"m{j}": nul(j) for j in range(r.randint(0, 3))}),
                    nul({f"m{j}": nul((nul(j), nul(S()))) for j in range(r.randint(0, 3))}),
                    nul((nul(r.randint(0, 9)), nul(S()), nul((nul(r.random()),)))),
                    nul([el((nul(r.randint(0, 9)), nul(S()))) for _ in range(r.randint(0, 3))]),
                )
                + (
                    (
                        nul(
                            dt.datetime(2001, 1, 1)
                            + dt.timedelta(seconds=r.randint(0, 10**9), microseconds=r.randint(0, 999999))
                        ),
                    )
                    if "ntz" in fx.name
                    else ()
                )
            )
        return mkdf(rows, st)

    n = fx.n(60, 120)
    fx.write(mk(range(n), 1), "insert", f"{n} rows")
    fx.write(mk(range(0, n // 2), 2), "upsert", f"{n//2} rows")
    fx.write(mk(range(n // 3, n + 9), 3), "upsert", "overlapping rows and 9 new")
    fx.write(mk(range(0, n, 11), 4), "delete", "every 11th key")
    fx.filters = [
        "part = 'p1'",
        "id = 'k00007'",
        "c_int between -100 and 500",
        "c_d1 > 0",
        "c_d3 < 0",
        "c_date >= date'1980-01-01'",
        "c_ts < timestamp'1990-01-01 00:00:00'",
        "c_str = '日本語'",
        "c_struct.x > 4",
        "c_double is null",
        "c_float > 10",
    ]
