package acp_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
)

// mostSeen is how many bytes of a terminal's output a seen keeps.
const mostSeen = 100

// A seen is a terminal as a Feed sees it. Byte n of its output is byte(n).
type seen struct {
	topics        acp.Topics
	written, from int // bytes of output; those before from were taken, or are lost
	drawn, taken  int // versions of the screen
	screen        bool
}

// sights are acp.Sights of terminals in memory.
type sights struct {
	*rand.Rand
	list map[core.TerminalID]*seen
	new  map[core.SessionID]bool
}

func (s *sights) Terminals() (ids []core.TerminalID) {
	for id := range s.list {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func (s *sights) FollowNew(session core.SessionID, on bool) { s.new[session] = on }

func (s *sights) Follow(id core.TerminalID, topics acp.Topics) uint64 {
	t := s.list[id]
	if t == nil {
		return 0
	}
	if t.topics&acp.TopicBytes == 0 {
		t.from = t.written
	}
	t.topics = topics
	return uint64(t.from)
}

func (s *sights) Written(id core.TerminalID) uint64 { return uint64(s.list[id].written) }

func (s *sights) TakeOutput(dst []byte, id core.TerminalID, _ int) ([]byte, uint64, bool) {
	t := s.list[id]
	t.from = max(t.from, t.written-mostSeen)
	offset := t.from
	for n := 0; n < 40 && t.from < t.written; n++ {
		dst = append(dst, byte(t.from))
		t.from++
	}
	return dst, uint64(offset), t.from < t.written
}

func (s *sights) HasScreen(id core.TerminalID) bool { return s.list[id] != nil && s.list[id].screen }

func (s *sights) ForgetScreen(id core.TerminalID) {
	if t := s.list[id]; t != nil {
		t.taken = -1
	}
}

func (s *sights) TakeScreen(dst []byte, id core.TerminalID, _ int) (out []byte, more, ok bool) {
	t := s.list[id]
	switch {
	case t == nil || !t.screen:
		return dst, false, false
	case s.IntN(4) == 0:
		return dst, true, true // later
	case t.taken == t.drawn:
		return dst, false, true
	}
	t.taken = t.drawn
	return strconv.AppendInt(dst, int64(t.drawn), 10), s.IntN(4) == 0, true
}

// A fed is a peer of a Conn with a Feed, and its registry.
type fed struct {
	*rand.Rand
	t        *testing.T
	now      time.Time
	registry *core.Registry
	conn     *acp.Conn
	feed     *acp.Feed
	sights   *sights
	requests int

	next   map[core.TerminalID]int // offset of output
	screen map[core.TerminalID]string
	states map[core.TerminalID]string
	told   []string // each state, and how much output was told before
}

func newFed(t *testing.T, seed uint64) *fed {
	r := rand.New(rand.NewPCG(seed, 5))
	f := &fed{
		Rand: r, t: t, now: time.Unix(0, 0), sights: &sights{Rand: r, list: make(map[core.TerminalID]*seen), new: make(map[core.SessionID]bool)},
		registry: core.NewRegistry(core.Config{Seed: [16]byte{1}, Screens: true, KeepTerminals: 3}),
		next:     make(map[core.TerminalID]int), screen: make(map[core.TerminalID]string), states: make(map[core.TerminalID]string),
	}
	f.conn = acp.NewConn(acp.Config{}, acp.OnRegistry(f.registry))
	f.feed = acp.NewFeed(f.conn, f.sights)
	return f
}

// request sends a request and does what comes of it.
func (f *fed) request(method, params string) {
	f.requests++
	f.conn.HandleInput(f.now, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", f.requests, method, params))
	f.settle()
}

// settle plays the host, which starts all and closes all at once.
func (f *fed) settle() {
	for e, ok := f.registry.NextEffect(); ok; e, ok = f.registry.NextEffect() {
		switch e.Kind {
		case core.Resolve:
			f.registry.HandleResolved(f.now, e.ID, core.Exec{Path: "/x", Argv: []string{"x"}, Via: core.ViaFile}, nil)
		case core.Start:
			t := &seen{screen: e.Exec.Command.Screen, taken: -1}
			if f.sights.new[e.Session] {
				t.topics = acp.TopicBytes
			}
			f.sights.list[e.ID] = t
			f.registry.HandleStart(f.now, e.ID, nil)
		case core.Signal:
			f.exit(e.ID)
		case core.Close:
			f.sights.list[e.ID].screen = false
			f.feed.HandleOutput(e.ID)
			f.registry.HandleClosed(f.now, e.ID)
		default:
			f.conn.HandleEffect(f.now, &e)
		}
	}
	f.read()
}

func (f *fed) exit(id core.TerminalID) {
	f.registry.HandleOutputEnd(f.now, id)
	f.registry.HandleExit(f.now, id, core.Exit{})
}

// read checks the lines that have come: what is told of output is what was written, without a hole
// that is not told.
func (f *fed) read() {
	for line, ok := f.conn.NextLine(); ok; line, ok = f.conn.NextLine() {
		var m struct {
			Method string
			Params struct {
				TerminalID   core.TerminalID
				Offset, Lost int
				Data         []byte
				Screen       json.RawMessage
				State        string
			}
		}
		if err := json.Unmarshal(line, &m); err != nil {
			f.t.Fatalf("%s: %v", line, err)
		}
		p := m.Params
		switch m.Method {
		case acp.MethodNewOutput:
			if next, follows := f.next[p.TerminalID]; follows && p.Offset != next+p.Lost {
				f.t.Fatalf("%s: the last one ended at %d", line, next)
			}
			for i, c := range p.Data {
				if c != byte(p.Offset+i) {
					f.t.Fatalf("%s: byte %d is %d", line, p.Offset+i, c)
				}
			}
			f.next[p.TerminalID] = p.Offset + len(p.Data)
		case acp.MethodScreen:
			f.screen[p.TerminalID] = string(p.Screen)
		case acp.MethodStatus:
			f.states[p.TerminalID] = p.State
			f.told = append(f.told, fmt.Sprint(p.State, " after ", f.next[p.TerminalID]))
		}
	}
}

// TestFeed: whatever a peer subscribes to and terminals do, who has subscribed to all of a session
// from the beginning knows all in the end, however rarely it is told something.
func TestFeed(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 30
	}
	for seed := range seeds {
		f := newFed(t, seed)
		const all = `{"sessionId":"s","what":["bytes","screen","status"]}`
		f.request(acp.MethodSubscribe, all)
		for range 200 {
			ids := f.sights.Terminals()
			id := core.TerminalID("none")
			if len(ids) > 0 {
				id = ids[f.IntN(len(ids))]
			}
			one := fmt.Sprintf(`{"sessionId":"s","terminalId":%q`, id)
			switch f.IntN(9) {
			case 0:
				f.request(acp.MethodCreate, `{"sessionId":"s","command":"x"}`)
			case 1, 2, 3:
				if s := f.sights.list[id]; s != nil && s.screen {
					s.written += f.IntN(2 * mostSeen)
					s.drawn++
					f.feed.HandleOutput(id)
				}
			case 4:
				f.exit(id)
				f.now = f.now.Add(time.Second)
				f.registry.HandleTimeout(f.now)
				f.settle()
			case 5:
				f.request(acp.MethodRelease, one+`}`)
			case 6:
				f.request(acp.MethodSubscribe, one+`,"what":["status","bytes"]}`)
			case 7:
				f.request(acp.MethodUnsubscribe, one+`}`)
				// The terminal belongs to another session.
				f.request(acp.MethodUnsubscribe, fmt.Sprintf(`{"sessionId":"t","terminalId":%q}`, id))
			case 8:
				f.now = f.now.Add(time.Duration(f.IntN(50)) * time.Millisecond)
				f.feed.Take(f.now, f.IntN(2000))
				f.read()
			}
		}
		for range 10_000 {
			at, later := f.feed.Deadline()
			if !f.feed.Owes() && !later {
				break
			}
			if later {
				f.now = at
			}
			f.feed.Take(f.now, 1)
			f.read()
		}
		if _, later := f.feed.Deadline(); f.feed.Owes() || later {
			t.Fatalf("seed %d: there is always more to tell", seed)
		}
		for id, s := range f.sights.list {
			status, known := f.registry.Status(id)
			state, screen := "gone", "null"
			switch {
			case !known:
			case status.Released:
				state = "released"
			case status.State == core.StateExited:
				state = "exited"
			default:
				state = "running"
			}
			if s.screen {
				screen = strconv.Itoa(s.drawn)
			}
			if f.states[id] != state || f.screen[id] != screen || f.next[id] != s.written {
				t.Errorf("seed %d: %s: got %s, screen %s, output to %d, want %s, %s, %d",
					seed, id, f.states[id], f.screen[id], f.next[id], state, screen, s.written)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// TestFeedTellsAnEndOnce: a command may have ended when its start is told, or when somebody
// subscribes, and before the news of that are there. Its status comes after its output then, and
// once.
func TestFeedTellsAnEndOnce(t *testing.T) {
	for name, late := range map[string]bool{"started": false, "subscribed": true} {
		t.Run(name, func(t *testing.T) {
			f := newFed(t, 1)
			subscribe := func() { f.request(acp.MethodSubscribe, `{"sessionId":"s","what":["bytes","status"]}`) }
			if !late {
				subscribe()
			}
			f.request(acp.MethodCreate, `{"sessionId":"s","command":"x"}`)
			id := f.sights.Terminals()[0]
			f.exit(id)
			if late {
				f.conn.HandleInput(f.now, []byte(`{"jsonrpc":"2.0","id":0,"method":"_terrarium/subscribe","params":{"sessionId":"s","what":["bytes","status"]}}`+"\n"))
			}
			f.sights.list[id].written += 90
			for range 5 {
				f.feed.Take(f.now, 1)
				f.read()
			}
			f.settle() // the news
			for f.feed.Owes() {
				f.feed.Take(f.now, 1)
				f.read()
			}
			if want := []string{"exited after 90"}; !slices.Equal(f.told, want) {
				t.Errorf("got %q, want %q", f.told, want)
			}
		})
	}
}

// greedy are sights of screens that always have more to show, of which looked counts the looks.
type greedy struct {
	*sights
	looked map[core.TerminalID]int
}

func (g greedy) TakeScreen(dst []byte, id core.TerminalID, most int) ([]byte, bool, bool) {
	g.looked[id]++
	return append(dst, "{}"...), true, true
}

// TestFeedTakesTurns: where there is room for one screen at a time, each has its turn.
func TestFeedTakesTurns(t *testing.T) {
	p := newPeer(t, acp.Config{}, core.Config{Screens: true})
	g := greedy{&sights{new: make(map[core.SessionID]bool)}, make(map[core.TerminalID]int)}
	feed := acp.NewFeed(p.conn, g)
	p.send(call(acp.MethodSubscribe, `{"sessionId":"s","what":["screen"]}`))
	for range 3 {
		p.create(`{"sessionId":"s","command":"x"}`)
	}
	for range 30 {
		for feed.Take(p.now, 1); feed.Owes(); feed.Take(p.now, 1) {
			p.take()
			p.now = p.now.Add(time.Millisecond) // the peer reads at once
		}
		at, later := feed.Deadline()
		if !later {
			t.Fatal("screens that have more to show are forgotten")
		}
		p.now = at
	}
	for _, id := range p.ids {
		if g.looked[id] != 10 {
			t.Errorf("got %v looks, want 10 at each", g.looked)
			break
		}
	}
}
