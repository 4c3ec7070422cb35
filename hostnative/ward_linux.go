package hostnative

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostnative/internal/broker"
	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// A ward is what the confined commands of a session have in common: keepers, who
// connects them, and a proxy. It is there as long as the session has commands, and a
// while longer.
type ward struct {
	*pool
	using     int             // starts that are under way; guarded by keeping's mu
	connector *broker.Session // nil where the kernel can't ask it
	proxy     ProxySession    // or nil
	used      *os.File        // keeps the private directory
	told      roll
}

// newWard returns a ward without keepers.
func newWard(c *confiner, r *rules) (*ward, error) {
	used, err := usePrivate(r.Private)
	if err != nil {
		return nil, fmt.Errorf("sandbox: directory for temporary files: %w", err)
	}
	w := &ward{used: used}
	if connects() != nil {
		return w, nil
	}
	list := egress.List{Rules: r.net, Own: ownAddresses()}
	direct := list
	if c.proxy != nil && len(r.net) > 0 {
		if w.proxy, err = c.proxy(list, func(r *egress.Refusal) { w.told.all("connect to " + r.Error()) }); err != nil {
			used.Close()
			return nil, fmt.Errorf("sandbox: no proxy: %w", err)
		}
		here, err := egress.Parse(w.proxy.Addr().String())
		if err != nil {
			w.proxy.Close()
			used.Close()
			return nil, fmt.Errorf("sandbox: proxy: %w", err)
		}
		direct.Rules = append(slices.Clip(direct.Rules), here)
	}
	w.connector = broker.New(broker.Config{Net: direct, Open: r.OpenNet, Sockets: c.sockets, Rules: r.Rules, Proxied: w.proxy != nil, Refused: w.told.refused})
	return w, nil
}

// ownAddresses are those of this machine's interfaces.
func ownAddresses() (own []netip.Addr) {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	for _, a := range list {
		if n, ok := a.(*net.IPNet); ok {
			if a, ok := netip.AddrFromSlice(n.IP); ok {
				own = append(own, a.Unmap())
			}
		}
	}
	return own
}

// asked answers what a keeper's commands ask.
func (w *ward) asked() func(questions int, mayEnter func(thread int) bool) {
	if w.connector == nil {
		return nil
	}
	return func(questions int, mayEnter func(thread int) bool) { w.connector.Serve(questions, mayEnter) }
}

// variables has programs use the proxy.
func (w *ward) variables() []core.EnvVariable {
	if w.proxy == nil {
		return nil
	}
	var all []core.EnvVariable
	for _, v := range w.proxy.Env() {
		name, value, _ := strings.Cut(v, "=")
		all = append(all, core.EnvVariable{Name: name, Value: value})
	}
	return all
}

// end lets go of all but the keepers.
func (w *ward) end() {
	leavePrivate(w.used)
	if w.connector != nil {
		w.connector.Close()
	}
	if w.proxy != nil {
		w.proxy.Close()
	}
}

// A roll has the commands of a ward, to tell each of what it was refused.
type roll struct {
	mu       sync.Mutex
	starting map[*refusals]struct{} // of commands whose process nobody knows yet
	present  map[int]*refusals      // by process
	early    []earlyRefusal         // of commands that have not been entered yet
}

// An earlyRefusal is one of a process with a lineage.
type earlyRefusal struct {
	lineage []int
	why     string
}

// maxEarly bounds early. What no command of the session is above stays there for a while.
const maxEarly = 64

// expect begins to tell a command what all are told. It starts just now: it may have connected, and
// even ended, before its host hears of its process.
func (r *roll) expect(of *refusals) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.starting == nil {
		r.starting = make(map[*refusals]struct{})
	}
	r.starting[of] = struct{}{}
}

// giveUp forgets a command that was expected, and has not started.
func (r *roll) giveUp(of *refusals) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.starting, of)
}

// enter begins to tell a command that was expected what its processes are refused.
func (r *roll) enter(pid int, of *refusals) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.starting, of)
	if r.present == nil {
		r.present = make(map[int]*refusals)
	}
	r.present[pid] = of
	r.early = slices.DeleteFunc(r.early, func(e earlyRefusal) bool {
		found := slices.Contains(e.lineage, pid)
		if found {
			of.add(e.why)
		}
		return found
	})
}

func (r *roll) leave(pid int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.present, pid)
}

// refused tells whoever the process is of.
func (r *roll) refused(pid int, why string) {
	line := lineage(pid)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, above := range line {
		if of := r.present[above]; of != nil {
			of.add(why)
			return
		}
	}
	if len(r.early) == maxEarly {
		r.early = slices.Delete(r.early, 0, 1)
	}
	r.early = append(r.early, earlyRefusal{line, why})
}

// all tells all commands, of what nobody knows whose it was.
func (r *roll) all(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, of := range r.present {
		of.add(why)
	}
	for of := range r.starting {
		of.add(why)
	}
}

// maxLineage is how many generations are looked at.
const maxLineage = 64

// lineage returns a process, the leader of its session, which is the command unless it
// has made another, and its ancestors.
func lineage(pid int) []int {
	list := []int{pid}
	for range maxLineage {
		s, err := strays.ReadStat(pid)
		if err != nil || s.Parent <= 1 {
			break
		}
		list = append(list, s.Session, s.Parent)
		pid = s.Parent
	}
	return list
}
