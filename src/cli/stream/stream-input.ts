/** The lines of `--input-format stream-json`, as users of other agents' stream-json write them. Pure. */

import { MAX_TYPED_CHARS } from "../../core/model/message-marks.ts";
import { isObject } from "../../core/schemas/values.ts";
import type { WrittenAnswer } from "../../wire/open-requests.ts";

export type StreamInput =
	| { readonly is: "message"; readonly text: string }
	/** The person ends what the agent does now. `id`: for the answer to it. */
	| { readonly is: "interrupt"; readonly id: string }
	/** The person answers what an agent asks. `id`: for the answer to it. */
	| { readonly is: "answer"; readonly id: string; readonly question: number; readonly written: WrittenAnswer }
	/** A request that is not known. */
	| { readonly is: "unknown_request"; readonly id: string; readonly why: string }
	| { readonly is: "nothing" }
	| { readonly is: "wrong"; readonly why: string };

export type NumberedInput = StreamInput & { readonly number: number };

const SHAPE = 'a message is {"type":"user","message":{"role":"user","content":"…"}}';

type Fields = Readonly<Record<string, unknown>>;

/** What the lines of stdin ask for, with their numbers. Rejects with the stream's error. */
export async function* readInputs(input: AsyncIterable<Uint8Array>): AsyncGenerator<NumberedInput> {
	for await (const line of inputLines(input)) {
		const { number } = line;
		if (line.is === "line") yield { ...readStreamLine(line.bytes), number };
		else yield { ...wrong("it has more than 8 MiB: put the text in a file and name the file"), number };
	}
}

/** `bytes`: without the line's end. */
export function readStreamLine(bytes: Uint8Array): StreamInput {
	let line: string;
	try {
		line = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return wrong("it is not UTF-8");
	}
	if (line.trim() === "") return { is: "nothing" };
	let value: unknown;
	try {
		value = JSON.parse(line);
	} catch (error) {
		return wrong(`it is not JSON (${(error as Error).message.slice(0, 100)}); ${SHAPE}`);
	}
	return isObject(value) ? readFields(value) : wrong(`it is not an object; ${SHAPE}`);
}

function readFields(value: Fields): StreamInput {
	switch (value.type) {
		case "user":
			return messageIn(value.message);
		case "control_request":
			return requestIn(value);
		case "keep_alive":
			return { is: "nothing" };
		default:
			return wrong(`its type is ${shown(value.type)}, which is unknown; ${SHAPE}`);
	}
}

function messageIn(message: unknown): StreamInput {
	if (!isObject(message)) return wrong(`it has no "message"; ${SHAPE}`);
	const { role = "user", content } = message;
	if (role !== "user") return wrong(`its role is ${shown(role)}: only "user" is allowed`);
	const texts = typeof content === "string" ? [content] : Array.isArray(content) ? content.map(textOf) : [undefined];
	if (texts.some((text) => text === undefined))
		return wrong('its content is neither text nor a list of blocks {"type":"text","text":"…"}');
	const text = texts.join("\n");
	if (text.trim() === "") return wrong("its content is empty");
	if (text.length > MAX_TYPED_CHARS)
		return wrong(`it has more than ${MAX_TYPED_CHARS} characters: put them in a file and name the file`);
	return { is: "message", text };
}

function requestIn({ request_id: id, request }: Fields): StreamInput {
	const named = typeof id === "string" ? id : "";
	const unknown = (why: string): StreamInput => ({ is: "unknown_request", id: named, why });
	const { subtype, question, answer, words } = isObject(request) ? request : {};
	if (subtype === "interrupt") return { is: "interrupt", id: named };
	if (subtype !== "answer") return unknown(`unknown request ${shown(subtype)}: use "interrupt" or "answer"`);
	if (!Number.isSafeInteger(question) || typeof answer !== "string" || !["undefined", "string"].includes(typeof words))
		return unknown('an answer is {"subtype":"answer","question":1,"answer":"…"}; "no" and "stop" may have "words"');
	const written = { answer, words: words as string | undefined };
	return { is: "answer", id: named, question: question as number, written };
}

function textOf(block: unknown): string | undefined {
	return isObject(block) && block.type === "text" && typeof block.text === "string" ? block.text : undefined;
}

function shown(value: unknown): string {
	return value === undefined ? "missing" : (JSON.stringify(value) ?? "").slice(0, 60);
}

function wrong(why: string): StreamInput {
	return { is: "wrong", why };
}

/** The lines of a stream, as bytes. One that is too long is passed over, and never kept. */
export type InputLine =
	| { readonly is: "line"; readonly number: number; readonly bytes: Uint8Array }
	| { readonly is: "too_long"; readonly number: number };

const LINE_FEED = 10;
/** A message of the longest, each character of it escaped. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** The last line need not end. Rejects with the stream's error. */
export async function* inputLines(input: AsyncIterable<Uint8Array>, most = MAX_LINE_BYTES): AsyncGenerator<InputLine> {
	let number = 1;
	let parts: Uint8Array[] = [];
	let bytes = 0;
	const line = (): InputLine => {
		const found: InputLine =
			bytes > most ? { is: "too_long", number } : { is: "line", number, bytes: joined(parts, bytes) };
		[parts, bytes, number] = [[], 0, number + 1];
		return found;
	};
	const add = (part: Uint8Array) => {
		bytes += part.length;
		if (bytes > most) parts = [];
		else parts.push(part);
	};
	for await (const chunk of input) {
		let from = 0;
		for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
			add(chunk.subarray(from, end));
			yield line();
			from = end + 1;
		}
		if (from < chunk.length) add(chunk.subarray(from));
	}
	if (bytes > 0) yield line();
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
	if (parts.length === 1) return parts[0] as Uint8Array;
	const whole = new Uint8Array(bytes);
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}
