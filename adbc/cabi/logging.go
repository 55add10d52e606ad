package cabi

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/apache/arrow-adbc/go/adbc"
)

// LogLevelVariable is the environment variable by which a user asks for what the
// driver logs, as of ADBC's other drivers in Go: debug, info, warn or error.
// Unless it is set when the library is loaded, nothing is written anywhere.
const LogLevelVariable = "ADBC_DRIVER_HUDI_LOG_LEVEL"

// initLogging gives a database a logger of a level, in lines of JSON.
func initLogging(db adbc.Database, level string, to io.Writer) {
	var l slog.Level
	switch strings.ToLower(level) {
	case "":
		return
	case "debug":
		l = slog.LevelDebug
	case "info":
		l = slog.LevelInfo
	case "warn", "warning":
		l = slog.LevelWarn
	case "error":
		l = slog.LevelError
	default:
		fmt.Fprintf(to, "hudi: %s is debug, info, warn or error, not %q: nothing is logged\n", LogLevelVariable, level)
		return
	}
	if logging, ok := db.(adbc.DatabaseLogging); ok {
		logging.SetLogger(slog.New(slog.NewJSONHandler(to, &slog.HandlerOptions{Level: l})))
	}
}

func initLoggingFromEnv(db adbc.Database) { initLogging(db, os.Getenv(LogLevelVariable), os.Stderr) }
