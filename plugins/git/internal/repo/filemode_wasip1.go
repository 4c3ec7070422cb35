package repo

// fileMode is core.fileMode of a new repository: WASI's files have no mode.
const fileMode = "false"
