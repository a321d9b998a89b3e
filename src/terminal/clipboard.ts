/** Text for the clipboard of the machine that the person sits at, by way of the terminal. */

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
