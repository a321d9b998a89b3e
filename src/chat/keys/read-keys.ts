/**
 * What came in one read of a terminal, as keys. Pure.
 *
 * A person's keys come one by one, or a few at once where the line is slow. A line end with text before and behind it in one read
 * is a paste from a terminal that does not mark pastes, or text of an input method: it is no Enter, and sends nothing.
 */

import type { TerminalInput } from "../../terminal/input-decoder.ts";
import { stripControl } from "../../text/terminal-safe.ts";
import type { Key } from "./key.ts";
import { keyOf } from "./named-key.ts";

/** `isAfterPaste`: an unmarked paste has just been read, and this may be more of it. */
export function readKeys(inputs: readonly TerminalInput[], isAfterPaste: boolean): Key[] {
	const keys: Key[] = [];
	let run = "";
	for (const input of inputs) {
		if (input.is === "key" && isOfText(input.sequence)) {
			run += input.sequence;
			continue;
		}
		keys.push(...keysOfRun(run, isAfterPaste));
		run = "";
		if (input.is === "key") keys.push(...given(keyOf(input.sequence)));
		else if (input.is === "paste") keys.push({ ...input, text: stripControl(input.text) });
	}
	keys.push(...keysOfRun(run, isAfterPaste));
	return keys;
}

/** Keys of a paste that the terminal did not mark. */
export function isUnmarkedPaste(inputs: readonly TerminalInput[], keys: readonly Key[]): boolean {
	return keys.some(({ is }) => is === "paste") && !inputs.some(({ is }) => is === "paste");
}

function isOfText(sequence: string): boolean {
	return sequence > "\u009f" || (sequence >= " " && sequence < "\u007f") || /^[\t\n\r]$/.test(sequence);
}

const LINE_END_WITHIN = /[^\r\n][\r\n]+[^\r\n]/;
const LINE_END = /[\r\n]/;

function keysOfRun(run: string, isAfterPaste: boolean): Key[] {
	if (LINE_END_WITHIN.test(run) || (isAfterPaste && LINE_END.test(run)))
		return [{ is: "paste", text: stripControl(run) }];
	return run
		.split(/(\r\n|[\t\n\r])/)
		.filter((piece) => piece !== "")
		.flatMap((piece) =>
			/^[\t\n\r]/.test(piece) ? given(keyOf(piece.charAt(0))) : [{ is: "text", text: piece } as const],
		);
}

function given(key: Key | undefined): Key[] {
	return key === undefined ? [] : [key];
}
