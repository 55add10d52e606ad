"""Tables: what they are, and scans of them."""

from __future__ import annotations

import datetime
import enum
import operator
import os
import urllib.parse
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

from . import _arrow, _html
from ._filter import Condition, Filter, quote_name, quote_text
from ._scan import Partition, Result, Scan, Spec
from ._session import Session
from .options import DatabaseOptions, StatementOptions, by_name

if TYPE_CHECKING:
    import polars

#: A time: an instant (``"20240102030405678"``), an RFC 3339 time, a date, milliseconds since 1970; or Python's own.
Time = Union[str, int, datetime.datetime, datetime.date]


class Table:
    """A Hudi table.

    Parameters
    ----------
    path
        Where it lies: a path or ``hudi+s3://bucket/path``.
    storage_options
        Options of the object store, e.g. ``{"aws_region": "eu-west-1"}``.
    read_options
        Hudi's own read options, e.g. ``{"hoodie.datasource.merge.type": "skip_merge"}``.
    threads
        How many files are decoded at once; all cores if not given.
    memory_limit
        How many bytes the merging of logs may take before it goes to disk.
    options
        Further options of the database, see :class:`DatabaseOptions`.

    Examples
    --------
    >>> trips = Table("/lake/trips")
    >>> trips.scan(columns=["city", "fare"], filter="fare > 20", as_of="2025-03-01").to_pandas()
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        storage_options: Mapping[str, str] | None = None,
        read_options: Mapping[str, str] | None = None,
        threads: int | None = None,
        memory_limit: int | None = None,
        options: Mapping[str | enum.Enum, str] | None = None,
    ) -> None:
        self.path = _absolute(os.fsdecode(path))
        every = by_name(options)
        every["uri"] = self.path
        for key, value in (storage_options or {}).items():
            every[DatabaseOptions.STORAGE.value + key] = value
        for key, value in (read_options or {}).items():
            every[DatabaseOptions.READ.value + key] = value
        if threads is not None:
            every[DatabaseOptions.THREADS.value] = str(threads)
        if memory_limit is not None:
            every[DatabaseOptions.MEMORY_LIMIT.value] = str(memory_limit)
        self._session = Session(every)
        self._name: str | None = None

    @property
    def name(self) -> str:
        """The table's name in SQL."""
        if self._name is None:
            found = self._session.tables()
            if len(found) != 1:
                raise ValueError(f"{self.path} has {len(found)} tables: open one of them, or use tables()")
            self._name = found[0]
        return self._name

    def schema(self, *, as_of: Time | None = None, meta: bool = False) -> _arrow.Schema:
        """The columns; with meta, Hudi's own before them."""
        return self.scan(as_of=as_of, meta=meta).schema()

    def scan(
        self,
        columns: Sequence[str] | None = None,
        filter: Filter | None = None,
        *,
        as_of: Time | None = None,
        limit: int | None = None,
        read_optimized: bool = False,
        meta: bool = False,
        batch_size: int | None = None,
    ) -> Scan:
        """Rows of the table. Nothing is read before they are asked for.

        Parameters
        ----------
        columns
            The columns wanted, in order; all of the table's own if not given.
        filter
            Which rows: SQL text (``"fare > 20 AND city IN ('osaka')"``), a pyarrow expression
            (``pyarrow.compute.field("fare") > 20``), or a serialized Substrait extended expression. It prunes
            partitions, files, row groups and pages, and holds for every row that comes out.
        as_of
            The time to read at; the latest if not given.
        limit
            The most rows.
        read_optimized
            Only the rows of base files, without the logs.
        meta
            Also Hudi's ``_hoodie_`` columns, in front.
        batch_size
            The most rows of a batch.
        """
        options: dict[str, str] = {}
        if as_of is not None:
            options[StatementOptions.AS_OF.value] = _time(as_of)
        if read_optimized:
            options[StatementOptions.QUERY_TYPE.value] = "read_optimized"
        return self._scan(columns, filter, limit, meta, batch_size, options)

    def changes(
        self,
        begin: Time | None = None,
        end: Time | None = None,
        *,
        columns: Sequence[str] | None = None,
        filter: Filter | None = None,
        limit: int | None = None,
        deletes: bool = True,
        images: bool = False,
        meta: bool = False,
        batch_size: int | None = None,
    ) -> Scan:
        """Rows that were written after begin and up to end.

        Parameters
        ----------
        begin, end
            Times, of which begin is excluded; everything up to now if not given.
        columns, filter, limit, meta, batch_size
            As in :meth:`scan`. With images, the filter sees the columns of a change: ``op = 'u' AND after.fare > 20``.
        deletes
            Also the rows that were deleted, as they were at begin; the column ``_hoodie_operation`` says I, U or D.
        images
            Changes with the rows before and after (Hudi's CDC query): the columns ``op``, ``ts_ms``, ``before``, ``after``.
        """
        options = {StatementOptions.QUERY_TYPE.value: "cdc" if images else "incremental"}
        options[StatementOptions.BEGIN.value] = "earliest" if begin is None else _time(begin)
        if end is not None:
            options[StatementOptions.END.value] = _time(end)
        if deletes and not images:
            options[StatementOptions.DELETES.value] = "true"
        return self._scan(columns, filter, limit, meta, batch_size, options)

    def _scan(
        self,
        columns: Sequence[str] | None,
        filter: Filter | None,
        limit: int | None,
        meta: bool,
        batch_size: int | None,
        options: dict[str, str],
    ) -> Scan:
        if isinstance(columns, str):
            raise TypeError(f"columns is a list of names: [{columns!r}]")
        wanted = None if columns is None else tuple(columns)
        if wanted is not None and not all(isinstance(c, str) for c in wanted):
            raise TypeError(f"columns are names, not {wanted!r}")
        if wanted == ():
            raise ValueError("no columns are wanted: name one at least, or ask for count()")
        if limit is not None:
            limit = _number("limit", limit)
        if batch_size is not None:
            options[StatementOptions.BATCH_SIZE.value] = str(_number("batch_size", batch_size))
        if meta:
            options[StatementOptions.META.value] = "true"
        table = quote_name(self.name)
        every = {**options, StatementOptions.META.value: "true"}  # a condition may be on Hudi's own columns
        everything = Scan(self._session, Spec(table, None, Condition(), None, every))
        condition = Condition.of(filter, lambda: everything.schema().to_arrow())
        return Scan(self._session, Spec(table, wanted, condition, limit, options))

    def partitions(self, columns: Sequence[str] | None = None, filter: Filter | None = None) -> list[Partition]:
        """The table in parts that other processes can read: ``scan(columns, filter).partitions()``."""
        return self.scan(columns, filter).partitions()

    def count(self, filter: Filter | None = None) -> int:
        """The number of rows, or of those for which a condition holds."""
        return self.scan(filter=filter).count()

    def sql(self, statement: str) -> Result:
        """The rows of any SQL statement that reads; the table goes by its :attr:`name`."""
        return Result(self._session, statement)

    def timeline(self, *, archived: bool = False) -> Result:
        """The instants of the table, oldest first: ``instant``, ``action``, ``state``, ``completion``, ``time``."""
        return self._about("hudi_timeline", ", archived := true" if archived else "")

    def files(self, *, as_of: Time | None = None, filter: str | None = None) -> Result:
        """The file slices that a scan reads; filter (SQL text) leaves out those that it prunes."""
        return self._about("hudi_files", _named(as_of, filter))

    def partition_paths(self, *, as_of: Time | None = None, filter: str | None = None) -> Result:
        """The partitions with their numbers of files and bytes."""
        return self._about("hudi_partitions", _named(as_of, filter))

    def properties(self) -> dict[str, str]:
        """The table's configuration, ``hoodie.properties``."""
        return {r["key"]: r["value"] for r in self._about("hudi_properties").to_pylist()}

    def plan(self, filter: str | None = None, *, as_of: Time | None = None) -> Result:
        """What a condition (SQL text) leaves out at each level, and by what."""
        return self._about("hudi_plan", _named(as_of, filter))

    def _about(self, function: str, named: str = "") -> Result:
        return Result(self._session, f"SELECT * FROM {function}({quote_text(_storage(self.path))}{named})")

    def scan_polars(self, *, as_of: Time | None = None, read_optimized: bool = False) -> polars.LazyFrame:
        """The table as a lazy frame of polars, which hands down columns, conditions and the number of rows."""
        from ._polars import lazy

        return lazy(self, as_of=as_of, read_optimized=read_optimized)

    def __arrow_c_schema__(self) -> Any:
        """The columns as a PyCapsule."""
        return self.scan().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """All rows as a PyCapsule."""
        return self.scan().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"Table({self.path!r})"

    def _repr_html_(self) -> str:
        properties = self.properties()
        shown = ["type", "version", "recordkey.fields", "partition.fields", "ordering.fields"]
        facts = [(k, properties[f"hoodie.table.{k}"]) for k in shown if properties.get(f"hoodie.table.{k}")]
        about = _html.table(["", ""], [("path", self.path), *facts], self.name)
        return about + self.schema()._repr_html_()


