"""What one run of the generator is set to. One process serves one Hudi version: bundles cannot share a JVM."""

import os
import subprocess

# Hudi release -> version of the tables that it writes.
TABLE_VERSION = {"0.15.0": 6, "1.0.2": 8, "1.1.1": 9, "1.2.0": 9}

BUNDLE = "org.apache.hudi:hudi-spark3.5-bundle_2.12"

hudi = ""  # Hudi release
version = 0  # table version
v1x = False  # Hudi 1.x: version 8 and later
seed = 1
lite = False  # fewer time-travel and incremental queries
out = ""  # where the finished tables go
work = ""  # scratch: tables while they are written
sources = ""  # source files of bootstrap tables, whose path such a table records
scratch = ""
spark = None


def configure(args):
    """Takes the command line's settings and makes the scratch folders."""
    global hudi, version, v1x, seed, lite, out, work, sources, scratch
    hudi, seed, lite = args.hudi, args.seed, args.lite
    version = TABLE_VERSION[hudi]
    v1x = version >= 8
    out = os.path.abspath(args.out)
    scratch = os.environ.get("FIXTURE_BASE", os.path.join(os.path.expanduser("~"), ".cache", "hudi-fixtures"))
    work = os.path.join(scratch, "work", f"{os.path.basename(out)}-v{version}")
    sources = os.path.join(scratch, "bootstrap_src", os.path.basename(out), f"v{version}")
    os.makedirs(work, exist_ok=True)


def bundle(release):
    """The Hudi bundle in the local Maven repository, downloaded if it is not there."""
    group, artifact = BUNDLE.split(":")
    folder = os.path.expanduser(f"~/.m2/repository/{group.replace('.', '/')}/{artifact}/{release}")
    jar = f"{folder}/{artifact}-{release}.jar"
    if not os.path.exists(jar):
        get = ["mvn", "-q", "dependency:get", f"-Dartifact={BUNDLE}:{release}", "-Dtransitive=false"]
        subprocess.run(get, check=True)
    return jar


def fast_file_system():
    """Builds fastfs/ (see there why) and gives its jar, or None where there is no Java compiler."""
    import glob

    import pyspark

    jar = os.path.join(scratch, "fastfs.jar")
    if os.path.exists(jar):
        return jar
    here = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fastfs")
    api = glob.glob(os.path.join(os.path.dirname(pyspark.__file__), "jars", "hadoop-client-api*.jar"))[0]
    classes = os.path.join(scratch, "fastfs")
    os.makedirs(classes, exist_ok=True)
    try:
        subprocess.run(["javac", "-cp", api, "-d", classes, f"{here}/FastLocalFileSystem.java"], check=True)
        subprocess.run(["jar", "cf", jar, "-C", classes, "."], check=True)
    except (OSError, subprocess.CalledProcessError) as e:
        print("without the fast file system:", e)
        return None
    return jar


def start(memory, cores):
    """Starts the Spark session with the bundle of the configured release."""
    global spark
    from pyspark.sql import SparkSession

    b = SparkSession.builder.master(f"local[{cores}]").appName("hudigen")
    fast = fast_file_system()
    if fast:
        b = b.config("spark.hadoop.fs.file.impl", "FastLocalFileSystem").config("spark.driver.extraClassPath", fast)
    conf = {
        "spark.jars": bundle(hudi),
        "spark.driver.memory": memory,
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
        "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "1",
        "spark.default.parallelism": "1",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.parquet.compression.codec": "zstd",
        "spark.sql.warehouse.dir": os.path.join(work, "_warehouse"),
        "spark.local.dir": os.path.join(work, "_local"),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.driver.extraJavaOptions": "-Duser.timezone=UTC -XX:+UseParallelGC -XX:TieredStopAtLevel=1",
    }
    for k, v in conf.items():
        b = b.config(k, v)
    spark = b.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
