/**
 * The sandbox of bubblewrap. Its processes are three before those of the command: bwrap, which waits for the second one, that is
 * the first in its pid namespace and takes in the command's orphans, and the shell. When bwrap ends, the kernel ends them all.
 */
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { defined } from "../../core/defined.ts";
import { programToStart } from "../../processes/child-process.ts";
import { inOneLine } from "../../text/safe/terminal-safe.ts";
import type { Joined } from "../../wire/agent-messages.ts";
import type { OpenedNetwork, Within } from "../network/namespaces.ts";
import { mountsThere, mountTable, withoutThere } from "./mount-args.ts";
import { exitOfProcess, type Sandbox, type ShellCommand, type ShellExit, startShell } from "./start-shell.ts";

/** Loads what only a command needs that failed in a sandbox. */
export type LoadExplainRefusal = () => Promise<Pick<typeof import("./explain-refusal.ts"), "explainRefusal">>;

/** Places of tools are hidden, by their dots. */
const NAMES_HIDDEN = /\/\.\w/;

/** One of the words that explain-refusal.ts looks for. */
export const MAY_TELL =
	/read-only|EROFS|busy|cross-dev|EXDEV|no such|ENOENT|denied|not permitted|EACCES|EPERM|not found|no match|couldn't find|network|resol|host|dial |lookup |proxy|not known|requested addr|identity unknown|ident name|EAI_|docker|podman|to bus|systemd|^sudo:|host key|to your auth|^gpg:|gpg failed|github cli|gh auth|for 'http|ENOTFOUND|npm err|credentials/im;

export interface Surroundings {
	/** Whose commands these are: with their numbers that is unique in the run. */
	readonly owner: string;
	/** In place of the agent's own. */
	readonly network?: Promise<OpenedNetwork>;
	/** Without one: in which bwrap is started. */
	readonly within?: Promise<Within> | undefined;
	/** The agent's own process is in a sandbox. */
	readonly isNested?: boolean;
}

/** `args`: those of bwrap up to its command, from the supervisor. */
export function bubblewrapShell(
	{ program, args, filter, confinement, mayLeave, variables: usual }: NonNullable<Joined["sandbox"]>,
	loadExplainRefusal: LoadExplainRefusal,
	{ owner, network, within, isNested }: Surroundings,
): Sandbox {
	const known = new Set<string>();
	let shortened: { readonly table: string | undefined; readonly args: readonly string[] } | undefined;
	const shortArgs = () => {
		if (!isNested) return args;
		const table = mountTable(); // a person may mount something, or replace what something is mounted on
		if (shortened === undefined || shortened.table !== table) shortened = { table, args: withoutThere(args, table) };
		return shortened.args;
	};
	return {
		prepare: () => void shortArgs(),
		explain: async ({ command, cwd, env }, printed) => {
			if (!printed.hasFailed && !MAY_TELL.test(printed.text) && !NAMES_HIDDEN.test(command)) return undefined;
			const { explainRefusal } = await loadExplainRefusal();
			const seen = args.filter((_, at) => /^--(?:ro-)?bind/.test(args[at - 2] ?? ""));
			const told = { ...printed, command, cwd, env, mayLeave: mayLeave === true, known, seen };
			return explainRefusal(told, confinement);
		},
		start: async (spec) => {
			const opened = await network;
			if (opened?.is === "failed") return opened;
			const { variables = {}, takeRefusedHosts } = opened ?? {};
			const { enter = [], keepFresh } = opened ?? (await within) ?? {};
			const [first = program, ...others] = [...enter, program];
			const endFile = endFileOf(spec, owner);
			const endsLeft = args.includes("--as-pid-1") ? `touch ${endFile}` : undefined;
			const env = { ...usual, ...spec.env, ...variables };
			const bash = [programToStart("bash", env.PATH), "--norc", "-c", "--", FIRST];
			const forFirst = [String(spec.softFiles ?? ""), endFile, ...temporaryNames(env)];
			const sandbox = () => [...others, ...mountsThere(shortArgs(), existsSync), "--chdir", spec.cwd, "--"];
			const argumentsOf = (text: string) => [...sandbox(), ...bash, text, ...forFirst];
			const files = filter === undefined ? {} : { readsFile: filter };
			const started = await startShell({ ...spec, env }, { program: first, argumentsOf, exitOf, ...files });
			if (started.is === "failed") return started;
			keepFresh?.(started.exit);
			return { ...started, began: beganOf(started.child), ...defined({ takeRefusedHosts, endsLeft }) };
		},
	};
}

/**
 * The first process. `$0` is the text, `$1` the soft limit of open files. Bash tells of a shell that a signal has ended, in a line
 * of its own: so descriptor 3 gets that line and the status, and before all that that it has begun: what ends without was bwrap, whose
 * words come through stderr. It stays as long as another process lives, which it looks for by the names in /proc, whatever signal asks all processes of the
 * command to end. The next command cannot signal them: once the file `$2` is there it ends them, with a grace of 3 s. A read from a
 * pipe that both its ends keep open is how bash waits without another process. The further words are `temporaryNames`: where nothing
 * can be written at such a place, `/tmp` takes its place.
 */
