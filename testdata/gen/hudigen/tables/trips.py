"""The table of the first example: taxi trips in four cities."""

import datetime as dt
import random
from decimal import Decimal as D

from hudigen import env
from hudigen.fixture import mkdf, table

CITIES = {"lisbon": (D("3.25"), D("0.47")), "nairobi": (D("1.80"), D("0.35")), "osaka": (D("4.60"), D("2.30"))}
CITIES["toronto"] = (D("4.25"), D("1.75"))
RIDERS = "Ana Ben Chidi Dara Emre Fumiko Gael Hana Ivo Jamal Kira Liam Mei Nuno Oona Pedro".split()
DRIVERS = "Abel Bo Cleo Dmitri Esi Farid Grace Hugo Ines Joao".split()
DDL = (
    "trip_id string, ts timestamp, rider string, driver string, city string, distance_km double, "
    "fare decimal(8,2), tip decimal(6,2), paid boolean, status string"
)


def trip(i, **changes):
    """Trip i as it was first reported, with the changes on top."""
    r = random.Random(f"{env.seed}/trips/{i}")
    city = r.choice(sorted(CITIES))
    start, per_km = CITIES[city]
    km = round(r.lognormvariate(1.6, 0.6), 1)
    t = {
        "trip_id": f"T{i:05d}",
        "ts": dt.datetime(2025, 3, 1, 6) + dt.timedelta(minutes=9 * i + r.randint(0, 8), seconds=r.randint(0, 59)),
        "rider": r.choice(RIDERS),
        "driver": r.choice(DRIVERS),
        "city": city,
        "distance_km": km,
        "fare": (start + per_km * D(str(km))).quantize(D("0.01")),
        "tip": None,
        "paid": False,
        "status": "requested" if r.random() < 0.2 else "done",
    }
    t.update(changes)
    return t


def frame(trips):
    """The trips as a data frame."""
    names = [c.strip().split(" ")[0] for c in DDL.replace("(8,2)", "").replace("(6,2)", "").split(",")]
    return mkdf([tuple(t[n] for n in names) for t in trips], DDL)


def paid(i, minutes, **changes):
    """Trip i some minutes after it began: paid, with a tip."""
    t = trip(i)
    r = random.Random(f"{env.seed}/tips/{i}")
    tip = None if r.random() < 0.4 else D(r.choice([50, 100, 150, 200, 500])) / 100
    return {**t, "ts": t["ts"] + dt.timedelta(minutes=minutes), "paid": True, "status": "done", "tip": tip, **changes}


@table("trips", extra=True)
def trips(fx):
    fx.what = (
        "taxi trips, merge-on-read, partitioned by city, the newer ts wins; the same table stands unpacked in "
        "testdata/trips"
    )
    fx.setup(True, "trip_id", "city", "ts").event_time()
    for k in ("hoodie.metadata.index.column.stats.enable", "hoodie.metadata.index.partition.stats.enable"):
        fx.opt({k: "true"})
    fx.opt({"hoodie.datasource.write.hive_style_partitioning": "true", "hoodie.index.bloom.num_entries": "1000"})
    fx.opt({"hoodie.parquet.small.file.limit": "0"})
    fx.write(frame(trip(i) for i in range(400)), "insert", "400 trips")
    fx.write(frame(paid(i, 40) for i in range(0, 300, 2)), "upsert", "every other of the first 300 is paid")
    compact = {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "2"}
    cancelled = [trip(i) for i in range(5, 400, 31)]
    fx.write(frame(cancelled), "delete", f"{len(cancelled)} trips cancelled; then a compaction", compact)
    late = [trip(i, status="late report", fare=D("0.00")) for i in range(0, 60, 12)]
    more = [paid(i, 55) for i in range(1, 200, 6) if i % 31 != 5]
    fx.write(frame(late + more), "upsert", f"{len(more)} more are paid; {len(late)} late reports, which lose")
    fx.write(frame(trip(i) for i in range(400, 480)), "insert", "80 new trips")
    fixed = [paid(i, 90, fare=D("9.99"), status="refunded") for i in range(3, 480, 40)]
    fx.write(frame(fixed), "upsert", f"{len(fixed)} refunds")
    gone = [trip(i) for i in range(17, 480, 90)]
    fx.write(frame(gone), "delete", f"{len(gone)} trips removed")
    fx.filters = [
        "city = 'osaka'",
        "fare > 20",
        "status = 'refunded'",
        "tip is not null and paid",
        "ts >= timestamp'2025-03-03 00:00:00'",
    ]
