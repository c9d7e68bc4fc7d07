package main

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// instant is a parsed time, in terms that JSON keeps exactly, and what it is written as again.
type instant struct {
	Unix  int64 `json:"unix"`
	Nanos int   `json:"nanos"`
	JSON  any   `json:"json"`
}

func init() {
	// The arguments are the JSON values themselves, so what is tested is upstream's own UnmarshalJSON.
	handlers["time.time"] = func(arg json.RawMessage) (any, error) {
		var read metav1.Time
		if err := json.Unmarshal(arg, &read); err != nil {
			return nil, err
		}
		return instant{Unix: read.Unix(), Nanos: read.Nanosecond(), JSON: read}, nil
	}
	handlers["time.micro"] = func(arg json.RawMessage) (any, error) {
		var read metav1.MicroTime
		if err := json.Unmarshal(arg, &read); err != nil {
			return nil, err
		}
		return instant{Unix: read.Unix(), Nanos: read.Nanosecond(), JSON: read}, nil
	}
	handlers["time.format"] = func(arg json.RawMessage) (any, error) {
		var asked struct{ Unix, Nanos, Offset int64 }
		if err := json.Unmarshal(arg, &asked); err != nil {
			return nil, err
		}
		moment := time.Unix(asked.Unix, asked.Nanos).In(time.FixedZone("", int(asked.Offset)))
		return map[string]any{"time": metav1.NewTime(moment), "micro": metav1.NewMicroTime(moment)}, nil
	}
	handlers["duration.parse"] = func(arg json.RawMessage) (any, error) {
		var read metav1.Duration
		if err := json.Unmarshal(arg, &read); err != nil {
			return nil, err
		}
		return map[string]any{"nanos": read.Nanoseconds(), "json": read}, nil
	}
	handlers["duration.format"] = func(arg json.RawMessage) (any, error) {
		var nanos int64
		if err := json.Unmarshal(arg, &nanos); err != nil {
			return nil, err
		}
		return metav1.Duration{Duration: time.Duration(nanos)}, nil
	}
	handlers["intstr.parse"] = func(arg json.RawMessage) (any, error) {
		var text string
		if err := json.Unmarshal(arg, &text); err != nil {
			return nil, err
		}
		read := intstr.FromString(text)
		return map[string]any{"parsed": intstr.Parse(text), "value": read.IntValue()}, nil
	}
	handlers["intstr.scaled"] = func(arg json.RawMessage) (any, error) {
		var asked struct {
			Value   intstr.IntOrString
			Total   int
			RoundUp bool
		}
		if err := json.Unmarshal(arg, &asked); err != nil {
			return nil, err
		}
		return intstr.GetScaledValueFromIntOrPercent(&asked.Value, asked.Total, asked.RoundUp)
	}
}
