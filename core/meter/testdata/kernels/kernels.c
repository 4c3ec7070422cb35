// Five kernels, each an export that returns a checksum. n scales the work.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name)))

static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotr(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void block(uint32_t h[8], const uint8_t *p) {
	uint32_t w[64];
	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)p[4 * i] << 24 | p[4 * i + 1] << 16 | p[4 * i + 2] << 8 | p[4 * i + 3];
	for (int i = 16; i < 64; i++) {
		uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
		uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
		w[i] = w[i - 16] + s0 + w[i - 7] + s1;
	}
	uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], j = h[7];
	for (int i = 0; i < 64; i++) {
		uint32_t t1 = j + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i];
		uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
		j = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
	}
	h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e, h[5] += f, h[6] += g, h[7] += j;
}

// sha256 hashes n KiB.
EXPORT("sha256") uint32_t sha256(uint32_t n) {
	static uint8_t buffer[1024];
	uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	for (uint32_t i = 0; i < n; i++) {
		buffer[i % sizeof buffer]++;
		for (uint32_t at = 0; at < sizeof buffer; at += 64)
			block(h, buffer + at);
	}
	return h[0] ^ h[7];
}

// sieve counts the primes below n.
EXPORT("sieve") uint32_t sieve(uint32_t n) {
	uint8_t *composite = calloc(n, 1);
	uint32_t primes = 0;
	for (uint32_t i = 2; i < n; i++) {
		if (composite[i])
			continue;
		primes++;
		for (uint64_t j = (uint64_t)i * i; j < n; j += i)
			composite[j] = 1;
	}
	free(composite);
	return primes;
}

__attribute__((noinline)) EXPORT("fib") uint32_t fib(uint32_t n) {
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

// matmul multiplies matrices of n by n.
EXPORT("matmul") uint32_t matmul(uint32_t n) {
	double *a = malloc(3 * n * n * sizeof *a), *b = a + n * n, *c = b + n * n;
	for (uint32_t i = 0; i < n * n; i++)
		a[i] = i % 7, b[i] = i % 11, c[i] = 0;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t l = 0; l < n; l++)
			for (uint32_t j = 0; j < n; j++)
				c[i * n + j] += a[i * n + l] * b[l * n + j];
	double sum = 0;
	for (uint32_t i = 0; i < n * n; i++)
		sum += c[i] * (i % 13);
	free(a);
	return (uint32_t)(uint64_t)sum;
}

static int ascending(const void *x, const void *y) {
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return (a > b) - (a < b);
}

// qsort sorts n numbers.
EXPORT("qsort") uint32_t sort(uint32_t n) {
	uint32_t *p = malloc(n * sizeof *p), x = 1, sum = 0;
	for (uint32_t i = 0; i < n; i++)
		p[i] = x = x * 1664525 + 1013904223;
	qsort(p, n, sizeof *p, ascending);
	for (uint32_t i = 0; i < n; i++)
		sum = sum * 31 + p[i];
	free(p);
	return sum;
}

// bulk moves n times 1 to 64 KiB about.
EXPORT("bulk") uint32_t bulk(uint32_t n) {
	static uint8_t p[1 << 17];
	for (uint32_t i = 0; i < n; i++) {
		memset(p + i % 100, (int)i, 1000 + i % 4000);
		memmove(p + i % 500, p + i % 77, 1024 << i % 7);
	}
	uint32_t sum = 0;
	for (uint32_t i = 0; i < sizeof p; i++)
		sum = sum * 31 + p[i];
	return sum;
}
