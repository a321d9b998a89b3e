import { expect, test } from "vitest";
import { streamEventOf } from "../../../../src/models/anthropic/anthropic.ts";

test("an event's type is in its data, else its name, and an event needs no name", () => {
	expect(streamEventOf(undefined, '{"type":"message_stop"}')).toEqual({ type: "message_stop" });
	expect(streamEventOf("x", '{"type":"message_stop"}')).toEqual({ type: "message_stop" });
	expect(streamEventOf("message_stop", "{}")).toEqual({ type: "message_stop" });
});

test("pings, empty data and the end of another API's streams are passed over", () => {
	const passed = [streamEventOf("ping", "x"), streamEventOf(undefined, '{"type":"ping"}'), streamEventOf("a", "")];
	expect([...passed, streamEventOf(undefined, "[DONE]")]).toEqual([undefined, undefined, undefined, undefined]);
});

test("an event of the name error is one, whatever its data", () => {
	const error = { message: "m", type: "overloaded_error" };
	expect(streamEventOf("error", JSON.stringify({ type: "error", error }))).toEqual({ type: "error", error });
	expect(streamEventOf("error", JSON.stringify({ error }))).toEqual({ type: "error", error });
	expect(streamEventOf("error", "it broke")).toEqual({ type: "error", message: "it broke" });
});

test("an error of the API of OpenAI is one, too", () => {
	const error = { message: "no quota", code: "insufficient_quota" };
	expect(streamEventOf(undefined, JSON.stringify({ error }))).toEqual({ type: "error", error });
});

test("what is neither JSON nor an event throws", () => {
	for (const data of ["null", "[]", "7", "{}"])
		expect(() => streamEventOf(undefined, data)).toThrow("it sent something that is not an event");
	expect(() => streamEventOf(undefined, "{")).toThrow("JSON");
});
