package tool

import (
	"fmt"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
)

// Options parses args[1:] by spec (see [option.Parse]). If it returns nil the command is over, with the status that
// it returns: the usage was bad, or --help or --version was asked for.
func (e *Env) Options(args []string, spec string) (*option.Result, int) {
	res, err := option.Parse(args[1:], spec+" help version")
	if err != nil {
		e.Errorf("%v", err)
		if u := e.command.Usage; e.command.Like == grepLike {
			e.Warn("Usage: " + e.Name + " " + u)
		}
		return nil, e.TryHelp()
	}
	if len(res.Options) > 0 {
		// GNU's commands answer at the first of the two that they meet.
		for _, o := range res.Options {
			switch o.Name {
			case "help":
				e.Help()
				return nil, 0
			case "version":
				e.Version()
				return nil, 0
			}
		}
	}
	return res, 0
}

// grepLike marks the one program that shows its usage with every complaint about an option.
const grepLike = "GNU grep 3.8"

// Help writes what --help answers.
func (e *Env) Help() {
	usage := e.command.Usage
	if usage == "" {
		usage = "[OPTION]... [FILE]..."
	}
	fmt.Fprintf(e.Out, "Usage: %s %s\n", e.Name, usage)
	if e.command.Like != "" {
		fmt.Fprintf(e.Out, "Works as the one of %s.\n", e.command.Like)
	}
}

// Version writes what --version answers.
func (e *Env) Version() {
	fmt.Fprintf(e.Out, "%s (Terrarium box, works as %s)\n", e.Name, e.command.Like)
}
