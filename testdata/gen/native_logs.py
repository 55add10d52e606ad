#!/usr/bin/env python3
"""Turns a real Hudi table of version 9 with inline '#HUDI#' logs into table version 10 with native Parquet logs.

The merged content does not change, so the answers that Spark gave for the version 9 table stay the right answers.

    native_logs.py SRC_TABLE DST_TABLE [default|lsm_tree]
"""

import datetime as dt
import io
import json
import os
import re
import shutil
import struct
import sys

import fastavro
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

HEADER = {
    0: "INSTANT_TIME",
    1: "TARGET_INSTANT_TIME",
    2: "SCHEMA",
    3: "COMMAND_BLOCK_TYPE",
    4: "COMPACTED_BLOCK_TIMES",
    5: "RECORD_POSITIONS",
    6: "BLOCK_IDENTIFIER",
    7: "IS_PARTIAL",
    8: "BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS",
}
LOG_NAME = re.compile(r"^\.([^._]+)_([^.]*)\.log\.(\d+)_(\d+-\d+-\d+)(\.cdc)?$")
BASE_NAME = re.compile(r"^([^._]+)_(\d+-\d+-\d+)_(\d+)\.parquet$")
DELETES = fastavro.parse_schema(
    json.loads(
        """{"type":"record","name":"HoodieDeleteRecordList","namespace":"org.apache.hudi.avro.model","fields":[
{"name":"deleteRecordList","type":{"type":"array","items":{"type":"record","name":"HoodieDeleteRecord","fields":[
{"name":"recordKey","type":["null","string"]},{"name":"partitionPath","type":["null","string"]},
{"name":"orderingVal","type":["null",%s]}]}}}]}"""
        % ",".join(
            '{"type":"record","name":"%sWrapper","fields":[{"name":"value","type":%s}]}' % (n, t)
            for n, t in [
                ("Boolean", '"boolean"'),
                ("Int", '"int"'),
                ("Long", '"long"'),
                ("Float", '"float"'),
                ("Double", '"double"'),
                ("Bytes", '"bytes"'),
                ("String", '"string"'),
                ("Date", '"int"'),
                ("Decimal", '{"type":"bytes","logicalType":"decimal","precision":30,"scale":15}'),
                ("TimeMicros", '"long"'),
                ("TimestampMicros", '"long"'),
            ]
        )
    )
)


def blocks(raw):
    """The blocks of a log file: type, header, content."""
    pos = 0
    while pos < len(raw):
        assert raw[pos : pos + 6] == b"#HUDI#", "corrupt block"
        (size,) = struct.unpack(">q", raw[pos + 6 : pos + 14])
        end = pos + 14 + size
        b = io.BytesIO(raw[pos + 14 : end])
        i4 = lambda: struct.unpack(">i", b.read(4))[0]
        _, kind = i4(), i4()
        head = {}
        for _ in range(i4()):
            k = i4()
            head[HEADER.get(k, str(k))] = b.read(i4()).decode()
        (n,) = struct.unpack(">q", b.read(8))
        yield kind, head, b.read(n)
        pos = end


def arrow_type(s):
    """The Arrow type of an Avro type."""
    if isinstance(s, list):
        rest = [x for x in s if x != "null"]
        assert len(rest) == 1, s
        return arrow_type(rest[0])
    if isinstance(s, str):
        return {
            "boolean": pa.bool_(),
            "int": pa.int32(),
            "long": pa.int64(),
            "float": pa.float32(),
            "double": pa.float64(),
            "bytes": pa.binary(),
            "string": pa.string(),
        }[s]
    lt, t = s.get("logicalType"), s["type"]
    if lt == "decimal":
        return pa.decimal128(s["precision"], s.get("scale", 0))
    if lt == "date":
        return pa.date32()
    if lt == "timestamp-micros":
        return pa.timestamp("us", "UTC")
    if lt == "timestamp-millis":
        return pa.timestamp("ms", "UTC")
    if lt == "local-timestamp-micros":
        return pa.timestamp("us")
    if lt == "local-timestamp-millis":
        return pa.timestamp("ms")
    if t == "array":
        return pa.list_(pa.field("element", arrow_type(s["items"])))
    if t == "map":
        return pa.map_(pa.string(), arrow_type(s["values"]))
    if t == "record":
        return pa.struct([pa.field(f["name"], arrow_type(f["type"])) for f in s["fields"]])
    if t == "enum":
        return pa.string()
    if t == "fixed":
        return pa.binary(s["size"])
    return arrow_type(t)


def arrow_schema(avro):
    """The Arrow schema of an Avro record."""
    return pa.schema([pa.field(f["name"], arrow_type(f["type"])) for f in avro["fields"]])


def to_arrow(v, t):
    """A decoded Avro value as pyarrow wants it."""
    if v is None:
        return None
    if pa.types.is_map(t):
        return [(k, to_arrow(x, t.item_type)) for k, x in v.items()]
    if pa.types.is_list(t):
        return [to_arrow(x, t.value_type) for x in v]
    if pa.types.is_struct(t):
        return {f.name: to_arrow(v.get(f.name), f.type) for f in t}
    return v


