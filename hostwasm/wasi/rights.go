package wasi

import "github.com/terrarium-dev/terrarium/hostwasm/vfs"

// rights are what a descriptor may be used for. Nothing is protected by them:
// what a process may do is in its tree of files. They are kept because guests
// read them, and narrow them, and expect to be held to that.
//
// https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/docs.md#rights
type rights uint64

const (
	rightFDDatasync rights = 1 << iota
	rightFDRead
	rightFDSeek
	rightFDSetFlags
	rightFDSync
	rightFDTell
	rightFDWrite
	rightFDAdvise
	rightFDAllocate
	rightPathCreateDirectory
	rightPathCreateFile
	rightPathLinkSource
	rightPathLinkTarget
	rightPathOpen
	rightFDReaddir
	rightPathReadlink
	rightPathRenameSource
	rightPathRenameTarget
	rightPathFilestatGet
	rightPathFilestatSetSize
	rightPathFilestatSetTimes
	rightFDFilestatGet
	rightFDFilestatSetSize
	rightFDFilestatSetTimes
	rightPathSymlink
	rightPathRemoveDirectory
	rightPathUnlinkFile
	rightPoll
	rightSockShutdown
	rightSockAccept

	allRights = 1<<iota - 1
)

const (
	// streamRights are for everything that is read or written in order.
	streamRights = rightFDSetFlags | rightFDFilestatGet | rightPoll
	readerRights = streamRights | rightFDRead
	writerRights = streamRights | rightFDWrite

	// fileRights make sense for a file.
	fileRights = streamRights | rightFDRead | rightFDWrite | rightFDSeek | rightFDTell | rightFDDatasync | rightFDSync |
		rightFDAdvise | rightFDAllocate | rightFDFilestatSetSize | rightFDFilestatSetTimes

	// dirRights make sense for a directory.
	dirRights = rightFDSetFlags | rightFDSync | rightFDDatasync | rightFDReaddir | rightFDFilestatGet | rightFDFilestatSetTimes |
		rightPathCreateDirectory | rightPathCreateFile | rightPathLinkSource | rightPathLinkTarget | rightPathOpen |
		rightPathReadlink | rightPathRenameSource | rightPathRenameTarget | rightPathFilestatGet |
		rightPathFilestatSetSize | rightPathFilestatSetTimes | rightPathSymlink | rightPathRemoveDirectory |
		rightPathUnlinkFile
)

// rightsFor are those that make sense for a file of a type.
func rightsFor(t vfs.Type) rights {
	if t == vfs.Directory {
		return dirRights
	}
	return fileRights
}
