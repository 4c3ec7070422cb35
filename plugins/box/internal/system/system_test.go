package system

import (
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool/tooltest"
)

func TestLikeTheirs(t *testing.T) {
	tooltest.Compare(t, Commands(), map[string]string{"prog": "#!/bin/sh\n"}, []tooltest.Case{
		{"date -u -d @0", "", "Thu Jan  1 00:00:00 UTC 1970\n", "", 0},
		{"date -u -d @0 '+%Y-%m-%dT%H:%M:%S.%N %a %A %b %B %j %U %V %W %u %w %e %k %l %I %p %P %s %Z %z %:z %::z %C %y %G %g %D %F %T %R %r %n%t%%'", "", "1970-01-01T00:00:00.000000000 Thu Thursday Jan January 001 00 01 00 4 4  1  0 12 12 AM am 0 UTC +0000 +00:00 +00:00:00 19 70 1970 70 01/01/70 1970-01-01 00:00:00 00:00 12:00:00 AM \n\t%\n", "", 0},
		{"date -u -d @0 '+%_d|%-d|%03d|%^a|%#Z|%10Y|%-10Y|%_5m|%5N|%3N|%E|%Q|%'", "", " 1|1|001|THU|utc|0000001970|1970|    1|00000|000|%E|%Q|%\n", "", 0},
		{"date -u -d @-1 +%s", "", "-1\n", "", 0},
		{"date -u -d '2024-02-29 12:00 +1 year' +%F", "", "2025-03-01\n", "", 0},
		{"date -u -d '2024-01-31 1 month' +%F", "", "2024-03-02\n", "", 0},
		{"date -u -d 'Thu, 01 Jan 1970 00:00:10 +0000' +%s", "", "10\n", "", 0},
		{"date -u -d @0 -R", "", "Thu, 01 Jan 1970 00:00:00 +0000\n", "", 0},
		{"date -u -d @0 --rfc-3339=ns", "", "1970-01-01 00:00:00.000000000+00:00\n", "", 0},
		{"date -u -d @0 -Ins", "", "1970-01-01T00:00:00,000000000+00:00\n", "", 0},
		{"date -u -d @0.5 +%s.%N", "", "0.500000000\n", "", 0},
		{"date -u -d nonsense", "", "", "date: invalid date ‘nonsense’\n", 1},
		{"date -u -d @99999999999999999999 +%s", "", "", "date: invalid date ‘@99999999999999999999’\n", 1},
		{"date -u -d @253402300800 +%Y", "", "10000\n", "", 0},
		{"date -u -r missing", "", "", "date: missing: No such file or directory\n", 1},
		{"date -u -f - +%s", "@1\n@2\nnonsense\n", "1\n2\n", "date: invalid date ‘nonsense’\n", 1},
		{"date -I x", "", "", "date: invalid date ‘x’\n", 1},
		{"date +%s +%s", "", "", "date: extra operand ‘+%s’\nTry 'date --help' for more information.\n", 1},
		{"date -u -d @0 -Ix", "", "", "date: invalid argument ‘x’ for ‘--iso-8601’\nValid arguments are:\n  - ‘hours’\n  - ‘minutes’\n  - ‘date’\n  - ‘seconds’\n  - ‘ns’\nTry 'date --help' for more information.\n", 1},
		{"env", "", "LC_ALL=C.UTF-8\nTZ=UTC\nHOME=/\nPATH=/usr/bin:/bin\n", "", 0},
		{"env -i", "", "", "", 0},
		{"env -i A=1 B=2", "", "A=1\nB=2\n", "", 0},
		{"env -u HOME -u PATH -u TZ", "", "LC_ALL=C.UTF-8\n", "", 0},
		{"env -u A=B", "", "", "env: cannot unset ‘A=B’: Invalid argument\n", 125},
		{"env -0 -i A=1", "", "A=1\x00", "", 0},
		{"printenv HOME TZ", "", "/\nUTC\n", "", 0},
		{"printenv NOTHING", "", "", "", 1},
		{"printenv -0 TZ", "", "UTC\x00", "", 0},
		{"kill -l", "", "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT\nCHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH POLL PWR SYS\n", "", 0},
		{"kill -l 9 15 137 HUP SIGINT", "", "KILL\n", "", 0},
		{"kill -l SIGINT", "", "2\n", "", 0},
		{"kill -l hup", "", "1\n", "", 0},
		{"kill -l 999", "", "", "kill: unknown signal name 999\n", 0},
		{"kill -l nonsense", "", "", "kill: unknown signal name nonsense\n", 0},
		{"which sh nothing", "", "/usr/bin/sh\n", "", 1},
		{"which -a nothing", "", "", "", 1},
		{"which", "", "", "", 1},
		{"uname -s", "", "Linux\n", "", 0},
		{"uname x", "", "", "uname: extra operand ‘x’\nTry 'uname --help' for more information.\n", 1},
		{"arch x", "", "", "arch: extra operand ‘x’\nTry 'arch --help' for more information.\n", 1},
		{"tput -T xterm cols", "", "80\n", "", 0},
		{"tput -T xterm clear", "", "\x1b[H\x1b[2J\x1b[3J", "", 0},
		{"tput -T xterm cup 3 4", "", "\x1b[4;5H", "", 0},
		{"tput -T xterm bold", "", "\x1b[1m", "", 0},
		{"tput -T xterm nonsense", "", "", "tput: unknown terminfo capability 'nonsense'\n", 4},
		{"tty", "", "not a tty\n", "", 1},
		{"tty -s", "", "", "", 1},
		{"tty x", "", "", "tty: extra operand ‘x’\nTry 'tty --help' for more information.\n", 2},
		{"timeout", "", "", "Try 'timeout --help' for more information.\n", 125},
		{"timeout x true", "", "", "timeout: invalid time interval ‘x’\nTry 'timeout --help' for more information.\n", 125},
		{"timeout -s NOSUCH 1 true", "", "", "timeout: ‘NOSUCH’: invalid signal\nTry 'timeout --help' for more information.\n", 125},
		{"timeout -k x 1 true", "", "", "timeout: invalid time interval ‘x’\nTry 'timeout --help' for more information.\n", 125},
		{"nice -n x true", "", "", "nice: invalid adjustment ‘x’\n", 125},
		{"nohup", "", "", "nohup: missing operand\nTry 'nohup --help' for more information.\n", 125},
		{"stdbuf true", "", "", "stdbuf: you must specify a buffering mode option\nTry 'stdbuf --help' for more information.\n", 125},
		{"stdbuf -o x true", "", "", "stdbuf: invalid mode ‘x’\n", 125},
		{"more", "a\nb\n", "a\nb\n", "", 0},
		{"less", "a\nb\n", "a\nb\n", "", 0},
	})
}

// FuzzDate has any format end soon, and show no more than its widths ask for.
func FuzzDate(f *testing.F) {
	f.Add("+%Y-%m-%d %H:%M:%S.%N", "@0")
	f.Add("+%_10d%^#a%:::z%", "2024-02-29 +1 year")
	f.Add("+%999999999d", "@99999999999999")
	f.Fuzz(func(t *testing.T, format, when string) {
		if !strings.HasPrefix(format, "+") || strings.ContainsAny(format+when, "\x00") {
			t.Skip()
		}
		got := tooltest.Run(Commands(), "", "", "date", "-u", "-d", when, format)
		if got.Status == 0 && !strings.HasSuffix(got.Stdout, "\n") || got.Status == 1 && got.Stderr == "" || got.Status > 1 {
			t.Errorf("%q of %q: got %.100q, %q, %d", format, when, got.Stdout, got.Stderr, got.Status)
		}
		if len(got.Stdout) > 2<<20 {
			t.Errorf("%q of %q: got %d bytes", format, when, len(got.Stdout))
		}
	})
}
