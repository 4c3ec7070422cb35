package hostnative_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// A process has no environment while the kernel executes another program for it. On a busy
// machine it may stay there for longer than a few looks take: these are always just about to be
// executed, and get the processor last. They have to be found all the same.
func TestEndsWhatExecutes(t *testing.T) {
	if os.Getenv("TERRARIUM_LONG") == "" {
		t.Skip("it takes a minute to meet it once: set TERRARIUM_LONG=1")
	}
	if _, err := exec.LookPath("chrt"); err != nil {
		t.Skip(err)
	}
	for range runtime.NumCPU() {
		hog := exec.Command("nice", "-n", "10", "sh", "-c", "while :; do :; done")
		if err := hog.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { hog.Process.Kill(); hog.Wait() })
	}
	again := filepath.Join(t.TempDir(), "again")
	if err := os.WriteFile(again, []byte("#!/bin/sh\nexec \"$0\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	script := `for i in 1 2 3 4 5 6 7 8; do
	setsid sh -c 'exec 3>"$1" </dev/null >/dev/null 2>&1; echo up >&3; exec chrt -i 0 "$2"' sh "$1" ` + again + ` &
done`
	for _, mechanism := range mechanisms {
		t.Run(mechanism.name, func(t *testing.T) {
			for range 200 {
				p, fifo := startDaemon(t, newHost(t, mechanism.config), script, modes[0].mode)
				waitExit(t, p)
				if err := p.Close(); err != nil {
					t.Log(err) // they get no processor to die on; then they are cleared away later
				}
				if _, err := io.ReadAll(fifo); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
