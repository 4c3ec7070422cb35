package tests

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// matchJSON says in what got is not as want asks. Objects in got may have more
// members; null also stands for a member that is absent; a string that begins
// with "~" is a regular expression; "$t1" and the like stand for the string
// that was there the first time, which names keeps.
func matchJSON(got, want []byte, names map[string]string) error {
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		return fmt.Errorf("got bad JSON: %w", err)
	}
	if err := json.Unmarshal(want, &w); err != nil {
		return fmt.Errorf("the test has bad JSON: %w", err)
	}
	return matchValue("", g, w, names)
}

func matchValue(path string, got, want any, names map[string]string) error {
	differ := fmt.Errorf("%s: got %#v, want %#v", strings.TrimPrefix(path, "."), got, want)
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return differ
		}
		for key, value := range w {
			if err := matchValue(path+"."+key, g[key], value, names); err != nil {
				return err
			}
		}
		return nil
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return differ
		}
		for i := range w {
			if err := matchValue(fmt.Sprintf("%s[%d]", path, i), g[i], w[i], names); err != nil {
				return err
			}
		}
		return nil
	case string:
		g, ok := got.(string)
		if !ok {
			return differ
		}
		if matchString(g, w, names) {
			return nil
		}
	}
	if !reflect.DeepEqual(got, want) {
		return differ
	}
	return nil
}

func matchString(got, want string, names map[string]string) bool {
	if pattern, ok := strings.CutPrefix(want, "~"); ok {
		return regexp.MustCompile(pattern).MatchString(got)
	}
	if strings.HasPrefix(want, "$") {
		if names[want] == "" {
			names[want] = got
		}
		want = names[want]
	}
	return got == want
}
