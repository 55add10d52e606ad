#!/usr/bin/env python3
"""Writes substrait.json: conditions as pyarrow.compute serializes them, beside the SQL that means the same.

    make_substrait.py > substrait.json         (needs pyarrow)
"""

import base64
import datetime
import decimal
import json

import pyarrow as pa
import pyarrow.compute as pc

F = pc.field
SCHEMA = pa.schema([
    ("a", pa.int64()), ("s", pa.string()), ("d", pa.date32()), ("t", pa.timestamp("us")), ("tz", pa.timestamp("us", tz="UTC")),
    ("dec", pa.decimal128(10, 2)), ("f", pa.float64()), ("b", pa.bool_()), ("i8", pa.int8()), ("u32", pa.uint32()),
    ("ls", pa.list_(pa.struct([("in", pa.int32())]))),
    ("st", pa.struct([("x", pa.int32()), ("y", pa.struct([("z", pa.string())]))])),
    ("bin", pa.binary()), ("fsb", pa.binary(4)), ("f32", pa.float32()), ("tms", pa.timestamp("ms")), ("t64", pa.time64("us")),
    ("i32", pa.int32()), ("large", pa.large_string()),
])
UTC = datetime.timezone.utc
CASES = [
    ("a > 1", F("a") > 1),
    ("a > 1", pc.scalar(1) < F("a")),
    ("a > 1 and s = 'x'", (F("a") > 1) & (F("s") == "x")),
    ("a > 1 or s <> 'x'", (F("a") > 1) | (F("s") != "x")),
    ("not a <= 1", ~(F("a") <= 1)),
    ("a is null", F("a").is_null()),
    ("a is not null", F("a").is_valid()),
    ("a in (1, 2, 3) and a is not null", F("a").isin([1, 2, 3])),
    ("not (s in ('x', 'y') and s is not null)", ~F("s").isin(["x", "y"])),
    ("a in (1) or a is null", F("a").isin([1, None])),
    ("d > date '2020-01-01'", F("d") > datetime.date(2020, 1, 1)),
    ("t >= timestamp '2020-01-01 00:00:00.000000'", F("t") >= datetime.datetime(2020, 1, 1)),
    ("tz < timestamptz '2020-01-01 00:00:00.000000+00'", F("tz") < datetime.datetime(2020, 1, 1, tzinfo=UTC)),
    ("tms < timestamp '1970-01-01 00:00:00.001000'", F("tms") < pa.scalar(1, pa.timestamp("ms"))),
    ("t64 < time '00:00:00.000001'", F("t64") < pa.scalar(1, pa.time64("us"))),
    ("dec > 1.25", F("dec") > decimal.Decimal("1.25")),
    ("dec > -1.25", F("dec") > decimal.Decimal("-1.25")),
    ("f >= 1.5e0 and f < cast('nan' as double)", F("f") >= 1.5),
    ("not (f > 1.5e0 and f < cast('nan' as double))", ~(F("f") > 1.5)),
    ("f <= 1.5e0", F("f") <= 1.5),
    ("f <> 1.5e0", F("f") != 1.5),
    ("f < cast('nan' as double) and not f < cast('nan' as double)", F("f") == float("nan")),
    ("f < cast('nan' as double) or not f < cast('nan' as double)", F("f") != float("nan")),
    ("f = cast('nan' as double)", pc.is_nan(F("f"))),
    ("f32 < cast(1.5 as float)", F("f32") < 1.5),
    ("b", F("b")),
    ("not b", ~F("b")),
    ("i8 = 1", F("i8") == pa.scalar(1, pa.int8())),
    ("i8 > 1", F("i8") > 1),
    ("u32 = 1", F("u32") == pa.scalar(1, pa.uint32())),
    ("st.x > 4", F("st", "x") > 4),
    ("st.y.z = 'q'", F("st", "y", "z") == "q"),
    ("bin = X'6162'", F("bin") == b"ab"),
    ("fsb = X'61626364'", F("fsb") == pa.scalar(b"abcd", pa.binary(4))),
    ("large = 'x'", F("large") == "x"),
    ("true", pc.scalar(True)),
    ("a = null", F("a") == pa.scalar(None, pa.int64())),
    (None, F("a") + 1 > 2),
    (None, pc.if_else(F("b"), F("a") > 1, F("a") > 2)),
    (None, (F("a") + 1 > 2) & (F("a") > 5)),
]


def main():
    out = []
    for where, e in CASES:
        out.append({"where": where, "text": str(e), "bytes": base64.b64encode(bytes(e.to_substrait(SCHEMA))).decode()})
    print("[\n" + ",\n".join(json.dumps(c) for c in out) + "\n]")


main()
