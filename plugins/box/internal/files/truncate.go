package files

import (
	"os"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func truncate(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "c,no-create o,io-blocks r,reference= s,size=")
	if opts == nil {
		return status
	}
	size, has := "", false
	reference := int64(-1)
	for _, o := range opts.Options {
		switch o.Name {
		case "s":
			size, has = o.Arg, true
		case "r":
			fi, err := env.Stat(o.Arg)
			if err != nil {
				env.Errorf("cannot stat %s: %s", tool.QuoteAlways(o.Arg), tool.Strerror(err))
				return 1
			}
			reference = fi.Size()
		}
	}
	if !has && reference < 0 {
		return env.UsageError("you must specify either %s or %s", env.Quote("--size"), env.Quote("--reference"))
	}
	if has && reference >= 0 && strings.Trim(size[:min(len(size), 1)], "0123456789") == "" {
		return env.UsageError("you must specify a relative %s with %s", env.Quote("--size"), env.Quote("--reference"))
	}
	op := byte(0)
	text := strings.TrimLeft(size, " \t")
	if text != "" && strings.IndexByte("+-<>/%", text[0]) >= 0 {
		op, text = text[0], text[1:]
	}
	n, ok := int64(0), true
	if has {
		if n, ok = tool.ParseCount(text); !ok {
			env.Errorf("Invalid number: %s", env.Quote(strings.TrimLeft(size, "+-<>/% ")))
			return 1
		}
		if n == 0 && (op == '/' || op == '%') {
			env.Errorf("division by zero")
			return 1
		}
	}
	if len(opts.Operands) == 0 {
		return env.UsageError("missing file operand")
	}
	for _, name := range opts.Operands {
		flags := os.O_WRONLY | os.O_CREATE
		if opts.Has("c") {
			flags = os.O_WRONLY
		}
		f, err := env.OpenFile(name, flags, 0o666)
		if err != nil {
			if !opts.Has("c") || !os.IsNotExist(err) {
				env.Errorf("cannot open %s for writing: %s", tool.QuoteAlways(name), tool.Strerror(err))
				status = 1
			}
			continue
		}
		base := reference
		if fi, err := f.Stat(); err == nil && base < 0 {
			base = fi.Size()
		}
		to := base
		if has {
			to = resized(base, n, op)
		}
		if err := f.Truncate(to); err != nil {
			env.Errorf("failed to truncate %s at %d bytes: %s", tool.QuoteAlways(name), to, tool.Strerror(err))
			status = 1
		}
		f.Close()
	}
	return status
}

// resized applies a size such as +10, <1K or %512 to what there is.
func resized(base, n int64, op byte) int64 {
	switch op {
	case '+':
		return base + min(n, 1<<62-base)
	case '-':
		return max(base-n, 0)
	case '<':
		return min(base, n)
	case '>':
		return max(base, n)
	case '/':
		return base / n * n
	case '%':
		return (base + n - 1) / n * n
	}
	return n
}

// syncFiles is sync: files need no flushing here, but they must exist.
func syncFiles(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "d,data f,file-system")
	if opts == nil {
		return status
	}
	for _, name := range opts.Operands {
		if _, err := env.Stat(name); err != nil {
			env.Errorf("error opening %s: %s", tool.QuoteAlways(name), tool.Strerror(err))
			status = 1
		}
	}
	return status
}
