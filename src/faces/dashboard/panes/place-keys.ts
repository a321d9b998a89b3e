/** The keys of the blocks of a transcript. Those of its items last as long as the transcript is shown, and so do these. */
import type { Scroll } from "../scene/ui-state.ts";

export const noteTextKey = (note: string) => `${note}.text`;
export const pageKey = (command: number, page: number) => `output:${command}@${page}`;

/** A long text is several blocks. */
export const partKey = (key: string, part: number) => (part === 0 ? key : `${key}~${part}`);

/** The key of a text without that of its part, and what that adds to it. */
export function withoutPart(key: string): [key: string, part: string] {
	const [, text = key, part = ""] = /^([^~]*)(~\d+)$/.exec(key) ?? [];
	return [text, part];
}

/** The page of a command's output in which a place is. */
export function pageOf(scroll: Scroll): { command: number; page: number } | undefined {
	const [, command, page] = scroll.is === "at" ? (/^output:(\d+)@(\d+)$/.exec(scroll.key) ?? []) : [];
	return command === undefined ? undefined : { command: Number(command), page: Number(page) };
}

/** What comes before the last part, which may be known only later. */
export function familyOf(key: string): string | undefined {
	const at = key.indexOf("@");
	return at < 0 ? undefined : key.slice(0, at + 1);
}
