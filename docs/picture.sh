# What the picture in README.md shows. "go run ./cmd/dev picture" runs this on a terminal, in an
# empty directory.
cat >main.go <<'EOF'
package main

// TODO: read the name from the arguments
func main() {
	greet("you") // TODO: in French, too
}
EOF
cat >greet.py <<'EOF'
print("hello")  # TODO: the same in Python
EOF

# show prints a command as a person would type it, and runs it.
show() {
	printf '\033[1;32m$\033[m \033[1m%s\033[m\n' "$1"
	eval "$1"
	echo
}

show "terrarium run --host wasm --mount . 'grep -rn --color=always TODO .'"
show "terrarium run --host wasm --mount . 'cat /etc/passwd ~/.ssh/id_ed25519'"
show "terrarium run --host wasm --fuel 2G 'while :; do :; done'"
show "terrarium policy explain -- 'git diff | head; rm -rf ~/work' | head -6"
