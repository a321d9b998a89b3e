/** The command as agent 1 of a run runs it, or as agent 1.1.1 does. */
export const atLevel = (level: number, command: string): string =>
	level === 1 ? command : `agent "$(cat <<'END${level}'\n${atLevel(level - 1, command)}\nEND${level}\n)"`;
