"""The driver's options by name. All values are text.

A connection takes over what its database is set to, and a statement what its connection is set to.
"""

from __future__ import annotations

import enum
from typing import Mapping

__all__ = ["ConnectionOptions", "DatabaseOptions", "StatementOptions", "by_name"]


def by_name(options: Mapping[str | enum.Enum, str] | None) -> dict[str, str]:
    """Options under their names; members of the enumerations below stand for theirs."""
    return {k.value if isinstance(k, enum.Enum) else k: v for k, v in (options or {}).items()}


class DatabaseOptions(enum.Enum):
    """Options of a database."""

    #: A prefix: Hudi's own read options follow it, as in ``adbc.hudi.option.hoodie.bootstrap.base.path``.
    READ = "adbc.hudi.option."
    #: A prefix: options of the storage follow it.
    STORAGE = "adbc.hudi.storage."
    #: snapshot (the default), read_optimized, incremental or cdc.
    QUERY_TYPE = "adbc.hudi.query.type"
    #: Tables as they were at a time: an instant, an RFC 3339 time, or a date.
    AS_OF = "adbc.hudi.query.as_of"
    #: Incremental and CDC queries: changes after this time.
    BEGIN = "adbc.hudi.query.begin"
    #: Incremental and CDC queries: changes up to this time.
    END = "adbc.hudi.query.end"
    #: true for tables with the ``_hoodie_`` columns in front.
    META = "adbc.hudi.query.meta"
    #: true for incremental queries that also give deleted rows, and the column ``_hoodie_operation``.
    DELETES = "adbc.hudi.query.deletes"
    #: The most rows of a batch of plain scans.
    BATCH_SIZE = "adbc.hudi.scan.batch_size"
    #: How many threads; all cores if not set.
    THREADS = "adbc.hudi.scan.threads"
    #: How much memory, as 256MB or 2GiB, may be taken before data goes to disk.
    MEMORY_LIMIT = "adbc.hudi.scan.memory_limit"


class ConnectionOptions(enum.Enum):
    """Options of a connection."""

    QUERY_TYPE = DatabaseOptions.QUERY_TYPE.value
    AS_OF = DatabaseOptions.AS_OF.value
    BEGIN = DatabaseOptions.BEGIN.value
    END = DatabaseOptions.END.value
    META = DatabaseOptions.META.value
    DELETES = DatabaseOptions.DELETES.value
    BATCH_SIZE = DatabaseOptions.BATCH_SIZE.value
    THREADS = DatabaseOptions.THREADS.value
    MEMORY_LIMIT = DatabaseOptions.MEMORY_LIMIT.value


class StatementOptions(enum.Enum):
    """Options of a statement."""

    QUERY_TYPE = DatabaseOptions.QUERY_TYPE.value
    AS_OF = DatabaseOptions.AS_OF.value
    BEGIN = DatabaseOptions.BEGIN.value
    END = DatabaseOptions.END.value
    META = DatabaseOptions.META.value
    DELETES = DatabaseOptions.DELETES.value
    BATCH_SIZE = DatabaseOptions.BATCH_SIZE.value
    THREADS = DatabaseOptions.THREADS.value
    MEMORY_LIMIT = DatabaseOptions.MEMORY_LIMIT.value
    #: A further condition of plain scans, as bytes: a serialized Substrait extended expression.
    FILTER = "adbc.hudi.statement.filter"
    #: To get: what the latest execution has left out so far, a JSON array; see :class:`adbc_driver_hudi.HudiWarning`.
    WARNINGS = "adbc.hudi.exec.warnings"
    #: To get: how many streams of that execution are not released.
    STREAMS = "adbc.hudi.exec.streams"
