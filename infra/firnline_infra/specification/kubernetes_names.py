"""Forms of Kubernetes' names, as its API server checks them (Kubernetes, "Object Names and IDs" and "Labels and Selectors").

Names of a pod's secrets, config maps and claims it does not check: no object can have such a name, and the pod waits for one
for ever.
"""

from firnline_ingest.config.form import Form

_PART = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_PART}(\.{_PART})*"
_WORD = r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"

NAMESPACE = Form(
    r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?",
    "1 to 63 lower-case letters, digits and hyphens, with no hyphen at either end",
    "ingest",
)
OBJECT_NAME = Form(
    rf"(?=.{{1,253}}$){_SUBDOMAIN}",
    "1 to 253 lower-case letters, digits, hyphens and dots, with a letter or digit at either end and beside each dot",
    "firnline",
)
LABEL_KEY = Form(
    rf"((?=[^/]{{1,253}}/){_SUBDOMAIN}/)?{_WORD}",
    "a label's key: up to 63 letters, digits and - _ . with a letter or digit at either end, after a domain and a slash if any",
    "topology.kubernetes.io/zone",
)
LABEL_VALUE = Form(
    rf"({_WORD})?",
    "a label's value: up to 63 letters, digits and - _ . with a letter or digit at either end",
    "eu-central-1a",
)
