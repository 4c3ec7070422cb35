package policy_test

import (
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/policy"
)

// evasions are lines that do what nobody has allowed, written so that it does not show. None may be
// allowed by the starter policy.
var evasions = map[string][]string{
	"quotes": {
		`r''m -rf x`, `r""m x`, `'rm' x`, `"rm" x`, `\rm x`, `r\m x`, "r\\\nm x", `$'\x72m' x`, `$'rm' x`, `$"rm" x`, `"r"'m' x`, `'r'm x`, `'' rm x`, `"" x`,
	},
	"joining": {
		`ls; rm x`, `ls && rm x`, `ls || rm x`, "ls\nrm x", `ls | rm x`, `ls & rm x`, `ls |& rm x`, `! rm x`, `(rm x)`, `{ rm x; }`, `ls;rm x;ls`,
		"ls # c\nrm x", `ls & wait; rm x`, `if true; then rm x; fi`, `if rm x; then ls; fi`, `if ls; then ls; elif rm x; then ls; else ls; fi`,
		`if ls; then ls; else rm x; fi`, `while rm x; do ls; done`, `until ls; do rm x; done`, `for i in a; do rm x; done`, `case a in a) rm x;; esac`,
		`case $(rm x) in a) ls;; esac`, `case a in $(rm x)) ls;; esac`, `f() { rm x; }; f`, `function f { rm x; }; f`, `ls() { rm x; }; ls`, `coproc rm x`, `coproc ls`,
		`time rm x`, `time -p rm x`, `select a in b; do rm x; done`, `((rm x))`, `(( a[$(rm x)] ))`, `[[ -n $(rm x) ]]`, `for ((i=0; i<1; i++)); do ls; done`,
	},
	"substitution": {
		`echo $(rm x)`, "echo `rm x`", `echo "$(rm x)"`, "echo \"`rm x`\"", `cat <(rm x)`, `ls > >(rm x)`, `echo ${x:-$(rm y)}`, `echo "${x:-$(rm y)}"`,
		`echo $((1 + $(rm x)))`, `echo ${a[$(rm x)]}`, `cat <<E` + "\n$(rm x)\nE", "cat <<E\n`rm x`\nE", `cat <<< "$(rm x)"`, `LANG=$(rm x) ls`, `for i in $(rm x); do ls; done`,
		`ls 2>$(rm x)`, `ls $(ls $(ls $(rm x)))`, "echo `echo \\`rm x\\``", `echo "a $(echo 'b' "$(rm x)")"`, `echo ${x@P}`, `echo ${!x}`, `echo ${x:a[0]}`, `echo $((x))`, `echo $((a[0]))`, `[ a = "$(rm x)" ]`,
		`echo $((x=1)); ls`, `echo ${PATH:=.}; ls`, `echo ${PATH=.}; ls`,
	},
	"a dynamic command": {
		`$x -rf y`, `"$x" y`, `${x} y`, `$(echo rm) x`, "`echo rm` x", `{rm,-rf,x}`, `rm$IFS-rf${IFS}x`, `/bin/r? x`, `/bin/r[m] x`, `~/rm x`, `r*m x`, `$0 -c 'rm x'`,
		`$SHELL -c 'rm x'`, `$@`, `"$@"`, `l${x}s`, `ls${IFS}x`, `{ls,}`, `~+/ls`, `@(rm) x`, `!(ls) x`,
	},
	"launchers": {
		`sh -c 'rm x'`, `bash -c "rm x"`, `bash -lc 'rm x'`, `bash -ec 'rm x'`, `bash -c -- 'rm x'`, `bash -x -c 'rm x'`, `bash -o pipefail -c 'rm x'`, `bash --norc -c 'rm x'`,
		`bash --rcfile ./x -ic ls`, `bash --init-file ./x -i`, `bash -c "$x"`, `bash x.sh`, `bash < x`, `bash -s < x`, `echo rm x | bash`, `echo rm x | sh -`, "bash <<E\nrm x\nE", `bash <<< 'rm x'`,
		`dash -c 'rm x'`, `zsh -c ls`, `ksh -c ls`, `fish -c ls`, `/bin/sh -c 'rm x'`, `./sh -c ls`, `sh -c 'sh -c "rm x"'`, `sh -c 'sh -c "sh -c \"rm x\""'`, `env rm x`, `env -i rm x`, `env -u A rm x`, `env A=b rm x`, `env -S 'rm x'`, `env PATH=. ls`, `env -C / ls`, `env - rm x`, `/usr/bin/env rm x`, `./env ls`,
		`env --split-string='rm x'`, `env $x ls`, `env -- rm x`, `command rm x`, `command -p rm x`, `builtin rm x`, `exec rm x`, `exec -a ls rm x`, `exec 3>x`, `exec >x`, `eval rm x`, `eval 'rm x'`, `eval "$x"`, `eval $x`, `eval 'r''m x'`, `eval "eval 'rm x'"`, `eval 'ls' > x`,
		`nohup rm x`, `setsid rm x`, `nice rm x`, `nice -n 5 rm x`, `nice -5 rm x`, `ionice -c 3 rm x`, `stdbuf -oL rm x`, `timeout 5 rm x`, `timeout -k 1 5 rm x`, `timeout --signal=KILL 5 rm x`, `timeout -s KILL 5 bash -c 'rm x'`, `xargs rm`, `ls | xargs rm`, `ls | xargs -n1 rm`, `ls | xargs -I{} rm {}`, `ls | xargs -I ls ls`, `ls | xargs -I{} {}`, `ls | xargs -P 4 -n 1 sh -c 'rm "$0"'`,
		`ls | xargs sort`, `ls | xargs rg x`, `ls | xargs --arg-file=x ls`, `ls | xargs -a x ls`, `ls | xargs bash -c`, `ls | xargs env`, `xargs $x`,
		`find . -exec rm {} \;`, `find . -exec rm {} +`, `find . -execdir rm {} ';'`, `find . -ok rm {} \;`, `find . -exec sh -c 'rm "$0"' {} \;`, `find . -exec ls {} \; -exec rm {} \;`, `find . -exec {} \;`, `find . -exec $x \;`, `find $x`, `find . $x`,
		`sudo ls`, `sudo -u root rm x`, `doas ls`, `ssh h ls`, `chroot / ls`, `unshare -r ls`, `busybox rm x`, `busybox sh -c ls`, `strace ls`, `watch ls`, `parallel rm`, `flock x rm y`, `script -c 'rm x'`, `su -c 'rm x'`, `su`, `systemd-run rm x`, `at now`, `perl -e 'unlink x'`, `python3 -c 'x'`, `node -e x`, `ruby -e x`, `php -r x`, `lua -e x`, `make`, `npm run x`, `npx x`, `vim -c '!rm x'`, `ed x`, `gdb -ex 'shell rm x'`, `tclsh x`, `expect -c x`, `docker run x`, `taskset 1 rm x`, `setpriv rm x`, `trap 'rm x' EXIT`, `trap 'rm x' DEBUG; ls`, `time -o x ls`, `command time -o x ls`,
	},
	"flags": {
		`sort -o x y`, `sort -uo x y`, `sort -ox y`, `sort --output=x y`, `sort --outp x y`, `sort --compress-program=./x y`, `sort --comp ./x y`, `sort -T x y`, `sort $x y`, `sort "$x" y`, `sort -- * x`, `rg --pre ./x y`, `rg --pre=./x y`, `rg --hostname-bin ./x y`, `rg -z x`, `rg "$x"`, `git log --output=x`, `git diff --output x`, `git diff --outpu=x`, `git diff --ext-diff`, `git log --textconv`, `git show --ext-d`,
		`git grep -Oless x`, `git grep -O./x y`, `git grep --open-files-in-pager=./x y`, `git grep -nO y`, `git -c core.pager=./x log`, `git -c alias.log='!rm x' log`, `git -C / log`, `git -C ../.. status`, `git --exec-path=. log`, `git --git-dir=x log`, `git --config-env=core.pager=X log`, `git -p log`, `git --paginate log`, `git $x log`, `git log $x`, `git "$x"`, `git -C "$x" log`,
		`git push`, `git pull`, `git checkout x`, `git commit -m x`, `git branch -D x`, `git ls-remote --upload-pack=./x .`, `git fetch`, `git worktree add x`, `git rev-list --exec x`, `git config x y`, `git stash`, `git submodule foreach rm x`, `git bisect run rm x`, `git rebase -x rm`, `git difftool`, `git mergetool`, `git filter-branch`, `git archive -o x HEAD`, `git apply x`,
		`go test -exec ./x`, `go test --exec=./x`, `go test -o x`, `go test -c`, `go build -toolexec ./x`, `go build -o x`, `go vet -vettool=./x`, `go test -coverprofile=x`, `go test -cpuprofile x`, `go build -overlay x`, `go test -modfile=x`, `go env -w A=b`, `go env -u A`, `go run .`, `go generate`, `go get x`, `go install x`, `go build -ldflags=-extld=./x`, `go test -C / ./...`, `go test $x`, `go tool x`, `go test -test.cpuprofile=x`,
		`find . -delete`, `find . -fprint x`, `find . -fprintf x y`, `find . -fls x`, `find . -fprint0 x`, `tree -o x`, `sed -i s/a/b/ x`, `sed -n -i p x`, `sed --in-place p x`, `sed -ni p x`, `sed 'w x' y`, `sed -n '1w x' y`, `sed 's/a/b/w x' y`, `sed 's/a/rm x/e' y`, `sed '1e rm x' y`, `sed -f x y`, `sed -e 'w x' y`, `sed -ne 'w x' y`, `sed --expression='w x' y`, `sed -e p -e 'w x' y`, `sed "$x" y`, `sed p $x`,
		`awk 'BEGIN{system("rm x")}'`, `awk '{print > "x"}' y`, `awk '{print | "sh"}' y`, `awk 'BEGIN{"rm x" | getline}'`, `awk -f x y`, `awk -i inplace 1 x`, `awk "$x" y`, `awk -v a=b 'BEGIN{system("x")}'`, `awk '@load "x"'`, `awk -F: -f x`, `gawk 'BEGIN{system("x")}'`, `uniq x y`, `uniq -c x y`, `xxd x y`, `xxd -r x y`, `date -s x`, `date --set=x`, `file -C -m x`, `hostname evil -b`, `diff --to-file=x`, `jq -L . x`,
		`jobs -x rm x`, `pip --log x list`, `pip list --log x`, `yarn test --cwd ../x`, `pnpm test -C ../x`, `git branch -v -D main`, `git branch new`, `git branch --sort=x new`, `git remote -v add x y`, `git remote add x y`, `git tag v1`, `git tag -d v1`, `git stash pop`, `git worktree prune`, `git config --unset x`, `git config --get x --edit`, `git add -e`, `git add -p`, `git apply --stat --apply x`,
		`make test SHELL=./x`, `make test install`, `make test -C /`, `make -f x test`, `npm run x`, `npm run`, `python3 -m pytest -p x`, `python3 -m http.server`, `python3 -m json.tool x y`, `npx -p x eslint`, `npx eslint --fix`, `npx x`, `node --test -e 1`, `node --check -r ./x y`, `node --test --test-reporter=./x`, `bash --version -c ls`, `tar tf x -I ./y`, `tar tf x --to-command=y`, `unzip -l -o x`, `black .`, `cargo clippy --fix`, `cargo test --config x`, `gofmt -l -w x`, `gofmt -w ../x`, `gh pr view --web`, `docker -H x ps`, `staticcheck -debug.trace x`,
		`mkdir ../x`, `mkdir a/../x`, `mkdir /etc/x`, `mkdir -p a/../../x`, `cd a; mkdir ../../x`, `mkdir $x`, `mkdir -m 7 -p ~/x`, `touch .git/hooks/x`, `touch a/.envrc`, `touch Makefile`, `touch -r/etc/x y`, `touch --reference=/etc/x y`, `touch {a,/etc/b}`, `touch "$x"/y`, `tee x`, `tee /tmp/../x`, `tee /tmp/x y`, `tee /tmp/.x`, `ls | tee -- /etc/x`,
		`awk -e 1 -e 'BEGIN{system("rm x")}'`, `awk -e 1 -e '{print > "x"}' y`, `awk --source 1 --source '{print > "x"}'`, `awk '{print; print > "x"}' y`, `awk '{print "};" > "x"}' y`, `awk '{print /;/ > "x"}' y`, `awk '{print $1,` + "\n" + `$2 > "x"}' y`, `awk '1 { printf "a" | "sh" }'`, `awk '$1>0{print $1 >> "x"}'`, "awk 'BEGIN{sys\\\ntem(1)}'",
		`sed '/a/w x' y`, `sed '/a/,/b/w x' y`, `sed 's/a/b/;w x' y`, `sed 's/a/b/gw x' y`, `sed 's,a,b,e' y`, `sed 's/[]/A]/g;s/w f/p/' y`, `sed 's/[[:a:]/A]/g;s/w f/p/' y`, `sed 's/[/]/w x/' y`, `sed '/a/{w x' -e '}' y`, `sed '1r /etc/passwd' y`, `sed -e 's/a/b/' -e '$w x' y`, `sed 's/a\/b/w x/;s/a/b/w x' y`, `sed '\,a,w x' y`, `sed 'y/a/b/w x' y`, `sed '1!w x' y`, `sed '1~2e rm x' y`, `sed 'N;e' y`, `sed 'a\` + "\nx" + `' y > z`, `sed 's/a/b/ ; e rm x' y`, `sed --expression p --expression 'w x' y`,
		`awk -v 1 'BEGIN{x}' -f x`, `sed -n p -i x`, `sed p --in-pl x`,
	},
	"versions": {
		`python3 -v x.py`, `echo 'import os' | python3 -v`, "python3 -v <<E\nx\nE", `cargo -v run`, `pip -v install x`, `gcc -v -wrapper ./evil x.c`, `gcc --version -v -wrapper ./evil x.c`, `rustc -v x.rs -o f`, `ruby -v -e x`, `clang -v x.c`, `npx -v x`, `python3 -V x.py`, `node -v x.js`, `npm -v --no-version run x`, `npm --version --no-version run x`, `make -v x`, `java -version -jar x`, `python3 --version x`,
	},
	"other shells": {
		`sh -c 'ls &>/dev/null touch x'`, `sh -c 'ls &>>/dev/null touch x'`, `sh -c '[[ a || touch == x ]]; ls'`, `sh -c '[[ a && ./x ]]'`, `dash -c "echo \$'a\'; touch x; #'"`, `sh -c "echo \$'a\\'; touch x; #'"`, `/bin/sh -c 'ls &>/dev/null touch x'`, `env sh -c 'ls &>/dev/null touch x'`, `timeout 5 nice dash -ec 'ls &>/dev/null touch x'`, `ash -c 'ls &>/dev/null touch x'`,
		`sh -c 'eval "ls &>/dev/null touch x"'`, `bash -c 'sh -c "ls &>/dev/null touch x"'`, `sh -c 'echo $[1|2]'`, `sh -c 'x+=/../x'`, `sh -c 'echo "$(ls &>/dev/null touch x)"'`, `sh -c 'time a=b/x ls'`, `sh -c 'if ls; then ls &>/dev/null touch x; fi'`, `sh -c 'timeout 5 10>/dev/null'`, "sh -c \"cat <<\\$'E'\nE\ntouch x\n\\$E\"", `sh -c 'ls |& touch x'`, `sh -c 'echo $"a"'`, `sh -c 'ls {x}</dev/null'`, `sh -c 'case a in a) ls;& b) ls;; esac'`, `sh -c 'echo "${x/a/b}"'`,
	},
	"values": {
		`ls | xargs -rI ls ls x`, `ls | xargs -I A -I ls ls x`, `echo ./x | xargs -rI ls bash -c ls`, `echo ./x | xargs -rI ls nice ls x`, `ls | xargs -tI{} {}`, `ls | xargs -I "$m" ls x`, `ls | xargs -I{} -n 1 sort`, `ls | xargs -I '' ls`, `ls | xargs -I{} --max-args=2 sort`, `ls | xargs -0I{} sort {}`,
		`for x in "1 rm"; do nice -n $x ls; done`, `for x in "1 rm"; do timeout -k $x 5 ls; done`, `for x in "1 rm"; do timeout $x ls; done`, `timeout --signal $x 5 ls`, `xargs -n $x ls`, `nice -n {1,rm} x`,
	},
	"abbreviations": {
		`git grep --op='touch x;' y`, `git grep --o=./x y`, `sed --i s/a/b/ x`, `sed --in s/a/b/ x`, `sort --o=x y`, `sort --co=./x y`, `sort --t=x y`, `git apply --check --ap x`, `git apply --check --a x`, `make test --di=x`, `make test --f=x`, `tar tf x --rs=./x`, `tar tf x --to=./x`, `flake8 --ap=x`, `flake8 --ou=x`, `mypy --ht=x`, `date --s=x`, `git log --o=x`, `diff --to=x y`, `file --co -m x`, `ss --k`, `go test --c`, `git diff --ext`, `git log --t`, `jq --l x y`,
	},
	"files of others": {
		`echo x > /tmp/x_test.go; go test /tmp/x_test.go`, `go test ../../tmp/x_test.go`, `go vet /tmp/x`, `go build /tmp/x/...`, `node --test /tmp/x.test.cjs`, `node --test ../x`, `pytest /tmp/x`, `python3 -m pytest /tmp/x_test.py`, `python3 -m unittest discover -s /tmp/x`, `python3 -m unittest discover -s/tmp/x`, `python3 -m unittest discover --start-directory=/tmp/x`, `jest /tmp/x`, `npx jest /tmp/x`, `vitest run /tmp/x`, `eslint /tmp/x`, `prettier --check /tmp/x`, `npx prettier --check /tmp/x`, `npm test -- /tmp/x.test.js`, `bun test /tmp/x`, `mypy @/tmp/x`, `pytest @x`, `tsc @/tmp/x --noEmit`, `staticcheck /tmp/x`, `cargo test --manifest-path=/tmp/x`, `npm run test -- ../../tmp/x`,
		`go test ~/x`, `for x in ../../tmp/x_test.go; do go test "a/$x"; done`, `go test a{,/../../../tmp/x}`, `cd core && go test ../../x`, `tar tf x -T /tmp/y`,
	},
	"tables": {
		`sed -l 1p '1e rm x' f`, `sed -nl 1p 'w x' f`, `sed --line-length 1p 'w x' f`, `sed --line-l 1p 'w x' f`, `sed -El 1p 'w x' f`, `tar tvf a.tar --index-file=x`, `tar tf a.tar --ind x`, `tar tf a.tar -T x`, `tar tf a.tar --files-from=x`, `tar tf a.tar -g x`, `tar tf a.tar --volno-file=x`, `tar tf h:x`, `tar tf a -f h:x`, `git apply --check --build-fake-ancestor=x`, `git apply --check --reject x`, `git apply --stat --unsafe-paths x`,
		`tsc --noEmit false`, `tsc --noEmit False`, `tsc --noEmit f*`, `tsc -outDir x --noEmit`, `tsc --OUTDIR x --noEmit`, `tsc --noEmit --declarationDir x`, `jest --global-setup=./x`, `jest --testEnvironment=./x`, `jest --setupFilesAfterEnv=./x`, `jest --filter=./x`, `jest --test-runner ./x`, `npx jest --globalsConfig x`, `vitest --typecheck.checker=./x`, `vitest --coverage.reportsDirectory=x`, `vitest --output-file x`, `eslint --init`, `eslint --fixx`, `eslint --fix-dry-run --rulesdir x`, `bun test --preload ./x`, `bun test -r ./x`,
		`node --check --experimental_loader=./x y`, `node --test --experimental_loader ./x`, `node --test --inspect=0.0.0.0:9229`, `node --test --inspect_brk`, `go test -test.blockprofile=x`, `go test -test.mutexprofile x`, `go test --test.trace=x`, `go test -args -test.cpuprofile=x`, `cargo test -- --logfile x`, `git config edit`, `git config --global edit`, `git config list x.y`, `git remote show ssh://x/y`, `git remote show ../x`, `date 01010000`, `date -u 01010000`, `date +%F 01010000`, `date -d x 01010000`, `date $x`, `hostname evil`, `hostname -s evil`, `hostname "$x"`, `mktemp /etc/x.XXX`, `mktemp -d ../x.XXX`, `mktemp -p /etc`, `mktemp --tmpdir=/etc x.XXX`, `mktemp -p/etc`, `arch -x86_64 rm x`, `arch rm x`, `gofmt -w -r 'a -> b' x`, `gofmt -l -r 'a -> b' x`,
		`pnpm test --config.script-shell=./x`, `yarn test --use-yarnrc=x`, `npm test --logs-dir=x`, `pip show --log-file x`, `prettier --check --plugin-search-dir=x y`, `podman ps --conmon ./x`, `podman version --runtime=./x`, `size --plugin ./x y`, `node --test --logfile=x --log`, `node --check --turbo_profiling_output=x y`, `git cat-file --filters x`,
		`mypy --python-executable ./x`, `mypy --linecount-report x`, `mypy --timing-stats x`, `mypy --xslt-html-report=x`, `flake8 --benchmark --outp x`, `gsed 'w x' y`,
	},
	"builtins that assign": {
		`printf '%n' PATH; ls`, `printf x%n PATH; ls`, `printf 'a%5n' PATH; ls`, `printf 'a%hhn' PATH; ls`, `printf '%%%n' PATH; ls`, `printf '%-*n' 3 PATH; ls`, `printf '%s%n' x 'a[$(rm x)]'`, `for f in %n; do printf "x$f" PATH; ls; done`, `for f in %n; do printf "x$f" "$@"; done`, `printf -- x%n PATH; ls`, `printf x"%"n PATH; ls`,
		`: {PATH}</dev/null; ls`, `: {PATH}>&1; ls`, `{ ls; } {PATH}<x`, `: {PATH}<<<x; ls`, `ls {x}</dev/null`, `wait -p PATH; ls`, `wait -n -p 'a[$(rm x)]'`, `wait -np PATH; ls`, `for x in -pPATH; do wait -n $x; ls; done`, `wait "$x"`,
	},
	"builtins": {
		`. ./x`, `source x`, `alias ls=rm; ls`, `alias ls='rm x'`, `hash -p ./x ls; ls`, `enable -f ./x ls`, `export PATH=.; ls`, `declare PATH=.; ls`, `typeset x=1; ls`, `readonly PATH=.; ls`, `local x=1; ls`, `printf -v PATH .; ls`, `printf -v 'a[$(rm x)]' y`, `read PATH < x; ls`, `read -r PATH; ls`, `read 'a[$(rm x)]'`, `read -a x`, `read $x`, `read; read PATH; ls`, `let 'a[$(rm x)]=1'`, `mapfile -C 'rm x' -c 1 a`, `readarray a`, `unset 'a[$(rm x)]'`, `getopts a PATH`, `shopt -s expand_aliases`, `set -a; ls`, `set -o posix`, `set -k`, `set "$x"`, `set -- a`, `test -v 'a[$(rm x)]'`, `[ -v 'a[$(rm x)]' ]`, `[ 'a[$(rm x)]' -eq 1 ]`, `[[ 'a[$(rm x)]' -eq 1 ]]`, `[[ -v 'a[$(rm x)]' ]]`, `[[ a > b ]]`, `bind -x '"a":rm x'`, `complete -C 'rm x' ls`, `fc -s`, `umask 0; ls`, `pushd /; ls`, `popd; ls`, `builtin eval 'rm x'`, `command eval 'rm x'`, `builtin printf -v PATH .`, `command cd; rm x`, `kill 1`, `wait; kill -9 -1`,
	},
	"variables": {
		`PATH=. ls`, `PATH=.; ls`, `LD_PRELOAD=./x ls`, `LD_PRELOAD=./x; ls`, `BASH_ENV=x bash -c ls`, `GIT_SSH_COMMAND=x git log`, `GIT_PAGER='rm x' git log`, `GIT_PAGER=$x git log`, `PAGER=./x git log`, `GIT_EXTERNAL_DIFF=./x git diff`, `GIT_PAGER+=x git log`, `env GIT_PAGER=./x git log`, `IFS=x; ls`, `PATH+=:. ls`, `a[0]=$(rm x)`, `a[$(rm x)]=1`, `a=([$(rm x)]=1)`, `for PATH in .; do ls; done`, `for http_proxy in x; do git log; done`, `for i in 1 2; do ls; PATH=.; done`, `while ls; do alias ls=rm; done`, `x=rm; $x y`, `x=rm && ls`, `GOFLAGS=-toolexec=./x go test`, `RIPGREP_CONFIG_PATH=x rg y`, `ENV=x sh -c ls`, `PYTHONPATH=. ls`, `{ PATH=.; }; ls`, `(PATH=.; ls)`, `true && PATH=. ; ls`, `PROMPT_COMMAND=x ls`,
	},
	"directories": {
		`cd / && ls`, `cd .. && ls`, `cd; ls`, `cd -; ls`, `cd ~; ls`, `cd $x; ls`, `cd -P ..; ls`, `cd a/../..; ls`, `cd a; cd ../..; ls`, `for i in 1 2 3; do cd ..; done; ls`, `for i in 1 2; do ls; cd a; done`, `cd /work/app2 && ls`, `cd /work/app/../app2 && ls`, `cd a && cd .. && cd .. && git status`, `CDPATH=/ cd etc && ls`, `CDPATH=/; cd etc; ls`,
	},
	"redirects": {
		`echo x > y`, `echo x >> y`, `echo x >| y`, `echo x &> y`, `echo x >& y`, `echo x 2> y`, `echo x 3<> y`, `> y`, `>> y`, `: > y`, `{ echo x; } > y`, `(echo x) > y`, `if ls; then ls; fi > y`, `for i in a; do echo $i; done > y`, `while ls; do ls; done >> y`, `bash -c ls > y`, `bash -c 'ls > y'`, `nohup ls > y`, `timeout 5 > y`, `xargs > y`, `eval '' > y`, `cat < /dev/tcp/h/1`, `echo x > /dev/tcp/h/1`, `cat < /dev/../dev/tcp/h/1`, `cat < $x`, `echo x > $y`, `echo x > "/dev/null/../x"`, `echo x >~/.bashrc`, `echo x {fd}>y`, `env > y`, `find . -exec ls {} + > y`, `f() { ls; } > y; f`, `time ls > y`, `ls 2>&1 > y`, `[[ -n x ]] > y`, `((1)) > y`, `ls > /tmp/../x`, `ls > /tmp/a/../x`, `ls > /tmp/$x`, `ls > /tmp/*`, `ls > /tmp/.x`, `ls > /tmpx/y`, `ls > /tmp/x > y`, `ls > /tmp/a/Makefile`, `bash -c 'ls > /tmp/x' > y`, `ls 2> /tmp/x > y`, `ls &> ../tmp/x`, `ls > "/tmp/x/../../y"`,
	},
	"characters": {
		"ls\rrm x", "ls x\r", "ls \x00", "ls \x1b[2K", "ls\v-la", "ls\f", "ls \u00a0rm", "ls \u202erm", "ls \u200b", "ls \ufeff", "ls \u2028rm", "ls \xff", "ls \x7f", "ls \u3000x", "ls \u0085x",
	},
	"paths": {
		`./ls`, `/tmp/ls`, `../ls`, `/bin/../work/app/ls`, `bin/ls`, `./git status`, `/usr/bin/git push`, `/bin/rm x`, `./timeout 5 ls`, `./xargs ls`, `./find . -exec ls {} +`, `/work/app/bash -c ls`,
	},
	"bounds": {
		strings.Repeat("ls;", 257), "ls " + strings.Repeat("x", 64<<10), strings.Repeat("(", 40) + "ls" + strings.Repeat(")", 40), strings.Repeat("$(", 20000) + "ls" + strings.Repeat(")", 20000), "ls (", "ls '", "if", "", "#", " ",
		strings.Repeat("if ls; then ", 40) + "ls" + strings.Repeat("; fi", 40), strings.Repeat("nohup ", 40) + "ls", strings.Repeat("! ", 40) + "ls (",
	},
}