const FIRST = `
echo began >&3
trap : TERM HUP INT QUIT
[ -z "$1" ] || ulimit -Sn "$1" 2>/dev/null
for name in "\${@:3}"; do
	value=\${!name} at=$value
	[[ $value =~ tmpdir=([^\\ ]+) ]] && at=\${BASH_REMATCH[1]}
	[ -d "$at" ] && [ -w "$at" ] && [ -x "$at" ] || export "$name=\${value/"$at"//tmp}"
done
exec 4>&1 2>&3 >/dev/null
( exec -a bash "$BASH" -c -- "$0" >&4 2>&4 3>&- 4>&- )
status=$?
exec 2>/dev/null 4>&-
others() { local pid; for pid in /proc/[0-9]*; do [ "$pid" = "/proc/$$" ] || return 0; done; return 1; }
if [ $$ = 1 ] && others; then
	echo "left $status" >&3
	exec 3<> <(:)
	asked=0
	while others; do
		[ ! -e "$2" ] || { [ $((asked += 1)) -gt 60 ] && kill -KILL -- -1 || kill -TERM -- -1; }
		read -rt 0.05 -u 3
	done
else echo "done $status" >&3; fi
exit $status`;

/** Variables that name a directory in which programs make files of their own, also for Java. */
function temporaryNames(env: Readonly<Record<string, string>>): string[] {
	return Object.keys(env).filter((name) => {
		const value = env[name] ?? "";
		return /^\w+$/.test(name) && (TEMPORARY.test(name) ? isPath(value, name) : /-Djava\.io\.tmpdir=\//.test(value));
	});
}

/** Also a relative one, which only a variable for a directory can be: a `TEMP` may be a temperature. */
const isPath = (value: string, name: string) => (/DIR$/i.test(name) ? value !== "" : value.includes("/"));

const TEMPORARY =
	/^(TE?MP|\w*TE?MP_?DIR|XDG_RUNTIME_DIR|SCREENDIR|RUNNER_TEMP|npm_config_tmp|\w+_TEMP_?(FOLDER|ROOT))$/i;

/** In the run's /tmp, which all of its agents share. */
function endFileOf({ script }: ShellCommand, owner: string): string {
	return `/tmp/.end-${owner}-${/\d+/.exec(script.name)?.[0]}`;
}

const TOLD = /^(left|done) (\d+)$/m;
const BEGAN = "began\n";
const MAX_WORDS_CHARS = 1_000;

/** Resolves at the exit of the shell: when the first process tells that others live on, or is over with it. */
function exitOf(child: ChildProcess): Promise<ShellExit> {
	return new Promise((resolve) => {
		let told = "";
		let words = "";
		child.stderr?.on("error", () => {});
		child.stderr?.on("data", (chunk: Buffer) => {
			words = (words + chunk.toString("utf8")).slice(0, MAX_WORDS_CHARS);
		});
		const status = child.stdio[3];
		status?.on("error", () => {}); // the sandbox was ended
		status?.on("data", (chunk: Buffer) => {
			told += chunk.toString("latin1");
			const [, is, code] = TOLD.exec(told) ?? [];
			if (is === "left") resolve(exitFrom(Number(code), told));
		});
		const judged = (exit: ShellExit) => {
			const [, , code] = TOLD.exec(told) ?? [];
			return code === undefined || exit.by === "signal" ? exit : exitFrom(Number(code), told);
		};
		const exited = exitOfProcess(child);
		void exited.then((exit) => (told !== "" || exit.by === "signal" ? resolve(judged(exit)) : undefined));
		// At the exit what was told may not have been read.
		child.once("close", () => void exited.then((exit) => resolve(told === "" ? unmade(words) : judged(exit))));
	});
}

function beganOf(child: ChildProcess): Promise<void> {
	return new Promise((resolve) => child.stdio[3]?.once("data", () => resolve()));
}

function unmade(words: string): ShellExit {
	const why = inOneLine(words.trim());
	const reason = "the sandbox could not be made";
	return { by: "not_started", reason: why === "" ? reason : `${reason}: ${why}` };
}

/** Signals of which bash tells nothing in words: a status of theirs counts as theirs. */
const UNTOLD: readonly number[] = [constants.signals.SIGINT, constants.signals.SIGPIPE, constants.signals.SIGTERM];

/** bash(1): the status of a command that signal N has ended is 128 + N. */
function exitFrom(code: number, told: string): ShellExit {
	const isSignal = code > 128 && (told.slice(BEGAN.length).trimEnd().includes("\n") || UNTOLD.includes(code - 128));
	const name = isSignal
		? Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0]
		: undefined;
	return name === undefined ? { by: "exit", code } : { by: "signal", signal: name };
}
