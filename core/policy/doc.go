// Package policy judges command lines by rules: before a command starts it says whether it may,
// whether a person has to be asked, or that it must not.
//
// A policy is made from files (Parse, New) and asked with Decide. A shell line is parsed, and each
// simple command in it is judged by itself, those in substitutions and behind launchers such as env
// or "bash -c" too. What can't be known before the line runs is asked about.
//
// Rules are there for prompts and records. They judge what a line says, not what the programs do
// that it starts: "make" may do anything. What holds a hostile command is a sandbox.
//
// Nothing here does I/O. Files are read, and names looked up in PATH, by the caller.
package policy
