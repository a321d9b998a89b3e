/** What a run gets of this process, which starts it. */
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import type { RunHost } from "./prepare-run.ts";

export function runHost(): RunHost {
	const { env, getuid } = process;
	return { env, now: SYSTEM_CLOCK.now(), random: Math.random, uid: getuid?.() ?? 0 };
}
