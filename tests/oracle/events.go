package main

import (
	"encoding/json"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
)

// settableClock says the time that a question says.
type settableClock struct{ now time.Time }

func (c *settableClock) Now() time.Time                  { return c.now }
func (c *settableClock) Since(t time.Time) time.Duration { return c.now.Sub(t) }

func init() {
	// events.correlate gives events, each at its time in nanoseconds, to one correlator: for each null, or
	// what is sent and as which patch.
	handlers["events.correlate"] = func(arg json.RawMessage) (any, error) {
		var asked struct {
			Remembered int `json:"remembered"`
			Events     []struct {
				At    int64    `json:"at"`
				Event v1.Event `json:"event"`
			} `json:"events"`
		}
		if err := json.Unmarshal(arg, &asked); err != nil {
			return nil, err
		}
		clock := &settableClock{}
		correlator := record.NewEventCorrelatorWithOptions(
			record.CorrelatorOptions{Clock: clock, LRUCacheSize: asked.Remembered})
		answers := []any{}
		for i := range asked.Events {
			clock.now = time.Unix(0, asked.Events[i].At)
			result, err := correlator.EventCorrelate(&asked.Events[i].Event)
			if err != nil {
				return nil, err
			}
			if result.Skip {
				answers = append(answers, nil)
				continue
			}
			answers = append(answers, map[string]any{"event": result.Event, "patch": json.RawMessage(orNull(result.Patch))})
		}
		return answers, nil
	}
	// conditions.set sets conditions, one after the other, each at its time: what there is then, and whether
	// that changed anything.
	handlers["conditions.set"] = func(arg json.RawMessage) (any, error) {
		var asked []metav1.Condition
		if err := json.Unmarshal(arg, &asked); err != nil {
			return nil, err
		}
		conditions := []metav1.Condition{}
		answers := []any{}
		for _, each := range asked {
			changed := meta.SetStatusCondition(&conditions, each)
			answers = append(answers, map[string]any{
				"changed":    changed,
				"conditions": append([]metav1.Condition{}, conditions...),
			})
		}
		return answers, nil
	}
}

func orNull(data []byte) []byte {
	if data == nil {
		return []byte("null")
	}
	return data
}
