/**
 * A command that a person runs here from the conversation, with their own environment, in a session of its own. It ends with this
 * process, even when that is killed; what it has left in the background when it ended stays, as in a shell.
 */
import { childProcess, programToStart } from "../../processes/child-process.ts";
import { startSessionGuard } from "../../processes/guard-session.ts";
import { endProcesses } from "../../processes/table/end-processes.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import type { Look } from "../../processes/table/process-table.ts";
import { type LocalEnd, LocalOutput } from "./local-output.ts";

/**
 * It begins once it is guarded. Its stdout and stderr are one real pipe, so that their order is kept and /dev/stderr can be written
 * to: what Node calls a pipe is a socket.
 */
const WRAPPER = 'read -r || exit; exec < /dev/null > >(exec "$2") 2>&1; eval "$1"';
/** A process in the background may hold the pipe when the command has ended. */
const DRAIN_MS = 200;
const TICK_MS = 500;

interface LocalCommandOptions {
	readonly line: string;
	readonly directory: string;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly now: () => number;
	readonly onLines: (lines: readonly string[]) => void;
	readonly onEnd: (end: LocalEnd) => void;
}

/** Returns what ends it: asked first, then killed with all of its session. */
export function runLocalCommand({
	line,
	directory,
	env,
	now,
	onLines,
	onEnd,
}: LocalCommandOptions): () => Promise<void> {
	const output = new LocalOutput();
	const show = (lines: readonly string[]) => {
		if (lines.length > 0) onLines(lines);
	};
	const guard = startSessionGuard(env);
	const child = childProcess().spawn(
		programToStart("bash", env.PATH),
		["-c", WRAPPER, "bash", line, programToStart("cat", env.PATH)],
		{
			...{ cwd: directory, env: { ...env }, detached: true, stdio: ["pipe", "pipe", "ignore"] },
		},
	);
	if (child.pid !== undefined) guard.guard(child.pid);
	child.stdin?.on("error", () => {}); // it was ended before it has begun
	child.stdin?.end("begin\n");
	const ticking = setInterval(() => show(output.tick(now())), TICK_MS);
	let isOver = false;
	const finish = (trouble: string | undefined) => {
		if (isOver) return;
		isOver = true;
		clearInterval(ticking);
		guard.dismiss();
		child.stdout?.destroy();
		show(output.close());
		onEnd({ output: output.kept, trouble });
	};
	child.stdout?.on("data", (chunk: Buffer) => show(output.push(chunk, now())));
	child.once("error", (error) => finish(`could not be started: ${error.message}`));
	child.once("exit", (code, signal) => {
		const trouble = troubleOf(code, signal);
		guard.dismiss();
		child.once("close", () => finish(trouble));
		setTimeout(() => finish(trouble), DRAIN_MS);
	});
	return async () => {
		const { pid } = child;
		if (pid === undefined || isOver) return;
		const find = (look: Look) => look.list().filter(({ session, state }) => session === pid && !/[ZX]/.test(state));
		await endProcesses({ find, table: openProcessTable(env) });
	};
}

function troubleOf(code: number | null, signal: NodeJS.Signals | null): string | undefined {
	if (signal !== null) return `ended by ${signal}`;
	return code === 0 ? undefined : `exit status ${code}`;
}
