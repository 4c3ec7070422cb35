// Package hostwasm runs untrusted WASI commands as if they were processes.
// [Host] is its driver.Host.
//
// # What a command gets
//
// Its arguments, the variables that it was given, three streams, and one tree
// of files that holds what was handed over and nothing else: host directories
// at the paths where they were mounted, a private /tmp in memory, /dev with
// the devices that WASI programs ask for, and /bin with the names of commands
// that it may start. No clock but time, nothing of ours, and no network, unless
// [Config.HTTP] answers requests: package httpfetch has one that does so, for the
// hosts that a list of rules names.
//
// # What holds it
//
// Each layer is there without the others: core/meter rewrites every module, so
// that loops and recursion end when its fuel does or it is killed; package wasi
// checks every pointer and bounds every length; package vfs follows no
// link of the host's; [Limits] bound memory, time, output, files and
// children. A trap or a limit ends the command, with its reason in the record,
// and nothing else.
//
// A Host runs commands in this process. Package hostwasm/worker has a Host that
// runs each session's in a process of its own, which the kernel holds besides:
// use that one for modules that nobody trusts, as the command line does, and
// this one where a process is too much, or processes can't be started.
//
// # Where bash and ls come from
//
// From package plugins, which this one does not import: [Commands] makes a
// [Config.Commands], or the Commands of a worker.Config, of what plugins.Modules
// returns. A Host without them has no shell, and starts modules in files only.
//
// They are part of programs that are built in a tree after "make build". A program that
// the go command has built from a release of this module is without them, and
// plugins.Build, in the place of plugins.Modules, makes them once.
package hostwasm
