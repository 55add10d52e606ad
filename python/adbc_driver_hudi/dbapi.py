"""The DB-API 2.0 interface (PEP 249), by ``adbc_driver_manager.dbapi``.

    with adbc_driver_hudi.dbapi.connect("/lake/trips") as conn, conn.cursor() as cur:
        cur.execute("SELECT city, count(*) FROM trips GROUP BY city")
        cur.fetchall()

``pandas.read_sql`` and ``polars.read_database`` take such a connection.
"""

from __future__ import annotations

import enum
import os
from typing import Mapping

import adbc_driver_manager.dbapi
from adbc_driver_manager.dbapi import (
    BINARY,
    DATETIME,
    NUMBER,
    ROWID,
    STRING,
    Connection,
    Cursor,
    DatabaseError,
    DataError,
    Date,
    DateFromTicks,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
    Warning,
    apilevel,
    paramstyle,
    threadsafety,
)

import adbc_driver_hudi

from .options import by_name

__all__ = [
    "BINARY", "DATETIME", "NUMBER", "ROWID", "STRING", "Connection", "Cursor", "DataError", "DatabaseError",
    "Date", "DateFromTicks", "Error", "IntegrityError", "InterfaceError", "InternalError", "NotSupportedError",
    "OperationalError", "ProgrammingError", "Time", "TimeFromTicks", "Timestamp", "TimestampFromTicks", "Warning",
    "apilevel", "connect", "paramstyle", "threadsafety",
]  # fmt: skip


def connect(
    uri: str | os.PathLike[str] | None = None,
    db_kwargs: Mapping[str | enum.Enum, str] | None = None,
    conn_kwargs: Mapping[str | enum.Enum, str] | None = None,
    *,
    autocommit: bool = True,
) -> Connection:
    """Connects to a table, or to a folder of tables.

    Parameters
    ----------
    uri
        A path, ``hudi:///path`` or ``hudi+s3://bucket/path``.
    db_kwargs
        Options of the database, see :class:`adbc_driver_hudi.DatabaseOptions`.
    conn_kwargs
        Options of the connection, see :class:`adbc_driver_hudi.ConnectionOptions`.
    autocommit
        There are no transactions, as nothing is ever written; only true is possible without a warning.
    """
    db = adbc_driver_hudi.connect(uri, db_kwargs)
    conn = None
    try:
        options = by_name(conn_kwargs)
        conn = adbc_driver_manager.AdbcConnection(db, **options)
        return Connection(db, conn, conn_kwargs=options, autocommit=autocommit)
    except Exception:
        if conn is not None:
            conn.close()
        db.close()
        raise
