/** The variable of an option: `--max-depth`, given without dashes, is AGENTREE_MAX_DEPTH. */
export function variableOfFlag(flag: string): string {
	return `AGENTREE_${flag.toUpperCase().replaceAll("-", "_")}`;
}
