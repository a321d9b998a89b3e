/** A service may say in its words what it was told in confidence: a gateway's error that repeats the headers. */
import type { ModelOutcome } from "../../core/model.ts";
import { redact, redactedValue } from "../../text/redact.ts";

/** Before anybody is told. Thinking is never altered: the service would refuse it. */
export function redactedOutcome(outcome: ModelOutcome): ModelOutcome {
	if (outcome.is === "failure") return { ...outcome, reason: redact(outcome.reason) };
	const { stopWords } = outcome;
	const content = outcome.content.map((block) =>
		block.type === "text" || block.type === "tool_use" ? redactedValue(block) : block,
	);
	return { ...outcome, content, ...(stopWords !== undefined && { stopWords: redact(stopWords) }) };
}
