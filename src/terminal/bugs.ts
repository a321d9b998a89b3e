/**
 * An error that nobody expected ends the agent, but not without a word: the supervisor is told first. So an agent that
 * dies silently can only have been killed.
 */

import { shortageOf } from "../core/errno-advice.ts";
import { EXIT } from "../core/exit-code.ts";
import { oneLine } from "../text/terminal-safe.ts";
import { complain } from "./print.ts";

const SAY_WITHIN_MS = 2_000; // the supervisor may be suspended

export class Bugs {
	/** Replaced as soon as there is somebody to tell. */
	onBug: (reason: string) => Promise<void> = async (reason) => complain(`agent: ${reason}`);
	private isEnding = false;

	listen(): void {
		process.on("uncaughtException", (error) => void this.end(error));
		process.on("unhandledRejection", (error) => void this.end(error));
	}

	/** Ends the process. What fails while it does says nothing new. */
	async end(error: unknown): Promise<void> {
		if (this.isEnding) return;
		this.isEnding = true;
		// Descriptors, processes, memory or disk used up by others are no bug: later it may go well.
		const shortage = shortageOf(error as NodeJS.ErrnoException);
		const exitCode = shortage === undefined ? EXIT.bug : EXIT.outOfReach;
		setTimeout(() => process.exit(exitCode), SAY_WITHIN_MS);
		await this.onBug(shortage ?? `a bug in agentree: ${oneLine(String(error))}`).catch(() => {});
		process.exit(exitCode);
	}
}
