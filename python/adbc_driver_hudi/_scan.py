"""Results: what is asked of a table, and how its rows come out."""

from __future__ import annotations

import abc
import contextlib
import dataclasses
import itertools
import os
from typing import TYPE_CHECKING, Any, Generator, Iterator, Mapping

import adbc_driver_manager as manager

from . import _arrow, _html
from ._filter import Condition, quote_name
from ._interrupt import Interruptible, interruptible
from ._session import Running, Session, open_database
from ._warnings import Place, Source
from .options import StatementOptions

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars
    import pyarrow

_SHOWN = 10  # rows in a notebook


class Rows(abc.ABC):
    """Rows that can be read, again and again, in many forms.

    To any library that knows Arrow's PyCapsule interface this is a stream:
    ``pyarrow.table(rows)``, ``polars.DataFrame(rows)``, ``duckdb.sql("FROM rows")``.
    Ctrl-C stops reading.
    """

    @abc.abstractmethod
    def _run(self) -> Running:
        """Starts reading."""

    _place: Place | None = None  # what warnings are about, if not whoever reads

    def _reading(self) -> Running:
        running = self._run()
        running.place = self._place
        return running

    def schema(self) -> _arrow.Schema:
        """The columns, without reading rows."""
        capsule = self.__arrow_c_schema__()
        return _arrow.Schema(_arrow.read_schema(capsule), self.__arrow_c_schema__)

    def __arrow_c_schema__(self) -> Any:
        """The schema as a PyCapsule."""
        with self._reading() as running:
            return running.handle.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows as a PyCapsule; always in the table's own types, whatever is requested."""
        return self._reading().give()

    def reader(self) -> pyarrow.RecordBatchReader:
        """The rows as a ``pyarrow.RecordBatchReader``, which reads as it is asked."""
        import pyarrow

        return pyarrow.RecordBatchReader.from_stream(self)

    def __iter__(self) -> Iterator[pyarrow.RecordBatch]:
        """The rows in batches (``pyarrow.RecordBatch``)."""
        with self._reading() as running, Interruptible(running.cancel) as call:
            batches = iter(running.reader())
            while True:
                batch = call(lambda: next(batches, None))
                if batch is None:
                    return
                yield batch
                del batch  # its memory is of use for the next

    def to_arrow(self) -> pyarrow.Table:
        """All rows as a ``pyarrow.Table``."""
        with self._reading() as running:
            return interruptible(running.reader().read_all, running.cancel)

    def to_pandas(self, **options: Any) -> pandas.DataFrame:
        """All rows as a ``pandas.DataFrame``.

        Parameters
        ----------
        options
            Given to ``pyarrow.Table.to_pandas``, e.g. ``types_mapper``.
        """
        return self.to_arrow().to_pandas(**options)

    def to_polars(self) -> polars.DataFrame:
        """All rows as a ``polars.DataFrame``."""
        import polars

        try:
            import pyarrow  # noqa: F401
        except ImportError:
            with self._reading() as running:
                return polars.DataFrame(running.handle)
        # polars reads a stream in one go, during which Python hears no Ctrl-C.
        return polars.DataFrame(self.to_arrow())

    def to_duckdb(
        self, connection: duckdb.DuckDBPyConnection | None = None, name: str | None = None
    ) -> duckdb.DuckDBPyRelation:
        """The rows as a relation of DuckDB.

        Parameters
        ----------
        connection
            Where the relation lives; DuckDB's default connection if not given.
        name
            If given, a view of that name is made on a copy of the rows, which statements may use as often as they like.
            Otherwise the relation reads the stream when it is used, once.
        """
        import duckdb

        con = connection if connection is not None else duckdb.default_connection()
        if name is None:
            return con.from_arrow(self.reader())
        con.register(name, self.to_arrow())
        return con.table(name)

    def to_pylist(self) -> list[dict[str, Any]]:
        """All rows as dictionaries. Slow, but needs no other library."""
        return list(self._dicts())

    def _dicts(self) -> Generator[dict[str, Any], None, None]:
        with self._reading() as running, Interruptible(running.cancel) as call:
            fields = _arrow.read_schema(running.handle.__arrow_c_schema__())
            names = [f.name for f in fields]
            batches = _arrow.iter_batches(running.handle.address, fields)
            while True:
                columns = call(lambda: next(batches, None))
                if columns is None:
                    return
                for row in zip(*columns):
                    yield dict(zip(names, row))

    def count(self) -> int:
        """The number of rows."""
        with self._reading() as running:
            return interruptible(lambda: _arrow.count_rows(running.handle.address), running.cancel)

    def _repr_html_(self) -> str:
        rows = self._first(_SHOWN + 1)
        names = list(rows[0]) if rows else self.schema().names
        note = f"the first {_SHOWN} rows" if len(rows) > _SHOWN else ""
        return _html.table(names, [list(r.values()) for r in rows[:_SHOWN]], note)

    def _first(self, n: int) -> list[dict[str, Any]]:
        with contextlib.closing(self._dicts()) as rows:
            return list(itertools.islice(rows, n))


