package policy

import (
	"path"
	"slices"
	"strings"
)

// A launcher starts what its arguments say. It is judged by rules that ask or deny only: whether it
// is allowed depends on what it starts.
type launcher struct {
	plain, value string   // the letters of its options without and with a value
	long         []string // its long options; those with a value end in "="
	skip         int      // operands before the command
	ask          string   // why it is asked about anyway
}

const (
	whyOther = "it runs a command as somebody else or elsewhere"
	whyHides = "it runs a command in a way that isn't followed"
)

// launchers are those that have a command as their last operands. An option that is not named here
// is asked about.
var launchers = map[string]launcher{
	"nohup": {}, "builtin": {}, "chronic": {},
	"command": {plain: "p"},
	"exec":    {plain: "cl", value: "a"},
	"setsid":  {plain: "cfw"},
	"time":    {plain: "pv", value: "f"},
	"nice":    {value: "n", long: []string{"--adjustment="}},
	"ionice":  {plain: "t", value: "cn"},
	"stdbuf":  {value: "ioe", long: []string{"--input=", "--output=", "--error="}},
	"timeout": {plain: "fpv", value: "ks", skip: 1,
		long: []string{"--preserve-status", "--foreground", "--verbose", "--kill-after=", "--signal="}},
	"xargs": {plain: "0rtx", value: "InPLEd",
		long: []string{"--null", "--no-run-if-empty", "--verbose", "--max-args=", "--max-procs=", "--delimiter=", "--max-lines="}},

	"sudo":     {plain: "AbEeHiKklNnPSsVv", value: "CDghpRrtTUu", ask: whyOther},
	"doas":     {plain: "Lns", value: "aCu", ask: whyOther},
	"chroot":   {skip: 1, ask: whyOther},
	"setpriv":  {ask: whyOther},
	"unshare":  {plain: "fimnprTuUC", ask: whyOther},
	"nsenter":  {ask: whyOther},
	"busybox":  {ask: whyHides},
	"toybox":   {ask: whyHides},
	"strace":   {plain: "fqvy", value: "eops", ask: whyHides},
	"ltrace":   {plain: "fS", value: "eops", ask: whyHides},
	"taskset":  {plain: "a", value: "c", ask: whyHides},
	"chrt":     {ask: whyHides, skip: 1},
	"flock":    {plain: "nsxeuo", value: "wE", skip: 1, ask: whyHides},
	"watch":    {plain: "bcdegtwx", value: "n", ask: whyHides},
	"parallel": {plain: "0k", value: "jn", ask: whyHides},
	"faketime": {skip: 1, ask: whyHides},
	"fakeroot": {ask: whyHides}, "caffeinate": {ask: whyHides}, "catchsegv": {ask: whyHides}, "coproc": {ask: whyHides},
	"systemd-run": {ask: whyHides}, "valgrind": {ask: whyHides}, "unbuffer": {ask: whyHides}, "proxychains": {ask: whyHides},
	"rtk": {ask: whyHides}, "dbus-run-session": {ask: whyHides}, "xvfb-run": {ask: whyHides}, "entr": {ask: whyHides},
}

// shells take a line after -c. Those that are no Bourne shell are asked about.
var shells = map[string]bool{
	"sh": true, "bash": true, "dash": true, "ash": true, "rbash": true,
	"zsh": false, "ksh": false, "mksh": false, "fish": false, "csh": false, "tcsh": false, "pwsh": false, "nu": false,
}

// changers are builtins that change what the rest of the line means.
var changers = map[string]string{
	"eval": "", "source": "reads a script", ".": "reads a script", "trap": "sets a trap",
	"alias": "defines an alias", "unalias": "removes an alias", "hash": "changes what a name means",
	"enable": "changes what a name means", "bind": "binds keys", "complete": "sets a completion",
	"export": "exports a variable", "declare": "declares a variable", "typeset": "declares a variable",
	"local": "declares a variable", "readonly": "declares a variable", "unset": "unsets a variable", "let": "assigns a variable",
	"mapfile": "reads variables", "readarray": "reads variables", "getopts": "assigns a variable", "compgen": "completes",
	"shopt": "sets options of the shell", "pushd": "changes the directory", "popd": "changes the directory", "chdir": "changes the directory",
	"umask": "changes the permissions of new files", "autoload": "defines a function", "emulate": "changes the shell", "fc": "runs the history",
}

