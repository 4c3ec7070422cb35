package tests

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core"
)

var outputFaults = []fault{
	{number: 16, name: "flood", test: func(t *faultTest) {
		before := heap()
		id := t.create(t.sh(`exec yes`))
		size := int64(4 << 20)
		if !t.pty {
			size = int64(few(256 << 20))
		}
		t.untilWritten(id, size)
		if grown := int64(heap() - before); grown > 16<<20 {
			t.Errorf("got %d bytes of memory more after %d of output", grown, size)
		}
		t.healthy() // while it goes on
		if out, truncated := t.d.Terminal(id).AppendOutput(nil); len(out) > 1<<20 || !truncated {
			t.Errorf("got %d bytes, truncated %t, want at most a MiB", len(out), truncated)
		}
	}},
	{number: 17, name: "endless_line", test: func(t *faultTest) {
		size := int64(few(512 << 20))
		if t.pty {
			size /= 32
		}
		before := heap()
		id := t.create(t.sh(`head -c "$1" /dev/zero | tr '\0' x`, fmt.Sprint(size)))
		t.wantStatus(t.wait(id), core.ExitStatus{})
		if grown := int64(heap() - before); grown > 16<<20 {
			t.Errorf("got %d bytes of memory more after a line of %d", grown, size)
		}
		out, truncated := t.d.Terminal(id).AppendOutput(nil)
		if !truncated || len(out) < 1<<19 || strings.Trim(string(out), "x") != "" {
			t.Errorf("got %d bytes, truncated %t, want the end of the line", len(out), truncated)
		}
	}},
	{number: 18, name: "invalid_utf8", test: func(t *faultTest) {
		// The second half of the character comes in another write.
		out, _ := t.run(t.sh(`printf 'a\377b\342\202'; printf '\254\n\360\237'`))
		if want := "a\uFFFDb€\n\uFFFD"; out != want {
			t.Errorf("got %q, want %q", out, want)
		}
	}},
	{number: 19, name: "binary", test: func(t *faultTest) {
		out, exit := t.run(t.sh(`head -c 100000 /dev/urandom; printf '\0'`))
		t.wantStatus(exit, core.ExitStatus{})
		if !utf8.ValidString(out) || len(out) < 10_000 {
			t.Errorf("got %d bytes, valid UTF-8 %t", len(out), utf8.ValidString(out))
		}
	}},
	{number: 20, name: "escapes", modes: []string{"pty"}, test: func(t *faultTest) {
		out, _ := t.run(t.sh(`printf '\033]52;c;c3RvbGVu\007\033[?1049h\033[?25l\033[999999999;1H\033[31mred\033P+q\n\033\\ \033]8;;http://x\033\\link'`))
		if want := "red link"; out != want {
			t.Errorf("got %q, want %q", out, want)
		}
		line := `i=0; while test $i -lt 2000; do printf '\033[1;2;3;4;5;6;7;8;9;10m\033]0;title\007\033[J'; i=$((i+1)); done; echo end`
		if out, _ := t.run(t.sh(line)); out != "end\n" {
			t.Errorf("got %.100q, want the end only", out)
		}
	}},
	// Nothing of this is left to a background child, so the drain needs no limit, and however busy
	// the machine is, nothing may be lost.
	{number: 23, name: "tail_before_exit", config: core.Config{KeepTerminals: -1, DrainLimit: time.Minute}, test: func(t *faultTest) {
		const size = 64 << 10
		c := t.sh(`head -c 65535 /dev/zero | tr '\0' x; echo`)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range few(200) / 4 {
					id := t.create(c)
					t.wait(id)
					out, _ := t.d.Terminal(id).AppendOutput(nil)
					if len(out) != size || out[size-1] != '\n' {
						t.Errorf("got %d bytes, want %d", len(out), size)
					}
					t.d.Terminal(id).Release()
				}
			})
		}
		all.Wait()
	}},
	{number: 24, name: "output_closed", test: func(t *faultTest) {
		id := t.create(t.sh(`echo ready; exec sleep 1000 >&- 2>&- </dev/null`))
		t.until(id, "ready\n")
		t.healthy()
		if s, _ := t.d.Terminal(id).Status(); s.State != core.StateRunning {
			t.Errorf("got state %v, want %v", s.State, core.StateRunning)
		}
		t.d.Terminal(id).Kill()
		t.wantStatus(t.wait(id), core.ExitStatus{Signal: "SIGTERM"})
	}},
	{number: 25, name: "only_stderr", test: func(t *faultTest) {
		out, exit := t.run(t.sh(`exec >&-; echo oops >&2; exit 2`))
		t.wantStatus(exit, core.ExitStatus{ExitCode: 2})
		if out != "oops\n" {
			t.Errorf("got %q, want %q", out, "oops\n")
		}
	}},
	{number: 29, name: "reads_input", test: func(t *faultTest) {
		out, exit := t.run(t.sh(`read line; echo "$? [$line]"; cat; exec cat`))
		t.wantStatus(exit, core.ExitStatus{})
		if want := "1 []\n"; out != want {
			t.Errorf("got %q, want %q", out, want)
		}
	}},
	{number: 30, name: "terminal_modes", modes: []string{"pty"}, test: func(t *faultTest) {
		out, exit := t.run(t.sh(`stty opost onlcr cols 7 rows 3 <&1; printf 'a\nb\n'; stty raw -echo <&1; printf 'c\nd\n'; stty size <&1`))
		t.wantStatus(exit, core.ExitStatus{})
		if want := "a\nb\nc\nd\n3 7\n"; out != want {
			t.Errorf("got %q, want %q", out, want)
		}
	}},
	{number: 31, name: "sigpipe", test: func(t *faultTest) {
		// SIGPIPE is 13: what we ignore, commands do not.
		out, _ := t.run(t.sh(`{ yes; echo "$?" >&2; } | head -n 1`))
		if !strings.Contains(out, "141\n") {
			t.Errorf("got %.200q, want status 141", out)
		}
		_, exit := t.run(t.sh(`kill -PIPE $$`))
		t.wantStatus(exit, core.ExitStatus{Signal: "SIGPIPE"})
	}},
	{number: 32, name: "stopped_by_the_terminal", modes: []string{"pty"}, test: func(t *faultTest) {
		// In the background, writing to a terminal with tostop stops the writer: SIGTTOU.
		pidFile := t.file("", 0o644)
		c := t.sh(`set -m; stty tostop <&1; sh -c 'echo $$ >"$1"; echo written' sh "$1" & exec sleep 1000`, pidFile)
		c.Interactive = true // or it controls nobody
		id := t.create(c)
		pid := ""
		for ; !stopped(pid) && t.ctx.Err() == nil; runtime.Gosched() {
			text, _ := os.ReadFile(pidFile)
			pid = strings.TrimSpace(string(text))
		}
		t.healthy()
		t.d.Terminal(id).Release()
		t.wantStatus(t.wait(id), core.ExitStatus{Signal: "SIGTERM"})
		t.gone(pid) // by SIGHUP: it has a group of its own
	}},
}

// heap is how many bytes this process uses.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// stopped reports whether there is a stopped process of that number.
func stopped(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && strings.HasPrefix(state, "T")
}
