package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/mcp"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/otel"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
	"github.com/terrarium-dev/terrarium/core/driver/audit"
)

// auditFlags are the flags of what keeps a record.
type auditFlags struct {
	file     string
	required bool
}

func (f *auditFlags) add(set *pflag.FlagSet) {
	set.StringVar(&f.file, "audit", "", "")
	set.BoolVar(&f.required, "audit-required", false, "")
}

func (f *auditFlags) check(set *pflag.FlagSet) error {
	switch {
	case f.file == "" && set.Changed("audit"): // a variable that isn't set
		return errors.New("--audit: no file")
	case f.file == "" && f.required:
		return errors.New("--audit-required needs --audit FILE")
	}
	return nil
}

// outside says if commands that may write dirs may write the record, too: they could write it anew.
// With --audit-required that is an error.
func (f *auditFlags) outside(dirs []string) error {
	if f.file == "" {
		return nil
	}
	real := func(dir string) string {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return ""
		}
		if to, err := filepath.EvalSymlinks(dir); err == nil {
			return to
		}
		return dir
	}
	place := real(filepath.Dir(f.file))
	for _, dir := range dirs {
		rest, err := filepath.Rel(real(dir), place)
		if err != nil || !filepath.IsLocal(rest) {
			continue
		}
		err = fmt.Errorf("--audit %s: commands may write it, as they may write %s: name a file elsewhere", f.file, cmp.Or(dir, "the directory that they start in"))
		if f.required {
			return err
		}
		warn(os.Stderr, err)
		return nil
	}
	return nil
}

// A trail is what --audit keeps, and what OpenTelemetry is told. That of nobody who asked for one
// is nil, and keeps nothing.
type trail struct {
	log      *audit.Log  // nil without --audit
	spans    *otel.Spans // nil without an endpoint
	recorder *audit.Recorder
}

// open opens the record, if there is to be one, and what tells OpenTelemetry of it.
func (f *auditFlags) open() (*trail, error) {
	log, err := f.openLog()
	if err != nil {
		return nil, err
	}
	t := &trail{log: log, spans: openSpans()}
	if t.log == nil && t.spans == nil {
		return nil, nil
	}
	var once sync.Once
	c := audit.Config{Log: t.log, Required: f.required, OnEvent: t.spans.OnEvent, Agent: clientOf}
	c.OnTrouble = func(err error) { once.Do(func() { warn(os.Stderr, f.trouble(err)) }) }
	t.recorder, err = audit.New(c)
	if err != nil && f.required {
		t.log.Close()
		return nil, exitStatus(statusFailed) // OnTrouble has told
	}
	return t, nil
}

func (f *auditFlags) openLog() (*audit.Log, error) {
	if f.file == "" {
		return nil, nil
	}
	name, err := filepath.Abs(f.file)
	if err != nil {
		return nil, err
	}
	log, err := audit.Open(name, audit.LogConfig{})
	if err != nil {
		return nil, fmt.Errorf("--audit: %s", message(err))
	}
	return log, nil
}

// clientOf is who asks for a command, if it is a peer of serve or of mcp.
func clientOf(ctx context.Context) (a audit.Agent) {
	if peer, ok := acpconn.PeerOf(ctx); ok {
		a.Name, a.Version = peer.Client()
	} else if name, version, ok := mcp.ClientOf(ctx); ok {
		a.Name, a.Version = name, version
	}
	return a
}

// trouble is what a person is told when the record can't be written, once.
func (f *auditFlags) trouble(err error) error {
	then := "commands run without a record until it can be written"
	if f.required {
		then = "no command starts until it can be written"
	}
	return fmt.Errorf("--audit: %s: %s", message(err), then)
}

// wrap has what a driver does recorded, with a span for each command.
func (r *trail) wrap(c driver.Config) driver.Config {
	if r == nil {
		return c
	}
	return r.spans.Wrap(r.recorder.Wrap(c))
}

// wrapAgent has what an agent is started by recorded: that is no tool, and has no span.
func (r *trail) wrapAgent(c driver.Config) driver.Config {
	if r == nil {
		return c
	}
	return r.recorder.Wrap(c)
}

// close ends the record. Nothing that it tells of runs any more.
func (r *trail) close() {
	if r == nil {
		return
	}
	r.recorder.Close() // an error was told
	if r.log != nil {
		r.log.Close()
	}
	r.spans.Close()
}

const auditHelp = `usage: terrarium audit COMMAND

Reads the record that run, serve and harness keep with --audit FILE: what was
asked for, who has allowed it, and what became of it. See "terrarium help
permission".

  verify FILE  check that nothing of it was changed
`

func newAudit() *cobra.Command {
	return newGroup("audit COMMAND", "check a record of what ran", auditHelp,
		newAuditVerify())
}

const auditVerifyHelp = `usage: terrarium audit verify [--head HASH] FILE

Checks that no line of the record was changed, removed or moved, with the files
FILE.1, FILE.2 and so on that it goes on from, and prints the hash of its last
line, the head. Exits with 1 and names the first line that is wrong.

Lines that were cut off its end, or a record that was written anew from its
beginning, look right. They are found with a head that you have kept elsewhere:

  --head HASH  a line with this hash must be there
`

func newAuditVerify() *cobra.Command {
	var head string
	cmd := &cobra.Command{
		Use:                   "verify [--head HASH] FILE",
		Short:                 "check that nothing of a record was changed",
		Long:                  auditVerifyHelp,
		DisableFlagsInUseLine: true,
		Args:                  oneArg("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("head") && !isHash().MatchString(head) {
				return &usageError{cmd.UseLine(), fmt.Errorf("--head %s: want 64 hexadecimal digits", head)}
			}
			return verify(os.Stdout, args[0], head)
		},
	}
	cmd.Flags().StringVar(&head, "head", "", "")
	return cmd
}

var isHash = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })

// verify prints what the record holds, as far as it is right.
func verify(w io.Writer, name, head string) error {
	files, err := audit.Files(name)
	for _, f := range files {
		defer f.Close()
	}
	if err != nil {
		return err
	}
	v := audit.Verifier{Head: head}
	for _, f := range files {
		if err = v.Verify(f.Name(), f); err != nil {
			break
		}
	}
	s, end := v.Summary()
	if err == nil {
		err = end
	}
	fmt.Fprintf(w, "%s in %s, %d to %d\n", counted(int(s.Lines), "event"), counted(len(files), "file"), s.First, s.Last)
	if s.After != "" {
		fmt.Fprintf(w, "goes on after %s\n", s.After)
	}
	if s.Torn > 0 {
		fmt.Fprintf(w, "not written whole: %s\n", counted(int(s.Torn), "line"))
	}
	if s.Head != "" {
		fmt.Fprintf(w, "head %s\n", s.Head)
	}
	return err
}
