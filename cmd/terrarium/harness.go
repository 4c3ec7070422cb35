package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/ask"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/llm"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/challenge"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/harness"
	"github.com/terrarium-dev/terrarium/hostnative"
)

const harnessHelp = `usage: terrarium harness [flags] --instruction TEXT [--] AGENT [ARG...]

Has AGENT, a program, do a task at a shell, like Terminal-Bench's terminus-2: it
is told of the screen, and types. Exits with 0 only if it says that it is done.

  new                     write an AGENT's beginning; "parse" reads its answers
  --instruction TEXT      the task; or --instruction-file FILE
  --wire json|text        how AGENT is asked: {"instruction","screen","step",
                          "prompt"} on a line, or the prompt and a NUL
  --format json|xml       how it answers: as a <response>, or on a line with
      "analysis", "plan", "commands":[{"keystrokes":"ls\n"}], "task_complete"
  --llm URL, --model NAME   instead of AGENT, a model behind OpenAI's chat API:
                          http://localhost:11434/v1; OPENAI_API_KEY is its key
  --context N             how many tokens it can read, if no error would tell
  --strict                do what terminus-2 does, and wait as long as told
  --max-turns N, --timeout D  end the task after so many turns, or so long
  --turn-timeout D        wait so long for an answer; default 5m
  --json                  end with {"completed","turns","outcome",...}
  --record FILE.cast, --transcript FILE   for asciinema; every turn, as JSON
  --cols N, --rows N      the terminal's size; default: 160x40
  --output-byte-limit N   keep so much of what scrolls out; default 16MiB
  --on, --cwd, --env, --kill-grace, --trace, --host, --sandbox, --limit as "run"
  --policy, --approve, --audit, --env-inherit   see "terrarium help permission"
`

// harnessFlags are the flags of harness.
type harnessFlags struct {
	commandFlags
	instruction     string
	instructionFile string
	wire            string
	format          string
	strict          bool
	maxTurns        int
	turnTimeout     time.Duration
	llm, model      string
	context         count
	record          string
	transcript      string
	json            bool
}

// defaultTurnTimeout is what the Term Challenge gives an agent for an answer.
const defaultTurnTimeout = 5 * time.Minute

func newHarness() *cobra.Command {
	var f harnessFlags
	cmd := &cobra.Command{
		Use:                   "harness [flags] --instruction TEXT [--] AGENT [ARG...]",
		Short:                 "have an agent do a task at a shell",
		Long:                  harnessHelp,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := f.parse(args)
			if err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			return f.run(t)
		},
	}
	f.add(cmd)
	cmd.Flags().SetInterspersed(false) // what follows the agent is its own
	cmd.AddCommand(newHarnessNew())
	return cmd
}

// add declares the flags: those that an agent's shell shares with other
// commands, and its own.
func (f *harnessFlags) add(cmd *cobra.Command) {
	f.addShell(cmd)
	f.addOn(cmd)
	f.set.StringVar(&f.instruction, "instruction", "", "")
	f.set.StringVar(&f.instructionFile, "instruction-file", "", "")
	f.set.StringVar(&f.wire, "wire", "json", "")
	f.set.StringVar(&f.format, "format", "json", "")
	f.set.BoolVar(&f.strict, "strict", false, "")
	f.set.IntVar(&f.maxTurns, "max-turns", 0, "")
	f.turnTimeout = defaultTurnTimeout
	f.set.Var((*duration)(&f.turnTimeout), "turn-timeout", "")
	f.set.StringVar(&f.llm, "llm", "", "")
	f.set.StringVar(&f.model, "model", "", "")
	f.set.Var(&f.context, "context", "")
	f.set.StringVar(&f.record, "record", "", "")
	f.set.StringVar(&f.transcript, "transcript", "", "")
	f.set.BoolVar(&f.json, "json", false, "")

	cmd.RegisterFlagCompletionFunc("wire", cobra.FixedCompletions([]string{"json", "text"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"json", "xml"}, cobra.ShellCompDirectiveNoFileComp))
}

// keyVariable has the key of a language model's server, as everywhere.
const keyVariable = "OPENAI_API_KEY"

// A task is what the arguments ask for.
type task struct {
	shell     core.Command
	challenge challenge.Config
	llm       *llm.Agent // or command
	command   core.Command
	wire      harness.Wire
}

// maxWrong is how many wrong answers in a row a task may have. Models that err
// find back within a few.
const maxWrong = 20

