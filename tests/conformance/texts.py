"""Long texts: what many messages of the API end with, and a certificate request."""

from __future__ import annotations

__all__ = ["CERTIFICATE_REQUEST", "CONFIG_KEY", "LABEL_NAME", "LABEL_VALUE", "SUBDOMAIN"]

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
    "must start "
    "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL_NAME = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
LABEL_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and "
    "must start "
    "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
    "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
CONFIG_KEY = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
    "'KEY_NAME',  "
    "or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)

# For the name "me", with a key that nobody kept.
CERTIFICATE_REQUEST = (
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISE1HOENBUUF3RFRFTE1Ba0dBMVVFQXd3Q2JXVXdXVEFUQmdj"
    "cWhrak9QUUlCQmdncWhrak9QUU1CQndOQwpBQVNMZDM1dVRZck9MOG4wblNuQ1ZxMmhyZWt6ZEZKZjBIYWtNTG0va2daVFUzVWNn"
    "UlJnQ2Q1cy9PRTVaRWRECkxUNm5hSmFBeUpmQU0zaWQzcjJuQm5qZ29BQXdDZ1lJS29aSXpqMEVBd0lEU0FBd1JRSWdScFhnYVBG"
    "MUtSQWkKNTlPZzhMd3AxSHRpeVZ5VEwxai90NlVuM25MV2VTMENJUUNZUmdQRlNicGh1dmY5ZnRCMVBCUGI2T3htejZyMApTUnYy"
    "QTc0N2laMkZpZz09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo="
)
