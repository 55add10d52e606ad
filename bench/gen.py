#!/usr/bin/env python3
"""Makes the tables that the benchmarks read: lineitem-like data, copy-on-write and merge-on-read.

    gen.py --out DIR [--rows 6000000] [--hudi 1.2.0] [--mem 4g] [--tables cow,mor,lsm,near]

DIR/cow   one bulk insert: 17 columns, gzip (Hudi's default codec), one file per 3M rows
DIR/mor   the same rows, then three rounds that each update 5 % of the rows (one in ten of them late, so that the
          event-time merge keeps the old row) and delete 1 %, all in Avro log blocks, never compacted
DIR/lsm   the same with two rounds (10 % updated), turned into native logs in the sorted layout, and written anew by
          the Parquet writer that Hudi has
DIR/near  as lsm, but what a round changes lies together in key order, as the newest orders would

The data is deterministic: every column is a hash of the row number. Cardinalities and lengths follow TPC-H at
scale rows / 6M. Needs Java, pyspark and Maven (see ../testdata/gen/requirements.txt).
"""

import argparse
import glob
import os
import shutil
import subprocess
import sys
import time

import pyarrow.parquet as pq

WORDS = (
    "furiously carefully quickly blithely slyly regular express special final ironic pending bold even silent "
    "deposits requests packages accounts instructions foxes ideas theodolites pinto beans platelets asymptotes "
    "sleep wake haggle nag cajole boost detect integrate among above across against along the of to after"
).split()

ROUNDS = {"cow": 0, "mor": 3, "lsm": 2, "near": 2}
BUNDLE = "org.apache.hudi:hudi-spark3.5-bundle_2.12"


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", required=True)
    p.add_argument("--rows", type=int, default=6_000_000)
    p.add_argument("--hudi", default="1.2.0")
    p.add_argument("--mem", default="4g")
    p.add_argument("--tables", default="cow,mor,lsm,near")
    p.add_argument("--cores", default="2")
    return p.parse_args()


def bundle(version):
    """The Hudi bundle in the local Maven repository, downloaded if it is not there."""
    group, artifact = BUNDLE.split(":")
    jar = os.path.expanduser(
        f"~/.m2/repository/{group.replace('.', '/')}/{artifact}/{version}/{artifact}-{version}.jar"
    )
    if not os.path.exists(jar):
        subprocess.run(
            ["mvn", "-q", "dependency:get", f"-Dartifact={BUNDLE}:{version}", "-Dtransitive=false"], check=True
        )
    return jar


def session(a):
    from pyspark.sql import SparkSession

    conf = {
        "spark.jars": bundle(a.hudi),
        "spark.driver.memory": a.mem,
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
        "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": a.cores,
        "spark.local.dir": os.path.join(a.out, "_local"),
        "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
    }
    b = SparkSession.builder.master(f"local[{a.cores}]").appName("bench")
    for k, v in conf.items():
        b = b.config(k, v)
    s = b.getOrCreate()
    s.sparkContext.setLogLevel("ERROR")
    return s


