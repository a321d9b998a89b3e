/**
 * The sandbox of bubblewrap. Its processes are three before those of the command: bwrap, which waits for the second one, that is
 * the first in its pid namespace and takes in the command's orphans, and the shell. When bwrap ends, the kernel ends them all.
 */
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { defined } from "../../core/defined.ts";
import type { Joined } from "../../protocol/joined-message.ts";
import type { OpenedNetwork } from "../network/own-network.ts";
import { withoutHidden } from "./hidden-already.ts";
import { mountsThere } from "./mounts-there.ts";
import type { Sandbox, ShellCommand, ShellExit } from "./sandbox.ts";
import { exitOfProcess, startShell } from "./start-shell.ts";

/** Loads what only a command needs that failed in a sandbox. */
export type LoadOutsideSandbox = () => Promise<Pick<typeof import("./outside-sandbox.ts"), "outsideSandbox">>;

/** One of the words that outside-sandbox.ts looks for. */
export const MAY_TELL =
	/read-only|EROFS|busy|cross-dev|EXDEV|no such|ENOENT|denied|EACCES|not found|network|resol|not known|requested addr|EAI_|docker|podman|to bus|systemd|^sudo:|host key|to your auth|^gpg:|gpg failed|github cli|gh auth|for 'http|ENEEDAUTH|E401|credentials/im;

export interface Surroundings {
	/** Whose commands these are: with their numbers that is unique in the run. */
	readonly owner: string;
	/** In place of the agent's own. */
	readonly network?: Promise<OpenedNetwork>;
	/** Without one: what stands in front of bwrap. */
	readonly within?: Promise<readonly string[]> | undefined;
	/** The agent's own process is in a sandbox. */
	readonly isNested?: boolean;
}

/** `args`: those of bwrap up to its command, from the supervisor. */
export function confined(
	{ program, args, filter, confinement, mayLeave, variables: usual }: NonNullable<Joined["sandbox"]>,
	loadOutsideSandbox: LoadOutsideSandbox,
	{ owner, network, within, isNested }: Surroundings,
): Sandbox {
	let shortened: readonly string[] | undefined;
	const shortArgs = () => {
		shortened ??= isNested ? withoutHidden(args) : args;
		return shortened;
	};
	return {
		explain: async ({ cwd, env }, text) => {
			if (!MAY_TELL.test(text)) return undefined;
			const { outsideSandbox } = await loadOutsideSandbox();
			return outsideSandbox({ text, cwd, home: env.HOME, mayLeave: mayLeave === true }, confinement);
		},
		start: async (spec) => {
			const opened = await network;
			if (opened?.is === "failed") return opened;
			const { enter = (await within) ?? [], variables = {}, takeRefusedHosts } = opened ?? {};
			const [first = program, ...others] = [...enter, program];
			const endFile = endFileOf(spec, owner);
			const endsLeft = args.includes("--as-pid-1") ? `touch ${endFile}` : undefined;
			const started = await startShell(
				{ ...spec, env: { ...usual, ...spec.env, ...variables } },
				{
					program: first,
					argumentsOf: (text) => [
						...[
							...others,
							...mountsThere(shortArgs(), existsSync),
							"--chdir",
							spec.cwd,
							"--",
							"bash",
							"--norc",
							"-c",
							"--",
							FIRST,
							text,
						],
						...[String(spec.softFiles ?? ""), endFile],
					],
					exitOf,
					...(filter !== undefined && { readsFile: filter }),
				},
			);
			return started.is === "started" ? { ...started, ...defined({ takeRefusedHosts, endsLeft }) } : started;
		},
	};
}

/**
 * The first process. `$0` is the text, `$1` the soft limit of open files. Bash tells of a shell that a signal has ended, in a line
 * of its own: so descriptor 3 gets that line and the status, and before all that that it has begun: what ends without was bwrap. It
 * stays as long as another process lives, which it looks for by the names in /proc, whatever signal asks all processes of the
 * command to end. The next command cannot signal them: once the file `$2` is there it ends them, with a grace of 3 s. A read from a
 * pipe that both its ends keep open is how bash waits without another process.
 */
const FIRST = `
echo began >&3
trap : TERM HUP INT QUIT
[ -z "$1" ] || ulimit -Sn "$1"
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

/** In the run's /tmp, which all of its agents share. */
function endFileOf({ script }: ShellCommand, owner: string): string {
	return `/tmp/.end-${owner}-${/\d+/.exec(script.name)?.[0]}`;
}

const TOLD = /^(left|done) (\d+)$/m;
const BEGAN = "began\n";
const NOT_STARTED: ShellExit = { by: "not_started", reason: "the sandbox could not be made" };

/** Resolves at the exit of the shell: when the first process tells that others live on, or is over with it. */
function exitOf(child: ChildProcess): Promise<ShellExit> {
	return new Promise((resolve) => {
		let told = "";
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
		child.once("close", () => void exited.then((exit) => resolve(told === "" ? NOT_STARTED : judged(exit))));
	});
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
