package schema

import "unsafe"

// viewAs views the bytes of a buffer as n values of a fixed-width type.
func viewAs[T any](b []byte, n int) []T {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}
