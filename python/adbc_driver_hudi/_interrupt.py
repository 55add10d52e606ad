"""Calls that Ctrl-C stops."""

from __future__ import annotations

import queue
import threading
from typing import Any, Callable, TypeVar

T = TypeVar("T")


def interruptible(call: Callable[[], T], cancel: Callable[[], Any]) -> T:
    """Runs a call that blocks outside of Python.

    In the main thread, where Python delivers signals, the call runs in a thread
    of its own while this one waits, so that KeyboardInterrupt (or whatever a
    signal handler raises) arrives at once: it cancels the call, waits for it to
    end, and goes on to the caller.
    """
    if threading.current_thread() is not threading.main_thread():
        return call()
    done: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()

    def run() -> None:
        try:
            done.put((True, call()))
        except BaseException as e:  # noqa: BLE001 - it is raised in the thread that waits
            done.put((False, e))

    thread = threading.Thread(target=run, name="hudi-call", daemon=True)
    try:
        thread.start()
        ok, value = _wait(done)
    except BaseException:
        cancel()
        if thread.is_alive():
            thread.join()
        raise
    thread.join()
    if ok:
        return value  # type: ignore[no-any-return]
    try:
        raise value
    finally:
        del value  # it refers to this frame


def _wait(done: queue.SimpleQueue[tuple[bool, Any]]) -> tuple[bool, Any]:
    """Gets an item, and looks for signals now and then: libraries (polars is one) install handlers that end no wait."""
    while True:
        try:
            return done.get(timeout=0.1)
        except queue.Empty:
            continue
