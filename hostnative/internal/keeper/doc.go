// Package keeper moves the keeping of processes out of the program that embeds a
// host, into a process of its own: the keeper. It starts commands, waits for them,
// signals and ends their trees (package tree). As a subreaper it adopts their
// orphans, and it waits for nothing that the embedding program has started.
//
// The host speaks to it over a socket pair, in messages of one packet each (message).
// A command's descriptors go along with the request to start it, so reading and
// writing stay the host's. The keeper is the watchdog, too: when the socket ends, its
// host has, and it ends everything and itself. When it is the keeper that ends, its
// commands are lost (core.ReasonLost), and the next one kills what they have left.
//
// A keeper is given one start at a time. It shares its memory with what it starts
// until execve(2) returns, and so starts nothing else meanwhile: where a file system
// does not answer, that is for ever. The next start is for another keeper.
package keeper
