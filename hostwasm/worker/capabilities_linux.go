package worker

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// keptCapabilities are those that a worker keeps that root runs: files of other
// users that root hands over can be used, and their times be set. Without
// CAP_DAC_OVERRIDE a terrarium that is root in a container could do nothing
// with a directory that is somebody else's outside. What may be opened at all
// is Landlock's matter, and the modes and owners of files can't be changed.
const keptCapabilities = 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER

// giveUpPrivileges has this thread keep as few privileges as it can, for good,
// and so the programs that it starts. An error means that it has none to give
// up.
func giveUpPrivileges() {
	// Else root would get all capabilities again from the next program.
	unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	for c := uintptr(0); c < 64; c++ {
		if keptCapabilities&(1<<c) == 0 {
			unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		}
	}
	unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if unix.Capget(&header, &has[0]) != nil {
		return
	}
	for i := range has {
		kept := uint32(uint64(keptCapabilities) >> (32 * i))
		has[i].Effective &= kept
		has[i].Permitted &= kept
		has[i].Inheritable = 0
	}
	unix.Capset(&header, &has[0])
}

// none is what giveUpCapabilities hands to capset, where it does not move.
var none = struct {
	header unix.CapUserHeader
	data   [2]unix.CapUserData
}{header: unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}}

// giveUpCapabilities has this process keep none at all.
func giveUpCapabilities() error {
	err := onAllThreads(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&none.header)), uintptr(unsafe.Pointer(&none.data)))
	return os.NewSyscallError("capset", err)
}

// capabilitiesMeasure tells which capabilities this process has.
func capabilitiesMeasure() Measure {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	err := os.NewSyscallError("capget", unix.Capget(&header, &has[0]))
	all := uint64(has[1].Permitted)<<32 | uint64(has[0].Permitted)
	detail := "none"
	if all != 0 {
		detail = "only to use files of other users that are handed over"
	}
	if err == nil && all&^keptCapabilities != 0 {
		err = fmt.Errorf("%#x are left", all)
	}
	return measure("capabilities", err, detail)
}
