package wasi_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// strings reads what args_get or environ_get stores.
func (g *guest) strings(get, sizes string) []string {
	g.t.Helper()
	at := g.room(8)
	g.must(sizes, at, at+4)
	n, size := g.u32(at), g.u32(at+4)
	pointers, buf := g.room(int(4*n)), g.room(int(size))
	g.must(get, pointers, buf)
	var list []string
	for i := range uint64(n) {
		s := string(g.mem[g.u32(pointers+4*i):])
		list = append(list, s[:strings.IndexByte(s, 0)])
	}
	return list
}

func TestArgs(t *testing.T) {
	args := []string{"cmd", "", "two words", "\xff"}
	g := start(t, wasi.Config{Args: args, Env: []string{"A=1", "B="}})
	if got := g.strings("args_get", "args_sizes_get"); !slices.Equal(got, args) {
		t.Errorf("got %q, want %q", got, args)
	}
	if got, want := g.strings("environ_get", "environ_sizes_get"), []string{"A=1", "B="}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPWD(t *testing.T) {
	for _, c := range []struct {
		dir  string
		env  []string
		want []string
	}{
		{"", nil, nil},
		{"/work/../tmp/", nil, []string{"PWD=/tmp"}},
		{"/work", []string{"PWD=/elsewhere"}, []string{"PWD=/elsewhere"}},
		{"/", []string{"OLDPWD=/x"}, []string{"OLDPWD=/x", "PWD=/"}},
	} {
		g := start(t, wasi.Config{Dir: c.dir, Env: c.env})
		if got := g.strings("environ_get", "environ_sizes_get"); !slices.Equal(got, c.want) {
			t.Errorf("dir %q, env %q: got %q, want %q", c.dir, c.env, got, c.want)
		}
	}
}

func TestArgsRefused(t *testing.T) {
	for _, c := range []struct {
		config wasi.Config
		want   errno.Errno
	}{
		{wasi.Config{Args: []string{"a\x00b"}}, errno.INVAL},
		{wasi.Config{Env: []string{"A=\x00"}}, errno.INVAL},
		{wasi.Config{Args: []string{strings.Repeat("x", 1<<20)}}, errno.TOOBIG},
		{wasi.Config{Args: make([]string, 3), Limits: wasi.Limits{Args: 14}}, errno.TOOBIG},
	} {
		if _, err := wasi.New(c.config); !errors.Is(err, c.want) {
			t.Errorf("got %v, want %v", err, c.want)
		}
	}
	if _, err := wasi.New(wasi.Config{Args: make([]string, 3), Limits: wasi.Limits{Args: 15}}); err != nil {
		t.Errorf("as many as allowed: got %v, want none", err)
	}
}

func TestDescriptorsRefused(t *testing.T) {
	r, _ := wasi.NewPipe(0)
	f := r.OpenFile()
	for name, c := range map[string]struct {
		config wasi.Config
		want   errno.Errno
	}{
		"twice":     {wasi.Config{Inherited: []wasi.Inherited{{FD: 5, File: f}, {FD: 5, File: f}}}, errno.INVAL},
		"too high":  {wasi.Config{Inherited: []wasi.Inherited{{FD: 256, File: f}}}, errno.MFILE},
		"too many":  {wasi.Config{Limits: wasi.Limits{OpenFiles: 2}}, errno.MFILE},
		"no such":   {wasi.Config{Files: tree(t), Preopens: []wasi.Preopen{{Name: "x", Path: "/x"}}}, errno.NOENT},
		"no folder": {wasi.Config{Files: tree(t), Preopens: []wasi.Preopen{{Name: "x", Path: "/dev/null"}}}, errno.NOTDIR},
	} {
		if _, err := wasi.New(c.config); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	start(t, wasi.Config{Inherited: []wasi.Inherited{{FD: 5, File: f}}}) // still open
}
