//go:build wasip1

package main

import "unsafe"

// The exports: ABI.md says what each does. They are called one at a time,
// after _initialize.

// the is what this instance of the module holds.
var the instance

// abiVersion changes when an embedder must.
const abiVersion = 1

// pack returns where p is, for the embedder: its address in the upper half, its
// length in the lower, and 0 for nothing. Memory is 32-bit, and Go's collector
// moves nothing.
func pack(p []byte) int64 {
	if len(p) == 0 {
		return 0
	}
	return int64(address(p))<<32 | int64(len(p))
}

func address(p []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(p)))) }

//go:wasmexport terrarium_abi_version
func terrariumABIVersion() int32 { return abiVersion }

//go:wasmexport input
func input(n int32) uint32 { return address(the.input(n)) }

//go:wasmexport result
func result() int64 { return pack(the.result) }

//go:wasmexport new_registry
func newRegistry(n int32) int32 { return the.newRegistry(n) }

//go:wasmexport free_registry
func freeRegistry(registry int32) int32 { return the.freeRegistry(registry) }

// Commands.

//go:wasmexport create
func create(registry int32, now int64, sessionLen, n int32) int32 {
	return the.create(registry, now, sessionLen, n)
}

//go:wasmexport write
func write(registry int32, now int64, idLen, n int32) int32 {
	return the.write(registry, now, idLen, n)
}

//go:wasmexport close_input
func closeInput(registry int32, now int64, idLen int32) int32 {
	return the.closeInput(registry, now, idLen)
}

//go:wasmexport resize
func resize(registry int32, now int64, idLen, rows, cols int32) int32 {
	return the.resize(registry, now, idLen, rows, cols)
}

//go:wasmexport kill
func kill(registry int32, now int64, idLen int32) int32 { return the.kill(registry, now, idLen) }

//go:wasmexport release
func release(registry int32, now int64, idLen int32) int32 { return the.release(registry, now, idLen) }

//go:wasmexport close_session
func closeSession(registry int32, now int64, sessionLen int32) int32 {
	return the.closeSession(registry, now, sessionLen)
}

//go:wasmexport close_all
func closeAll(registry int32, now int64) int32 { return the.closeAll(registry, now) }

// Reports.

//go:wasmexport handle_resolved
func handleResolved(registry int32, now int64, idLen, n int32) int32 {
	return the.handleResolved(registry, now, idLen, n)
}

//go:wasmexport handle_decision
func handleDecision(registry int32, now int64, idLen, n int32) int32 {
	return the.handleDecision(registry, now, idLen, n)
}

//go:wasmexport handle_start
func handleStart(registry int32, now int64, idLen, n int32) int32 {
	return the.handleStart(registry, now, idLen, n)
}

//go:wasmexport handle_written
func handleWritten(registry int32, now int64, idLen, count int32) int32 {
	return the.handleWritten(registry, now, idLen, count)
}

//go:wasmexport handle_output
func handleOutput(registry int32, now int64, idLen, n, stream int32) int32 {
	return the.handleOutput(registry, now, idLen, n, stream)
}

//go:wasmexport handle_output_end
func handleOutputEnd(registry int32, now int64, idLen int32) int32 {
	return the.handleOutputEnd(registry, now, idLen)
}

//go:wasmexport handle_exit
func handleExit(registry int32, now int64, idLen, n int32) int32 {
	return the.handleExit(registry, now, idLen, n)
}

//go:wasmexport handle_closed
func handleClosed(registry int32, now int64, idLen int32) int32 {
	return the.handleClosed(registry, now, idLen)
}

//go:wasmexport handle_timeout
func handleTimeout(registry int32, now int64) int32 { return the.handleTimeout(registry, now) }

// Outputs.

//go:wasmexport next_effect
func nextEffect(registry int32) int64 { return pack(the.nextEffect(registry)) }

//go:wasmexport effect_data
func effectData() int64 { return pack(the.data) }

//go:wasmexport deadline
func deadline(registry int32) int64 { return the.deadline(registry) }

// Getters.

//go:wasmexport issued
func issued(registry int32, sessionLen, idLen int32) int32 {
	return the.issued(registry, sessionLen, idLen)
}

//go:wasmexport status
func status(registry int32, idLen int32) int32 { return the.status(registry, idLen) }

//go:wasmexport output
func output(registry int32, idLen int32) int32 { return the.output(registry, idLen) }

//go:wasmexport output_since
func outputSince(registry int32, idLen int32, offset int64) int32 {
	return the.outputSince(registry, idLen, offset)
}

// ACP.

//go:wasmexport acp_message
func acpMessage(registry int32, now int64, n int32) int32 { return the.acpMessage(registry, now, n) }

//go:wasmexport acp_input
func acpInput(registry int32, now int64, n int32) int32 { return the.acpInput(registry, now, n) }

//go:wasmexport acp_eof
func acpEOF(registry int32, now int64) int32 { return the.acpEOF(registry, now) }

//go:wasmexport acp_next_line
func acpNextLine(registry int32) int64 { return pack(the.acpNextLine(registry)) }
