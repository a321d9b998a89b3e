/** A service may say in its words what it was told in confidence: a gateway's error that repeats the headers. */
import { defined } from "../../core/defined.ts";
import type { ModelOutcome } from "../../core/model.ts";
import { redact, redactedValue } from "../../text/redact.ts";

/** Before anybody is told. Thinking is never altered: the service would refuse it. */
export function redactedOutcome(outcome: ModelOutcome): ModelOutcome {
	if (outcome.is === "failure") return { ...outcome, reason: redact(outcome.reason) };
	const { content: said, usage, output, ...words } = outcome;
	const content = said.map((block) =>
		block.type === "text" || block.type === "tool_use" ? redactedValue(block) : block,
	);
	return { ...redactedWords(words), content, usage, ...defined({ output }) };
}

/** Whatever else a service tells, such as a stop reason of its own, may be shown. */
function redactedWords<T extends object>(words: T): T {
	const redacted = Object.entries(words).map(([name, word]) => [name, typeof word === "string" ? redact(word) : word]);
	return Object.fromEntries(redacted);
}
