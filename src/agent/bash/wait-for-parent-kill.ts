/**
 * When all agents of a tree are to end, an agent finds the processes of all agents below it, too, and sends SIGTERM to all
 * of them. Where a look at the process table starts a process, a whole tree that looks at the same time holds itself up. So
 * there only the root looks at once, and the other agents wait a moment for the SIGTERM of one above.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentId } from "../../core/model/agent.ts";

const MOMENT_MS = 1_000;
// If no agent above lives, siblings begin one after the other; and on a busy machine the root's look takes its time.
const EACH_SIBLING_MS = 50;
const MAX_SIBLINGS_MS = 2_000;

let waiting: Promise<boolean> | undefined;

/** Resolves to false when no SIGTERM comes: all agents above are dead, suspended, or go on. Calls meanwhile share the wait. */
export function waitForParentKill(agent: AgentId): Promise<boolean> {
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
