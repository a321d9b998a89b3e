/** What the terminal's title says of a conversation, for who looks at other windows. Pure. */

/** `waits`: for how many things the person is waited for; 0 while the agents work. */
export function windowTitle(waits: number): string {
	if (waits === 0) return "agentree: working";
	return `agentree: waits for you${waits > 1 ? ` (${waits})` : ""}`;
}
