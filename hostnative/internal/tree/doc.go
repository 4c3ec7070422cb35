// Package tree starts commands and keeps hold of all that they start.
//
// A command is the leader of a session and process group of its own. Its zombie
// is kept until the [Tree] has ended, or until nobody of the tree is left: so
// long the number of the process, and of its group, is given to no stranger.
//
// On Linux a tree is known by its cgroup, by a random TERRARIUM_ID in the
// environment, and, where the program is a subreaper, by descent. Elsewhere it
// is the process group.
//
// The package works in a keeper (package keeper), where all children are of
// commands, and in a program that has none.
package tree
