package worker

var oldMetadataCalls map[string]uintptr
