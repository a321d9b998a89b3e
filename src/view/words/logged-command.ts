import { oneLine } from "../../text/safe/terminal-safe.ts";

/** Whether a command's text in the event log, where it stands in one line and cut, is the beginning of the whole text. */
export function isBeginningOf(logged: string, whole: string): boolean {
	return oneLine(whole).startsWith(oneLine(logged).slice(0, 200).replace(/…$/, ""));
}
