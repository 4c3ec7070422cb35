package cache

import "syscall"

// changeTime is when a file was changed in any way, which nobody can set.
func changeTime(stat *syscall.Stat_t) int64 { return stat.Ctim.Nano() }
