/** Lines of JSON for stdout, one write after the other, so that a slow reader never holds up the run. */
import type { Printed } from "../../terminal/print.ts";
import { safeJson } from "../../text/safe-json.ts";

export interface LineQueueListener {
	/** Called when all is written, and more may be put. */
	onIdle(): readonly object[];
	/** Called when nobody reads any more. */
	onClosed(): void;
}

export class LineQueue {
	private readonly write: (text: string) => Promise<Printed>;
	private readonly listener: LineQueueListener;
	private lines: string[] = [];
	private printed: Printed = { is: "written" };
	private isWriting = false;
	private writing: Promise<void> = Promise.resolve();
	/** The number of characters that are not written yet. */
	unsent = 0;

	constructor(write: (text: string) => Promise<Printed>, listener: LineQueueListener) {
		this.write = write;
		this.listener = listener;
	}

	put(line: object): void {
		if (this.printed.is !== "written") return; // the run goes on: its files have all of it
		this.putText(`${safeJson(line)}\n`);
	}

	/** One that ends already. */
	putText(text: string): void {
		if (this.printed.is !== "written") return;
		this.unsent += text.length;
		this.lines.push(text);
		this.wake();
	}

	/** Calls `onIdle` when nothing is being written. */
	wake(): void {
		if (this.isWriting || this.printed.is !== "written") return;
		this.isWriting = true;
		this.writing = this.writeAll();
	}

	/** Resolves when all is written, or to what kept it from being written. */
	async end(): Promise<Printed> {
		while (this.isWriting) await this.writing;
		return this.printed;
	}

	private async writeAll(): Promise<void> {
		await undefined; // what is put in the same step goes in one write
		while (this.printed.is === "written") {
			if (this.lines.length === 0) for (const line of this.listener.onIdle()) this.put(line);
			const text = this.lines.join("");
			if (text === "") break;
			this.lines = [];
			this.printed = await this.write(text);
			this.unsent -= text.length;
		}
		this.isWriting = false;
		if (this.printed.is === "written") return;
		this.lines = [];
		if (this.printed.is === "reader_gone") this.listener.onClosed();
	}
}
