package adbc_test

import (
	"context"
	"strings"
	"testing"

	"github.com/apache/arrow-adbc/go/adbc"

	hudi "github.com/hudi-go/hudi/adbc"
	"github.com/hudi-go/hudi/internal/tabletest"
)

// TestOptions: what is set can be had, at each level, and what is not known has
// the status that the interface wants.
func TestOptions(t *testing.T) {
	db := database(t, tabletest.Open(t, "v9/cow_basic"))
	c := connect(t, db)
	s := statement(t, c, "SELECT 1")
	common := [][2]string{
		{hudi.OptionQueryType, "read_optimized"}, {hudi.OptionAsOf, "2024-01-01"}, {hudi.OptionBegin, "1"}, {hudi.OptionEnd, "2"},
		{hudi.OptionMeta, "true"}, {hudi.OptionDeletes, "true"}, {hudi.OptionBatchSize, "17"}, {hudi.OptionThreads, "3"}, {hudi.OptionMemoryLimit, "1000000"},
	}
	for _, level := range []struct {
		name string
		of   any
		more [][2]string
	}{
		{"database", db, [][2]string{{hudi.OptionHudiPrefix + "hoodie.x", "y"}, {hudi.OptionStoragePrefix + "region", "z"}}},
		{"connection", c, [][2]string{
			{adbc.OptionKeyCurrentCatalog, "hudi"}, {adbc.OptionKeyCurrentDbSchema, "main"}, {adbc.OptionKeyAutoCommit, "true"},
			{adbc.OptionKeyReadOnly, "true"}, {adbc.OptionKeyIsolationLevel, string(adbc.LevelSnapshot)},
		}},
		{"statement", s, [][2]string{{adbc.OptionKeyIncremental, "false"}}},
	} {
		o := level.of.(adbc.GetSetOptions)
		before := map[string]string{}
		for _, kv := range append(level.more, common...) {
			before[kv[0]], _ = o.GetOption(kv[0])
			if err := o.SetOption(kv[0], kv[1]); err != nil {
				t.Errorf("%s: %v", level.name, err)
			}
			if v, err := o.GetOption(kv[0]); err != nil || v != kv[1] {
				t.Errorf("%s: %s is %q, %v, was set to %q", level.name, kv[0], v, err, kv[1])
			}
			if err := o.SetOptionBytes(kv[0], []byte(kv[1])); err != nil {
				t.Errorf("%s: %v", level.name, err)
			}
			if v, err := o.GetOptionBytes(kv[0]); err != nil || string(v) != kv[1] {
				t.Errorf("%s: %s is %q, %v", level.name, kv[0], v, err)
			}
		}
		if err := o.SetOptionInt(hudi.OptionBatchSize, 99); err != nil {
			t.Error(err)
		}
		if n, err := o.GetOptionInt(hudi.OptionBatchSize); n != 99 || err != nil {
			t.Errorf("batch size %d, %v", n, err)
		}
		if err := o.SetOptionDouble(hudi.OptionBatchSize, 12); err != nil {
			t.Error(err)
		}
		if f, err := o.GetOptionDouble(hudi.OptionBatchSize); f != 12 || err != nil {
			t.Errorf("batch size %v, %v", f, err)
		}
		if _, err := o.GetOptionInt(hudi.OptionQueryType); errorOf(t, err).Code != adbc.StatusInvalidArgument {
			t.Error(err)
		}
		if err := o.SetOption("adbc.nothing", "x"); errorOf(t, err).Code != adbc.StatusNotImplemented {
			t.Error(err)
		}
		if _, err := o.GetOption("adbc.nothing"); errorOf(t, err).Code != adbc.StatusNotFound {
			t.Error(err)
		}
		for key, value := range before {
			if err := o.SetOption(key, value); err != nil && !strings.Contains(key, "catalog") {
				t.Errorf("%s: %s back to %q: %v", level.name, key, value, err)
			}
		}
	}
}

