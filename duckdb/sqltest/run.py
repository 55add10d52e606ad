"""Runs the SQL tests, and what only a real DuckDB can show, with the extension in the DuckDB of this Python.

    run.py EXTENSION [REPOSITORY]
"""

import os
import re
import resource
import shutil
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

import duckdb

EXTENSION = os.path.abspath(sys.argv[1])
PLATFORM = duckdb.connect().execute("PRAGMA platform").fetchone()[0]
if PLATFORM.endswith("_gcc4"):  # an older DuckDB, which wants another footer
    EXTENSION = os.path.join(os.path.dirname(EXTENSION), PLATFORM, os.path.basename(EXTENSION))
HERE = Path(__file__).resolve().parent
REPOSITORY = Path(sys.argv[2] if len(sys.argv) > 2 else HERE.parent.parent)
TMP = Path(tempfile.mkdtemp(prefix="hudi-sqltest-"))
TRIPS = str(REPOSITORY / "testdata" / "trips")


def connect(path=":memory:", **config):
    con = duckdb.connect(path, config={"allow_unsigned_extensions": "true", **config})
    con.execute(f"LOAD '{EXTENSION}'")
    con.execute("SET TimeZone = 'UTC'")
    return con


def table(name):
    """The path of a table, unpacked."""
    if name == "trips":
        return TRIPS
    to = TMP / name
    if not to.exists():
        with zipfile.ZipFile(REPOSITORY / "testdata" / "tables" / name / "table.zip") as z:
            z.extractall(to)
    found = [p for p in to.rglob("hoodie.properties") if p.parent.name == ".hoodie"]
    return str(min(found, key=lambda p: len(p.parts)).parent.parent)


def parse(text):
    """Gives the kind, the statement and the expected text of each test."""
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.split("\n") if not line.startswith("#")]
        if not lines or not lines[0].strip() or lines[0] == "extension only":
            continue
        statement, _, expected = "\n".join(lines[1:]).partition("\n----")
        yield lines[0], statement, expected.strip("\n")


