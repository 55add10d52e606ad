"""Lazy frames of polars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator

from ._filter import from_polars
from ._warnings import Place

if TYPE_CHECKING:
    import polars

    from ._scan import Scan
    from ._table import Table

_FLOATS = ("float16", "float", "double")


def lazy(table: Table, **how: Any) -> polars.LazyFrame:
    """A lazy frame whose scans are those of a table."""
    import polars
    from polars.io.plugins import register_io_source

    place = Place.here()  # polars reads in threads of its own
    schema = table.scan(**how).schema()
    floats = {f.name for f in schema if f.type in _FLOATS}

    def source(
        with_columns: list[str] | None, predicate: polars.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[polars.DataFrame]:
        sql = None if predicate is None else from_polars(predicate, floats)
        columns = None if with_columns is None else list(with_columns)
        if columns is not None and predicate is not None:
            columns += [c for c in predicate.meta.root_names() if c not in columns]
        # n_rows counts rows after the predicate, which is applied in full only here.
        limit = n_rows if predicate is None else None
        left = n_rows
        scan = table.scan(columns, sql, limit=limit, batch_size=batch_size, **how)
        scan._place = place
        for frame in _frames(scan):
            if predicate is not None:
                frame = frame.filter(predicate)
            if with_columns is not None:
                frame = frame.select(with_columns)
            if left is not None:
                frame = frame.head(left)
                left -= frame.height
            yield frame
            if left == 0:
                return

    return register_io_source(source, schema=polars.Schema(schema))


def _frames(scan: Scan) -> Iterator[polars.DataFrame]:
    """The rows in frames: one for each batch if there is pyarrow, else one."""
    import polars

    try:
        import pyarrow  # noqa: F401
    except ImportError:
        yield scan.to_polars()
        return
    for batch in scan:
        yield polars.DataFrame(batch)
