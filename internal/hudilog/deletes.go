package hudilog

// An OrderingKind tells what an [OrderingValue] holds.
type OrderingKind uint8

// Kinds of ordering values, and where the value is.
const (
	OrderingNull            OrderingKind = iota
	OrderingBool                         // I64: 0 or 1
	OrderingInt                          // I64
	OrderingLong                         // I64
	OrderingFloat                        // F64
	OrderingDouble                       // F64
	OrderingBytes                        // Str
	OrderingString                       // Str
	OrderingDate                         // I64: days since 1970
	OrderingDecimal                      // Str: unscaled value of scale 15, two's complement, big-endian
	OrderingTimeMicros                   // I64
	OrderingTimestampMicros              // I64
	OrderingLocalDate                    // I64: days since 1970
	OrderingArray                        // List: one value for each ordering field
)

// DecimalScale is the scale of every [OrderingDecimal].
const DecimalScale = 15

// An OrderingValue is the ordering value of a delete.
type OrderingValue struct {
	Kind OrderingKind
	I64  int64
	F64  float64
	Str  string
	List []OrderingValue
}

// IsDefault tells whether the delete was written without an ordering value:
// null, or the Int 0 that stands for "none".
func (v OrderingValue) IsDefault() bool {
	return v.Kind == OrderingNull || v.Kind == OrderingInt && v.I64 == 0
}

// A DeleteList is the content of a delete block.
type DeleteList struct {
	Keys     []string // record keys; "" where the writer gave none (positions only)
	Ordering []OrderingValue
}
