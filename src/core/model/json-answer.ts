/** The JSON of an answer that has to be JSON: models like to put it between fences, or between words. Pure. */

/** Of the text of a JSON Schema that an answer has to fit: each request carries it. */
export const MAX_SCHEMA_CHARS = 128 * 1024;

const FENCED = /^[^\S\n]*```[\w-]*[^\S\n]*\n([\s\S]*?)\n?^[^\S\n]*```[^\S\n]*$/gm;
const MOST_VAIN = 100; // beginnings that come to no end: each may cost the text's length
/** How an object or a list begins. */
const BEGINS = /\[(?=\s*["[\]{\-\dtfn])|\{(?=\s*["}])/g;

/** The values that may be meant, each as it is written: the whole text where it is JSON, else those between fences and between words. */
export function jsonValuesIn(answer: string): string[] {
	const text = answer.trim();
	if (isJson(text)) return [text];
	const fenced: string[] = [];
	const rest = text.replace(FENCED, (block, inner: string) => {
		if (!isJson(inner)) return block;
		fenced.push(inner.trim());
		return "";
	});
	return [...fenced, ...valuesBetweenWords(rest)];
}

/** The JSON of an answer that was found to fit: its one value; of several the longest. The text itself where there is none. */
export function jsonOfAnswer(answer: string): string {
	const [longest = answer.trim()] = jsonValuesIn(answer).sort((a, b) => b.length - a.length);
	return longest;
}

/** Objects and lists alone: any word may be a number. What lies within one is no value of its own. */
function valuesBetweenWords(text: string): string[] {
	const values: string[] = [];
	let vain = 0;
	BEGINS.lastIndex = 0;
	for (let begin = BEGINS.exec(text); begin !== null && vain < MOST_VAIN; begin = BEGINS.exec(text)) {
		const end = endOfValue(text, begin.index);
		const value = text.slice(begin.index, end);
		if (end === undefined || !isJson(value)) vain += 1;
		else {
			values.push(value);
			BEGINS.lastIndex = end;
		}
	}
	return values;
}

const SIGN = /["[\]{}]/g;
const STRING = /"(?:[^"\\]|\\.)*"/suy;

/** The place behind the bracket that closes the one at `start`; undefined when none does. */
function endOfValue(text: string, start: number): number | undefined {
	let depth = 0;
	SIGN.lastIndex = start;
	for (let sign = SIGN.exec(text); sign !== null; sign = SIGN.exec(text)) {
		if (sign[0] === '"') {
			STRING.lastIndex = sign.index;
			if (!STRING.test(text)) return undefined;
			SIGN.lastIndex = STRING.lastIndex;
		} else depth += "[{".includes(sign[0]) ? 1 : -1;
		if (depth === 0) return SIGN.lastIndex;
	}
	return undefined;
}

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}