// maxIdle is how many answers in a row may come at once and do nothing. They are more
// than wrong ones may be: a program that looks again and again may be right to.
const maxIdle = 100

func (f *harnessFlags) parse(args []string) (t task, err error) {
	if t.shell, err = f.command(); err != nil {
		return t, err
	}
	t.shell.Timeout = -1 // --timeout is the task's
	t.shell.Cols, t.shell.Rows = cmp.Or(t.shell.Cols, harness.DefaultCols), cmp.Or(t.shell.Rows, harness.DefaultRows)
	if !f.set.Changed("output-byte-limit") {
		t.shell.OutputByteLimit = 0 // the harness knows better
	}
	t.challenge = challenge.Config{MaxTurns: f.maxTurns, MaxWrong: maxWrong, MaxIdle: maxIdle, AnswerTimeout: f.turnTimeout, Timeout: f.timeout}
	t.challenge.Parser.Strict = f.strict
	var ok bool
	if t.challenge.Parser.Format, ok = challenge.ParseFormat(f.format); !ok {
		return t, fmt.Errorf("--format %s: no such format: use json or xml", f.format)
	}
	if t.wire, ok = harness.ParseWire(f.wire); !ok {
		return t, fmt.Errorf("--wire %s: no such wire: use json or text", f.wire)
	}
	switch {
	case f.maxTurns < 0:
		return t, fmt.Errorf("--max-turns %d: negative", f.maxTurns)
	case f.turnTimeout < 0:
		return t, fmt.Errorf("--turn-timeout %v: negative", f.turnTimeout)
	case f.set.Changed("instruction") && f.set.Changed("instruction-file"):
		return t, errors.New("--instruction and --instruction-file exclude each other")
	case (f.llm == "") != (f.model == ""):
		return t, errors.New("--llm and --model need each other")
	case f.context < 0:
		return t, fmt.Errorf("--context %d: negative", f.context)
	case f.context > 0 && f.llm == "":
		return t, errors.New("--context needs --llm")
	case f.llm != "" && len(args) > 0:
		return t, errors.New("--llm and an agent exclude each other")
	case f.llm != "" && f.set.Changed("wire"):
		return t, errors.New("--wire needs an agent")
	case f.llm == "" && len(args) == 0:
		return t, errors.New("no agent")
	case f.llm != "":
		c := llm.Config{URL: f.llm, Model: f.model, Key: os.Getenv(keyVariable), Context: int(min(f.context, math.MaxInt32)), Verbatim: f.strict}
		if t.llm, err = llm.New(c); err != nil {
			return t, fmt.Errorf("--llm %w", err)
		}
		t.challenge.Guide = challenge.Guide(t.challenge.Parser.Format)
		if f.inherit { // it is no business of what the model runs
			t.shell.Env = append([]core.EnvVariable{{Name: keyVariable}}, t.shell.Env...)
		}
	default:
		t.command = core.Command{Command: args[0], Args: args[1:]}
	}
	t.challenge.Instruction, err = f.readInstruction()
	return t, err
}

func (f *harnessFlags) readInstruction() (string, error) {
	text := f.instruction
	if f.instructionFile != "" {
		file, err := readFile(f.instructionFile, maxInstruction)
		if err != nil {
			return "", fmt.Errorf("--instruction-file: %w", err)
		}
		text = strings.TrimSuffix(strings.ToValidUTF8(string(file), "\uFFFD"), "\n")
	}
	if strings.TrimSpace(text) == "" {
		return "", errors.New("no instruction: use --instruction TEXT or --instruction-file FILE")
	}
	return text, nil
}

// maxInstruction is how long an instruction in a file may be, in bytes.
const maxInstruction = 16 << 20

// readFile returns all of a file, which may be a pipe, of at most limit bytes.
func readFile(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s: more than %d bytes", name, limit)
	}
	return text, err
}

