"""Writes small real Apache Hudi tables with Spark, and Spark's own answers beside them."""
