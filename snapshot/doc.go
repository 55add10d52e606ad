// Package snapshot tells what a Hudi table is at one instant: its
// configuration, its timeline, its schema, and the file slices that a read has
// to merge. Nothing here reads rows.
//
// How data passes through, in the order of [Open]:
//
//   - [ReadConfig] reads .hoodie/hoodie.properties and refuses tables that
//     this reader would read wrongly;
//   - [LoadTimeline] lists the active timeline (layouts 1 and 2); archived
//     instants are read only when a question needs them;
//   - an instant is pinned: the last completed write, or the one that a time
//     travel names;
//   - [Snapshot.Slices] lists files, through the metadata table or from the
//     folders, and groups them into file slices. There is one piece of code
//     that groups (view.go), whatever the listing.
//
// [MetadataTable] looks keys up in any partition of the metadata table; the
// file listing is its first user, indexes are others.
//
// A [Snapshot] does not change once it is open, and is safe for concurrent use.
package snapshot
