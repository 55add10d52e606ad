"""Partition values and record keys of odd kinds: what stands in a path, and what type it has in the table."""

import datetime as dt
from decimal import Decimal as D

from hudigen.fixture import Skip, mkdf, table

GENERATOR = "hoodie.datasource.write.keygenerator.class"
HIVE = {"hoodie.datasource.write.hive_style_partitioning": "true"}
ENCODED = {"hoodie.datasource.write.partitionpath.urlencode": "true"}
# A bloom filter for the few rows that there are.
SMALL = {"hoodie.index.bloom.num_entries": "200"}


def listed(fx):
    """Without a metadata table: the reader has to list, and the table is much smaller."""
    fx.opt({"hoodie.metadata.enable": "false"}).read_opts = {"hoodie.metadata.enable": "false"}


def rounds(fx, ddl, parts, n=16, extra=lambda i: ()):
    """Insert, update every other row, delete two: rows of id, the partition columns, ts, qty and more."""

    def rows(ids, ver):
        return [(f"k{i:03d}", *parts(i), 100 * ver + i, ver * 1000 + i, *extra(i)) for i in ids]

    fx.opt(SMALL)
    fx.write(mkdf(rows(range(n), 1), ddl), "insert", f"{n} rows")
    fx.write(mkdf(rows(range(0, n, 2), 2), ddl), "upsert", "every other row")
    fx.write(mkdf(rows([1, 2], 3), ddl), "delete", "k001 and k002")


@table("part_like_numbers", "part_like_numbers_hive", extra=True)
def like_numbers(fx):
    fx.what = "string partition values that look like numbers, dates or nulls and must stay strings"
    fx.setup(True, "id", "hh").event_time().opt(HIVE if fx.name.endswith("hive") else {})
    values = ["08", "8", "09", "00", "1e3", "0x10", "true", "null", "2024-01-02", "-0"]
    rounds(fx, "id string, hh string, ts bigint, qty int", lambda i: (values[i % len(values)],), 20)
    fx.filters = ["hh = '08'", "hh = '8'", "hh in ('00', '1e3')", "hh < '1'", "hh is null", "hh = 'null'"]


@table("part_odd_values", "part_odd_values_hive", "part_odd_values_encoded", extra=True)
def odd_values(fx):
    fx.what = "partition values with spaces, percent signs, unicode, empty and null"
    fx.setup("hive" in fx.name, "id", "part")
    fx.opt(HIVE if "hive" in fx.name else {}).opt(ENCODED if "encoded" in fx.name else {})
    values = ["a b", "50%", "ünï", "日本", "a+b", "a&b", None, "it's", "x.y"]
    if "encoded" in fx.name:
        values += ["a/b", "c:d", "q?r", "#h", '"q"', "k=v", "%20"]
    n = 2 * len(values)
    rounds(fx, "id string, part string, ts bigint, qty int", lambda i: (values[i % len(values)],), n)
    fx.filters = ["part = 'a b'", "part = '50%'", "part = '%20'", "part is null", "part >= 'k'"]


@table("part_misleading", "part_misleading_hive", extra=True)
def misleading(fx):
    fx.what = "partition values whose folder says something else: an equals sign, an escape, the empty string"
    fx.setup("hive" in fx.name, "id", "part").opt(HIVE if "hive" in fx.name else {})
    values = ["k=v", "%20", "", "plain"]
    rounds(fx, "id string, part string, ts bigint, qty int", lambda i: (values[i % 4],), 12)
    listed = ", ".join(f"'{v}'" for v in values)
    expression = f"element_at(array({listed}), cast(substr(id, 2) as int) % 4 + 1)"
    fx.correct("Spark takes the values from the folders, decoded; the files hold what was written", part=expression)
    fx.filters = ["part = 'k=v'", "part = '%20'", "part = ''", "part = 'plain'"]


@table("part_slashes", "part_slashes_v6", extra=True)
def slashes(fx):
    fx.what = "one partition field whose values hold slashes: nested folders"
    fx.setup(True, "id", "day").event_time()
    rounds(fx, "id string, day string, ts bigint, qty int", lambda i: (f"2024/0{i % 3 + 1}/1{i % 2}",))
    fx.filters = ["day = '2024/01/10'", "day like '2024/02/%'", "day > '2024/02/11'"]


