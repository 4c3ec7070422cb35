package jq

import (
	"io"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// options is the parsed command line.
type options struct {
	program    string
	hasProgram bool
	fromFile   bool
	files      []string
	named      *object
	positional []any

	encoder    encoder
	nullInput  bool
	rawInput   bool
	slurp      bool
	stream     bool
	sequence   bool // --seq
	raw        bool
	joined     bool // -j: no newlines
	nulEnd     bool // --raw-output0
	exitStatus bool
}

// shortOptions returns the long names of letters.
func shortOptions() map[byte]string {
	return map[byte]string{
		's': "slurp", 'r': "raw-output", 'c': "compact-output", 'C': "color-output", 'M': "monochrome-output", 'a': "ascii-output",
		'S': "sort-keys", 'R': "raw-input", 'n': "null-input", 'f': "from-file", 'j': "join-output", 'e': "exit-status",
		'h': "help", 'V': "version",
	}
}

// A usage error is what is wrong with the command line. A pair is a file that can't be read.
type usageError struct {
	text string
	hint bool
}

func (u *usageError) Error() string { return u.text }

func usage(text string) error { return &usageError{text, true} }

// parseOptions parses the command line. It returns a nil *options when the command is over.
func parseOptions(env *tool.Env, args []string) (*options, error) {
	o := &options{named: &object{}, encoder: encoder{indent: "  "}}
	rest := args[1:]
	take := func(n int) ([]string, bool) {
		if len(rest) < n {
			return nil, false
		}
		taken := rest[:n]
		rest = rest[n:]
		return taken, true
	}
	asText, asJSON, only := false, false, false
	for len(rest) > 0 {
		arg := rest[0]
		rest = rest[1:]
		if only || !isOption(arg) {
			if err := o.operand(arg, asText, asJSON); err != nil {
				return nil, err
			}
			continue
		}
		if arg == "--" {
			// As in jq 1.6, what follows it is a program if there was none.
			only = true
			continue
		}
		names := []string{strings.TrimPrefix(arg, "--")}
		if !strings.HasPrefix(arg, "--") {
			names = nil
			if arg[1] == 'L' {
				if arg == "-L" {
					take(1)
				}
				continue
			}
			for _, letter := range []byte(arg[1:]) {
				name, ok := shortOptions()[letter]
				if !ok {
					return nil, usage("Unknown option " + arg)
				}
				names = append(names, name)
			}
		}
		for _, name := range names {
			switch name {
			case "args":
				asText, asJSON = true, false
			case "jsonargs":
				asText, asJSON = false, true
			case "help":
				env.Help()
				return nil, nil
			case "version":
				env.Out.WriteString("jq-1.6\n")
				return nil, nil
			default:
				if err := o.set(env, name, arg, take); err != nil {
					return nil, err
				}
			}
		}
	}
	return o, nil
}

// isOption reports whether arg is one: "-(1)" is a program.
func isOption(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && (arg[1] == '-' || arg[1]|0x20 >= 'a' && arg[1]|0x20 <= 'z')
}

func (o *options) operand(arg string, asText, asJSON bool) error {
	switch {
	case !o.hasProgram:
		o.program, o.hasProgram = arg, true
	case asText:
		o.positional = append(o.positional, arg)
	case asJSON:
		v, err := decode(arg)
		if err != nil {
			return usage("Invalid JSON text passed to --jsonargs")
		}
		o.positional = append(o.positional, v)
	default:
		o.files = append(o.files, arg)
	}
	return nil
}

// set sets one option. take takes what follows it.
func (o *options) set(env *tool.Env, name, arg string, take func(int) ([]string, bool)) error {
	switch name {
	case "slurp":
		o.slurp = true
	case "raw-output":
		o.raw = true
	case "raw-output0":
		o.raw, o.nulEnd = true, true
	case "join-output":
		o.raw, o.joined = true, true
	case "compact-output":
		o.encoder.indent = ""
	case "tab":
		o.encoder.indent = "\t"
	case "color-output":
		o.encoder.color = true
	case "monochrome-output":
		o.encoder.color = false
	case "ascii-output":
		o.encoder.ascii = true
	case "sort-keys":
		o.encoder.sorted = true
	case "raw-input":
		o.rawInput = true
	case "null-input":
		o.nullInput = true
	case "from-file":
		o.fromFile = true
	case "exit-status":
		o.exitStatus = true
	case "stream":
		o.stream = true
	case "seq":
		o.sequence = true
	case "unbuffered":
	case "indent":
		return o.setIndent(take)
	case "arg", "argjson":
		pair, ok := take(2)
		if !ok {
			value := "value"
			if name == "argjson" {
				value = "text"
			}
			return usage("--" + name + " takes two parameters (e.g. --" + name + " varname " + value + ")")
		}
		return o.define(name, pair)
	case "slurpfile", "rawfile", "argfile":
		pair, ok := take(2)
		if !ok {
			return usage("--" + name + " takes two parameters (e.g. --" + name + " varname filename)")
		}
		return o.load(env, name, pair)
	default:
		return usage("Unknown option " + arg)
	}
	return nil
}

func (o *options) setIndent(take func(int) ([]string, bool)) error {
	arg, ok := take(1)
	if !ok {
		return usage("--indent takes one parameter")
	}
	n, _ := strconv.Atoi(arg[0])
	switch {
	case n < -1 || n > 7:
		return usage("--indent takes a number between -1 and 7")
	case n == -1:
		o.encoder.indent = "\t"
	default:
		o.encoder.indent = strings.Repeat(" ", n)
	}
	return nil
}

func (o *options) define(option string, pair []string) error {
	var v any = pair[1]
	if option == "argjson" {
		var err error
		if v, err = decode(pair[1]); err != nil || strings.TrimSpace(pair[1]) == "" {
			return usage("invalid JSON text passed to --argjson")
		}
	}
	o.addNamed(pair[0], v)
	return nil
}

// addNamed sets a variable, if it was not set before.
func (o *options) addNamed(name string, v any) {
	if o.named.find(name) < 0 {
		o.named.set(name, v)
	}
}

func (o *options) load(env *tool.Env, option string, pair []string) error {
	bad := "Bad JSON in --" + option + " " + pair[0] + " " + pair[1] + ": "
	text, err := env.ReadFile(pair[1])
	if err != nil {
		return &usageError{text: bad + "Could not open " + pair[1] + ": " + tool.Strerror(err)}
	}
	if option == "rawfile" {
		o.addNamed(pair[0], strings.ToValidUTF8(string(text), "\uFFFD"))
		return nil
	}
	list := []any{}
	d := newDecoder(&whole{text})
	for {
		v, err := d.value()
		if err == io.EOF {
			break
		}
		if err != nil {
			return &usageError{text: bad + err.Error()}
		}
		list = append(list, v)
	}
	if option == "argfile" && len(list) == 1 {
		o.addNamed(pair[0], list[0])
		return nil
	}
	o.addNamed(pair[0], list)
	return nil
}
