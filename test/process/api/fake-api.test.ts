import { expect, onTestFinished, test } from "vitest";
import { messageParams } from "../../../src/models/anthropic/message-params.ts";
import { lastText, startFakeApi } from "../../fixtures/fake-api.ts";
import { afterCommand, asksWith, FIRST } from "../../fixtures/fake-call.ts";

const GOOD = messageParams("claude-opus-5-5", asksWith(FIRST));
const HEADERS = { "content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": "k" };

async function post(body: object, headers: Record<string, string> = HEADERS) {
	const api = await startFakeApi(({ body: asked }) => ({
		content: [{ type: "text", text: lastText(asked.messages) }],
	}));
	onTestFinished(() => api.close());
	const response = await fetch(`${api.url}/v1/messages`, { method: "POST", headers, body: JSON.stringify(body) });
	return { status: response.status, text: await response.text(), id: response.headers.get("request-id"), api };
}

test("a request in order is streamed an answer, in the service's order of events", async () => {
	const { status, text, api } = await post(GOOD);
	expect(status).toBe(200);
	expect([...text.matchAll(/^event: (.*)$/gm)].map(([, event]) => event)).toEqual([
		"message_start",
		"ping",
		"content_block_start",
		"content_block_delta",
		"content_block_delta",
		"content_block_stop",
		"message_delta",
		"message_stop",
	]);
	expect(api.requests).toMatchObject([{ raw: JSON.stringify(GOOD), refusal: undefined }]);
});

test.each<[string, object, Record<string, string>, number, string]>([
	["no key", GOOD, { ...HEADERS, "x-api-key": "" }, 401, "authentication_error"],
	["no version", GOOD, { ...HEADERS, "anthropic-version": "" }, 400, "anthropic-version: header is required"],
	["a temperature", { ...GOOD, temperature: 1 }, HEADERS, 400, "`temperature` is not supported"],
	["an unknown parameter", { ...GOOD, novelty: 1 }, HEADERS, 400, "novelty: Extra inputs are not permitted"],
	["a thinking budget", { ...GOOD, thinking: { type: "enabled" } }, HEADERS, 400, 'thinking.type: \\"enabled\\"'],
	["a forced tool", { ...GOOD, tool_choice: { type: "any" } }, HEADERS, 400, 'tool_choice: \\"any\\"'],
	["too many tokens", { ...GOOD, max_tokens: 200_000 }, HEADERS, 400, "200000 > 128000"],
	["an open call", { ...GOOD, messages: afterCommand("x").slice(0, 2) }, HEADERS, 400, "`tool_use` ids were found"],
	["a private field", { ...GOOD, messages: [{ ...FIRST[0], at: 1 }] }, HEADERS, 400, "messages.0.at: Extra inputs"],
])("%s is refused in the shape of the service's errors", async (_, body, headers, status, words) => {
	const refused = await post(body, headers);
	expect(refused.status).toBe(status);
	expect(refused.text).toContain(words);
	expect(JSON.parse(refused.text)).toMatchObject({ type: "error", request_id: refused.id });
});
