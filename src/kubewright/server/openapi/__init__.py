"""The OpenAPI documents of a server: `/openapi/v2`, `/openapi/v3` and one below it per group-version.

Paths are made from the served resources, definitions come from `kubewright/models/openapi.json` and, for
custom resources, from their CustomResourceDefinitions. Nothing is read or made before it is asked for.

Unlike upstream's, the documents describe nothing in words, except what a CustomResourceDefinition says.
"""
