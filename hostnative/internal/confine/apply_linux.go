//go:build amd64 || arm64

package confine

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Apply gives up, on the calling thread and for all that it starts, what the
// rules don't hand over, and capabilities but those over files. The thread has
// to be locked, and can't be had back. On an error it may have given up a part.
// What the kernel lacks is not in force, and Report.Err says if that is much.
//
// With notify another process decides about connect, bind, listen, clone3, and some more: it
// gets each of them from the descriptor that is returned, by
// SECCOMP_IOCTL_NOTIF_RECV, and until it answers the call waits. The descriptor
// has to reach it by SCM_RIGHTS before anything here executes: programs with
// cgo call clone3 as they start. When it is closed everywhere, those calls fail
// with ENOSYS. What it has to do is:
//
//   - connect and bind: copy the address once, decide, take the socket with
//     pidfd_getfd, make the call itself, and answer what came of that. Never
//     SECCOMP_USER_NOTIF_FLAG_CONTINUE: the address may have changed. Landlock
//     denies these calls within the domain, but not to the one who decides.
//   - listen: take the socket likewise. One of TCP that has no port yet would get
//     one on all addresses, so it has to be bound first.
//   - clone3: ENOSYS, after which programs use clone. Only a thread of the keeper, to whom
//     tgkill(2) says so, gets SECCOMP_USER_NOTIF_FLAG_CONTINUE.
//   - sched_setaffinity, sched_setscheduler, sched_setparam and sched_setattr of another
//     thread than the caller: SECCOMP_USER_NOTIF_FLAG_CONTINUE if the first argument is a
//     thread of the caller's process, which nobody can change, else EPERM.
//
// Without notify connect, bind and listen fail with EACCES, clone3 with ENOSYS, and what
// is of other threads with EPERM: then no command can be started in a cgroup. Pairs of sockets work
// all the same. The descriptor is -1 then.
//
// There can be one such descriptor in a chain of processes. Where somebody around us has
// one, it is as without notify, and the report says so.
func Apply(r Rules, notify bool) (report Report, notifyFD int, err error) {
	var nothing *Prepared
	return nothing.Apply(r, notify)
}

// apply is Apply with a version of Landlock that may be older than the kernel's, and with what was
// prepared, if it is of any use.
func apply(r Rules, notify bool, version int, why error, prepared *Prepared) (report Report, notifyFD int, err error) {
	if err := r.checkNames(); err != nil || r.Level == Off {
		return Report{}, -1, err
	}
	if !prepared.isFor(r) {
		prepared.Close()
		if prepared, err = prepare(r, version); err != nil {
			return Report{}, -1, err
		}
	}
	defer prepared.Close()
	report = available(version, why)
	report.Level = r.Level
	if notify && !report.Notify {
		return report, -1, fmt.Errorf("sandbox: no other process can decide about calls: %w", errors.ErrUnsupported)
	}
	report.Notify = notify
	if err := prepared.handOver(r); err != nil {
		return report, -1, err
	}
	report.Around, report.Hides = prepared.list(), prepared.hidden.digest()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return report, -1, os.NewSyscallError("prctl", err)
	}
	if err := dropCapabilities(); err != nil {
		return report, -1, err
	}
	if prepared.ruleset != nil {
		if err := prepared.restrict(); err != nil {
			return report, -1, err
		}
	}
	report.Gaps = gaps(r, report)
	if !report.Calls {
		return report, -1, nil
	}
	filter := program(calls(r, version, notify))
	if notify {
		if notifyFD, err = listen(filter); errnoOf(err) != unix.EBUSY && errnoOf(err) != unix.EPERM {
			return report, notifyFD, err
		}
		report.Notify = false
		report.Missing = append(report.Missing, Gap{"notify", "somebody around us decides about system calls already: nothing can be connected"})
		filter = program(calls(r, version, false))
	}
	_, err = setFilter(filter, 0)
	return report, -1, err
}

func errnoOf(err error) unix.Errno {
	errno, _ := errors.AsType[unix.Errno](err)
	return errno
}
