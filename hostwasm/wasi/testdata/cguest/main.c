// A C program in the sandbox, for wasi-libc. It begins in /work.
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void put(const char *name, const char *text) {
	FILE *f = fopen(name, "w");
	assert(f);
	assert(fputs(text, f) >= 0);
	assert(fclose(f) == 0);
}

static void expect(const char *name, const char *text) {
	char b[100] = {0};
	FILE *f = fopen(name, "r");
	if (!f) {
		fprintf(stderr, "open %s: %s\n", name, strerror(errno));
		exit(1);
	}
	fread(b, 1, sizeof b - 1, f);
	fclose(f);
	if (strcmp(b, text) != 0) {
		fprintf(stderr, "%s: got \"%s\", want \"%s\"\n", name, b, text);
		exit(1);
	}
}

static void names(void) {
	put("a", "in work");
	put("/tmp/a", "in tmp");
	expect("./a", "in work");
	expect("/work/a", "in work");
	expect("../tmp/a", "in tmp");
	assert(mkdir("dir", 0777) == 0);
	assert(symlink("/tmp/a", "dir/link") == 0);
	expect("dir/link", "in tmp");
	assert(rename("a", "dir/b") == 0);
	expect("dir/b", "in work");
	assert(access("a", F_OK) != 0 && errno == ENOENT);
	assert(open("dir", O_RDWR) < 0 && errno == EISDIR);
	assert(open("dir/b/c", O_RDONLY) < 0 && errno == ENOTDIR);
	assert(rmdir("dir") != 0 && errno == ENOTEMPTY);
}

static void directories(void) {
	char name[32];
	for (int i = 0; i < 300; i++) {
		sprintf(name, "dir/%d", i);
		put(name, "");
	}
	DIR *d = opendir("dir");
	assert(d);
	int n = 0;
	struct dirent *e;
	while ((e = readdir(d))) {
		struct stat s;
		assert(fstatat(dirfd(d), e->d_name, &s, AT_SYMLINK_NOFOLLOW) == 0);
		assert(strcmp(e->d_name, "..") == 0 || s.st_ino == e->d_ino);
		n++;
	}
	assert(n == 304);
	closedir(d);
}

static void descriptors(void) {
	int fd = open("f", O_CREAT | O_RDWR | O_TRUNC, 0666);
	assert(fd >= 0);
	assert(write(fd, "0123456789", 10) == 10);
	assert(lseek(fd, -3, SEEK_END) == 7);
	char c;
	assert(read(fd, &c, 1) == 1 && c == '7');
	assert(pread(fd, &c, 1, 2) == 1 && c == '2');
	assert(ftruncate(fd, 5) == 0);
	struct stat s;
	assert(fstat(fd, &s) == 0 && s.st_size == 5 && S_ISREG(s.st_mode));
	assert(!isatty(fd));
	int flags = fcntl(fd, F_GETFL);
	assert((flags & O_ACCMODE) == O_RDWR);
	assert(fcntl(fd, F_SETFL, flags | O_APPEND) == 0);
	assert(write(fd, "x", 1) == 1);
	assert(fstat(fd, &s) == 0 && s.st_size == 6);
	assert(close(fd) == 0);
	assert(close(fd) != 0 && errno == EBADF);
	fd = open("f", O_RDONLY);
	assert(write(fd, "x", 1) < 0 && errno == EBADF);
	close(fd);
	assert(lseek(0, 0, SEEK_CUR) < 0 && errno == ESPIPE);
}

static void waiting(void) {
	struct pollfd p = {.fd = 0, .events = POLLIN};
	assert(poll(&p, 1, 10) == 0); // nothing yet
	assert(fcntl(0, F_SETFL, O_NONBLOCK) == 0);
	char b[10];
	assert(read(0, b, sizeof b) < 0 && errno == EAGAIN);
	assert(write(1, "ready", 5) == 5);
	assert(poll(&p, 1, -1) == 1 && (p.revents & POLLIN));
	int n;
	assert(ioctl(0, FIONREAD, &n) == 0 && n == 3);
	assert(read(0, b, sizeof b) == 3 && memcmp(b, "abc", 3) == 0);
	assert(poll(&p, 1, -1) == 1);
	assert(read(0, b, sizeof b) == 0);
	struct timespec t = {0, 1000000}, before, after;
	assert(clock_gettime(CLOCK_MONOTONIC, &before) == 0);
	assert(nanosleep(&t, NULL) == 0);
	assert(clock_gettime(CLOCK_MONOTONIC, &after) == 0);
	assert((after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec >= 1000000);
}

int main(int argc, char **argv) {
	assert(argc == 2 && strcmp(argv[1], "x y") == 0);
	assert(strcmp(getenv("A"), "b") == 0);
	names();
	directories();
	descriptors();
	waiting();
	return 7;
}
