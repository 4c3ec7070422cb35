// Package system holds the commands that tell of the machine, the time and the user, and those that
// run others.
package system

import "github.com/terrarium-dev/terrarium/plugins/box/internal/tool"

const coreutils = "GNU coreutils 9.1"

// Commands returns this family's commands.
func Commands() []tool.Command {
	return []tool.Command{
		{Name: "arch", Like: coreutils, Run: arch},
		{Name: "clear", Like: "ncurses 6.4", Run: clearScreen},
		{Name: "date", Usage: "[OPTION]... [+FORMAT]", Like: coreutils, Run: date},
		{Name: "env", Usage: "[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]", Like: coreutils, Trouble: 125, Run: env},
		{Name: "groups", Usage: "[OPTION]... [USERNAME]...", Like: coreutils, Run: groups},
		{Name: "hostname", Like: "hostname 3.23", Run: hostname},
		{Name: "id", Usage: "[OPTION]... [USER]...", Like: coreutils, Run: id},
		{Name: "ionice", Usage: "[options] <command>", Like: "util-linux 2.38.1", Run: ionice},
		{Name: "kill", Usage: "[-s signal|-p] [-q sigval] [-a] [--] pid...", Like: "procps 4.0.2", Run: kill},
		{Name: "killall", Usage: "[OPTION]... [--] NAME...", Like: "psmisc 23.6", Run: killall},
		{Name: "less", Like: "less 590", Run: page},
		{Name: "logname", Like: coreutils, Run: whoami},
		{Name: "more", Like: "util-linux 2.38.1", Run: page},
		{Name: "nice", Usage: "[OPTION] [COMMAND [ARG]...]", Like: coreutils, Trouble: 125, Run: nice},
		{Name: "nohup", Usage: "COMMAND [ARG]...", Like: coreutils, Trouble: 125, Run: nohup},
		{Name: "nproc", Usage: "[OPTION]...", Like: coreutils, Run: nproc},
		{Name: "pgrep", Usage: "[options] <pattern>", Like: "procps 4.0.2", Trouble: 2, Run: pgrep},
		{Name: "pidof", Usage: "[OPTION]... NAME...", Like: "sysvinit 3.06", Run: pidof},
		{Name: "pkill", Usage: "[options] <pattern>", Like: "procps 4.0.2", Trouble: 2, Run: pgrep},
		{Name: "printenv", Usage: "[OPTION]... [VARIABLE]...", Like: coreutils, Trouble: 2, Run: printenv},
		{Name: "ps", Usage: "[options]", Like: "procps 4.0.2", Run: ps},
		{Name: "pwd", Usage: "[OPTION]...", Like: coreutils, Run: pwd},
		{Name: "reset", Like: "ncurses 6.4", Run: reset},
		{Name: "setsid", Usage: "[options] <program> [arguments ...]", Like: "util-linux 2.38.1", Run: setsid},
		{Name: "stdbuf", Usage: "OPTION... COMMAND", Like: coreutils, Trouble: 125, Run: stdbuf},
		{Name: "stty", Like: coreutils, Run: stty},
		{Name: "timeout", Usage: "[OPTION] DURATION COMMAND [ARG]...", Like: coreutils, Trouble: 125, Run: timeout},
		{Name: "tput", Usage: "[options] [command]", Like: "ncurses 6.4", Trouble: 2, Run: tput},
		{Name: "tty", Usage: "[OPTION]...", Like: coreutils, Trouble: 2, Run: ttyName},
		{Name: "uname", Usage: "[OPTION]...", Like: coreutils, Run: uname},
		{Name: "which", Usage: "[-a] args", Like: "debianutils 5.7", Run: which},
		{Name: "whoami", Usage: "[OPTION]...", Like: coreutils, Run: whoami},
	}
}
