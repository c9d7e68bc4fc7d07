package main

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
)

// amount is what the tests want to know of a quantity. Dec is the exact value.
type amount struct {
	String string          `json:"string"`
	Format resource.Format `json:"format"`
	Dec    string          `json:"dec"`
}

func describe(quantity resource.Quantity) amount {
	copied := quantity.DeepCopy() // AsDec changes its receiver
	return amount{String: quantity.String(), Format: quantity.Format, Dec: copied.AsDec().String()}
}

// canonical is the canonical text, whatever text the quantity was read from.
func canonical(quantity resource.Quantity, format resource.Format) string {
	quantity.Format = format
	number, suffix := quantity.CanonicalizeBytes(nil)
	return string(number) + string(suffix)
}

func init() {
	handlers["quantity.parse"] = func(arg json.RawMessage) (any, error) {
		var text string
		if err := json.Unmarshal(arg, &text); err != nil {
			return nil, err
		}
		quantity, err := resource.ParseQuantity(text)
		if err != nil {
			return nil, err
		}
		return describe(quantity), nil
	}
	// The argument is the JSON value itself: a string, a number, null.
	handlers["quantity.json"] = func(arg json.RawMessage) (any, error) {
		var quantity resource.Quantity
		if err := json.Unmarshal(arg, &quantity); err != nil {
			return nil, err
		}
		return quantity, nil
	}
	handlers["quantity.one"] = func(arg json.RawMessage) (any, error) {
		var asked struct {
			Text   string
			Format resource.Format
			Scale  resource.Scale
			Factor int64
		}
		if err := json.Unmarshal(arg, &asked); err != nil {
			return nil, err
		}
		quantity, err := resource.ParseQuantity(asked.Text)
		if err != nil {
			return nil, err
		}
		negated, product, rounded := quantity.DeepCopy(), quantity.DeepCopy(), quantity.DeepCopy()
		negated.Neg()
		product.Mul(asked.Factor)
		exact := rounded.RoundUp(asked.Scale)
		return map[string]any{
			"value":     quantity.Value(),
			"milli":     quantity.MilliValue(),
			"scaled":    quantity.ScaledValue(asked.Scale),
			"sign":      quantity.Sign(),
			"canonical": canonical(quantity.DeepCopy(), quantity.Format),
			"formatted": canonical(quantity.DeepCopy(), asked.Format),
			"float":     fmt.Sprint(quantity.AsFloat64Slow()), // JSON has no infinity
			"neg":       describe(negated),
			"mul":       describe(product),
			"roundUp":   describe(rounded),
			"exact":     exact,
		}, nil
	}
	handlers["quantity.two"] = func(arg json.RawMessage) (any, error) {
		var texts [2]string
		if err := json.Unmarshal(arg, &texts); err != nil {
			return nil, err
		}
		first, err := resource.ParseQuantity(texts[0])
		if err != nil {
			return nil, err
		}
		second, err := resource.ParseQuantity(texts[1])
		if err != nil {
			return nil, err
		}
		sum, difference := first.DeepCopy(), first.DeepCopy()
		sum.Add(second.DeepCopy())
		difference.Sub(second.DeepCopy())
		return map[string]any{"add": describe(sum), "sub": describe(difference), "cmp": first.Cmp(second)}, nil
	}
}
