package wasi_test

import (
	"encoding/binary"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// A nursery is a Spawner whose children do nothing by themselves.
type nursery struct {
	kids []*kid
	err  error
}

type kid struct {
	request wasi.Request
	exited  func(wasi.Status)
	killed  []wasi.Kill
	reaped  int
}

func (n *nursery) Spawn(r wasi.Request, exited func(wasi.Status)) (wasi.Child, error) {
	if n.err != nil {
		return nil, n.err
	}
	k := &kid{request: r, exited: exited}
	n.kids = append(n.kids, k)
	return k, nil
}

func (k *kid) Kill(how wasi.Kill) { k.killed = append(k.killed, how) }

func (k *kid) Reap() { k.reaped++ }

// request builds what spawn takes.
func request(flags uint16, parts ...[]byte) []byte {
	le := binary.LittleEndian
	b := make([]byte, 8)
	le.PutUint16(b[6:], flags)
	for _, p := range parts {
		for len(b)%4 != 0 {
			b = append(b, 0)
		}
		b = append(b, p...)
	}
	le.PutUint32(b, uint32(len(b)))
	return b
}

func part(kind uint16, data string) []byte {
	b := binary.LittleEndian.AppendUint16(nil, kind)
	b = binary.LittleEndian.AppendUint32(append(b, 0, 0), uint32(len(data)))
	return append(b, data...)
}

func words(list ...uint32) string {
	var b []byte
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return string(b)
}

// spawn starts a child that is called "kid" and gets parts besides.
func (g *guest) spawn(parts ...[]byte) uint32 {
	g.t.Helper()
	at, n := g.put(string(request(1, append([][]byte{part(1, "kid")}, parts...)...)))
	result := g.room(4)
	g.must(wasi.Proc+".spawn", at, n, result)
	return g.u32(result)
}

func (g *guest) features() uint64 {
	g.t.Helper()
	bits, err := g.raw(wasi.Proc + ".features")
	if err != nil {
		g.t.Fatal(err)
	}
	return bits
}

func TestFeatures(t *testing.T) {
	if got := start(t, wasi.Config{}).features(); got != 1|16|128 {
		t.Errorf("without a spawner: got %d, want 145", got)
	}
	if got := start(t, wasi.Config{Spawner: &nursery{}}).features(); got != 31|128 {
		t.Errorf("with a spawner: got %d, want 159", got)
	}
	if got := start(t, wasi.Config{Processes: &census{}}).features(); got != 1|16|64|128 {
		t.Errorf("with processes: got %d, want 209", got)
	}
}

func TestSpawn(t *testing.T) {
	n := &nursery{}
	g := start(t, wasi.Config{Spawner: n})
	_, w := g.pipe(0)
	proc := g.spawn(
		part(2, "kid"), part(2, ""), part(3, "A=b"), part(6, "/work"), part(99, "what is this?"),
		part(4, words(1, w, 1)), part(4, words(7, w, 0)),
		part(5, words(1)+"/src"), part(5, words(0)+"/tmp"),
		part(7, words(1, 0, 2, 0, 3, 0, 4, 0)), part(8, words(9)),
	)
	got := n.kids[0].request
	if got.Program != "kid" || !got.Named || !slices.Equal(got.Args, []string{"kid", ""}) ||
		!slices.Equal(got.Env, []string{"A=b"}) || got.Cwd != "/work" ||
		!slices.Equal(got.Dirs, []wasi.Dir{{Path: "/src", ReadOnly: true}, {Path: "/tmp"}}) ||
		got.Limits != (wasi.RequestLimits{Fuel: 1, Memory: 2, Wall: 3, Output: 4}) || got.PID != 9 || len(got.Inherited) != 2 {
		t.Errorf("got %+v", got)
	}
	if e := g.call("fd_close", uint64(w)); e != errno.BADF {
		t.Errorf("closing what was moved: got %v, want %v", e, errno.BADF)
	}
	if got, e := g.read(proc, 0); got != "" || e != errno.SUCCESS {
		t.Errorf("got %q, %v", got, e)
	}
}

// TestInherit gives a child a pipe's end and lets both use it.
func TestInherit(t *testing.T) {
	n := &nursery{}
	var child *guest
	hook := spawnerFunc(func(req wasi.Request, exited func(wasi.Status)) (wasi.Child, error) {
		child = start(t, wasi.Config{Args: req.Args, Inherited: req.Inherited})
		return n.Spawn(req, exited)
	})
	g := start(t, wasi.Config{Spawner: hook})
	r, w := g.pipe(1)
	g.spawn(part(4, words(1, w, 1)))
	if n, e := child.write(1, "from the child"); n != 14 || e != errno.SUCCESS {
		t.Errorf("got %d, %v, want 14", n, e)
	}
	if got, e := g.read(r, 100); got != "from the child" || e != errno.SUCCESS {
		t.Errorf("got %q, %v", got, e)
	}
	if _, e := g.read(r, 100); e != errno.AGAIN {
		t.Errorf("while the child lives: got %v, want %v", e, errno.AGAIN)
	}
	child.p.Close()
	if got, e := g.read(r, 100); got != "" || e != errno.SUCCESS {
		t.Errorf("without the child: got %q, %v, want the end of the file", got, e)
	}
}

type spawnerFunc func(wasi.Request, func(wasi.Status)) (wasi.Child, error)

func (f spawnerFunc) Spawn(r wasi.Request, exited func(wasi.Status)) (wasi.Child, error) {
	return f(r, exited)
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &nursery{}
		g := start(t, wasi.Config{Spawner: n})
		proc := uint64(g.spawn())
		at := g.room(16)
		if e := g.call(wasi.Proc+".wait", proc, 0, at); e != errno.AGAIN {
			t.Errorf("got %v, want %v", e, errno.AGAIN)
		}
		began := time.Now()
		if e := g.call(wasi.Proc+".wait", proc, 5e9, at); e != errno.TIMEDOUT || time.Since(began) != 5*time.Second {
			t.Errorf("got %v after %v, want %v after 5s", e, time.Since(began), errno.TIMEDOUT)
		}
		go func() {
			time.Sleep(time.Second)
			n.kids[0].exited(wasi.Status{Kind: wasi.Killed, Code: 9, Fuel: 1000})
			n.kids[0].exited(wasi.Status{Kind: wasi.Exited})
		}()
		for _, timeout := range []uint64{1<<64 - 1, 1<<64 - 1, 0, 1} {
			if e := g.call(wasi.Proc+".wait", proc, timeout, at); e != errno.SUCCESS {
				t.Errorf("got %v, want success", e)
			}
			if g.u32(at) != 2 || g.u32(at+4) != 9 || g.u64(at+8) != 1000 {
				t.Errorf("got %v, want 2, 9, 1000", g.mem[at:at+16])
			}
		}
		first, _ := g.read(uint32(proc), 10)
		second, _ := g.read(uint32(proc), 10)
		third, _ := g.read(uint32(proc), 10)
		if first+second != string(g.mem[at:at+16]) || third != "" {
			t.Errorf("read: got %q, %q, %q, want the status once", first, second, third)
		}
		if e := g.call(wasi.Proc+".wait", proc, 1<<64-2, at); e != errno.INVAL {
			t.Errorf("a timeout of -2: got %v, want %v", e, errno.INVAL)
		}
		if e := g.call(wasi.Proc+".wait", 0, 0, at); e != errno.INVAL {
			t.Errorf("waiting for stdin: got %v, want %v", e, errno.INVAL)
		}
	})
}

