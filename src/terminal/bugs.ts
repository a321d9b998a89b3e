/**
 * Unexpected errors. The stack is written to a file of the run, what the process has started is ended, whoever must know is
 * told, and only then the process exits with 70.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from "node:fs";
import type { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import { AgentreeError, EXIT } from "../core/errors.ts";
import { shortageOf } from "../core/machine/errno-advice.ts";
import { foldedMiddle } from "../core/preview.ts";
import { redact } from "../text/safe/redact.ts";
import { oneLine } from "../text/safe/terminal-safe.ts";
import { complain, complainInLines } from "./print.ts";

/** The file in a run's directory with the stacks of all bugs of its processes. */
export const BUGS_FILE = "bugs.log";

export interface Bug {
	/** One line, for the ending of an agent or a run. */
	readonly reason: string;
	/** One line for stderr: the reason, and where the stack is. */
	readonly line: string;
	readonly exitCode: typeof EXIT.bug | typeof EXIT.outOfReach;
}

const END_WITHIN_MS = 20_000; // a process that must be told may be suspended, one that must end may not end
const MAX_CAUSES = 5;
const MAX_REASON_CHARS = 64 * 1024;
const MAX_LINE_CHARS = 1_000; // the file has the whole stack

export class Bugs {
	/** The file for stacks; undefined outside of a run: they go to stderr. */
	file: string | undefined;
	/** Ends what this process has started and reports the bug. Replaced once there is something to end. */
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

	/**
	 * Leaves the stack of an error that the process goes on after, since whoever asked for what failed is told of it. What is no
	 * bug leaves none: a refusal, or a shortage.
	 */
	note(error: unknown): void {
		if (error instanceof AgentreeError || shortageOf(Object(error) as NodeJS.ErrnoException) !== undefined) return;
		this.write(redact(stackOf(error)));
	}

	/** Ends the process. Further errors meanwhile say nothing new. */
	async end(error: unknown): Promise<void> {
		if (this.isEnding) return;
		this.isEnding = true;
		const bug = this.report(error);
		setTimeout(() => process.exit(bug.exitCode), END_WITHIN_MS);
		await this.onBug(bug).catch(() => {});
		process.exit(bug.exitCode);
	}

	/** A shortage of descriptors, processes, memory or disk is no bug: a later try may succeed. */
	private report(error: unknown): Bug {
		const shortage = shortageOf(Object(error) as NodeJS.ErrnoException);
		if (shortage !== undefined) return { reason: shortage, line: shortage, exitCode: EXIT.outOfReach };
		const reason = `a bug in agentree: ${foldedMiddle(oneLine(redact(String(error))), MAX_REASON_CHARS)}`;
		const stack = redact(stackOf(error));
		const isInFile = this.write(stack);
		if (!isInFile) complainInLines(stack);
		const where = isInFile ? `in ${this.file}` : "above";
		return {
			reason,
			line: `${foldedMiddle(reason, MAX_LINE_CHARS)}; its stack is ${where}, please report it`,
			exitCode: EXIT.bug,
		};
	}

	/** Appends the stack to the run's file; false when that fails. */
	private write(stack: string): boolean {
		if (this.file === undefined) return false;
		const { pid, title, version, platform, arch } = process;
		const head = `${new Date(this.now()).toISOString()} ${title} (pid ${pid}, node ${version}, ${platform} ${arch})`;
		try {
			return appendTo(this.file, `${head}\n${stack}\n\n`);
		} catch {
			return false; // a full disk, or the run's directory is gone
		}
	}
}

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/** False for what is no plain file: a command may have put a FIFO there, which makes its writer wait, or a link. */
function appendTo(path: string, text: string): boolean {
	const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
	try {
		if (!fstatSync(file).isFile()) return false;
		writeSync(file, text);
		return true;
	} finally {
		closeSync(file);
	}
}

/** The stack of an error and of its causes. */
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

/** Translates the places that a stack names in a bundle into places in the sources, by the source map beside the bundle. */

const PLACE = /((?:file:\/\/)?\/[^():\n]*\.m?js):(\d+):(\d+)/g;

/** `/…/dist/agent.js:3:1200` becomes `src/agent/loop.ts:123:4`. A place that no map knows stays as it is. */
export function withSourcePositions(stack: string): string {
	const maps = new Map<string, SourceMap | undefined>();
	return stack.replace(PLACE, (place: string, file: string, line: string, column: string) => {
		if (!maps.has(file)) maps.set(file, readMap(file));
		const entry = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
		if (entry === undefined || !("originalSource" in entry)) return place;
		const source = entry.originalSource.replace(/^(?:.*\.\.\/)+/, "");
		return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
	});
}

function readMap(file: string): SourceMap | undefined {
	try {
		const path = file.startsWith("file:") ? fileURLToPath(file) : file;
		const { SourceMap } = process.getBuiltinModule("node:module"); // loaded now: every start of an agent would pay for it
		return new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8")));
	} catch {
		return undefined; // a file of Node or of another package
	}
}