// run has the task done. The error is how we exit.
func (f *harnessFlags) run(t task) error {
	host, err := f.open(&t.shell, 0)
	if err != nil {
		return err
	}
	defer host.Close()
	judge, err := f.judge(true, ask.Config{}, append(t.shell.Roots, t.shell.Cwd)...)
	if err != nil {
		return err
	}
	trail, err := f.audit.open()
	if err != nil {
		return err
	}
	defer trail.close()
	w, err := f.witnesses(t)
	if err != nil {
		return err
	}
	if w.view != nil {
		f.links.sayBy(w.view.hear)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	notifyEnd(signals)
	startDefault()
	go func() { // left behind when we exit
		s := <-signals
		cancel(exitStatus(statusSignal + int(s.(syscall.Signal))))
	}()
	began := time.Now()
	result, err := f.do(ctx, t, host, w, judge, trail)
	s := f.summary(t, result, time.Since(began))
	if err == nil {
		w.transcript.line(s)
	}
	w.close()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	case f.json:
		if err := s.print(os.Stdout); err != nil {
			return err
		}
	case s.Completed:
		notice(fmt.Sprintf("completed in %d turns, %v", s.Turns, time.Since(began).Round(100*time.Millisecond)))
	}
	return f.status(result)
}

// do runs the agent, if it is a program, and the harness around it.
func (f *harnessFlags) do(ctx context.Context, t task, host driver.Host, w witnesses, j *judge, trail *trail) (harness.Result, error) {
	config := harness.Config{
		Host: host, Challenge: t.challenge, Core: f.config(w.trace), Shell: t.shell,
		Decide: j.decider(), OnOutput: w.output, OnTurn: w.turn, Wrap: trail.wrap,
	}
	if t.llm != nil {
		t.llm.OnHandOver = w.handOver
		config.Agent = t.llm
		return harness.Run(ctx, config)
	}
	native, err := hostnative.New(hostnative.Config{}) // the agent is the person's own
	if err != nil {
		return harness.Result{}, err
	}
	defer native.Close()
	child, err := harness.Start(ctx, harness.ChildConfig{
		Host: native, Core: core.Config{KillGrace: f.config(nil).KillGrace}, Command: t.command,
		Wire: t.wire, Format: t.challenge.Parser.Format, Stderr: w.stderr(),
		Wrap: trail.wrapAgent,
	})
	if err != nil {
		return harness.Result{}, startFailure(err)
	}
	config.Agent = child
	result, err := harness.Run(ctx, config)
	return result, cmp.Or(err, child.Close())
}

// taskSummary is what harness --json prints.
type taskSummary struct {
	Completed bool   `json:"completed"`
	Turns     int    `json:"turns"`
	Outcome   string `json:"outcome"`

	Reason core.Reason `json:"reason,omitempty"` // the limit that its shell was killed for

	Error      *string `json:"error"` // why the agent has ended, if it has
	Commands   int     `json:"commands"`
	DurationMs int64   `json:"durationMs"`
	Strict     bool    `json:"strict"`
	Host       string  `json:"host"`
	Screen     string  `json:"screen"`

	Tokens *llm.Usage `json:"tokens,omitempty"` // of a language model
}

func (f *harnessFlags) summary(t task, r harness.Result, took time.Duration) taskSummary {
	s := taskSummary{
		Completed: r.Outcome == challenge.Completed, Turns: r.Turns, Outcome: r.Outcome.String(), Reason: r.Reason, Commands: r.Commands,
		DurationMs: took.Milliseconds(), Strict: f.strict, Host: f.host, Screen: r.Screen,
	}
	if r.Err != nil {
		text := message(r.Err)
		s.Error = &text
	}
	if t.llm != nil {
		tokens := t.llm.Usage()
		s.Tokens = &tokens
	}
	return s
}

// print prints the summary in one line.
func (s taskSummary) print(w io.Writer) error {
	return newEncoder(w).Encode(s)
}

// status returns the error that we exit with.
func (f *harnessFlags) status(r harness.Result) error {
	switch r.Outcome {
	case challenge.Completed:
		return nil
	case challenge.AgentEnded:
		return r.Err
	case challenge.TerminalEnded:
		if r.Reason != core.ReasonNone {
			return fmt.Errorf("not completed: %v: its shell was killed for --limit %s", r.Outcome, limitOf(r.Reason))
		}
	case challenge.TimeOver:
		return &failure{statusTimeout, fmt.Errorf("not completed: timed out after %v", f.timeout)}
	case challenge.WrongAnswers:
		return fmt.Errorf("not completed: nothing could be made of %d answers in a row: --transcript FILE writes them down", maxWrong)
	case challenge.IdleAnswers:
		return fmt.Errorf("not completed: %d answers in a row came at once and did nothing: to wait, an agent sends empty keystrokes with a duration", maxIdle)
	case challenge.AnswerOver:
		return &failure{statusTimeout, fmt.Errorf("not completed: no answer within %v", f.turnTimeout)}
	}
	return fmt.Errorf("not completed: %v", r.Outcome)
}
