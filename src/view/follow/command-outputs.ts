/** The output files of the running commands, read as they grow. */
import { AgentreeError } from "../../core/errors.ts";
import { CHUNK_BYTES, type CommandOutput, type GrowingFile } from "../../record/command-output.ts";
import { plainText } from "../../text/safe/strip-terminal.ts";

export interface OutputPart {
	readonly command: number;
	/** Bytes before `lines` that are left out. */
	readonly skipped: number;
	readonly lines: readonly string[];
}

export interface CommandOutputsOf {
	/** The output of a command. */
	readonly outputOf: (log: string) => CommandOutput;
	readonly now: () => number;
	/** What has piled up may be left out, since nobody can read so much: stdout is a terminal. */
	readonly maySkip: boolean;
	readonly damaged: (what: string) => void;
}

const EARLIER_BYTES = 4 * 1024; // of what a command has printed before it is followed
const MOST_PILED_BYTES = 64 * 1024;
const KEPT_BYTES = 8 * 1024; // of a pile that is left out

interface Followed {
	readonly file: GrowingFile;
	readonly lines: OutputLines;
	bytes: number;
	skipped: number;
	/** What comes up to the next line end belongs to what is left out. */
	isWithinSkipped: boolean;
}

export class CommandOutputs {
	private readonly of: CommandOutputsOf;
	private readonly followed = new Map<number, Followed>();

	constructor(of: CommandOutputsOf) {
		this.of = of;
	}

	/** `hasBegun`: it has run for a while, so only the end of what it has printed is given. */
	start(command: number, log: string, hasBegun = false): void {
		const file = this.of.outputOf(log).growing();
		const followed = { file, lines: new OutputLines(), bytes: 0, skipped: 0, isWithinSkipped: false };
		this.followed.set(command, followed);
		if (hasBegun) this.attempt(command, () => skip(followed, EARLIER_BYTES));
	}

	get commands(): number[] {
		return [...this.followed.keys()];
	}

	/** What the command has printed since, about a chunk of it at most; undefined when that is nothing. */
	read(command: number): OutputPart | undefined {
		const followed = this.followed.get(command);
		if (followed === undefined) return undefined;
		return this.attempt(command, () => {
			if (this.of.maySkip && followed.file.unread > MOST_PILED_BYTES) skip(followed, KEPT_BYTES);
			const chunk = followed.file.read();
			if (chunk === undefined) return undefined;
			followed.bytes += chunk.length;
			return partOf(command, followed, followed.lines.push(withoutSkipped(chunk, followed), this.of.now()));
		});
	}

	/** How many chunks there are to read now, at least. */
	chunksOf(command: number): number {
		const unread = this.attempt(command, () => this.followed.get(command)?.file.unread) ?? 0;
		return Math.ceil(unread / CHUNK_BYTES) + 2; // one may be cut short, and one is of a file that took its place
	}

	/** The lines that have begun, when it is time to give them. */
	tick(): OutputPart[] {
		return [...this.followed].flatMap(([command, { lines }]) => {
			const told = lines.tick(this.of.now());
			return told.length === 0 ? [] : [{ command, skipped: 0, lines: told }];
		});
	}

	/** The command has ended, and all of its output was read: what is left of it. `isTold`: there was a file to read. */
	end(command: number): { readonly part: OutputPart; readonly isTold: boolean } {
		const followed = this.followed.get(command);
		this.followed.delete(command);
		followed?.file.close();
		const lines = followed?.lines.end() ?? [];
		return { part: { command, skipped: followed?.skipped ?? 0, lines }, isTold: (followed?.bytes ?? 0) > 0 };
	}

	close(): void {
		for (const { file } of this.followed.values()) file.close();
		this.followed.clear();
	}

	/** A file that cannot be read is said once, and followed no more. */
	private attempt<T>(command: number, act: () => T): T | undefined {
		try {
			return act();
		} catch (error) {
			if (!(error instanceof AgentreeError)) throw error;
			this.of.damaged(error.message);
			this.followed.get(command)?.file.close();
			this.followed.delete(command);
			return undefined;
		}
	}
}

function skip(followed: Followed, keptBytes: number): void {
	const skipped = followed.file.skip(keptBytes);
	if (skipped === 0) return;
	followed.skipped += skipped;
	followed.bytes += skipped;
	followed.isWithinSkipped = true;
	followed.lines.skip();
}

/** From the beginning of a line on. */
function withoutSkipped(chunk: Uint8Array, followed: Followed): Uint8Array {
	if (!followed.isWithinSkipped) return chunk;
	const lineFeed = chunk.indexOf(0x0a);
	const cut = lineFeed < 0 ? chunk.length : lineFeed + 1;
	followed.isWithinSkipped = lineFeed < 0;
	followed.skipped += cut;
	return chunk.subarray(cut);
}

function partOf(command: number, followed: Followed, lines: readonly string[]): OutputPart {
	const { skipped, isWithinSkipped } = followed;
	if (isWithinSkipped || lines.length === 0) return { command, skipped: 0, lines };
	followed.skipped = 0;
	return { command, skipped, lines };
}

/**
 * The output of a running command as lines for people, as it grows: each as a terminal would leave it, so that of a progress
 * bar only its last state is told. Pure.
 */

const MOST_BEGUN = 64 * 1024; // characters of a line that does not end; then it is told as it is
const QUIET_MS = 1_000; // then a line that has begun is told: a command may have asked something
const MOST_SILENT_MS = 10_000; // and so is one that changes all the time

export class OutputLines {
	private readonly utf8 = new TextDecoder();
	private begun = "";
	/** What of the begun line has been told. */
	private told = "";
	private grewAt = 0;
	private toldAt = 0;

	/** The lines that end in the chunk. */
	push(chunk: Uint8Array, now: number): string[] {
		this.grewAt = now;
		if (this.begun === "") this.toldAt = now;
		const parts = (this.begun + this.utf8.decode(chunk, { stream: true })).split("\n");
		this.begun = parts.pop() ?? "";
		const lines = parts.flatMap((line) => this.ended(line, now));
		if (this.begun.length <= MOST_BEGUN) return lines;
		const long = this.ended(this.begun, now);
		this.begun = "";
		return [...lines, ...long];
	}

	/** The line that has begun, when it is time to tell it, or how it goes on. */
	tick(now: number): string[] {
		const isDue = now - this.grewAt >= QUIET_MS || now - this.toldAt >= MOST_SILENT_MS;
		if (this.begun === "" || !isDue) return [];
		const shown = plainText(this.begun);
		const news = this.newOf(shown);
		this.told = shown;
		this.toldAt = now;
		return news;
	}

	/** What has not been told of the last line, when there will be no more. */
	end(): string[] {
		const rest = this.begun + this.utf8.decode();
		this.begun = "";
		return rest === "" ? [] : this.ended(rest, this.grewAt);
	}

	/** Forgets the line that has begun: a part of the output is left out. */
	skip(): void {
		this.utf8.decode();
		this.begun = "";
		this.told = "";
	}

	private ended(line: string, now: number): string[] {
		const hadTold = this.told !== "";
		const shown = plainText(line);
		const news = hadTold ? this.newOf(shown) : [shown];
		this.told = "";
		this.toldAt = now;
		return news;
	}

	private newOf(shown: string): string[] {
		const news = shown.startsWith(this.told) ? shown.slice(this.told.length) : shown;
		return news.trim() === "" ? [] : [news];
	}
}
