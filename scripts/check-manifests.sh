#!/usr/bin/env bash
# Checks the example manifests: those of Kubernetes against its schemas, which the PyPI package kubernetes-validate carries,
# and those of Slurm for their syntax, for which there is no schema. KEDA's schema is in no package: its manifest is read alone.
set -euo pipefail
cd "$(dirname "$0")/.."

bash -n docs/manifests/slurm-array.sh
bash -n docs/manifests/slurm-queue.sh
if [ ! -x target/manifests/bin/kubernetes-validate ]; then
  scripts/install-system-packages.sh python3-venv
  python3 -m venv target/manifests
  target/manifests/bin/pip install --quiet --disable-pip-version-check kubernetes-validate==1.37.0
fi
target/manifests/bin/kubernetes-validate --strict docs/manifests/kubernetes-job.yaml docs/manifests/kubernetes-queue.yaml
