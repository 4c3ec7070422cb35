/* terrarium_proc_v0: start processes inside the sandbox, for commands in C.
 * hostwasm/ABI.md says what each function does; they return a WASI errno, 0 for
 * success. A request is made with the functions at the end. */
#ifndef TERRARIUM_PROC_H
#define TERRARIUM_PROC_H

#include <stdint.h>
#include <string.h>

#define TERRARIUM_IMPORT(name) \
	__attribute__((__import_module__("terrarium_proc_v0"), __import_name__(name)))

uint64_t terrarium_features(void) TERRARIUM_IMPORT("features");
uint32_t terrarium_pipe(uint32_t flags, uint32_t *r, uint32_t *w) TERRARIUM_IMPORT("pipe");
uint32_t terrarium_spawn(const void *req, uint32_t len, uint32_t *proc) TERRARIUM_IMPORT("spawn");
uint32_t terrarium_wait(uint32_t proc, int64_t timeout_ns, void *status) TERRARIUM_IMPORT("wait");
uint32_t terrarium_kill(uint32_t proc, uint32_t how) TERRARIUM_IMPORT("kill");
uint32_t terrarium_dup(uint32_t fd, uint32_t min, uint32_t *newfd) TERRARIUM_IMPORT("dup");
uint32_t terrarium_interrupts(uint32_t *fd) TERRARIUM_IMPORT("interrupts");
uint32_t terrarium_processes(void *buf, uint32_t len) TERRARIUM_IMPORT("processes");
uint32_t terrarium_reserve(uint32_t *pid) TERRARIUM_IMPORT("reserve");
uint32_t terrarium_signal(uint32_t pid, uint32_t signal) TERRARIUM_IMPORT("signal");
uint32_t terrarium_terminal(uint32_t fd, void *state) TERRARIUM_IMPORT("terminal");
uint32_t terrarium_set_terminal(uint32_t fd, uint32_t what, const void *state) TERRARIUM_IMPORT("set_terminal");
uint32_t terrarium_resizes(uint32_t fd, uint32_t *newfd) TERRARIUM_IMPORT("resizes");

enum { TERRARIUM_PIPE = 1, TERRARIUM_SPAWN = 2, TERRARIUM_WAIT = 4, TERRARIUM_KILL = 8, TERRARIUM_DUP = 16,
	TERRARIUM_INTERRUPTS = 32, TERRARIUM_PROCESSES = 64, TERRARIUM_TERMINAL = 128 };
enum { TERRARIUM_NONBLOCK = 1 };                                   /* pipe's flags */
enum { TERRARIUM_TERM = 1, TERRARIUM_NOW = 2 };                    /* kill's how */
enum { TERRARIUM_EXITED, TERRARIUM_TRAPPED, TERRARIUM_KILLED, TERRARIUM_EXCEEDED };

struct terrarium_status {
	uint32_t kind, code;
	uint64_t fuel;
};

/* What terminal stores, and set_terminal takes. */
struct terrarium_terminal_state {
	uint16_t rows, cols;
	uint32_t modes;
};

enum { TERRARIUM_SIZE = 1, TERRARIUM_MODES = 2 }; /* set_terminal's what */
enum { TERRARIUM_ICANON = 1, TERRARIUM_ECHO = 2, TERRARIUM_ISIG = 4, TERRARIUM_ICRNL = 8, TERRARIUM_ONLCR = 16 };

/* What processes stores: a list, and then its processes, each size bytes long. */
struct terrarium_list {
	uint32_t size, count, self, zero;
};

struct terrarium_listed {
	uint32_t size, pid, parent, state;
	uint64_t start_ms, fuel, memory;
	uint32_t args_len, all_args_len;
	char args[]; /* args_len bytes, a zero byte behind each argument */
};

enum { TERRARIUM_RUNNING, TERRARIUM_WAITING, TERRARIUM_ENDED };

/* A request being made in a buffer of the caller's; len is 0 once it did not fit. */
struct terrarium_request {
	unsigned char *buf;
	uint32_t cap, len;
};

static inline void terrarium_part(struct terrarium_request *r, uint16_t type, const void *p, uint32_t n) {
	uint32_t at = (r->len + 3) & ~3u, head[2] = {type, n};
	if (r->len == 0 || at > r->cap || r->cap - at < 8 || r->cap - at - 8 < n) {
		r->len = 0;
		return;
	}
	memset(r->buf + r->len, 0, at - r->len);
	memcpy(r->buf + at, head, 8);
	memcpy(r->buf + at + 8, p, n);
	r->len = at + 8 + n;
	memcpy(r->buf, &r->len, 4);
}

/* Begins a request for program: a command's name, or a path if it has a slash. */
static inline void terrarium_begin(struct terrarium_request *r, void *buf, uint32_t cap, const char *program) {
	uint32_t head[2] = {8, strchr(program, '/') ? 0 : 1u << 16};
	r->buf = buf, r->cap = cap, r->len = 0;
	if (cap < 8)
		return;
	memcpy(buf, head, 8);
	r->len = 8;
	terrarium_part(r, 1, program, strlen(program));
}

static inline void terrarium_arg(struct terrarium_request *r, const char *arg) { terrarium_part(r, 2, arg, strlen(arg)); }
static inline void terrarium_env(struct terrarium_request *r, const char *v) { terrarium_part(r, 3, v, strlen(v)); }
static inline void terrarium_cwd(struct terrarium_request *r, const char *dir) { terrarium_part(r, 6, dir, strlen(dir)); }

static inline void terrarium_pid(struct terrarium_request *r, uint32_t pid) { terrarium_part(r, 8, &pid, sizeof pid); }

/* Makes the descriptor parent the child's descriptor child; move closes it here. */
static inline void terrarium_fd(struct terrarium_request *r, uint32_t child, uint32_t parent, int move) {
	uint32_t fd[3] = {child, parent, move != 0};
	terrarium_part(r, 4, fd, sizeof fd);
}

#endif
