// Package guard looks after the protected files of directories while commands run in
// them: package protect says which files those are, and how they are put back.
//
// Commands of several sessions, and of several programs, may have the same directory, or
// one that is below another's. What one of them changed must not become what another has
// put back. So each directory is looked after once, as an area: it remembers what was
// there before the first of its commands, and compares with that after each of them, as
// long as any runs. Only when none runs is it looked at anew, so that what a person has
// changed meanwhile is theirs. A directory that is used already, as one below another, is
// an area of its own, and the one around it leaves it out: no file is in two.
//
// A program that uses a directory again hears from the kernel whether anything has happened
// in it (inotify, on Linux): if not, it does not look. That is most of what a start costs.
//
// Areas are files in Config.State, which commands can't write. An area's directory has
// the lock "users", which each program that uses it holds, shared; "base", which is what
// the area remembers, for the others; and "work", the lock of who compares. "lock" in
// State is held while areas are added and removed. Locks are flock(2)'s: they end with
// who holds them. Nobody waits for one longer than Config.Patience: what was not done for
// that is told.
package guard
