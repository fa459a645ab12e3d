#!/usr/bin/env bash
# Runs a benchmark in four shards as a Slurm array: `sbatch slurm-array.sh`. `--partition auto`
# reads the index of the task. A requeued task resumes its shard, as does each task if the whole
# array is submitted again. Afterwards: rlm-eval merge results/whole results/shards/*/*
#SBATCH --job-name=eval
#SBATCH --array=0-3
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --time=12:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=eval-%A-%a.log
set -euo pipefail

# A file that only you can read, with ANTHROPIC_API_KEY=…. The program also reads a .env file in
# this folder.
if [ -r "$HOME/.model-keys" ]; then
  set -a
  . "$HOME/.model-keys"
  set +a
fi
folder="results/shards/$SLURM_ARRAY_TASK_ID"
for lock in "$folder"/*/lock.json; do
  # `exec` makes the program receive the signal when the task is stopped.
  if [ -e "$lock" ]; then
    exec "${EVAL:-./target/release/eval}" run --resume "${lock%/lock.json}" --partition auto --retry-errors
  fi
done
exec "${EVAL:-./target/release/eval}" run --benchmark s-niah --model "${MODEL:-anthropic/claude-opus-4-6}" \
  --partition auto --log-dir "$folder"
