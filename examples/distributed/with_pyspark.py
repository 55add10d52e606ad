"""Spark reads a Hudi table without Hudi's bundle: its Python workers read the table's partitions.

    pip install adbc-driver-hudi[pandas] pyspark
    python with_pyspark.py PATH
"""

import os
import pickle
import sys
from typing import Iterable, Iterator

import pyarrow
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from adbc_driver_hudi import Scan, Table


def read(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Runs in the workers: from partitions to rows."""
    for batch in batches:
        for partition in batch["partition"].to_pylist():
            yield from pickle.loads(partition).reader()


def frame(spark: SparkSession, scan: Scan) -> DataFrame:
    """A scan as a data frame: one task for each partition."""
    partitions = [(pickle.dumps(p),) for p in scan.partitions()]
    tasks = spark.createDataFrame(partitions, "partition binary").repartition(max(len(partitions), 1))
    return tasks.mapInArrow(read, from_arrow_schema(scan.schema().to_arrow()))


def main(path: str) -> None:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers in the same environment
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    scan = Table(path).scan(columns=["city", "distance_km"], filter="fare > 20")
    rows = frame(spark, scan).groupBy("city").sum("distance_km").orderBy("city").collect()
    distances = {r["city"]: round(r["sum(distance_km)"], 6) for r in rows}
    print(distances)

    alone = scan.to_pandas().groupby("city")["distance_km"].sum().round(6).to_dict()
    assert distances == alone, alone
    print("the same as one scan of this process")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
