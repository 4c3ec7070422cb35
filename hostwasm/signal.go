package hostwasm

// A signal is one that has a name and a number here.
type signal struct {
	name   string
	number uint32 // as on Linux
	deadly bool   // it ends a process that has not asked for anything else
}

// signals are those of POSIX. Guests can't be stopped.
//
// POSIX.1-2024, XBD <signal.h>
var signals = []signal{
	{"SIGHUP", 1, true}, {"SIGINT", 2, true}, {"SIGQUIT", 3, true}, {"SIGILL", 4, true}, {"SIGTRAP", 5, true},
	{"SIGABRT", 6, true}, {"SIGBUS", 7, true}, {"SIGFPE", 8, true}, {"SIGKILL", 9, true}, {"SIGUSR1", 10, true},
	{"SIGSEGV", 11, true}, {"SIGUSR2", 12, true}, {"SIGPIPE", 13, true}, {"SIGALRM", 14, true}, {"SIGTERM", 15, true},
	{"SIGCHLD", 17, false}, {"SIGCONT", 18, false}, {"SIGSTOP", 19, false}, {"SIGTSTP", 20, false},
	{"SIGTTIN", 21, false}, {"SIGTTOU", 22, false}, {"SIGURG", 23, false}, {"SIGXCPU", 24, true},
	{"SIGXFSZ", 25, true}, {"SIGVTALRM", 26, true}, {"SIGPROF", 27, true}, {"SIGWINCH", 28, false},
	{"SIGPOLL", 29, true}, {"SIGPWR", 30, true}, {"SIGSYS", 31, true},
}

// IsSignal reports whether commands can be sent the signal of that name.
func IsSignal(name string) bool {
	_, known := signalByName(name)
	return known
}

// signalByName returns a signal; ok is false where there is none of that name.
func signalByName(name string) (s signal, ok bool) {
	for _, s := range signals {
		if s.name == name {
			return s, true
		}
	}
	return signal{}, false
}

// signalByNumber is signalByName for a number.
func signalByNumber(number uint32) (s signal, ok bool) {
	for _, s := range signals {
		if s.number == number {
			return s, true
		}
	}
	return signal{}, false
}

// signalNumber returns 0 for a name that is none.
func signalNumber(name string) uint32 {
	s, _ := signalByName(name)
	return s.number
}
