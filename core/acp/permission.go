package acp

import (
	"cmp"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// MethodRequestPermission asks the side of the person whether something may be
// done.
//
// https://agentclientprotocol.com/protocol/tool-calls#requesting-permission
const MethodRequestPermission = "session/request_permission"

// Kinds of a PermissionOption. A client may go by them when it draws the option,
// or when it answers in the place of the person.
const (
	AllowOnce    = "allow_once"    // yes, to this question
	AllowAlways  = "allow_always"  // yes, and to those like it that come
	RejectOnce   = "reject_once"   // no, to this question
	RejectAlways = "reject_always" // no, and to those like it that come
)

// A PermissionOption is one of the answers that the person has.
type PermissionOption struct {
	OptionID string // ours: the Outcome names it
	Name     string // what the person reads
	Kind     string // one of the constants above
}

func (o *PermissionOption) appendJSON(dst []byte) []byte {
	dst = appendText(append(dst, '{'), "optionId", o.OptionID)
	dst = appendText(dst, "name", o.Name)
	return append(appendText(dst, "kind", o.Kind), '}')
}

// A Question asks about one command, which waits for the answer.
type Question struct {
	// Terminal is the terminal that the command would have.
	Terminal core.TerminalID
	// ToolCall is the tool call that the command is for, where no terminal/create names one. If it
	// is empty too, the question is about a tool call with the terminal's id.
	ToolCall string
	// Exec is the command. Its Session is the one that the peer knows.
	Exec *core.Exec
	// Title names the command in a line. A long one is cut.
	Title string
	// Text is all that the person should know, in lines. It goes out in a fenced
	// code block, for clients render Markdown: no command can draw a picture or a
	// heading in the question about itself. Text and Title must hold no character
	// that a person can't see, which is for the caller to look after.
	Text string
	// Fit, if not nil, makes text of the command fit to be shown, as Text and Title are: clients
	// show rawInput, too, and the command of version 2. What is executed is in _meta as it is.
	Fit func(string) string
	// Commands are the simple commands that the command line consists of.
	Commands [][]string
	// Options are the answers, with OptionIDs that are not empty and differ.
	Options []PermissionOption
}

// An Outcome is what the person said.
type Outcome struct {
	// OptionID is that of one of the Question's Options. It is empty if the peer
	// gave the question up, as ACP has it do when the turn is cancelled.
	OptionID string
	// Text is what the person wrote besides, mostly why not. It came from the
	// peer as it is, but for its length: at most 2 KiB.
	Text string
}

// size is how many bytes of strings q has, at least: less than its JSON.
func (q *Question) size() int {
	n := len(q.Text) + len(q.Exec.Command.Command) + len(q.Exec.Command.Cwd) + len(q.Exec.Command.Session)
	for _, arg := range q.Exec.Command.Args {
		n += len(arg)
	}
	for _, argv := range q.Commands {
		for _, arg := range argv {
			n += len(arg)
		}
	}
	return n + len(q.Exec.Terms)
}

// appendParams appends the params of session/request_permission: q, asked
// because of the terminal/create waiting.
func (q *Question) appendParams(dst []byte, waiting create) []byte {
	c := &q.Exec.Command
	dst = appendText(append(dst, '{'), "sessionId", string(c.Session))
	dst = append(jsonrpc.AppendKey(dst, "toolCall"), '{')
	toolCall := cmp.Or(waiting.toolCall, q.ToolCall, string(q.Terminal))
	dst = appendText(dst, "toolCallId", toolCall)
	dst = appendText(dst, "title", q.title())
	dst = appendText(dst, "kind", "execute")
	dst = appendText(dst, "status", "pending")
	dst = append(jsonrpc.AppendKey(dst, "content"), `[{"type":"content","content":{"type":"text"`...)
	dst = append(appendText(dst, "text", CodeBlock(q.Text)), "}}]"...)
	dst = append(jsonrpc.AppendKey(dst, "rawInput"), '{')
	args := make([]string, len(c.Args))
	for i, arg := range c.Args {
		args[i] = q.fit(arg)
	}
	dst = appendText(dst, "command", q.fit(c.Command))
	dst = appendTexts(dst, "args", args)
	dst = append(appendText(dst, "cwd", q.fit(c.Cwd)), "}}"...)
	return q.appendRest(dst, waiting)
}

// fit is Fit, if there is one.
func (q *Question) fit(s string) string {
	if q.Fit == nil {
		return s
	}
	return q.Fit(s)
}

// appendDraftParams is appendParams in the form of version 2, where a question
// is about a command and has words of its own. It names the tool call only if one
// is known, and no terminal: only the agent tells of those.
func (q *Question) appendDraftParams(dst []byte, waiting create) []byte {
	c := &q.Exec.Command
	dst = appendText(append(dst, '{'), "sessionId", string(c.Session))
	dst = appendText(dst, "title", q.title())
	dst = appendText(dst, "description", CodeBlock(q.Text))
	dst = append(jsonrpc.AppendKey(dst, "subject"), `{"type":"command"`...)
	dst = appendText(dst, "command", q.fit(CommandLine(c)))
	dst = appendText(dst, "cwd", q.fit(c.Cwd))
	if toolCall := cmp.Or(waiting.toolCall, q.ToolCall); toolCall != "" {
		dst = appendText(dst, "toolCallId", toolCall)
	}
	return q.appendRest(append(dst, '}'), waiting)
}

// title is the question in a line. A client may show nothing else.
func (q *Question) title() string {
	title := codeSpan(clip(q.Title))
	if terms := q.Exec.Terms; terms != "" {
		return clip(terms) + ": " + title
	}
	return title
}

// appendRest appends what both versions have: the answers and _meta.
func (q *Question) appendRest(dst []byte, waiting create) []byte {
	dst = append(jsonrpc.AppendKey(dst, "options"), '[')
	for i := range q.Options {
		dst = q.Options[i].appendJSON(jsonrpc.AppendComma(dst))
	}
	dst = append(dst, ']')
	return appendEnd(dst, ourMeta(func(dst []byte) []byte {
		dst = append(jsonrpc.AppendKey(dst, "requestId"), waiting.id.String()...)
		dst = appendText(dst, "terminalId", string(q.Terminal))
		dst = append(jsonrpc.AppendKey(appendExec(dst, q.Exec), "commands"), '[')
		for _, argv := range q.Commands {
			dst = append(jsonrpc.AppendComma(dst), '[')
			for _, arg := range argv {
				dst = jsonrpc.AppendString(jsonrpc.AppendComma(dst), arg)
			}
			dst = append(dst, ']')
		}
		return append(dst, ']')
	}))
}

// CommandLine returns a command as a person reads it: as a shell would take it.
func CommandLine(c *core.Command) string {
	if len(c.Args) == 0 {
		return c.Command
	}
	var line strings.Builder
	for i, word := range append([]string{c.Command}, c.Args...) {
		if i > 0 {
			line.WriteByte(' ')
		}
		line.WriteString(shellWord(word))
	}
	return line.String()
}

// shellWord quotes a word, if a shell could take it for something else.
func shellWord(word string) string {
	plain := func(c rune) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("_@%+=:,./-", c)
	}
	if word != "" && strings.IndexFunc(word, func(c rune) bool { return !plain(c) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// codeSpan returns a line as Markdown that shows it as it is.
func codeSpan(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' ' // a blank line would end the span
		}
		return r
	}, s)
	fence := strings.Repeat("`", backticks(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// CodeBlock returns lines as Markdown that shows them as they are.
func CodeBlock(s string) string {
	fence := strings.Repeat("`", max(3, backticks(s)+1))
	return fence + "\n" + strings.TrimSuffix(s, "\n") + "\n" + fence
}

// backticks returns the length of the longest run of them in s.
func backticks(s string) (longest int) {
	run := 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// maxWords is how long an Outcome's Text may be, in bytes. The agent reads it.
const maxWords = 2 << 10

// decodeOutcome reads the result of session/request_permission, which must be
// one of the options.
func decodeOutcome(result jsonrpc.Value, options []string) (Outcome, error) {
	d := decode(result)
	v, ok := d.required("outcome")
	if !ok {
		return Outcome{}, d.err
	}
	d = decode(v)
	kind := d.text("outcome")
	switch {
	case d.err != nil:
		return Outcome{}, d.err
	case kind == "cancelled":
		return Outcome{}, nil
	case kind != "selected":
		return Outcome{}, &ParamError{Param: "outcome", Reason: "value"}
	}
	chosen := d.text("optionId")
	if d.err != nil {
		return Outcome{}, d.err
	}
	for _, id := range options {
		if id == chosen {
			return Outcome{OptionID: id, Text: words(v)}, nil
		}
	}
	return Outcome{}, &ParamError{Param: "optionId", Reason: "unknown"}
}

// words returns what the person wrote besides choosing an option.
func words(outcome jsonrpc.Value) string {
	reason, _ := ours(outcome).Get("reason")
	text, _ := reason.Text() // of half a surrogate pair enough is left to read
	return clipTo(text, maxWords)
}

// ours returns what stands under our key in the _meta of v.
func ours(v jsonrpc.Value) jsonrpc.Value {
	meta, _ := v.Get("_meta")
	member, _ := meta.Get("terrarium")
	return member
}

// oursOf returns our member of a _meta, which is absent if that is malformed.
func oursOf(meta []byte) jsonrpc.Value {
	v, _ := jsonrpc.Parse(meta)
	member, _ := v.Get("terrarium")
	return member
}
