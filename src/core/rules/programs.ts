/**
 * What is known of programs: which run a command that stands behind their own words, which options take the next word, and by which other
 * words a program can be run. Pure.
 */
import type { Assigned } from "./read-script.ts";

/** A row each: the name, the options that take the next word as their value, and with a number, how many words come before the command. */
function table(rows: string): ReadonlyMap<string, { readonly valued: readonly string[]; readonly operands: number }> {
	return new Map(
		rows
			.trim()
			.split("\n")
			.flatMap((row) => {
				const [names = "", ...words] = row.trim().split(/\s+/);
				const valued = words.filter((word) => word.startsWith("-"));
				return names
					.split(",")
					.map((name) => [name, { valued, operands: Number(words.find((word) => /^\d/.test(word)) ?? 0) }]);
			}),
	);
}

const WRAPPERS = table(`
	nohup,setsid,builtin,command,dbus-run-session,eatmydata,catchsegv,unbuffer,entr,chronic,valgrind,torsocks,proxychains,proxychains4,tini,dumb-init,linux32,linux64
	timeout,gtimeout -s --signal -k --kill-after 1
	nice,gnice -n --adjustment
	ionice -c -n --class --classdata
	stdbuf -i -o -e --input --output --error
	time -f -o --format --output
	exec -a
	env -u --unset -C --chdir -a --argv0
	taskset,chrt 1
	flock -w -E --timeout --wait --conflict-exit-code 1
	ssh-agent -a -E -P -t
	numactl -N -m -C -i -p
	prlimit -o --output
	faketime -f 1
	caffeinate -t -w
	rlwrap -f -H -s -C
	watch -n --interval
	xvfb-run -e -f -n -p -s -w
`);

/** The command may do more than it could without them: a rule that allows it has not allowed this. */
const WIDENING = table(`
	busybox,toybox,unshare,setpriv,bwrap,firejail,bunx
	gosu,su-exec 1
	sudo -u -g -U -p -C -D -R -T -h -r -t --user --group --chdir --host
	doas -u -C
	pkexec --user
	chroot 1
	strace -o -e -p -s -u -E
	ltrace -o -e -p -s -u -n -l -A -D -a -F
	runuser -u --user -g --group -G -s --shell
	nsenter -t --target -S -G --setuid --setgid
	fakeroot -l -s -i -b
	proot -r -b -m -w -k
	systemd-run -p --property --unit -u -E --setenv
	cgexec -g
	npx -p --package -w --workspace
	uvx --from --with -p --python
	parallel,sem -j --jobs -a --arg-file -I -N -n -S
	hyperfine -w -r -m -M -p -c -n -S -L
`);

const XARGS =
	"-I -n -P -L -d -E -s -a --max-args --max-procs --max-lines --max-chars --process-slot-var --eof --delimiter --arg-file".split(
		" ",
	);

/** Programs whose options may stand before what they are to do: `git -C other push` is a `git push`. */
const WITH_SUBCOMMANDS = table(`
	git -C -c --git-dir --work-tree --namespace --config-env --super-prefix --attr-source
	npm --prefix -w --workspace --registry --userconfig --loglevel --tag --access --otp
	pnpm -C --dir --filter -F --registry
	yarn --cwd --registry
	cargo -C --config --color -Z
	gem --config-file
	gh -R --repo
	docker -H --host -c --context --config -l --log-level
	podman --connection -c --url --log-level
	hg -R --repository --cwd --config
	jj -R --repository --at-op --at-operation --config
	uv --directory --project --config-file --cache-dir
	poetry -C --directory -P --project
	firebase -P --project -c --config
	kubectl -n --namespace --context --kubeconfig -s --server
`);

/** What runs a program of a project, or of a package, by its name; the name comes next. */
const RUNNERS: readonly string[] = [
	...["npm exec", "npm x", "pnpm exec", "pnpm dlx", "yarn exec", "yarn dlx", "yarn run", "bun x", "bundle exec"],
	...["uv run", "uv tool run", "poetry run", "pipenv run", "pdm run", "hatch run", "rye run", "pipx run", "mise exec"],
];
const RUNNER_VALUED = ["--with", "--from", "--package", "-p", "--python", "--extra", "--group", "--spec"];

export interface Wrapped {
	/** The command; empty: none. */
	readonly words: readonly string[];
	readonly assigned: readonly Assigned[];
	readonly widens: boolean;
}

