/**
 * The whole output of one command on disk, up to a cap. Each chunk is written at once, so that watchers see the log grow and
 * memory stays flat. A full disk costs the log, never the command.
 */
import { closeSync, mkdirSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { createWithin } from "../../processes/open-within.ts";
import type { LogGate } from "../supervisor-client.ts";

interface CommandLog {
	write(chunk: Uint8Array): void;
	close(): void;
	/** The code of the error that ended the log, such as `ENOSPC`; undefined while there is none. */
	readonly failure: string | undefined;
	/** Why the log ends before the output does, when the run may write no more logs; else undefined. */
	readonly cut: string | undefined;
}

/**
 * `log`: its path below the agent's directory. Never throws: what goes wrong is in `failure`. `gate`: says when the run may
 * write no more logs.
 */
export function openCommandLog(
	directory: string,
	log: string,
	{ maxBytes, gate = { closedBecause: undefined } }: { maxBytes: number; gate?: LogGate | undefined },
): CommandLog {
	let file: number | undefined;
	let bytes = 0;
	let failure: string | undefined;
	let cut: string | undefined;
	const close = () => {
		if (file !== undefined) closeSync(file);
		file = undefined;
	};
	const attempt = (act: () => void) => {
		try {
			act();
		} catch (error) {
			failure ??= (error as NodeJS.ErrnoException).code ?? String(error);
			close();
		}
	};
	attempt(() => {
		mkdirSync(join(directory, dirname(log)), { recursive: true, mode: 0o700 });
		file = createWithin(directory, log);
	});
	const append = (chunk: Uint8Array) => {
		for (let at = 0; file !== undefined && at < chunk.length; ) at += writeSync(file, chunk, at);
	};
	/** Ends the log for good: when there is room again it is not continued, since a log has no holes. */
	const cutFor = (reason: string) => {
		cut = reason;
		append(Buffer.from(`\n[agentree: cut here: ${reason}; the rest was not saved]\n`));
		close();
	};
	return {
		write: (chunk) =>
			attempt(() => {
				if (file !== undefined && gate.closedBecause !== undefined) cutFor(gate.closedBecause);
				const isCapped = bytes + chunk.length > maxBytes;
				append(isCapped ? chunk.subarray(0, maxBytes - bytes) : chunk);
				bytes += chunk.length;
				if (!isCapped || file === undefined) return;
				append(Buffer.from(`\n[agentree: cut at ${maxBytes} bytes; the rest was not saved]\n`));
				close();
			}),
		close,
		get failure() {
			return failure;
		},
		get cut() {
			return cut;
		},
	};
}
