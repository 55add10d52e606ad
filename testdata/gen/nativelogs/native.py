"""Writes native log files: names, footers, record positions."""

import base64
import json
import struct

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

KEY = "_hoodie_record_key"
FOOTER = "hudi.log.format.metadata"
VERSION = "2"
# What a native log says of itself, out of an inline block's header.
KEPT = ("INSTANT_TIME", "SCHEMA", "IS_PARTIAL", "COMPACTED_BLOCK_TIMES")
BASE_OF_POSITIONS = "BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS"


def key_order(rows):
    """The permutation that sorts rows by the UTF-8 bytes of their keys, older rows of one key first."""
    keys = rows[KEY].cast(pa.binary())
    table = pa.table({"key": keys, "row": pa.array(range(rows.num_rows), pa.int64())})
    return pc.sort_indices(table, sort_keys=[("key", "ascending"), ("row", "ascending")])


def packed(positions):
    """Positions in the form of native logs: a count, then LEB128 numbers in row order."""
    out = bytearray(struct.pack(">i", len(positions)))
    for n in positions:
        while n > 0x7F:
            out.append(n & 0x7F | 0x80)
            n >>= 7
        out.append(n)
    return base64.b64encode(bytes(out)).decode()


def footer(header, positions):
    entry = {"VERSION": VERSION} | {k: header[k] for k in KEPT if k in header}
    if positions is not None and header.get(BASE_OF_POSITIONS):
        entry[BASE_OF_POSITIONS] = header[BASE_OF_POSITIONS]
        entry["RECORD_POSITIONS"] = packed(positions)
    return json.dumps(entry)


def write(path, rows, metadata, rows_per_group=1 << 20):
    """A Parquet file with entries in its footer.

    pyarrow writes the metadata of a schema only together with its own copy of the schema, which Hudi's files don't
    have: so the entries are added to the file.
    """
    with pq.ParquetWriter(path, rows.schema.remove_metadata(), compression="gzip", store_schema=False) as w:
        w.write_table(rows.replace_schema_metadata(None), row_group_size=rows_per_group)
        w.add_key_value_metadata(metadata)
