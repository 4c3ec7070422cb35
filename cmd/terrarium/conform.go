package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/conform"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/lossy"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
)

const conformHelp = `usage: terrarium conform [flags]

An agent that tries whatever ACP client starts it: do its terminals do what the
protocol says, and what agents rely on? Set it as the client's agent, and prompt
it with anything. It says what it finds in the conversation and on stderr.

  --report FILE           write the findings to FILE: .json, .md or .txt; may be
                          repeated. Written at the end of the turn, and again at
                          the end of the connection, which is point 47
  --only N,...            try only these points: 3,14,20
  --timeout D             how long an answer may take; default 10s
  --list                  print the points: who asks for each, what is wanted

A point has passed, failed, is unclear, where the protocol can be read in two
ways, or was not run, for a reason that is told. For point 46, cancel the turn
when a question asks for it. Commands run in the client's terminals: sh, sleep,
printf, head, tr, cat. Exits with 1 if a point has failed.
`

// conformFlags are the flags of conform.
type conformFlags struct {
	reports []string
	only    pointNumbers
	timeout time.Duration
	list    bool
}

func newConform() *cobra.Command {
	f := conformFlags{timeout: conform.DefaultPatience}
	cmd := &cobra.Command{
		Use:                   "conform [flags]",
		Short:                 "an agent that tries whatever client starts it",
		Long:                  conformHelp,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.list {
				return listPoints(cmd)
			}
			for _, name := range f.reports {
				if err := conform.CheckFile(name); err != nil {
					return &usageError{cmd.UseLine(), fmt.Errorf("--report %s: %w", name, err)}
				}
			}
			if f.timeout <= 0 {
				return &usageError{cmd.UseLine(), errors.New("--timeout must be more than nothing")}
			}
			return f.serve()
		},
	}
	cmd.Flags().Var((*repeated)(&f.reports), "report", "")
	cmd.Flags().Var(&f.only, "only", "")
	cmd.Flags().Var((*duration)(&f.timeout), "timeout", "")
	cmd.Flags().BoolVar(&f.list, "list", false, "")
	return cmd
}

// serve is the agent until its client is gone or a signal comes.
func (f *conformFlags) serve() error {
	if isTerminal(os.Stdin) {
		return errors.New("conform is no program to type to: set it as the agent of an ACP client, which starts it")
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	notifyEnd(signals)
	go func() { // left behind when we exit
		s := <-signals
		cancel(errors.New("a signal: " + s.String()))
	}()
	// A client that does not read our standard error holds up nothing, and not our end: so main has
	// nothing to say.
	stderr := lossy.New(os.Stderr, "terrarium: here something is left out: nobody read it")
	defer stderr.Close()
	return exitStatus(report(stderr, f.try(ctx, stderr)))
}

// try tries the client, and returns what is wrong.
func (f *conformFlags) try(ctx context.Context, stderr io.Writer) error {
	report, err := conform.Serve(ctx, os.Stdin, os.Stdout, conform.Config{
		Only: f.only, Patience: f.timeout, Version: readBuild().Version,
		Report: f.write,
		Notice: func(line string) { fmt.Fprintln(stderr, "terrarium: "+printable.Text(line)) },
	})
	if err != nil {
		return err
	}
	fmt.Fprint(stderr, report.String())
	switch {
	case report.Started.IsZero():
		return errors.New("nothing was tried: the client has ended the connection without a prompt")
	case report.Summary.Failed > 0:
		return exitStatus(statusFailed)
	}
	return nil
}

// write writes the reports that are asked for.
func (f *conformFlags) write(r *conform.Report) error {
	var errs []error
	for _, name := range f.reports {
		if err := r.WriteFile(name); err != nil {
			errs = append(errs, fmt.Errorf("report: %w", err))
		}
	}
	return errors.Join(errs...)
}

func listPoints(cmd *cobra.Command) error {
	for _, p := range conform.Points() {
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%2d  %-8s  %s: %s\n", p.Number, p.Level, p.Name, p.Want); err != nil {
			return err
		}
	}
	return nil
}

// pointNumbers is a flag's list of points: "3,14".
type pointNumbers []int

// Set implements pflag.Value.
func (n *pointNumbers) Set(text string) error {
	known := conform.Points()
	for part := range strings.SplitSeq(text, ",") {
		number, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return errors.New("want numbers of points: 3,14,20")
		}
		if !slices.ContainsFunc(known, func(p conform.Point) bool { return p.Number == number }) {
			return fmt.Errorf("there is no point %d: terrarium conform --list has them", number)
		}
		*n = append(*n, number)
	}
	return nil
}

// String implements pflag.Value.
func (n *pointNumbers) String() string {
	var parts []string
	for _, number := range *n {
		parts = append(parts, strconv.Itoa(number))
	}
	return strings.Join(parts, ",")
}

// Type implements pflag.Value.
func (n *pointNumbers) Type() string { return "points" }
