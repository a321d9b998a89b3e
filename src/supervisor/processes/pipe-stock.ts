/**
 * Pipes for commands, made ahead. Making one costs a process; made here, several at once and before they are needed, they
 * cost a starting agent nothing.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipesDirectory } from "../../core/run/pipe-path.ts";
import { makeFifos } from "../../processes/fifo.ts";

const FIRST_BATCH = 16; // more than most runs use
const BATCH = 64; // many agents may join at once, and each batch costs a fork of the supervisor
const STALE_MS = 60_000; // a run that starts makes its pipes before it listens

export class PipeStock {
	private readonly directory: string;
	private readonly make: typeof makeFifos;
	private readonly ready: string[] = [];
	private made = 0;
	/** How many are made at once. */
	private batch = FIRST_BATCH;
	private isMaking = false;
	private isClosed = false;

	constructor(socket: string, now: number, make = makeFifos) {
		this.directory = pipesDirectory(socket);
		this.make = make;
		removeStale(dirname(this.directory), now);
		rmSync(this.directory, { recursive: true, force: true }); // a resumed run may have left some
		void this.refill();
	}

	/** The names of up to `count` pipes that nobody else gets; fewer while more are being made. */
	take(count: number): string[] {
		const names = this.ready.splice(0, count);
		if (this.ready.length < this.batch / 2) void this.refill();
		return names;
	}

	/** Removes all that are left, also of agents that were killed. Once nothing of the run lives any more. */
	close(): void {
		this.isClosed = true;
		this.ready.length = 0;
		rmSync(this.directory, { recursive: true, force: true });
	}

	/** Where none can be made the stock stays empty: an agent tries by itself then, and says what is wrong. */
	private async refill(): Promise<void> {
		if (this.isMaking || this.isClosed) return;
		this.isMaking = true;
		try {
			if (!existsSync(this.directory)) mkdirSync(this.directory, { mode: 0o700 });
			if (this.made > 0) this.batch = BATCH;
			const names = Array.from({ length: this.batch }, () => `stock-${++this.made}`);
			const failure = await this.make(names.map((name) => join(this.directory, name)));
			if (failure === undefined) this.ready.push(...names);
		} catch {
		} finally {
			this.isMaking = false;
		}
		if (this.isClosed) this.close(); // what was made meanwhile
	}
}

/** Removes the pipes of runs whose socket is gone. */
function removeStale(directory: string, now: number): void {
	for (const name of existsSync(directory) ? readdirSync(directory) : []) {
		const [, run] = /^(.*)\.pipes$/.exec(name) ?? [];
		const path = join(directory, name);
		if (run === undefined || existsSync(join(directory, `${run}.sock`))) continue;
		const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
		if (now - changedMs > STALE_MS) rmSync(path, { recursive: true, force: true });
	}
}
