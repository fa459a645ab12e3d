#!/usr/bin/env bash
# Checks the example manifests: those for Kubernetes against the schemas in the PyPI package
# kubernetes-validate, and those for Slurm for valid shell syntax. No package has the schema of
# KEDA, so keda-queue.yaml is not checked here.
set -euo pipefail
cd "$(dirname "$0")/.."

bash -n docs/manifests/slurm-array.sh
bash -n docs/manifests/slurm-queue.sh
if [ ! -x target/manifests/bin/kubernetes-validate ]; then
  scripts/install-system-packages.sh python3-venv
  python3 -m venv target/manifests
  target/manifests/bin/pip install --quiet --disable-pip-version-check kubernetes-validate==1.37.0
fi
target/manifests/bin/kubernetes-validate --strict \
  docs/manifests/kubernetes-job.yaml docs/manifests/kubernetes-queue.yaml
