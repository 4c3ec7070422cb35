package conform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// JSON returns the report as one indented JSON object.
func (r *Report) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(r)
	return b.Bytes(), err
}

// String returns the summary for people, in lines.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %v\n", r.Client, r.Summary)
	for _, p := range r.Points {
		if p.Verdict == Failed {
			fmt.Fprintf(&b, "  %v\n", p)
		}
	}
	for _, f := range r.Faults {
		fmt.Fprintf(&b, "  it sent %s, %d times: %s\n", f.What, f.Count, f.Example)
	}
	return b.String()
}

func (c Client) String() string {
	if c.Name == "" {
		return "a client without a name"
	}
	return strings.TrimSpace(c.Name + " " + c.Version)
}

func (s Summary) String() string {
	return fmt.Sprintf("%d passed, %d failed (%d that the protocol demands), %d unclear, %d not run",
		s.Passed, s.Failed, s.FailedMust, s.Unclear, s.NotRun)
}

// String returns the result in a line.
func (p Result) String() string {
	line := fmt.Sprintf("%d %s: %s", p.Number, p.Name, p.Verdict)
	if p.Verdict == Passed {
		return line
	}
	return line + ": " + p.Evidence
}

// Markdown returns the report as a document, with a table of all points.
func (r *Report) Markdown() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# What the terminals of %s do\n\n", cell(r.Client.String()))
	fmt.Fprintf(&b, "Tried by `terrarium conform` %s", cell(r.Version))
	if !r.Started.IsZero() {
		fmt.Fprintf(&b, " on %s, in %v", r.Started.UTC().Format(time.DateOnly), time.Duration(r.DurationMs)*time.Millisecond)
	}
	fmt.Fprintf(&b, ": %v.\n", r.Summary)
	fmt.Fprintf(&b, "The client asked for version %d of ACP", r.Client.ProtocolVersion)
	if !r.Client.Terminal {
		b.WriteString(" and does not advertise terminals")
	}
	b.WriteString(".\n\n| | point | asked by | verdict | evidence |\n| --- | --- | --- | --- | --- |\n")
	for _, p := range r.Points {
		by := string(p.Level)
		if p.Source != "" {
			by = fmt.Sprintf("[%s](%s)", p.Level, p.Source)
		}
		fmt.Fprintf(&b, "| %d | **%s**: %s | %s | %s | %s |\n", p.Number, p.Name, p.Want, by, p.Verdict, code(p.Evidence))
	}
	if len(r.Faults) > 0 {
		b.WriteString("\nAt whatever point, the client has sent:\n\n")
	}
	for _, f := range r.Faults {
		fmt.Fprintf(&b, "- %s, %d times: %s\n", f.What, f.Count, code(f.Example))
	}
	return []byte(b.String())
}

// cell returns text from outside as it may stand in a table and mean nothing in Markdown.
func cell(s string) string {
	var b strings.Builder
	for _, c := range s {
		if strings.ContainsRune("\\`*_{}[]()<>#+-!|&~", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// code returns text from outside as a span of code in a table, which "|" would end
// even there.
func code(s string) string {
	if s == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + " " + strings.ReplaceAll(s, "|", `\|`) + " " + fence
}
