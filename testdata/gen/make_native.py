#!/usr/bin/env python3
"""Makes native-log tables (default and lsm_tree layout) from every merge-on-read table of version 9 that allows it.

make_native.py DIR      reads DIR/v9, writes DIR/native
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

src = sys.argv[1]
out = f"{src}/native"
here = os.path.dirname(os.path.abspath(__file__))
for m in sorted(glob.glob(f"{src}/v9/*/manifest.json")):
    man = json.load(open(m))
    d = os.path.dirname(m)
    name = os.path.basename(d)
    if (
        man.get("table_type") != "MERGE_ON_READ"
        or man["properties"].get("hoodie.populate.meta.fields") == "false"
        or any(x in name for x in ("cdc", "bootstrap", "corrupt", "archived", "empty"))
    ):
        continue
    for layout in ("default", "lsm_tree"):
        tmp = tempfile.mkdtemp()
        with zipfile.ZipFile(f"{d}/table.zip") as z:
            z.extractall(f"{tmp}/x")
        root = next(
            os.path.dirname(os.path.dirname(x))
            for x in glob.glob(f"{tmp}/x/**/hoodie.properties", recursive=True, include_hidden=True)
            if "/metadata/" not in x
        )
        r = subprocess.run(
            [sys.executable, f"{here}/native_logs.py", root, f"{tmp}/table", layout], capture_output=True, text=True
        )
        if r.returncode or " 0 log files" in r.stdout:
            print("SKIP", name, layout, (r.stderr.strip().splitlines() or [r.stdout.strip()])[-1][:160])
            shutil.rmtree(tmp)
            continue
        o = f"{out}/{name}__{layout}"
        shutil.rmtree(o, ignore_errors=True)
        os.makedirs(o)
        with zipfile.ZipFile(f"{o}/table.zip", "w", zipfile.ZIP_DEFLATED) as z:
            for rt, ds, fs in os.walk(f"{tmp}/table"):
                for f in ds + fs:
                    p = os.path.join(rt, f)
                    z.write(p, "table/" + os.path.relpath(p, f"{tmp}/table"))
        shutil.copytree(f"{d}/expected", f"{o}/expected")
        man["name"] = f"{name}__{layout}"
        man["table_version"] = 10
        man.pop("written_at", None)
        man["queries"] = [q for q in man["queries"] if q["kind"] in ("snapshot", "read_optimized", "time_travel")]
        man["notes"] = (
            f"native Parquet logs, storage layout {layout}; made from the version 9 table {name} by native_logs.py, the answers are those that Spark gave for it"
        )
        json.dump(man, open(f"{o}/manifest.json", "w"), indent=1)
        open(f"{o}/README", "w").write(f"{man['notes']}\n")
        print("ok", name, layout)
        shutil.rmtree(tmp)
