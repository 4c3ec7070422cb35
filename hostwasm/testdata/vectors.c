// Loops over 64 MiB, which gcc and clang compute by vectors: vectors NAME.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { size = 64 << 20, turns = 8 };

static unsigned char *p;

// sum adds bytes.
static unsigned sum(unsigned n) {
	for (int i = 0; i < size; i++)
		n += p[i];
	return n;
}

// count counts those that are c.
static unsigned count(unsigned c) {
	unsigned n = 0;
	for (int i = 0; i < size; i++)
		n += p[i] == c;
	return n;
}

// upper makes capitals of letters.
static unsigned upper(void) {
	for (int i = 0; i < size; i++)
		p[i] = p[i] >= 'a' && p[i] <= 'z' ? p[i] - 32 : p[i];
	return p[size / 2];
}

int main(int argc, char **argv) {
	if (argc != 2 || !(p = malloc(size)))
		return 2;
	for (int i = 0; i < size; i += 1 << 12)
		memset(p + i, i >> 12 & 127, 1 << 12);
	unsigned n = 0;
	for (int i = 0; i < turns; i++) {
		if (strcmp(argv[1], "sum") == 0)
			n = sum(n);
		else if (strcmp(argv[1], "count") == 0)
			n += count('0' + i);
		else if (strcmp(argv[1], "upper") == 0)
			n += upper();
		else
			return 2;
	}
	fprintf(stderr, "%u\n", n);
}
