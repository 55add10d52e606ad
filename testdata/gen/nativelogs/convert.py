"""Turns a table of version 9 with inline logs into one of version 10 with native logs.

No released Hudi writes native logs yet. The conversion changes how records are stored and not what they say, so the
answers that Spark gave for the table stay right.
"""

import os
import re
import shutil
from collections import defaultdict
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from . import inline, native

LOG_NAME = re.compile(r"\.([^._]+)_([^.]*)\.log\.(\d+)_(\d+-\d+-\d+)")
BASE_NAME = re.compile(r"[^._]+_\d+-\d+-\d+_\d+\.parquet")


@dataclass
class Options:
    lsm: bool = False  # lay the table out sorted by key
    bare: bool = False  # forget the footers, as some converters do
    mixed: bool = False  # leave every other log file of a slice inline, as after an upgrade
    doubled: bool = False  # put a record of the same key in front of some, which it supersedes
    group_rows: int = 32  # rows of a row group in the sorted layout, few so that small tables have several
    unsorted: str = ""  # "logs" or "base": which of the files break the promise of the layout


def convert(src, dst, options):
    """Copies a table and converts the copy. It gives the number of converted log files."""
    shutil.copytree(src, dst)
    shutil.rmtree(f"{dst}/.hoodie/metadata", ignore_errors=True)  # it lists the old files
    ordering = rewrite_properties(f"{dst}/.hoodie/hoodie.properties", options)
    converted = 0
    for folder, subfolders, files in os.walk(dst):
        subfolders[:] = [d for d in subfolders if d != ".hoodie"]
        for name in files:
            if name.endswith(".crc"):
                os.remove(f"{folder}/{name}")
            elif options.lsm and options.unsorted != "base" and BASE_NAME.fullmatch(name):
                sort_base(f"{folder}/{name}", options.group_rows)
        converted += convert_logs(folder, files, ordering, options)
    return converted


def rewrite_properties(path, options):
    """Makes the table one of version 10. It gives the ordering fields that delete files store."""
    with open(path) as f:
        props = dict(line.rstrip("\n").split("=", 1) for line in f if "=" in line and not line.startswith("#"))
    if props["hoodie.table.version"] != "9":
        raise ValueError(f"{path}: table version {props['hoodie.table.version']}, not 9")
    props |= {
        "hoodie.table.version": "10",
        "hoodie.table.metadata.partitions": "",
        "hoodie.table.storage.layout": "lsm_tree" if options.lsm else "default",
    }
    with open(path, "w") as f:
        f.writelines(["#Properties saved\n"] + [f"{k}={v}\n" for k, v in props.items()])
    if props.get("hoodie.record.merge.mode") == "COMMIT_TIME_ORDERING":
        return []
    return [f for f in props.get("hoodie.table.ordering.fields", "").split(",") if f]


def convert_logs(folder, files, ordering, options):
    logs = [m for m in map(LOG_NAME.fullmatch, files) if m]
    logs.sort(key=lambda m: (m[1], m[2], int(m[3]), m[4]))
    if options.mixed:
        logs = logs[1::2]
    # Native logs of one file group and instant are numbered on: an inline log may hold many blocks.
    versions = defaultdict(int)
    for m in logs:
        group, instant, token = m[1], m[2], m[4]
        last = ""
        with open(f"{folder}/{m[0]}", "rb") as f:
            content = f.read()
        for block in inline.blocks(content):
            kind = "deletes" if block.kind == inline.DELETE else "log"
            # A data and a delete file of one number apply in this order.
            if options.mixed and not last:
                versions[group, instant] = max(versions[group, instant], int(m[3]) - 1)
            if not (kind == "deletes" and last == "log"):
                versions[group, instant] += 1
            last = kind
            name = f"{group}_{token}_{instant}_{versions[group, instant]}.{kind}.parquet"
            write_log(f"{folder}/{name}", block, kind, ordering, options)
        os.remove(f"{folder}/{m[0]}")
    return len(logs)


def write_log(path, block, kind, ordering, options):
    rows = inline.deletes(block, ordering) if kind == "deletes" else inline.records(block)
    # Positions are those of rows in a base file that keeps its order.
    positions = block.positions() if not options.lsm or options.unsorted == "base" else None
    if options.doubled and kind == "log":
        rows, positions = doubled(rows), None
    if options.lsm and options.unsorted != "logs":
        order = native.key_order(rows)
        rows = rows.take(order)
        positions = positions and [positions[i] for i in order.to_pylist()]
    elif options.lsm:
        rows = rows.take(pa.array(range(rows.num_rows - 1, -1, -1), pa.int64()))
        positions = positions and positions[::-1]
    metadata = {} if options.bare else {native.FOOTER: native.footer(block.header, positions)}
    native.write(path, rows, metadata, rows_per_group=options.group_rows if options.lsm else 1 << 20)


def doubled(rows):
    """Rows with a copy in front of every third one that differs in its text columns."""
    texts = [f.name for f in rows.schema if pa.types.is_string(f.type) and not f.name.startswith("_hoodie_")]
    out = []
    for i, row in enumerate(rows.to_pylist()):
        if i % 3 == 0:
            out.append(row | {c: "superseded" for c in texts if c not in ("id", "part")})
        out.append(row)
    return pa.Table.from_pylist(out, rows.schema)


def sort_base(path, group_rows):
    file = pq.ParquetFile(path)
    rows = file.read()
    metadata = {k.decode(): v.decode() for k, v in file.metadata.metadata.items() if k != b"ARROW:schema"}
    native.write(path, rows.take(native.key_order(rows)), metadata, rows_per_group=group_rows)