// simple looks through c if it starts another command, and notes what is found.
func (w *walk) simple(c *Command) {
	if len(c.words) > maxLine {
		w.hide("the command has too many words")
		return
	}
	if !w.deeper() {
		return
	}
	defer w.shallower()
	first := c.words[0]
	if first.dynamic && homely(first.text) {
		first = word{text: first.text, home: true}
		c.words[0] = first
	}
	if first.dynamic || first.text == "" {
		c.doubted("which command this is shows only when the line runs")
		c.nameless = true
		w.add(c)
		return
	}
	name := path.Base(first.text)
	args := c.words[1:]
	_, isShell := shells[name]
	l, isLauncher := launchers[name]
	before := len(w.commands)
	defer func() {
		if c.transparent && len(w.commands) <= before+1 {
			c.doubted("it starts nothing that could be judged")
		}
	}()
	switch {
	case name == "command" && len(args) > 0 && (args[0].text == "-v" || args[0].text == "-V"):
		w.add(c) // says what a name means
	case isShell && len(args) == 1 && args[0].text == "--version":
		w.add(c)
	case name == "exec" && len(args) == 0:
		c.transparent = true // its redirects are what it is for
		c.doubted("it redirects the rest of the line")
		w.add(c)
	case isLauncher:
		w.launch(c, name, l)
	case isShell:
		w.shell(c, name)
	case name == "env":
		w.env(c)
	case name == "find" || name == "gfind":
		w.find(c)
	case name == "git":
		w.git(c)
	case name == "eval":
		c.transparent = true
		w.add(c)
		if text, ok := joined(args); ok {
			w.lineOf(c, text)
		} else {
			c.doubted("what it evaluates shows only when the line runs")
			w.tainted("evaluates something")
		}
	case name == "cd":
		w.add(c)
		w.cd(args)
	default:
		w.add(c)
		w.change(c, name, args)
	}
}

