// Command kernels runs one kernel and prints a checksum: kernels NAME N.
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"slices"
	"strconv"
)

func main() {
	n, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	sum := map[string]func(int) uint32{"sha256": hash, "sieve": sieve, "fib": fib, "matmul": matmul, "qsort": sort}[os.Args[1]](n)
	println(sum)
}

// hash hashes n KiB.
func hash(n int) uint32 {
	h := sha256.New()
	var buffer [1024]byte
	for i := range n {
		buffer[i%len(buffer)]++
		h.Write(buffer[:])
	}
	return binary.BigEndian.Uint32(h.Sum(nil))
}

// sieve counts the primes below n.
func sieve(n int) uint32 {
	composite := make([]bool, n)
	var primes uint32
	for i := 2; i < n; i++ {
		if composite[i] {
			continue
		}
		primes++
		for j := i * i; j < n; j += i {
			composite[j] = true
		}
	}
	return primes
}

func fib(n int) uint32 {
	if n < 2 {
		return uint32(n)
	}
	return fib(n-1) + fib(n-2)
}

// matmul multiplies matrices of n by n.
func matmul(n int) uint32 {
	a, b, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range a {
		a[i], b[i] = float64(i%7), float64(i%11)
	}
	for i := range n {
		for l := range n {
			for j := range n {
				c[i*n+j] += a[i*n+l] * b[l*n+j]
			}
		}
	}
	var sum float64
	for i, v := range c {
		sum += v * float64(i%13)
	}
	return uint32(uint64(sum))
}

// sort sorts n numbers.
func sort(n int) uint32 {
	p := make([]int, n)
	x := uint32(1)
	for i := range p {
		x = x*1664525 + 1013904223
		p[i] = int(x)
	}
	slices.Sort(p)
	var sum uint32
	for _, v := range p {
		sum = sum*31 + uint32(v)
	}
	return sum
}
