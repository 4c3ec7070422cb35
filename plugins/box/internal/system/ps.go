package system

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/process"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tty"
)

// A listing is one call of ps.
type listing struct {
	columns  []psColumn
	asked    bool     // -o has named them
	sort     []string // columns, with a "-" for those from the largest
	bare     bool     // no head
	width    int      // of a line, 0 for any
	tty      string
	selected []func(p process.Info) bool // any of them; all processes if there is none
	now      time.Time
}

// A psColumn is one column, as it was asked for.
type psColumn struct {
	psField
	head string
}

// A psField is what may be a column.
type psField struct {
	head  string
	width int // negative to begin at the left
	text  func(l *listing, p process.Info) string
}

// The formats of options, as lists for -o.
const (
	psPlain = "pid,tname,time,ucmd"
	psFull  = "user=UID,pid,ppid,c,stime,tname,time,cmd"
	psUser  = "user,pid,%cpu,%mem,vsz,rss,tname,stat,start_time=START,bsdtime,command"
	psBSD   = "pid,tname,stat,bsdtime,command"
	psJobs  = "pid,pgid,sid,tname,time,ucmd"
	psLong  = "f,s,uid,pid,ppid,c,pri,ni,addr,sz,wchan,tname,time,ucmd"
)

// psAliases are other names of fields.
var psAliases = map[string]string{
	"args": "command", "ucomm": "comm", "pcpu": "%cpu", "pmem": "%mem", "vsize": "vsz", "rssize": "rss", "rsz": "rss", "euser": "user",
	"ruser": "user", "uname": "user", "euid": "uid", "ruid": "uid", "tt": "tty", "cputime": "time", "state": "s", "pgrp": "pgid",
	"sess": "sid", "session": "sid", "nice": "ni", "flag": "f", "flags": "f", "start_time": "stime", "tgid": "pid", "tid": "pid",
}

// psFieldOf returns the field of that name.
func psFieldOf(name string) (f psField, ok bool) {
	if alias, ok := psAliases[name]; ok {
		name = alias
	}
	constant := func(text string) func(*listing, process.Info) string {
		return func(*listing, process.Info) string { return text }
	}
	user, _ := sys.Self()
	switch name {
	case "pid":
		return psField{"PID", 7, func(_ *listing, p process.Info) string { return strconv.Itoa(p.PID) }}, true
	case "ppid":
		return psField{"PPID", 7, func(_ *listing, p process.Info) string { return strconv.Itoa(p.Parent) }}, true
	case "pgid", "sid": // a terminal is one of each
		return psField{strings.ToUpper(name), 7, constant("1")}, true
	case "tname", "tty":
		head := map[string]string{"tname": "TTY", "tty": "TT"}[name]
		return psField{head, -8, func(l *listing, _ process.Info) string { return l.tty }}, true
	case "time":
		return psField{"TIME", 8, func(_ *listing, p process.Info) string { return hours(p.CPU, true) }}, true
	case "bsdtime":
		return psField{"TIME", 6, func(_ *listing, p process.Info) string {
			return fmt.Sprintf("%d:%02d", int(p.CPU.Minutes()), int(p.CPU.Seconds())%60)
		}}, true
	case "etime":
		return psField{"ELAPSED", 11, func(l *listing, p process.Info) string { return hours(l.now.Sub(p.Start), false) }}, true
	case "etimes":
		return psField{"ELAPSED", 7, func(l *listing, p process.Info) string { return strconv.Itoa(int(l.now.Sub(p.Start).Seconds())) }}, true
	case "start":
		return psField{"STARTED", 8, func(l *listing, p process.Info) string { return p.Start.Local().Format("15:04:05") }}, true
	case "stime":
		return psField{"STIME", -5, func(l *listing, p process.Info) string { return p.Start.Local().Format("15:04") }}, true
	case "lstart":
		return psField{"STARTED", 24, func(l *listing, p process.Info) string { return p.Start.Local().Format(time.ANSIC) }}, true
	case "comm", "ucmd":
		head, width := "COMMAND", -15
		if name == "ucmd" {
			head = "CMD"
		}
		return psField{head, width, func(_ *listing, p process.Info) string { return comm(p) + defunct(p) }}, true
	case "command", "cmd":
		return psField{strings.ToUpper(name), -27, func(_ *listing, p process.Info) string { return commandLine(p) }}, true
	case "user":
		return psField{"USER", -8, constant(sys.UserName(user))}, true
	case "uid":
		return psField{"UID", 5, constant(strconv.Itoa(int(user)))}, true
	case "%cpu":
		return psField{"%CPU", 4, func(l *listing, p process.Info) string { return fmt.Sprintf("%.1f", load(l, p)) }}, true
	case "c":
		return psField{"C", 2, func(l *listing, p process.Info) string { return strconv.Itoa(min(int(load(l, p)), 99)) }}, true
	case "%mem":
		return psField{"%MEM", 4, constant("0.0")}, true
	case "vsz", "rss", "sz":
		unit, width := uint64(1<<10), map[string]int{"vsz": 6, "rss": 5, "sz": 5}[name]
		if name == "sz" {
			unit = 4 << 10
		}
		return psField{strings.ToUpper(name), width, func(_ *listing, p process.Info) string { return strconv.FormatUint(p.Memory/unit, 10) }}, true
	case "stat":
		return psField{"STAT", -4, func(l *listing, p process.Info) string { return l.state(p) }}, true
	case "s":
		return psField{"S", -1, func(l *listing, p process.Info) string { return l.state(p)[:1] }}, true
	case "ni":
		return psField{"NI", 3, constant("0")}, true
	case "pri":
		return psField{"PRI", 3, constant("19")}, true
	case "nlwp":
		return psField{"NLWP", 4, constant("1")}, true
	case "wchan":
		return psField{"WCHAN", -6, constant("-")}, true
	case "f", "addr":
		return psField{strings.ToUpper(name), 1, constant(map[string]string{"f": "0", "addr": "-"}[name])}, true
	}
	return psField{}, false
}

