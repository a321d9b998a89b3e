import { expect, test } from "vitest";
import type { AssistantBlock } from "../../../../src/core/model/message.ts";
import type { ModelOutcome } from "../../../../src/core/model/model.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { redactedOutcome } from "../../../../src/supervisor/calls/retrying-call.ts";
import { keepSecrets } from "../../../../src/text/safe/keep-secrets.ts";

const KEY = "sk-ant-of-this-test-1";

test("what a service says of the key reaches nobody; thinking stays to the byte", () => {
	keepSecrets([KEY]);
	const failure: ModelOutcome = { is: "failure", reason: `no ${KEY} at http://a:b@h/`, exitCode: 1, usage: NO_USAGE };
	expect(redactedOutcome(failure)).toEqual({ ...failure, reason: "no [redacted] at http://a:[redacted]@h/" });
	const content = (key: string): AssistantBlock[] => [
		{ type: "thinking", thinking: KEY, signature: "s" },
		{ type: "text", text: `it is ${key}, for http://a:b@h/` },
		{ type: "tool_use", id: "a", name: "bash", input: { command: `curl -H ${key}` } },
	];
	const reply: ModelOutcome = {
		is: "reply",
		content: content(KEY),
		stopReason: "tool_use",
		usage: NO_USAGE,
		model: "m",
	};
	expect(redactedOutcome(reply)).toEqual({ ...reply, content: content("[redacted]") });
	// Seen to fail: an unknown stop reason is a part of the words with which its agent fails.
	const words = (key: string) => ({
		...{
			stopReason: `stop ${key}`,
			stopWords: `for ${key}`,
			model: `m-${key}`,
			requestId: `r-${key}`,
			messageId: `i-${key}`,
		},
	});
	expect(redactedOutcome({ ...reply, ...words(KEY) })).toEqual({
		...reply,
		content: content("[redacted]"),
		...words("[redacted]"),
	});
});
