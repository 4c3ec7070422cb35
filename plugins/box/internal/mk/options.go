package mk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func sprintf(format string, a ...any) string { return fmt.Sprintf(format, a...) }

// options is the parsed command line, after what MAKEFLAGS says.
type options struct {
	files, dirs, goals, evals []string
	includes                  []string
	assignments               []string // NAME=value

	always, keepGoing, ignoreErrors, dryRun, question, silent, touch bool
	noBuiltin, environment                                           bool
	printDirectory, noPrintDirectory                                 bool
}

const optionSpec = "b m B,always-make C,directory= d debug? e,environment-overrides E,eval= f,file,makefile= i,ignore-errors I,include-dir= " +
	"j,jobs? k,keep-going l,load-average? L,check-symlink-times n,just-print,dry-run,recon o,old-file,assume-old= O,output-sync? p,print-data-base " +
	"q,question r,no-builtin-rules R,no-builtin-variables s,silent,quiet no-silent S,no-keep-going,stop t,touch trace v w,print-directory " +
	"no-print-directory W,what-if,new-file,assume-new= warn-undefined-variables"

func parseOptions(env *tool.Env, args []string) (*options, int) {
	o := &options{}
	flags, assignments, _ := strings.Cut(" "+env.Getenv("MAKEFLAGS"), " -- ")
	o.inherit(strings.TrimSpace(flags))
	o.assignments = unquoteWords(assignments)
	args = slices.Clone(args)
	for i := 1; i < len(args) && args[i] != "--"; i++ { // -j may be followed by its number
		if (args[i] == "-j" || args[i] == "-l") && i+1 < len(args) && strings.Trim(args[i+1], "0123456789.") == "" {
			args = slices.Delete(args, i+1, i+2)
		}
	}
	res, status := env.Options(args, optionSpec)
	if res == nil {
		return nil, status
	}
	for _, opt := range res.Options {
		switch opt.Name {
		case "C":
			o.dirs = append(o.dirs, opt.Arg)
		case "f":
			o.files = append(o.files, opt.Arg)
		case "E":
			o.evals = append(o.evals, opt.Arg)
		case "I":
			o.includes = append(o.includes, opt.Arg)
		case "v":
			env.Out.WriteString("GNU Make 4.3 (Terrarium box, works as GNU Make 4.3)\n")
			return nil, 0
		case "no-print-directory":
			o.noPrintDirectory = true
		case "no-silent":
			o.silent = false
		default:
			o.set(opt.Name)
		}
	}
	for _, arg := range res.Operands {
		if name, _, ok := strings.Cut(arg, "="); ok && name != "" {
			o.assignments = append(o.assignments, arg)
			continue
		}
		o.goals = append(o.goals, arg)
	}
	return o, 0
}

// inherit sets the options that another make has given on: letters first, then words.
func (o *options) inherit(flags string) {
	for i, word := range strings.Fields(flags) {
		if word == "--no-print-directory" {
			o.noPrintDirectory = true
			continue
		}
		if i == 0 && !strings.Contains(word, "=") || word[0] == '-' && !strings.HasPrefix(word, "--") {
			for _, letter := range strings.TrimPrefix(word, "-") {
				o.set(string(letter))
			}
		}
	}
}

func (o *options) set(letter string) {
	switch letter {
	case "B":
		o.always = true
	case "e":
		o.environment = true
	case "i":
		o.ignoreErrors = true
	case "k":
		o.keepGoing = true
	case "n":
		o.dryRun = true
	case "q":
		o.question = true
	case "r", "R":
		o.noBuiltin = true
	case "s":
		o.silent = true
	case "S":
		o.keepGoing = false
	case "t":
		o.touch = true
	case "w":
		o.printDirectory = true
	}
}

// flags is what MAKEFLAGS says to makes within.
func (o *options) flags() string {
	var b strings.Builder
	for _, flag := range []struct {
		letter string
		on     bool
	}{
		{"B", o.always}, {"e", o.environment}, {"i", o.ignoreErrors}, {"k", o.keepGoing}, {"n", o.dryRun}, {"q", o.question},
		{"r", o.noBuiltin}, {"s", o.silent}, {"t", o.touch}, {"w", o.printDirectory && !o.noPrintDirectory},
	} {
		if flag.on {
			b.WriteString(flag.letter)
		}
	}
	if o.noPrintDirectory {
		b.WriteString(" --no-print-directory")
	}
	if len(o.assignments) > 0 {
		b.WriteString(" --")
		for _, a := range o.assignments {
			b.WriteString(" " + strings.NewReplacer(`\`, `\\`, " ", `\ `, "\t", "\\\t").Replace(a))
		}
	}
	return b.String()
}

// unquoteWords splits at blanks that no backslash is before.
func unquoteWords(s string) []string {
	var words []string
	var b strings.Builder
	started := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
			started = true
		case s[i] == ' ' || s[i] == '\t':
			if started {
				words = append(words, b.String())
			}
			b.Reset()
			started = false
		default:
			b.WriteByte(s[i])
			started = true
		}
	}
	if started {
		words = append(words, b.String())
	}
	return words
}
