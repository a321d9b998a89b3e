/** The role of an agent, and the files that tell it how to work, as people read them. Pure. */
import { formatBytes } from "../../core/bytes.ts";

const MOST = 6;

interface InRole {
	readonly role?: string;
	readonly roleFile?: string;
	readonly roleNotices?: readonly string[];
}

/** `tester, from /repo/.agentree/agents/tester.md`, and what of it has no effect; undefined for an agent without a role. */
export function describeRole({ role, roleFile, roleNotices = [] }: InRole): string | undefined {
	if (role === undefined) return undefined;
	const from = roleFile === undefined ? "" : `, from ${roleFile}`;
	return `${role}${from}${roleNotices.length === 0 ? "" : `; without effect: ${roleNotices.join("; ")}`}`;
}

interface Told {
	readonly instructionFiles?: readonly { readonly path: string; readonly bytes: number }[];
	readonly withoutInstructions?: true;
}

/** `/repo/AGENTS.md (1.2 KiB), … and 3 more`; undefined when there is nothing to say. */
export function describeToldFiles(
	{ instructionFiles = [], withoutInstructions }: Told,
	isWhole = false,
): string | undefined {
	if (withoutInstructions) return "no files (--no-instructions)";
	if (instructionFiles.length === 0) return undefined;
	const shown = isWhole ? instructionFiles : instructionFiles.slice(0, MOST);
	const more = instructionFiles.length - shown.length;
	const names = shown.map(({ path, bytes }) => `${path} (${formatBytes(bytes)})`).join(", ");
	return more === 0 ? names : `${names} and ${more} more`;
}
