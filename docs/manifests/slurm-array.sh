#!/usr/bin/env bash
# Runs a benchmark in four shards as a Slurm array: `sbatch slurm-array.sh`. `--partition auto`
# takes the shard from Slurm's variables. A task that is requeued resumes its shard. To resume all
# unfinished shards, submit the same array again, not only some of its tasks, because the number of
# tasks is the number of shards. To merge: rlm-eval merge results/whole results/shards/*/*
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

# Put ANTHROPIC_API_KEY=… into this file, and let only yourself read it. The program also reads a
# .env file in this folder.
if [ -r "$HOME/.model-keys" ]; then
  set -a
  . "$HOME/.model-keys"
  set +a
fi
folder="results/shards/$SLURM_ARRAY_TASK_ID"
for lock in "$folder"/*/lock.json; do
  # `exec` replaces the shell, so that the program receives Slurm's signal to stop.
  if [ -e "$lock" ]; then
    exec "${EVAL:-./target/release/eval}" run --resume "${lock%/lock.json}" --partition auto --retry-errors
  fi
done
exec "${EVAL:-./target/release/eval}" run --benchmark s-niah --model "${MODEL:-anthropic/claude-opus-4-6}" \
  --partition auto --log-dir "$folder"