func TestEvasions(t *testing.T) {
	p, lines := starter(t), 0
	for kind, list := range evasions {
		for _, s := range list {
			lines++
			if v := p.Decide(line(s), policy.Context{}); v.Decision == policy.Allow {
				t.Errorf("%s: %.80q is allowed", kind, s)
			} else if v.Reason == "" {
				t.Errorf("%s: %.80q is not allowed, without a reason", kind, s)
			}
		}
	}
	if lines < 200 {
		t.Errorf("%d lines", lines)
	}
	t.Logf("%d lines, none allowed unless an error says so", lines)
}

func TestEvasionsByArgs(t *testing.T) {
	p := starter(t)
	for _, argv := range [][]string{
		{"sh", "-c", "rm x"}, {"env", "rm", "x"}, {"sort", "-o", "x"}, {"find", ".", "-exec", "rm", "{}", ";"}, {"./ls"}, {"ls", "a\x1b[2K"}, {""}, {"git", "-c", "core.pager=x", "log"}, {"xargs", "rm"},
	} {
		if v := p.Decide(args(argv...), policy.Context{}); v.Decision == policy.Allow {
			t.Errorf("%q is allowed", argv)
		}
	}
	// A program of the session's own directory is not what its name says.
	e := args("ls")
	e.Path = "/work/app/bin/ls"
	if v := p.Decide(e, policy.Context{}); v.Decision != policy.Ask {
		t.Errorf("ls of the session's directory: %v", v.Decision)
	}
	file := core.Exec{Command: core.Command{Command: "pwd", Cwd: "/work/app"}, Path: "/bin/pwd", Argv: []string{"pwd"}, Via: core.ViaFile}
	if v := p.Decide(&file, policy.Context{}); v.Decision != policy.Allow {
		t.Errorf("pwd: %v (%s)", v.Decision, v.Reason)
	}
	if v := p.Decide(&core.Exec{}, policy.Context{}); v.Decision != policy.Ask {
		t.Errorf("nothing: %v", v.Decision)
	}
}

