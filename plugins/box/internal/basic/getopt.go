package basic

import (
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// The statuses of getopt.
const (
	getoptWrong = 1 // what is parsed
	getoptUsage = 2 // its own options
	getoptNew   = 4 // -T: it is not the old getopt
)

// A getopter parses options for scripts.
type getopter struct {
	env            *tool.Env
	short          string
	long           []string // with ":" behind those that take an argument, "::" where they may
	name           string
	quiet, silent  bool // no messages; no output
	bare           bool // nothing is quoted
	single         bool // long options may begin with one "-"
	inOrder, after bool // the first other word ends the options; other words stay where they are
	out            strings.Builder
	wrong          bool
}

func getopt(env *tool.Env, args []string) int {
	g := &getopter{env: env, name: env.Name}
	_, compatible := env.LookupEnv("GETOPT_COMPATIBLE")
	if len(args) == 1 {
		if compatible {
			env.Out.WriteString(" --\n")
			return 0
		}
		return getoptError(env, "missing optstring argument")
	}
	rest := args[1:]
	given := false
	if rest[0] == "" || rest[0][0] != '-' || compatible {
		g.bare = true
		g.short, rest = strings.TrimLeft(rest[0], "-+"), rest[1:]
	} else {
		opts, status := env.Options(args, "+ a,alternative o,options= l,long,longoptions= n,name= q,quiet Q,quiet-output s,shell= T,test u,unquoted h V")
		if opts == nil {
			if status != 0 {
				status = getoptUsage
			}
			return status
		}
		for _, o := range opts.Options {
			switch o.Name {
			case "a":
				g.single = true
			case "o":
				g.short, given = o.Arg, true
			case "l":
				g.long = append(g.long, strings.FieldsFunc(o.Arg, func(r rune) bool { return strings.ContainsRune(", \t\n", r) })...)
			case "n":
				g.name = o.Arg
			case "q":
				g.quiet = true
			case "Q":
				g.silent = true
			case "s":
				if o.Arg != "sh" && o.Arg != "bash" {
					return getoptError(env, "unknown shell after -s or --shell argument")
				}
			case "T":
				return getoptNew
			case "u":
				g.bare = true
			case "h":
				env.Help()
				return 0
			case "V":
				env.Version()
				return 0
			}
		}
		rest = opts.Operands
		if !given {
			if len(rest) == 0 {
				return getoptError(env, "missing optstring argument")
			}
			g.short, rest = rest[0], rest[1:]
		}
	}
	_, strict := env.LookupEnv("POSIXLY_CORRECT")
	g.inOrder = strict || strings.HasPrefix(g.short, "+")
	g.after = strings.HasPrefix(g.short, "-")
	g.short = strings.TrimLeft(g.short, "+-")
	g.parse(rest)
	if !g.silent {
		env.Out.WriteString(g.out.String() + "\n")
	}
	if g.wrong {
		return getoptWrong
	}
	return 0
}

func getoptError(env *tool.Env, message string) int {
	env.Errorf("%s", message)
	env.TryHelp()
	return getoptUsage
}

// parse writes the options, then "--", then what is none.
func (g *getopter) parse(args []string) {
	var others []string
	for len(args) > 0 {
		a := args[0]
		args = args[1:]
		switch {
		case a == "--":
			others = append(others, args...)
			args = nil
		case len(a) < 2 || a[0] != '-':
			switch {
			case g.after:
				g.word(a)
			case g.inOrder:
				others = append(others, append([]string{a}, args...)...)
				args = nil
			default:
				others = append(others, a)
			}
		case strings.HasPrefix(a, "--"):
			args = g.longOption(a, a[2:], args)
		case g.single && (len(a) > 2 || strings.IndexByte(g.short, a[1]) < 0):
			if g.isLong(a[1:]) || strings.IndexByte(g.short, a[1]) < 0 {
				args = g.longOption(a, a[1:], args)
				continue
			}
			args = g.letters(a[1:], args)
		default:
			args = g.letters(a[1:], args)
		}
	}
	g.out.WriteString(" --")
	for _, a := range others {
		g.word(a)
	}
}

// word writes a word that a shell reads as it is.
func (g *getopter) word(s string) {
	if !g.bare {
		s = "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	g.out.WriteString(" " + s)
}

func (g *getopter) complain(message string) {
	g.wrong = true
	if !g.quiet {
		g.env.Warn(g.name + ": " + message)
	}
}

// letters takes a cluster of short options, and returns the arguments that are left.
func (g *getopter) letters(cluster string, args []string) []string {
	for i := 0; i < len(cluster); i++ {
		c := cluster[i]
		at := strings.IndexByte(g.short, c)
		if at < 0 || c == ':' {
			g.complain("invalid option -- '" + cluster[i:i+1] + "'")
			continue
		}
		takes := g.short[at+1:]
		inside := cluster[i+1:]
		switch {
		case !strings.HasPrefix(takes, ":"):
			g.out.WriteString(" -" + cluster[i:i+1])
			continue
		case inside == "" && !strings.HasPrefix(takes, "::"):
			if len(args) == 0 {
				g.complain("option requires an argument -- '" + cluster[i:i+1] + "'")
				return nil
			}
			inside, args = args[0], args[1:]
		}
		g.out.WriteString(" -" + cluster[i:i+1])
		g.word(inside)
		return args
	}
	return args
}

func (g *getopter) isLong(text string) bool {
	name, _, _ := strings.Cut(text, "=")
	_, matches := g.find(name)
	return len(matches) > 0
}

// find returns the option of a name, with what it takes, or those that begin with it.
func (g *getopter) find(name string) (exact string, matches []string) {
	for _, l := range g.long {
		plain := strings.TrimRight(l, ":")
		if plain == name {
			return l, []string{l}
		}
		if strings.HasPrefix(plain, name) {
			matches = append(matches, l)
		}
	}
	if len(matches) == 1 {
		exact = matches[0]
	}
	return exact, matches
}

// longOption takes one, given without its dashes, and returns the arguments that are left.
func (g *getopter) longOption(whole, text string, args []string) []string {
	dashes := whole[:len(whole)-len(text)]
	name, value, has := strings.Cut(text, "=")
	l, matches := g.find(name)
	if l == "" {
		if len(matches) == 0 {
			g.complain("unrecognized option '" + whole + "'")
			return args
		}
		message := "option '" + whole + "' is ambiguous; possibilities:"
		for _, m := range matches {
			message += " '" + dashes + strings.TrimRight(m, ":") + "'"
		}
		g.complain(message)
		return args
	}
	plain := strings.TrimRight(l, ":")
	switch takes := len(l) - len(plain); {
	case takes == 0 && has:
		g.complain("option '" + dashes + plain + "' doesn't allow an argument")
		return args
	case takes == 0:
		g.out.WriteString(" --" + plain)
		return args
	case takes == 1 && !has:
		if len(args) == 0 {
			g.complain("option '" + dashes + plain + "' requires an argument")
			return args
		}
		value, args = args[0], args[1:]
	}
	g.out.WriteString(" --" + plain)
	g.word(value)
	return args
}
