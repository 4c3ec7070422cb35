package acp

import "github.com/terrarium-dev/terrarium/core/jsonrpc"

// MethodLink is a notification of who serves terminals that run elsewhere: the connection to them
// has broken, or is back. doc.go has its params.
const MethodLink = "_terrarium/link"

// A Link is the params of _terrarium/link.
type Link struct {
	Place  string // where the terminals are, as a person calls it
	State  string // "reconnecting", "resumed" or "lost"
	Reason string // for people; empty if there is none
}

// AppendLink appends the notification, as a line.
func AppendLink(dst []byte, l *Link) []byte {
	dst = append(jsonrpc.AppendNotificationHead(dst, MethodLink), '{')
	dst = appendText(dst, "place", l.Place)
	dst = appendText(dst, "state", l.State)
	if l.Reason != "" {
		dst = appendText(dst, "reason", l.Reason)
	}
	return jsonrpc.AppendTail(append(dst, '}'))
}
