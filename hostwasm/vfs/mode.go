package vfs

// A Mode is a file's permissions, and the three bits above them, as Linux
// numbers them, with ModeKnown. So 0 is no mode: of a file system that keeps
// none, or where something is made, the usual one.
//
// https://man7.org/linux/man-pages/man7/inode.7.html
type Mode uint16

const (
	// ModeKnown tells mode 0 from no mode.
	ModeKnown Mode = 1 << 15
	// ModePerm are the nine permissions.
	ModePerm Mode = 0o777

	// allBits are those that a file has. Guests see set-user-ID, set-group-ID
	// and the sticky bit, and never set them.
	allBits = 0o7777
)

// or returns the permissions, or usual if there is no mode.
func (m Mode) or(usual Mode) Mode {
	if m&ModeKnown == 0 {
		return usual
	}
	return m & ModePerm
}

// over returns the mode that a file of type t and mode old gets when m is set:
// a directory keeps the three bits that give nobody rights there.
func (m Mode) over(old Mode, t Type) Mode {
	kept := Mode(0)
	if t == Directory {
		kept = old & allBits &^ ModePerm
	}
	return ModeKnown | kept | m&ModePerm
}

// usualUmask is what an umask is where nobody can tell.
const usualUmask Mode = 0o022
