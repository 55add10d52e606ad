package pushdown

import (
	"reflect"
	"testing"
)

func TestAddLevels(t *testing.T) {
	a := []LevelCount{{Level: LevelPartitions, Seen: 4, Pruned: 1, By: []Reason{{"x > 1", "partition_stats", 1}}}}
	b := []LevelCount{
		{Level: LevelRows, Seen: 10, Pruned: 3, By: []Reason{{"x > 1", "row filter", 3}}},
		{Level: LevelPartitions, Seen: 4, Pruned: 3, By: []Reason{{"x > 1", "partition_stats", 2}, {"y = 2", "partition path", 1}}},
	}
	want := []LevelCount{
		{Level: LevelPartitions, Seen: 8, Pruned: 4, By: []Reason{{"x > 1", "partition_stats", 3}, {"y = 2", "partition path", 1}}},
		b[0],
	}
	if got := AddLevels(a, b); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if a[0].By[0].Count != 1 {
		t.Error("what was added has changed")
	}
}
