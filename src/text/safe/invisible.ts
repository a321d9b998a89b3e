/**
 * Characters that a terminal does not show, and that can hide or reorder text: what is read there is not what stands
 * there. They are removed, or written out. Emoji and some scripts need a few of them, and have them where they mean something.
 */

/** Soft hyphen, bidi marks and overrides, zero width spaces, invisible operators, byte order mark, annotations, tags. */
const HIDDEN =
	/[\xad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\u034f|[\u180b-\u180f]|[\ufe00-\ufe0f]|\ud82f[\udca0-\udca3]|\ud834[\udd73-\udd7a]|[\udb40-\udb43][\udc00-\udfff]/;

/** Without the characters that are not shown, except where they join an emoji or letters. */
export function withoutHidden(text: string): string {
	return replaceHidden(text, () => "");
}

/** Calls `replace` for each character that is not shown, and joins nothing. */
function replaceHidden(text: string, replace: (character: string) => string): string {
	if (!HIDDEN.test(text)) return text;
	rules ??= compileRules();
	const { hidden, flag } = rules;
	return text.replace(hidden, (found, at: number) =>
		found.startsWith(BLACK_FLAG)
			? flag.test(found)
				? found
				: BLACK_FLAG + replaceHidden(found.slice(BLACK_FLAG.length), replace)
			: isNeeded(found, text, at)
				? found
				: replace(found),
	);
}

const BLACK_FLAG = "\u{1f3f4}";
const ZWNJ = "\u200c";
const ZWJ = "\u200d";

/**
 * Compiled at first use: the properties of characters are large, and most processes never meet such a character. No
 * literals: V8 reads those with their properties when it loads the file, which took a child agent 2 ms of its start.
 */
let rules: ReturnType<typeof compileRules> | undefined;

function compileRules() {
	const oneOf = (properties: string) => new RegExp(`^[${properties}]$`, "u");
	const joining = "Arab Syrc Mong Nkoo Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt".split(" ");
	return {
		// A flag and the tags behind it are one match, since only together they are England's, say.
		hidden: new RegExp(`${BLACK_FLAG}(?:\\udb40[\\udc00-\\udc7f])+|${HIDDEN.source}`, "g"),
		flag: /^\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}$/u,
		picture: oneOf("\\p{Extended_Pictographic}"),
		modifier: oneOf("\\p{Emoji_Modifier}"),
		emoji: oneOf("\\p{Emoji}"),
		ideographOrSign: oneOf("\\p{Script=Han}\\p{Sm}"),
		letter: oneOf("\\p{L}\\p{M}"),
		mongolian: oneOf("\\p{Script=Mongolian}"),
		joining: oneOf(joining.map((script) => `\\p{scx=${script}}`).join("")),
	};
}

/** Does the character at `at` change how the one before it looks? One behind another of its kind does not. */
function isNeeded(found: string, text: string, at: number): boolean {
	if (rules === undefined) return false;
	const before = characterBefore(text, at);
	if (found === ZWJ || found === ZWNJ) {
		if (rules.letter.test(before) && rules.joining.test(before)) return true;
		return found === ZWJ && joinsPictures(before, text, at);
	}
	if (found === "\ufe0e" || found === "\ufe0f") return rules.emoji.test(before);
	if (/^[\ufe00-\ufe0d]$|^\udb40[\udd00-\uddef]$/.test(found)) return rules.ideographOrSign.test(before);
	return /^[\u180b-\u180d\u180f]$/.test(found) && rules.mongolian.test(before);
}

/** `👩🏽‍🚀`, `❤️‍🔥`: a picture, perhaps with a skin or a variation, then the joiner, then a picture. */
function joinsPictures(before: string, text: string, at: number): boolean {
	if (rules === undefined) return false;
	const { picture, modifier } = rules;
	const after = String.fromCodePoint(text.codePointAt(at + 1) ?? 0);
	if (!picture.test(after)) return false;
	if (before === "\ufe0f") return picture.test(characterBefore(text, at - 1));
	return picture.test(before) || modifier.test(before);
}

function characterBefore(text: string, at: number): string {
	const unit = text.charCodeAt(at - 1);
	const isLow = unit >= 0xdc00 && unit <= 0xdfff;
	return text.slice(Math.max(0, at - (isLow ? 2 : 1)), Math.max(0, at));
}

/**
 * Text with all that it says: what a terminal would obey, and what is not shown or reorders text, is written as what it is.
 * For a page, where nothing obeys it, and where what was hidden is worth seeing.
 * `\x1b[2J` → `␛[2J`; a mark that reverses text → `⟨U+202E⟩`. Line ends become line feeds; tabs stay.
 */
export function visibleText(text: string): string {
	return replaceHidden(text.toWellFormed().replaceAll("\r\n", "\n").replace(CONTROLS, pictureOf), named);
}

/** Also what looks like a space or like nothing, and is a part of a word to a shell: `rm a⟨U+00A0⟩b` removes one file. */
export function visibleCommand(command: string): string {
	return visibleText(command).replace(BLANKS, named);
}

const BLANKS = /[\xa0\u115f\u1160\u1680\u17b4\u17b5\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0\ufffc]/g;
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]/g;
const PICTURES = 0x2400; // the pictures of C0, in its order
const PICTURE_OF_DELETE = "\u2421";

function pictureOf(character: string): string {
	if (character < " ") return String.fromCodePoint(PICTURES + (character.codePointAt(0) ?? 0));
	return character === "\x7f" ? PICTURE_OF_DELETE : named(character);
}

function named(characters: string): string {
	return [...characters]
		.map((one) => `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`)
		.join("");
}

/**
 * JSON for a terminal or a program: what a terminal would obey or hide is escaped, so it parses to the same value. JSON.stringify
 * escapes C0 and halves of surrogate pairs itself.
 */
export function safeJson(value: unknown, indent?: string): string {
	return escapeJson(JSON.stringify(value, null, indent));
}

/** For JSON that somebody else has written: there C0 can only stand between two values, where it means nothing. */
export function escapeJson(json: string): string {
	const visible = UNSAFE.test(json) ? json.replace(BETWEEN_VALUES, " ").replace(OBEYED, escaped) : json;
	return replaceHidden(visible, escaped);
}

const UNSAFE = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]/;
const BETWEEN_VALUES = /[\0-\x08\x0b-\x1f]/g;
const OBEYED = /[\x7f-\x9f\u2028\u2029]/g;

function escaped(characters: string): string {
	return characters
		.split("")
		.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
		.join("");
}

const GAP = /[ \t]{8,}/g;

/**
 * A command as a person reads it who has to decide about it: in one line, and with all that it says: `echo a ⏎ rm -rf b`. Line ends and
 * long gaps, behind which something could stand unseen, are written out, as are characters that a terminal obeys or does not show.
 */
export function shownCommand(command: string): string {
	return visibleCommand(command)
		.trim()
		.replace(/\s*\n\s*/g, " ⏎ ")
		.replace(GAP, ({ length }) => ` ⟨${length} spaces⟩ `)
		.replaceAll("\t", " ");
}
