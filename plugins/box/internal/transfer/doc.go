// Package transfer holds curl and wget. They fetch by plugins/http, from the hosts that a person
// has allowed. Where none is, they fail as they do where a name can't be resolved, with a line that
// says what to do instead. What needs no network works: curl's file:// URLs.
package transfer

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

// Commands returns this family's commands.
func Commands() []tool.Command {
	return []tool.Command{
		{Name: "curl", Usage: "[options...] <url>", Like: "curl 7.88.1", Trouble: curlWrite, Run: curl},
		{Name: "wget", Usage: "[OPTION]... [URL]...", Like: "GNU Wget 1.21.3", Trouble: 3, Run: wget},
	}
}

// noNetwork is said even by those who were told to be quiet: who does not know why nothing came
// tries again.
func noNetwork(l location) string {
	text := "there is no network in this sandbox: ask for the file to be put into the workspace"
	if l.scheme != "http" && l.scheme != "https" {
		return text
	}
	host := l.host
	if l.port != "" {
		host += ":" + l.port
	}
	return text + ", or for terrarium's --net " + host
}
