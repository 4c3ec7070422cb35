package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// terminalIn is the argument of tools that take nothing else.
type terminalIn struct {
	Terminal string `json:"terminal" jsonschema:"its id, as terminal_create has returned it"`
}

type outputIn struct {
	Terminal string `json:"terminal" jsonschema:"its id, as terminal_create has returned it"`
	MaxBytes int    `json:"max_bytes,omitempty" jsonschema:"how much output to return, the newest; 32768 unless said"`
}

type waitIn struct {
	Terminal    string   `json:"terminal" jsonschema:"its id, as terminal_create has returned it"`
	WaitSeconds *float64 `json:"wait_seconds,omitempty" jsonschema:"how long to wait; 30 unless said"`
	MaxBytes    int      `json:"max_bytes,omitempty" jsonschema:"how much output to return, the newest; 32768 unless said"`
}

// defaultWait is how long terminal_wait waits. Clients give up after a minute, many of them.
const defaultWait = 30 * time.Second

// terminalOut is a terminal in an answer. Both of ExitCode and Signal are missing while its command
// runs.
type terminalOut struct {
	Terminal string  `json:"terminal" jsonschema:"the id, for other tools"`
	Running  bool    `json:"running"`
	ExitCode *uint32 `json:"exit_code,omitempty"`
	Signal   string  `json:"signal,omitempty" jsonschema:"what has ended the command, as in SIGKILL"`
	Reason   string  `json:"reason,omitempty" jsonschema:"why it was ended: killed, timeout, memory and others"`
	Seconds  float64 `json:"seconds" jsonschema:"how long it has run"`

	Output    string `json:"output,omitempty"`
	Omitted   int    `json:"omitted_bytes,omitempty" jsonschema:"output before this that is kept: max_bytes, or the resource, has more"`
	Truncated bool   `json:"truncated,omitempty" jsonschema:"the oldest output was dropped"`
	Resource  string `json:"resource,omitempty" jsonschema:"the URI of all output"`

	Screen *view `json:"screen,omitempty"`
}

// A view is what a screen shows.
type view struct {
	Rows   int      `json:"rows"`
	Cols   int      `json:"cols"`
	Lines  []string `json:"lines" jsonschema:"its rows from the top, without blanks at the end"`
	X      int      `json:"cursor_x" jsonschema:"the cursor's column, from 0"`
	Y      int      `json:"cursor_y" jsonschema:"the cursor's row, from 0"`
	Hidden bool     `json:"cursor_hidden,omitempty"`
	Alt    bool     `json:"alternate,omitempty" jsonschema:"the alternate screen, as of editors"`
	Title  string   `json:"title,omitempty"`
}

// viewOf returns what s shows.
func viewOf(s *vt.Screen) view {
	v := view{Alt: s.Alt(), Title: clip(s.Title()), Lines: []string{}}
	v.Rows, v.Cols = s.Size()
	cursor := s.Cursor()
	v.X, v.Y, v.Hidden = cursor.X, cursor.Y, cursor.Hidden
	if text := strings.TrimRight(string(s.AppendText(nil)), "\n"); text != "" {
		v.Lines = strings.Split(text, "\n")
	}
	return v
}

// state returns what is known of t but for its output.
func (s *Server) state(t *terminal) *terminalOut {
	out := &terminalOut{Terminal: string(t.id), Running: !has(t.ended)}
	if out.Running {
		out.Seconds = round(time.Since(t.began))
		return out
	}
	out.Seconds, out.Reason = round(t.took), string(t.exit.Reason)
	switch status := t.exit.Status; {
	case status.Unknown:
		out.Reason = string(core.ReasonLost)
	case status.Signal != "":
		out.Signal = status.Signal
	default:
		out.ExitCode = &status.ExitCode
	}
	return out
}

// round returns d in seconds, with three digits.
func round(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }

// String says in one line how it is with the command.
func (o *terminalOut) String() string {
	line := "terminal " + o.Terminal + ": "
	switch {
	case o.Running:
		line += fmt.Sprintf("running for %.1f s", o.Seconds)
	case o.Signal != "":
		line += fmt.Sprintf("ended by %s after %.1f s", o.Signal, o.Seconds)
	case o.ExitCode != nil:
		line += fmt.Sprintf("ended with exit code %d after %.1f s", *o.ExitCode, o.Seconds)
	default:
		line += fmt.Sprintf("ended after %.1f s, nobody knows how", o.Seconds)
	}
	if o.Reason != "" {
		line += " (" + o.Reason + ")"
	}
	return line
}