@table("part_slashed_dates", extra=True)
def slashed_dates(fx):
    fx.what = "a date partition column written as yyyy/mm/dd (slash separated date partitioning)"
    fx.setup(True, "id", "day").event_time()
    fx.opt({"hoodie.datasource.write.slash.separated.date.partitioning": "true"})
    rounds(fx, "id string, day string, ts bigint, qty int", lambda i: (f"2024-0{i % 3 + 1}-1{i % 2}",))
    fx.correct("Spark shows the folder, the files hold what was written", day="replace(day, '/', '-')")
    fx.filters = ["day = '2024-01-10'", "day >= '2024-02-11'"]


TYPED = {
    "int": ("int", lambda i: i % 4 - 1),
    "long": ("bigint", lambda i: (1 << 40) + i % 3),
    "date": ("date", lambda i: dt.date(1969, 12, 30) + dt.timedelta(days=i % 4)),
    "decimal": ("decimal(8,2)", lambda i: D(i % 4 - 1) + D("0.50")),
    "boolean": ("boolean", lambda i: i % 2 == 0),
    "timestamp": ("timestamp", lambda i: dt.datetime(2024, 1, 1 + i % 3, 10, 20, 30)),
    "double": ("double", lambda i: i % 3 / 2),
}


@table(*[f"part_{t}" for t in TYPED], extra=True)
def typed(fx):
    kind = fx.name[5:]
    ddl, value = TYPED[kind]
    fx.what = f"a partition column of type {ddl}, hive style, one null"
    fx.setup(kind in ("int", "date"), "id", "p").opt(HIVE)
    if kind not in ("int", "date"):
        listed(fx)
    rounds(fx, f"id string, p {ddl}, ts bigint, qty int", lambda i: (None if i == 5 else value(i),))
    if kind == "timestamp":
        days = "timestamp'2024-01-01 10:20:30' + make_interval(0, 0, 0, cast(substr(id, 2) as int) % 3)"
        fx.correct("Spark reads null from such folders", p=f"case when id != 'k005' then {days} end")
    fx.filters = ["p is null", "p is not null"]


@table("part_many_levels", extra=True)
def many_levels(fx):
    fx.what = "five partition levels of five types"
    fx.setup(True, "id", "pi,pd,pb,ps,pl").event_time()
    rounds(
        fx,
        "id string, pi int, pd date, pb boolean, ps string, pl bigint, ts bigint, qty int",
        lambda i: (i % 2, dt.date(2024, 1, 1 + i % 2), i % 3 == 0, f"s {i % 2}", i % 2 + 7),
        12,
    )
    fx.filters = ["pi = 1", "pd = date'2024-01-02' and pb", "pl > 7 and ps = 's 1'"]


@table("part_dropped_typed", "part_dropped_typed_mor", extra=True)
def dropped(fx):
    fx.what = "partition columns of type int, date and string that stand only in the path"
    fx.setup(fx.name.endswith("mor"), "id", "pi,pd,ps").opt(HIVE)
    fx.opt({"hoodie.datasource.write.drop.partition.columns": "true"})
    rounds(
        fx,
        "id string, pi int, pd date, ps string, ts bigint, qty int",
        lambda i: (i % 2, dt.date(2024, 1, 1 + i % 2), ["08", "x y"][i % 2]),
    )
    fx.filters = ["pi = 1", "pd = date'2024-01-02'", "ps = '08'"]


