/** Is there a terminal that a dashboard or a chat can be shown in? */
export function hasScreen(): boolean {
	return hasTerminal() && process.env.TERM !== "dumb";
}

/** Is there a person at a terminal? It may obey nothing, such as the shell of an editor. */
export function hasTerminal(): boolean {
	return process.stdout.isTTY === true && process.stdin.isTTY === true;
}
