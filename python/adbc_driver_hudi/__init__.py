"""Apache Hudi tables in Python: an ADBC driver and a table API, without JVM or Spark.

    from adbc_driver_hudi import Table, dbapi

    Table("/lake/trips").scan(columns=["city", "fare"], filter="fare > 20").to_pandas()

    with dbapi.connect("/lake") as conn:
        pandas.read_sql("SELECT city, count(*) FROM trips GROUP BY city", conn)

Only ``adbc-driver-manager`` is needed; results speak Arrow's PyCapsule
interface, so pyarrow, polars, pandas, DuckDB and others take them as they are.

The driver runs in this process, with threads that a fork does not copy: start
processes by ``spawn`` or ``forkserver`` once it is in use. In a forked child
every call fails and says so.
"""

from __future__ import annotations

import enum
import json
import os
import platform
import sys
from typing import TYPE_CHECKING, Any, Mapping

import adbc_driver_manager

from ._scan import Partition, Result, Scan
from ._table import Table, tables
from ._version import __version__
from ._warnings import HudiWarning
from .options import ConnectionOptions, DatabaseOptions, StatementOptions, by_name

if TYPE_CHECKING:
    import polars

__all__ = [
    "ConnectionOptions",
    "DatabaseOptions",
    "HudiWarning",
    "Partition",
    "Result",
    "Scan",
    "StatementOptions",
    "Table",
    "__version__",
    "connect",
    "manifest",
    "scan_polars",
    "tables",
]


def connect(
    uri: str | os.PathLike[str] | None = None, db_kwargs: Mapping[str | enum.Enum, str] | None = None
) -> adbc_driver_manager.AdbcDatabase:
    """Opens the driver's database, for use by ``adbc_driver_manager``.

    Parameters
    ----------
    uri
        A table or a folder of tables: a path, ``hudi:///path`` or ``hudi+s3://bucket/path``.
    db_kwargs
        More options, see :class:`DatabaseOptions`.
    """
    options = by_name(db_kwargs)
    if uri is not None:
        options["uri"] = os.fspath(uri)
    return adbc_driver_manager.AdbcDatabase(driver=_driver_path(), entrypoint="AdbcDriverHudiInit", **options)


def scan_polars(path: str | os.PathLike[str], **options: Any) -> polars.LazyFrame:
    """A table as a lazy frame of polars, which hands down columns, conditions and the number of rows.

    Parameters
    ----------
    path
        The table.
    options
        Those of :meth:`Table.scan_polars` and of :class:`Table`.
    """
    how = {k: options.pop(k) for k in ("as_of", "read_optimized") if k in options}
    return Table(path, **options).scan_polars(**how)


def manifest(folder: str | os.PathLike[str] | None = None) -> str:
    """Writes the manifest by which ADBC's driver managers, of any language, find this driver under the name ``hudi``.

    Parameters
    ----------
    folder
        Where managers look: that of this Python environment (``etc/adbc/drivers`` in it) if not given.

    Returns
    -------
    str
        The path of the manifest.
    """
    folder = os.path.join(sys.prefix, "etc", "adbc", "drivers") if folder is None else os.fspath(folder)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "hudi.toml")
    arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    lines = [
        "manifest_version = 1",
        'name = "ADBC driver for Apache Hudi"',
        f'version = "{__version__}"',
        'publisher = "hudi-go"',
        'license = "Apache-2.0"',
        "[ADBC]",
        'version = "1.1.0"',
        "[Driver]",
        'entrypoint = "AdbcDriverHudiInit"',
        "[Driver.shared]",
        f"linux_{arch} = {json.dumps(_driver_path())}",
    ]
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    return path


def _driver_path() -> str:
    """Where the driver's library is."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "libadbc_driver_hudi.so")
