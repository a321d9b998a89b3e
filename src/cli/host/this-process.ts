/** What starting takes from this process: its environment, user, directory and clock. */

import { fileURLToPath } from "node:url";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import type { RequestHost } from "../../project/config/run-request.ts";
import { workingDirectory } from "../../project/config/working-directory.ts";

/** The process that starts a run. */
export interface StartingProcess {
	readonly env: Readonly<Record<string, string | undefined>>;
	/** Milliseconds since the epoch. */
	readonly now: number;
	readonly random: () => number;
	readonly uid: number;
}

export function startingProcess(): StartingProcess {
	const { env, getuid } = process;
	return { env, now: SYSTEM_CLOCK.now(), random: Math.random, uid: getuid?.() ?? 0 };
}

export const REQUEST_HOST: RequestHost = { env: process.env, cwd: () => workingDirectory(process.cwd) };

/** The child's bundle, beside the folder of this one. */
export const AGENT_PROGRAM = fileURLToPath(new URL("../agent.js", import.meta.url));
