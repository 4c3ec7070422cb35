package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/cast"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/picture"
	"github.com/terrarium-dev/terrarium/core/vt"
)

const shotHelp = `usage: terrarium shot [flags] FILE.cast|-

Prints a picture of a terminal: what a recording of it shows at the end, or at
a time. "-" is our input, and what is no recording is taken for bytes that a
terminal was sent. Blank lines at the end are left out. Programs such as vi
leave a blank screen when they end: --at shows one before that.

  --format svg|text   an SVG image, or the text alone; default: svg, and on a
                      terminal text
  --at D              when, as in 1.5s, since the recording began
  --theme auto|light|dark  the terminal's own colours; auto: as whoever looks
                      at the picture prefers
  --title TEXT        what the picture shows, for who can't see it; default:
                      the recording's
  --cols N, --rows N  the terminal's size, for bytes; default: 120x40
  --newline           for bytes that did not come through a terminal

  terrarium run --pty --record demo.cast -- git log --oneline --graph -8
  terrarium shot demo.cast >demo.svg
`

// shotFlags are the flags of shot.
type shotFlags struct {
	screen screenFlags // for bytes
	format string
	at     time.Duration
	theme  string
	title  string

	ends bool // --at was given
}

var shotFormats = []string{"svg", "text"}

func newShot() *cobra.Command {
	var f shotFlags
	cmd := &cobra.Command{
		Use:                   "shot [flags] FILE.cast|-",
		Short:                 "print a picture of a terminal",
		Long:                  shotHelp,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.ends = cmd.Flags().Changed("at")
			err := f.check()
			if err == nil && len(args) != 1 {
				err = errors.New(`want one recording, or "-"`)
			}
			if err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			return f.run(args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f.screen.add(cmd)
	cmd.Flags().StringVar(&f.format, "format", "", "")
	cmd.Flags().Var((*duration)(&f.at), "at", "")
	cmd.Flags().StringVar(&f.theme, "theme", string(picture.Auto), "")
	cmd.Flags().StringVar(&f.title, "title", "", "")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(shotFormats, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("theme", cobra.FixedCompletions(picture.Themes, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (f *shotFlags) check() error {
	switch {
	case f.format != "" && !slices.Contains(shotFormats, f.format):
		return fmt.Errorf("--format %s: no such format: use svg or text", f.format)
	case !slices.Contains(picture.Themes, f.theme):
		return fmt.Errorf("--theme %s: no such theme: use auto, light or dark", f.theme)
	case f.at < 0:
		return fmt.Errorf("--at %v: negative", f.at)
	}
	return f.screen.check()
}

func (f *shotFlags) run(name string, w, warnings io.Writer) error {
	in, err := openRecording(name)
	if err != nil {
		return err
	}
	defer in.Close()
	s, title, err := f.shown(in, warnings)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	text := s.AppendText(nil)
	if len(text) == 0 {
		warn(warnings, fmt.Errorf("%s: the screen is blank then; of a recording, --at D shows another time", name))
	}
	if f.format == "text" || f.format == "" && isTerminal(os.Stdout) {
		_, err := w.Write(text)
		return err
	}
	err = picture.SVG(w, s, bytes.Count(text, []byte("\n")), picture.Config{
		Theme: picture.Theme(f.theme), Title: cmp.Or(f.title, title), Cursor: s.Alt(),
	})
	if errors.Is(err, picture.ErrTooManyStyles) {
		return fmt.Errorf("%s: %w: --format text prints it without them", name, err)
	}
	return err
}

// shown returns the screen that what r holds leads to, and the recording's title.
func (f *shotFlags) shown(r io.Reader, warnings io.Writer) (*vt.Screen, string, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	recording, err := cast.NewReader(in)
	if errors.Is(err, cast.ErrNoRecording) {
		if f.ends {
			return nil, "", fmt.Errorf("--at: %w", err)
		}
		s, err := f.screen.read(in)
		return s, "", err
	}
	if err != nil {
		return nil, "", err
	}
	h := recording.Header()
	s := vt.NewScreen(vt.Options{Rows: h.Rows, Cols: h.Cols, ScrollbackBytes: -1})
	var last time.Duration
	for {
		e, err := recording.Next()
		if err == io.EOF && f.ends && f.at > last {
			warn(warnings, fmt.Errorf("--at %v: the recording ends at %v: this is its end", f.at, last.Round(time.Millisecond)))
		}
		if err == io.EOF || err == nil && f.ends && e.At > f.at {
			s.EndSynchronized() // nobody waits for the rest of a frame
			return s, h.Title, nil
		}
		if err != nil {
			return nil, "", err
		}
		last = e.At
		switch e.Kind {
		case cast.Output:
			s.Write([]byte(e.Data))
		case cast.Resize:
			cols, rows, err := e.Size()
			if err != nil {
				return nil, "", err
			}
			s.Resize(rows, cols)
		}
	}
}
