package vfs

import "golang.org/x/sys/unix"

// isSystem says that an open file is in a file system that shows the kernel,
// devices or processes, wherever that is mounted. dev is the file's device.
func isSystem(fd int, dev uint64) bool {
	var s unix.Statfs_t
	if err := ignoringEINTR(func() error { return unix.Fstatfs(fd, &s) }); err != nil {
		return true
	}
	switch int64(s.Type) & 0xffffffff {
	case unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.DEVPTS_SUPER_MAGIC,
		unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC, unix.RDTGROUP_SUPER_MAGIC,
		unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC, unix.BPF_FS_MAGIC,
		unix.EFIVARFS_MAGIC, unix.PSTOREFS_MAGIC, unix.BINFMTFS_MAGIC, unix.NSFS_MAGIC,
		unix.SELINUX_MAGIC, unix.SMACK_MAGIC, unix.AAFS_MAGIC,
		configfsMagic, fusectlMagic:
		return true
	case unix.TMPFS_MAGIC:
		// devtmpfs says that it is a tmpfs, and there is only one.
		return dev == devtmpfs()
	}
	return false
}

// https://github.com/torvalds/linux/blob/v6.18/fs/configfs/mount.c and fs/fuse/control.c
const (
	configfsMagic = 0x62656570
	fusectlMagic  = 0x65735543
)

// devtmpfs is the device of /dev, or 0 if that is no file system of its own.
func devtmpfs() uint64 {
	var dev, root unix.Stat_t
	if unix.Stat("/dev", &dev) != nil || unix.Stat("/", &root) != nil || dev.Dev == root.Dev {
		return 0
	}
	return dev.Dev
}
