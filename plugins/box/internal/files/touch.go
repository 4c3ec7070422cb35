package files

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func touch(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "a c,no-create d,date= f h,no-dereference m r,reference= t= time=")
	if opts == nil {
		return status
	}
	sources := 0
	for _, name := range []string{"r", "t"} {
		if opts.Has(name) {
			sources++
		}
	}
	switch {
	case sources > 1 || opts.Has("d") && opts.Has("t"):
		return env.UsageError("cannot specify times from more than one source")
	case len(opts.Operands) == 0 && !opts.Has("t"):
		return env.UsageError("missing file operand")
	}
	now := time.Now().In(clock.Zone(env))
	atime, mtime := now, now
	accessed, modified := false, false
	for _, o := range opts.Options {
		switch o.Name {
		case "a":
			accessed = true
		case "m":
			modified = true
		case "time":
			switch o.Arg {
			case "atime", "access", "use":
				accessed = true
			case "mtime", "modify":
				modified = true
			default:
				return env.UsageError("invalid argument %s for %s", env.Quote(o.Arg), env.Quote("--time"))
			}
		case "r":
			stat := env.Stat
			if opts.Has("h") {
				stat = env.Lstat
			}
			fi, err := stat(o.Arg)
			if err != nil {
				env.Errorf("failed to get attributes of %s: %s", tool.QuoteAlways(o.Arg), tool.Strerror(err))
				return 1
			}
			atime, mtime = sys.Of(fi).Atime, sys.Of(fi).Mtime
		case "d", "t":
			parse := clock.Parse
			if o.Name == "t" {
				parse = parseStamp
			}
			t, ok := parse(o.Arg, now)
			if !ok {
				env.Errorf("invalid date format %s", env.Quote(o.Arg))
				return 1
			}
			atime, mtime = t, t
		}
	}
	if len(opts.Operands) == 0 {
		return env.UsageError("missing file operand")
	}
	if accessed && !modified {
		mtime = time.Time{} // os.Chtimes leaves a zero time alone
	}
	if modified && !accessed {
		atime = time.Time{}
	}
	set := os.Chtimes
	if opts.Has("h") {
		set = sys.Lchtimes
	}
	for _, name := range opts.Operands {
		what, err := touchFile(env, name, !opts.Has("c") && !opts.Has("h"), func(path string) error { return set(path, atime, mtime) })
		if err != nil && (!opts.Has("c") || !errors.Is(err, os.ErrNotExist)) {
			env.Errorf("%s %s: %s", what, tool.QuoteAlways(name), tool.Strerror(err))
			status = 1
		}
	}
	return status
}

// touchFile has set set a file's times, and creates it first if it may. It says what failed.
func touchFile(env *tool.Env, name string, create bool, set func(path string) error) (what string, err error) {
	if name == "-" {
		return "", nil
	}
	if _, err := env.Stat(name); create && err != nil {
		if strings.HasSuffix(name, "/") {
			return "setting times of", err
		}
		w, err := env.Create(name, 0)
		if err != nil {
			return "cannot touch", err
		}
		if err := w.Close(); err != nil {
			return "cannot touch", err
		}
	}
	err = set(env.Path(name))
	if errors.Is(err, syscall.ENOSYS) {
		err = nil
	}
	return "setting times of", err
}

// parseStamp reads [[CC]YY]MMDDhhmm[.ss].
func parseStamp(s string, now time.Time) (time.Time, bool) {
	digits, second, has := strings.Cut(s, ".")
	if !has {
		second = "00"
	}
	if strings.Trim(digits+second, "0123456789") != "" || len(second) != 2 {
		return time.Time{}, false
	}
	year := now.Year()
	switch len(digits) {
	case 8:
	case 10:
		year, _ = strconv.Atoi(digits[:2])
		if year += 1900; year < 1969 {
			year += 100
		}
		digits = digits[2:]
	case 12:
		year, _ = strconv.Atoi(digits[:4])
		digits = digits[4:]
	default:
		return time.Time{}, false
	}
	n := func(s string) int { v, _ := strconv.Atoi(s); return v }
	month, day, hour, minute, sec := n(digits[:2]), n(digits[2:4]), n(digits[4:6]), n(digits[6:]), n(second)
	t := time.Date(year, time.Month(month), day, hour, minute, sec, 0, now.Location())
	ok := 1 <= month && month <= 12 && t.Day() == day && hour < 24 && minute < 60 && sec <= 60
	return t, ok
}
