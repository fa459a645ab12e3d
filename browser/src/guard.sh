# Ends a browser's process group and deletes its profile once stdin closes: when the harness lets go, or has itself died.
# Arguments: the group, the profile directory.
read -r _
# With -s, for dash takes -KILL and a group together for a mistake.
kill -s KILL -- "-$1" 2>/dev/null
# A dying process may still write.
for _ in 1 2 3 4 5 6 7 8 9 10; do
  rm -rf -- "$2" 2>/dev/null && exit 0
  sleep 0.2
done
