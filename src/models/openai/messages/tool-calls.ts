/**
 * Puts the calls of a streamed answer together. By the protocol a piece names its call by `index`, and the first one has its id
 * and name. Services leave out the index, give each call the same one, give each piece a new id, or none, repeat the name, or
 * send a call whole. So whether a piece begins a call is told from all that it has. What the model wrote is never mended.
 */

import { createHash } from "node:crypto";
import type { AssistantBlock, ToolUseBlock } from "../../../core/model/message.ts";
import { jsonOf } from "../../protocol/service-words.ts";
import { isObject, unreadableInput } from "../../protocol/valid-content.ts";
import { thinkingOf } from "../../provider/marked-thinking.ts";
import { isSendable } from "../../service/answer-size.ts";
import { partialCommandReader } from "../../service/partial-command.ts";

/** A piece as it came. */
export interface WirePiece {
	readonly index?: unknown;
	readonly id?: unknown;
	readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
	readonly extra_content?: unknown;
}

interface Piece {
	readonly index: number | undefined;
	readonly id: string;
	readonly name: string;
	readonly json: string;
}

interface GrowingCall {
	/** That of its first piece. */
	index: number | undefined;
	id: string;
	name: string;
	json: string;
	/** Only then is it worth looking whether the JSON is whole: that takes time in proportion to its length. */
	endsInBrace: boolean;
	/** Came alone when the call was whole: of the next call, if any arguments follow, else the same name once more. */
	nextName: string;
	extra: Extra | undefined;
	readonly readCommand: (piece: string) => string;
}

export class ToolCallPieces {
	private readonly calls: GrowingCall[] = [];
	private readonly byIndex = new Map<number, GrowingCall>();

	get count(): number {
		return this.calls.length;
	}

	/** Takes a piece; `at`: its place in a list of several. Returns which call it is of, and what it adds to that call's command. */
	take(wire: WirePiece, at: number): { call: number; command: string; isNew: boolean } {
		const piece = pieceOf(wire);
		const before = this.callOf(piece, at);
		const isNamed = before !== undefined && isOfNamed(piece, before);
		const isNew = before === undefined || isNamed || begins(piece, before);
		const call = isNew ? this.begin(isNamed ? before.nextName : "") : before;
		if (!isNew && mayNameNext(piece, call)) {
			call.nextName = piece.name;
			return { call: this.calls.indexOf(call), command: "", isNew };
		}
		if (piece.index !== undefined) this.byIndex.set(piece.index, call);
		call.extra = withExtra(call.extra, wire.extra_content);
		call.index ??= piece.index;
		call.id ||= piece.id;
		if (piece.name !== call.name) call.name += piece.name;
		if (isPlaceholder(call) && piece.json.trim() !== "") call.json = "";
		const json = isRepeated(piece, call) ? "" : piece.json;
		call.json += json;
		if (json.trim() !== "") call.endsInBrace = json.trimEnd().endsWith("}");
		return { call: this.calls.indexOf(call), command: call.readCommand(json), isNew };
	}

	/** A call whose arguments are no JSON object has the input of `unreadableInput`; one without any has none. */
	finished(): ToolUseBlock[] {
		return this.calls.map(({ id, name, json }) => ({ type: "tool_use", id, name, input: inputOf(json) }));
	}

	/** What the service has added to each; empty when it has to none. */
	extras(): (Extra | null)[] {
		return this.calls.some(({ extra }) => extra !== undefined) ? this.calls.map(({ extra }) => extra ?? null) : [];
	}

	/** The call that a piece is of, if it begins none. */
	private callOf({ index, id }: Piece, at: number): GrowingCall | undefined {
		const ofId = id === "" ? undefined : this.calls.find((call) => call.id === id);
		const ofIndex = index === undefined ? undefined : this.byIndex.get(index);
		if (ofId ?? ofIndex) return ofId ?? ofIndex;
		return index === undefined && at > 0 ? undefined : this.calls.at(-1);
	}

	private begin(name = ""): GrowingCall {
		const call: GrowingCall = {
			index: undefined,
			id: "",
			name,
			json: "",
			endsInBrace: false,
			nextName: "",
			extra: undefined,
			readCommand: partialCommandReader(),
		};
		this.calls.push(call);
		return call;
	}
}

function pieceOf({ index, id, function: named }: WirePiece): Piece {
	const { name, arguments: given } = Object(named);
	const number = typeof index === "string" && /^\d+$/.test(index) ? Number(index) : index;
	return {
		index: Number.isInteger(number) ? (number as number) : undefined,
		id: typeof id === "string" ? id : "",
		name: typeof name === "string" ? name : "",
		json: typeof given === "string" ? given : typeof given === "object" && given !== null ? JSON.stringify(given) : "",
	};
}

