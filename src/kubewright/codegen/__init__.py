"""Python types from OpenAPI: the built-in models, and anybody's custom resources.

The way is facts → `ir` (what modules, structs and fields there are) → `render` (source text). `models` is the
run that makes `kubewright/models` from a server's OpenAPI documents, `crd_types` what makes types from
CustomResourceDefinitions, and `crd_convert` what brings those of v1beta1 to v1.
"""
