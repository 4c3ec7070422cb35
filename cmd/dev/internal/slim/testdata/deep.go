// Command deep makes the runtime look functions up: stacks grow, are collected, and are told.
package main

import (
	"runtime"
	"sync"
)

type node struct{ next *node }

func descend(depth int, above *node) int {
	here := &node{above}
	if depth == 0 {
		runtime.GC()
		return 0
	}
	return 1 + descend(depth-1, here)
}

func fail(depth int) {
	if depth == 0 {
		panic("the end")
	}
	fail(depth - 1)
}

func main() {
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() { descend(1_500, nil) })
	}
	all.Wait()
	println(descend(1_500, nil))
	defer func() {
		println(recover().(string))
		callers := make([]uintptr, 20)
		frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
		for {
			f, more := frames.Next()
			println(f.Function, f.Line)
			if !more {
				break
			}
		}
	}()
	fail(5)
}
