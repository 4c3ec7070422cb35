package system

import (
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const dateOptions = "d,date= debug f,file= I,iso-8601? R,rfc-email,rfc-822,rfc-2822 r,reference= resolution rfc-3339= s,set= u,utc,universal"

const defaultDate = "%a %b %e %H:%M:%S %Z %Y"

func date(env *tool.Env, args []string) int {
	opts, status := env.Options(args, dateOptions)
	if opts == nil {
		return status
	}
	format, text, file, reference, set := "", "", "", "", ""
	hasText, sources := false, 0
	zone := clock.Zone(env)
	for _, o := range opts.Options {
		f := ""
		switch o.Name {
		case "d":
			text, hasText = o.Arg, true
			sources++
		case "f":
			file = o.Arg
			sources++
		case "r":
			reference = o.Arg
			sources++
		case "s":
			set = o.Arg
		case "u":
			zone = time.UTC
		case "R":
			f = "%a, %d %b %Y %H:%M:%S %z"
		case "I", "rfc-3339":
			var ok bool
			if f, ok = isoFormat(o.Name, o.Arg); !ok {
				option := map[string]string{"I": "--iso-8601", "rfc-3339": "--rfc-3339"}[o.Name]
				env.Errorf("invalid argument %s for %s", env.Quote(o.Arg), env.Quote(option))
				env.Warn("Valid arguments are:")
				for _, word := range isoWords(o.Name) {
					env.Warn("  - " + env.Quote(word))
				}
				return env.TryHelp()
			}
		}
		if f == "" {
			continue
		}
		if format != "" {
			env.Errorf("multiple output formats specified")
			return 1
		}
		format = f
	}
	if sources > 1 {
		return env.UsageError("the options to specify dates for printing are mutually exclusive")
	}
	for i, operand := range opts.Operands {
		switch {
		case i > 0:
			return env.UsageError("extra operand %s", env.Quote(operand))
		case operand != "" && operand[0] == '+' && format != "":
			env.Errorf("multiple output formats specified")
			return 1
		case operand != "" && operand[0] == '+':
			format = operand[1:]
			if format == "" {
				env.Out.WriteByte('\n')
				return 0
			}
		case sources > 0:
			env.Errorf("the argument %s lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'", env.Quote(operand))
			return env.TryHelp()
		default:
			env.Errorf("invalid date %s", env.Quote(operand))
			return 1
		}
	}
	if format == "" {
		format = defaultDate
	}
	d := dater{env: env, format: format, now: time.Now().In(zone)}
	switch {
	case file != "":
		return env.EachLine([]string{file}, '\n', func(line []byte) { d.print(string(line)) }) | d.status
	case reference != "":
		fi, err := env.Stat(reference)
		if err != nil {
			env.FileError(reference, err)
			return 1
		}
		d.write(sys.Of(fi).Mtime.In(zone))
	case hasText:
		d.print(text)
	case set != "":
		env.Errorf("cannot set date: Operation not permitted")
		d.print(set)
		return 1
	default:
		d.write(d.now)
	}
	return d.status
}

// dater prints dates.
type dater struct {
	env    *tool.Env
	format string
	now    time.Time
	status int
}

func (d *dater) print(text string) {
	t, ok := clock.Parse(text, d.now)
	if !ok {
		d.env.Errorf("invalid date %s", d.env.Quote(text))
		d.status = 1
		return
	}
	d.write(t)
}

func (d *dater) write(t time.Time) { d.env.Out.WriteString(clock.Format(d.format, t) + "\n") }

func isoWords(option string) []string {
	if option == "rfc-3339" {
		return []string{"date", "seconds", "ns"}
	}
	return []string{"hours", "minutes", "date", "seconds", "ns"}
}

// isoFormat returns the format of -I and --rfc-3339.
func isoFormat(option, word string) (string, bool) {
	sep := "T"
	if option == "rfc-3339" {
		sep = " "
	} else if word == "" {
		word = "date"
	}
	for _, w := range isoWords(option) {
		if !strings.HasPrefix(w, word) || word == "" {
			continue
		}
		comma := map[string]string{"T": ",", " ": "."}[sep]
		return map[string]string{
			"date": "%Y-%m-%d", "hours": "%Y-%m-%d" + sep + "%H%:z", "minutes": "%Y-%m-%d" + sep + "%H:%M%:z",
			"seconds": "%Y-%m-%d" + sep + "%H:%M:%S%:z", "ns": "%Y-%m-%d" + sep + "%H:%M:%S" + comma + "%N%:z",
		}[w], true
	}
	return "", false
}
