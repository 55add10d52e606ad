package mergeread

import "strings"

// mysqlDebezium is the payload class whose ordering values are binlog
// positions, without its package.
const mysqlDebezium = "MySqlDebeziumAvroPayload"

// Columns that payload classes read.
const (
	eventSeqField     = "_event_seq"
	eventLSNField     = "_event_lsn"
	changeTypeField   = "_change_operation_type"
	dmsOperationField = "Op"
)

// A payload is what a payload class computes, and its own mark of deleted
// rows. Hudi applies the same step between log records as against the base
// (combineAndGetUpdateValue; preCombine, which says otherwise for most classes,
// is for records of one write).
type payload struct {
	merge        step
	columns      []string // that it reads beside the ordering fields
	ordering     string   // the field that it compares, if not the table's
	deleteField  string
	deleteMarker string // compared without regard to case
}

// payloads are the classes of tables before version 9 that are more than a
// merge mode, by class name without package.
var payloads = map[string]payload{
	"OverwriteWithLatestAvroPayload": {merge: step{choose: latest}},
	"DefaultHoodieRecordPayload":     {merge: step{choose: byEvent}},
	"EventTimeAvroPayload":           {merge: step{choose: byEvent}},
	"OverwriteNonDefaultsWithLatestAvroPayload": {
		merge: step{choose: latest, combine: overDefaults, overDeleted: true},
	},
	"PartialUpdateAvroPayload": {
		merge: step{choose: greaterOrDelete, combine: overNulls, overDeleted: true, metaFromNewer: true},
	},
	"AWSDmsAvroPayload": {
		merge:   step{choose: latest},
		columns: []string{dmsOperationField}, deleteField: dmsOperationField, deleteMarker: "D",
	},
	mysqlDebezium: {
		merge:   step{choose: greaterOrEntry},
		columns: []string{changeTypeField}, ordering: eventSeqField, deleteField: changeTypeField, deleteMarker: "d",
	},
	// The class means to fill values that the database did not send
	// (__debezium_unavailable_value) from the older record, but does so in a
	// copy that Spark's reader drops, since 1.1. Tables of version 9 fill them.
	"PostgresDebeziumAvroPayload": {
		merge:   step{choose: greaterOrEntry},
		columns: []string{changeTypeField}, ordering: eventLSNField, deleteField: changeTypeField, deleteMarker: "d",
	},
}

// shortClass is a class name without its package.
func shortClass(name string) string {
	return name[strings.LastIndexByte(name, '.')+1:]
}
