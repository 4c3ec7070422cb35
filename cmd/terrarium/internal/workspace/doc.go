// Package workspace hands a directory over to another machine and takes back what was changed
// there. One side is near, where the person is; the other is far, where commands run. Neither
// trusts the other: whatever comes from there is bounded, goes through an os.Root, and names what
// it refuses.
//
// A [Listing] says what is in a directory: for each path what kind of file it is, and the SHA-256
// of what is in it. Three of them tell what to do: what was handed over last, what is here, and
// what is there. A [Change] is what becomes of one path. Changes go over as a tar, of which an
// [Incoming] is what has come: all of it is put into its place, or nothing.
//
// In a git tree, files that git ignores stay where they are, and the history goes over as a bundle.
// Files that are as in HEAD are then not in the tar, since the bundle has them.
package workspace
