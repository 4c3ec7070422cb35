package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/terrarium-dev/terrarium/core"
)

// codexConfig is the variable from which codex-acp 2.6 takes settings of Codex, as a JSON object.
const codexConfig = "CODEX_CONFIG"

// codexShells are the features of Codex 0.166 that are its own tools for commands.
var codexShells = []string{"shell_tool", "unified_exec"}

// dropShell adds to an agent's environment what has it do without its own tools for commands if it
// is codex-acp, which is told when it starts and at no other time. What settings there are stay.
func dropShell(agent *core.Command) error {
	settings := make(map[string]json.RawMessage)
	features := make(map[string]json.RawMessage)
	if text := os.Getenv(codexConfig); text != "" {
		if err := json.Unmarshal([]byte(text), &settings); err != nil {
			return fmt.Errorf("--drop-shell adds to %s, which is no JSON object: %w", codexConfig, err)
		}
	}
	if have := settings["features"]; have != nil {
		if err := json.Unmarshal(have, &features); err != nil {
			return fmt.Errorf("--drop-shell adds to %s, whose features are no JSON object: %w", codexConfig, err)
		}
	}
	if settings == nil || features == nil {
		return fmt.Errorf("--drop-shell adds to %s, which is null", codexConfig)
	}
	for _, name := range codexShells {
		features[name] = json.RawMessage("false")
	}
	var err error
	if settings["features"], err = json.Marshal(features); err != nil {
		return err
	}
	text, err := json.Marshal(settings)
	agent.Env = append(agent.Env, core.EnvVariable{Name: codexConfig, Value: string(text)})
	return err
}
