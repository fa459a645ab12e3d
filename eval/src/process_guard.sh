# Ends a server's process group once stdin closes: when its attempt is over, or the program has itself died.
# Arguments: the group.
read -r _
# With -s, for dash takes -KILL and a group together for a mistake.
kill -s KILL -- "-$1" 2>/dev/null
