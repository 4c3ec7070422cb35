package main

import "unsafe"

// The exports: ABI.md says what each does. They are called one at a time.

// the is what this instance of the module holds.
var the = instance{page: worker{}, engine: newEngine, await: wait}

// abiVersion changes when the worker must.
const abiVersion = 1

// returned is set when an export returns. One that has blocked comes back to its
// caller too, and from then on nothing is right: so the worker clears it before
// each call.
var returned int32

func done(status int32) int32 {
	returned = 1
	return status
}

// pack returns where p is: its address in the upper half, its length in the lower,
// and 0 for nothing.
func pack(p []byte) int64 {
	if len(p) == 0 {
		return 0
	}
	return int64(address(p))<<32 | int64(len(p))
}

func address(p []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(p)))) }

//go:wasmexport sandbox_version
func sandboxVersion() int32 { return abiVersion }

//go:wasmexport sandbox_returned
func sandboxReturned() uint32 { return uint32(uintptr(unsafe.Pointer(&returned))) }

//go:wasmexport input
func input(n int32) uint32 {
	p := address(the.input(n))
	returned = 1
	return p
}

//go:wasmexport result
func result() int64 { return pack(the.result) }

//go:wasmexport configure
func exportConfigure(n int32) int32 { return done(the.configure(n)) }

//go:wasmexport close_all
func exportCloseAll() int32 { return done(the.closeAll()) }

//go:wasmexport create
func exportCreate(n int32) int32 { return done(the.create(n)) }

//go:wasmexport write
func exportWrite(idLen, n int32) int32 { return done(the.write(idLen, n)) }

//go:wasmexport close_input
func exportCloseInput(idLen int32) int32 { return done(the.closeInput(idLen)) }

//go:wasmexport resize
func exportResize(idLen, rows, cols int32) int32 { return done(the.resize(idLen, rows, cols)) }

//go:wasmexport kill
func exportKill(idLen int32) int32 { return done(the.kill(idLen)) }

//go:wasmexport release
func exportRelease(idLen int32) int32 { return done(the.release(idLen)) }

//go:wasmexport output
func exportOutput(idLen int32) int32 { return done(the.output(idLen)) }

//go:wasmexport decide
func exportDecide(request, allow, n int32) int32 { return done(the.decide(request, allow, n)) }

//go:wasmexport watch
func exportWatch(idLen, history int32) int32 { return done(the.watch(idLen, history)) }

//go:wasmexport snapshot
func exportSnapshot(watch, history int32) int32 { return done(the.snapshot(watch, history)) }

//go:wasmexport take
func exportTake(watch, max int32) int32 { return done(the.take(watch, max)) }

//go:wasmexport unwatch
func exportUnwatch(watch int32) int32 { return done(the.unwatch(watch)) }

//go:wasmexport open_peer
func exportOpenPeer(n int32) int32 { return done(the.openPeer(n)) }

//go:wasmexport peer_line
func exportPeerLine(peer, n int32) int32 { return done(the.peerLine(peer, n)) }

//go:wasmexport peer_taken
func exportPeerTaken(peer, count int32) int32 { return done(the.peerTaken(peer, count)) }

//go:wasmexport close_peer
func exportClosePeer(peer int32) int32 { return done(the.closePeer(peer)) }

//go:wasmexport file_stat
func exportFileStat(pathLen int32) int32 { return done(the.fileStat(pathLen)) }

//go:wasmexport file_list
func exportFileList(pathLen int32) int32 { return done(the.fileList(pathLen)) }

//go:wasmexport file_read
func exportFileRead(pathLen int32) int32 { return done(the.fileRead(pathLen)) }

//go:wasmexport file_write
func exportFileWrite(pathLen, n, flags, mode int32) int32 {
	return done(the.fileWrite(pathLen, n, flags, mode))
}

//go:wasmexport file_mkdir
func exportFileMkdir(pathLen int32) int32 { return done(the.fileMkdir(pathLen)) }

//go:wasmexport file_remove
func exportFileRemove(pathLen, recursive int32) int32 {
	return done(the.fileRemove(pathLen, recursive))
}

//go:wasmexport file_rename
func exportFileRename(pathLen, n, overwrite int32) int32 {
	return done(the.fileRename(pathLen, n, overwrite))
}

//go:wasmexport file_changes
func exportFileChanges() int32 { return done(the.fileChanges()) }

//go:wasmexport file_result
func exportFileResult(request int32) int32 { return done(the.fileResult(request)) }

//go:wasmexport provided
func exportProvided(request, failed, n int32) int32 { return done(the.provided(request, failed, n)) }

//go:wasmexport provider_changed
func exportProviderChanged(mount, n int32) int32 { return done(the.providerChanged(mount, n)) }

//go:wasmexport module_compiled
func exportModuleCompiled(request int32) int32 { return done(the.moduleCompiled(request)) }

//go:wasmexport module_bytes
func exportModuleBytes(request, n int32) int32 { return done(the.moduleBytes(request, n)) }

//go:wasmexport module_failed
func exportModuleFailed(request, n int32) int32 { return done(the.moduleFailed(request, n)) }
