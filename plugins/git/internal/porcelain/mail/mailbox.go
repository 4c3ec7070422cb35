// Package mail reads mailboxes with patches, and writes the head of a mail as format-patch does.
package mail

import (
	"bytes"
	"mime"
	"regexp"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A Mail is what git am reads of one: git-mailinfo(1).
type Mail struct {
	Author  repo.Signature
	Message string
	Patch   string // from the line that ends the message on
}

var (
	fromLine   = regexp.MustCompile(`^From \S+.* \d\d:\d\d:\d\d \d{4}`)
	headerLine = regexp.MustCompile(`^[!-9;-~]+:`)
)

// Split returns the mails of a mailbox, or the one that a file is. It reports whether there are
// mails in it.
func Split(text []byte) (mails []string, ok bool) {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if !fromLine.Match(first) && !headerLine.Match(first) {
		return nil, false
	}
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			mails = append(mails, b.String())
		}
		b.Reset()
	}
	for line := range bytes.Lines(text) {
		if fromLine.Match(line) {
			flush()
		}
		b.Write(line)
	}
	flush()
	return mails, true
}

// Read reads a mail. With keep the subject stays as it is.
func Read(text string, keep bool) Mail {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if fromLine.MatchString(text) {
		_, text, _ = strings.Cut(text, "\n")
	}
	head, rest, _ := strings.Cut(text, "\n\n")
	fields := readHead(head)
	body, patch := splitPatch(rest)
	if inner, after, ok := strings.Cut(strings.TrimLeft(body, "\n"), "\n\n"); ok && strings.HasPrefix(inner, "From: ") {
		for name, value := range readHead(inner) { // the mail passes on somebody else's commit
			fields[name] = value
		}
		body = after
	}
	m := Mail{Patch: patch}
	m.Author.Name, m.Author.Email = readAddress(fields["from"])
	if t, err := repo.ParseDate(fields["date"]); err == nil {
		m.Author.When = t
	} else if t, err := time.Parse("Mon, 2 Jan 2006 15:04:05 -0700", fields["date"]); err == nil {
		m.Author.When = t
	}
	title := fields["subject"]
	if !keep {
		title = cleanSubject(title)
	}
	m.Message = messages.Clean(title + "\n\n" + body)
	return m
}

// readHead reads fields, which may go on in lines that begin with a space.
func readHead(head string) map[string]string {
	fields := map[string]string{}
	name := ""
	decoder := new(mime.WordDecoder)
	raw := map[string]string{}
	for line := range strings.SplitSeq(head, "\n") {
		if line != "" && (line[0] == ' ' || line[0] == '\t') {
			raw[name] += " " + strings.TrimSpace(line)
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		name = strings.ToLower(key)
		raw[name] = strings.TrimSpace(value)
	}
	for name, value := range raw {
		if text, err := decoder.DecodeHeader(value); err == nil {
			value = text
		}
		fields[name] = value
	}
	return fields
}

func readAddress(s string) (name, email string) {
	name, rest, ok := strings.Cut(s, "<")
	if !ok {
		return strings.TrimSpace(s), strings.TrimSpace(s)
	}
	email, _, _ = strings.Cut(rest, ">")
	name = strings.TrimSpace(name)
	if unquoted, ok := strings.CutPrefix(name, `"`); ok {
		name = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(strings.TrimSuffix(unquoted, `"`))
	}
	return name, email
}

// cleanSubject removes what mails put in front: "Re:" and what is in brackets.
func cleanSubject(s string) string {
	for {
		s = strings.TrimLeft(s, " \t:")
		switch {
		case len(s) >= 3 && strings.EqualFold(s[:3], "re:"):
			s = s[3:]
		case strings.HasPrefix(s, "["):
			end := strings.IndexByte(s, ']')
			if end < 0 {
				return s
			}
			s = s[end+1:]
		default:
			return strings.Join(strings.Fields(s), " ")
		}
	}
}

// splitPatch tells the message from the patch, at the first line that cannot be of a message.
func splitPatch(text string) (message, patch string) {
	at := 0
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, " \n")
		if bare == "---" || strings.HasPrefix(line, "diff -") || strings.HasPrefix(line, "Index: ") || strings.HasPrefix(line, "--- ") && len(bare) > 4 {
			return text[:at], text[at:]
		}
		at += len(line)
	}
	return text, ""
}
