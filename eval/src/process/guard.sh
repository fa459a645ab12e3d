# Kills a server's process group when stdin closes: at the end of its attempt or of the program.
# Argument: id of the process group.
read -r _
# Uses -s, because dash rejects -KILL together with a group.
kill -s KILL -- "-$1" 2>/dev/null
