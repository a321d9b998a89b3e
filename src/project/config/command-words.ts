/**
 * The words of the table of commands (command-table.ts), apart from it: every child looks at them at its start, and has no use
 * for the rest of the table.
 */
export const TABLE_WORDS = [
	"run",
	"tree",
	"chat",
	"attach",
	"resume",
	"demo",
	"supervise",
	"ps",
	"ls",
	"show",
	"log",
	"stop",
	"pause",
	"continue",
	"send",
	"wait",
	"why",
	"edit",
	"write",
	"todo",
	"ask",
	"questions",
	"answer",
	"undo",
	"rm",
	"models",
	"doctor",
	"completion",
] as const;
export type CommandWord = (typeof TABLE_WORDS)[number];

/** Former commands, which still work and are not shown. */
export const FORMER_WORDS = ["talk", "kill", "name"] as const;

const FIRST_WORDS: ReadonlySet<string> = new Set([...TABLE_WORDS, ...FORMER_WORDS, "help"]); // help is commander's own

/** Whether the word names a command when it stands first. */
export function isCommandWord(word: string | undefined): boolean {
	return word !== undefined && FIRST_WORDS.has(word);
}
