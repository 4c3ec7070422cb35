package coretest

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/terrarium-dev/terrarium/core"
)

func testArgs(h *hostTest) {
	args := []string{"", "a b", "*", "$HOME", "'", `"`, `\n`, "-n", "é世"}
	c := needWith(h, h.commands.Print, args)
	e, err := h.host.Resolve(context.Background(), c)
	if err != nil {
		h.Fatal(err)
	}
	if e.Via != core.ViaArgs {
		h.Errorf("got via %q, want %q", e.Via, core.ViaArgs)
	}
	if !filepath.IsAbs(e.Path) {
		h.Errorf("got path %q, want an absolute one", e.Path)
	}
	got := h.start(c).waitEnd()
	if want := strings.Join(args, "\n") + "\n"; got != want {
		h.Errorf("got output %q, want %q", got, want)
	}
}

func testLine(h *hostTest) {
	c := h.need(h.commands.Line)
	e, err := h.host.Resolve(context.Background(), c)
	if err != nil {
		h.Fatal(err)
	}
	if e.Via != core.ViaShell {
		h.Errorf("got via %q, want %q", e.Via, core.ViaShell)
	}
	if got, want := h.start(c).waitEnd(), "a b\n"; got != want {
		h.Errorf("got output %q, want %q", got, want)
	}
}

func testMissingExecutable(h *hostTest) {
	for _, name := range []string{"no-such-command", "./no-such-command", "/no/such-command"} {
		c := h.need(core.Command{Command: name, Args: []string{"x"}})
		_, err := h.host.Resolve(context.Background(), c)
		if err == nil || !strings.Contains(err.Error(), "such-command") {
			h.Errorf("%s: got error %v, want one that names it", name, err)
		}
	}
}

func testMissingCwd(h *hostTest) {
	c := needWith(h, h.commands.Exit, 0)
	c.Cwd = filepath.Join(h.dir, "no-such-directory")
	_, err := h.host.Resolve(context.Background(), c)
	if err == nil || !strings.Contains(err.Error(), c.Cwd) {
		h.Errorf("got error %v, want one that names %s", err, c.Cwd)
	}
}

func testStartCancelled(h *hostTest) {
	e, err := h.host.Resolve(context.Background(), needWith(h, h.commands.Exit, 0))
	if err != nil {
		h.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if p, err := h.host.Start(ctx, e); !errors.Is(err, context.Canceled) {
		h.Errorf("got error %v, want %v", err, context.Canceled)
		if err == nil {
			p.Close()
		}
	}
}

// testStartInParallel would see a command that holds on to another's output,
// or gets it.
func testStartInParallel(h *hostTest) {
	var wg sync.WaitGroup
	for i := range 16 {
		want := strconv.Itoa(i) + "\n"
		c := needWith(h, h.commands.Print, []string{strconv.Itoa(i)})
		wg.Go(func() {
			e, err := h.host.Resolve(context.Background(), c)
			if err != nil {
				h.Error(err)
				return
			}
			p, err := h.host.Start(context.Background(), e)
			if err != nil {
				h.Error(err)
				return
			}
			defer p.Close()
			var got []byte
			err = p.Output(func(_ uint8, b []byte) { got = append(got, b...) })
			if err != nil || string(got) != want {
				h.Errorf("got output %q, %v, want %q, nil", got, err, want)
			}
		})
	}
	h.finish("all outputs", wg.Wait)
}

func testCwd(h *hostTest) {
	want, err := filepath.EvalSymlinks(h.dir)
	if err != nil {
		h.Fatal(err)
	}
	if got := h.start(h.need(h.commands.Pwd)).waitEnd(); got != want+"\n" {
		h.Errorf("got directory %q, want %q", got, want)
	}
}

func testEnv(h *hostTest) {
	c := needWith(h, h.commands.Getenv, "TERRARIUM_TEST")
	c.Env = []core.EnvVariable{
		{Name: "TERRARIUM_TEST", Value: "first"},
		{Name: "TERRARIUM_TEST", Value: "a=b  'c'\nd"},
		{Name: "TERRARIUM_TEST2", Value: "other"},
	}
	if got, want := h.start(c).waitEnd(), "a=b  'c'\nd\n"; got != want {
		h.Errorf("got value %q, want %q", got, want)
	}
}

// testTraceparent: a command finds its parent span where programs look for it, and one that is
// sent as a variable hides it.
func testTraceparent(h *hostTest) {
	c := needWith(h, h.commands.Getenv, "TRACEPARENT")
	c.Traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	if got, want := h.start(c).waitEnd(), string(c.Traceparent)+"\n"; got != want {
		h.Errorf("got value %q, want %q", got, want)
	}
	c.Env = []core.EnvVariable{{Name: "TRACEPARENT", Value: "own"}}
	if got, want := h.start(c).waitEnd(), "own\n"; got != want {
		h.Errorf("got value %q, want %q", got, want)
	}
}
