package system

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tty"
	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// A sttyFlag is a setting that is on or off. Those without modes stay as they are.
type sttyFlag struct {
	name  string
	modes proc.TerminalModes
	on    bool
}

// sttyFlags are all, in the order of stty -a; "" begins a line. What can't be changed is what it
// does.
var sttyFlags = []sttyFlag{
	{name: "parenb"}, {name: "parodd"}, {name: "cmspar"}, {name: "cs8", on: true}, {name: "hupcl"}, {name: "cstopb"},
	{name: "cread", on: true}, {name: "clocal"}, {name: "crtscts"}, {},
	{name: "ignbrk"}, {name: "brkint"}, {name: "ignpar"}, {name: "parmrk"}, {name: "inpck"}, {name: "istrip"}, {name: "inlcr"},
	{name: "igncr"}, {name: "icrnl", modes: proc.Returns}, {name: "ixon"}, {name: "ixoff"}, {name: "iuclc"}, {name: "ixany"},
	{name: "imaxbel", on: true}, {name: "iutf8", on: true}, {},
	{name: "opost", modes: proc.Newlines}, {name: "olcuc"}, {name: "ocrnl"}, {name: "onlcr", modes: proc.Newlines}, {name: "onocr"},
	{name: "onlret"}, {name: "ofill"}, {name: "ofdel"}, {name: "nl0", on: true}, {name: "cr0", on: true}, {name: "tab0", on: true},
	{name: "bs0", on: true}, {name: "vt0", on: true}, {name: "ff0", on: true}, {},
	{name: "isig", modes: proc.Signals}, {name: "icanon", modes: proc.Canonical}, {name: "iexten"}, {name: "echo", modes: proc.Echo},
	{name: "echoe", on: true}, {name: "echok", on: true}, {name: "echonl"}, {name: "noflsh"}, {name: "xcase"}, {name: "tostop"},
	{name: "echoprt"}, {name: "echoctl", on: true}, {name: "echoke", on: true}, {name: "flusho"}, {name: "extproc"},
}

const (
	sane   = proc.Canonical | proc.Echo | proc.Signals | proc.Returns | proc.Newlines
	cooked = proc.Canonical | proc.Signals | proc.Returns | proc.Newlines
)

// sttyModes are the names that stand for several settings.
var sttyModes = map[string]struct{ clear, set proc.TerminalModes }{
	"sane": {set: sane}, "raw": {clear: cooked}, "-raw": {set: cooked}, "cooked": {set: cooked}, "-cooked": {clear: cooked},
	"cbreak": {clear: proc.Canonical}, "-cbreak": {set: proc.Canonical}, "nl": {clear: proc.Returns | proc.Newlines},
	"-nl": {set: proc.Returns | proc.Newlines}, "ek": {}, "crt": {}, "dec": {},
}