/** The command that the words wrap; undefined when they wrap none. */
export function unwrapped(words: readonly string[]): Wrapped | undefined {
	const name = programOf(words[0] ?? "");
	const wrapper = WRAPPERS.get(name) ?? WIDENING.get(name);
	if (wrapper === undefined) return undefined;
	let at = afterOptions(words, wrapper.valued) + wrapper.operands;
	if (name === "command" && words.slice(0, at).some((word) => /^-p*[vV]/.test(word))) return undefined;
	if (name === "env" && words[at] === "-") at += 1;
	const assigned: Assigned[] = [];
	for (; /^(?:env|sudo)$/.test(name) && /^[A-Za-z_]\w*=/.test(words[at] ?? ""); at++) {
		const text = words[at] ?? "";
		assigned.push({ name: text.split("=")[0] ?? "", text, written: text });
	}
	return { words: words.slice(at), assigned, widens: WIDENING.has(name) };
}

/** What xargs runs, without what it adds; undefined: it is not xargs. */
export function ofXargs(words: readonly string[]): readonly string[] | undefined {
	return programOf(words[0] ?? "") === "xargs" ? words.slice(afterOptions(words, XARGS)) : undefined;
}

/** The file name of a program: `/usr/bin/git` is git. */
export function programOf(word: string): string {
	return word.slice(word.lastIndexOf("/") + 1).replace(/\.exe$/i, "");
}

/** `npx npm@9` without the version; a package of a scope, `@changesets/cli`, has its whole name. */
function nameOf(word: string): string {
	return (/^@[\w.-]+\//.test(word) ? word : programOf(word)).replace(/(?<=.)@.*$/, "");
}

/** The words with the plain name of the program, and without the options before what it is to do. */
export function withoutOptions(words: readonly string[]): readonly string[] {
	const [, ofGit] = /^git-(\w[\w-]*)$/.exec(programOf(words[0] ?? "")) ?? [];
	if (ofGit !== undefined) return ["git", ofGit, ...words.slice(1)]; // as git itself runs its commands
	const name = nameOf(words[0] ?? "");
	const valued = WITH_SUBCOMMANDS.get(name)?.valued;
	if (valued === undefined) return [name, ...words.slice(1)];
	const version = /^\+/.test(words[1] ?? "") && name === "cargo" ? [words[0] ?? "", ...words.slice(2)] : words;
	return [name, ...version.slice(afterOptions(version, valued))];
}

/** The words that run it in the plainest way: `python3 -m twine upload` is `twine upload`. Undefined: they do. */
export function withoutRunner(words: readonly string[]): readonly string[] | undefined {
	const [name = "", second = "", third = ""] = words;
	if (/^(?:python|pypy)[\d.]*$/.test(name)) {
		const options = words.slice(0, afterOptions(words, ["-m", "-X", "-W"]));
		const module = options.findIndex((word) => /^-[A-Za-ln-z]*m/.test(word));
		const attached = options[module]?.replace(/^-[A-Za-ln-z]*m/, "") ?? "";
		return module < 0 ? undefined : [...(attached === "" ? [] : [attached]), ...words.slice(module + 1)];
	}
	const behind = (words: readonly string[], valued: readonly string[]) => words.slice(afterOptions(words, valued));
	if (name === "yarn" && second === "workspace") return [name, ...words.slice(3)];
	if (name === "yarn" && second === "workspaces" && third === "foreach")
		return [name, ...behind(words.slice(2), ["--include", "--exclude", "-j", "--jobs"])];
	const runner = RUNNERS.find((one) => words.slice(0, one.split(" ").length).join(" ") === one);
	return runner === undefined ? undefined : behind(words.slice(runner.split(" ").length - 1), RUNNER_VALUED);
}

/** Where the options behind the first word end. */
export function afterOptions(words: readonly string[], valued: readonly string[]): number {
	let at = 1;
	for (; at < words.length; at++) {
		const word = words[at] ?? "";
		if (word === "--") return at + 1;
		if (!word.startsWith("-") || word === "-") return at;
		if (takesNext(word, valued)) at += 1;
	}
	return at;
}

/** Also the last one of short options in one word: `-iu root`. One before it takes the rest of its word: `-uroot`. */
export function takesNext(word: string, valued: readonly string[]): boolean {
	if (valued.includes(word)) return true;
	const letters = /^-[A-Za-z0-9]{2,}$/.test(word) ? word.slice(1).split("") : [];
	return letters.length > 0 && letters.findIndex((letter) => valued.includes(`-${letter}`)) === letters.length - 1;
}
