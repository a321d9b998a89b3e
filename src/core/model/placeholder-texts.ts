/**
 * What stands in a request for what is not in it: an agent puts these words there, and whoever reads the request knows them
 * as words that nobody has said. Pure.
 */

/** The result of a call that has none. */
export const INTERRUPTED = "Interrupted: this call has no result, and its effects are unknown.";
/** Why a call does not run, or was stopped, when a person ended what the agent does. */
export const BY_PERSON = "the person interrupted";
/** Begins the words that tell a resumed agent that it was interrupted. */
export const INTERRUPTION = "You were interrupted (";
/** Begins the message of a person behind them. */
export const ALSO = "Also: ";
/** What a person says in the words that tell a resumed agent that it was interrupted; undefined: nothing. */
export function alsoSaidIn(text: string): string | undefined {
	const before = `\n\n${ALSO}`;
	const at = text.startsWith(INTERRUPTION) ? text.lastIndexOf(before) : -1;
	return at < 0 ? undefined : text.slice(at + before.length);
}

/** Begins the words that tell a resumed agent that it works in another directory. */
export const MOVED = "[Your working directory has changed: it is now";
/** Tells a resumed agent that what its commands have put there is gone. */
export const EMPTIED = "[/tmp is empty now: its contents were removed when the run ended.]";
/** What agentree says to a resumed agent of where it is. */
export function isOfPlace(text: string): boolean {
	return text.startsWith(MOVED) || text === EMPTIED;
}
/** A user message that would be empty. */
export const GO_ON = "Go on.";
/** The blocks without that, where it stands alone: who speaks behind them has something to say. */
export function withoutGoOn<B extends { type: string }>(content: readonly B[]): readonly B[] {
	const [first] = content;
	return content.length === 1 && first !== undefined && "text" in first && first.text === GO_ON ? [] : content;
}

/** Begins the text that has a summary. */
export const SUMMARY_FOLLOWS = "[Older messages were replaced by this summary of yours:]\n\n";
/** Ends a summary, or stands in its place, in a request from which still more was left out. */
export const LEFT_OUT = [
	"(Older messages are left out here: they do not fit.)",
	"[Earlier messages were omitted when this agent was resumed because they do not fit in one request; the transcript has all of them.]",
] as const;

/** Stands for a tool result that was dropped. `path`: of the file that has it whole. */
export function droppedResult(bytes: number, path: string | undefined): string {
	const where = path === undefined ? "no file holds it" : `the whole is in ${path}`;
	return `[dropped to make room: ${bytes} bytes; ${where}]`;
}
