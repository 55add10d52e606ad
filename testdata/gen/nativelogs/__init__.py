"""Turns tables with inline logs into tables with native logs: see convert.py."""
