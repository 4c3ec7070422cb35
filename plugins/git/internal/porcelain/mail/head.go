package mail

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// HeadOptions say how the head of a mail is written.
type HeadOptions struct {
	Prefix string // in front of the subject, in brackets; "" for none
	Zero   bool   // whether the commit is not named
}

// Head writes a commit as the head of a mail, with its message: git format-patch.
func Head(commit *repo.Commit, o HeadOptions) string {
	var b strings.Builder
	id := commit.Hash.String()
	if o.Zero {
		id = strings.Repeat("0", len(id))
	}
	fmt.Fprintf(&b, "From %s Mon Sep 17 00:00:00 2001\n", id)
	fmt.Fprintf(&b, "From: %s <%s>\n", encodedName(commit.Author.Name), commit.Author.Email)
	fmt.Fprintf(&b, "Date: %s\n", commit.Author.When.Format("Mon, 2 Jan 2006 15:04:05 -0700"))
	title := messages.Subject(commit.Message)
	head := "Subject: "
	if o.Prefix != "" {
		head += "[" + o.Prefix + "] "
	}
	b.WriteString(folded(head, title) + "\n")
	text := messages.Body(commit.Message)
	if !ascii(title) || !ascii(text) || !ascii(commit.Author.Name) {
		b.WriteString("MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n")
	}
	b.WriteString("\n")
	if text != "" {
		b.WriteString(strings.TrimRight(text, "\n") + "\n")
	}
	return b.String()
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c >= utf8.RuneSelf }) < 0
}

// encodedName is a name as From has it: quoted or encoded where it must be.
func encodedName(name string) string {
	if !ascii(name) {
		return encoded(name)
	}
	if strings.ContainsAny(name, `()<>[]:;@\,."`) {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
	}
	return name
}

// encoded is text as RFC 2047 has it, in one word.
func encoded(s string) string {
	var b strings.Builder
	b.WriteString("=?UTF-8?q?")
	for i := range len(s) {
		c := s[i]
		if 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '!' || c == '*' || c == '+' || c == '-' || c == '/' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "=%02X", c)
	}
	return b.String() + "?="
}

// maxMailLine is how wide lines of a mail's head are.
const maxMailLine = 78

// folded writes a field of a head, in several lines if it is long.
func folded(head, text string) string {
	if !ascii(text) {
		return head + encodedWords(len(head), text)
	}
	line, out := head, ""
	for i, word := range strings.Split(text, " ") {
		if i > 0 && len(line)+1+len(word) > maxMailLine {
			out += line + "\n"
			line = " " + word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	return out + line
}

// encodedWords is text as RFC 2047 has it, in words that fit into lines.
func encodedWords(used int, text string) string {
	var out []string
	part := ""
	room := 76 - used
	for _, c := range text {
		next := encoded(part + string(c))
		if part != "" && len(next) > room {
			out = append(out, encoded(part))
			part, room = "", 76-1
		}
		part += string(c)
	}
	return strings.Join(append(out, encoded(part)), "\n ")
}
