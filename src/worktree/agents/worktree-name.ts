/** What an agent's worktree may be called: it is a directory, and the last part of a branch. Pure. */
import { AgentreeError } from "../../core/errors.ts";

const MAX_CHARS = 100;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export const BRANCHES = "agentree/";

/** Throws AgentreeError("usage"). */
export function requireWorktreeName(name: string): string {
	const isOdd = !NAME.test(name) || name.includes("..") || /\.(lock)?$/i.test(name) || name.length > MAX_CHARS;
	if (!isOdd) return name;
	const rule = `letters, digits, "-", "_" and single "." (at most ${MAX_CHARS}, the first one a letter or a digit)`;
	throw new AgentreeError("usage", `--worktree: a name has ${rule}, not ${JSON.stringify(name)}`);
}