def run_file(path):
    con, failures = connect(), 0
    for kind, statement, expected in parse(path.read_text()):
        sql = re.sub(r"\{([\w/]+)\}", lambda m: table(m[1]), statement)
        try:
            if kind == "query":
                rows = con.execute(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM ({sql})").fetchall()
                got = "\n".join("\t".join("NULL" if v is None else v for v in row) for row in rows)
                ok = got == expected
            else:
                con.execute(sql).fetchall()
                got, ok = "no error", kind == "statement ok"
        except Exception as e:
            got, ok = str(e), kind == "statement error" and expected in str(e)
        if not ok:
            failures += 1
            print(f"{path.name}: {sql}\n  expected: {expected!r}\n  found:    {got!r}")
    con.close()
    return failures


def rss():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize()


def many_loads():
    """A thousand databases (LOADS others) that load and ask leave no memory behind."""
    loads = int(os.environ.get("LOADS", "1000"))
    def once(i):
        con = connect()
        if i % 4 == 0:  # a statement with a condition is planned beforehand, on a database of its own
            assert con.execute(f"SELECT count(*) FROM 'hudi:{TRIPS}' WHERE city = 'osaka'").fetchone() == (110,)
        else:
            assert con.execute(f"SELECT count(*) FROM 'hudi:{TRIPS}'").fetchone() == (463,)
        assert con.execute(f"SELECT sum(fare) FROM hudi_scan('{TRIPS}')").fetchone()[0] > 0
        con.close()
    for i in range(loads // 5):
        once(i)
    before = rss()
    for i in range(loads - loads // 5):
        once(i)
    grown = (rss() - before) / 2**20
    print(f"  {loads} loads: {grown:.1f} MB more after the first fifth")
    assert grown < 20, f"memory grew by {grown:.1f} MB"


def at_once():
    """Many connections of one database read at once."""
    con, errors = connect(), []
    def work(i):
        try:
            for _ in range(10):
                got = con.cursor().execute(f"SELECT count(*) FROM 'hudi:{TRIPS}' JOIN hudi_scan('{TRIPS}') USING (trip_id)").fetchone()
                assert got == (463,), got
        except Exception as e:
            errors.append(e)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors, errors


def read_only():
    """A database that can't be written is no hindrance, and one that can be keeps nothing."""
    path = str(TMP / "some.db")
    con = connect(path)
    con.execute("CREATE TABLE cities AS SELECT 'osaka' AS city")
    con.execute(f"CREATE VIEW lake AS FROM 'hudi:{TRIPS}'")
    con.close()
    con = connect(path, access_mode="READ_ONLY")
    assert con.execute("SELECT count(*) FROM lake JOIN cities USING (city)").fetchone() == (110,)
    assert con.execute(f"SELECT count(*) FROM 'hudi:{TRIPS}' JOIN cities USING (city)").fetchone() == (110,)
    con.close()


def odd_paths():
    """Paths may have quotes, blanks and anything else; two tables may have one name."""
    lake = TMP / "it's a \"lake\" ü; --x"
    for to in ("tr ips", "b/tr ips"):
        shutil.copytree(TRIPS, lake / to)
    path = str(lake / "tr ips")
    con = connect()
    for quote in "'\"":
        name = quote + ("hudi:" + path).replace(quote, 2 * quote) + quote
        assert con.execute(f"SELECT count(*) FROM {name} WHERE city = 'osaka'").fetchone() == (110,)
    text = str(lake).replace("'", "''")
    for (sql,) in con.execute(f"SELECT create_view FROM hudi_tables('{text}')").fetchall():
        con.execute(sql)
    for view in ('main."tr ips"', 'b."tr ips"'):
        assert con.execute(f"SELECT count(*) FROM {view}").fetchone() == (463,)


def damaged():
    """A file that can't be read is an error, and the connection goes on."""
    to = TMP / "damaged"
    shutil.copytree(TRIPS, to)
    for file in to.glob("*/*.parquet"):
        data = bytearray(file.read_bytes())
        data[len(data) // 3 : len(data) // 3 + 200] = b"\xff" * 200
        file.write_bytes(data)
    con = connect()
    for name in (f"hudi_scan('{to}')", f"'hudi:{to}'"):
        try:
            con.execute(f"SELECT sum(hash(t)) FROM {name} t").fetchall()
            raise AssertionError(f"{name} was read")
        except duckdb.Error as e:
            assert str(to) in str(e) and "INTERNAL" not in str(e), e
    assert con.execute(f"SELECT count(*) FROM 'hudi:{TRIPS}'").fetchone() == (463,)


def interrupted():
    """An interrupted query ends, and the connection goes on."""
    con = connect()
    big = " UNION ALL ".join([f"FROM hudi_scan('{TRIPS}')"] * 40)
    timer = threading.Timer(0.3, con.interrupt)
    timer.start()
    started = time.time()
    try:
        con.execute(f"SELECT count(*) FROM ({big}) a, ({big}) b WHERE a.fare + b.fare > random() * 1e9").fetchall()
    except duckdb.InterruptException:
        pass
    assert time.time() - started < 20
    timer.join()
    assert con.execute(f"SELECT count(*) FROM hudi_scan('{TRIPS}')").fetchone() == (463,)
    # A log that takes long to be read: repeated, it says the same.
    slow = TMP / "slow"
    shutil.copytree(table("v9/mor_avro_logs"), slow)
    logs = [p for p in slow.rglob(".*.log.*") if ".hoodie" not in p.parts and p.suffix != ".crc"]
    log = max(logs, key=lambda p: p.stat().st_size)
    log.write_bytes(log.read_bytes() * ((100 << 20) // log.stat().st_size))
    for sql in (f"SELECT count(*) FROM 'hudi:{slow}'", f"CREATE TABLE got AS FROM 'hudi:{slow}' WHERE qty > 3 ORDER BY id"):
        at = []
        timer = threading.Timer(0.5, lambda: (at.append(time.time()), con.interrupt()))
        timer.start()
        try:
            con.execute(sql).fetchall()
            raise AssertionError(f"{sql} was not interrupted")
        except duckdb.InterruptException:
            assert time.time() - at[0] < 2, f"{sql}: {time.time() - at[0]:.1f} s from the interruption to its end"
        timer.join()


# Conditions on a table {t}.
ASKED = [
    "{t} WHERE id = 'k00007'", "{t} t WHERE t.qty BETWEEN 100000 AND 200010 AND part IN ('2024-01', '2024-03')",
    "{t} WHERE name LIKE 'b-%' AND amount < 100 OR qty < 50", "{t} WHERE amount IS NULL AND NOT qty = 7",
    "(FROM {t} WHERE qty > 100) WHERE part = '2024-02' LIMIT 1000000", "{t} WHERE id >= 'k0001' AND id < 'k0003' AND 500 < qty",
    "(SELECT a.* FROM {t} a JOIN {t} b USING (id) WHERE a.part = '2024-01' AND b.qty < 300000)",
    "(SELECT a.* FROM {t} a LEFT JOIN {t} b ON a.id = b.id AND b.qty < 1000 WHERE b.id IS NULL AND a.qty < 5000)",
    "(FROM {t} WHERE qty < 900 UNION ALL FROM {t} WHERE part = '2024-03')", "{t} WHERE qty IN (SELECT max(qty) FROM {t} GROUP BY part)",
    "(WITH x AS (FROM {t}), y AS (FROM x WHERE qty < 1000) SELECT x.* FROM x, y WHERE x.qty = y.qty AND x.part = '2024-02')",
    "{t} o WHERE qty > (SELECT avg(qty) FROM {t} i WHERE i.part = o.part AND i.qty < 500000)",
    "{t} WHERE upper(name) LIKE 'B%' AND length(id) > 2", "{t} WHERE qty / 2 > 1000 AND qty % 2 = 0", "{t} WHERE qty::VARCHAR = '7'",
    "{t} WHERE id = 'K00007' COLLATE NOCASE", "{t} WHERE NULL", "{t} WHERE qty = 7 /* ; */ -- '",
]


def asked():
    """Conditions in the statement prune, and change no answer."""
    con = connect()
    prunes = tuple(int(n) for n in duckdb.__version__.split(".")[:2]) >= (1, 3)
    for name in ("v9/mdt_full", "v9/mdt_full_mor"):
        path = f"'hudi:{table(name)}'"
        con.execute(f"CREATE OR REPLACE TABLE copy AS FROM hudi_scan('{table(name)}')")
        for q in ASKED:
            want = con.execute("FROM (FROM " + q.format(t="copy") + "\n) ORDER BY ALL").fetchall()
            for ask in (con.execute, con.sql):
                got = ask("FROM (FROM " + q.format(t=path) + "\n) ORDER BY ALL").fetchall()
                assert got == want, f"{name}: {q}: {len(got)} rows, {len(want)} are right"
        for q, left in ((f"FROM {path} WHERE part = 'none'", not prunes), (f"FROM {path} WHERE part || '' = 'none'", True)):
            plan = con.execute("EXPLAIN " + q).fetchall()[-1][1]
            assert name.endswith("_mor") or left == ("parquet" in plan.lower()), f"{name}: {q}: {plan}"
    # Texts of instants mean what the session's time zone says.
    con.execute("SET TimeZone = 'Asia/Tokyo'")
    con.execute(f"CREATE OR REPLACE TABLE copy AS FROM 'hudi:{TRIPS}'")
    got, want = (con.execute(f"SELECT count(*) FROM {t} WHERE ts > '2025-03-03 12:00:00'").fetchone() for t in (f"'hudi:{TRIPS}'", "copy"))
    assert got == want, (got, want)
    con.execute("SET default_collation = 'NOCASE'")
    assert con.execute(f"SELECT count(*) FROM 'hudi:{TRIPS}' WHERE city = 'OSAKA'").fetchone() == (110,)


def all_tables():
    """Every table that is not to be refused: as planned and as scanned."""
    con = connect()
    import json
    n = 0
    for manifest in sorted((REPOSITORY / "testdata" / "tables").rglob("manifest.json")):
        if json.loads(manifest.read_text()).get("refused") or (manifest.parent / "source.zip").exists():
            continue
        name = str(manifest.parent.relative_to(REPOSITORY / "testdata" / "tables"))
        path = table(name)
        a, b = f"(FROM \"hudi:{path}?meta=true\")", f"(FROM hudi_scan('{path}', meta := true))"
        for x, y in ((a, b), (b, a)):
            left = con.execute(f"SELECT count(*) FROM ({x} EXCEPT ALL {y})").fetchone()
            assert left == (0,), f"{name}: {left} rows differ"
        n += 1
    print(f"  {n} tables")


def main():
    print(f"DuckDB {duckdb.__version__}")
    failures = sum(run_file(p) for p in sorted(HERE.glob("*.test")))
    for check in (asked, at_once, read_only, odd_paths, damaged, interrupted, all_tables, many_loads):
        try:
            started = time.process_time()
            check()
            print(f"  {check.__name__}: ok ({time.process_time() - started:.1f} CPU s)")
        except Exception as e:
            failures += 1
            print(f"  {check.__name__}: {type(e).__name__}: {e}")
    print("ok" if not failures else f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
