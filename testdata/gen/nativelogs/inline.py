"""Reads inline log files: blocks, Avro and Parquet records, delete entries, record positions.

It shares no code with the reader under test, so that a fault of one does not hide in the other.
"""

import base64
import io
import json
import struct
from dataclasses import dataclass

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

MAGIC = b"#HUDI#"
DELETE, COMMAND, AVRO, PARQUET = 1, 2, 3, 5
HEADERS = (
    "INSTANT_TIME",
    "TARGET_INSTANT_TIME",
    "SCHEMA",
    "COMMAND_BLOCK_TYPE",
    "COMPACTED_BLOCK_TIMES",
    "RECORD_POSITIONS",
    "BLOCK_IDENTIFIER",
    "IS_PARTIAL",
    "BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS",
)


@dataclass
class Block:
    kind: int
    header: dict
    content: bytes

    def schema(self):
        return json.loads(self.header["SCHEMA"])

    def positions(self):
        """The ordinals of the rows in the base file, in row order; None if the block has none."""
        text = self.header.get("RECORD_POSITIONS")
        return roaring64(base64.b64decode(text)) if text else None


class Cursor:
    """Takes numbers and bytes off a buffer."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        if self.at + n > len(self.data):
            raise ValueError(f"{n} bytes wanted at {self.at} of {len(self.data)}")
        self.at += n
        return self.data[self.at - n : self.at]

    def number(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]


def blocks(data):
    """The blocks of a log file. Damaged files are not converted."""
    file = Cursor(data)
    while file.at < len(data):
        if file.take(len(MAGIC)) != MAGIC:
            raise ValueError(f"no block at {file.at - len(MAGIC)}")
        block = Cursor(file.take(file.number(">q")))
        block.number(">i")  # version of the log format
        kind = block.number(">i")
        header = {}
        for _ in range(block.number(">i")):
            key = block.number(">i")
            header[HEADERS[key]] = block.take(block.number(">i")).decode()
        yield Block(kind, header, block.take(block.number(">q")))


def roaring64(data):
    """The numbers of a 64-bit Roaring bitmap in its portable form, ascending."""
    c, out = Cursor(data), []
    for _ in range(c.number("<Q")):
        high = c.number("<I") << 32
        out += [high | low for low in roaring32(c)]
    return out


def roaring32(c):
    """The numbers of a 32-bit Roaring bitmap."""
    start = c.at
    cookie = c.number("<I")
    runs = b""
    if cookie & 0xFFFF == 12347:
        count = (cookie >> 16) + 1
        runs = c.take((count + 7) // 8)
    elif cookie == 12346:
        count = c.number("<I")
    else:
        raise ValueError(f"cookie {cookie} at {start} is not of a Roaring bitmap")
    keys = [(c.number("<H"), c.number("<H") + 1) for _ in range(count)]
    if not runs or count >= 4:
        c.take(4 * count)  # where each container starts
    out = []
    for i, (high, size) in enumerate(keys):
        out += [high << 16 | low for low in container(c, size, bool(runs) and runs[i // 8] >> i % 8 & 1)]
    return out


def container(c, size, run):
    if run:
        spans = [(c.number("<H"), c.number("<H")) for _ in range(c.number("<H"))]
        return [n for first, more in spans for n in range(first, first + more + 1)]
    if size <= 4096:
        return [c.number("<H") for _ in range(size)]
    bits = int.from_bytes(c.take(8192), "little")
    return [n for n in range(1 << 16) if bits >> n & 1]


PRIMITIVES = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "bytes": pa.binary(),
    "string": pa.string(),
    "enum": pa.string(),
}
LOGICAL = {
    "date": pa.date32(),
    "time-millis": pa.time32("ms"),
    "time-micros": pa.time64("us"),
    "timestamp-millis": pa.timestamp("ms", "UTC"),
    "timestamp-micros": pa.timestamp("us", "UTC"),
    "local-timestamp-millis": pa.timestamp("ms"),
    "local-timestamp-micros": pa.timestamp("us"),
}


def arrow_type(avro):
    """The Arrow type of an Avro type, optional or not."""
    if isinstance(avro, list):
        (avro,) = [t for t in avro if t != "null"]
    if isinstance(avro, str):
        return PRIMITIVES[avro]
    if avro.get("logicalType") == "decimal":
        return pa.decimal128(avro["precision"], avro.get("scale", 0))
    if avro.get("logicalType") in LOGICAL:
        return LOGICAL[avro["logicalType"]]
    match avro["type"]:
        case "record":
            return pa.struct([(f["name"], arrow_type(f["type"])) for f in avro["fields"]])
        case "array":
            return pa.list_(pa.field("element", arrow_type(avro["items"])))
        case "map":
            return pa.map_(pa.string(), arrow_type(avro["values"]))
        case "fixed":
            return pa.binary(avro["size"])
        case inner:
            return arrow_type(inner)


def arrow_schema(avro):
    return pa.schema([(f["name"], arrow_type(f["type"])) for f in avro["fields"]])


def pairs(value, typ):
    """A value with its maps as lists of pairs, the only form that pyarrow takes."""
    if value is None:
        return None
    if pa.types.is_map(typ):
        return [(k, pairs(v, typ.item_type)) for k, v in value.items()]
    if pa.types.is_list(typ):
        return [pairs(v, typ.value_type) for v in value]
    if pa.types.is_struct(typ):
        return {f.name: pairs(value[f.name], f.type) for f in typ}
    return value


def records(block):
    """The rows of a data block."""
    if block.kind == PARQUET:
        return pq.read_table(io.BytesIO(block.content)).replace_schema_metadata(None)
    if block.kind != AVRO:
        raise ValueError(f"blocks of type {block.kind} are not converted")
    writer = fastavro.parse_schema(block.schema())
    c = Cursor(block.content)
    c.number(">i")  # version of the content
    rows = []
    for _ in range(c.number(">i")):
        rows.append(fastavro.schemaless_reader(io.BytesIO(c.take(c.number(">i"))), writer))
    schema = arrow_schema(block.schema())
    return pa.table([pa.array([pairs(r[f.name], f.type) for r in rows], f.type) for f in schema], schema=schema)


def wrapper(name, inner):
    return {"type": "record", "name": f"{name}Wrapper", "fields": [{"name": "value", "type": inner}]}


SCALARS = [
    wrapper("Boolean", "boolean"),
    wrapper("Int", "int"),
    wrapper("Long", "long"),
    wrapper("Float", "float"),
    wrapper("Double", "double"),
    wrapper("Bytes", "bytes"),
    wrapper("String", "string"),
    wrapper("Date", "int"),
    wrapper("Decimal", {"type": "bytes", "logicalType": "decimal", "precision": 30, "scale": 15}),
    wrapper("TimeMicros", "long"),
    wrapper("TimestampMicros", "long"),
]
SEVERAL = {
    "type": "record",
    "name": "ArrayWrapper",
    "fields": [
        {
            "name": "wrappedValues",
            "type": [
                "null",
                {
                    "type": "array",
                    "items": ["null"] + [s["name"] for s in SCALARS] + [wrapper("LocalDate", "int")],
                },
            ],
        }
    ],
}
DELETE_LIST = fastavro.parse_schema(
    {
        "type": "record",
        "name": "HoodieDeleteRecordList",
        "namespace": "org.apache.hudi.avro.model",
        "fields": [
            {
                "name": "deleteRecordList",
                "type": {
                    "type": "array",
                    "items": {
                        "type": "record",
                        "name": "HoodieDeleteRecord",
                        "fields": [
                            {"name": "recordKey", "type": ["null", "string"]},
                            {"name": "partitionPath", "type": ["null", "string"]},
                            {"name": "orderingVal", "type": ["null"] + SCALARS + [SEVERAL]},
                        ],
                    },
                },
            }
        ],
    }
)


def unwrapped(value):
    """An ordering value. None means "no value", which Hudi also writes as the Integer 0."""
    if value is None:
        return None
    name, record = value
    if name.endswith(".IntWrapper") and record["value"] == 0:
        return None
    return record["value"]


def deletes(block, ordering):
    """The entries of a delete block as rows: key and one column for each ordering field."""
    c = Cursor(block.content)
    version = c.number(">i")
    if version != 3:
        raise ValueError(f"delete blocks of version {version} are not converted")
    body = io.BytesIO(c.take(c.number(">i")))
    entries = fastavro.schemaless_reader(body, DELETE_LIST, return_record_name=True)["deleteRecordList"]
    values = [ordering_values(e["orderingVal"], len(ordering)) for e in entries]
    schema = arrow_schema(block.schema())
    columns = {"_hoodie_record_key": pa.array([e["recordKey"] for e in entries], pa.string())}
    for i, name in enumerate(ordering):
        columns[name] = typed([v[i] for v in values], schema.field(name).type)
    return pa.table(columns)


def ordering_values(value, n):
    if value is not None and value[0].endswith(".ArrayWrapper"):
        return [unwrapped(v) for v in value[1]["wrappedValues"]]
    return [unwrapped(value)] * n


def typed(values, typ):
    """Ordering values in the type of their field; those of times come as numbers."""
    if pa.types.is_timestamp(typ) and all(isinstance(v, int | None) for v in values):
        return pa.array(values, pa.int64()).cast(typ)
    if pa.types.is_date(typ) and all(isinstance(v, int | None) for v in values):
        return pa.array(values, pa.int32()).cast(typ)
    if pa.types.is_decimal(typ):
        return pa.array(values, pa.decimal128(30, 15)).cast(typ)
    return pa.array(values).cast(typ)
