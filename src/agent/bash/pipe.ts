/**
 * Real pipes for commands: on a socket pair, which is what Node makes, `echo x > /dev/stderr` fails. A pipe is a FIFO that is
 * opened at both ends and unlinked when a command takes it. The supervisor keeps some in stock and gives a joining agent a
 * few; an agent that has used them up makes more, several at once and ahead of their use, while the model thinks.
 */
import { closeSync, constants, existsSync, fstatSync, mkdirSync, openSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import { type FifoFailure, fifoFailure, makeFifos } from "../../processes/fifo.ts";
import { prepareDirectory } from "../../project/config/state-directory.ts";

export interface Pipe {
	readonly is: "pipe";
	/** Non-blocking. */
	readonly readEnd: number;
	/** Blocking, as programs expect their stdout to be. */
	readonly writeEnd: number;
}

/** `reason` is told to the model. */
export type PipeOutcome = Pipe | { readonly is: "failed"; readonly reason: string };

export interface Pipes {
	/** Makes pipes ahead of their use when none are ready. Never rejects. */
	prepare(): Promise<void>;
	/** The caller closes both ends. Never rejects. */
	take(): Promise<PipeOutcome>;
	/** Removes those that no command has taken. */
	discard(): void;
}

const MADE_AT_ONCE = 8; // or as many as commands wait for
const MOST_GONE = 32; // of one taking: then something removes them as soon as they are made

export interface PipePlaces {
	/** Begins the names of the pipes that are made here. */
	readonly owner: string;
	/** Names of pipes that are in the directory already. */
	readonly given: readonly string[];
	/** Where pipes are made when the directory is gone for good: a logout has removed XDG_RUNTIME_DIR. */
	readonly spare?: string;
}

export function createPipes(directory: string, { owner, given, spare }: PipePlaces): Pipes {
	const ready = given.map((name) => join(directory, name));
	let made = 0;
	let waiting = 0;
	let making: Promise<FifoFailure | undefined> | undefined;
	const make = async () => {
		const length = Math.max(MADE_AT_ONCE, waiting);
		const names = Array.from({ length }, () => `${owner}-${++made}`);
		let first: FifoFailure | undefined;
		for (const place of [directory, ...(spare === undefined ? [] : [spare])]) {
			const paths = names.map((name) => join(place, name));
			const failure = await makeIn(place, paths);
			first ??= failure;
			if (failure === undefined) ready.push(...paths);
			if (failure === undefined || failure.isShortage) return failure;
		}
		return first;
	};
	const makeMore = () => {
		making ??= make().finally(() => {
			making = undefined;
		});
		return making;
	};
	const take = async () => {
		for (let gone = 0; gone < MOST_GONE; ) {
			const path = ready.shift();
			const outcome = path === undefined ? undefined : openAndUnlink(path);
			if (outcome !== undefined) return outcome;
			if (path !== undefined) gone += 1;
			const failure = path === undefined ? await makeMore() : undefined;
			if (failure !== undefined && ready.length === 0) return failed(directory, failure);
		}
		return failed(directory, { reason: "they are gone as soon as they are made", isShortage: false });
	};
	return {
		prepare: async () => {
			if (ready.length === 0) await makeMore();
		},
		take: () => {
			waiting += 1;
			return take().finally(() => {
				waiting -= 1;
			});
		},
		discard: () => {
			for (const path of ready.splice(0)) attempt(() => unlinkSync(path));
		},
	};
}

export function closePipe(pipe: Pipe): void {
	closeSync(pipe.readEnd);
	closeSync(pipe.writeEnd);
}

async function makeIn(directory: string, paths: readonly string[]): Promise<FifoFailure | undefined> {
	try {
		if (!existsSync(directory)) {
			prepareDirectory(dirname(directory), process.getuid?.() ?? 0); // as the supervisor does that binds its socket there again
			mkdirSync(directory, { mode: 0o700 });
		}
		return await makeFifos(paths);
	} catch (error) {
		if (error instanceof AgentreeError) return { reason: error.message, isShortage: false };
		return fifoFailure(error as NodeJS.ErrnoException);
	}
}

function failed(directory: string, { reason, isShortage }: FifoFailure): PipeOutcome {
	return {
		is: "failed",
		reason: isShortage ? reason : `no pipe for the output could be made in ${directory}: ${reason}`,
	};
}

/** Undefined when the pipe is not there any more, or something else is in its place. */
function openAndUnlink(path: string): PipeOutcome | undefined {
	try {
		return openBothEnds(path);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP" || code === "ENXIO") return undefined;
		return failed(dirname(path), fifoFailure(error as NodeJS.ErrnoException));
	} finally {
		attempt(() => unlinkSync(path));
	}
}

/**
 * Opens the read end first, without blocking: opening the write end waits for a reader. That one is opened through the first,
 * where the system can, for nobody can have put another pipe in its place there.
 */
function openBothEnds(path: string): Pipe | undefined {
	const { O_RDONLY, O_WRONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
	const readEnd = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
	try {
		if (!fstatSync(readEnd).isFIFO()) {
			closeSync(readEnd);
			return undefined;
		}
		const own = `/proc/self/fd/${readEnd}`;
		return { is: "pipe", readEnd, writeEnd: openSync(existsSync(own) ? own : path, O_WRONLY) };
	} catch (error) {
		closeSync(readEnd);
		throw error;
	}
}

/** Ignores what cannot be removed. */
function attempt(remove: () => void): void {
	try {
		remove();
	} catch {}
}