class Result(Rows):
    """The rows of an SQL statement, which runs whenever they are read."""

    def __init__(self, session: Session, sql: str) -> None:
        self._session = session
        self._sql = sql

    def _prepare(self, statement: manager.AdbcStatement) -> None:
        statement.set_sql_query(self._sql)

    def _run(self) -> Running:
        return self._session.run(self._prepare)

    def __arrow_c_schema__(self) -> Any:
        """The schema as a PyCapsule; nothing is read."""
        return self._session.ask(self._prepare, lambda s: s.execute_schema()).__arrow_c_schema__()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._sql}>"


@dataclasses.dataclass(frozen=True)
class Spec:
    """What a scan reads."""

    table: str  # as SQL names it
    columns: tuple[str, ...] | None
    condition: Condition
    limit: int | None
    options: Mapping[str, str]  # of the statement

    def sql(self, select: str | None = None) -> str:
        """The statement, or another one of the same rows."""
        if select is None:
            select = "*" if self.columns is None else ", ".join(map(quote_name, self.columns))
        text = f"SELECT {select} FROM {self.table}"
        if self.condition.sql is not None:
            # In its own brackets and lines: no LIMIT, UNION or comment in it reaches beyond.
            text += f" WHERE ({self.condition.sql}\n)"
        if self.limit is not None:
            text += f" LIMIT {self.limit}"
        return text


class Scan(Result):
    """Some columns and rows of a table, read by the scan itself; see :meth:`Table.scan`."""

    def __init__(self, session: Session, spec: Spec) -> None:
        super().__init__(session, spec.sql())
        self._spec = spec

    def _prepare(self, statement: manager.AdbcStatement) -> None:
        options: dict[str, Any] = dict(self._spec.options)
        if self._spec.condition.substrait is not None:
            options[StatementOptions.FILTER.value] = self._spec.condition.substrait
        if options:
            statement.set_options(**options)
        statement.set_sql_query(self._sql)

    def partitions(self) -> list[Partition]:
        """The rows in parts that other processes, or other machines that see the same storage, can read.

        Each partition can be pickled, and reads the instant that is the latest
        now, whenever it is read. A scan with a limit has one partition.
        """
        parts, schema, _ = self._session.ask(self._prepare, lambda s: s.execute_partitions())
        if schema is not None:
            schema.release()
        options = tuple(sorted(self._session.options.items()))
        return [Partition(bytes(p), options) for p in parts]

    def count(self) -> int:
        """The number of rows."""
        spec = self._spec
        if spec.limit is None and spec.condition.substrait is None and not spec.options:
            ((n,),) = (r.values() for r in Result(self._session, spec.sql("count(*) AS n")).to_pylist())
            return int(n)
        return super().count()

    def _first(self, n: int) -> list[dict[str, Any]]:
        limit = n if self._spec.limit is None else min(n, self._spec.limit)
        few = dataclasses.replace(self._spec, limit=limit)
        return Scan(self._session, few).to_pylist()


@dataclasses.dataclass(frozen=True)
class Partition(Rows):
    """A part of a scan, which any process can read: see :meth:`Scan.partitions`. It can be pickled."""

    #: What the driver needs to know; opaque.
    descriptor: bytes
    #: The options of the database that it is read through.
    options: tuple[tuple[str, str], ...] = ()

    def _run(self) -> Running:
        return _ReadPartition(open_database(self.options, os.getpid()), self.descriptor)

    def __repr__(self) -> str:
        return f"<Partition of {dict(self.options).get('uri')}, {len(self.descriptor)} bytes>"


class _ReadPartition(Running):
    """The reading of a partition, which has a connection but no statement."""

    def __init__(self, database: manager.AdbcDatabase, descriptor: bytes) -> None:
        self._database = database
        self._connection = manager.AdbcConnection(database)
        try:
            self.handle = interruptible(lambda: self._connection.read_partition(descriptor), self._connection.cancel)
        except BaseException:
            self._connection.close()
            raise

    def cancel(self) -> None:
        self._connection.cancel()

    def _source(self) -> Source:
        return self._connection

    def detach(self) -> None:
        self._connection.close()
