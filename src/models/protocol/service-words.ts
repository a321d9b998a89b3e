/** A service's own words in an answer that is not of its API: JSON of a gateway, the page of a proxy or of a login. */

/** Where gateways put a message, the most telling first. */
const MESSAGE_FIELDS = ["message", "error_description", "detail", "title", "error", "errors", "Message"];
const MAX_DEPTH = 4;

/** The message in a JSON value; undefined when it has none. */
export function messageIn(json: unknown, depth = 0): string | undefined {
	if (typeof json === "string") return json.trim() === "" ? undefined : json;
	if (typeof json !== "object" || json === null || depth > MAX_DEPTH) return undefined;
	if (Array.isArray(json)) return messageIn(json[0], depth + 1);
	const fields = json as Record<string, unknown>;
	const inner = typeof fields.error === "object" ? messageIn(fields.error, depth + 1) : undefined;
	if (inner !== undefined) return inner;
	for (const name of MESSAGE_FIELDS) {
		const message = messageIn(fields[name], depth + 1);
		if (message !== undefined) return message;
	}
	return undefined;
}

/** The words of a body: the message of its JSON, what a page shows, else its text as it is. May have several lines. */
export function wordsOf(body: string): string {
	const json = jsonOf(body);
	if (json !== undefined) return messageIn(json) ?? body;
	return /<(?:!doctype|html|head|body|title|h1|p)\b/i.test(body) ? textOfPage(body) : body;
}

/** What a page shows. What is not closed reaches to the page's end, so that each character is looked at once. */
function textOfPage(page: string): string {
	const text = page
		.replace(/<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1|$)[^>]*(?:>|$)/gi, " ")
		.replace(/<[^>]*(?:>|$)/g, " ")
		.replace(/&(?:amp|lt|gt|quot|nbsp|#39);/g, (entity) => ENTITIES[entity] ?? " ");
	return text.trim() === "" ? page : text;
}

const ENTITIES: Readonly<Record<string, string>> = {
	"&amp;": "&",
	"&lt;": "<",
	"&gt;": ">",
	"&quot;": '"',
	"&nbsp;": " ",
	"&#39;": "'",
};

/** The value of a JSON text; undefined for a text that is none. */
export function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
