# Ends a browser's process group and deletes its profile once stdin closes: when the harness
# releases the browser or dies. Arguments: process group, profile directory.
read -r _
# Uses -s because dash rejects -KILL followed by a process group.
kill -s KILL -- "-$1" 2>/dev/null
# Retries because a dying process may still write to the directory.
for _ in 1 2 3 4 5 6 7 8 9 10; do
  rm -rf -- "$2" 2>/dev/null && exit 0
  sleep 0.2
done
