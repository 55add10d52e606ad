package mergeread

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/hudi-go/hudi/snapshot"
)

func TestTableRules(t *testing.T) {
	const models = "org.apache.hudi.common.model."
	for _, tt := range []struct {
		name string
		conf snapshot.Config
		want Rules
	}{
		{"v6 payload of event time", snapshot.Config{Version: 6, PayloadClass: models + "DefaultHoodieRecordPayload", OrderingFields: []string{"ts"}},
			Rules{Mode: EventTime, Ordering: []string{"ts"}}},
		{"v6 payload of commit time", snapshot.Config{Version: 6, PayloadClass: models + "OverwriteWithLatestAvroPayload"},
			Rules{Mode: CommitTime}},
		{"v6 old package", snapshot.Config{Version: 6, PayloadClass: "com.uber.hoodie.common.model.PartialUpdateAvroPayload"},
			Rules{Mode: Custom, Payload: models + "PartialUpdateAvroPayload"}},
		{"v6 payload before strategy", snapshot.Config{Version: 6, PayloadClass: models + "AWSDmsAvroPayload", MergeStrategy: strategyEventTime},
			Rules{Mode: Custom, Payload: models + "AWSDmsAvroPayload", Strategy: strategyEventTime}},
		{"v6 strategy alone", snapshot.Config{Version: 6, MergeStrategy: strategyCommitTime},
			Rules{Mode: CommitTime, Strategy: strategyCommitTime}},
		{"v6 nothing", snapshot.Config{Version: 6}, Rules{Mode: EventTime}},
		{"v6 ignores a mode", snapshot.Config{Version: 6, MergeMode: "COMMIT_TIME_ORDERING", PayloadClass: models + "EventTimeAvroPayload"},
			Rules{Mode: EventTime}},
		{"v8 mode before payload", snapshot.Config{Version: 8, MergeMode: "COMMIT_TIME_ORDERING", PayloadClass: models + "DefaultHoodieRecordPayload"},
			Rules{Mode: CommitTime}},
		{"v8 has no partial mode", snapshot.Config{Version: 8, MergeMode: "COMMIT_TIME_ORDERING", PartialUpdateMode: "IGNORE_DEFAULTS"},
			Rules{Mode: CommitTime}},
		{"v9 ignore defaults", snapshot.Config{Version: 9, MergeMode: "EVENT_TIME_ORDERING", PartialUpdateMode: "IGNORE_DEFAULTS"},
			Rules{Mode: EventTime, Partial: IgnoreDefaults}},
		{"v9 fill unavailable", snapshot.Config{Version: 9, MergeMode: "EVENT_TIME_ORDERING", PartialUpdateMode: "FILL_UNAVAILABLE",
			MergeProperties: map[string]string{"hoodie.write.partial.update.unavailable.value": "?", "hoodie.payload.delete.field": "op", "hoodie.payload.delete.marker": "d"}},
			Rules{Mode: EventTime, Partial: FillUnavailable, Unavailable: "?", DeleteField: "op", DeleteMarker: "d"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := TableRules(&tt.conf)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}

// TestTableRulesRefused has what cannot be merged, and what the error must name.
func TestTableRulesRefused(t *testing.T) {
	for _, tt := range []struct {
		name string
		conf snapshot.Config
		want []string
	}{
		{"unknown payload", snapshot.Config{Version: 6, PayloadClass: "com.shop.BidPayload"},
			[]string{"com.shop.BidPayload", "mergeread.Register", "read_optimized"}},
		{"unknown strategy", snapshot.Config{Version: 8, MergeMode: "CUSTOM", MergeStrategy: "11111111-2222-3333-4444-555555555555"},
			[]string{"11111111-2222-3333-4444-555555555555", "mergeread.Register", "read_optimized"}},
		{"known payload, unknown strategy", snapshot.Config{Version: 9, MergeMode: "CUSTOM", MergeStrategy: "own", PayloadClass: "a.AWSDmsAvroPayload"},
			[]string{`"own"`, "AWSDmsAvroPayload"}},
		{"unknown mode", snapshot.Config{Version: 8, MergeMode: "LAST_WINS"}, []string{"hoodie.record.merge.mode", "LAST_WINS"}},
		{"unknown partial mode", snapshot.Config{Version: 9, MergeMode: "EVENT_TIME_ORDERING", PartialUpdateMode: "KEEP_VALUES"},
			[]string{"hoodie.table.partial.update.mode", "KEEP_VALUES"}},
		{"half a delete marker", snapshot.Config{Version: 9, MergeMode: "EVENT_TIME_ORDERING", MergeProperties: map[string]string{"hoodie.payload.delete.field": "op"}},
			[]string{"hoodie.payload.delete.marker"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := TableRules(&tt.conf)
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %s", err, part)
				}
			}
			var te *snapshot.TableError
			if strings.HasPrefix(tt.name, "unknown mode") && !errors.As(err, &te) {
				t.Errorf("%T is no TableError", err)
			}
		})
	}
}
