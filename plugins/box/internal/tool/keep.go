package tool

import (
	"errors"
	"io"
	"runtime"
	"sync/atomic"
)

// MostKept is what all commands may keep together, in bytes. A sandbox has 512 MiB, where nothing
// else is asked for, and Go's collector needs room beside what is kept. Without a bound of our own,
// the whole shell ends with whichever command of it asks for too much: they are one module.
const MostKept = 256 << 20

// SizeOfLine is what each line of a text takes that is kept by lines, beside the text.
const SizeOfLine = 24

// ErrMemory is the error of [Keep].
var ErrMemory = errors.New("memory exhausted")

// unchecked counts the bytes that were announced since somebody last looked at how many there are.
var unchecked atomic.Int64

// Keep is asked by what is about to keep n bytes more, for as long as its input goes on: a longer
// line, another element. It fails if that is too much, with all that is kept already. It is cheap
// for small n, and need not be told of what is freed. It is safe for concurrent use.
func Keep(n int) error {
	const often = 8 << 20
	if unchecked.Add(int64(n)) < often {
		return nil
	}
	unchecked.Store(0)
	if inUse()+uint64(n) <= MostKept {
		return nil
	}
	runtime.GC() // some of it may be garbage
	if inUse()+uint64(n) <= MostKept {
		return nil
	}
	return ErrMemory
}

func inUse() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// ReadAll is io.ReadAll for an input that has no end, which is an error.
func ReadAll(r io.Reader) ([]byte, error) {
	text := make([]byte, 0, 4<<10)
	for {
		if len(text) == cap(text) {
			grown := 2 * len(text)
			if err := Keep(grown); err != nil {
				return nil, err
			}
			text = append(make([]byte, 0, grown), text...)
		}
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err == io.EOF {
			return text, nil
		}
		if err != nil {
			return text, err
		}
	}
}
