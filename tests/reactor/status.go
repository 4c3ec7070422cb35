package reactor

// Statuses, as cmd/reactor/ABI.md lists them.
const (
	StatusOK              int32 = 0
	StatusYes             int32 = 1
	StatusBadHandle       int32 = -1
	StatusBadArgument     int32 = -2
	StatusBadJSON         int32 = -3
	StatusInvalid         int32 = -4
	StatusUnknownTerminal int32 = -5
	StatusReleased        int32 = -6
	StatusNotRunning      int32 = -7
	StatusInputClosed     int32 = -8
	StatusInputFull       int32 = -9
	StatusLimit           int32 = -10
	StatusUnsupported     int32 = -11
	StatusNoACP           int32 = -12
	StatusFailed          int32 = -13
)
