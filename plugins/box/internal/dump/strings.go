package dump

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"syscall"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const stringsOptions = "a,all d,data f,print-file-name n,bytes= t,radix= o w,include-all-whitespace e,encoding= s,output-separator= " +
	"0 1 2 3 4 5 6 7 8 9"

// printable shows runs of printable characters.
func printable(env *tool.Env, args []string) int {
	opts, status := env.Options(args, stringsOptions)
	if opts == nil {
		return status
	}
	least, digits, radix, sep := 4, "", byte(0), "\n"
	for _, o := range opts.Options {
		switch o.Name {
		case "n":
			n, err := strconv.Atoi(o.Arg)
			if err != nil {
				env.Errorf("invalid integer argument %s", o.Arg)
				return 1
			}
			if n < 1 {
				env.Errorf("invalid minimum string length %d", n)
				return 1
			}
			least = n
		case "t":
			if o.Arg != "" {
				radix = o.Arg[0]
			}
		case "o":
			radix = 'o'
		case "s":
			sep = o.Arg
		case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9":
			digits += o.Name
			least, _ = strconv.Atoi(digits)
		}
	}
	names := opts.Operands
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		r, err := env.Input(name)
		if err != nil {
			what := tool.Strerror(err)
			if errors.Is(err, fs.ErrNotExist) {
				what = "No such file"
			}
			env.Errorf("'%s': %s", name, what)
			status = 1
			continue
		}
		label := ""
		if opts.Has("f") {
			label = name + ": "
			if name == "-" {
				label = "{standard input}: "
			}
		}
		err = eachString(env, r, max(least, 1), opts.Has("w"), func(at int64, s []byte) {
			env.Out.WriteString(label)
			switch radix {
			case 'd':
				fmt.Fprintf(env.Out, "%7d ", at)
			case 'o':
				fmt.Fprintf(env.Out, "%7o ", at)
			case 'x':
				fmt.Fprintf(env.Out, "%7x ", at)
			}
			env.Out.Write(s)
			env.Out.WriteString(sep)
		})
		r.Close()
		switch {
		case errors.Is(err, syscall.EISDIR):
			env.Errorf("Warning: '%s' is a directory", name)
			status = 1
		case err != nil:
			env.Errorf("'%s': %s", name, tool.Strerror(err))
			status = 1
		}
	}
	return status
}

// eachString calls f with every run of at least least printable characters.
func eachString(env *tool.Env, r io.Reader, least int, white bool, f func(at int64, s []byte)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var run []byte
	for at := int64(0); !env.Stopped(); at++ {
		c, err := in.ReadByte()
		if err == nil && (' ' <= c && c <= '~' || c == '\t' || white && '\n' <= c && c <= '\r') {
			if len(run) == cap(run) {
				if err := tool.Keep(2 * len(run)); err != nil {
					return err
				}
			}
			run = append(run, c)
			continue
		}
		if len(run) >= least {
			f(at-int64(len(run)), run)
		}
		run = run[:0]
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
