/**
 * An error that nobody expected ends the process, but not silently, and not before what the process has started: the stack
 * is written down, the children are ended, whoever must know is told, and then the process exits with 70.
 */
import { appendFileSync } from "node:fs";
import { shortageOf } from "../core/errno-advice.ts";
import { EXIT } from "../core/exit-code.ts";
import { preview } from "../core/preview.ts";
import { oneLine } from "../text/terminal-safe.ts";
import { complain } from "./print.ts";
import { withSourcePositions } from "./source-positions.ts";

/** In a run's directory: the stacks of all bugs that its processes have met. */
export const BUGS_FILE = "bugs.log";

export interface Bug {
	/** In one line, as an ending has it. */
	readonly reason: string;
	/** For stderr: the reason, and where the stack is. */
	readonly line: string;
	readonly exitCode: typeof EXIT.bug | typeof EXIT.outOfReach;
}

const END_WITHIN_MS = 20_000; // what is told may be suspended, and what is ended may refuse to end
const MAX_CAUSES = 5;
const MAX_REASON_CHARS = 500; // the file has it whole

export class Bugs {
	/** Where stacks go; undefined outside of a run: to stderr. */
	file: string | undefined;
	/** Ends what this process has started, and tells about the bug. Replaced as soon as there is something to end. */
	onBug: (bug: Bug) => Promise<void> = async ({ line }) => complain(`agent: ${line}`);
	private readonly now: () => number;
	private isEnding = false;

	constructor(now: () => number) {
		this.now = now;
	}

	listen(): void {
		process.on("uncaughtException", (error) => void this.end(error));
		process.on("unhandledRejection", (error) => void this.end(error));
	}

	/** Ends the process. What fails while it does says nothing new. */
	async end(error: unknown): Promise<void> {
		if (this.isEnding) return;
		this.isEnding = true;
		const bug = this.report(error);
		setTimeout(() => process.exit(bug.exitCode), END_WITHIN_MS);
		await this.onBug(bug).catch(() => {});
		process.exit(bug.exitCode);
	}

	/** Descriptors, processes, memory or disk used up by others are no bug: later it may go well. */
	private report(error: unknown): Bug {
		const shortage = shortageOf(Object(error) as NodeJS.ErrnoException);
		if (shortage !== undefined) return { reason: shortage, line: shortage, exitCode: EXIT.outOfReach };
		const reason = `a bug in agentree: ${preview(oneLine(String(error)), MAX_REASON_CHARS)}`;
		const stack = stackOf(error);
		const isInFile = this.write(stack);
		if (!isInFile) complain(stack);
		const where = isInFile ? `in ${this.file}` : "above";
		return { reason, line: `${reason}; its stack is ${where}, please report it`, exitCode: EXIT.bug };
	}

	/** False when the stack could not be written to the run. */
	private write(stack: string): boolean {
		if (this.file === undefined) return false;
		const { pid, title, version, platform, arch } = process;
		const head = `${new Date(this.now()).toISOString()} ${title} (pid ${pid}, node ${version}, ${platform} ${arch})`;
		try {
			appendFileSync(this.file, `${head}\n${stack}\n\n`, { mode: 0o600 });
			return true;
		} catch {
			return false; // a full disk, or the run's directory is gone
		}
	}
}

/** With the stacks of its causes. */
function stackOf(error: unknown): string {
	const stacks: string[] = [];
	let each: unknown = error;
	while (each instanceof Error && stacks.length < MAX_CAUSES) {
		stacks.push(each.stack ?? String(each));
		each = each.cause;
	}
	if (stacks.length === 0) return `${String(error)} (thrown, and no error)`;
	return withSourcePositions(stacks.join("\ncaused by: "));
}
