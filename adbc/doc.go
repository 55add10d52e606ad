// Package adbc is the ADBC driver: Hudi tables for whoever speaks Arrow
// Database Connectivity.
//
// A [Driver] makes databases: a table, or a folder of tables, with options.
// Statements that ask for some columns and rows of one table run on the
// reader's own scan and can be taken apart into partitions that other processes
// read; all other SQL runs on the embedded DuckDB. Nothing here writes.
package adbc
