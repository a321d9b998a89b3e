/** The files that tell an agent how to work, as people read them. Pure. */
import { formatBytes } from "../core/bytes.ts";

const MOST = 6;

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
