package ask

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

// ACP asks the peer whose command it is, if it has said that it answers: it is the client of an
// editor, say, which has the person before it.
type ACP struct{}

// errGivenUp is the reason where the peer answers that its turn was cancelled.
var errGivenUp = errors.New("the turn was cancelled before anybody answered")

// Ask implements Way.
func (ACP) Ask(ctx context.Context, q *Question) (Answer, error) {
	peer, ok := acpconn.PeerOf(ctx)
	if !ok {
		return Answer{}, ErrNobody
	}
	outcome, err := peer.RequestPermission(ctx, permission(q))
	switch {
	case errors.Is(err, acp.ErrNotAsked):
		return Answer{}, ErrNobody
	case err != nil:
		return Answer{}, err
	case outcome.OptionID == "":
		return Answer{}, errGivenUp
	}
	choice := Choice(slices.Index(choiceNames[:], outcome.OptionID)) // one of those offered
	if choice != No {
		return Answer{Choice: choice}, nil
	}
	return Answer{Message: outcome.Text}, nil
}

// permission is q as ACP has it. The ids of its options are the names of choices.
//
// A grant for the session is of the kind allow_always, as there is none for it: what the kind says
// is that the answer is kept, which is true. So it is with Always, whose rules hold for the session
// too (see Desk.hold); it comes last, so that a client which takes the first option of a kind takes
// the lesser one. No option is of the kind reject_always, for no answer here is kept that says no.
func permission(q *Question) acp.Question {
	p := acp.Question{
		Exec: q.Exec, Title: q.Title(), Text: q.Text(), Fit: fit,
		Options: []acp.PermissionOption{{OptionID: Once.String(), Name: "Allow once", Kind: acp.AllowOnce}},
	}
	if q.CanSession() {
		p.Options = append(p.Options, acp.PermissionOption{OptionID: Session.String(), Name: "Allow this line for the session", Kind: acp.AllowAlways})
	}
	for i := range q.Verdict.Commands {
		p.Commands = append(p.Commands, q.Verdict.Commands[i].Argv)
	}
	if q.CanAlways {
		always := q.AlwaysText()
		p.Text += "\"Always\" allows for the rest of the session:\n- " + strings.Join(always, "\n- ") + "\n"
		name := "Always allow these in this session: see the list"
		if len(always) == 1 {
			name = "Always allow in this session: " + always[0]
		}
		p.Options = append(p.Options, acp.PermissionOption{OptionID: Always.String(), Name: name, Kind: acp.AllowAlways})
	}
	p.Options = append(p.Options, acp.PermissionOption{OptionID: No.String(), Name: "Reject", Kind: acp.RejectOnce})
	return p
}

// fit is printable.Text for text that may have lines and tabs.
func fit(s string) string {
	var b strings.Builder
	for {
		i := strings.IndexAny(s, "\n\t")
		if i < 0 {
			return b.String() + printable.Text(s)
		}
		b.WriteString(printable.Text(s[:i]) + s[i:i+1])
		s = s[i+1:]
	}
}
