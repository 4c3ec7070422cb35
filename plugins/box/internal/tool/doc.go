// Package tool is what every command of the box is written against: its streams, its directory, its
// environment and its files, all in one [Env], and nothing of the process around it.
//
// Commands run inside the shell, several at once in one pipeline, each with its own directory and
// environment. So they never touch os.Stdin, os.Getwd, os.Exit or package variables. A command
// whose output breaks sees its input end, and [Run] gives it the status that SIGPIPE would have
// given it.
package tool
