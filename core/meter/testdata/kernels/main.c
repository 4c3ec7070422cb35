// Runs one kernel and prints its checksum: kernels NAME N. It is linked with
// kernels.c where the kernels are to be a command, also a native one.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t sha256(uint32_t n), sieve(uint32_t n), fib(uint32_t n), matmul(uint32_t n), sort(uint32_t n);

static const struct {
	const char *name;
	uint32_t (*run)(uint32_t n);
} kernels[] = {{"sha256", sha256}, {"sieve", sieve}, {"fib", fib}, {"matmul", matmul}, {"qsort", sort}};

int main(int argc, char **argv) {
	for (size_t i = 0; argc == 3 && i < sizeof kernels / sizeof *kernels; i++) {
		if (strcmp(argv[1], kernels[i].name) == 0) {
			fprintf(stderr, "%u\n", kernels[i].run(strtoul(argv[2], NULL, 10)));
			return 0;
		}
	}
	return 2;
}