func TestOptionsRefused(t *testing.T) {
	db := database(t, tabletest.Open(t, "v9/cow_basic"))
	c := connect(t, db)
	s := statement(t, c, "SELECT 1")
	for _, o := range []struct {
		of         any
		key, value string
		code       adbc.Status
	}{
		{db, hudi.OptionQueryType, "all", adbc.StatusInvalidArgument},
		{db, hudi.OptionMeta, "yes", adbc.StatusInvalidArgument},
		{db, hudi.OptionThreads, "-1", adbc.StatusInvalidArgument},
		{db, hudi.OptionMemoryLimit, "much", adbc.StatusInvalidArgument},
		{db, hudi.OptionHudiPrefix + "other", "x", adbc.StatusNotImplemented},
		{db, adbc.OptionKeyURI, "", adbc.StatusInvalidArgument},
		{db, adbc.OptionKeyURI, "hudi://lake/trips", adbc.StatusInvalidArgument},
		{db, adbc.OptionKeyURI, "/lake?nothing=1", adbc.StatusInvalidArgument},
		{db, adbc.OptionKeyURI, "/lake?meta=perhaps", adbc.StatusInvalidArgument},
		{c, adbc.OptionKeyAutoCommit, "false", adbc.StatusNotImplemented},
		{c, adbc.OptionKeyReadOnly, "false", adbc.StatusNotImplemented},
		{c, adbc.OptionKeyCurrentCatalog, "other", adbc.StatusNotFound},
		{c, adbc.OptionKeyCurrentDbSchema, "other", adbc.StatusNotFound},
		{c, adbc.OptionKeyIsolationLevel, string(adbc.LevelSerializable), adbc.StatusNotImplemented},
		{s, adbc.OptionKeyIncremental, "true", adbc.StatusNotImplemented},
		{s, adbc.OptionKeyProgress, "1", adbc.StatusNotImplemented},
		{s, adbc.OptionKeyIngestTargetTable, "t", adbc.StatusNotImplemented},
		{s, adbc.OptionKeyIngestMode, adbc.OptionValueIngestModeAppend, adbc.StatusNotImplemented},
	} {
		err := o.of.(adbc.PostInitOptions).SetOption(o.key, o.value)
		if e := errorOf(t, err); e.Code != o.code || strings.Contains(e.Msg, "\n") {
			t.Errorf("%s = %q: %v", o.key, o.value, err)
		}
	}
	if _, err := hudi.NewDriver(nil).NewDatabase(map[string]string{"adbc.nothing": "x"}); errorOf(t, err).Code != adbc.StatusNotImplemented {
		t.Error(err)
	}
}

// TestURI opens a table by all forms of its address.
func TestURI(t *testing.T) {
	dir := tabletest.Open(t, "v9/cow_basic")
	for _, uri := range []string{dir, dir + "/", "file://" + dir, "hudi://" + dir, "hudi:" + dir, "hudi+file://" + dir, "hudi://" + strings.ReplaceAll(dir, "T", "%54"), "hudi://" + dir + "?meta=true&threads=2"} {
		c := open(t, uri)
		if k := execute(t, c, "SELECT id FROM cow_basic"); k.rows() != 109 {
			t.Errorf("%s: %d rows", uri, k.rows())
		}
	}
	c := open(t, "hudi://"+dir+"?meta=true&as_of=20261129212642217&batch_size=10", hudi.OptionBatchSize, "5")
	for key, want := range map[string]string{hudi.OptionMeta: "true", hudi.OptionAsOf: "20261129212642217", hudi.OptionBatchSize: "5"} {
		if v, err := c.(adbc.GetSetOptions).GetOption(key); v != want || err != nil {
			t.Errorf("%s = %q, %v", key, v, err)
		}
	}
	if k := execute(t, c, "SELECT * FROM cow_basic"); k.schema.Field(0).Name != "_hoodie_commit_time" || k.batches[0].NumRows() > 5 {
		t.Errorf("%s, %d rows", k.schema, k.batches[0].NumRows())
	}
	for uri, want := range map[string]adbc.Status{
		"hudi+s3://bucket/trips": adbc.StatusNotImplemented, "s3://bucket/trips": adbc.StatusNotImplemented,
		t.TempDir(): adbc.StatusNotFound, dir + "/nothing": adbc.StatusNotFound,
		dir + "?as_of=1990-01-01": adbc.StatusOK, dir + "?begin_time=1": adbc.StatusInvalidState,
	} {
		db, err := hudi.NewDriver(nil).NewDatabase(map[string]string{adbc.OptionKeyURI: uri})
		if err != nil {
			t.Fatal(uri, err)
		}
		c, err := db.Open(context.Background())
		switch {
		case want == adbc.StatusOK && err == nil:
			c.Close()
		case want == adbc.StatusOK || err == nil || errorOf(t, err).Code != want:
			t.Errorf("%s: %v", uri, err)
		}
		db.Close()
	}
	db, err := hudi.NewDriver(nil).NewDatabase(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Open(context.Background()); errorOf(t, err).Code != adbc.StatusInvalidState {
		t.Error(err)
	}
}
