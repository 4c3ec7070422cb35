package tool

import (
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
)

// Options parses args[1:] by spec (see [option.Parse]). If it returns nil the command is over, with
// the status that it returns: the usage was bad, or --help or --version was asked for.
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

// Choose sets *to to the one of the words that arg is, or that alone begins with it. If there is
// none it says so, as gnulib's argmatch does, and returns false.
func (e *Env) Choose(to *string, arg, option string, words ...string) bool {
	var like []string
	for _, w := range words {
		if w == arg {
			*to = w
			return true
		}
		if strings.HasPrefix(w, arg) {
			like = append(like, w)
		}
	}
	wrong := "invalid"
	switch len(like) {
	case 0:
	case 1:
		*to = like[0]
		return true
	default:
		wrong = "ambiguous"
	}
	e.Errorf("%s argument %s for %s", wrong, e.Quote(arg), e.Quote(option))
	e.Warn("Valid arguments are:")
	for _, w := range words {
		e.Warn("  - " + e.Quote(w))
	}
	e.TryHelp()
	return false
}
