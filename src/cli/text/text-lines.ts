import { stripControl } from "../../text/terminal-safe.ts";

/** An empty text has no lines, and the line feed that ends the last line begins no other. */
export function linesOf(text: string): string[] {
	const clean = stripControl(text).replace(/\n+$/, "");
	return clean === "" ? [] : clean.split("\n");
}
