//go:build unix

package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
)

// TestStopped stops a command that has made the terminal raw, as a shell with job control sees it:
// the shell has the terminal back as it was, and the command takes it again when it goes on.
func TestStopped(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "long.cast")
	const events = `{"version":2,"width":80,"height":24}
[0,"o","ready"]
[100000,"o","got"]
`
	if err := os.WriteFile(recording, []byte(events), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		args []string
		key  string // which only a raw terminal hands on, since no line ends
	}{
		{"play", []string{"play", recording}, "]"},
		{"run", []string{"run", "--", "sh", "-c", "stty raw -echo; printf ready; dd bs=1 count=1 >/dev/null 2>&1; echo got"}, "x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			const shell = `
before=$(stty -g)
sh -c 'echo "[$$]"; exec terrarium "$@"' sh "$@"
now=$(stty -g)
if test "$now" = "$before"; then echo "[back]"; else echo "[not back: $now]"; fi
fg >/dev/null
echo "[exit $?]"
test "$(stty -g)" = "$before"`
			p := sitDown(t, exec.Command("sh", append([]string{"-mc", shell, "sh"}, test.args...)...))
			p.sees(`\[\d+\]\nready`)
			pid, _ := strconv.Atoi(regexp.MustCompile(`\[(\d+)\]`).FindStringSubmatch(p.text())[1])
			if err := syscall.Kill(pid, syscall.SIGTSTP); err != nil {
				t.Fatal(err)
			}
			p.sees(`\[(not )?back`)
			p.sees(`\[back\]`)
			p.types(test.key)
			p.sees(`got\s*\[exit 0\]`)
			p.exits(0)
		})
	}
}