def lineitem(spark, rows, files):
    """rows of lineitem: 28 lines make 7 orders of 1..7 lines; order keys are sparse as in TPC-H."""
    h = lambda salt, n: f"pmod(xxhash64(id, {salt}), {n})"
    words = "array(" + ",".join(f"'{w}'" for w in WORDS) + ")"
    parts, supps = max(rows // 30, 1), max(rows // 600, 1)
    # Offsets 0, 1, 3, 6, ... within the 28 lines are where an order of 1, 2, 3, ... lines begins.
    order = "cast(floor((sqrt(8 * (id % 28) + 1) - 1) / 2) as bigint)"
    d = spark.range(0, rows, 1, files).selectExpr(
        "id",
        f"(id div 28) * 8 + {order} + 1 as l_orderkey",
        f"1 + {h(1, parts)} as l_partkey",
        f"1 + {h(2, supps)} as l_suppkey",
        f"cast(id % 28 - {order} * ({order} + 1) div 2 + 1 as int) as l_linenumber",
        f"1 + {h(3, 50)} as qty",
        f"date_add(date'1992-01-01', cast(pmod(xxhash64(id div 28, {order}), 2406) as int)) as orderdate",
    )
    d = d.selectExpr(
        "concat(lpad(cast(l_orderkey as string), 10, '0'), '-', l_linenumber) as l_key",
        "l_orderkey",
        "l_partkey",
        "l_suppkey",
        "l_linenumber",
        "cast(qty as decimal(15,2)) as l_quantity",
        "cast(qty * (90000 + (l_partkey div 10) % 20001 + 100 * (l_partkey % 1000)) / 100.0 as decimal(15,2)) as l_extendedprice",
        f"cast({h(4, 11)} / 100.0 as decimal(15,2)) as l_discount",
        f"cast({h(5, 9)} / 100.0 as decimal(15,2)) as l_tax",
        "id",
        f"date_add(orderdate, cast(1 + {h(6, 121)} as int)) as l_shipdate",
        f"date_add(orderdate, cast(30 + {h(7, 61)} as int)) as l_commitdate",
        f"date_add(orderdate, cast(2 + {h(6, 121)} + {h(8, 30)} as int)) as l_receiptdate",
        f"element_at(array('DELIVER IN PERSON','COLLECT COD','NONE','TAKE BACK RETURN'), cast(1 + {h(9, 4)} as int)) as l_shipinstruct",
        f"element_at(array('REG AIR','AIR','RAIL','SHIP','TRUCK','MAIL','FOB'), cast(1 + {h(10, 7)} as int)) as l_shipmode",
        f"substr(concat_ws(' ', transform(sequence(1, 8), k -> element_at({words}, cast(1 + pmod(xxhash64(id, 100 + k), {len(WORDS)}) as int)))),"
        f" cast(1 + {h(11, 8)} as int), cast(10 + {h(12, 34)} as int)) as l_comment",
    )
    return d.selectExpr(
        "id",
        *"l_key l_orderkey l_partkey l_suppkey l_linenumber l_quantity l_extendedprice l_discount l_tax".split(),
        f"case when l_receiptdate <= date'1995-06-17' then element_at(array('R','A'), cast(1 + {h(13, 2)} as int)) else 'N' end as l_returnflag",
        "case when l_shipdate > date'1995-06-17' then 'O' else 'F' end as l_linestatus",
        *"l_shipdate l_commitdate l_receiptdate l_shipinstruct l_shipmode l_comment".split(),
    )


def write(df, path, table_type, operation, mode="append", **more):
    options = {
        "hoodie.table.name": os.path.basename(path),
        "hoodie.datasource.write.table.type": table_type,
        "hoodie.datasource.write.operation": operation,
        "hoodie.datasource.write.recordkey.field": "l_key",
        "hoodie.datasource.write.precombine.field": "l_receiptdate",
        "hoodie.datasource.write.keygenerator.class": "org.apache.hudi.keygen.NonpartitionedKeyGenerator",
        "hoodie.write.record.merge.mode": "EVENT_TIME_ORDERING",
        "hoodie.index.type": "SIMPLE",
        "hoodie.compact.inline": "false",
        "hoodie.embed.timeline.server": "false",
        "hoodie.write.markers.type": "DIRECT",
        "hoodie.logfile.data.block.format": "avro",
        "hoodie.upsert.shuffle.parallelism": "2",
        "hoodie.delete.shuffle.parallelism": "2",
        # One file per task: Hudi's own limit of 120 MB would close a file a little before its 3M rows.
        "hoodie.parquet.max.file.size": str(1 << 30),
        "hoodie.parquet.block.size": str(1 << 30),
        **more,
    }
    t0 = time.time()
    df.write.format("hudi").options(**options).mode(mode).save(path)
    print(f"{os.path.basename(path)}: {operation} {time.time() - t0:.0f} s", flush=True)


def share(r, percent, step, near):
    """The condition for some percent of the rows in a step of a round: here and there, or a stretch of each file, whose number of rows near is."""
    if near:
        first = 20 * r + 6 * step
        return f"id % {near} * 100 div {near} between {first} and {first + percent - 1}"
    return f"pmod(xxhash64(id, {1000 * (1 + step) + r}), {100 // percent}) = 0"


def rounds(data, path, count, near):
    """Updates and deletes rows of a table, count times."""
    for r in range(1, count + 1):
        late = "pmod(xxhash64(id, 99), 10) = 0"
        changed = (
            data.where(share(r, 5, 0, near))
            .selectExpr(
                "*",
                f"cast(l_quantity + {r} as decimal(15,2)) as q",
                f"date_add(l_receiptdate, case when {late} then -{r} else {r} end) as d",
                f"concat('round {r} ', substr(l_comment, 1, 30)) as c",
            )
            .drop("l_quantity", "l_receiptdate", "l_comment")
            .withColumnsRenamed({"q": "l_quantity", "d": "l_receiptdate", "c": "l_comment"})
            .select(*data.columns)
            .drop("id")
        )
        write(changed, path, "MERGE_ON_READ", "upsert")
        write(data.where(share(r, 1, 1, near)).drop("id"), path, "MERGE_ON_READ", "delete")


def sort(table, to):
    """Makes the sorted form of a table with logs, by the converter of the test data."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "testdata", "gen"))
    from nativelogs.convert import Options, convert

    shutil.rmtree(to, ignore_errors=True)
    convert(table, to, Options(lsm=True, group_rows=1 << 20))


def rewrite(spark, table):
    """Writes the Parquet files of a table anew by the writer that Hudi has, footers kept: pyarrow, which the converter
    uses, makes larger pages and dictionaries that do not pay."""
    hadoop, parquet = spark._jvm.org.apache.hadoop.fs, spark._jvm.org.apache.parquet.hadoop
    conf = spark._jsc.hadoopConfiguration()
    spark.conf.set("spark.sql.files.maxPartitionBytes", str(1 << 40))
    spark.conf.set("spark.sql.parquet.writeLegacyFormat", "true")  # decimals as Hudi has them
    for path in sorted(glob.glob(f"{table}/*.parquet")):
        footer = {k.decode(): v.decode() for k, v in (pq.read_metadata(path).metadata or {}).items() if k != b"ARROW:schema"}
        options = {"compression": "gzip", "parquet.block.size": str(1 << 30)}
        spark.read.parquet(path).coalesce(1).write.options(**options).parquet(path + ".new")
        (part,) = glob.glob(f"{path}.new/part-*")
        schema = parquet.ParquetFileReader.readFooter(conf, hadoop.Path(part)).getFileMetaData().getSchema()
        whole = parquet.ParquetFileWriter(conf, schema, hadoop.Path(part + ".whole"))
        whole.start()
        whole.appendFile(conf, hadoop.Path(part))
        whole.end(footer)
        os.replace(part + ".whole", path)
        shutil.rmtree(path + ".new")


def main():
    a = arguments()
    a.out = os.path.abspath(a.out)
    os.makedirs(a.out, exist_ok=True)
    spark = session(a)
    files = max(1, -(-a.rows // 3_000_000))
    data = lineitem(spark, a.rows, files)
    bulk = {"hoodie.bulkinsert.shuffle.parallelism": str(files), "hoodie.bulkinsert.sort.mode": "NONE"}
    for name in a.tables.split(","):
        sorted_layout = name in ("lsm", "near")
        path = os.path.join(a.out, "_inline" if sorted_layout else name)
        shutil.rmtree(path, ignore_errors=True)
        kind = "MERGE_ON_READ" if ROUNDS[name] else "COPY_ON_WRITE"
        write(data.drop("id"), path, kind, "bulk_insert", "overwrite", **bulk)
        rounds(data, path, ROUNDS[name], a.rows // files if name == "near" else 0)
        if sorted_layout:
            sort(path, os.path.join(a.out, name))
            rewrite(spark, os.path.join(a.out, name))
            shutil.rmtree(path)
    spark.stop()
    shutil.rmtree(os.path.join(a.out, "_local"), ignore_errors=True)


if __name__ == "__main__":
    main()
