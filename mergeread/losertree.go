package mergeread

// A loserTree finds the cursor with the least key among many logs. Equal keys
// come out in the order in which the runs apply.
//
// Inner node i holds the loser of the match played there; node 0 the winner
// of all. Taking a row replays the matches between its leaf and the root.
type loserTree struct {
	cursors  []*cursor
	nodes    []int
	compared int64
}

func newLoserTree(cursors []*cursor) *loserTree {
	t := &loserTree{cursors: cursors, nodes: make([]int, len(cursors))}
	if len(cursors) > 0 {
		t.nodes[0] = t.play(1)
	}
	return t
}

// play fills the subtree of a node and gives its winner.
func (t *loserTree) play(node int) int {
	k := len(t.cursors)
	if node >= k {
		return node - k
	}
	a, b := t.play(2*node), t.play(2*node+1)
	if t.less(b, a) {
		a, b = b, a
	}
	t.nodes[node] = b
	return a
}

// less says that cursor a comes out before cursor b.
func (t *loserTree) less(a, b int) bool {
	x, y := t.cursors[a], t.cursors[b]
	if x.done || y.done {
		return !x.done
	}
	t.compared++
	if x.prefix != y.prefix {
		return x.prefix < y.prefix
	}
	if c := compareKeys(x.key, y.key); c != 0 {
		return c < 0
	}
	return a < b
}

// winner is the cursor with the least key, nil if all are done.
func (t *loserTree) winner() *cursor {
	if len(t.cursors) == 0 || t.cursors[t.nodes[0]].done {
		return nil
	}
	return t.cursors[t.nodes[0]]
}

// runnerUp is the cursor that would win without the winner, nil if none is
// left. It lost a match against the winner, so it is on the way to its leaf.
func (t *loserTree) runnerUp() *cursor {
	best := -1
	for n := (t.nodes[0] + len(t.cursors)) / 2; n > 0; n /= 2 {
		if c := t.nodes[n]; !t.cursors[c].done && (best < 0 || t.less(c, best)) {
			best = c
		}
	}
	if best < 0 {
		return nil
	}
	return t.cursors[best]
}

// replay restores the order after the winner moved on.
func (t *loserTree) replay() {
	w := t.nodes[0]
	for n := (w + len(t.cursors)) / 2; n > 0; n /= 2 {
		if t.less(t.nodes[n], w) {
			w, t.nodes[n] = t.nodes[n], w
		}
	}
	t.nodes[0] = w
}
