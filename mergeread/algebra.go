package mergeread

// A choice says which of two records wins; older is earlier in log order, or
// the base row.
type choice uint8

const (
	// latest: the newer record.
	latest choice = iota
	// byEvent: the newer record unless the older one's ordering value is
	// greater. A delete without ordering value, on either side, makes the
	// newer one win.
	byEvent
	// deleteByEvent is byEvent for an entry of a delete block: an older
	// delete without ordering value stays, and ordering values of different
	// classes let the delete win.
	deleteByEvent
	// greaterOrDelete: the greater ordering value, the newer record on a tie,
	// if the older has none, or if the values have different classes. A newer
	// delete wins, and anything wins over an older delete entry.
	greaterOrDelete
	// greaterOrEntry: as greaterOrDelete, but a newer row that is a delete has
	// to have the greater value as well; only delete entries always win.
	greaterOrEntry
	// byMerger asks a registered [Merger].
	byMerger
)

// A combination says what the winner takes from the loser, column by column.
// A delete on either side means that the winner is taken whole, but see
// step.overDeleted.
type combination uint8

const (
	whole           combination = iota
	overDefaults                // default values of the winner give way
	overUnavailable             // marker values of the winner give way
	overNulls                   // nulls of the winner give way
	overAbsent                  // columns that the winner's block does not store give way
)

// A step is one application of the merge: log over log, or log over base.
type step struct {
	choose  choice
	combine combination
	// metaFromNewer takes the meta columns from the newer record even if the
	// older one won.
	metaFromNewer bool
	// overDeleted lets a row that is a delete lend its columns to the newer
	// record, as payload classes do. A delete without ordering value does not.
	overDeleted bool
}

// An algebra is the compiled form of [Rules]: every path of the merge applies
// these three steps and nothing else.
type algebra struct {
	delta   step // log data row over the key's log state
	deletes step // delete entry over the key's log state
	final   step // the key's log state over the base row
}

// compile gives the algebra of rules; partial is for slices with a block that
// is a partial update, from that block on.
func (r Rules) compile(partial bool) algebra {
	a := algebra{}
	switch r.Mode {
	case EventTime:
		a = algebra{delta: step{choose: byEvent}, deletes: step{choose: deleteByEvent}, final: step{choose: byEvent}}
	case Custom:
		c, _ := r.custom()
		if c.merger != nil {
			a = algebra{delta: step{choose: byMerger}, deletes: step{choose: byMerger}, final: step{choose: byMerger}}
		} else {
			a = algebra{delta: c.payload.merge, deletes: c.payload.merge, final: c.payload.merge}
		}
	}
	switch {
	case partial:
		a.delta = step{choose: a.delta.choose, combine: overAbsent}
		a.final = step{choose: a.final.choose, combine: overAbsent}
	case r.Mode == Custom:
	case r.Partial == IgnoreDefaults:
		a.delta.combine, a.final.combine = overDefaults, overDefaults
	case r.Partial == FillUnavailable:
		a.delta.combine, a.final.combine = overUnavailable, overUnavailable
	}
	return a
}