// TestEvasionsOfFiles: rules for files, as "always" writes them.
func TestEvasionsOfFiles(t *testing.T) {
	p := mustNew(t, mustParse(t, string(policy.Starter)+rule("allow", "[['cp', 'mv', 'python3', 'node'], '**']", "files = 'roots'"), policy.User))
	for _, s := range []string{
		"python3 -u <<E\nx\nE", `echo x | python3 -u`, `python3 -u < f`, `node --no-warnings < f`, `cp -t.git config`, `cp -t.. x`, `cp --target-directory=.git x`, `cp -r x/. .`, `cp -rT x .`, `cp -r x/* .`, `mv x/*akefile .`, `cp x/*.json .`,
		`cp x Makefile`, `cp x .git/config`, `mv -T x /work/app`, `mv`, `python3`,
	} {
		if v := p.Decide(line(s), policy.Context{}); v.Decision == policy.Allow {
			t.Errorf("%q is allowed", s)
		}
	}
	for _, s := range []string{`cp -r a b`, `cp a.txt .`, `mv a/*.go b`, `python3 x.py`, `touch -c a`, `gofmt -w .`, `gofmt -w a/*.go`, `mkdir -pv a/b`} {
		if v := p.Decide(line(s), policy.Context{}); v.Decision != policy.Allow {
			t.Errorf("%q: %v (%s)", s, v.Decision, v.Reason)
		}
	}
}

