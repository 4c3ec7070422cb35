package hostnative

// Reading would report whether the command waits for somebody to type, but
// macOS does not tell.
func (p *process) Reading() (reading, known bool) { return false, false }
