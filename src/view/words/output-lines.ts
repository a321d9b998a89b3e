/**
 * The output of a running command as lines for people, as it grows: each as a terminal would leave it, so that of a progress
 * bar only its last state is told. Pure.
 */
import { plainText } from "../../text/safe/strip-terminal.ts";

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
