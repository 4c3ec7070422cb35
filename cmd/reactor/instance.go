package main

import (
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
)

const (
	// maxInput is the largest input buffer that is lent, in bytes.
	maxInput = 64 << 20
	// minInput is the smallest, so that an embedder that asks once and for
	// little need not ask again.
	minInput = 4 << 10
	// maxSpare is the largest buffer that is kept once a call needs less.
	maxSpare = 1 << 20
	// maxRegistries bounds the registries open at a time.
	maxRegistries = 64
)

// An instance is what one embedder has of us: its registries, and the buffers
// between it and them. Its methods are the exports; lengths, numbers and
// handles are whatever the embedder passed.
type instance struct {
	in      []byte // the input buffer, as long as was asked for
	current call
	result  []byte // of the last call
	data    []byte // of the last effect; lent by its registry

	allocated int // bytes since the last yield, roughly

	registries [maxRegistries]*registry // at their handle modulo maxRegistries
	open       int
	last       int32 // handle given out
}

// A registry is a machine, and its ACP connection if it was opened with one.
type registry struct {
	*core.Registry
	handle int32
	conn   *acp.Conn
}

// input lends a buffer of n bytes, which keeps its place until the next call of
// input. It returns nil if n is out of range.
func (i *instance) input(n int32) []byte {
	if n < 0 || n > maxInput {
		return nil
	}
	size := max(int(n), minInput)
	if size > cap(i.in) || cap(i.in) > maxSpare && size <= maxSpare {
		i.in = make([]byte, size)
	}
	i.in = i.in[:n]
	return i.in[:n:cap(i.in)]
}

// begin ends the life of what the call before returned.
func (i *instance) begin() {
	i.yield(len(i.current.rest) + len(i.result))
	i.current = call{}
	i.data = nil
	if cap(i.result) > maxSpare {
		i.result = nil
	}
	i.result = i.result[:0]
}

// newRegistry opens a registry as the n bytes of JSON say, and returns its
// handle, which is positive and never used again.
func (i *instance) newRegistry(n int32) int32 {
	i.begin()
	if !i.cut(0, n) {
		return i.fail(errBadLength)
	}
	c, err := decodeConfig(i.current.rest)
	if err != nil {
		return i.fail(err)
	}
	if i.open == maxRegistries || i.last > maxHandle-maxRegistries {
		return i.fail(errTooManyRegistries)
	}
	for i.last++; i.registries[i.last%maxRegistries] != nil; i.last++ {
	}
	r := &registry{Registry: core.NewRegistry(c.core), handle: i.last}
	if c.withACP {
		r.conn = acp.NewConn(c.acp, acp.OnRegistry(r.Registry))
	}
	i.registries[i.last%maxRegistries] = r
	i.open++
	return i.last
}

const maxHandle = 1<<31 - 1

// freeRegistry forgets a registry and all that it holds, as it is.
func (i *instance) freeRegistry(handle int32) int32 {
	i.begin()
	if i.find(handle) == nil {
		return i.fail(errBadHandle)
	}
	i.registries[handle%maxRegistries] = nil
	i.open--
	return ok
}

// find returns the registry that handle names, or nil.
func (i *instance) find(handle int32) *registry {
	if handle <= 0 {
		return nil
	}
	r := i.registries[handle%maxRegistries]
	if r == nil || r.handle != handle {
		return nil
	}
	return r
}
