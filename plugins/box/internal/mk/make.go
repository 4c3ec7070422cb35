package mk

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// Exit statuses of make.
const (
	exitOutdated = 1 // with -q
	exitTrouble  = 2
)

// A maker is one run of make.
type maker struct {
	env   *tool.Env
	opts  *options
	name  string // begins messages: "make", or "make[1]" within another
	level int    // of makes within each other
	where place  // what is read or expanded

	vars     map[string]*variable
	special  *scope // variables of the target that is made
	files    map[string]*file
	implicit []*rule
	patterns []patternVariable
	missing  []missing
	depth    int // of expansions within each other
	updates  int // of files that need each other
	steps    int // of everything, to end what never would
	ran      int // recipes

	exportAll bool
	oneShell  bool
	silent    bool
}

// A missing file was to be included.
type missing struct{ name, message string }

// A place is a line of a makefile. The zero place is none.
type place struct {
	file string
	line int
}

func (p place) String() string { return p.file + ":" + strconv.Itoa(p.line) }

// fatal ends make with a message.
type fatal struct{ text string }

// fail ends make: "PLACE: *** message.  Stop.".
func (m *maker) fail(format string, a ...any) {
	prefix := m.name
	if m.where.file != "" {
		prefix = m.where.String()
	}
	panic(&fatal{prefix + ": *** " + sprintf(format, a...) + ".  Stop."})
}

// say writes a message of make's to standard error.
func (m *maker) say(format string, a ...any) { m.env.Warn(m.name + ": " + sprintf(format, a...)) }

// tell writes a message of make's to standard output.
func (m *maker) tell(format string, a ...any) {
	m.env.Out.WriteString(m.name + ": " + sprintf(format, a...) + "\n")
}

// maxLevel is how many makes may run within each other.
const maxLevel = 30

func run(env *tool.Env, args []string) int {
	o, status := parseOptions(env, args)
	if o == nil {
		return status
	}
	m := &maker{env: env, opts: o, name: env.Name}
	level, _ := strconv.Atoi(env.Getenv("MAKELEVEL"))
	if m.level = max(0, level); m.level > 0 {
		m.name += "[" + strconv.Itoa(m.level) + "]"
	}
	if m.level > maxLevel {
		m.say("*** make runs itself too often.  Stop.")
		return exitTrouble
	}
	for _, dir := range o.dirs {
		fi, err := env.Stat(dir)
		if err == nil && !fi.IsDir() {
			err = syscall.ENOTDIR
		}
		if err != nil {
			m.say("*** %s: %s.  Stop.", dir, tool.Strerror(err))
			return exitTrouble
		}
		env.Dir = strings.TrimSuffix(cleanPath(env.Path(dir)), "/")
		if env.Dir == "" {
			env.Dir = "/"
		}
	}
	show := o.printDirectory || (len(o.dirs) > 0 || m.level > 0) && !o.noPrintDirectory && !o.silent
	if show {
		o.printDirectory = true
		m.tell("Entering directory '%s'", env.Dir)
	}
	status = m.all()
	if show {
		m.tell("Leaving directory '%s'", env.Dir)
	}
	return status
}

// all reads the makefiles and makes the goals.
func (m *maker) all() (status int) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *fatal:
			m.env.Warn(r.text)
			status = exitTrouble
		default:
			panic(r)
		}
	}()
	m.reset()
	m.makefiles()
	if len(m.missing) > 0 {
		m.makeMissing()
	}
	m.where = place{}
	goals := m.opts.goals
	if goal := strings.Fields(m.expand("$(.DEFAULT_GOAL)")); len(goals) == 0 && len(goal) > 0 {
		goals = goal[:1]
	}
	if len(goals) == 0 {
		if len(m.opts.files) == 0 && !m.hasMakefile() {
			m.fail("No targets specified and no makefile found")
		}
		m.fail("No targets")
	}
	return m.goals(goals)
}

// reset forgets all that was read.
func (m *maker) reset() {
	m.vars, m.files, m.implicit, m.patterns, m.missing = map[string]*variable{}, map[string]*file{}, nil, nil, nil
	m.where, m.exportAll, m.oneShell, m.silent = place{}, false, false, m.opts.silent
	m.builtin()
}

// makefileNames are tried in this order.
var makefileNames = []string{"GNUmakefile", "makefile", "Makefile"}

func (m *maker) hasMakefile() bool {
	return slices.ContainsFunc(makefileNames, func(name string) bool {
		_, err := m.env.Stat(name)
		return err == nil
	})
}

func (m *maker) makefiles() {
	for _, text := range m.opts.evals {
		m.read("", text)
	}
	files := m.opts.files
	if len(files) == 0 {
		for _, name := range makefileNames {
			if _, err := m.env.Stat(name); err == nil {
				files = []string{name}
				break
			}
		}
	}
	for _, name := range files {
		text, err := m.env.ReadFile(name)
		if err != nil {
			m.say("%s: %s", name, tool.Strerror(err))
			m.fail("No rule to make target '%s'", name)
		}
		m.read(name, string(text))
	}
}

// makeMissing makes the files to include that were not there, and reads everything once more.
func (m *maker) makeMissing() {
	m.where = place{}
	for _, include := range m.missing {
		if f := m.files[include.name]; (f == nil || !f.target) && m.findRule(&file{name: include.name}, 0) == nil {
			m.env.Warn(include.message)
			m.fail("No rule to make target '%s'", include.name)
		}
		if !m.update(m.file(include.name), nil) {
			m.env.Warn(include.message)
			m.fail("Failed to remake makefile '%s'", include.name)
		}
	}
	m.ran = 0
	m.reset()
	m.makefiles()
	if m.where = (place{}); len(m.missing) > 0 {
		m.env.Warn(m.missing[0].message)
		m.fail("No rule to make target '%s'", m.missing[0].name)
	}
}

// goals makes what was asked for and returns the exit status.
func (m *maker) goals(names []string) int {
	status := 0
	for _, name := range names {
		before := m.ran
		f := m.file(strings.TrimPrefix(name, "./"))
		ok := m.update(f, nil)
		if m.env.Stopped() {
			return exitTrouble
		}
		switch {
		case !ok:
			status = exitTrouble
			if m.opts.question {
				return exitOutdated
			}
			if f.blocked && m.opts.keepGoing {
				m.say("Target '%s' not remade because of errors.", name)
			}
			if !m.opts.keepGoing {
				return status
			}
		case m.ran > before || m.silent || m.opts.question:
		case f.phony || len(f.recipe()) == 0:
			m.tell("Nothing to be done for '%s'.", name)
		default:
			m.tell("'%s' is up to date.", name)
		}
	}
	return status
}

func cleanPath(p string) string {
	var parts []string
	for part := range strings.SplitSeq(p, "/") {
		switch part {
		case "", ".":
		case "..":
			parts = parts[:max(0, len(parts)-1)]
		default:
			parts = append(parts, part)
		}
	}
	return "/" + strings.Join(parts, "/")
}

// remove removes a file that is not to stay.
func (m *maker) remove(name string) error { return os.Remove(m.env.Path(name)) }
