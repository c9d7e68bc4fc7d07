package main

import (
	"bytes"
	"encoding/json"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

type wrongField struct {
	Sort      string   `json:"sort"`
	Field     string   `json:"field"`
	Value     any      `json:"value"`
	Detail    string   `json:"detail"`
	Supported []string `json:"supported"`
	Number    int      `json:"number"`
}

func init() {
	sorts := map[string]func(*field.Path, any, wrongField) *field.Error{
		"required":     func(p *field.Path, v any, w wrongField) *field.Error { return field.Required(p, w.Detail) },
		"forbidden":    func(p *field.Path, v any, w wrongField) *field.Error { return field.Forbidden(p, w.Detail) },
		"invalid":      func(p *field.Path, v any, w wrongField) *field.Error { return field.Invalid(p, v, w.Detail) },
		"type_invalid": func(p *field.Path, v any, w wrongField) *field.Error { return field.TypeInvalid(p, v, w.Detail) },
		"not_supported": func(p *field.Path, v any, w wrongField) *field.Error {
			return field.NotSupported(p, v, w.Supported)
		},
		"duplicate": func(p *field.Path, v any, w wrongField) *field.Error { return field.Duplicate(p, v) },
		"not_found": func(p *field.Path, v any, w wrongField) *field.Error { return field.NotFound(p, v) },
		"too_long":  func(p *field.Path, v any, w wrongField) *field.Error { return field.TooLong(p, v, w.Number) },
		"too_many":  func(p *field.Path, v any, w wrongField) *field.Error { return field.TooMany(p, 7, w.Number) },
	}
	handlers["errors.fields"] = func(arg json.RawMessage) (any, error) {
		var asked []wrongField
		decoder := json.NewDecoder(bytes.NewReader(arg))
		decoder.UseNumber()
		if err := decoder.Decode(&asked); err != nil {
			return nil, err
		}
		found := field.ErrorList{}
		for _, each := range asked {
			found = append(found, sorts[each.Sort](field.NewPath(each.Field), plain(each.Value), each))
		}
		told := [][]string{}
		for _, each := range found {
			told = append(told, []string{string(each.Type), each.Field, each.ErrorBody()})
		}
		return map[string]any{"errors": told, "all": found.ToAggregate().Error()}, nil
	}
	handlers["errors.quote"] = func(arg json.RawMessage) (any, error) {
		var text string
		if err := json.Unmarshal(arg, &text); err != nil {
			return nil, err
		}
		return strconv.Quote(text), nil
	}
}

// plain gives numbers the types that fields of objects have.
func plain(value any) any {
	number, ok := value.(json.Number)
	if !ok {
		return value
	}
	if whole, err := number.Int64(); err == nil {
		return whole
	}
	float, _ := number.Float64()
	return float
}
