/** Why one of an agent's connections beside its own is closed: too many are open at the same time. Who has it may come again. Pure. */
const END = "extra connections";

export function tooManyConnections(agent: string, most: number): string {
	return `agent ${agent} has more than ${most} ${END}`;
}

export function isTooManyConnections(reason: string): boolean {
	return reason.endsWith(END);
}
