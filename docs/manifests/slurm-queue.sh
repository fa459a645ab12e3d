#!/usr/bin/env bash
# Workers for runs in a queue, as a Slurm array: `sbatch slurm-queue.sh`. Each ends after five minutes without anything to do, and
# returns its attempts when Slurm stops it.
#SBATCH --job-name=eval-worker
#SBATCH --array=0-3
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --time=12:00:00
#SBATCH --signal=TERM@120
#SBATCH --output=eval-worker-%A-%a.log
set -euo pipefail

# A file that only you can read, with ANTHROPIC_API_KEY=…; `eval` reads a .env file in this folder, too.
if [ -r "$HOME/.model-keys" ]; then
  set -a
  . "$HOME/.model-keys"
  set +a
fi
# `exec`, so that the worker itself gets the signal.
exec "${EVAL:-./target/release/eval}" worker "${QUEUE:-nats://localhost:4222}" \
  --concurrency "${CONCURRENCY:-8}" --drain 60 --idle-exit "${IDLE_EXIT:-300}"