// show answers with the newest output of t, at most limit bytes.
func (s *Server) show(t *terminal, limit int) (*sdk.CallToolResult, *terminalOut, error) {
	out := s.state(t) // before the output: what an ended command has printed is all there then
	text, truncated := s.driver.Terminal(t.id).AppendOutput(nil)
	out.Truncated, out.Resource = truncated, uri(t.id)
	out.Output = newest(text, cmp.Or(limit, defaultBytes))
	out.Omitted = len(text) - len(out.Output)
	head := out.String()
	switch {
	case out.Omitted > 0:
		head += fmt.Sprintf("\nits newest output, after %d bytes that max_bytes or the resource %s would show:", out.Omitted, out.Resource)
	case truncated:
		head += "\nits newest output; older output was dropped:"
	case len(text) > 0:
		head += "\nits output:"
	default:
		head += "\nno output"
	}
	return answer(head+"\n"+out.Output, out)
}

// newest returns the end of text, at most limit bytes, from the beginning of a character.
func newest(text []byte, limit int) string {
	text = text[max(0, len(text)-limit):]
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return string(text)
}

// answer has text for the model that calls, and out for programs. The text is no JSON: escaped
// lines are harder to read, and take more of what a model may read.
func answer(text string, out *terminalOut) (*sdk.CallToolResult, *terminalOut, error) {
	text = strings.TrimSuffix(text, "\n")
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, out, nil
}

func (s *Server) output(_ context.Context, _ *sdk.CallToolRequest, in outputIn) (*sdk.CallToolResult, *terminalOut, error) {
	t, done, err := s.use(in.Terminal)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	return s.show(t, in.MaxBytes)
}

func (s *Server) wait(ctx context.Context, req *sdk.CallToolRequest, in waitIn) (*sdk.CallToolResult, *terminalOut, error) {
	t, done, err := s.use(in.Terminal)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	limit := defaultWait
	if in.WaitSeconds != nil {
		limit = seconds(*in.WaitSeconds)
	}
	s.await(ctx, req, t, limit)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	return s.show(t, in.MaxBytes)
}

// progressTime is how often a client is told that a call goes on. It may take that for a reason to
// wait longer.
const progressTime = time.Second

// await returns when the command of t has ended, limit is over, or ctx. The end of the server ends
// the command, so it is waited for.
func (s *Server) await(ctx context.Context, req *sdk.CallToolRequest, t *terminal, limit time.Duration) {
	if limit <= 0 {
		return
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	var ticks <-chan time.Time
	token := req.Params.GetProgressToken()
	if token != nil {
		tick := time.NewTicker(progressTime)
		defer tick.Stop()
		ticks = tick.C
	}
	began := time.Now()
	for {
		select {
		case <-t.ended:
			return
		case <-late.C:
			return
		case <-ctx.Done():
			return
		case <-ticks:
			// Who does not listen misses it.
			_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: token, Progress: round(time.Since(began)), Total: limit.Seconds(),
				Message: fmt.Sprintf("%s, %d bytes of output", s.state(t), s.written(t)),
			})
		}
	}
}

// written returns how many bytes the command has printed.
func (s *Server) written(t *terminal) (n uint64) {
	s.driver.Terminal(t.id).Look(func(c *core.Terminal) { n = c.Written() })
	return n
}

// errNoScreen answers who wants to see what is not there.
var errNoScreen = errors.New("this terminal has no screen: commands run on pipes here")

func (s *Server) screen(_ context.Context, _ *sdk.CallToolRequest, in terminalIn) (*sdk.CallToolResult, *terminalOut, error) {
	t, done, err := s.use(in.Terminal)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	return s.showScreen(t)
}

// showScreen answers with what the screen of t shows, or has shown last.
func (s *Server) showScreen(t *terminal) (*sdk.CallToolResult, *terminalOut, error) {
	out := s.state(t)
	out.Screen = s.view(t)
	if out.Screen == nil {
		return nil, nil, errNoScreen
	}
	v := out.Screen
	cursor := fmt.Sprintf("cursor at column %d, row %d, from 0", v.X, v.Y)
	if v.Hidden {
		cursor = "no cursor"
	}
	return answer(fmt.Sprintf("%s\nits screen, %d columns and %d rows, %s:\n%s", out, v.Cols, v.Rows, cursor, strings.Join(v.Lines, "\n")), out)
}

// view returns what the screen of t shows. It is nil if it has none.
func (s *Server) view(t *terminal) *view {
	var v view
	if s.driver.Terminal(t.id).Screen(func(screen *vt.Screen) { v = viewOf(screen) }) {
		return &v
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.last
}
