package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/rulebook"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/policy"
)

const policyExplainHelp = `usage: terrarium policy explain [flags] -- LINE | COMMAND ARG...

Says what becomes of a command if an agent asks for it: each simple command of
the line, with those that others start, what is decided about it, by which rule
of which file, and why; then the rules that "always" would add. Nothing starts.

One argument is a line for the shell, unless a file that can be executed has
that name; several are a command and its arguments, which no shell reads.

  --policy FILE  rules in place of the user's
  --cwd DIR      where it would start; default: the current directory
  --root DIR     what the session hands over, in place of --cwd; repeatable
  --json         one JSON object
`

func newPolicyExplain() *cobra.Command {
	var config rulebook.Config
	var cwd string
	var roots []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:                   "explain [flags] -- LINE | COMMAND ARG...",
		Short:                 "say what becomes of a line, and why",
		Long:                  policyExplainHelp,
		DisableFlagsInUseLine: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{cmd.UseLine(), errors.New("want a line, or a command and its arguments")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := filepath.Abs(cwd)
			if err != nil {
				return err
			}
			if roots, err = policyRoots(roots, dir); err != nil {
				return err
			}
			book, err := rulebook.Open(config)
			if err != nil {
				return err
			}
			e := explained(args, dir, roots)
			x := explain(book.Decide(e))
			if x.Reason == "" && book.None() {
				x.Reason = `there is no policy file, so nothing is asked: "terrarium policy init" writes one`
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), x)
			}
			return x.print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&config.File, "policy", "", "")
	cmd.Flags().StringVar(&cwd, "cwd", "", "")
	cmd.Flags().Var((*repeated)(&roots), "root", "")
	cmd.Flags().BoolVar(&asJSON, "json", false, "")
	cmd.MarkFlagDirname("cwd")
	cmd.MarkFlagDirname("root")
	return cmd
}

// explained is what a native host makes of a command line, but also of a command that is not there.
func explained(args []string, cwd string, roots []string) *core.Exec {
	e := &core.Exec{Command: core.Command{Command: args[0], Args: args[1:], Cwd: cwd, Roots: roots}, Argv: args, Via: core.ViaArgs}
	e.Path = executable(args[0], cwd)
	if len(args) > 1 {
		return e
	}
	e.Command.Args = nil
	e.Via = core.ViaFile
	if e.Path == "" {
		e.Via = core.ViaShell
		e.Path, e.Argv = "/bin/bash", []string{"bash", "-c", args[0]}
	}
	return e
}

// executable returns the file that a name means in cwd, or "".
func executable(name, cwd string) string {
	if !strings.Contains(name, "/") {
		file, err := exec.LookPath(name)
		if err != nil && !errors.Is(err, exec.ErrDot) {
			return ""
		}
		return file
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(cwd, name)
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return ""
	}
	return name
}

// An explanation is a verdict for people and programs to read.
type explanation struct {
	explainedBy
	Commands []explainedCommand `json:"commands"`
	Always   []string           `json:"always"` // rules, in TOML
}

// An explainedBy is a decision and what it is from.
type explainedBy struct {
	Decision string `json:"decision"`
	Rule     string `json:"rule,omitempty"` // its id
	Layer    string `json:"layer,omitempty"`
	File     string `json:"file,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

type explainedCommand struct {
	Argv      []string            `json:"argv"`
	Through   []string            `json:"through,omitempty"` // what starts it, outermost first
	Assigns   []string            `json:"assigns,omitempty"`
	Redirects []explainedRedirect `json:"redirects,omitempty"`
	explainedBy
}

type explainedRedirect struct {
	Op     string `json:"op"`
	Target string `json:"target"`
	Write  bool   `json:"write"`
}

func explain(v policy.Verdict) explanation {
	x := explanation{explainedBy: by(v.Decision, v.Rule, v.Reason), Commands: []explainedCommand{}, Always: []string{}}
	for i, c := range v.Commands {
		e := explainedCommand{Argv: c.Argv, Through: c.Through, Assigns: c.Assigns, explainedBy: by(c.Decision, c.Rule, c.Reason)}
		if e.Argv == nil {
			e.Argv = []string{}
		}
		if c.Decision == policy.Allow && c.Rule == nil && i+1 < len(v.Commands) && len(v.Commands[i+1].Through) > len(c.Through) {
			e.Reason = "starts only what is below"
		}
		for _, r := range c.Redirects {
			e.Redirects = append(e.Redirects, explainedRedirect{Op: r.Op, Target: r.Target, Write: r.Write})
		}
		x.Commands = append(x.Commands, e)
	}
	for _, r := range v.Always {
		x.Always = append(x.Always, string(r.AppendTOML(nil)))
	}
	return x
}

func by(d policy.Decision, r *policy.Rule, reason string) explainedBy {
	e := explainedBy{Decision: d.String(), Reason: reason}
	if r != nil {
		e.Rule, e.Layer, e.File = r.ID, r.Layer().String(), r.File()
	}
	return e
}

// why is the rule and the file, or the reason, or both.
func (e *explainedBy) why() string {
	var parts []string
	if e.Rule != "" {
		parts = append(parts, fmt.Sprintf("rule %s of %s", e.Rule, calledFile(e.File)))
	}
	if e.Reason != "" && e.Reason != "rule "+e.Rule {
		parts = append(parts, e.Reason)
	}
	return printable.Text(strings.Join(parts, ": "))
}

// calledFile is a policy file's name in a few words.
func calledFile(name string) string {
	if user, err := rulebook.UserFile(); err == nil && name == user {
		return "the user's file"
	}
	if name == rulebook.Managed {
		return "the machine's file"
	}
	home, err := os.UserHomeDir()
	if rest, below := strings.CutPrefix(name, home+"/"); err == nil && home != "" && below {
		return "~/" + rest
	}
	return name
}

func (x *explanation) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\t%s\n", x.Decision, x.why())
	if len(x.Commands) > 0 {
		fmt.Fprintln(w)
	}
	for i := range x.Commands {
		c := &x.Commands[i]
		fmt.Fprintf(w, "%s\t%s%s\t%s\n", c.Decision, strings.Repeat("  ", len(c.Through)), c.text(), c.why())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if x.Decision == policy.Ask.String() && len(x.Always) == 0 {
		_, err := fmt.Fprint(out, "\n\"always\" is not offered: no rule that it adds would allow this line\n")
		return err
	}
	for i, rule := range x.Always {
		if i == 0 {
			fmt.Fprint(out, "\n\"always\" would add:\n")
		}
		// A rule is TOML, in which all that can't be seen is escaped.
		if _, err := fmt.Fprint(out, "\n", rule); err != nil {
			return err
		}
	}
	return nil
}

// maxExplained is how much of a command is shown, in bytes.
const maxExplained = 200

// text is the command in one line. It is for people: words that show only when the line runs are as
// they stand in it.
func (c *explainedCommand) text() string {
	var words []string
	for _, name := range c.Assigns {
		words = append(words, name+"=…")
	}
	for _, word := range c.Argv {
		if word == "" || strings.ContainsAny(word, " \t\n") && strings.IndexByte(`'"$`, word[0]) < 0 {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words = append(words, word)
	}
	for _, r := range c.Redirects {
		words = append(words, r.Op+r.Target)
	}
	text := strings.Join(words, " ")
	if len(text) > maxExplained {
		text = strings.ToValidUTF8(text[:maxExplained], "") + "…"
	}
	return printable.Text(text)
}
