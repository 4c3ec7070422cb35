package magic

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"
)

// elf describes a program. It knows nothing of sections, so of "stripped" neither.
func elf(p []byte) string {
	if len(p) < 20 {
		return ""
	}
	var order binary.ByteOrder = binary.LittleEndian
	bits, end := "32-bit", "LSB"
	if p[4] == 2 {
		bits = "64-bit"
	}
	if p[5] == 2 {
		end, order = "MSB", binary.BigEndian
	}
	kind := map[uint16]string{1: "relocatable", 2: "executable", 3: "shared object", 4: "core file"}[order.Uint16(p[16:])]
	machine := map[uint16]string{
		3: "Intel 80386", 8: "MIPS", 40: "ARM", 62: "x86-64", 183: "ARM aarch64", 243: "UCB RISC-V", 247: "eBPF",
	}[order.Uint16(p[18:])]
	system := map[byte]string{0: "SYSV", 3: "GNU/Linux", 9: "FreeBSD"}[p[7]]
	version := ""
	if len(p) >= 24 {
		version = fmt.Sprintf("version %d ", order.Uint32(p[20:]))
	}
	return fmt.Sprintf(" %s %s %s, %s, %s(%s)", bits, end, kind, machine, version, system)
}

// gzip describes the header of RFC 1952.
func gzip(p []byte) string {
	if len(p) < 10 || p[2] != 8 {
		return ""
	}
	s := ""
	if p[3]&8 != 0 {
		rest := p[10:]
		if p[3]&4 != 0 && len(rest) >= 2 {
			rest = rest[min(len(rest), 2+int(binary.LittleEndian.Uint16(rest))):]
		}
		if name, _, ok := bytes.Cut(rest, []byte{0}); ok {
			s += fmt.Sprintf(", was %q", name)
		}
	}
	if mtime := binary.LittleEndian.Uint32(p[4:]); mtime != 0 {
		s += ", last modified: " + time.Unix(int64(mtime), 0).UTC().Format("Mon Jan _2 15:04:05 2006")
	}
	switch p[8] {
	case 2:
		s += ", max compression"
	case 4:
		s += ", max speed"
	}
	if os, ok := map[byte]string{0: "FAT filesystem (MS-DOS, OS/2, NT)", 3: "Unix", 10: "NTFS filesystem (NT)"}[p[9]]; ok {
		s += ", from " + os
	}
	if len(p) >= 18 {
		s += fmt.Sprintf(", original size modulo 2^32 %d", binary.LittleEndian.Uint32(p[len(p)-4:]))
	}
	return s
}
