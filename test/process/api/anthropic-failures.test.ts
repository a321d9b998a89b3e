import { expect, test } from "vitest";
import { openWithApi, runs, say } from "../../fixtures/anthropic-with-api.ts";
import type { FakeAnswer } from "../../fixtures/fake-api.ts";
import { asksWith, FIRST, fakeCall } from "../../fixtures/fake-call.ts";

test.each<[string, FakeAnswer, number, string]>([
	[
		"a rejected key",
		{ error: { status: 401, type: "authentication_error", message: "invalid x-api-key" } },
		77,
		"invalid x-api-key (HTTP 401, authentication_error, req_fake_1); the service refuses the key: check ANTHROPIC_API_KEY",
	],
	[
		"a missing permission",
		{ error: { status: 403, type: "permission_error", message: "not for you" } },
		77,
		"not for you (HTTP 403, permission_error, req_fake_1); the service refuses the key: check ANTHROPIC_API_KEY",
	],
	[
		"an invalid request",
		{ error: { status: 400, type: "invalid_request_error", message: "prompt is\ntoo long" } },
		1,
		"prompt is too long (HTTP 400, invalid_request_error, req_fake_1)",
	],
	[
		"an overloaded service",
		{ error: { status: 529, type: "overloaded_error", message: "Overloaded" } },
		75,
		"Overloaded (HTTP 529, overloaded_error, req_fake_1)",
	],
	[
		"a proxy's page",
		{ body: { status: 404, type: "text/html", text: "<html>\n<b>no</b>\n</html>" } },
		1,
		"no (HTTP 404, req_fake_1); the address was ADDRESS: check ANTHROPIC_BASE_URL",
	],
	// Seen to fail: it was asked again for ten minutes, and its words were not told.
	...["application/json", "text/event-stream"].map((type): [string, FakeAnswer, number, string] => [
		`a gateway's error of another API with the status 200, as ${type}`,
		{ body: { status: 200, type, text: '{"error": {"message": "You have no quota", "code": "insufficient_quota"}}' } },
		1,
		"You have no quota (insufficient_quota, req_fake_1)",
	]),
])("%s is a failure in the service's words, after one request", async (_, answer, exitCode, reason) => {
	const { api, model } = await openWithApi(() => answer);
	const failure = { is: "failure", exitCode, reason: reason.replace("ADDRESS", api.url) };
	expect(await model.ask(asksWith(FIRST), fakeCall())).toMatchObject(failure);
	expect(api.requests.length).toBe(1); // the SDK's own retries are off
});

test("nobody listening at the address is a failure that names the cause", async () => {
	const { api, model } = await openWithApi(() => say("never"));
	await api.close();
	expect(await model.ask(asksWith(FIRST), fakeCall())).toMatchObject({
		is: "failure",
		exitCode: 75,
		reason: expect.stringMatching(/^the service is out of reach: .*ECONNREFUSED/),
	});
});

const CALL_AFTER_TEXT = { content: [...say("half an answer").content, runs("toolu_1", "rm -rf /tmp/x")] };

test.each([
	["cut off after the call was closed", { after: 14, by: "cut" as const }, 75, "broke off"],
	["ended without its end", { after: 10, by: "end" as const }, 75, "the service's answer was cut off before its end"],
	[
		"ended by an error of the service",
		{ after: 6, by: { type: "overloaded_error", message: "Overloaded" } },
		75,
		"Overloaded (overloaded_error, req_fake_1)",
	],
	[
		"ended by a final error of the service",
		{ after: 6, by: { type: "invalid_request_error", message: "no" } },
		1,
		"no (invalid_request_error, req_fake_1)",
	],
	["broken by invalid JSON", { after: 6, by: { raw: 'event: message_delta\ndata: {"type": mess\n\n' } }, 75, "JSON"],
])(
	"a stream %s is a failure with the usage so far, and no call of it reaches anyone",
	async (_, breakOff, code, words) => {
		const { model } = await openWithApi(() => ({ ...CALL_AFTER_TEXT, breakOff }));
		const call = fakeCall();
		const outcome = await model.ask(asksWith(FIRST), call);
		expect(outcome).toMatchObject({ is: "failure", exitCode: code, usage: { input: 10 } });
		expect(outcome).toMatchObject({ reason: expect.stringContaining(words) });
		expect(outcome.is === "failure" && outcome.reason).not.toMatch(/\n/);
		expect(call.deltas[0]).toEqual({ kind: "text", text: "half an", block: expect.any(Number) });
	},
);

test("an abort in mid-stream ends the call as a failure and closes its connection", async () => {
	const abort = new AbortController();
	const { api, model } = await openWithApi(() => ({
		...say("a long answer that never ends"),
		beforeEvent: (event) => (event === "message_stop" ? new Promise(() => {}) : undefined),
	}));
	const call = fakeCall({ signal: abort.signal, onDelta: () => abort.abort() });
	expect(await model.ask(asksWith(FIRST), call)).toMatchObject({ is: "failure", reason: "the call was stopped" });
	await api.requests[0]?.over;
	const late = fakeCall({ signal: AbortSignal.abort() });
	expect(await model.ask(asksWith(FIRST), late)).toMatchObject({ is: "failure", reason: "the call was stopped" });
	expect(api.requests.length).toBe(1);
});

test("a service that falls silent, before its answer or within it, is given up", async () => {
	const silent = {
		is: "failure",
		exitCode: 75,
		reason: "the service was silent for too long, so the call was abandoned",
	};
	const before = await openWithApi(() => ({ silence: true }), { maxSilenceMs: 300 });
	expect(await before.model.ask(asksWith(FIRST), fakeCall())).toMatchObject(silent);
	const within = await openWithApi(
		() => ({ ...say("x"), beforeEvent: (event) => (event === "message_delta" ? new Promise(() => {}) : undefined) }),
		{ maxSilenceMs: 300 },
	);
	expect(await within.model.ask(asksWith(FIRST), fakeCall())).toMatchObject(silent);
});
