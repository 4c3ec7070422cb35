package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// A report is what terrarium conform has written of a client.
type report struct {
	Summary struct{ Passed, Failed, Unclear, NotRun, FailedMust int }
	Points  []point
}

type point struct {
	Number                                 int
	Name, Level, Source, Verdict, Evidence string
}

func readReport(name string) (*report, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := new(report)
	return r, json.Unmarshal(data, r)
}

// A row is a client in the document.
type row struct {
	name, version, command string
	report                 *report
	notRun                 string // why there is no report
	said                   string // the last lines it has printed, if there is none
}

// marks are verdicts in a table.
var marks = map[string]string{"passed": "yes", "failed": "**no**", "unclear": "unclear", "not run": "–"}

// document returns CONFORMANCE.md.
func document(rows []row) []byte {
	var b strings.Builder
	b.WriteString(`# What the terminals of ACP clients do

Written by ` + "`go run ./cmd/dev clients`" + `, which has each client start ` + "`terrarium conform`" + ` as its
agent. "must" is what the protocol demands, "should" what it recommends, and "practice" what agents
in use rely on where it is silent. "Unclear" depends on how one reads the protocol. Below the table
stands for each client what has not passed, and why.

| client | version | passed | failed (must) | unclear | not run | command |
| --- | --- | --- | --- | --- | --- | --- |
`)
	var tried []row
	for _, r := range rows {
		if r.report == nil {
			fmt.Fprintf(&b, "| %s | %s | NOT RUN: %s | | | | |\n", r.name, r.version, r.notRun)
			continue
		}
		tried = append(tried, r)
		s := r.report.Summary
		fmt.Fprintf(&b, "| %s | %s | %d | %d (%d) | %d | %d | `%s` |\n", r.name, r.version, s.Passed, s.Failed, s.FailedMust, s.Unclear, s.NotRun, r.command)
	}
	if len(tried) == 0 {
		return []byte(b.String())
	}
	b.WriteString("\n## Point by point\n\n| | point | asked by |")
	for _, r := range tried {
		fmt.Fprintf(&b, " %s |", r.name)
	}
	b.WriteString("\n| --- | --- | --- |" + strings.Repeat(" --- |", len(tried)) + "\n")
	for i, p := range tried[0].report.Points {
		by := p.Level
		if p.Source != "" {
			by = fmt.Sprintf("[%s](%s)", p.Level, p.Source)
		}
		fmt.Fprintf(&b, "| %d | %s | %s |", p.Number, p.Name, by)
		for _, r := range tried {
			fmt.Fprintf(&b, " %s |", marks[r.report.Points[i].Verdict])
		}
		b.WriteByte('\n')
	}
	for _, r := range tried {
		fmt.Fprintf(&b, "\n## %s\n\n", r.name)
		for _, p := range r.report.Points {
			if p.Verdict == "passed" {
				continue
			}
			fmt.Fprintf(&b, "- %d, %s: %s:\n  `` %s ``\n", p.Number, p.Name, p.Verdict, strings.ReplaceAll(p.Evidence, "``", "` `"))
		}
	}
	return []byte(b.String())
}
