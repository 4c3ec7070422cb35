// Package strays finds processes that were started for a host, wherever they
// have gone since, and ends them. It works on Linux; elsewhere it finds none.
package strays

// Env is the environment variable that marks the processes of a command: its
// value is HostID, "-", and what names the command, without a "-".
const Env = "TERRARIUM_ID"
