"""Calls that Ctrl-C stops."""

from __future__ import annotations

import queue
import threading
from typing import Any, Callable, TypeVar

T = TypeVar("T")
Call = Callable[[], Any]


class Interruptible:
    """Runs calls that block outside of Python, one after the other.

    In the main thread, where Python delivers signals, they run in a thread of
    their own while this one waits, so that KeyboardInterrupt (or whatever a
    signal handler raises) arrives at once: it cancels the call, waits for it to
    end, and goes on to the caller. It is one thread for all calls: starting one,
    and the driver's meeting it, takes longer than many a batch.
    """

    def __init__(self, cancel: Callable[[], Any]) -> None:
        self._cancel = cancel
        self._thread: threading.Thread | None = None
        self._calls: queue.SimpleQueue[Call | None]
        self._done: queue.SimpleQueue[tuple[bool, Any]]

    def __call__(self, call: Callable[[], T]) -> T:
        if threading.current_thread() is not threading.main_thread():
            return call()
        try:
            if self._thread is None or not self._thread.is_alive():  # after a fork it is not
                self._calls, self._done = queue.SimpleQueue(), queue.SimpleQueue()
                self._thread = threading.Thread(target=_serve, args=(self._calls, self._done), name="hudi-calls", daemon=True)
                self._thread.start()
            self._calls.put(call)
            ok, value = _wait(self._done)
        except BaseException:
            self._cancel()
            if self._thread is not None and self._thread.is_alive():
                self._calls.put(None)
                self._thread.join()
            raise
        if ok:
            return value  # type: ignore[no-any-return]
        try:
            raise value
        finally:
            del value  # it refers to this frame

    def __enter__(self) -> Interruptible:
        return self

    def __exit__(self, *_: object) -> None:
        # The thread is not waited for: at the end of Python it may never run again.
        if self._thread is not None:
            self._calls.put(None)


def interruptible(call: Callable[[], T], cancel: Callable[[], Any]) -> T:
    """Runs one call."""
    with Interruptible(cancel) as run:
        return run(call)


def _serve(calls: queue.SimpleQueue[Call | None], done: queue.SimpleQueue[tuple[bool, Any]]) -> None:
    """Runs calls until there is None. It keeps nothing of them while it waits for the next."""
    while (call := calls.get()) is not None:
        try:
            done.put((True, call()))
        except BaseException as e:  # noqa: BLE001 - it is raised in the thread that waits
            done.put((False, e))
        del call


def _wait(done: queue.SimpleQueue[tuple[bool, Any]]) -> tuple[bool, Any]:
    """Gets an item, and looks for signals now and then: libraries (polars is one) install handlers that end no wait."""
    while True:
        try:
            return done.get(timeout=0.1)
        except queue.Empty:
            continue
