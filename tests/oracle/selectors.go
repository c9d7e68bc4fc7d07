package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

type selectorQuestion struct {
	Text       string                `json:"text"`
	Structured *metav1.LabelSelector `json:"structured"`
	Sets       []map[string]string   `json:"sets"`
	Keys       []string              `json:"keys"`
}

func describeLabels(selector labels.Selector, asked selectorQuestion) map[string]any {
	matches := []bool{}
	for _, set := range asked.Sets {
		matches = append(matches, selector.Matches(labels.Set(set)))
	}
	exact := []any{}
	for _, key := range asked.Keys {
		if value, found := selector.RequiresExactMatch(key); found {
			exact = append(exact, value)
		} else {
			exact = append(exact, nil)
		}
	}
	found, selectable := selector.Requirements()
	requirements := [][]any{}
	for _, one := range found {
		requirements = append(requirements, []any{one.Key(), one.Operator(), one.ValuesUnsorted()})
	}
	return map[string]any{"string": selector.String(), "empty": selector.Empty(), "selectable": selectable,
		"matches": matches, "exact": exact, "requirements": requirements}
}

func describeFields(selector fields.Selector, asked selectorQuestion) map[string]any {
	matches := []bool{}
	for _, set := range asked.Sets {
		matches = append(matches, selector.Matches(fields.Set(set)))
	}
	exact := []any{}
	for _, key := range asked.Keys {
		if value, found := selector.RequiresExactMatch(key); found {
			exact = append(exact, value)
		} else {
			exact = append(exact, nil)
		}
	}
	requirements := [][]any{}
	for _, one := range selector.Requirements() {
		requirements = append(requirements, []any{one.Field, one.Operator, one.Value})
	}
	return map[string]any{"string": selector.String(), "empty": selector.Empty(),
		"matches": matches, "exact": exact, "requirements": requirements}
}

func init() {
	handlers["selectors.labels"] = func(arg json.RawMessage) (any, error) {
		var asked selectorQuestion
		if err := json.Unmarshal(arg, &asked); err != nil {
			return nil, err
		}
		selector, err := labels.Parse(asked.Text)
		if err != nil {
			return nil, err
		}
		return describeLabels(selector, asked), nil
	}
	handlers["selectors.structured"] = func(arg json.RawMessage) (any, error) {
		var asked selectorQuestion
		if err := json.Unmarshal(arg, &asked); err != nil {
			return nil, err
		}
		selector, err := metav1.LabelSelectorAsSelector(asked.Structured)
		if err != nil {
			return nil, err
		}
		return describeLabels(selector, asked), nil
	}
	handlers["selectors.fields"] = func(arg json.RawMessage) (any, error) {
		var asked selectorQuestion
		if err := json.Unmarshal(arg, &asked); err != nil {
			return nil, err
		}
		selector, err := fields.ParseSelector(asked.Text)
		if err != nil {
			return nil, err
		}
		return describeFields(selector, asked), nil
	}

	handlers["paths.escape"] = func(arg json.RawMessage) (any, error) {
		var path string
		if err := json.Unmarshal(arg, &path); err != nil {
			return nil, err
		}
		return (&url.URL{Path: path}).EscapedPath(), nil
	}
	resolver := &apirequest.RequestInfoFactory{
		APIPrefixes:          sets.NewString("api", "apis"),
		GrouplessAPIPrefixes: sets.NewString("api"),
	}
	handlers["paths.request"] = func(arg json.RawMessage) (any, error) {
		var asked struct {
			Method string            `json:"method"`
			Path   string            `json:"path"`
			Query  map[string]string `json:"query"`
		}
		if err := json.Unmarshal(arg, &asked); err != nil {
			return nil, err
		}
		target, err := url.ParseRequestURI(asked.Path)
		if err != nil {
			return nil, err
		}
		query := url.Values{}
		for name, value := range asked.Query {
			query.Set(name, value)
		}
		target.RawQuery = query.Encode()
		info, err := resolver.NewRequestInfo(&http.Request{Method: asked.Method, URL: target})
		if err != nil {
			return nil, fmt.Errorf("no request info: %w", err)
		}
		return map[string]any{
			"is_resource_request": info.IsResourceRequest, "path": info.Path, "verb": info.Verb,
			"api_prefix": info.APIPrefix, "api_group": info.APIGroup, "api_version": info.APIVersion,
			"namespace": info.Namespace, "resource": info.Resource, "subresource": info.Subresource,
			"name": info.Name, "parts": append([]string{}, info.Parts...),
			"field_selector": info.FieldSelector, "label_selector": info.LabelSelector,
		}, nil
	}
}
