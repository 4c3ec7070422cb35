package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/core/render"
	"github.com/terrarium-dev/terrarium/core/vt"
)

const screenHelp = `usage: terrarium screen [flags] <BYTES

Prints the screen that bytes on standard input draw, as xterm.js would show it.
Blanks at the end of a line and blank lines at the end are left out.

  --cols N, --rows N      the terminal's size; default: 120x40
  --newline               LF goes to the first column too: for bytes that did
                          not come through a terminal
  --wait TEXT|settled     print the screen as soon as it shows TEXT, or when
                          something has come and then nothing for half a
                          second, and take no more input; 1 if it ends
                          without TEXT
  --json                  {"rows":40,"cols":120,"cursor":{"x":1,"y":0},
                          "alt":false,"title":"","lines":[[{"text":"$"}]]}: a
                          line is its runs of one style, such as {"text":"ls",
                          "fg":2,"bold":true}; x and y count from 0, and x is
                          N columns where the last one was just written

  script -qc htop log; terrarium screen --cols 80 --rows 24 <log
`

// screenFlags are the flags of screen.
type screenFlags struct {
	cols, rows int
	newline    bool
	json       bool
	wait       string
	waits      bool // --wait was given
}

func newScreen() *cobra.Command {
	var f screenFlags
	cmd := &cobra.Command{
		Use:                   "screen [flags] <BYTES",
		Short:                 "print the screen that bytes draw",
		Long:                  screenHelp,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.waits = cmd.Flags().Changed("wait")
			if err := f.check(); err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			read := f.read
			if f.waits {
				read = f.waitFor
			}
			s, err := read(cmd.InOrStdin())
			if s == nil {
				return err
			}
			return cmp.Or(f.print(cmd.OutOrStdout(), s), err)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "")
	cmd.Flags().StringVar(&f.wait, "wait", "", "")
	return cmd
}

// add declares those that say how bytes are understood.
func (f *screenFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.cols, "cols", defaultCols, "")
	cmd.Flags().IntVar(&f.rows, "rows", defaultRows, "")
	cmd.Flags().BoolVar(&f.newline, "newline", false, "")
}

func (f *screenFlags) check() error {
	if f.cols < 2 || f.cols > vt.MaxCols {
		return fmt.Errorf("--cols %d: out of range: 2 to %d", f.cols, vt.MaxCols)
	}
	if f.rows < 1 || f.rows > vt.MaxRows {
		return fmt.Errorf("--rows %d: out of range: 1 to %d", f.rows, vt.MaxRows)
	}
	if f.waits && strings.TrimSpace(f.wait) == "" {
		return errors.New("--wait: want a text, or settled")
	}
	return nil
}

// A drawing is a screen that bytes draw, of which a character may not be whole yet.
type drawing struct {
	screen *vt.Screen
	render *render.Stream
}

func newDrawing(rows, cols int, newline bool) *drawing {
	s := render.NewView(vt.Options{Rows: rows, Cols: cols, ScrollbackBytes: -1, Newline: newline})
	return &drawing{s.Screen(), render.NewStream(s)}
}

func (d *drawing) write(p []byte) { d.render.Write(nil, 1, p) }

func (f *screenFlags) draw() *drawing { return newDrawing(f.rows, f.cols, f.newline) }

// read returns the screen that what r holds draws. A character at the end whose rest is missing
// draws nothing.
func (f *screenFlags) read(r io.Reader) (*vt.Screen, error) {
	d := f.draw()
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		d.write(buf[:n])
		if err == io.EOF {
			d.screen.EndSynchronized() // nobody waits for the rest of a frame
			return d.screen, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (f *screenFlags) print(w io.Writer, s *vt.Screen) error {
	if f.json {
		return newEncoder(w).Encode(json.RawMessage(s.AppendJSON(nil)))
	}
	_, err := w.Write(s.AppendText(nil))
	return err
}
