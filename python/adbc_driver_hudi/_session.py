"""Databases, statements and the streams that they give."""

from __future__ import annotations

import copyreg
import functools
import os
from typing import TYPE_CHECKING, Any, Callable, Mapping

import adbc_driver_manager as manager

from . import _arrow
from ._interrupt import interruptible
from ._warnings import Place, Source, found_by, tell, watch
from .options import StatementOptions

if TYPE_CHECKING:
    import pyarrow

Prepare = Callable[[manager.AdbcStatement], None]


class Running:
    """A statement that runs. Its stream may be given away, and lives on when the rest is closed."""

    place: Place | None = None  # what warnings are about, if not whoever reads

    def __init__(self, database: manager.AdbcDatabase, prepare: Prepare) -> None:
        self._database = database  # lives as long
        self._connection = manager.AdbcConnection(database)
        try:
            self.statement = manager.AdbcStatement(self._connection)
            try:
                prepare(self.statement)
                self.handle, _ = interruptible(self.statement.execute_query, self.statement.cancel)
            except BaseException:
                self.statement.close()
                raise
        except BaseException:
            self._connection.close()
            raise

    def reader(self) -> pyarrow.RecordBatchReader:
        """Gives the stream away, to a reader whose errors are those of ADBC; only Python can use it."""
        try:
            import pyarrow  # noqa: F401
        except ImportError as e:
            raise ImportError("this needs pyarrow: pip install pyarrow") from e
        from adbc_driver_manager._reader import AdbcRecordBatchReader

        return AdbcRecordBatchReader._import_from_c(self.handle.address)

    def give(self) -> Any:
        """Gives the stream away, as a PyCapsule. All else is closed when it is released."""
        try:
            capsule = self.handle.__arrow_c_stream__()
        except BaseException:
            self.close()
            raise
        watch.add(self, self.place or Place.here())
        return capsule

    def cancel(self) -> None:
        """Stops the statement and its stream, from any thread."""
        self.statement.cancel()

    def _source(self) -> Source:
        return self.statement

    def findings(self) -> list[dict[str, Any]]:
        """What was left out so far."""
        return found_by(self._source())

    def open_streams(self) -> int:
        """How many streams are not released."""
        return int(self._source().get_option(StatementOptions.STREAMS.value))

    def close(self) -> None:
        """Closes the statement; a stream that was not given away is released."""
        self.handle.release()
        self.detach()

    def detach(self) -> None:
        """Closes all but the stream."""
        self.statement.close()
        self._connection.close()

    def __enter__(self) -> Running:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # Who stops to read is told as well; an error has more to say than a warning.
        wanted = kind is None or kind is GeneratorExit
        try:
            findings = self.findings() if wanted else []
        finally:
            self.close()
        tell(findings, self.place)


class Session:
    """The database of a table or a folder, with what all its statements have in common."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.options = dict(options)
        self.database = open_database(tuple(sorted(self.options.items())), os.getpid())

    def __reduce__(self) -> tuple[Any, ...]:
        return Session, (self.options,)

    def run(self, prepare: Prepare) -> Running:
        """Starts a statement, on a connection of its own."""
        return Running(self.database, prepare)

    def ask(self, prepare: Prepare, question: Callable[[manager.AdbcStatement], Any]) -> Any:
        """Asks a statement something other than its rows."""
        with manager.AdbcConnection(self.database) as connection, manager.AdbcStatement(connection) as statement:
            prepare(statement)
            answer = interruptible(lambda: question(statement), statement.cancel)
            findings = found_by(statement)
        tell(findings)
        return answer

    def tables(self) -> list[str]:
        """The names of the tables."""
        with manager.AdbcConnection(self.database) as connection:
            handle = connection.get_objects(manager.GetObjectsDepth.TABLES)
            try:
                fields = _arrow.read_schema(handle.__arrow_c_schema__())
                batches = _arrow.iter_batches(handle.address, fields)
                schemas = [s for columns in batches for of_catalog in columns[1] for s in of_catalog or []]
            finally:
                handle.release()
        return [t["table_name"] for s in schemas for t in s["db_schema_tables"] or []]


def _error(kind: type[manager.Error], message: str, facts: dict[str, Any]) -> manager.Error:
    return kind(message, **facts)


def _reduce_error(e: manager.Error) -> tuple[Any, ...]:
    facts = {k: getattr(e, k) for k in ("status_code", "vendor_code", "sqlstate", "details")}
    return _error, (type(e), str(e.args[0]), facts)


def _pickle_errors(kind: type[manager.Error]) -> None:
    """Lets errors reach other processes: those of the manager can't be unpickled, and a pool waits for them for ever."""
    copyreg.pickle(kind, _reduce_error)
    for below in kind.__subclasses__():
        _pickle_errors(below)


_pickle_errors(manager.Error)


@functools.lru_cache(maxsize=64)
def open_database(options: tuple[tuple[str, str], ...], pid: int) -> manager.AdbcDatabase:
    """Opens a database; the same options in the same process give the same one."""
    import adbc_driver_hudi

    return adbc_driver_hudi.connect(db_kwargs=dict(options))
