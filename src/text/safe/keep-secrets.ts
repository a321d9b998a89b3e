/**
 * Keys and passwords that this process knows, and how they are found in texts, even where they are disguised: by characters that are not
 * shown, in pieces on several lines, or as JSON, addresses, pages and base64 write them.
 */
import { redactFromNowOn } from "./redact.ts";
import { SEQUENCE } from "./terminal-safe.ts";

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

/** What base64 makes of the value wherever it stands in what is encoded, such as behind a name, without the characters that its neighbors change. */
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

/** `from` and `to`: a place in the text in which it was looked for. */
interface Found {
	readonly from: number;
	readonly to: number;
}

/** Where one of the words stands in the text, in order; none overlap. A word that is part of another has to stand behind it. */
function disguisedIn(text: string, words: readonly string[]): Found[] {
	if (!MAY_DISGUISE.test(text)) return [];
	const { seen, beginAt, endAt } = seenIn(text);
	if (!words.some((word) => seen.includes(word))) return [];
	const anyOf = new RegExp(words.map((word) => word.replace(/[^\w\s]/g, "\\$&")).join("|"), "g");
	return [...seen.matchAll(anyOf)].map(({ 0: { length }, index }) => ({
		from: beginAt(index),
		to: endAt(index + length),
	}));
}

/** `beginAt` and `endAt` give the place in the text of one in `seen`. They are asked for places in rising order. */
interface Seen {
	readonly seen: string;
	/** Behind what is not shown there. */
	readonly beginAt: (seenAt: number) => number;
	/** Before it. */
	readonly endAt: (seenAt: number) => number;
}

/**
 * Text as a reader makes it out: without what is not shown and without line ends, with escapes as what they stand for. So a word is found in it
 * that stands there in another spelling. The work is proportional to the length of the text.
 */
export function seenIn(text: string): Seen {
	disguise ??= compileDisguise();
	const breaks = [{ seenAt: 0, at: 0 }];
	let seen = "";
	let taken = 0;
	for (const { 0: found, index } of text.matchAll(disguise)) {
		seen += text.slice(taken, index);
		breaks.push({ seenAt: seen.length, at: index });
		seen += meantBy(found);
		taken = index + found.length;
		breaks.push({ seenAt: seen.length, at: taken });
	}
	seen += text.slice(taken);
	let next = 1;
	const seek = (isBefore: (seenAt: number) => boolean) => {
		while (next < breaks.length && isBefore(breaks[next]?.seenAt ?? 0)) next++;
	};
	const behindLast = (seenAt: number) => {
		const last = breaks[next - 1] ?? { seenAt: 0, at: 0 };
		return last.at + seenAt - last.seenAt;
	};
	return {
		seen,
		beginAt: (seenAt) => {
			seek((other) => other <= seenAt);
			return behindLast(seenAt);
		},
		endAt: (seenAt) => {
			seek((other) => other < seenAt);
			const here = breaks[next];
			return here?.seenAt === seenAt ? here.at : behindLast(seenAt);
		},
	};
}

/** How many characters at the text's end may be the beginning of an escape whose rest has not come yet. */
function openDisguise(text: string): number {
	return OPEN.exec(text.slice(-MOST_OPEN))?.[0].length ?? 0;
}

const MOST_OPEN = 64;
const OPEN = /(?:\\+(?:u[\da-f]{0,3})?|%[\da-f]?|&#?\w{0,6}|[\ud800-\udbff]|\x1b[^\n]{0,60})$/i;

const MAY_DISGUISE = /[^ -$'-[\]-~]/; // what is no plain character, and & % \

let disguise: RegExp | undefined;

/** Compiled at first use: properties of characters are large, and who knows no secret looks for none. */
function compileDisguise(): RegExp {
	const notShown = ["Cc", "Cf", "M", "Default_Ignorable_Code_Point", "Emoji_Modifier"].map((name) => `\\p{${name}}`);
	const escapes = ["\\\\+(?:u00[\\da-f]{2}|/)", "%[2-7][\\da-f]", "&(?:amp|#\\d{2,3}|#x[\\da-f]{2});"];
	const nothing = [SEQUENCE, "[\\r\\n]+[ \\t]*", `[${notShown.join("")}\\u2028\\u2029]`];
	return new RegExp([...escapes, ...nothing, "[\\uff01-\\uff5e]"].join("|"), "giu");
}

/** The character for which it stands, or nothing. */
function meantBy(found: string): string {
	const code = found.charCodeAt(0);
	if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
	if (found.startsWith("\\")) return found.endsWith("/") ? "/" : fromHex(found.slice(-2));
	if (found.startsWith("%")) return fromHex(found.slice(1));
	if (!found.startsWith("&")) return "";
	if (found === "&amp;") return "&";
	return /x/i.test(found) ? fromHex(found.slice(3, -1)) : String.fromCharCode(Number(found.slice(2, -1)));
}

function fromHex(digits: string): string {
	return String.fromCharCode(Number.parseInt(digits, 16));
}
