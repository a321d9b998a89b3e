/** A service on 127.0.0.1 that streams answers as the Anthropic API does, for a benchmark. */
import { once } from "node:events";
import { createServer } from "node:http";

const MODEL = "claude-opus-5-5";

/**
 * `answer` gets the time of each request, and gives the block of its answer, perhaps as a promise; `onAnswered` is called when it was sent.
 * `env`: what a run needs to use it.
 */
export async function startService(answer, onAnswered = () => {}) {
	const server = createServer(async (request, response) => {
		const now = performance.now();
		for await (const _ of request); // the whole of it, as a service reads it
		const block = await answer(now);
		response.writeHead(200, { "content-type": "text/event-stream" });
		response.end(eventsOf(block), onAnswered);
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const url = `http://127.0.0.1:${server.address().port}`;
	const close = () => {
		server.close();
		server.closeAllConnections();
	};
	return { env: { AGENTREE_MODEL: MODEL, ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: url }, close };
}

/** One answer as the service streams it. */
function eventsOf(block) {
	const usage = { input_tokens: 10, output_tokens: 10 };
	const isCall = block.type === "tool_use";
	const delta = isCall
		? { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
		: { type: "text_delta", text: block.text };
	const empty = isCall ? { ...block, input: {} } : { ...block, text: "" };
	const message = {
		id: "msg",
		type: "message",
		role: "assistant",
		model: MODEL,
		content: [],
		stop_reason: null,
		usage,
	};
	return [
		{ type: "message_start", message },
		{ type: "content_block_start", index: 0, content_block: empty },
		{ type: "content_block_delta", index: 0, delta },
		{ type: "content_block_stop", index: 0 },
		{ type: "message_delta", delta: { stop_reason: isCall ? "tool_use" : "end_turn" }, usage },
		{ type: "message_stop" },
	]
		.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
		.join("");
}
