/**
 * The one owner of what this process must show nobody: keys and passwords, kept by whoever reads them (keep-secrets.ts), and taken out of
 * all that is printed or written. An agent knows none, so it has none to keep, and loads nothing of how they are found.
 */
const REDACTED = "[redacted]";

/** What is known to be secret. */
interface Secrets {
	/** The text with `stands` in place of each, however it is written. */
	replaced(text: string, stands: string): string;
	/** How many characters at the text's end may be the beginning of one whose rest has not come yet. */
	openChars(text: string): number;
}

let secrets: Secrets | undefined;

export function redactFromNowOn(known: Secrets): void {
	secrets = known;
}

/** Content, such as an answer or a transcript: only what is known to be secret is taken out. */
export function redactKnown(text: string): string {
	return secrets?.replaced(text, REDACTED) ?? text;
}

export function openSecretChars(text: string): number {
	return secrets?.openChars(text) ?? 0;
}

/** Words for people, such as errors: without what is known to be secret, and without passwords in addresses. */
export function redact(text: string): string {
	return redactKnown(text).replace(ADDRESS_WITH_PASSWORD, `$1${REDACTED}@`);
}

/** `https://name:` before a password. The lengths are bounded so that each character is looked at a few times only. */
const ADDRESS_WITH_PASSWORD = /([a-z][a-z0-9+.-]{0,20}:\/\/[^\s/?#@:"'<>\\]{0,256}:)[^\s/?#@"'<>\\]{1,1024}@/gi;

/** JSON of a value without what is known to be secret; it parses whatever the secrets are. */
export function redactedJson(value: unknown, indent?: string): string {
	return JSON.stringify(redactedValue(value), null, indent);
}

/** The same value, with strings in it redacted. No secret is a name of ours. */
export function redactedValue<T>(value: T): T {
	if (secrets === undefined) return value;
	const inside = (one: unknown): unknown => {
		if (typeof one === "string") return redactKnown(one);
		if (Array.isArray(one)) return one.map(inside);
		if (typeof one !== "object" || one === null) return one;
		return Object.fromEntries(Object.entries(one).map(([key, inner]) => [redactKnown(key), inside(inner)]));
	};
	return inside(value) as T;
}