// TestEvasionsBelowTmp: what rules let be written anywhere below /tmp is no place in a project.
func TestEvasionsBelowTmp(t *testing.T) {
	p := starter(t)
	for _, root := range []string{"/tmp/app", "/private/tmp/app"} {
		for _, s := range []string{`echo x > x_test.go; go test`, `echo x > /tmp/app/x_test.go; go test`, `echo x > /tmp/app/config; git status`, `ls | tee /tmp/app/x_test.go`} {
			e := line(s)
			e.Command.Cwd, e.Command.Roots = root, []string{root}
			if v := p.Decide(e, policy.Context{}); v.Decision == policy.Allow {
				t.Errorf("%q is allowed in %s", s, root)
			}
		}
	}
	for _, s := range []string{`go test ./... /work/app/core`, `cd core && go test .`, `echo x > /tmp/x.go`, `pytest tests/*.py -rA -xvs -n4 --tb=short`, `date -u +%FT%TZ`, `date -d '2 days ago' +%F`, `date "+%s"`,
		`hostname -f`, `mktemp -d`, `mktemp /tmp/x.XXX`, `git config user.email`, `git remote show origin`, `tsc --noEmit --pretty`, `tar tzf a.tgz --wildcards '*.go'`, `npx eslint src --ext .ts --max-warnings=0`, `go test -run 'TestX/sub' -v ./core`} {
		if v := p.Decide(line(s), policy.Context{}); v.Decision != policy.Allow {
			t.Errorf("%q: %v (%s)", s, v.Decision, v.Reason)
		}
	}
}

