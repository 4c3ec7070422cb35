// Package protect puts back files of a workspace that run later, outside of a
// sandbox: hooks and configuration of git repositories, settings of editors and
// agents, startup files of shells. Landlock can't refuse a part of what it
// allows, so a command that may write a directory may write them too.
//
// It is a repair, not a wall. Until the command has ended its version is in
// force, and whoever opens the editor meanwhile gets it. What is protected is a
// list of names, and no list is complete: a Makefile, a package.json or the
// source itself run later too, and are what commands are there to change.
// Nobody can tell who wrote a file: what a person changes while a command runs is
// put back as well. The version that was found is kept aside and told.
//
// # What is done
//
// [Take] remembers the protected files of some directories. Before each command
// that runs alone, [Snapshot.Update] does so anew: what a person changed since is
// theirs. After each command [Snapshot.Restore] compares.
//
//   - A file that was there has its content, mode and kind again, in a new inode:
//     other names of the old one lead nowhere.
//   - One that was not there goes, if its directory was there. What came with a new
//     directory stays and is told: a clone brings its settings along.
//   - A git config file is compared by meaning. Remotes, branches and the like are
//     ordinary work; whatever else changed has the file put back, see harmlessKeys.
//   - A new repository keeps what is harmless in its configuration, and loses hooks
//     that would run. Nothing that git makes by itself is among them.
//   - What is gone together with its directory, or its repository, stays so.
//
// Not protected, since nothing runs them by itself: .gitmodules (git takes no
// command from it, and addresses only when a person says so), .editorconfig,
// .env, .github (its workflows run elsewhere), and the scripts of hook managers
// beyond .husky, which like those are tracked files that show in a diff.
//
// # Hostile trees
//
// Each path is opened below its root with no link followed, never as a whole, and
// what is written is a new file beside the old one that takes its name. Nothing
// that is not a regular file is opened. All is bounded: directories, depth, bytes
// held and kept. What the bounds left out is told by [Snapshot.Left].
//
// A directory that has the same identity and time of change as before is not
// listed again. That holds for file systems which keep these as POSIX has it.
package protect
