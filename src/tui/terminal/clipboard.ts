/** Text for the clipboard of the machine that the person sits at, by way of the terminal. */
import { formatBytes } from "../../core/bytes.ts";

/** Terminals cut a longer sequence: xterm takes 100,000 characters of base64. */
export const MOST_COPIED = 74_000;

/** OSC 52; the terminal decodes the base64 itself, so nothing in the text is obeyed. */
export function toClipboard(text: string): string {
	return `\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`;
}

/** Never half a character. */
export function firstBytes(text: string, most: number): string {
	return new TextDecoder().decode(Buffer.from(text).subarray(0, most), { stream: true });
}

/** `copied 72 KiB of 87 KiB`, and what tmux needs for that. */
export function describeCopied(
	text: string,
	copiedBytes: number,
	{ TMUX }: Readonly<Record<string, string | undefined>>,
): { readonly what: string; readonly hint: string } {
	const all = Buffer.byteLength(text);
	const what = copiedBytes === all ? formatBytes(all) : `${formatBytes(copiedBytes)} of ${formatBytes(all)}`;
	return { what: `copied ${what}`, hint: TMUX === undefined ? "" : " (tmux: set -s set-clipboard on)" };
}
