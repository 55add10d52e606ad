#!/usr/bin/env python3
"""Writes the stored answers again, as small as they get: pack_answers.py DIR. Rows and types stay as they are.

Spark's files carry its own schema, statistics and indexes, which are most of a file of a few rows.
"""

import glob
import io
import os
import sys

import pyarrow.parquet as pq

before = after = 0
for path in glob.glob(f"{sys.argv[1]}/**/expected/*.parquet", recursive=True):
    table = pq.read_table(path).replace_schema_metadata(None)
    files = [open(path, "rb").read()]
    for codec, level in (("gzip", 9), ("zstd", 19)):
        out = io.BytesIO()
        pq.write_table(
            table, out, store_schema=False, write_statistics=False, compression=codec, compression_level=level
        )
        again = pq.read_table(io.BytesIO(out.getvalue()))
        assert again.schema == table.schema and str(again.to_pylist()) == str(table.to_pylist()), path
        files.append(out.getvalue())
    before += os.path.getsize(path)
    best = min(files, key=len)
    after += len(best)
    with open(path, "wb") as f:
        f.write(best)
print(f"{before} bytes before, {after} now")