@table("key_nulls", "key_single_complex", "key_single_complex_v6", extra=True)
def keys(fx):
    single = "single" in fx.name
    if single:
        fx.what = "ComplexKeyGenerator with one key field"
        fx.setup(True, "id", "part").opt({GENERATOR: "org.apache.hudi.keygen.ComplexKeyGenerator"})
    else:
        fx.what = "a composite record key whose parts are null, empty or hold the separators"
        fx.setup(True, "id,k2,k3", "part")
    odd = [None, "", "a,b", "c:d", "e", "__null__", "__empty__", "ü"]

    def rows(ids, ver):
        return [
            (f"k{i}", odd[i % 8], i % 3 if i % 5 else None, f"p{i % 2}", 100 * ver + i, ver * 1000 + i) for i in ids
        ]

    ddl = "id string, k2 string, k3 int, part string, ts bigint, qty int"
    fx.opt(SMALL)
    fx.write(mkdf(rows(range(16), 1), ddl), "insert", "16 rows")
    fx.write(mkdf(rows(range(0, 16, 2), 2), ddl), "upsert", "every other row")
    fx.write(mkdf(rows([1, 2], 3), ddl), "delete", "2 keys")
    fx.filters = ["id = 'k3'", "k2 is null", "k3 = 1"]


@table("virtual_keys_complex_v6", extra=True)
def virtual_keys_complex(fx):
    fx.what = "no meta columns, ComplexKeyGenerator with one key field: delete blocks hold its bare value"
    fx.setup(True, "id", "part").event_time().opt(SMALL)
    fx.opt(
        {
            GENERATOR: "org.apache.hudi.keygen.ComplexKeyGenerator",
            "hoodie.populate.meta.fields": "false",
        }
    )
    fx.incremental = False
    ddl = "id string, part string, ts bigint, qty int"
    rows = lambda ids, ver: [(f"k{i}", f"p{i % 2}", 100 * ver + i, ver * 1000 + i) for i in ids]
    fx.write(mkdf(rows(range(10), 1), ddl), "insert", "10 rows")
    fx.write(mkdf(rows(range(4), 2), ddl), "delete", "4 keys")
    fx.write(mkdf(rows([5, 8, 11], 3), ddl), "upsert", "2 old keys and a new one")
    fx.filters = ["id = 'k3'", "id = 'k5'", "part = 'p1'"]


TIMES = {
    # name: (type, column type, options, value of row i)
    "unix_gmt8": ("UNIX_TIMESTAMP", "bigint", {"timezone": "GMT+8:00"}, lambda i: 1704120000 + i * 9000),
    "millis_hive": ("EPOCHMILLISECONDS", "bigint", {}, lambda i: 1704120000000 + i * 9000000),
    "micros": ("EPOCHMICROSECONDS", "bigint", {}, lambda i: 1704120000000000 + i * 9000000000),
    "scalar_days": ("SCALAR", "bigint", {"timestamp.scalar.time.unit": "DAYS"}, lambda i: 19723 + i % 4),
    "date_string_zones": (
        "DATE_STRING",
        "string",
        {
            "input.dateformat": "yyyy-MM-dd'T'HH:mm:ssZ,yyyy-MM-dd'T'HH:mm:ss.SSSZ",
            "input.dateformat.list.delimiter.regex": ",",
            "output.timezone": "America/New_York",
        },
        lambda i: f"2024-01-0{1 + i % 3}T{i % 24:02d}:30:00{'.250' if i % 2 else ''}+0100",
    ),
    "timestamp_column": (
        "EPOCHMICROSECONDS",
        "timestamp",
        {},
        lambda i: dt.datetime(2024, 1, 1 + i % 3, 12, 0, 0),
    ),
    "date_column": ("EPOCHMILLISECONDS", "date", {}, lambda i: dt.date(2024, 1, 1 + i % 3)),
}


