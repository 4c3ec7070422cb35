package process

import (
	"runtime"
	"slices"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// An Info tells of a process.
type Info struct {
	PID, Parent int
	Running     bool // or it waits
	Ended       bool
	Start       time.Time
	CPU         time.Duration
	Name        string // of the script that it runs, "" if it is none
	Memory      uint64 // in bytes
	Args        []string
}

// fuelPerMillisecond is about how much of the host's fuel takes so long.
const fuelPerMillisecond = 2 << 20

// settle lets what was just started become what it is, as a system's processes have by the time
// that another program has started to list them.
func settle() {
	if runtime.GOARCH == "wasm" { // where one runs at a time
		runtime.Gosched()
		return
	}
	time.Sleep(100 * time.Millisecond) // in tests, which have all processors busy
}

// List returns all processes of the terminal, in the order of their numbers.
func (p *Process) List() (all []Info) {
	settle()
	known := map[int]int{}
	host, _ := proc.List()
	for i, h := range host {
		known[h.PID] = i
		all = append(all, Info{
			PID: h.PID, Parent: h.Parent, Running: h.State == proc.StateRunning, Ended: h.State == proc.StateEnded,
			Start: h.Start, CPU: time.Duration(h.Fuel/fuelPerMillisecond) * time.Millisecond, Memory: h.Memory, Args: h.Args,
		})
	}
	for _, q := range p.table.list() {
		info := Info{PID: q.ID(), Start: q.start, Name: q.Name(), Args: q.Args(), Running: q == p}
		if q.parent != nil {
			info.Parent = q.parent.ID()
		}
		i, ok := known[info.PID]
		switch {
		case ok && q.parent == nil: // the program, which may have become another command
			all[i].Name, all[i].Args, all[i].Running = info.Name, info.Args, info.Running
		case ok: // a module that the shell has started for it
			all[i].Parent = info.Parent
		case q.parent == nil:
			info.Parent = q.ParentID()
			all = append(all, info)
		default:
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b Info) int { return a.PID - b.PID })
	return all
}
