/**
 * The one owner of what this process must show nobody: keys and passwords, kept by whoever reads them, and taken out of all
 * that is printed or written. An agent knows none, so it has none to keep.
 */
const REDACTED = "[redacted]";
/** Shorter values, and plain words, stand in too many texts by chance. The names in records are such words, so no key can garble one. */
const MIN_CHARS = 8;
const PLAIN_WORD = /^[a-z_]+$/i;

let secrets: readonly string[] = [];

/** From now on the values are redacted, also as JSON and addresses write them. */
export function keepSecrets(values: readonly string[]): void {
	const spelled = values.flatMap((value) => [value, encodeURIComponent(value)]);
	const fit = spelled.filter((value) => value.length >= MIN_CHARS && !PLAIN_WORD.test(value));
	secrets = [...new Set([...secrets, ...fit])].sort((a, b) => b.length - a.length); // a secret may be part of another
}

/** Content, such as an answer or a transcript: only what is known to be secret is taken out. */
export function redactKnown(text: string): string {
	return secrets.reduce((redacted, secret) => redacted.replaceAll(secret, REDACTED), text);
}

/** How many characters at the text's end may be the beginning of a secret whose rest has not come yet. */
export function openSecretChars(text: string): number {
	const open = secrets.map((secret) => {
		for (let chars = Math.min(secret.length - 1, text.length); chars > 0; chars--)
			if (secret.startsWith(text.slice(-chars))) return chars;
		return 0;
	});
	return Math.max(0, ...open);
}

/** Words for people, such as errors: without what is known to be secret, and without passwords in addresses. */
export function redact(text: string): string {
	return redactKnown(text).replace(ADDRESS_WITH_PASSWORD, `$1${REDACTED}@`);
}

/** `https://name:` before a password. The lengths are bounded so that each character is looked at a few times only. */
const ADDRESS_WITH_PASSWORD = /([a-z][a-z0-9+.-]{0,20}:\/\/[^\s/?#@:"'<>\\]{0,256}:)[^\s/?#@"'<>\\]{1,1024}@/gi;

/** JSON of a value without what is known to be secret; it parses whatever the secrets are. */
export function redactedJson(value: unknown, indent?: string): string {
	const json = JSON.stringify(value, null, indent);
	const isSecretIn = secrets.some((secret) => json.includes(JSON.stringify(secret).slice(1, -1)));
	return isSecretIn ? JSON.stringify(redactedValue(value), null, indent) : json;
}

/** The same value, with strings in it redacted. Keys are names of ours and are left. */
export function redactedValue<T>(value: T): T {
	if (secrets.length === 0) return value;
	const inside = (one: unknown): unknown => {
		if (typeof one === "string") return redactKnown(one);
		if (Array.isArray(one)) return one.map(inside);
		if (typeof one !== "object" || one === null) return one;
		return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, inside(inner)]));
	};
	return inside(value) as T;
}
