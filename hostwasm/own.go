package hostwasm

// A Plugin is a module that says which commands it has: a plugins.Module of package plugins, which
// this one does not know.
type Plugin[P any] interface {
	// Names returns the module's name, for messages, and those of its commands.
	Names() (module string, commands []string)
	// Load is that of the Module.
	Load() ([]byte, error)
	// Direct returns the module that stands for some of the commands, see Module.Direct. ok is
	// false if there is none.
	Direct() (direct P, ok bool)
}

// Commands returns the commands of plugins, as a Config has them:
//
//	hostwasm.Config{Engine: engine, Commands: hostwasm.Commands(plugins.Modules())}
//
// Where two have the same command it is that of the later one. The commands of a plugin that can't
// be loaded are there, and to start one fails with the error of its Load. The map is the caller's.
func Commands[P Plugin[P]](plugins []P) map[string]*Module {
	commands := make(map[string]*Module)
	for _, p := range plugins {
		m := addPlugin(commands, p)
		if direct, ok := p.Direct(); ok {
			m.Direct = make(map[string]*Module)
			addPlugin(m.Direct, direct)
		}
	}
	return commands
}

func addPlugin[P Plugin[P]](commands map[string]*Module, p P) *Module {
	name, names := p.Names()
	m := &Module{Name: name, Load: p.Load}
	for _, command := range names {
		commands[command] = m
	}
	return m
}
