"""Warnings: what a read left out on purpose, told once it is at its end."""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Sequence

import adbc_driver_manager as manager

from .options import StatementOptions

if TYPE_CHECKING:
    from ._session import Running

_NAMED = 3  # files in the text of a warning
_OWN = tuple(os.path.dirname(os.path.abspath(f)) + os.sep for f in (__file__, manager.__file__))
_LIBRARIES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


class HudiWarning(manager.Warning):
    """Something of a table that a read left out on purpose, as Hudi does: a stretch of a log file that can't be read, say.

    There is one warning for all findings of a kind. ``warnings.filterwarnings("error", category=HudiWarning)``
    makes an error of it.
    """

    #: The findings: dictionaries with ``msg``, ``table``, and as the case may be ``file``, ``instant`` and more.
    findings: tuple[dict[str, Any], ...]

    def __init__(self, message: str, findings: Sequence[dict[str, Any]] = ()) -> None:
        super().__init__(message)
        self.findings = tuple(findings)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.findings)


class Place(NamedTuple):
    """The line of a program that a warning is about, as ``warnings.warn_explicit`` takes it."""

    filename: str
    lineno: int
    module: str
    registry: dict[Any, Any] | None

    @classmethod
    def here(cls) -> Place:
        """The line that called, through whatever libraries; that of a library if there is no other."""
        frame, found = sys._getframe(1), None
        at: Any = frame
        while at is not None:
            name = at.f_code.co_filename
            if not name.startswith(_OWN):
                found = found or at
                if not name.startswith("<frozen") and not any(part in name for part in _LIBRARIES):
                    found = at
                    break
            at = at.f_back
        frame = found or frame
        names = frame.f_globals
        return cls(
            frame.f_code.co_filename,
            frame.f_lineno,
            str(names.get("__name__") or "<unknown>"),
            names.setdefault("__warningregistry__", {}),
        )


class Source(Protocol):
    """What runs statements, or reads partitions: a statement or a connection."""

    def get_option(self, key: str | bytes) -> str:
        """Gives an option."""


def found_by(source: Source) -> list[dict[str, Any]]:
    """What the latest run has left out so far."""
    text = source.get_option(StatementOptions.WARNINGS.value)
    return [] if text == "[]" else json.loads(text)


def tell(findings: Sequence[dict[str, Any]], place: Place | None = None) -> None:
    """Warns of findings, at a place or where the caller's caller is."""
    if not findings:
        return
    kinds: dict[tuple[Any, Any], list[dict[str, Any]]] = {}
    for f in findings:
        kinds.setdefault((f.get("table"), f["msg"]), []).append(f)
    place = place or Place.here()
    for (table, message), some in kinds.items():
        # Threads find them in any order; Python tells warnings apart by their text.
        some.sort(key=lambda f: (str(f.get("file")), int(f.get("offset", 0))))
        text = "; ".join(map(_where, some[:_NAMED]))
        if len(some) > _NAMED:
            text += f"; and {len(some) - _NAMED} more"
        head = message if table is None else f"table {table}: {message}"
        warnings.warn_explicit(HudiWarning(f"{head}: {text}" if text else head, some), None, *place)


def _where(finding: dict[str, Any]) -> str:
    facts = [f"{k} {v}" for k, v in finding.items() if k not in ("level", "msg", "table", "file")]
    file = finding.get("file")
    return ", ".join(facts) if file is None else f"{file} ({', '.join(facts)})" if facts else str(file)


class _Watch:
    """Tells what streams found that were given away.

    Nobody tells Python when such a stream is at its end: a thread looks, as
    long as there is one.
    """

    def __init__(self) -> None:
        self._given: list[tuple[Running, Place]] = []
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._pause = 0.0

    def after_fork(self) -> None:
        """Begins anew: in a child the thread is not there, and the driver can't be used."""
        self._given = []
        self._reset()

    def add(self, running: Running, place: Place) -> None:
        """Waits for a stream, whose statement it closes then."""
        with self._lock:
            self._given.append((running, place))
            self._pause = 0.01
            if self._thread is None:
                thread = threading.Thread(target=self._serve, name="hudi-warnings", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # the program ends, or has too many threads: finish tells
                    return
                self._thread = thread

    def _serve(self) -> None:
        while True:
            time.sleep(self._pause)
            self._look(lambda running: running.open_streams() == 0)
            with self._lock:
                self._pause = min(self._pause * 1.5, 0.25)
                if not self._given:
                    self._thread = None
                    return

    def _look(self, done: Any) -> None:
        with self._lock:
            given = list(self._given)
        for item in given:
            running, place = item
            try:
                if not done(running):
                    continue
                findings = running.findings()
                running.detach()
            except manager.Error:
                findings = []
            with self._lock:
                if item not in self._given:
                    continue
                self._given.remove(item)
            try:
                tell(findings, place)
            except HudiWarning as e:  # it is to be an error, and nobody is there to get it
                sys.excepthook(type(e), e, None)

    def finish(self) -> None:
        """Tells all that was found, at the end of the program."""
        self._look(lambda _: True)


watch = _Watch()
atexit.register(watch.finish)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=watch.after_fork)
