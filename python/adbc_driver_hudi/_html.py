"""Tables as notebooks show them."""

from __future__ import annotations

import html
from typing import Any, Iterable, Sequence


def table(names: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """An HTML table; values are escaped, long ones cut."""
    head = "".join(f"<th>{html.escape(n)}</th>" for n in names)
    body = "".join("<tr>" + "".join(f"<td>{_cell(v)}</td>" for v in row) + "</tr>" for row in rows)
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(v: Any) -> str:
    if v is None:
        return "<i>null</i>"
    text = str(v)
    return html.escape(text if len(text) <= 200 else text[:199] + "…")
