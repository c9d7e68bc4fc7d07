package main

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/validate/content"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/version"
)

func init() {
	ofText := map[string]func(string) []string{
		"is_dns1123_label":                     validation.IsDNS1123Label,
		"is_dns1123_subdomain":                 validation.IsDNS1123Subdomain,
		"is_dns1123_subdomain_caseless":        content.IsDNS1123SubdomainCaseless,
		"is_dns1123_subdomain_with_underscore": validation.IsDNS1123SubdomainWithUnderscore,
		"is_dns1035_label":                     validation.IsDNS1035Label,
		"is_wildcard_dns1123_subdomain":        validation.IsWildcardDNS1123Subdomain,
		"is_qualified_name":                    validation.IsQualifiedName,
		"is_valid_label_value":                 validation.IsValidLabelValue,
		"is_c_identifier":                      validation.IsCIdentifier,
		"is_valid_port_name":                   validation.IsValidPortName,
		"is_valid_percent":                     validation.IsValidPercent,
		"is_http_header_name":                  validation.IsHTTPHeaderName,
		"is_env_var_name":                      validation.IsEnvVarName,
		"is_relaxed_env_var_name":              validation.IsRelaxedEnvVarName,
		"is_config_map_key":                    validation.IsConfigMapKey,
		"is_path_segment_name":                 content.IsPathSegmentName,
		"is_path_segment_prefix":               content.IsPathSegmentPrefix,
	}
	ofNames := map[string]func(string, bool) []string{
		"name_is_dns_subdomain": apivalidation.NameIsDNSSubdomain,
		"name_is_dns_label":     apivalidation.NameIsDNSLabel,
		"name_is_dns1035_label": apivalidation.NameIsDNS1035Label,
	}
	ofNumbers := map[string]func(int) []string{
		"is_valid_port_num": validation.IsValidPortNum,
		"is_valid_user_id":  func(id int) []string { return validation.IsValidUserID(int64(id)) },
		"is_valid_group_id": func(id int) []string { return validation.IsValidGroupID(int64(id)) },
	}
	handlers["names.text"] = func(arg json.RawMessage) (any, error) {
		var value string
		if err := json.Unmarshal(arg, &value); err != nil {
			return nil, err
		}
		wrong := map[string][]string{}
		for name, check := range ofText {
			wrong[name] = append([]string{}, check(value)...)
		}
		for name, check := range ofNames {
			wrong[name] = append([]string{}, check(value, false)...)
			wrong[name+" prefix"] = append([]string{}, check(value, true)...)
		}
		return wrong, nil
	}
	handlers["names.number"] = func(arg json.RawMessage) (any, error) {
		var value int
		if err := json.Unmarshal(arg, &value); err != nil {
			return nil, err
		}
		wrong := map[string][]string{}
		for name, check := range ofNumbers {
			wrong[name] = append([]string{}, check(value)...)
		}
		return wrong, nil
	}
	handlers["gvk.compare_versions"] = func(arg json.RawMessage) (any, error) {
		var versions [2]string
		if err := json.Unmarshal(arg, &versions); err != nil {
			return nil, err
		}
		return version.CompareKubeAwareVersionStrings(versions[0], versions[1]), nil
	}
	handlers["gvk.parse"] = func(arg json.RawMessage) (any, error) {
		var text string
		if err := json.Unmarshal(arg, &text); err != nil {
			return nil, err
		}
		answer := map[string]any{}
		if parsed, err := schema.ParseGroupVersion(text); err == nil {
			answer["group_version"] = []string{parsed.Group, parsed.Version, parsed.String(),
				parsed.WithKind("K").String(), parsed.WithResource("r").String()}
		}
		withVersion, without := schema.ParseResourceArg(text)
		answer["without_version"] = []string{without.Group, without.Resource, without.String()}
		if withVersion != nil {
			answer["with_version"] = []string{withVersion.Group, withVersion.Version, withVersion.Resource}
		}
		withVersionKind, withoutKind := schema.ParseKindArg(text)
		answer["kind_without_version"] = []string{withoutKind.Group, withoutKind.Kind, withoutKind.String()}
		if withVersionKind != nil {
			answer["kind_with_version"] = []string{withVersionKind.Group, withVersionKind.Version, withVersionKind.Kind}
		}
		return answer, nil
	}
}
