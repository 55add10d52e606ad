"""The tables: each function is registered under the names of the tables that it makes."""

import importlib

# Order matters only for the reader of the log.
MODULES = [
    "basic",
    "keys",
    "evolution",
    "merging",
    "multistream",
    "services",
    "recovery",
    "paths",
    "faults",
    "files",
    "histories",
    "indexes",
    "trips",
]


def load():
    """Registers every table."""
    for name in MODULES:
        importlib.import_module(f"hudigen.tables.{name}")
