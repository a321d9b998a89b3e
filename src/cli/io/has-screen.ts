/** Is there a terminal that a dashboard can be shown in? */
export function hasScreen(): boolean {
	const { stdin, stdout, env } = process;
	return stdout.isTTY === true && stdin.isTTY === true && env.TERM !== "dumb";
}
