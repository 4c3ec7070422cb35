package broker

import "golang.org/x/sys/unix"

// isOfThread reports whether a call is about the thread that its first argument names.
func isOfThread(call int32) bool {
	switch call {
	case unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR:
		return true
	}
	return false
}

// answerThread has q's call made if it is about a thread of the caller's process: how a
// program spreads its threads over processors is its own affair. The thread is in a
// register, which nobody can change meanwhile.
func (l *listener) answerThread(q question) {
	asker, about := caller{int(q.pid)}, caller{int(int32(q.args[0]))}
	if about.tid <= 0 || asker.process() != about.process() || !l.waits(q) {
		l.answer(q, unix.EPERM)
		return
	}
	l.goOn(q)
}
