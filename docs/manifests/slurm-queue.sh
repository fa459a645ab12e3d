#!/usr/bin/env bash
# Runs workers for a queue as a Slurm array: `sbatch slurm-queue.sh`. A worker exits after five
# minutes without work. If Slurm stops it, it returns unfinished attempts to the queue.
#SBATCH --job-name=eval-worker
#SBATCH --array=0-3
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --time=12:00:00
# `B:` signals the shell of the batch script, which becomes the worker.
#SBATCH --signal=B:TERM@120
#SBATCH --output=eval-worker-%A-%a.log
set -euo pipefail

# Put ANTHROPIC_API_KEY=… into this file, and let only yourself read it. The program also reads a
# .env file in this folder.
if [ -r "$HOME/.model-keys" ]; then
  set -a
  . "$HOME/.model-keys"
  set +a
fi
# `exec` replaces the shell, so that the worker receives Slurm's signal to stop.
exec "${EVAL:-./target/release/eval}" worker "${QUEUE:-nats://localhost:4222}" \
  --concurrency "${CONCURRENCY:-8}" --drain 60 --idle-exit "${IDLE_EXIT:-300}"
