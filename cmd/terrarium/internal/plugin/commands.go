package plugin

// Commands returns which plugin answers to which name. Later folders win over
// earlier ones, and all over the built-in names. An alias is for a name that
// nothing has for its own; among aliases, later folders win again.
func Commands(builtin []string, folders ...[]Plugin) map[string]*Plugin {
	commands := make(map[string]*Plugin)
	taken := make(map[string]bool)
	for _, name := range builtin {
		taken[name] = true
	}
	for _, plugins := range folders {
		for i := range plugins {
			commands[plugins[i].Name], taken[plugins[i].Name] = &plugins[i], true
		}
	}
	for _, plugins := range folders {
		for i := range plugins {
			p := &plugins[i]
			if commands[p.Name] != p {
				continue // hidden
			}
			for _, a := range p.Names()[1:] {
				if !taken[a] {
					commands[a] = p
				}
			}
		}
	}
	for name, other := range customary {
		if p := commands[name]; p != nil && commands[other] == nil && !taken[other] {
			commands[other] = p
		}
	}
	return commands
}

// customary are names that people use for one another: where there is one of
// them, the other means the same.
var customary = map[string]string{"python3": "python", "python": "python3"}
