package main

import (
	"encoding/json"

	"sigs.k8s.io/yaml"
)

func init() {
	handlers["yaml.json"] = func(arg json.RawMessage) (any, error) {
		var text string
		if err := json.Unmarshal(arg, &text); err != nil {
			return nil, err
		}
		converted, err := yaml.YAMLToJSONStrict([]byte(text))
		if err != nil {
			return nil, err
		}
		return map[string]any{"json": string(converted)}, nil
	}
}