/** True for a piece of another call than the one that its index, its id or the order of pieces stands for. */
function begins({ index, id, name, json }: Piece, call: GrowingCall): boolean {
	if (id === "" && name === "") return false;
	const isElsewhere = index !== undefined && call.index !== undefined && index !== call.index;
	const bringsOther = json.trim() !== "" && json !== call.json;
	if (id !== "" && id === call.id) return name !== "" && isWhole(call) && (isElsewhere || bringsOther);
	const isOther = id !== "" && call.id !== "";
	if (isElsewhere) return name !== "" || isOther;
	if (isWhole(call)) return isOther ? json.trim() !== "" || name !== "" : name !== "" && bringsOther;
	if (name === "" || !isOther) return false;
	if (call.json === "") return index === undefined || json === "";
	return json === "" || json.trimStart().startsWith("{");
}

/** True for arguments without a name behind a name that came alone. */
function isOfNamed({ id, name, json }: Piece, call: GrowingCall): boolean {
	return call.nextName !== "" && id === "" && name === "" && json.trim() !== "";
}

function mayNameNext({ name, json }: Piece, call: GrowingCall): boolean {
	return name !== "" && json.trim() === "" && call.name !== "" && isWhole(call);
}

/** Some services begin a call with arguments that are an empty object, and then send those that the model wrote. */
function isPlaceholder({ json }: GrowingCall): boolean {
	return json.trim() === "{}";
}

/** Some services send a call in pieces, and then once more as a whole. */
function isRepeated({ json }: Piece, call: GrowingCall): boolean {
	return json !== "" && json === call.json && isWhole(call);
}

function isWhole(call: GrowingCall): boolean {
	return call.endsInBrace && !isPlaceholder(call) && isObject(jsonOf(call.json));
}

const MAX_ID_CHARS = 40;
const SHORT = /^[a-z0-9]{9}$/i;

/**
 * The id of a call as services take it: they refuse longer ones, as a call of another service may have. `isShort`: templates of Mistral
 * refuse all that has not nine letters and digits.
 */
export function callId(id: string, isShort = false): string {
	if (isShort ? SHORT.test(id) : id.length <= MAX_ID_CHARS) return id;
	const digest = createHash("sha256").update(id).digest("hex");
	return isShort ? digest.slice(0, 9) : `call_${digest.slice(0, 32)}`;
}

/** The input of a call, from the JSON that the model wrote: taken as it is, or told to the model as unreadable, never mended. */

/** Arguments that are empty are no arguments. */
export function inputOf(json: string): unknown {
	if (json.trim() === "") return {};
	const input = jsonOf(json);
	return isObject(input) && isSendable(input) ? input : unreadableInput(json);
}

/**
 * What a service adds to an answer and to each of its calls, as `extra_content`, and wants back with them: Gemini's signatures of thought.
 * It is kept as the data of the answer's thinking, and belongs to the one model that gave it.
 */

export type Extra = Readonly<Record<string, unknown>>;

/** `calls`: in their order, null for one without any. */
export interface Extras {
	readonly model: string;
	readonly message?: Extra;
	readonly calls: readonly (Extra | null)[];
	/** Thinking in parts, as an answer without `extra_content` has it. */
	readonly details?: unknown;
}

/** What the service documents for a call that another model has made. */
export const OF_OTHER_MODEL: Extra = { google: { thought_signature: "skip_thought_signature_validator" } };

/** Pieces of the same part come one after the other; a later one may repeat an earlier one, or add to it. */
export function withExtra(before: Extra | undefined, piece: unknown): Extra | undefined {
	if (!isObject(piece)) return before;
	const parts = Object.entries(piece).map(([name, part]) => {
		const known = before?.[name];
		return [name, isObject(known) && isObject(part) ? { ...known, ...part } : part];
	});
	return { ...before, ...Object.fromEntries(parts) };
}

/** What this model of the service has added to the answer; undefined where it has not, or where the answer is another's. */
export function extrasOf(
	content: readonly AssistantBlock[],
	{ service, model }: { service: string; model: string },
): Extras | undefined {
	const [own] = content.flatMap((block) => thinkingOf(block, service) ?? []);
	const data = jsonOf(own?.data ?? "");
	const isOwn = isObject(data) && data.model === model && Array.isArray(data.calls);
	return isOwn ? (data as unknown as Extras) : undefined;
}
