"""Dask reads a Hudi table: each of its processes reads some of the table's partitions.

    pip install adbc-driver-hudi[pandas] dask[dataframe]
    python with_dask.py PATH
"""

import sys

import dask
import dask.dataframe as dd
import pandas as pd

from adbc_driver_hudi import Partition, Table


def main(path: str) -> None:
    scan = Table(path).scan(columns=["city", "distance_km"], filter="fare > 20")

    # What is sent to the processes is some bytes for each partition; they open its files by themselves.
    frame = dd.from_map(Partition.to_pandas, scan.partitions())
    with dask.config.set(scheduler="processes"):
        distances = frame.groupby("city")["distance_km"].sum().compute().sort_index()
    print(distances)

    alone = scan.to_pandas().groupby("city")["distance_km"].sum().sort_index()
    pd.testing.assert_series_equal(distances, alone, check_dtype=False, check_index_type=False)
    print("the same as one scan of this process")


if __name__ == "__main__":
    main(sys.argv[1])
