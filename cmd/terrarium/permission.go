package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/ask"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/environ"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/rulebook"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
	"github.com/terrarium-dev/terrarium/core/driver/audit"
	"github.com/terrarium-dev/terrarium/core/policy"
	"github.com/terrarium-dev/terrarium/hostnative"
)

const permissionHelp = `Permission: terrarium run|serve|mcp|harness

Rules say whether a command starts, somebody is asked first, or it must not.
They stand in /etc/terrarium/policy.toml, in the person's terrarium/policy.toml
below ~/.config, and in .terrarium/policy.toml of a session's directories, which
only tighten. With no rules and none of these flags, nothing is asked.

  --policy FILE           rules in place of the person's
  --approve ask|all|none  what would be asked about: ask, start it, or don't
  --ask-command CMD       a shell line that answers: it reads one JSON object
                          and prints {"answer":"once"}, or session, always, no
  --audit FILE            write down what is asked, decided and run: JSON lines
  --audit-required        and start nothing that can't be written there
                          With OTEL_EXPORTER_OTLP_ENDPOINT set, OpenTelemetry
                          is told, too: of programs, not of their arguments
  --env-inherit           commands see all our variables, secrets too; an agent
                          may send LD_PRELOAD and the like. run's default

A create that asks for more than the sandbox has (_meta.terrarium) needs a yes.

Who answers: --ask-command, else an ACP or MCP client that says it does, else a
person at our terminal; else it is no. Deny is never asked about, nor what you
type: run's command, harness's shell. Keys typed in a terminal are not judged.
`

// permissionTopic are the flags that permissionHelp explains.
var permissionTopic = []string{"policy", "approve", "ask-command", "audit", "audit-required", "env-inherit"}

// approvals are what --approve knows, the default first.
var approvals = []string{"ask", "all", "none"}

// permissionFlags say which commands start.
type permissionFlags struct {
	policy     string
	approve    string
	askCommand string
}

func (f *permissionFlags) add(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&f.policy, "policy", "", "")
	set.StringVar(&f.approve, "approve", approvals[0], "")
	set.StringVar(&f.askCommand, "ask-command", "", "")
	cmd.RegisterFlagCompletionFunc("approve", cobra.FixedCompletions(approvals, cobra.ShellCompDirectiveNoFileComp))
	cmd.MarkFlagFilename("policy", "toml")
}

// check says what is wrong with the flags.
func (f *permissionFlags) check(set *pflag.FlagSet) error {
	switch {
	case !slices.Contains(approvals, f.approve):
		return fmt.Errorf("--approve %s: no such thing: use ask, all or none", f.approve)
	case set.Changed("policy") && f.policy == "":
		return errors.New("--policy: no file")
	case set.Changed("ask-command") && strings.TrimSpace(f.askCommand) == "":
		return errors.New("--ask-command: no command")
	case f.askCommand != "" && f.approve != "ask":
		return fmt.Errorf("--ask-command and --approve %s exclude each other", f.approve)
	}
	return nil
}

// A judge decides about commands. The zero value lets all of them start.
type judge struct {
	book    *rulebook.Book
	rules   bool // there are some that let a command start, or not
	desk    *ask.Desk
	approve string
	typed   bool
	guests  bool
	place   string             // where they run, if not here
	roots   []string           // of commands whose session hands nothing over
	own     []core.EnvVariable // that commands have anyway, whoever sends them
	refuses bool               // variables of an agent that change what programs do
	program closingHost        // that runs --ask-command; may be nil
}

// judge returns who decides about commands. typed says that a person has typed them, who is not
// asked again; then config is not looked at. roots are the directories where commands are known to
// run.
func (f *commandFlags) judge(typed bool, config ask.Config, roots ...string) (*judge, error) {
	j := &judge{approve: f.approve, typed: typed, guests: f.host == "wasm", roots: roots, own: f.own(f.host)}
	if f.place != nil {
		j.place, j.own = f.place.String(), f.given
	}
	if f.work != nil {
		roots = append(slices.Clip(roots), f.work.dir)
		j.roots = roots
	}
	// Nothing that a guest gets means anything to programs outside.
	j.refuses = !typed && !f.inherit && !j.guests
	rules := rulebook.Config{File: f.policy, Guests: j.guests, Place: j.place, Path: environ.Value(j.own, "PATH")}
	rules.Warn = func(err error) { warn(os.Stderr, err) }
	starter := f.set.Changed("approve") || f.set.Changed("ask-command")
	if starter {
		rules.Starter = policy.Starter
	}
	book, err := rulebook.Open(rules)
	if err != nil {
		return nil, err
	}
	for _, err := range book.Exposed() {
		warn(os.Stderr, fmt.Errorf("rules: %w", err))
	}
	if book.None() {
		switch {
		case starter:
			notice("no policy file: the starter policy holds")
		case slices.ContainsFunc(roots, hasRules):
		case typed:
			return j, nil
		default: // a session that comes may have rules
			notice(`no policy file: nothing is asked: see "terrarium help permission"`)
		}
	}
	j.book, j.rules = book, starter || !book.None()
	if typed {
		return j, nil
	}
	config.Add = func(rules []*policy.Rule) (string, error) {
		file, err := book.Add(rules)
		if err == nil {
			notice(fmt.Sprintf("allowed from now on, by %s at the end of %s", counted(len(rules), "rule"), file))
		}
		return file, err
	}
	config.Warn = func(err error) { warn(os.Stderr, err) }
	if f.askCommand != "" {
		// The program is the person's own, so it has no sandbox.
		if j.program, err = hostnative.New(hostnative.Config{}); err != nil {
			return nil, err
		}
		config.Command = &ask.Program{Host: j.program, Line: f.askCommand, Stderr: os.Stderr}
	}
	j.desk = ask.New(config)
	return j, nil
}