// hours writes a time as [DD-]hh:mm:ss, without hours that are none unless they must be there.
func hours(d time.Duration, always bool) string {
	s := max(int(d.Seconds()), 0)
	text := fmt.Sprintf("%02d:%02d", s/60%60, s%60)
	if always || s >= 3600 {
		text = fmt.Sprintf("%02d:%s", s/3600%24, text)
	}
	if days := s / 86400; days > 0 {
		text = fmt.Sprintf("%d-%s", days, text)
	}
	return text
}

// load is the share of a processor that p has had, in percent.
func load(l *listing, p process.Info) float64 {
	lived := l.now.Sub(p.Start)
	if lived <= 0 {
		return 0
	}
	return min(100*float64(p.CPU)/float64(lived), 100)
}

// comm is the name of what a process runs, as the kernel keeps it.
func comm(p process.Info) string {
	if p.Name != "" {
		return p.Name[:min(len(p.Name), 15)]
	}
	if len(p.Args) == 0 {
		return "?"
	}
	name := p.Args[0][strings.LastIndexByte(p.Args[0], '/')+1:]
	return name[:min(len(name), 15)]
}

func defunct(p process.Info) string {
	if p.Ended {
		return " <defunct>"
	}
	return ""
}

// commandLine is all that a process was given, in one line.
func commandLine(p process.Info) string {
	if p.Ended || len(p.Args) == 0 {
		return "[" + comm(p) + "]" + defunct(p)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r < ' ' || r == 0x7f:
			return '?'
		}
		return r
	}, strings.Join(p.Args, " "))
}

func (l *listing) state(p process.Info) string {
	state := "S"
	switch {
	case p.Ended:
		return "Z"
	case p.Running:
		state = "R"
	}
	if p.Parent == 0 {
		state += "s"
	}
	if l.tty != "?" {
		state += "+"
	}
	return state
}

// psUsage is what follows a mistake.
const psUsage = "\nUsage:\n ps [options]\n\n Try 'ps --help <simple|list|output|threads|misc|all>'\n  or 'ps --help <s|l|o|t|m|a>'\n" +
	" for additional help text.\n\nFor more details see ps(1)."

func ps(e *tool.Env, args []string) int {
	l := &listing{now: time.Now(), tty: terminalName()}
	if e.ToTerminal() {
		l.width = e.Columns(80)
	}
	if err := l.options(args[1:]); err != nil {
		e.Warn("error: " + err.Error() + "\n" + psUsage)
		return 1
	}
	if l.columns == nil {
		l.add(psPlain)
	}
	list := slices.DeleteFunc(processes(e, args), func(p process.Info) bool { return !l.selects(p) })
	for _, name := range slices.Backward(l.sort) {
		name, down := strings.CutPrefix(name, "-")
		f, _ := psFieldOf(strings.TrimPrefix(name, "+"))
		slices.SortStableFunc(list, func(a, b process.Info) int {
			order := compareColumns(f.text(l, a), f.text(l, b))
			if down {
				return -order
			}
			return order
		})
	}
	l.print(e, list)
	if len(list) == 0 {
		return 1
	}
	return 0
}

// processes are those that e can see. Where there is no table of them that is the command itself.
func processes(e *tool.Env, args []string) []process.Info {
	if p := process.Of(e.Context); p != nil {
		return p.List()
	}
	return []process.Info{{PID: os.Getpid(), Parent: os.Getppid(), Running: true, Start: time.Now(), Args: args}}
}

// terminalName is what is told of the terminal.
func terminalName() string {
	if isTerminal(os.Stdin) || isTerminal(os.Stdout) || isTerminal(os.Stderr) {
		return "pts/0"
	}
	return "?"
}

func isTerminal(f *os.File) bool {
	return tty.Of(f) != nil
}

// compareColumns compares numbers as such.
func compareColumns(a, b string) int {
	m, err := strconv.ParseFloat(a, 64)
	n, err2 := strconv.ParseFloat(b, 64)
	if err != nil || err2 != nil {
		return strings.Compare(a, b)
	}
	switch {
	case m < n:
		return -1
	case m > n:
		return 1
	}
	return 0
}

func (l *listing) selects(p process.Info) bool {
	return len(l.selected) == 0 || slices.ContainsFunc(l.selected, func(f func(process.Info) bool) bool { return f(p) })
}

func (l *listing) print(e *tool.Env, list []process.Info) {
	heads := ""
	for _, c := range l.columns {
		heads += c.head
	}
	if !l.bare && heads != "" {
		l.line(e, func(c psColumn) string { return c.head })
	}
	for _, p := range list {
		l.line(e, func(c psColumn) string { return c.text(l, p) })
	}
}

func (l *listing) line(e *tool.Env, text func(c psColumn) string) {
	var b strings.Builder
	for i, c := range l.columns {
		if i > 0 {
			b.WriteByte(' ')
		}
		s := text(c)
		switch width := max(c.width, -c.width, len(c.head)); {
		case c.width > 0:
			fmt.Fprintf(&b, "%*s", width, s)
		case i == len(l.columns)-1:
			b.WriteString(s)
		default:
			fmt.Fprintf(&b, "%-*s", width, s)
		}
	}
	s := b.String()
	if r := []rune(s); l.width > 0 && len(r) > l.width {
		s = string(r[:l.width])
	}
	e.Out.WriteString(s + "\n")
}