def tables(path: str | os.PathLike[str], **options: Any) -> dict[str, Table]:
    """The tables in a folder, by name.

    Parameters
    ----------
    path
        The folder, or a table.
    options
        Those of :class:`Table`.
    """
    folder = Table(path, **options)
    rows = Result(folder._session, f"SELECT * FROM hudi_tables({quote_text(_storage(folder.path))})").to_pylist()
    return {r["name"]: Table(r["path"], **options) for r in rows}


_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def _time(t: Time) -> str:
    if isinstance(t, datetime.datetime) and t == t:  # pandas' NaT is not
        # pandas' is one too, but takes local time for UTC.
        moment: datetime.datetime = t.to_pydatetime(warn=False) if hasattr(t, "to_pydatetime") else t
        # A time without a zone is local time, as in Hudi's own options.
        return (moment if moment.tzinfo else moment.astimezone()).isoformat()
    if isinstance(t, int) and not isinstance(t, bool):
        # Instants have 14 or 17 digits.
        return str(t) if t >= 10**13 else (_EPOCH + datetime.timedelta(milliseconds=t)).isoformat()
    if isinstance(t, str) and t.strip():
        return t
    if isinstance(t, datetime.date) and t == t:
        return t.isoformat()
    raise TypeError(f"a time is an instant, a date, a datetime or milliseconds since 1970, not {t!r}")


def _number(what: str, n: int) -> int:
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise TypeError(f"{what} is a whole number, not {n!r}")
    n = operator.index(n)
    if not 0 <= n < 1 << 63:
        raise ValueError(f"{what} {n} is below 0 or above 2^63")
    return n


def _absolute(path: str) -> str:
    """A path that means the same table in another folder, and in another process; URIs as they are."""
    return path if not path or "://" in path or path.startswith(("file:", "hudi:")) else os.path.abspath(path)


def _storage(path: str) -> str:
    """What SQL functions take: the driver's own URIs as those of the storage."""
    if not path.startswith(("hudi:", "hudi+")):
        return path
    path = path.partition("?")[0]
    if path.startswith("hudi+"):
        return path[len("hudi+") :]
    path = path[len("hudi:") :]
    return urllib.parse.unquote(path[2:] if path.startswith("//") else path)


def _named(as_of: Time | None, filter: str | None) -> str:
    if filter is not None and not isinstance(filter, str):
        raise TypeError(f"this filter is SQL text, not {type(filter).__name__}: {filter!r}")
    text = "" if as_of is None else f", as_of := {quote_text(_time(as_of))}"
    return text if filter is None else text + f", filter := {quote_text(filter)}"
