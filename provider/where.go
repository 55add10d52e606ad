package provider

import (
	"fmt"
	"strings"

	"github.com/hudi-go/hudi/pushdown"
	"github.com/hudi-go/hudi/scan"
)

// A Filter is a part of a query's condition, of those that its outer ANDs
// join, and how far it is understood.
type Filter struct {
	Condition string `json:"condition"` // as SQL
	// Support is "exact" if only rows come out for which it is true, else
	// "unsupported": the caller has to ask the rows.
	Support string `json:"support"`
}

// predicate is the whole condition of a query, nil for none.
func (q Query) predicate() (pushdown.Predicate, error) {
	var parts []pushdown.Predicate
	if strings.TrimSpace(q.Where) != "" {
		p, err := pushdown.ParseSQL(q.Where)
		switch {
		case err == nil:
			parts = append(parts, pushdown.Conjuncts(p)...)
		case q.Inexact:
			parts = append(parts, pushdown.ParseSQLParts(q.Where)...)
		default:
			return nil, err
		}
	}
	if q.Filter != nil {
		parts = append(parts, pushdown.Conjuncts(q.Filter)...)
	}
	if len(q.Substrait) > 0 {
		expressions, err := pushdown.ReadSubstrait(q.Substrait)
		if err != nil {
			return nil, err
		}
		for _, e := range expressions {
			parts = append(parts, pushdown.Conjuncts(e.Predicate)...)
		}
	}
	if len(parts) == 0 {
		return nil, nil
	}
	return pushdown.And(parts), nil
}

// addWhere puts a query's condition into a plan. Without q.Inexact all of it
// has to be understood.
func (t *Table) addWhere(p *Plan, q Query) error {
	predicate, err := q.predicate()
	if err != nil || predicate == nil {
		return err
	}
	all, err := p.Job.BindWhere(predicate, pushdown.BindOptions{Lenient: q.Inexact})
	if err != nil {
		return fmt.Errorf("table %s at %s: %w", t.Name(), t.uri, err)
	}
	var exact pushdown.And
	for i, c := range pushdown.Conjuncts(predicate) {
		f := Filter{Condition: c.String(), Support: pushdown.Unsupported.String()}
		if o, ok := c.(pushdown.Opaque); ok {
			f.Condition = o.Text
		}
		if all.Support()[i] == pushdown.Exact {
			f.Support = pushdown.Exact.String()
			exact = append(exact, c)
		}
		p.Filters = append(p.Filters, f)
	}
	p.prune = all
	if len(exact) == 0 {
		return nil
	}
	p.Job.Where = exact.String()
	p.where, err = p.Job.BindWhere(exact, pushdown.BindOptions{})
	return err
}

// prunable is the condition as far as it is about rows of the table, nil for
// none.
func (p *Plan) prunable() *pushdown.Bound {
	if p.Job.Changes != "" {
		return nil
	}
	return p.prune
}

// Explain tells in lines of text what becomes of a query's condition and what
// was pruned at each level.
func (p *Plan) Explain() []string { return explain(p.Filters, p.Stats.Levels) }

func explain(filters []Filter, levels []pushdown.LevelCount) []string {
	var out []string
	for _, f := range filters {
		out = append(out, fmt.Sprintf("condition %s: %s", f.Condition, f.Support))
	}
	for _, l := range levels {
		line := fmt.Sprintf("%s: %d seen, %d pruned", l.Level, l.Seen, l.Pruned)
		for i, by := range l.By {
			sep := ","
			if i == 0 {
				sep = ":"
			}
			line += fmt.Sprintf("%s %d by %s (%s)", sep, by.Count, by.Index, by.Condition)
		}
		out = append(out, line)
	}
	return out
}

// pruningOff are the levels of pruning that the table's options switch off.
func (t *Table) pruningOff() scan.Levels { return scan.PruningOff(t.options.Hudi) }
