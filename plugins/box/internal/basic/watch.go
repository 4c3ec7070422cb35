package basic

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/find"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const watchOptions = "+ b,beep c,color d,differences? e,errexit g,chgexit q,equexit= n,interval= p,precise t,no-title w,no-wrap x,exec h v"

// watchFailed is the status of watch -e, when the command failed.
const watchFailed = 8

// maxFrame is how much of what a command writes is looked at.
const maxFrame = 1 << 20

// A watcher runs a command again and again.
type watcher struct {
	env           *tool.Env
	command       []string
	interval      time.Duration
	rows, columns int
	beep, differs bool
	title, wraps  bool
	direct        bool // without a shell
	onError       bool // ends when the command fails
	onChange      bool // or writes something else
	equal         int  // or writes the same so often; 0 for never
}

func watch(env *tool.Env, args []string) int {
	opts, status := env.Options(args, watchOptions)
	if opts == nil {
		return status
	}
	w := &watcher{env: env, command: opts.Operands, interval: 2 * time.Second, beep: opts.Has("b"), differs: opts.Has("d"),
		title: !opts.Has("t"), wraps: !opts.Has("w"), direct: opts.Has("x"), onError: opts.Has("e"), onChange: opts.Has("g")}
	for _, o := range opts.Options {
		switch o.Name {
		case "h":
			env.Help()
			return 0
		case "v":
			env.Version()
			return 0
		case "n":
			const least, most = 0.1, 1 << 30
			f, err := strconv.ParseFloat(strings.Replace(o.Arg, ",", ".", 1), 64)
			if err != nil || f != f {
				env.Errorf("failed to parse argument: '%s': Invalid argument", o.Arg)
				return 1
			}
			w.interval = time.Duration(min(max(f, least), most) * float64(time.Second))
		case "q":
			n, err := strconv.Atoi(o.Arg)
			if err != nil || n < 1 {
				env.Errorf("failed to parse argument: '%s': Invalid argument", o.Arg)
				return 1
			}
			w.equal = n
		}
	}
	if len(w.command) == 0 {
		env.Warn("Usage: " + env.Name + " [options] command")
		return 1
	}
	if env.Exec == nil {
		env.Errorf("unable to run '%s'", strings.Join(w.command, " "))
		return 1
	}
	const most = 10_000
	rows, columns := env.Size()
	w.rows, w.columns = min(cmp.Or(rows, 24), most), min(cmp.Or(columns, 80), most)
	return w.watch()
}

// watch shows a frame for each run, until it is told to end.
func (w *watcher) watch() int {
	var before []string
	same := 0
	for first := true; ; first = false {
		status, text := w.run()
		frame := w.frame(text)
		changed := strings.Join(frame, "\n") != strings.Join(before, "\n")
		same++
		if first || changed {
			same = 0
		}
		w.show(frame, before)
		before = frame
		switch {
		case w.env.Stopped():
			return 0
		case status != 0 && w.beep:
			w.env.Out.WriteByte('\a')
		}
		w.env.Out.Flush()
		switch {
		case status != 0 && w.onError:
			return watchFailed
		case !first && changed && w.onChange, w.equal > 0 && same >= w.equal:
			return 0
		}
		timer := time.NewTimer(w.interval)
		select {
		case <-timer.C:
		case <-w.env.Context.Done():
			timer.Stop()
			return 0
		}
	}
}

// run runs the command, and returns what it wrote.
func (w *watcher) run() (status int, text []byte) {
	var out limited
	child := w.env.Child()
	child.Stdout, child.Stderr = &out, &out
	if !w.direct {
		return w.env.Exec(child, []string{"sh", "-c", strings.Join(w.command, " ")}), out.Bytes()
	}
	status = find.Execute(w.env, child, w.command, func(why string) {
		fmt.Fprintf(&out, "%s: unable to execute '%s': %s\n", w.env.Name, w.command[0], why)
	})
	return status, out.Bytes()
}

// limited keeps what is written first.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	l.Buffer.Write(p[:min(len(p), maxFrame-l.Len())])
	return len(p), nil
}

// frame returns the lines of a screen.
func (w *watcher) frame(text []byte) []string {
	rows := w.rows
	if w.title {
		rows -= 2
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		for len(lines) < rows {
			end := prefixOf(line, w.columns)
			lines = append(lines, line[:end])
			if line = line[end:]; line == "" || !w.wraps {
				break
			}
		}
	}
	return lines
}

// prefixOf returns how many bytes of s take so many columns at most. Escape sequences take none.
func prefixOf(s string, columns int) int {
	for i := 0; i < len(s); {
		if strings.HasPrefix(s[i:], "\x1b[") {
			if end := strings.IndexFunc(s[i+2:], func(r rune) bool { return '@' <= r && r <= '~' }); end >= 0 {
				i += 2 + end + 1
				continue
			}
		}
		if columns == 0 {
			return i
		}
		columns--
		_, n := utf8.DecodeRuneInString(s[i:])
		i += n
	}
	return len(s)
}

// show writes a frame over the last one.
func (w *watcher) show(frame, before []string) {
	out := w.env.Out
	out.WriteString("\x1b[H\x1b[2J")
	if w.title {
		left := fmt.Sprintf("Every %.1fs: %s", w.interval.Seconds(), strings.Join(w.command, " "))
		right := time.Now().In(clock.Zone(w.env)).Format("Mon Jan _2 15:04:05 2006")
		if host := w.env.Getenv("HOSTNAME"); host != "" {
			right = host + ": " + right
		}
		left = left[:prefixOf(left, max(0, w.columns-len(right)-1))]
		out.WriteString(left + strings.Repeat(" ", max(1, w.columns-utf8.RuneCountInString(left)-len(right))) + right + "\n\n")
	}
	for i, line := range frame {
		if w.differs && len(before) > 0 {
			was := ""
			if i < len(before) {
				was = before[i]
			}
			line = marked(line, was)
		}
		out.WriteString(line + "\n")
	}
}

// marked shows the characters of a line in reverse that are others than before.
func marked(line, was string) string {
	var b strings.Builder
	old := []rune(was)
	for i, r := range []rune(line) {
		if i < len(old) && old[i] == r {
			b.WriteRune(r)
			continue
		}
		b.WriteString("\x1b[7m" + string(r) + "\x1b[27m")
	}
	return b.String()
}