// homely reports whether text is a path below the home that has nothing else that isn't known.
func homely(text string) bool {
	rest, ok := strings.CutPrefix(text, "~/")
	return ok && !strings.ContainsFunc(rest, func(r rune) bool {
		return !strings.ContainsRune("/._-+", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// change taints what follows if c changes what it means.
func (w *walk) change(c *Command, name string, args []word) {
	if why := changers[name]; why != "" {
		c.doubted("it changes what the rest of the line means")
		w.tainted(why)
		return
	}
	switch name {
	case "printf":
		if len(args) > 0 && (args[0].isOption() || len(args) > 1 && (args[0].dynamic || counts(args[0].text))) {
			c.doubted("it may assign a variable")
			w.tainted("assigns a variable")
		}
	case "wait": // -p
		for _, a := range args {
			if a.isOption() && a.text != "$!" && a.text != "-n" && a.text != "-f" {
				c.doubted("it may assign a variable")
				w.tainted("assigns a variable")
			}
		}
	case "read":
		for _, a := range args {
			if a.dynamic || !plainName(a.text) && a.text != "-r" && a.text != "-rs" {
				c.doubted("it may assign a variable that programs read")
				w.tainted("assigns a variable")
			}
		}
	case "set":
		for i, a := range args {
			plain := len(a.text) > 1 && strings.Trim(a.text[1:], "euxo") == "" && (a.text[0] == '-' || a.text[0] == '+')
			if a.dynamic || !plain && (a.text != "pipefail" || i == 0 || !strings.HasSuffix(args[i-1].text, "o")) {
				c.doubted("it sets options of the shell, or its arguments")
				w.tainted("sets options")
			}
		}
	}
}

// counts reports whether printf's format has a %n, which assigns.
func counts(format string) bool {
	for {
		_, rest, ok := strings.Cut(format, "%")
		if !ok {
			return false
		}
		rest = strings.TrimLeft(rest, "#0123456789- +'.*hjlLqtzI$")
		if rest == "" {
			return false
		}
		if rest[0] == 'n' {
			return true
		}
		format = rest[1:]
	}
}

func joined(words []word) (string, bool) {
	var list []string
	for _, word := range words {
		if word.dynamic {
			return "", false
		}
		list = append(list, word.text)
	}
	return strings.Join(list, " "), true
}

// started is what c starts: its words from i on, with what else c has.
func (c *Command) started(words []word) *Command {
	return &Command{words: words, Redirects: c.Redirects, assigns: c.assigns, Through: append(slices.Clip(c.Through), c.words[0].text)}
}

// standard reports whether name is a bare name, or a path of the system's own directories.
func standard(name string) bool {
	return !strings.Contains(name, "/") || path.Dir(name) == "/bin" || path.Dir(name) == "/usr/bin"
}

func (w *walk) launch(c *Command, name string, l launcher) {
	c.transparent = true
	c.doubted(l.ask)
	w.checkLauncher(c)
	w.add(c)
	i := c.options(1, l)
	if name == "sudo" || name == "doas" {
		for i < len(c.words) && isAssign(c.words[i].text) {
			i++
		}
	}
	for range l.skip {
		c.oneWord(i)
		i++
	}
	if i >= len(c.words) {
		return
	}
	words := slices.Clip(c.words[i:])
	if name == "xargs" {
		marks, adds := c.replaced(i, l)
		words = slices.Clone(words)
		for j, a := range words {
			if slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(a.text, mark) }) {
				words[j] = word{text: a.text, dynamic: true, option: true}
			}
		}
		if adds {
			words = append(words, word{text: "…", dynamic: true, many: true, option: true})
		}
	}
	w.simple(c.started(words))
}

// replaced returns what xargs, whose command begins at word end, may replace (-I), and whether it
// may add words behind. Of several such options some hold, and which is left open.
func (c *Command) replaced(end int, l launcher) (marks []string, adds bool) {
	for i := 1; i < end; i++ {
		o := c.words[i].text
		if strings.HasPrefix(o, "--max") {
			adds = true
		}
		if strings.HasPrefix(o, "--") || !c.words[i].isOption() {
			continue
		}
		at := strings.IndexAny(o[1:], l.value) + 1
		if at == 0 {
			continue
		}
		value := word{text: o[at+1:]}
		if value.text == "" && i+1 < end {
			i++
			value = c.words[i]
		}
		switch o[at] {
		case 'I':
			if value.dynamic || value.text == "" {
				c.doubted("what it replaces shows only when the line runs")
			}
			marks = append(marks, value.text)
		case 'n', 'L':
			adds = true
		}
	}
	return marks, adds || len(marks) != 1
}

// checkLauncher doubts a launcher that is called by a path of its own, or whose words are unknown.
func (w *walk) checkLauncher(c *Command) {
	if !standard(c.words[0].text) {
		c.doubted("it is a program of its own that has a launcher's name")
	}
}

// options returns where the operands begin, from word i on, and doubts what it does not know.
func (c *Command) options(i int, l launcher) int {
	for ; i < len(c.words); i++ {
		o := c.words[i]
		if o.dynamic && o.isOption() {
			c.doubted("an option of it shows only when the line runs")
			continue
		}
		if o.text == "--" {
			return i + 1
		}
		if !o.isOption() {
			return i
		}
		if strings.HasPrefix(o.text, "--") {
			name, _, hasValue := strings.Cut(o.text, "=")
			switch {
			case slices.Contains(l.long, name+"="):
				if !hasValue {
					i++
					c.oneWord(i)
				}
			case hasValue || !slices.Contains(l.long, name):
				c.doubted("it has an option that isn't known: " + name)
			}
			continue
		}
		for j := 1; j < len(o.text); j++ {
			letter := o.text[j]
			if strings.IndexByte(l.value, letter) >= 0 {
				if j+1 == len(o.text) {
					i++
					c.oneWord(i)
				}
				break
			}
			if strings.IndexByte(l.plain, letter) < 0 {
				c.doubted("it has an option that isn't known: -" + o.text[j:j+1])
			}
		}
	}
	return i
}

// oneWord doubts a value that may be several words, the second of which is the command then.
func (c *Command) oneWord(i int) {
	if i < len(c.words) && c.words[i].many {
		c.doubted("which of its words are the command shows only when the line runs")
	}
}

// shell looks into the line after -c. A script, or what standard input says, it can't know.
func (w *walk) shell(c *Command, name string) {
	w.checkLauncher(c)
	if !shells[name] {
		c.doubted("it is no Bourne shell")
	}
	for i := 1; i < len(c.words); i++ {
		o := c.words[i]
		if o.dynamic {
			c.doubted("an argument of it shows only when the line runs")
			break
		}
		if !o.isOption() && !strings.HasPrefix(o.text, "+") {
			w.add(c) // a script
			return
		}
		if o.text[0] == '-' && !strings.HasPrefix(o.text, "--") && strings.Contains(o.text, "c") {
			if strings.Trim(o.text[1:], "ceuxl") != "" {
				c.doubted("it has options that aren't known")
			}
			w.shellLine(c, i+1)
			return
		}
		switch o.text {
		case "-e", "-u", "-x", "-l", "--login", "--norc", "--noprofile":
		case "-o", "+o":
			i++
			if i >= len(c.words) || c.words[i].text != "pipefail" {
				c.doubted("it has options that aren't known")
			}
		default:
			c.doubted("it has options that aren't known")
		}
	}
	c.doubted("what it runs comes from its standard input")
	w.add(c)
}

func (w *walk) shellLine(c *Command, i int) {
	for i < len(c.words) && c.words[i].isOption() && !c.words[i].dynamic {
		if t := c.words[i].text; t != "--" && t != "-e" && t != "-u" && t != "-x" {
			c.doubted("it has options that aren't known")
		}
		i++
	}
	c.transparent = true
	if i >= len(c.words) || c.words[i].dynamic {
		c.doubted("the line it runs shows only when it runs")
		w.add(c)
		return
	}
	w.add(c)
	outer := w.notBash
	w.notBash = !isBash(c.words[0].text)
	w.lineOf(c, c.words[i].text)
	w.notBash = outer
}

func isBash(name string) bool {
	name = path.Base(name)
	return name == "bash" || name == "rbash"
}

// lineOf walks over a line that is an argument of c.
func (w *walk) lineOf(c *Command, line string) {
	first := len(w.commands)
	w.line(line)
	for _, inner := range w.commands[first:] {
		inner.Through = slices.Concat(c.Through, []string{c.words[0].text}, inner.Through)
		inner.Redirects = atMost(w, append(slices.Clip(inner.Redirects), c.Redirects...))
		inner.assigns = atMost(w, append(slices.Clip(inner.assigns), c.assigns...))
		inner.Assigns = atMost(w, append(slices.Clip(inner.Assigns), c.Assigns...))
	}
}

// env takes variables before the command.
func (w *walk) env(c *Command) {
	i := c.options(1, launcher{plain: "i0v", value: "u", long: []string{"--ignore-environment", "--unset=", "--null"}})
	if i < len(c.words) && c.words[i].text == "-" {
		i++
	}
	var vars []assign
	for ; i < len(c.words) && !c.words[i].dynamic && isAssign(c.words[i].text); i++ {
		name, value, _ := strings.Cut(c.words[i].text, "=")
		vars = append(vars, assign{Name: name, Value: value})
	}
	vars = atMost(w, vars)
	if i >= len(c.words) {
		w.add(c) // prints the environment
		return
	}
	if c.words[i].dynamic && strings.Contains(c.words[i].text, "=") {
		c.doubted("a variable of it shows only when the line runs")
	}
	c.transparent = true
	w.checkLauncher(c)
	w.add(c)
	inner := c.started(c.words[i:])
	inner.assigns = atMost(w, append(slices.Clip(inner.assigns), vars...))
	w.simple(inner)
}

func isAssign(text string) bool {
	i := strings.IndexByte(text, '=')
	return i > 0 && !strings.Contains(text[:i], "/")
}

// find starts what follows -exec. The names it fills in begin with where it started.
func (w *walk) find(c *Command) {
	w.add(c)
	for i := 1; i < len(c.words); i++ {
		switch c.words[i].text {
		case "-exec", "-execdir", "-ok", "-okdir":
		default:
			continue
		}
		end := i + 1
		for end < len(c.words) && c.words[end].text != ";" && !(c.words[end].text == "+" && c.words[end-1].text == "{}") {
			end++
		}
		words := slices.Clone(c.words[i+1 : end])
		for j, a := range words {
			if strings.Contains(a.text, "{}") {
				words[j] = word{text: a.text, dynamic: true, many: true, option: a.text[0] == '-'}
			}
		}
		if len(words) > 0 {
			w.simple(c.started(words))
		}
		i = end
	}
}

// git is matched without the options before its subcommand. Few of them do no harm.
func (w *walk) git(c *Command) {
	i := 1
	for i < len(c.words) && !c.words[i].dynamic && c.words[i].isOption() {
		switch o := c.words[i].text; o {
		case "--no-pager", "-P", "--no-optional-locks", "--no-replace-objects", "--literal-pathspecs", "--version", "--help", "-v", "-h":
		case "-C":
			if i++; i >= len(c.words) || c.words[i].dynamic || !w.inside(c.words[i].text) {
				c.doubted("git runs outside the session's directories")
			}
		case "-c", "--git-dir", "--work-tree", "--exec-path", "--namespace", "--config-env", "--super-prefix", "--attr-source":
			i++
			c.doubted("git's options may have it execute something: " + o)
		default:
			c.doubted("git's options may have it execute something: " + o)
		}
		i++
	}
	if i > 1 && i < len(c.words) {
		for _, a := range c.words {
			c.Argv = append(c.Argv, a.text)
		}
		c.words = append([]word{c.words[0]}, c.words[i:]...)
	}
	w.add(c)
}

// inside reports whether dir lies in the roots wherever the command runs.
func (w *walk) inside(dir string) bool {
	for _, from := range w.dirs {
		to := dir
		if !path.IsAbs(to) {
			to = path.Join(from, to)
		}
		if !within(path.Clean(to), w.roots) {
			return false
		}
	}
	return len(w.dirs) > 0
}
