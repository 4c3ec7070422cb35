//go:build unix

package keys_test

import (
	"bytes"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/keys"
)

// TestTmux types every name with every modifier into a pane of tmux, whose
// program records the bytes, and compares.
func TestTmux(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it starts tmux")
	}
	version, err := exec.Command("tmux", "-V").Output()
	if err != nil {
		t.Skipf("needs tmux: %v", err)
	}
	if got := strings.TrimSpace(string(version)); got != "tmux 3.3a" {
		t.Skipf("needs tmux 3.3a, whose keys are ours: found %s", got)
	}
	for _, test := range []struct {
		name, enter string // enter is what a program prints to enter the modes
		modes       keys.Modes
	}{
		{"plain", "", keys.Modes{}},
		{"cursor", `\033[?1h`, keys.Modes{AppCursor: true}},
		{"keypad", `\033=`, keys.Modes{AppKeypad: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			names := candidates()
			for i, got := range sendKeys(t, test.enter, names) {
				want := hex.EncodeToString(keys.Type(nil, names[i], test.modes))
				if got != want {
					t.Errorf("%q: tmux sends %s, got %s", names[i], got, want)
				}
			}
			t.Logf("%d names", len(names))
		})
	}
}

// candidates are names and almost names.
func candidates() []string {
	bases := strings.Fields(`Enter Space Tab BTab Escape BSpace IC Insert DC Delete Home End PPage PageUp PgUp NPage PageDown
		PgDn Up Down Left Right F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 F13 KP0 KP1 KP2 KP3 KP4 KP5 KP6 KP7 KP8 KP9 KP/ KP* KP-
		KP+ KP. KPEnter KPX User0 User1000 None Any FocusIn PasteStart MouseDown1Pane Return Esc Backspace pgup ENTER é 漢 😀 aa`)
	for c := rune(1); c < 128; c++ {
		bases = append(bases, string(c))
	}
	names := strings.Fields(`0x41 0xe9 0x1b 0x110000 0xD800 0x 0xg 0x80 0X41 0x1F600 C-0x41 ^C^C x^C C-cc Ctrl-C ctrl+c UpUp -x --`)
	names = append(names, "C-c\n", "Enter ", " Enter", "C-c C-d", "a;b", "ls -la\n", "héllo\n", "a\x7fb\x01\t")
	for _, prefix := range []string{
		"", "S-", "M-", "C-", "C-S-", "M-S-", "C-M-", "C-M-S-", "^", "^M-", "^S-", "c-", "m-", "s-", "M-C-", "C-C-", "M-M-", "X-",
	} {
		for _, base := range bases {
			names = append(names, prefix+base)
		}
	}
	return names
}

// mark, typed after each name, ends its bytes in what is recorded.
const mark = "\u2e28\u2e29"

// sendKeys returns what a program in tmux reads for each of names, in hex.
func sendKeys(t *testing.T, enter string, names []string) []string {
	dir := t.TempDir()
	record := filepath.Join(dir, "record")
	if err := syscall.Mkfifo(record, 0o600); err != nil {
		t.Fatal(err)
	}
	tmux := func(args ...string) {
		t.Helper()
		cmd := exec.Command("tmux", append([]string{"-u", "-S", filepath.Join(dir, "socket"), "-f", "/dev/null"}, args...)...)
		// The user nobody has nologin as a shell.
		cmd.Env = append(os.Environ(), "TMUX=", "LC_ALL=C.UTF-8", "SHELL=/bin/sh")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("tmux %q: %v: %s", args, err, out)
		}
	}
	// The terminal answers the question for the cursor after it has read all before it.
	tmux("new-session", "-d", "-x", "80", "-y", "24", "stty raw -echo; printf '"+enter+`\033[6n'; exec cat >`+record)
	t.Cleanup(func() { tmux("kill-server") })
	// Opened for reading alone, it would wait for the terminal's program.
	f, err := os.OpenFile(record, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.SetReadDeadline(time.Now().Add(time.Minute))
	r := recording{t: t, r: f}
	r.until("R", 1)

	var sent []string
	for batch := range slices.Chunk(names, 50) {
		var args []string
		for _, name := range batch {
			if before, ok := strings.CutSuffix(name, ";"); ok {
				name = before + `\;` // or it would end tmux's command
			}
			args = append(args, "send-keys", "-t", "0", "--", name, ";", "send-keys", "-t", "0", "-l", "--", mark, ";")
		}
		tmux(args[:len(args)-1]...)
		for _, p := range r.until(mark, len(batch)) {
			sent = append(sent, hex.EncodeToString(p))
		}
	}
	return sent
}

// A recording is read up to marks.
type recording struct {
	t   *testing.T
	r   io.Reader
	buf []byte
}

// until returns what is before each of the next n marks.
func (r *recording) until(mark string, n int) [][]byte {
	r.t.Helper()
	for bytes.Count(r.buf, []byte(mark)) < n {
		p := make([]byte, 64<<10)
		got, err := r.r.Read(p)
		if err != nil {
			r.t.Fatalf("after %q: %v", r.buf, err)
		}
		r.buf = append(r.buf, p[:got]...)
	}
	parts := bytes.SplitN(r.buf, []byte(mark), n+1)
	r.buf = parts[n]
	return parts[:n]
}
