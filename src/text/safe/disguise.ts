/**
 * Text as a reader makes it out: without what is not shown and without line ends, with escapes as what they stand for. So a word is found in it
 * that stands there in another spelling. The work is proportional to the length of the text.
 */
import { SEQUENCE } from "./terminal-safe.ts";

/** `from` and `to`: a place in the text in which it was looked for. */
interface Found {
	readonly from: number;
	readonly to: number;
}

/** Where one of the words stands in the text, in order; none overlap. A word that is part of another has to stand behind it. */
export function disguisedIn(text: string, words: readonly string[]): Found[] {
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
export function openDisguise(text: string): number {
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
