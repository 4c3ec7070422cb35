package browser

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// A chromium is a browser that we have started, with all its processes.
type chromium struct {
	cmd  *exec.Cmd
	dir  string        // its profile
	gone chan struct{} // closed when it has ended, with err
	err  error

	mu   sync.Mutex // guards output
	text tail
}

// flags of a browser that does nothing but show one page. It has no sandbox of its own, which root
// could not have; what it shows is ours.
var flags = []string{
	"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
	"--disable-background-networking", "--disable-component-update", "--disable-sync",
	"--disable-breakpad", "--disable-dev-shm-usage", "--disable-extensions", "--mute-audio",
	// Nobody sees the page, which must not make it slower.
	"--disable-background-timer-throttling", "--disable-renderer-backgrounding",
}

// start shows a page. The browser ends with us, however we do.
func start(program, url string) (*chromium, error) {
	dir, err := os.MkdirTemp("", "chromium")
	if err != nil {
		return nil, err
	}
	c := &chromium{dir: dir, gone: make(chan struct{})}
	c.cmd = exec.Command(program, append(append([]string{"--user-data-dir=" + dir}, flags...), url)...)
	// It keeps files in its home besides.
	c.cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_CACHE_HOME="+dir)
	c.cmd.Stdout, c.cmd.Stderr = c, c
	c.cmd.WaitDelay = 5 * time.Second
	withUs(c.cmd)
	started := make(chan error)
	go func() { // ends with the browser
		runtime.LockOSThread() // with whose end Linux ends what it has started
		defer runtime.UnlockOSThread()
		started <- c.cmd.Start()
		if c.cmd.Process != nil {
			c.err = c.cmd.Wait()
			close(c.gone)
		}
	}()
	if err := <-started; err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("start Chromium: %w", err)
	}
	return c, nil
}

// stop ends all its processes and removes its files.
func (c *chromium) stop() {
	endAll(c.cmd)
	<-c.gone
	for range 50 {
		if err := os.RemoveAll(c.dir); err == nil || errors.Is(err, os.ErrPermission) {
			return
		}
		time.Sleep(20 * time.Millisecond) // its last processes are ending, and write
	}
}

// Write takes what the browser says.
func (c *chromium) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(p)
}

// said returns the end of what it has said.
func (c *chromium) said() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.TrimSpace(c.text.String())
}