// TestEvasionsOfAnotherShell: where no bash is found, another shell reads the line.
func TestEvasionsOfAnotherShell(t *testing.T) {
	p := starter(t)
	for _, s := range []string{`ls &>/dev/null touch x`, `[[ a || ./x ]]`, `echo $'a\'; touch x; #'`, `echo <(ls)`, `ls 10>/dev/null`} {
		e := line(s)
		e.Path, e.Argv[0] = "/bin/sh", "sh"
		for _, sandbox := range []string{"", "workspace"} {
			if v := p.Decide(e, policy.Context{Sandbox: sandbox}); v.Decision == policy.Allow {
				t.Errorf("%q is allowed in %q", s, sandbox)
			}
		}
		if v := p.Decide(args("dash", "-c", s), policy.Context{}); v.Decision == policy.Allow {
			t.Errorf("dash -c %q is allowed", s)
		}
	}
	for _, s := range []string{`cd core && ls | head -5 2>/dev/null`, `for f in a b; do echo "${f%.go}" >&2; done`, "cat <<'E' | wc -l\nx\nE", `if [ -f x ]; then echo "$(git rev-parse HEAD)"; fi`} {
		e := line(s)
		e.Path, e.Argv[0] = "/bin/sh", "sh"
		if v := p.Decide(e, policy.Context{}); v.Decision != policy.Allow {
			t.Errorf("%q: %v (%s)", s, v.Decision, v.Reason)
		}
	}
}

