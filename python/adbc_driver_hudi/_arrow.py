"""Arrow's C data interface, read by ctypes.

Enough of it to show a table's metadata and a few rows where no Arrow library
is installed: schemas of any type, and the values of most.
"""

from __future__ import annotations

import ctypes
import datetime
import decimal
import errno
import struct
from typing import Any, Callable, Iterator

from adbc_driver_manager import AdbcStatusCode, OperationalError

__all__ = ["Field", "Schema", "count_rows", "iter_batches", "read_schema"]


class _CSchema(ctypes.Structure):
    pass


_CSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_CSchema))),
    ("dictionary", ctypes.POINTER(_CSchema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_CSchema))),
    ("private_data", ctypes.c_void_p),
]


class _CArray(ctypes.Structure):
    pass


_CArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_CArray))),
    ("dictionary", ctypes.POINTER(_CArray)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_CArray))),
    ("private_data", ctypes.c_void_p),
]


class _CStream(ctypes.Structure):
    pass


_CStream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_CStream), ctypes.POINTER(_CSchema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_CStream), ctypes.POINTER(_CArray))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_CStream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_CStream))),
    ("private_data", ctypes.c_void_p),
]

_NAMES = {
    "n": "null", "b": "bool", "c": "int8", "C": "uint8", "s": "int16", "S": "uint16", "i": "int32", "I": "uint32",
    "l": "int64", "L": "uint64", "e": "float16", "f": "float", "g": "double", "z": "binary", "Z": "large_binary",
    "u": "string", "U": "large_string", "vz": "binary_view", "vu": "string_view", "tdD": "date32", "tdm": "date64",
    "tts": "time32[s]", "ttm": "time32[ms]", "ttu": "time64[us]", "ttn": "time64[ns]",
    "tDs": "duration[s]", "tDm": "duration[ms]", "tDu": "duration[us]", "tDn": "duration[ns]",
}  # fmt: skip
_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}
_PER_SECOND = {"s": 1, "m": 1_000, "u": 1_000_000, "n": 1_000_000_000}
_FIXED = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "e": "e", "f": "f", "g": "d"}
_EPOCH = datetime.datetime(1970, 1, 1)


class Field:
    """A column of a schema, or a field of a nested type."""

    __slots__ = ("name", "format", "nullable", "children", "dictionary")

    def __init__(self, c: _CSchema) -> None:
        self.name: str = (c.name or b"").decode()
        self.format: str = c.format.decode()
        self.nullable: bool = bool(c.flags & 2)
        self.children: list[Field] = [Field(c.children[i].contents) for i in range(c.n_children)]
        self.dictionary: Field | None = Field(c.dictionary.contents) if c.dictionary else None

    @property
    def type(self) -> str:
        """The type, in pyarrow's words."""
        if self.dictionary is not None:
            return f"dictionary<{self.dictionary.type}>"
        f = self.format
        if f in _NAMES:
            return _NAMES[f]
        if f.startswith("ts"):
            zone = f", tz={f[4:]}" if f[4:] else ""
            return f"timestamp[{_UNITS[f[2]]}{zone}]"
        if f.startswith("d:"):
            width = f.split(",")[2] if f.count(",") == 2 else "128"
            return f"decimal{width}({', '.join(f[2:].split(',')[:2])})"
        if f.startswith("w:"):
            return f"fixed_size_binary[{f[2:]}]"
        inner = [f"{c.name}: {c.type}" for c in self.children]
        if f == "+s":
            return f"struct<{', '.join(inner)}>"
        if f == "+m":
            return f"map<{self.children[0].children[0].type}, {self.children[0].children[1].type}>"
        if f in ("+l", "+L") or f.startswith("+w:"):
            return f"list<{self.children[0].type}>"
        return f

    def __repr__(self) -> str:
        return f"{self.name}: {self.type}{'' if self.nullable else ' not null'}"


