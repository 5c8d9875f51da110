"""Holds Kubernetes manifests against the schemas of the API server, strictly: a misspelt field is an error.

usage: kubernetes.py VERSION < manifests.yaml     prints how many were held, and the kinds that have no schema there
"""

import sys

import kubernetes_validate
import yaml

version, held, others = sys.argv[1], 0, set()
for manifest in yaml.safe_load_all(sys.stdin):
    if manifest["apiVersion"].startswith("keda.sh/"):  # an operator's own kinds
        others.add(manifest["kind"])
        continue
    try:
        kubernetes_validate.validate(manifest, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        where = ".".join(str(step) for step in error.path)
        sys.exit(f"{manifest['kind']} {manifest['metadata']['name']}: {where}: {error.message}")
    held += 1
print(held, *sorted(others))
