/**
 * What a service adds to an answer and to each of its calls, as `extra_content`, and wants back with them: Gemini's signatures of thought.
 * It is kept as the data of the answer's thinking, and belongs to the one model that gave it.
 */
import type { AssistantBlock } from "../../../core/model/message.ts";
import { jsonOf } from "../../messages-api/service-words.ts";
import { isObject } from "../../messages-api/valid-content.ts";
import { thinkingOf } from "../../provider/marked-thinking.ts";

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