// sttyChars are the characters that mean something, as stty -a has them. None can be changed.
var sttyChars = []struct{ name, key string }{
	{"intr", "^C"}, {"quit", `^\`}, {"erase", "^?"}, {"kill", "^U"}, {"eof", "^D"}, {"eol", "<undef>"}, {"eol2", "<undef>"},
	{"swtch", "<undef>"}, {"start", "<undef>"}, {"stop", "<undef>"}, {"susp", "<undef>"}, {"rprnt", "<undef>"}, {"werase", "^W"},
	{"lnext", "<undef>"}, {"discard", "<undef>"}, {"min", "1"}, {"time", "0"},
}

// An sttyCall is one call of stty.
type sttyCall struct {
	*tool.Env
	file   *os.File
	device string // in messages

	state         proc.Terminal
	modes, resize bool // were set
	unable        bool // to do something that was asked for
}

func stty(e *tool.Env, args []string) int {
	s := &sttyCall{Env: e, file: e.InTerminal(), device: "standard input"}
	show := ""
	var settings []string
	for args = args[1:]; len(args) > 0; args = args[1:] {
		switch a := args[0]; {
		case a == "-a" || a == "--all" || a == "-g" || a == "--save":
			show = strings.TrimLeft(a, "-")[:1]
		case a == "-F" && len(args) > 1, strings.HasPrefix(a, "-F") && len(a) > 2, strings.HasPrefix(a, "--file="):
			if a == "-F" {
				args = args[1:]
				a = "-F" + args[0]
			}
			s.device = strings.TrimPrefix(strings.TrimPrefix(a, "-F"), "--file=")
			f, err := os.OpenFile(e.Path(s.device), os.O_RDWR, 0)
			if err != nil {
				e.FileError(s.device, err)
				return 1
			}
			defer f.Close()
			s.file = tty.Of(f)
		default:
			settings = append(settings, a)
		}
	}
	if s.file == nil {
		name := "'standard input'"
		if s.device != "standard input" {
			name = s.device
		}
		e.Errorf("%s: Inappropriate ioctl for device", name)
		return 1
	}
	s.state, _ = tty.Get(s.file)
	if len(settings) > 0 {
		return s.apply(settings)
	}
	switch show {
	case "g":
		fmt.Fprintln(e.Out, s.saved())
	case "a":
		s.all()
	default:
		s.changed()
	}
	return 0
}

// apply sets what the arguments say.
func (s *sttyCall) apply(settings []string) int {
	for len(settings) > 0 {
		n, ok := s.set(settings)
		if !ok {
			return 1
		}
		settings = settings[n:]
	}
	if s.resize {
		tty.SetSize(s.file, s.state.Rows, s.state.Cols)
	}
	if s.modes {
		tty.SetModes(s.file, s.state.Modes)
	}
	if s.unable {
		s.Errorf("'%s': unable to perform all requested operations", s.device)
		return 1
	}
	return 0
}

// set does what the first of words says, and returns how many words that were.
func (s *sttyCall) set(words []string) (n int, ok bool) {
	word := words[0]
	if m, ok := sttyModes[word]; ok {
		s.state.Modes, s.modes = s.state.Modes&^m.clear|m.set, true
		return 1, true
	}
	name, off := strings.CutPrefix(word, "-")
	for _, f := range sttyFlags {
		switch {
		case f.name != name || name == "":
			continue
		case f.modes == 0:
			s.unable = s.unable || f.on == off
		case off:
			s.state.Modes, s.modes = s.state.Modes&^f.modes, true
		default:
			s.state.Modes, s.modes = s.state.Modes|f.modes, true
		}
		return 1, true
	}
	switch word {
	case "size":
		fmt.Fprintln(s.Out, s.state.Rows, s.state.Cols)
		return 1, true
	case "speed":
		fmt.Fprintln(s.Out, 38400)
		return 1, true
	case "rows", "cols", "columns", "line", "ispeed", "ospeed":
		return s.number(words)
	}
	for _, c := range sttyChars {
		if c.name != word {
			continue
		}
		if len(words) < 2 {
			s.missing(word)
			return 0, false
		}
		s.unable = s.unable || words[1] != c.key && !(c.key == "<undef>" && (words[1] == "undef" || words[1] == "^-"))
		return 2, true
	}
	if _, err := strconv.Atoi(word); err == nil {
		return 1, true // a speed
	}
	if s.restore(word) {
		return 1, true
	}
	s.Errorf("invalid argument '%s'", word)
	s.TryHelp()
	return 0, false
}

func (s *sttyCall) missing(word string) {
	s.Errorf("missing argument to '%s'", word)
	s.TryHelp()
}

// number does what a word says that has a number behind it.
func (s *sttyCall) number(words []string) (n int, ok bool) {
	if len(words) < 2 {
		s.missing(words[0])
		return 0, false
	}
	value, err := strconv.ParseUint(words[1], 10, 16)
	if err != nil {
		s.Errorf("invalid integer argument: '%s'", words[1])
		return 0, false
	}
	switch words[0] {
	case "rows":
		s.state.Rows, s.resize = int(value), true
	case "cols", "columns":
		s.state.Cols, s.resize = int(value), true
	}
	return 2, true
}

// The bits of Linux that modes stand for in what -g prints: of the input, output and local modes.
var sttyBits = []struct {
	mode  proc.TerminalModes
	field int
	bits  uint64
}{{proc.Returns, 0, 0x100}, {proc.Newlines, 1, 5}, {proc.Signals, 3, 1}, {proc.Canonical, 3, 2}, {proc.Echo, 3, 8}}

// saved is what -g prints: the four modes and the characters, as on Linux.
func (s *sttyCall) saved() string {
	fields := [4]uint64{0x6000, 0, 0xbf, 0xa30}
	for _, b := range sttyBits {
		if s.state.Modes&b.mode != 0 {
			fields[b.field] |= b.bits
		}
	}
	return fmt.Sprintf("%x:%x:%x:%x:3:1c:7f:15:4:0:1:0:0:0:0:0:0:0:17:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0", fields[0], fields[1], fields[2], fields[3])
}

// restore sets what -g has printed.
func (s *sttyCall) restore(text string) bool {
	fields := strings.Split(text, ":")
	if len(fields) != 36 {
		return false
	}
	var modes [4]uint64
	for i, field := range fields {
		n, err := strconv.ParseUint(field, 16, 32)
		if err != nil {
			return false
		}
		if i < len(modes) {
			modes[i] = n
		}
	}
	for _, b := range sttyBits {
		s.state.Modes &^= b.mode
		if modes[b.field]&b.bits != 0 {
			s.state.Modes |= b.mode
		}
	}
	s.modes = true
	return true
}

// words writes words in lines that fit the terminal.
func (s *sttyCall) words(words []string) {
	width, column := s.state.Cols, 0
	if width <= 0 {
		width = 80
	}
	for _, word := range words {
		switch {
		case column > 0 && column+1+len(word) >= width:
			s.Out.WriteString("\n")
			column = 0
		case column > 0:
			s.Out.WriteString(" ")
			column++
		}
		s.Out.WriteString(word)
		column += len(word)
	}
	if column > 0 {
		s.Out.WriteString("\n")
	}
}

func (f sttyFlag) word(m proc.TerminalModes) string {
	if on := f.on || m&f.modes != 0; on {
		return f.name
	}
	return "-" + f.name
}

func (s *sttyCall) all() {
	s.words([]string{"speed 38400 baud;", fmt.Sprintf("rows %d;", s.state.Rows), fmt.Sprintf("columns %d;", s.state.Cols), "line = 0;"})
	var words []string
	for _, c := range sttyChars {
		words = append(words, c.name+" = "+c.key+";")
	}
	s.words(words)
	words = nil
	for _, f := range append(sttyFlags, sttyFlag{}) {
		if f.name == "" {
			s.words(words)
			words = nil
			continue
		}
		words = append(words, f.word(s.state.Modes))
	}
}

// changed shows what is not as "stty sane" sets it.
func (s *sttyCall) changed() {
	s.Out.WriteString("speed 38400 baud; line = 0;\n")
	var words []string
	for _, f := range sttyFlags {
		if f.modes&^s.state.Modes != 0 {
			words = append(words, f.word(s.state.Modes))
		}
	}
	s.words(words)
}
