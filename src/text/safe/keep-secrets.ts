/**
 * Keys and passwords that this process knows, and how they are found in texts, also where they are disguised: by characters that are not
 * shown, in pieces on several lines, or as JSON, addresses, pages and base64 write them.
 */
import { disguisedIn, openDisguise, seenIn } from "./disguise.ts";
import { redactFromNowOn } from "./redact.ts";

/** Shorter values, and plain words, stand in too many texts by chance. The names in records are such words, so no key can garble one. */
const MIN_CHARS = 8;
const PLAIN_WORD = /^[a-z_]+$/i;

let secrets: readonly string[] = [];

/** From now on the values are redacted. */
export function keepSecrets(values: readonly string[]): void {
	const fit = values.filter((value) => value.length >= MIN_CHARS && !PLAIN_WORD.test(value));
	if (fit.length === 0) return;
	const spelled = fit.flatMap((value) => [value, encodeURIComponent(value), ...inBase64(value)]);
	secrets = [...new Set([...secrets, ...spelled])].sort((a, b) => b.length - a.length); // a secret may be part of another
	redactFromNowOn({ replaced, openChars });
}

/** What base64 makes of the value wherever it stands in what is encoded, such as behind a name, without the characters that its neighbours change. */
function inBase64(value: string): string[] {
	const bytes = String.fromCharCode(...new TextEncoder().encode(value));
	return [0, 1, 2].flatMap((before) => {
		const encoded = btoa("\0".repeat(before) + bytes);
		const own = encoded.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 4) / 3));
		return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
	});
}

function replaced(text: string, stands: string): string {
	if (text.length < MIN_CHARS) return text;
	const plain = secrets.reduce((without, secret) => without.replaceAll(secret, stands), text);
	let redacted = "";
	let taken = 0;
	for (const { from, to } of disguisedIn(plain, secrets)) {
		redacted += plain.slice(taken, from) + stands;
		taken = to;
	}
	return redacted + plain.slice(taken);
}

function openChars(text: string): number {
	const { seen, beginAt } = seenIn(text.slice(0, text.length - openDisguise(text)));
	const open = secrets.map((secret) => {
		for (let chars = Math.min(secret.length - 1, seen.length); chars > 0; chars--)
			if (secret.startsWith(seen.slice(-chars))) return chars;
		return 0;
	});
	return text.length - beginAt(seen.length - Math.max(0, ...open));
}