func TestKill(t *testing.T) {
	n := &nursery{}
	g := start(t, wasi.Config{Spawner: n})
	proc := uint64(g.spawn())
	g.must(wasi.Proc+".kill", proc, 1)
	if e := g.call(wasi.Proc+".kill", proc, 3); e != errno.INVAL {
		t.Errorf("got %v, want %v", e, errno.INVAL)
	}
	dup := g.room(4)
	g.must(wasi.Proc+".dup", proc, 0, dup)
	g.must("fd_close", proc)
	if got := n.kids[0].killed; !slices.Equal(got, []wasi.Kill{wasi.Terminate}) {
		t.Errorf("with a handle left: got %v, want only what was asked for", got)
	}
	g.must("fd_close", uint64(g.u32(dup)))
	if got := n.kids[0].killed; !slices.Equal(got, []wasi.Kill{wasi.Terminate, wasi.Now}) {
		t.Errorf("without a handle: got %v, want it killed", got)
	}
	ended := uint64(g.spawn())
	n.kids[1].exited(wasi.Status{})
	g.must(wasi.Proc+".kill", ended, 2)
	g.spawn()
	g.p.Close()
	if got := n.kids[1].killed; len(got) > 0 {
		t.Errorf("a child that had ended: got %v, want nothing", got)
	}
	if got := n.kids[2].killed; !slices.Equal(got, []wasi.Kill{wasi.Now}) {
		t.Errorf("a child that outlived its parent: got %v, want it killed", got)
	}
}

