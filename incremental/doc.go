// Package incremental finds out what changed in a table between two instants.
//
// [Select] turns the bounds that a user writes into a [Range]: the completed
// writes in between, from the active timeline and from the archive, in the
// order in which consumers see them: by requested time below table version 8,
// by completion time from 8 on. A [Planner] reads what these writes did and
// gives what has to be read, as plain data:
//
//   - [Planner.Rows]: the slices of the changed file groups as of the range's
//     end, and the commit times of the rows in them that changed ([Rows]);
//   - [Planner.Differences]: for each partition the changed file groups as of
//     both ends ([Change]), so that deleted keys can be told too;
//   - [Planner.Images]: for each write and file group what it was before and
//     after, and the CDC files that the write logged ([Change]).
//
// Files are opened by package scan. What the cleaner has removed is noticed
// here, from what the writes say they wrote, and refused with a [*LostError]:
// missing rows would look like rows that did not change.
package incremental