// hasRules reports whether a directory has a policy file, which may be wrong.
func hasRules(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, rulebook.ProjectFile))
	return err == nil
}

// askPerson returns the way to the person at our terminal, where we have one.
func askPerson() *ask.Terminal {
	term := os.Getenv("TERM")
	return ask.NewTerminal(term == "" || term == "dumb")
}

// close ends what decides.
func (j *judge) close() {
	if j.program != nil {
		j.program.Close()
	}
}

// decider returns driver.Config.Decide. It is nil if nothing is judged.
func (j *judge) decider() func(context.Context, core.Exec) core.Decision {
	if j.book == nil && !j.refuses {
		return nil
	}
	return j.decide
}

func (j *judge) decide(ctx context.Context, e core.Exec) core.Decision {
	if e.Command.Cwd == "" && !j.guests && j.place == "" {
		e.Command.Cwd, _ = os.Getwd() // e is a copy
	}
	if len(e.Command.Roots) == 0 && !j.guests {
		e.Command.Roots = j.roots // and not the directory that the agent names
	}
	e.Command.Env = environ.Added(e.Command.Env, j.own)
	v := policy.Verdict{Decision: policy.Allow}
	if j.book != nil {
		v = j.judged(ctx, e)
	}
	record := audit.Judgement{Decision: v.Decision.String(), By: "default", Reason: printable.Text(v.Reason)}
	if v.Rule != nil {
		record.By, record.RuleID = "rule", v.Rule.ID
	}
	if e.Terms != "" && v.Decision == policy.Allow {
		v.Decision, v.Reason, v.Rule = policy.Ask, "no rule lets it run "+e.Terms, nil
		record.Decision, record.By, record.RuleID, record.Reason = v.Decision.String(), "default", "", printable.Text(v.Reason)
	}
	for _, c := range v.Commands {
		record.Commands = append(record.Commands, c.Argv)
	}
	if refused := j.refused(&e, &v); len(refused) > 0 && v.Decision != policy.Deny {
		record.Decision, record.By, record.RuleID, record.Reason = policy.Deny.String(), "default", "", environ.Reason(refused)
		audit.Judged(ctx, record)
		return core.Decision{Reason: record.Reason}
	}
	switch {
	case v.Decision == policy.Allow:
		audit.Judged(ctx, record)
		return core.Decision{Allow: true}
	case v.Decision == policy.Deny:
		audit.Judged(ctx, record)
		return core.Decision{Reason: denial(&v)}
	}
	answer := ask.Outcome{Allow: true, By: "approve"}
	switch {
	case j.approve == "none":
		answer.Allow, answer.Reason = false, "it would have to be asked about, and --approve none says no: "+denial(&v)
	case j.approve == "all" && e.Terms != "":
		answer.Allow, answer.Reason = false, "--approve all grants nothing beyond what all commands have, and nobody is asked: run it without"
	case j.approve == "all":
	case j.typed:
		answer.By = "person"
	default:
		audit.Judged(ctx, record)
		id, _ := driver.TerminalOf(ctx)
		q := &ask.Question{Terminal: id, Exec: &e, Verdict: v, Sandbox: e.Sandbox, Place: j.place}
		if j.guests {
			q.Sandbox = "wasm"
		}
		answer = j.desk.Ask(ctx, q)
	}
	record.Decision, record.By = policy.Deny.String(), answer.By
	if answer.Allow {
		record.Decision = policy.Allow.String()
	}
	if answer.Reason != "" {
		record.Reason = answer.Reason
	}
	audit.Judged(ctx, record)
	return core.Decision{Allow: answer.Allow, Reason: answer.Reason, More: answer.Allow}
}

// rule returns what the rules say of a command that an agent wants to run by itself, and so outside
// of every sandbox. decided is false if they leave it open: nobody has said that what no rule is
// about may run.
func (j *judge) rule(ctx context.Context, host driver.Host, c core.Command) (allow, decided bool, why string) {
	if j.book == nil {
		return false, false, ""
	}
	e, err := host.Resolve(ctx, c)
	if err != nil {
		return false, false, ""
	}
	e.Sandbox, e.Terms = "", ""
	switch v := j.judged(ctx, e); {
	case v.Decision == policy.Deny:
		return false, true, denial(&v)
	case v.Decision == policy.Allow && j.rules:
		return true, true, ""
	}
	return false, false, ""
}

// judged returns what the rules say. They name sessions as clients do.
func (j *judge) judged(ctx context.Context, e core.Exec) policy.Verdict {
	var held []*policy.File
	if j.desk != nil {
		held = j.desk.Held(e.Command.Session)
	}
	e.Command.Session = acpconn.SessionOf(ctx, e.Command.Session)
	return j.book.Decide(&e, held...)
}

// refused returns the variables of an agent that no command starts with, unless a rule names them.
func (j *judge) refused(e *core.Exec, v *policy.Verdict) []core.EnvVariable {
	if !j.refuses {
		return nil
	}
	refused := environ.Refused(e.Command.Env)
	return slices.DeleteFunc(refused, func(e core.EnvVariable) bool { return v.Permits(e.Name, e.Value) })
}

// maxReason is how long a reason that an agent gets may be, in bytes.
const maxReason = 1 << 10

// denial tells an agent why rules let a command not start. A project's file has perhaps written it.
func denial(v *policy.Verdict) string {
	reason := printable.Text(cut(v.Reason, maxReason))
	if v.Rule == nil {
		return reason
	}
	if named := "rule " + v.Rule.ID; v.Reason != named {
		reason += " (" + printable.Text(cut(named, maxReason)) + ")"
	}
	return reason + ". Asking again is useless."
}
