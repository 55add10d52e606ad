// Package mergeread merges the base file of a file slice with its logs.
package mergeread