class Schema:
    """The columns of a result: a sequence of :class:`Field`, and an Arrow schema to whoever speaks the C interface."""

    def __init__(self, fields: list[Field], export: Callable[[], Any]) -> None:
        self._fields = fields
        self._export = export

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [f.name for f in self._fields]

    def field(self, name: str) -> Field:
        """The column of a name.

        Raises
        ------
        KeyError
            if there is none.
        """
        for f in self._fields:
            if f.name == name:
                return f
        raise KeyError(name)

    def __iter__(self) -> Iterator[Field]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __getitem__(self, i: int) -> Field:
        return self._fields[i]

    def __arrow_c_schema__(self) -> Any:
        """The schema as a PyCapsule."""
        return self._export()

    def to_arrow(self) -> Any:
        """The schema as a ``pyarrow.Schema``."""
        import pyarrow

        return pyarrow.schema(self)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self._fields))

    def _repr_html_(self) -> str:
        from ._html import table

        return table(["column", "type", "nullable"], [(f.name, f.type, f.nullable) for f in self._fields])


def read_schema(capsule: Any) -> list[Field]:
    """The columns of an ``arrow_schema`` capsule, which stays valid."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    c = _CSchema.from_address(get(capsule, b"arrow_schema"))
    return [Field(c.children[i].contents) for i in range(c.n_children)]


def _failure(code: int, message: str) -> Exception:
    """The error of a stream that failed with an errno: the driver has one for each kind of status."""
    status = {
        errno.ECANCELED: AdbcStatusCode.CANCELLED,
        errno.ETIMEDOUT: AdbcStatusCode.TIMEOUT,
        errno.ENOENT: AdbcStatusCode.NOT_FOUND,
        errno.EINVAL: AdbcStatusCode.INVALID_ARGUMENT,
        errno.ENOSYS: AdbcStatusCode.NOT_IMPLEMENTED,
        errno.EACCES: AdbcStatusCode.UNAUTHORIZED,
    }.get(code, AdbcStatusCode.IO)
    return OperationalError(f"{status.name}: {message}", status_code=status)


def _arrays(address: int) -> Iterator[_CArray]:
    """The arrays of the ``ArrowArrayStream`` at an address, each valid until the next one."""
    stream = _CStream.from_address(address)
    while True:
        array = _CArray()
        code = stream.get_next(ctypes.byref(stream), ctypes.byref(array))
        if code:
            raise _failure(code, (stream.get_last_error(ctypes.byref(stream)) or b"").decode())
        if not array.release:
            return
        try:
            yield array
        finally:
            array.release(ctypes.byref(array))


def iter_batches(address: int, schema: list[Field]) -> Iterator[list[list[Any]]]:
    """Reads the ``ArrowArrayStream`` at an address: the columns of each batch as lists of Python values.

    Raises
    ------
    adbc_driver_manager.Error
        if the stream fails.
    """
    for array in _arrays(address):
        yield [_values(f, array.children[i].contents) for i, f in enumerate(schema)]


def count_rows(address: int) -> int:
    """Reads the ``ArrowArrayStream`` at an address to its end and counts its rows."""
    return sum(array.length for array in _arrays(address))


def _bits(address: int | None, offset: int, n: int) -> list[bool] | None:
    if not address:
        return None
    raw = ctypes.string_at(address, (offset + n + 7) // 8)
    return [bool(raw[i >> 3] >> (i & 7) & 1) for i in range(offset, offset + n)]


def _numbers(address: int | None, code: str, offset: int, n: int) -> tuple[Any, ...]:
    if n == 0 or not address:
        return ()
    size = struct.calcsize(code)
    return struct.unpack(f"<{n}{code}", ctypes.string_at(address + offset * size, n * size))


def _values(field: Field, a: _CArray, start: int = 0, n: int | None = None) -> list[Any]:
    """The values of an array, or n of them from start on."""
    n = a.length - start if n is None else n
    offset = a.offset + start
    if field.format == "n":
        return [None] * n
    valid = _bits(a.buffers[0], offset, n) if a.null_count != 0 and a.n_buffers > 0 else None
    if field.dictionary is not None:
        words = _values(field.dictionary, a.dictionary.contents)
        index = _numbers(a.buffers[1], _FIXED[field.format], offset, n)
        values: list[Any] = [words[j] if valid is None or valid[i] else None for i, j in enumerate(index)]
    else:
        values = _plain(field, a, offset, n)
    if valid is None:
        return values
    return [v if ok else None for v, ok in zip(values, valid)]


def _plain(field: Field, a: _CArray, offset: int, n: int) -> list[Any]:
    f = field.format
    if f == "b":
        return list(_bits(a.buffers[1], offset, n) or [])
    if f in _FIXED:
        return list(_numbers(a.buffers[1], _FIXED[f], offset, n))
    if f in "zZuU":
        wide = f in "ZU"
        ends = _numbers(a.buffers[1], "q" if wide else "i", offset, n + 1)
        base = a.buffers[2] or 0
        raw = [ctypes.string_at(base + b, e - b) if e > b else b"" for b, e in zip(ends, ends[1:])]
        return [r.decode("utf-8", "replace") for r in raw] if f in "uU" else list(raw)
    if f.startswith("w:"):
        size = int(f[2:])
        raw_all = ctypes.string_at(a.buffers[1] + offset * size, n * size) if n else b""
        return [raw_all[i * size : (i + 1) * size] for i in range(n)]
    if f.startswith("d:"):
        return _decimals(f, a, offset, n)
    if f[0] == "t":
        return _times(f, a, offset, n)
    if f[0] == "+":
        return _nested(field, a, offset, n)
    raise NotImplementedError(f"values of type {field.type} are shown only by an Arrow library: install pyarrow")


def _decimals(f: str, a: _CArray, offset: int, n: int) -> list[Any]:
    parts = f[2:].split(",")
    scale, size = int(parts[1]), int(parts[2]) // 8 if len(parts) > 2 else 16
    raw = ctypes.string_at(a.buffers[1] + offset * size, n * size) if n else b""
    out = []
    for i in range(n):
        v = int.from_bytes(raw[i * size : (i + 1) * size], "little", signed=True)
        digits = tuple(map(int, str(abs(v))))
        out.append(decimal.Decimal((int(v < 0), digits, -scale)))
    return out


def _times(f: str, a: _CArray, offset: int, n: int) -> list[Any]:
    narrow = f in ("tdD", "tts", "ttm")
    numbers = _numbers(a.buffers[1], "i" if narrow else "q", offset, n)
    if f == "tdD":
        return [at and at.date() for at in (_moment(v * 86_400_000_000) for v in numbers)]
    if f == "tdm":
        return [at and at.date() for at in (_moment(v * 1_000) for v in numbers)]
    unit = _PER_SECOND[f[2]]
    micros = [v * 1_000_000 // unit for v in numbers]
    if f.startswith("tD"):
        return [datetime.timedelta(microseconds=v) for v in micros]
    at = [_moment(v) for v in micros]
    if f.startswith("tt"):
        return [t and t.time() for t in at]
    if f[4:]:  # with a zone: an instant, shown in UTC
        return [t and t.replace(tzinfo=datetime.timezone.utc) for t in at]
    return at


def _moment(micros: int) -> datetime.datetime | None:
    """A time since 1970; None where Python has none, before year 1 and after 9999."""
    try:
        return _EPOCH + datetime.timedelta(microseconds=micros)
    except OverflowError:
        return None


def _nested(field: Field, a: _CArray, offset: int, n: int) -> list[Any]:
    f = field.format
    if f == "+s":
        columns = [_values(c, a.children[i].contents, offset, n) for i, c in enumerate(field.children)]
        names = [c.name for c in field.children]
        return [dict(zip(names, row)) for row in zip(*columns)] if columns else [{} for _ in range(n)]
    child = field.children[0]
    if f.startswith("+w:"):
        size = int(f[3:])
        items = _values(child, a.children[0].contents, offset * size, n * size)
        return [items[i * size : (i + 1) * size] for i in range(n)]
    if f not in ("+l", "+L", "+m"):
        raise NotImplementedError(f"values of type {field.type} are shown only by an Arrow library: install pyarrow")
    ends = _numbers(a.buffers[1], "q" if f == "+L" else "i", offset, n + 1)
    if not ends:
        return []
    items = _values(child, a.children[0].contents, ends[0], ends[-1] - ends[0])
    lists = [items[b - ends[0] : e - ends[0]] for b, e in zip(ends, ends[1:])]
    if f == "+m":
        key, value = (c.name for c in child.children)
        return [[(i[key], i[value]) for i in entries] for entries in lists]
    return lists
