/* A program that writes where there is no memory. */
#include <stdint.h>

__attribute__((noinline)) static void store(volatile int *p) { *p = 1; }

__attribute__((noinline)) static void work(int n) {
	store((volatile int *)(uintptr_t)(0xfffffff0u + n));
	store((volatile int *)(uintptr_t)n);
}

int main(int argc, char **argv) {
	work(argc - argc);
	return 0;
}
