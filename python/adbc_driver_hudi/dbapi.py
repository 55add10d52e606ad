"""The DB-API 2.0 interface (PEP 249), by ``adbc_driver_manager.dbapi``.

    with adbc_driver_hudi.dbapi.connect("/lake/trips") as conn, conn.cursor() as cur:
        cur.execute("SELECT city, count(*) FROM trips GROUP BY city")
        cur.fetchall()

``pandas.read_sql`` and ``polars.read_database`` take such a connection.
"""

from __future__ import annotations

import enum
import os
from typing import Any, Callable, Mapping, TypeVar, cast

import adbc_driver_manager.dbapi
from adbc_driver_manager.dbapi import (
    BINARY,
    DATETIME,
    NUMBER,
    ROWID,
    STRING,
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

from ._warnings import Source, found_by, tell
from .options import by_name

__all__ = [
    "BINARY", "DATETIME", "NUMBER", "ROWID", "STRING", "Connection", "Cursor", "DataError", "DatabaseError",
    "Date", "DateFromTicks", "Error", "IntegrityError", "InterfaceError", "InternalError", "NotSupportedError",
    "OperationalError", "ProgrammingError", "Time", "TimeFromTicks", "Timestamp", "TimestampFromTicks", "Warning",
    "apilevel", "connect", "paramstyle", "threadsafety",
]  # fmt: skip


T = TypeVar("T")


class Cursor(adbc_driver_manager.dbapi.Cursor):
    """A cursor that warns (:class:`adbc_driver_hudi.HudiWarning`) of what a statement left out, when its rows are at their end."""

    # Cursors are made by the manager, and are of this class then: these stand for what __init__ would set.
    _source: Source | None = None
    _told = 0

    def _tell(self) -> None:
        """Warns of what is new."""
        if self._source is None:
            return
        findings = found_by(self._source)
        new, self._told = findings[self._told :], len(findings)
        tell(new)

    def _begin(self, source: Callable[[], Source], run: Callable[[], T]) -> T:
        self._tell()
        self._source = None
        value = run()
        self._source, self._told = source(), 0
        return value

    def execute(self, operation: bytes | str, parameters: Any = None) -> Cursor:
        return self._begin(lambda: self.adbc_statement, lambda: super(Cursor, self).execute(operation, parameters))

    def executemany(self, operation: bytes | str, seq_of_parameters: Any) -> None:
        self._begin(lambda: self.adbc_statement, lambda: super(Cursor, self).executemany(operation, seq_of_parameters))
        self._tell()

    def executescript(self, operation: str) -> None:
        self._begin(lambda: self.adbc_statement, lambda: super(Cursor, self).executescript(operation))
        self._tell()

    def adbc_execute_partitions(self, operation: Any, parameters: Any = None) -> Any:
        parts = self._begin(lambda: self.adbc_statement, lambda: super(Cursor, self).adbc_execute_partitions(operation, parameters))
        self._tell()
        return parts

    def adbc_read_partition(self, partition: bytes) -> None:
        self._begin(lambda: self.connection.adbc_connection, lambda: super(Cursor, self).adbc_read_partition(partition))

    def fetchone(self) -> tuple[Any, ...] | None:
        row = super().fetchone()
        if row is None:
            self._tell()
        return row

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        rows = super().fetchmany(size)
        if len(rows) < (self.arraysize if size is None else size):
            self._tell()
        return rows

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self._ended(super().fetchall())

    def fetch_arrow_table(self) -> Any:
        return self._ended(super().fetch_arrow_table())

    def fetch_df(self) -> Any:
        return self._ended(super().fetch_df())

    def fetch_polars(self) -> Any:
        return self._ended(super().fetch_polars())

    def _ended(self, rows: T) -> T:
        self._tell()
        return rows

    def close(self) -> None:
        # By now those who got the stream itself (fetch_record_batch, fetch_arrow) have read it.
        try:
            self._tell()
        except Error:  # in a forked child closing works, and nothing else
            pass
        finally:
            self._source = None
            super().close()


class Connection(adbc_driver_manager.dbapi.Connection):
    """A connection whose cursors warn."""

    def cursor(self, *, adbc_stmt_kwargs: Mapping[str, Any] | None = None) -> Cursor:
        cursor = super().cursor(adbc_stmt_kwargs=adbc_stmt_kwargs)
        cursor.__class__ = Cursor
        return cast(Cursor, cursor)

    def adbc_clone(self) -> Connection:
        clone = super().adbc_clone()
        clone.__class__ = Connection
        return cast(Connection, clone)


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
