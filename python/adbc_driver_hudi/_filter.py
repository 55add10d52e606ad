"""Conditions: SQL text, Substrait bytes, pyarrow and polars expressions."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import io
import json
from typing import TYPE_CHECKING, Any, Callable, Union

if TYPE_CHECKING:
    import pyarrow.compute

#: What a scan takes as a condition: SQL text, a serialized Substrait extended expression, or a pyarrow expression.
Filter = Union[str, bytes, "pyarrow.compute.Expression"]


@dataclasses.dataclass(frozen=True)
class Condition:
    """A condition in the forms that the driver understands; both have to hold."""

    sql: str | None = None
    substrait: bytes | None = None

    @staticmethod
    def of(given: Filter | None, schema: Callable[[], Any]) -> Condition:
        """Makes a condition of what a user gave; schema is asked only where the columns' types are needed.

        Raises
        ------
        TypeError, ValueError
            if it is no condition, or one that can't be handed over.
        """
        if given is None:
            return Condition()
        if isinstance(given, (str, bytes, bytearray, memoryview)) and not (given.strip() if isinstance(given, str) else given):
            raise ValueError("the filter is empty: give a condition, or None for all rows")
        if isinstance(given, str):
            return Condition(sql=given)
        if isinstance(given, (bytes, bytearray, memoryview)):
            return Condition(substrait=bytes(given))
        if type(given).__module__.split(".")[0] == "pyarrow" and hasattr(given, "to_substrait"):
            return Condition(substrait=_from_pyarrow(given, schema))
        kind = f"{type(given).__module__}.{type(given).__qualname__}"
        raise TypeError(f"a filter is SQL text, Substrait bytes or a pyarrow expression, not {kind}")


def _from_pyarrow(expression: Any, schema: Callable[[], Any]) -> bytes:
    import pyarrow

    columns = schema()
    try:
        return bytes(expression.to_substrait(columns))
    except pyarrow.ArrowException as e:
        if "FieldRef" in str(e):
            raise ValueError(f"{str(expression)!r} names a column that is not there; there are {', '.join(columns.names)}") from e
        hint = "give its constants the types of the columns (pyarrow.scalar), or SQL text"
        raise ValueError(f"pyarrow can't write {str(expression)!r} as Substrait ({e}): {hint}") from e


# ---- polars

_COMPARE = {"Eq": "=", "NotEq": "<>", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
_LOGIC = {"And": "AND", "Or": "OR", "LogicalAnd": "AND", "LogicalOr": "OR"}


class _Unknown(Exception):
    """A part of an expression that is not handed over."""


def from_polars(predicate: Any, floats: set[str]) -> str | None:
    """The SQL text of a polars predicate, None where it can't be said exactly.

    It only saves reading: polars applies its predicate again. Columns of
    floating point are left out, since NaN compares otherwise in polars.
    """
    try:
        tree = json.loads(predicate.meta.serialize(format="json"))
    except Exception:  # noqa: BLE001 - the form is polars' own and may change
        return None
    parts = []
    for part in _conjunction(tree):
        try:
            parts.append(_sql(part, floats))
        except (_Unknown, KeyError, TypeError, ValueError, IndexError):
            continue
    return " AND ".join(f"({p})" for p in parts) or None


def _conjunction(tree: Any) -> list[Any]:
    binary = tree.get("BinaryExpr") if isinstance(tree, dict) else None
    if binary and binary["op"] in ("And", "LogicalAnd"):
        return _conjunction(binary["left"]) + _conjunction(binary["right"])
    return [tree]


def _sql(tree: dict[str, Any], floats: set[str]) -> str:
    ((kind, body),) = tree.items()
    if kind == "BinaryExpr":
        op = body["op"]
        if op in _LOGIC:
            return f"({_sql(body['left'], floats)} {_LOGIC[op]} {_sql(body['right'], floats)})"
        return f"{_operand(body['left'], floats)} {_COMPARE[op]} {_operand(body['right'], floats)}"
    if kind == "Function":
        return _function(body, floats)
    raise _Unknown(kind)


def _function(body: dict[str, Any], floats: set[str]) -> str:
    function, args = body["function"], body["input"]
    boolean = function.get("Boolean") if isinstance(function, dict) else None
    string = function.get("StringExpr") if isinstance(function, dict) else None
    if string == "StartsWith":
        prefix = args[1]["Literal"]["Scalar"]["String"]
        if any(c in prefix for c in "%_\\"):
            raise _Unknown(prefix)
        return f"{_operand(args[0], floats)} LIKE {_literal(prefix + '%')}"
    if boolean == "Not":
        return f"NOT ({_sql(args[0], floats)})"
    if boolean == "IsNull":
        return f"{_operand(args[0], floats)} IS NULL"
    if boolean == "IsNotNull":
        return f"{_operand(args[0], floats)} IS NOT NULL"
    if isinstance(boolean, dict) and "IsBetween" in boolean and boolean["IsBetween"]["closed"] == "Both":
        value, low, high = (_operand(a, floats) for a in args)
        return f"{value} BETWEEN {low} AND {high}"
    if isinstance(boolean, dict) and "IsIn" in boolean and not boolean["IsIn"]["nulls_equal"]:
        values = _list(args[1]["Literal"]["Scalar"]["List"])
        return f"{_operand(args[0], floats)} IN ({', '.join(map(_literal, values))})"
    raise _Unknown(str(function))


def _operand(tree: dict[str, Any], floats: set[str]) -> str:
    ((kind, body),) = tree.items()
    if kind == "Column":
        if body in floats:
            raise _Unknown(body)
        return quote_name(body)
    if kind != "Literal":
        raise _Unknown(kind)
    ((form, value),) = body.items()
    ((name, v),) = value.items()
    if form == "Dyn" and name == "Int" or name.startswith(("Int", "UInt")):
        return _literal(int(v))
    if name == "String":
        return _literal(str(v))
    if name == "Boolean":
        return _literal(bool(v))
    if name == "Date":
        return _literal(datetime.date(1970, 1, 1) + datetime.timedelta(days=v))
    raise _Unknown(name)


def _list(raw: Any) -> list[Any]:
    """The values of a list literal, which polars writes as a frame of one column."""
    import polars

    data = bytes(raw) if isinstance(raw, list) else base64.b64decode(raw)
    values = polars.read_ipc_stream(io.BytesIO(data)).to_series().to_list()
    if not values or any(v is None for v in values):
        raise _Unknown("null in a list")
    return values


def _literal(v: Any) -> str:
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, (int, decimal.Decimal)):
        return str(v)
    if isinstance(v, str):
        return quote_text(v)
    if isinstance(v, datetime.date) and not isinstance(v, datetime.datetime):
        return f"DATE '{v.isoformat()}'"
    raise _Unknown(type(v).__name__)


def quote_name(name: str) -> str:
    """A name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """A text as SQL takes it."""
    return "'" + text.replace("'", "''") + "'"
