package tests

import (
	"encoding/json"
	"os"
	"testing"
)

// wantDraft holds the params of a line against a type of the draft of ACP v2, if the schema is
// there.
func wantDraft(t *testing.T, typeName, line string) {
	t.Helper()
	if os.Getenv("TERRARIUM_NODE_MODULES") == "" {
		return
	}
	var m struct{ Params json.RawMessage }
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if err := openACPSchemaFile(t, acpDraftSchemaFile).check(typeName, parseJSON(t, string(m.Params))); err != nil {
		t.Errorf("%s: %v", line, err)
	}
}
