package mergeread

import "strings"

// Names of payload classes, without their packages.
const (
	mysqlDebezium    = "MySqlDebeziumAvroPayload"
	postgresDebezium = "PostgresDebeziumAvroPayload"
)

const (
	eventSeqField       = "_event_seq"
	changeTypeField     = "_change_operation_type"
	dmsOperationField   = "Op"
	debeziumUnavailable = "__debezium_unavailable_value"
)

// A payload is what a payload class computes: its two steps, and its own
// mark of deleted rows.
type payload struct {
	delta, final step
	columns      []string // that it reads beside the ordering fields
	deleteField  string
	deleteMarker string // compared without regard to case
	unavailable  string
}

// payloads are the classes of tables before version 9 that are more than a
// merge mode, by class name without package.
var payloads = map[string]payload{
	"OverwriteWithLatestAvroPayload": {
		delta: step{choose: latest}, final: step{choose: latest},
	},
	"DefaultHoodieRecordPayload": {
		delta: step{choose: greater}, final: step{choose: byEvent},
	},
	"EventTimeAvroPayload": {
		delta: step{choose: greater}, final: step{choose: byEvent},
	},
	"OverwriteNonDefaultsWithLatestAvroPayload": {
		delta: step{choose: greater},
		final: step{choose: latest, combine: overDefaults},
	},
	"PartialUpdateAvroPayload": {
		delta: step{choose: greaterOrDelete, combine: overNulls, metaFromNewer: true},
		final: step{choose: greaterOrDelete, combine: overNulls, metaFromNewer: true},
	},
	"AWSDmsAvroPayload": {
		delta: step{choose: greater}, final: step{choose: latest},
		columns: []string{dmsOperationField}, deleteField: dmsOperationField, deleteMarker: "D",
	},
	mysqlDebezium: {
		delta: step{choose: greater}, final: step{choose: greaterThanBase},
		columns: []string{eventSeqField, changeTypeField}, deleteField: changeTypeField, deleteMarker: "d",
	},
	postgresDebezium: {
		delta: step{choose: greater}, final: step{choose: greaterThanBase, combine: overUnavailable},
		columns: []string{changeTypeField}, deleteField: changeTypeField, deleteMarker: "d",
		unavailable: debeziumUnavailable,
	},
}

// shortClass is a class name without its package.
func shortClass(name string) string {
	return name[strings.LastIndexByte(name, '.')+1:]
}
