package provider

import (
	"maps"
	"slices"
)

// ReadOptionKeys are the read options that have an effect.
func ReadOptionKeys() []string { return slices.Sorted(maps.Keys(readOptions)) }