@table(*[f"keygen_{n}" for n in TIMES], extra=True)
def times(fx):
    kind, column, more, value = TIMES[fx.name[7:]]
    fx.what = f"TimestampBasedKeyGenerator {kind} of a {column} column, {more or 'UTC'}"
    fx.setup(True, "id", "ev").opt(HIVE if "hive" in fx.name else {})
    fx.opt({GENERATOR: "org.apache.hudi.keygen.TimestampBasedKeyGenerator"})
    if "gmt8" not in fx.name:
        listed(fx)
    time_options = {
        "timestamp.type": kind,
        "output.dateformat": "yyyy/MM/dd" if "scalar" in fx.name else "yyyy-MM-dd-HH",
        **({"timezone": "UTC"} if "output.timezone" not in more else {}),
        **more,
    }
    fx.opt({f"hoodie.keygen.timebased.{k}": v for k, v in time_options.items()})
    rounds(fx, f"id string, ev {column}, ts bigint, qty int", lambda i: (value(i),), 12)
    i = "cast(substr(id, 2) as int)"
    real = {
        "timestamp": f"timestamp'2024-01-01 12:00:00' + make_interval(0, 0, 0, {i} % 3)",
        "date": f"date_add(date'2024-01-01', {i} % 3)",
    }
    why = f"Spark shows the column as text, the table's type is {column}"
    fx.correct(why, ev=real.get(column, f"cast(ev as {column})"))
    shown = repr(value(4)) if column in ("bigint", "string") else f"{column}'{value(4)}'"
    fx.filters = [f"ev = {shown}", f"ev > {shown}", f"ev != {shown}"]


@table("keygen_custom_hive", extra=True)
def custom(fx):
    fx.what = "CustomKeyGenerator a:SIMPLE,ev:TIMESTAMP, epoch milliseconds, GMT+8, hive style"
    fx.setup(False, "id", "a:SIMPLE,ev:TIMESTAMP").opt(HIVE)
    fx.files_only, fx.time_travel, fx.incremental = True, False, False
    fx.note("Spark cannot read the table (it casts the folder's date to bigint): the answer is that of the base files")
    fx.opt({GENERATOR: "org.apache.hudi.keygen.CustomKeyGenerator"})
    base = "hoodie.keygen.timebased."
    fx.opt({base + "timestamp.type": "EPOCHMILLISECONDS", base + "output.dateformat": "yyyy-MM-dd"})
    fx.opt({base + "timezone": "GMT+8:00"})
    ddl = "id string, a int, ev bigint, ts bigint, qty int"
    rounds(fx, ddl, lambda i: (i % 2, 1704120000000 + i * 9000000), 12)
    fx.filters = ["a = 1", "ev = 1704156000000", "a = 0 and ev > 1704156000000"]


@table("names_upper_case", "names_odd", extra=True)
def names(fx):
    fx.what = "column names in upper and mixed case" if "upper" in fx.name else "column names with odd characters"
    odd = ["Amount", "QTY", "camelCase"] if "upper" in fx.name else ["a b", "größe", "x-y"]
    fx.setup(True, "ID" if "upper" in fx.name else "id", "Part", "TS")
    i_name = "ID" if "upper" in fx.name else "id"
    ddl = f"{i_name} string, Part string, TS bigint, " + ", ".join(f"`{c}` int" for c in odd)

    def rows(ids, ver):
        return [(f"k{i:03d}", f"p{i % 2}", 100 * ver + i, ver, i, None if i % 3 else ver) for i in ids]

    fx.opt(SMALL)
    try:
        fx.write(mkdf(rows(range(12), 1), ddl), "insert", "12 rows")
    except Exception as e:
        raise Skip(f"Hudi refuses these names: {str(e)[:80]}")
    fx.write(mkdf(rows(range(0, 12, 2), 2), ddl), "upsert", "every other row")
    fx.filters = [f"{i_name} = 'k003'", f"`{odd[0]}` = 2"]


@table("nested_fields", extra=True)
def nested(fx):
    fx.what = "record key, partition path and ordering value are nested fields"
    fx.setup(True, "k.id", "k.region", "m.ts").event_time()
    ddl = "k struct<id:string,region:string>, m struct<ts:bigint,src:string>, qty int"

    def rows(ids, ver, late=()):
        return [((f"k{i:03d}", f"r{i % 2}"), (5 if i in late else 100 * ver + i, f"s{ver}"), ver) for i in ids]

    fx.opt(SMALL)
    fx.write(mkdf(rows(range(14), 1), ddl), "insert", "14 rows")
    fx.write(mkdf(rows(range(0, 14, 2), 2, {4, 8}), ddl), "upsert", "every other row, k004 and k008 late")
    fx.write(mkdf(rows([1, 2], 3), ddl), "delete", "2 keys")
    fx.keys = []
    fx.filters = ["k.id = 'k003'", "k.region = 'r1'", "m.ts < 110"]
