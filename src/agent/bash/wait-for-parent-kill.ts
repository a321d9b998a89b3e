/**
 * In a tree in which all agents are to end, the one above has seen what the others have, too, before it sent SIGTERM to
 * all of it. Where a look at the process table costs a process, a whole tree that looks at once holds itself up: there
 * the root looks at once, and the others wait a moment for that signal.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentId } from "../../core/agent.ts";

const MOMENT_MS = 1_000;
// Should nobody above live, siblings begin one after the other; and on a busy machine the root's look takes its time.
const EACH_SIBLING_MS = 50;
const MAX_SIBLINGS_MS = 2_000;

let waiting: Promise<boolean> | undefined;

/** False when no SIGTERM comes: all above are dead, suspended, or go on. Who asks meanwhile waits along. */
export function isEndedFromAbove(agent: AgentId): Promise<boolean> {
	const siblingsMs = EACH_SIBLING_MS * Number(agent.split(".").at(-1));
	waiting ??= waitForTerm(MOMENT_MS + Math.min(siblingsMs, MAX_SIBLINGS_MS)).finally(() => {
		waiting = undefined;
	});
	return waiting;
}

async function waitForTerm(ms: number): Promise<boolean> {
	let onTerm = () => {};
	const termed = new Promise<boolean>((resolve) => {
		onTerm = () => resolve(true);
		process.once("SIGTERM", onTerm);
	});
	const isTermed = await Promise.race([termed, sleep(ms, false)]);
	process.removeListener("SIGTERM", onTerm);
	return isTermed;
}
