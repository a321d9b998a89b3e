/** The output files of the running commands, read as they grow. */
import { AgentreeError } from "../../core/errors.ts";
import { CHUNK_BYTES, type CommandOutput, type GrowingFile } from "../../record/command-output.ts";
import { OutputLines } from "../words/output-lines.ts";

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
