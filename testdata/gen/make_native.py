#!/usr/bin/env python3
"""Makes tables with native logs of tables of version 9, with the answers that Spark gave for those.

make_native.py SRC OUT    SRC holds v9/ and extra/, as generate.py writes them
make_native.py SRC OUT --all    every merge-on-read table in both layouts, not just a choice
"""

import argparse
import glob
import json
import os
import shutil
import sys
import tempfile
import zipfile

from nativelogs.convert import Options, convert

DEFAULT, LSM = Options(), Options(lsm=True)
KINDS = {
    "default": (DEFAULT, "default layout"),
    "lsm_tree": (LSM, "lsm_tree layout"),
    "bare": (Options(bare=True), "default layout, without footer entries"),
    "lsm_tree_bare": (Options(lsm=True, bare=True), "lsm_tree layout, without footer entries"),
    "mixed": (Options(mixed=True), "default layout, every other log still inline"),
    "lsm_tree_mixed": (Options(lsm=True, mixed=True), "lsm_tree layout, every other log still inline"),
    "doubled": (Options(doubled=True), "default layout, some keys twice in a log"),
    "lsm_tree_doubled": (Options(lsm=True, doubled=True), "lsm_tree layout, some keys twice in a log"),
    "unsorted_logs": (Options(lsm=True, unsorted="logs"), "lsm_tree layout, but the logs are not sorted"),
    "unsorted_base": (Options(lsm=True, unsorted="base"), "lsm_tree layout, but base files are not sorted"),
}
CHOICE = {
    "all_types_list3_mor": "default",
    "all_types_mor": "lsm_tree",
    "clustering_mor": "default",
    "complex_keygen": "lsm_tree lsm_tree_mixed",
    "evolve_add_widen_mor": "lsm_tree",
    "evolve_full_mor": "default bare",
    "log_compaction": "default lsm_tree",
    "mor_avro_logs": "default lsm_tree lsm_tree_doubled",
    "mor_commit_time": "lsm_tree mixed doubled unsorted_base",
    "mor_compacted": "lsm_tree",
    "mor_is_deleted": "default lsm_tree unsorted_logs",
    "mor_log_only": "lsm_tree",
    "mor_multi_ordering": "default lsm_tree bare",
    "mor_pending_compaction": "default",
    "multistream": "lsm_tree",
    "multistream_merge_into": "lsm_tree",
    "nbcc": "default lsm_tree lsm_tree_bare",
    "partial_update": "default lsm_tree bare",
    "payload_delete_marker": "lsm_tree",
    "payload_partial_update": "default",
    "payload_postgres": "lsm_tree",
    "positions_on": "default",
    "replace_mor": "lsm_tree",
    "rollback_mor": "default",
    "upgraded": "lsm_tree",
}
# Not made: their blocks or keys are of kinds that native logs have no form for, or they are damaged on purpose.
LEFT_OUT = ("cdc", "bootstrap", "corrupt", "archived", "empty", "hfile")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("src")
    p.add_argument("out")
    p.add_argument("--all", action="store_true")
    a = p.parse_args()
    for path in sorted(glob.glob(f"{a.src}/v9/*/manifest.json") + glob.glob(f"{a.src}/extra/*/manifest.json")):
        source = os.path.dirname(path)
        name = os.path.basename(source)
        with open(path) as f:
            manifest = json.load(f)
        kinds = CHOICE.get(name, "").split()
        if a.all and convertible(name, manifest):
            kinds = ["default", "lsm_tree"]
        for kind in kinds:
            try:
                make(source, f"{a.out}/{name}__{kind}", manifest, kind)
                print("ok  ", name, kind)
            except ValueError as e:
                print("LEFT", name, kind, e, file=sys.stderr)


def convertible(name, manifest):
    return (
        manifest.get("table_type") == "MERGE_ON_READ"
        and manifest["table_version"] == 9
        and manifest["properties"].get("hoodie.populate.meta.fields") != "false"
        and not any(x in name for x in LEFT_OUT)
    )


def make(source, out, manifest, kind):
    options, what = KINDS[kind]
    with tempfile.TemporaryDirectory() as tmp:
        with zipfile.ZipFile(f"{source}/table.zip") as z:
            z.extractall(f"{tmp}/source")
        if not convert(table_root(f"{tmp}/source"), f"{tmp}/table", options):
            raise ValueError("it has no logs")
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(f"{out}/expected")
        pack(f"{tmp}/table", f"{out}/table.zip")
    name = os.path.basename(source)
    queries = [q for q in manifest["queries"] if q["kind"] in ("snapshot", "read_optimized", "time_travel")]
    for q in queries:
        shutil.copy(f"{source}/{q['file']}", f"{out}/{q['file']}")
    notes = f"native logs, {what}; made of the version 9 table {name}: the answers are those that Spark gave for it"
    new = manifest | {"name": os.path.basename(out), "table_version": 10, "queries": queries, "notes": notes}
    new.pop("written_at", None)
    with open(f"{out}/manifest.json", "w") as f:
        json.dump(new, f, indent=1)
    with open(f"{out}/README", "w") as f:
        f.write(notes + "\n")


def table_root(folder):
    """The folder that holds .hoodie, but not that of the metadata table."""
    found = glob.glob(f"{folder}/**/.hoodie/hoodie.properties", recursive=True, include_hidden=True)
    (path,) = [f for f in found if "/metadata/" not in f]
    return os.path.dirname(os.path.dirname(path))


def pack(folder, path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for root, folders, files in sorted(os.walk(folder)):
            for name in sorted(folders + files):
                z.write(f"{root}/{name}", "table/" + os.path.relpath(f"{root}/{name}", folder))


if __name__ == "__main__":
    main()