def decode(kind, head, body):
    """The records of a data block."""
    if kind == 5:
        t = pq.read_table(io.BytesIO(body))
        return t.replace_schema_metadata(None)
    assert kind == 3, f"block type {kind}"
    avro = json.loads(head["SCHEMA"])
    schema = fastavro.parse_schema(json.loads(head["SCHEMA"]))
    out = arrow_schema(avro)
    b = io.BytesIO(body)
    _v, n = struct.unpack(">ii", b.read(8))
    rows = []
    for _ in range(n):
        (ln,) = struct.unpack(">i", b.read(4))
        rows.append(fastavro.schemaless_reader(io.BytesIO(b.read(ln)), schema))
    return pa.table(
        {f.name: pa.array([to_arrow(r.get(f.name), f.type) for r in rows], f.type) for f in out}, schema=out
    )


def ordering_value(v):
    """None where the block says 'no ordering value': null, or the wrapped Integer 0 that Hudi takes for the default."""
    if v is None:
        return None
    name, rec = v
    return None if name.endswith(".IntWrapper") and rec["value"] == 0 else rec["value"]


def deletes(body, order, table_schema):
    """The records of a delete block: key and ordering values."""
    b = io.BytesIO(body)
    ver, n = struct.unpack(">ii", b.read(8))
    assert ver == 3
    recs = fastavro.schemaless_reader(io.BytesIO(b.read(n)), DELETES, return_record_name=True)["deleteRecordList"]
    cols = {"_hoodie_record_key": pa.array([r["recordKey"] for r in recs], pa.string())}
    for c in order:
        t = table_schema.field(c).type
        vals = [ordering_value(r["orderingVal"]) for r in recs]
        if pa.types.is_timestamp(t):
            arr = pa.array(
                [v if not isinstance(v, dt.datetime) else v for v in vals],
                pa.int64() if all(not isinstance(v, dt.datetime) for v in vals) else t,
            ).cast(t)
        elif pa.types.is_date(t):
            arr = pa.array(vals, pa.int32()).cast(t)
        else:
            arr = pa.array(vals).cast(t) if any(v is not None for v in vals) else pa.nulls(len(vals), t)
        cols[c] = arr
    return pa.table(cols)


def write(t, path, head, lsm):
    """One native log file; its header entries go to the footer."""
    if lsm and t.num_rows:
        t = t.take(pc.sort_indices(t["_hoodie_record_key"].cast(pa.binary()).combine_chunks()))
    foot = {
        "VERSION": "2",
        **{k: v for k, v in head.items() if k in ("INSTANT_TIME", "SCHEMA", "IS_PARTIAL", "COMPACTED_BLOCK_TIMES")},
    }
    pq.write_table(
        t.replace_schema_metadata({"hudi.log.format.metadata": json.dumps(foot)}),
        path,
        store_schema=False,
        compression="gzip",
    )


def main(src, dst, layout="lsm_tree"):
    lsm = layout == "lsm_tree"
    if os.path.exists(dst):
        shutil.rmtree(dst)
    shutil.copytree(src, dst)
    shutil.rmtree(f"{dst}/.hoodie/metadata", ignore_errors=True)
    p = f"{dst}/.hoodie/hoodie.properties"
    props = open(p).read().splitlines()
    kv = dict(x.split("=", 1) for x in props if "=" in x and not x.startswith("#"))
    assert kv["hoodie.table.version"] == "9", kv["hoodie.table.version"]
    kv["hoodie.table.version"] = "10"
    kv["hoodie.table.metadata.partitions"] = ""
    kv["hoodie.table.storage.layout"] = layout
    open(p, "w").write("#Properties saved\n" + "\n".join(f"{k}={v}" for k, v in kv.items()) + "\n")
    order = (
        [x for x in kv.get("hoodie.table.ordering.fields", "").split(",") if x]
        if kv.get("hoodie.record.merge.mode") != "COMMIT_TIME_ORDERING"
        else []
    )
    n = 0
    for root, dirs, files in os.walk(dst):
        dirs[:] = [d for d in dirs if d != ".hoodie"]
        for f in sorted(files):
            if f.endswith(".crc"):
                os.remove(f"{root}/{f}")
                continue
            m = LOG_NAME.match(f)
            if m:
                fid, inst, ver, tok, cdc = m.groups()
                assert not cdc, "cdc log"
                v = int(ver)
                # one native version per (data, deletes) pair; a delete that stands before data gets a version of its own
                seen = None
                for kind, head, body in blocks(open(f"{root}/{f}", "rb").read()):
                    if kind in (3, 5):
                        if seen is not None:
                            v += 1
                        write(decode(kind, head, body), f"{root}/{fid}_{tok}_{inst}_{v}.log.parquet", head, lsm)
                        seen = "log"
                    elif kind == 1:
                        if seen == "deletes":
                            v += 1
                        write(
                            deletes(body, order, arrow_schema(json.loads(head["SCHEMA"]))),
                            f"{root}/{fid}_{tok}_{inst}_{v}.deletes.parquet",
                            head,
                            lsm,
                        )
                        seen = "deletes"
                    else:
                        raise SystemExit(f"block type {kind} in {f}")
                os.remove(f"{root}/{f}")
                n += 1
            elif lsm and BASE_NAME.match(f):
                q = pq.ParquetFile(f"{root}/{f}")
                t = q.read()
                meta = {k: v for k, v in (q.metadata.metadata or {}).items() if k != b"ARROW:schema"}
                t = t.take(pc.sort_indices(t["_hoodie_record_key"].cast(pa.binary()).combine_chunks()))
                pq.write_table(t.replace_schema_metadata(meta), f"{root}/{f}", store_schema=False, compression="gzip")
    print(dst, layout, n, "log files converted")


if __name__ == "__main__":
    main(*sys.argv[1:])
