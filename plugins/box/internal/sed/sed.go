package sed

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const sedOptions = "n,quiet,silent debug e,expression= f,file= follow-symlinks i,in-place? l,line-length= posix E,r,regexp-extended " +
	"s,separate sandbox u,unbuffered z,null-data,zero-terminated b,binary help version"

func sed(env *tool.Env, args []string) int {
	opts, err := option.Parse(args[1:], sedOptions)
	if err != nil {
		env.Errorf("%v", err)
		usage(env)
		return exitBadUsage
	}
	x := &execution{env: env, width: 70, in: &input{env: env, delim: '\n'}}
	p := &parser{source: &source{}}
	edit := (*inPlace)(nil)
	expressions := 0
	expression := func(text string) {
		expressions++
		p.pieces = append(p.pieces, piece{expr: expressions, text: []byte(text)})
	}
	for _, o := range opts.Options {
		switch o.Name {
		case "n":
			x.quiet = true
		case "e":
			expression(o.Arg)
		case "f":
			text, err := env.ReadFile(o.Arg)
			if err != nil {
				env.Errorf("couldn't open file %s: %s", o.Arg, tool.Strerror(err))
				return exitPanic
			}
			p.pieces = append(p.pieces, piece{file: o.Arg, text: bytes.TrimSuffix(text, []byte("\n"))})
		case "i":
			edit = &inPlace{env: env, suffix: o.Arg}
			x.in.separate = true
		case "l":
			x.width, _ = strconv.Atoi(o.Arg)
		case "posix":
			x.posix = true
		case "E":
			p.extended = true
		case "s":
			x.in.separate = true
		case "sandbox":
			p.sandbox = true
		case "z":
			x.in.delim, p.null = 0, true
		case "help":
			env.Help()
			return 0
		case "version":
			env.Version()
			return 0
		}
	}
	files := opts.Operands
	if len(p.pieces) == 0 {
		if len(files) == 0 {
			usage(env)
			return exitBadUsage
		}
		expression(files[0])
		files = files[1:]
	}
	x.program, err = p.parse()
	if err != nil {
		env.Errorf("%v", err)
		if errors.As(err, new(jumpError)) {
			return exitPanic
		}
		return exitBadUsage
	}
	x.quiet = x.quiet || x.program.quiet
	if len(files) == 0 {
		files = []string{"-"}
		if edit != nil {
			env.Errorf("no input files")
			return exitPanic
		}
	}
	x.in.names = files
	return x.start(edit)
}

// usage is shown for bad usage, in place of a hint.
func usage(env *tool.Env) {
	env.Warn("Usage: " + env.Name + " " + Commands()[0].Usage)
}

// start runs the script and returns the exit status.
func (x *execution) start(edit *inPlace) int {
	stdout := &output{Writer: x.env.Out}
	x.out = stdout
	x.files = outputs{}
	err := x.files.create(x.env, x.program.outputs, stdout)
	if edit != nil {
		x.in.began = func(name string) (err error) {
			x.out, err = edit.begin(name)
			return err
		}
		x.in.finished = func() error {
			x.out = stdout
			return edit.end()
		}
	}
	if err == nil {
		err = x.run()
	}
	if x.in.lines != nil && err == nil {
		x.in.close() // q left it in the middle
		err = x.in.err
	}
	if e := x.files.close(); err == nil {
		err = e
	}
	switch {
	case errors.As(err, new(editError)):
		x.env.Errorf("%v", err)
		return exitPanic
	case errors.Is(err, errNoRegex):
		x.env.Errorf("-e expression #1, char 0: %v", err)
		return exitBadUsage
	case err != nil:
		x.env.Errorf("%s", strings.TrimSpace(err.Error()))
		return exitPanic
	case x.status != 0:
		return x.status
	}
	return x.in.status
}
