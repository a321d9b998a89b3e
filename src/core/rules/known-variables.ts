/**
 * A command with the values of variables in their place, as far as those are plain to see: for what a person would read in
 * `D=/etc; rm -rf "$D/x"`. Good enough to find what is asked about, not to allow anything. Pure.
 */

const NAME = "[A-Za-z_][A-Za-z0-9_]*";
/** Where a command may begin; a variable before a command is set for that alone. */
const ASSIGNED = new RegExp(
	`(?:^|[;\\n&|({]|\\bexport|\\bdeclare|\\blocal)[ \\t]*(${NAME})=(\\S*?)(?=[ \\t]*(?:[;\\n&|)]|$))`,
	"g",
);
const USED = new RegExp(`\\$(?:(${NAME})|\\{(${NAME})(?:%/)?(?::?[-?=][^{}$\`'"]*)?\\})`, "g");
/** Nothing that a shell would read as more than a part of a path. */
const PLAIN = /^[\w./,:@+-]+$/;
/** Each is looked for in all of the command. */
const MAX_CHARS = 8_000;
const MAX_ASSIGNED = 50;

/** `given`: those that the command has from outside. */
export function withKnownVariables(command: string, given: Readonly<Record<string, string>>): string {
	if (!command.includes("$") || command.length > MAX_CHARS) return command;
	const known = new Map(Object.entries(given).filter(([, value]) => PLAIN.test(value)));
	const insert = (text: string) =>
		text.replaceAll(USED, (whole, bare: string | undefined, braced: string | undefined) => {
			return known.get(bare ?? braced ?? "") ?? whole;
		});
	const assigned = [...command.matchAll(ASSIGNED)].slice(0, MAX_ASSIGNED);
	for (const [, name = "", value = ""] of assigned) {
		const times = command.match(new RegExp(`\\b${name}\\+?=|\\b(?:for|read|unset)[ \\t]${name}\\b`, "g"))?.length;
		const read = insert(value.replace(/^(["'])(.*)\1$/, "$2")).replace(/^~(?=\/|$)/, given.HOME ?? "~");
		if (times === 1 && PLAIN.test(read)) known.set(name, read);
		else known.delete(name);
	}
	return insert(command);
}
