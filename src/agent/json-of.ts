const texts = new WeakMap<object, string>();

/** The JSON of a value that is never altered: it is made once, and is what is measured, recorded and sent. */
export function jsonOf(value: object): string {
	const text = texts.get(value) ?? JSON.stringify(value);
	texts.set(value, text);
	return text;
}
