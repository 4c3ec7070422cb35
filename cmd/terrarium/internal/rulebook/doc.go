// Package rulebook finds the policy files that hold for a command, asks them, and writes what a
// person has allowed for good.
//
// A managed file and the user's file are looked at before each decision, and so are those of the
// directories that the command's session hands over: what a person changes holds from the next
// command on. A file that is wrong, or can't be read, denies all that it would be asked about.
package rulebook
