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
    thread.start()
    try:
        ok, value = done.get()
    except BaseException:
        cancel()
        thread.join()
        raise
    thread.join()
    if ok:
        return value  # type: ignore[no-any-return]
    try:
        raise value
    finally:
        del value  # it refers to this frame
