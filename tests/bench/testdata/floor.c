// What the operating system itself takes for what a terminal does, in C, without any of a
// terminal's comforts. All times are in nanoseconds, by the monotonic clock.
//
//	floor run pipe|pty N   run /bin/true N times to the end of its output, print the time of each
//	floor tail pipe|pty [COMMAND [ARG...]] BYTES
//	                       have "floor flood", or COMMAND by its means, write so much, keep
//	                       the newest MiB, print the time
//	floor flood BYTES      write lines of 72 bytes
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void check(int ok, const char *what) {
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static long long now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// start runs argv, its output on a pipe or on a pty without output processing, and returns our end.
static int start(int pty, char **argv, pid_t *pid) {
	int ours, theirs[2] = {-1, -1};
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (pty) {
		struct termios t;
		ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
		check(ours >= 0 && grantpt(ours) == 0 && unlockpt(ours) == 0, "pty");
		theirs[1] = open(ptsname(ours), O_RDWR | O_NOCTTY | O_CLOEXEC);
		check(theirs[1] >= 0 && tcgetattr(theirs[1], &t) == 0, "pty");
		t.c_oflag &= ~OPOST;
		check(tcsetattr(theirs[1], TCSANOW, &t) == 0, "pty");
		// Opened by the leader of a session, it becomes its controlling terminal.
		posix_spawn_file_actions_addopen(&actions, 1, ptsname(ours), O_RDWR, 0);
	} else {
		check(pipe2(theirs, O_CLOEXEC) == 0, "pipe");
		ours = theirs[0];
		posix_spawn_file_actions_adddup2(&actions, theirs[1], 1);
	}
	posix_spawn_file_actions_adddup2(&actions, 1, 2);

	posix_spawnattr_t attr;
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID);
	errno = posix_spawn(pid, argv[0], &actions, &attr, argv, environ);
	check(errno == 0, argv[0]);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	close(theirs[1]);
	return ours;
}

// finish reads to the end and keeps the newest bytes, in a ring.
static void finish(int fd, pid_t pid) {
	static char ring[1 << 20], block[64 << 10];
	size_t at = 0;
	ssize_t n;
	while ((n = read(fd, block, sizeof block)) > 0) {
		size_t first = sizeof ring - at < (size_t)n ? sizeof ring - at : (size_t)n;
		memcpy(ring + at, block, first);
		memcpy(ring, block + first, n - first);
		at = (at + n) % sizeof ring;
	}
	close(fd);
	check(waitpid(pid, NULL, 0) == pid, "waitpid");
}

static void flood(long long bytes) {
	static char block[72 * 910];
	for (size_t i = 0; i < sizeof block; i++)
		block[i] = i % 72 == 71 ? '\n' : 'a' + i % 26;
	while (bytes > 0) {
		ssize_t n = write(1, block, bytes < (long long)sizeof block ? (size_t)bytes : sizeof block);
		check(n > 0, "write");
		bytes -= n;
	}
}

int main(int argc, char **argv) {
	if (argc == 3 && strcmp(argv[1], "flood") == 0) {
		flood(atoll(argv[2]));
		return 0;
	}
	int tail = argc > 1 && strcmp(argv[1], "tail") == 0;
	if (argc != 4 && !(tail && 4 < argc && argc < 32))
		return 2;
	int pty = strcmp(argv[2], "pty") == 0, command = argc - 4;
	char *run[] = {"/bin/true", NULL}, *write[32] = {NULL};
	memcpy(write, argv + 3, command * sizeof *write);
	memcpy(write + command, (char *[]){argv[0], "flood", argv[argc - 1]}, 3 * sizeof *write);
	for (int n = tail ? 1 : atoi(argv[3]); n > 0; n--) {
		pid_t pid;
		long long begin = now();
		int fd = start(pty, tail ? write : run, &pid);
		finish(fd, pid);
		printf("%lld\n", now() - begin);
	}
	return 0;
}
