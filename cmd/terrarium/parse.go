package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/core/challenge"
)

const parseHelp = `usage: terrarium parse [flags] <RESPONSE

Reads an agent's answer, as the Term Challenge and Terminal-Bench's terminus-2
know it, and prints what was made of it as one JSON object:

  {"commands":[{"keystrokes","duration"}],"is_task_complete",
   "error","warning","analysis","plan","skipped":[numbers of commands]}

It exits with 0 also if the answer has an error.

  --format json|xml  how the answer is written (default json)
  --strict           do what terminus-2 does, to the letter; without "skipped"
  --batch            read one case per line, {"response":TEXT} and, if it is
                     not --format's, "format"; print one line for each
`

// maxAnswer is how long an answer, or a line with one, may be, in bytes.
const maxAnswer = 64 << 20

func newParse() *cobra.Command {
	var p challenge.Parser
	var format string
	var batch bool
	cmd := &cobra.Command{
		Use:                   "parse [flags] <RESPONSE",
		Short:                 "print what a Term Challenge answer means",
		Hidden:                true, // the help of harness has it
		Long:                  parseHelp,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var ok bool
			if p.Format, ok = challenge.ParseFormat(format); !ok {
				return &usageError{cmd.UseLine(), fmt.Errorf("--format %s: no such format: use json or xml", format)}
			}
			if batch {
				return parseLines(cmd.OutOrStdout(), cmd.InOrStdin(), p)
			}
			return parseOne(cmd.OutOrStdout(), cmd.InOrStdin(), p)
		},
	}
	cmd.Flags().StringVar(&format, "format", "json", "")
	cmd.Flags().BoolVar(&p.Strict, "strict", false, "")
	cmd.Flags().BoolVar(&batch, "batch", false, "")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"json", "xml"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func parseOne(w io.Writer, r io.Reader, p challenge.Parser) error {
	response, err := io.ReadAll(io.LimitReader(r, maxAnswer+1))
	if err != nil {
		return err
	}
	if len(response) > maxAnswer {
		return fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)
	}
	return printResult(w, p, string(response))
}

// A parseCase is a line of a batch; what else it has is ignored.
type parseCase struct {
	Response *string
	Format   string
}

func parseLines(w io.Writer, r io.Reader, p challenge.Parser) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxAnswer)
	number := 0
	for lines.Scan() {
		number++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := parseLine(w, lines.Bytes(), p); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", number+1, err)
	}
	return nil
}

func parseLine(w io.Writer, line []byte, p challenge.Parser) error {
	var c parseCase
	if err := json.Unmarshal(line, &c); err != nil {
		return err
	}
	if c.Response == nil {
		return errors.New(`want an object with a "response"`)
	}
	if c.Format != "" {
		var ok bool
		if p.Format, ok = challenge.ParseFormat(c.Format); !ok {
			return fmt.Errorf("format %s: no such format: want json or xml", c.Format)
		}
	}
	return printResult(w, p, *c.Response)
}

func printResult(w io.Writer, p challenge.Parser, response string) error {
	_, err := w.Write(append(p.Parse(response).AppendJSON(nil), '\n'))
	return err
}
