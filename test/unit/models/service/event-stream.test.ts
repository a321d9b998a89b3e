import { expect, test } from "vitest";
import { eventsIn, type ServerSentEvent, type StreamBounds } from "../../../../src/models/service/event-stream.ts";

/** The events of a text that comes in pieces of so many bytes. */
async function read(text: string, size = text.length, bounds?: StreamBounds): Promise<ServerSentEvent[]> {
	async function* body() {
		const bytes = Buffer.from(text);
		for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
	}
	const events: ServerSentEvent[] = [];
	for await (const event of eventsIn(body(), bounds)) events.push(event);
	return events;
}

const A = { name: "a", data: '{"n":"é🙂"}' };
const B = { name: undefined, data: "[1,\n2]" };

test.each(["\n", "\r", "\r\n"])(
	"events are the same however they are cut, with lines that end with %j",
	async (end) => {
		const lines = `: a comment|event: a|id: 7|data:${A.data}||retry||data: [1,|data: 2]||`.split("|");
		const text = `\uFEFF${lines.join(end)}`;
		for (let size = 1; size < 40; size++) expect([size, await read(text, size)]).toEqual([size, [A, B]]);
	},
);

test("the last event may lack its empty line; the beginning of one counts as nothing", async () => {
	expect(await read('data: {"n":1}\n\ndata: {"n":2}')).toEqual([
		{ name: undefined, data: '{"n":1}' },
		{ name: undefined, data: '{"n":2}' },
	]);
	expect(await read('data: 1\n\nevent: a\ndata: {"n":')).toEqual([{ name: undefined, data: "1" }]);
});

// Seen to fail: the three were one event, which is no JSON.
test("an object after an object is an event of its own without the empty line", async () => {
	const named = (data: string) => ({ name: undefined, data });
	expect(await read('data: {"n":1}\ndata: {"n":2} \ndata: [DONE]\n\n')).toEqual(
		['{"n":1}', '{"n":2} ', "[DONE]"].map(named),
	);
	expect(await read('data: [{"n":1}\ndata: ,{"n":2}]\n\n')).toEqual([named('[{"n":1}\n,{"n":2}]')]);
});

test("a stream, a line and an event that are longer than their bounds are refused", async () => {
	const bounds = { maxBytes: 1000, maxEventChars: 100 };
	await expect(read("data: 1\n\n".repeat(200), 50, bounds)).rejects.toThrow(
		"the service's answer has more than 1000 bytes",
	);
	const ofEvent = "an event of the service's answer has more than 100 bytes";
	await expect(read(`data: ${"x".repeat(200)}`, 10, bounds)).rejects.toThrow(ofEvent);
	await expect(read(`${"x".repeat(200)}\n\n`, 400, bounds)).rejects.toThrow(ofEvent);
	await expect(read("data: 123456789\n".repeat(20), 10, bounds)).rejects.toThrow(ofEvent);
});

// Seen to fail (a minute) with the kept text joined and looked through anew for each piece.
test("a long event takes time in proportion to its length", async () => {
	const begun = process.cpuUsage().user;
	const [event] = await read(`data: ${"x".repeat(7 * 1024 * 1024)}\n\n`, 256);
	expect(event?.data.length).toBe(7 * 1024 * 1024);
	expect((process.cpuUsage().user - begun) / 1000).toBeLessThan(20_000);
});

// Seen to fail (no event and no word of it) for JSON and pages that call themselves a stream.
test.each(['{"detail":"quota"}', "<html>\n<p>Log in</p>\n\n</html>"])(
	"what is no event at all is told: %s",
	async (body) => {
		await expect(read(body, 3)).rejects.toMatchObject({
			name: "NoEvents",
			words: body.replace("\n\n", "\n").concat("\n"),
		});
		expect(await read(`${body}\n\ndata: 1\n\n`)).toEqual([{ name: undefined, data: "1" }]);
	},
);
