// The project that the agent works on.

export const root = '/work/project';

export const files = {
  [`${root}/README.md`]: `# greet

A greeting in a shell script, and its test.

    sh greet.sh Ada
    sh test.sh
`,
  [`${root}/greet.sh`]: `# Greets whoever is named.
name=\${1:-world}
echo "Hello, $name"
`,
  [`${root}/test.sh`]: `# Compares what greet.sh says with what it should say.
failed=0
check() {
  want=$1
  shift
  got=$(sh greet.sh "$@")
  if [ "$got" = "$want" ]; then
    printf '  \\033[32mok\\033[0m    greet %s\\n' "$*"
  else
    printf '  \\033[31mwrong\\033[0m greet %s: got "%s", want "%s"\\n' "$*" "$got" "$want"
    failed=$((failed + 1))
  fi
  sleep 0.2
}

check 'Hello, world'
check 'Hello, Ada' Ada
check 'HELLO, ADA!' --shout Ada
check 'HELLO, WORLD!' --shout

if [ $failed -gt 0 ]; then
  printf '\\033[31m%d wrong\\033[0m\\n' $failed
  exit 1
fi
printf '\\033[32mall is well\\033[0m\\n'
`,
};