func TestSpawnRefused(t *testing.T) {
	n := &nursery{}
	g := start(t, wasi.Config{Spawner: n, Limits: wasi.Limits{OpenFiles: 40}})
	proc := g.spawn()
	try := func(b []byte) errno.Errno {
		at, size := g.put(string(b))
		return g.call(wasi.Proc+".spawn", at, size, g.room(4))
	}
	kid := part(1, "kid")
	for name, c := range map[string]struct {
		request []byte
		want    errno.Errno
	}{
		"nothing":               {nil, errno.INVAL},
		"no program":            {request(0), errno.INVAL},
		"an empty program":      {request(0, part(1, "")), errno.INVAL},
		"two programs":          {request(0, kid, kid), errno.INVAL},
		"flags":                 {request(2, kid), errno.INVAL},
		"a zero byte":           {request(0, kid, part(2, "a\x00")), errno.INVAL},
		"no name":               {request(0, kid, part(3, "=x")), errno.INVAL},
		"unknown and critical":  {request(0, kid, part(1<<15, "")), errno.INVAL},
		"a relative cwd":        {request(0, kid, part(6, "work")), errno.INVAL},
		"a relative dir":        {request(0, kid, part(5, words(0)+"work")), errno.INVAL},
		"too short":             {request(0, kid)[:18], errno.INVAL},
		"half a descriptor":     {request(0, kid, part(4, words(1, 2))), errno.INVAL},
		"a descriptor twice":    {request(0, kid, part(4, words(5, 0, 0)), part(4, words(5, 1, 0))), errno.INVAL},
		"a closed descriptor":   {request(0, kid, part(4, words(1, 30, 0))), errno.BADF},
		"a handle":              {request(0, kid, part(4, words(1, proc, 0))), errno.INVAL},
		"too many dirs":         {request(0, append([][]byte{kid}, slices.Repeat([][]byte{part(5, words(0)+"/work")}, 65)...)...), errno.TOOBIG},
		"two numbers":           {request(0, kid, part(8, words(5)), part(8, words(5))), errno.INVAL},
		"the number 0":          {request(0, kid, part(8, words(0))), errno.INVAL},
		"half a number":         {request(0, kid, part(8, "ab")), errno.INVAL},
		"a part that is longer": {append(request(0, kid), 2, 0, 0, 0, 9, 0, 0, 0), errno.INVAL},
	} {
		if got := try(c.request); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	if got := g.call(wasi.Proc+".spawn", 64, 1<<20, uint64(len(g.mem))); got != errno.FAULT {
		t.Errorf("got %v, want %v", got, errno.FAULT)
	}
	n.err = errno.NOEXEC
	if got := try(request(0, kid)); got != errno.NOEXEC {
		t.Errorf("got %v, want what the spawner says", got)
	}
	n.err = nil
	for range 31 {
		g.spawn()
	}
	if got := try(request(0, kid)); got != errno.AGAIN {
		t.Errorf("a child too many: got %v, want %v", got, errno.AGAIN)
	}
	n.kids[5].exited(wasi.Status{})
	g.spawn()
	for g.call(wasi.Proc+".dup", 0, 0, g.room(4)) == errno.SUCCESS {
	}
	n.kids[6].exited(wasi.Status{})
	if got := try(request(0, kid)); got != errno.MFILE {
		t.Errorf("without a descriptor: got %v, want %v", got, errno.MFILE)
	}
	if got := start(t, wasi.Config{}).call(wasi.Proc+".spawn", 64, 8, 64); got != errno.NOSYS {
		t.Errorf("without a spawner: got %v, want %v", got, errno.NOSYS)
	}
}
