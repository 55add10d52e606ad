// A module of its own, so that a user of the engine does not download the tables with it.
module github.com/hudi-go/hudi/testdata

go 1.26.0
