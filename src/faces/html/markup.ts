/**
 * HTML in which no text can become markup: a template's own words are the only markup there is, and each value in it is
 * redacted, made visible and escaped, unless a template made it. Attributes have to stand in double quotes.
 */
import { redactKnown } from "../../text/safe/redact.ts";
import { visibleText } from "../../text/safe/visible.ts";

/** Markup of our own: what `html` has made, or a constant. Never made of a text from elsewhere. */
export class Markup {
	readonly text: string;

	constructor(text: string) {
		this.text = text;
	}
}

/** Undefined: nothing. */
type Value = string | number | Markup | undefined | readonly Value[];

export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
	return new Markup(strings.map((own, at) => (at === 0 ? own : written(values[at - 1]) + own)).join(""));
}

function written(value: Value): string {
	if (value === undefined) return "";
	if (value instanceof Markup) return value.text;
	if (typeof value === "object") return value.map(written).join("");
	return visibleText(redactKnown(String(value))).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