// TestEvasionsDenied: what a rule denies stays denied where the line shows it.
func TestEvasionsDenied(t *testing.T) {
	p := starter(t)
	for _, s := range []string{
		`reboot`, `r''eboot`, `ls; reboot`, `echo $(reboot)`, `sh -c 'reboot now'`, `sudo -n reboot`, `env A=b reboot`, `timeout 5 reboot`, `ls | xargs reboot`, `/sbin/reboot`, `find . -exec reboot \;`, `PATH=. reboot`, `eval reboot`, `f() { reboot; }`,
		`git push -f`, `git -C x push --force`, `git --no-pager push origin main -f`, `git -c a=b push --force`,
		`rm -rf /`, `cd core; rm -rf ~`, `x=1; rm -rf "$HOME"`,
	} {
		for _, sandbox := range []string{"", "workspace"} {
			if v := p.Decide(line(s), policy.Context{Sandbox: sandbox}); v.Decision != policy.Deny {
				t.Errorf("%q in %q: %v (%s)", s, sandbox, v.Decision, v.Reason)
			}
		}
	}
}

// TestEvasionsInSandbox: where a sandbox holds what nobody knows, what rules deny stays denied, and
// a line that can't be read is asked about.
func TestEvasionsInSandbox(t *testing.T) {
	deny := "[[rule]]\nid = \"rm\"\nargv = [\"rm\"]\ndecision = \"deny\"\n"
	p := mustNew(t, mustParse(t, string(policy.Starter), policy.User), mustParse(t, deny, policy.Project))
	denied := 0
	for kind, list := range evasions {
		for _, s := range list {
			without := p.Decide(line(s), policy.Context{}).Decision
			inside := p.Decide(line(s), policy.Context{Sandbox: "workspace"})
			if without == policy.Deny {
				denied++
			}
			if (without == policy.Deny) != (inside.Decision == policy.Deny) {
				t.Errorf("%s: %.80q: %v, and %v in a sandbox", kind, s, without, inside.Decision)
			}
			if (kind == "characters" || kind == "a dynamic command" && strings.HasPrefix(s, "$")) && inside.Decision == policy.Allow {
				t.Errorf("%s: %q is allowed in a sandbox", kind, s)
			}
		}
	}
	if denied < 100 {
		t.Errorf("%d are denied", denied)
	}
}

// TestEvasionsOfOneRule: where all else is allowed, a rule about rm is found however rm is written,
// or the line is asked about.
func TestEvasionsOfOneRule(t *testing.T) {
	f, err := policy.Parse("p", []byte("default = \"allow\"\n[[rule]]\nid = \"rm\"\nargv = [\"rm\"]\ndecision = \"deny\"\n"), policy.User)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"quotes", "joining", "substitution", "a dynamic command"} {
		for _, s := range evasions[kind] {
			if v := p.Decide(line(s), policy.Context{}); v.Decision == policy.Allow {
				t.Errorf("%s: %q is allowed", kind, s)
			}
		}
	}
}
