/**
 * A service on loopback that streams each answer in small pieces, so many a second, as one does whose model writes. Prints its address;
 * ends with its stdin. Usage: node service.mjs PIECES MILLISECONDS-BETWEEN
 */
import { createServer } from "node:http";

const [pieces, pauseMs] = process.argv.slice(2).map(Number);
const event = (type, fields) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
const message = {
	id: "msg_1",
	type: "message",
	role: "assistant",
	model: "claude-haiku-4-5",
	content: [],
	stop_reason: null,
	stop_sequence: null,
};
const piece = event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "word and " } });

const server = createServer((request, response) => {
	request.resume().on("end", () => {
		response.writeHead(200, { "content-type": "text/event-stream" });
		response.write(event("message_start", { message: { ...message, usage: { ...usage, output_tokens: 1 } } }));
		response.write(event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }));
		let left = pieces;
		const timer = setInterval(() => {
			left -= 1;
			response.write(piece);
			if (left > 0) return;
			clearInterval(timer);
			response.write(event("content_block_stop", { index: 0 }));
			response.write(
				event("content_block_start", {
					index: 1,
					content_block: { type: "tool_use", id: "t", name: "bash", input: {} },
				}),
			);
			response.write(
				event("content_block_delta", {
					index: 1,
					delta: { type: "input_json_delta", partial_json: '{"command":"ls"}' },
				}),
			);
			response.write(event("content_block_stop", { index: 1 }));
			response.write(
				event("message_delta", {
					delta: { stop_reason: "tool_use", stop_sequence: null },
					usage: { output_tokens: pieces },
				}),
			);
			response.end(event("message_stop", {}));
		}, pauseMs);
		response.once("close", () => clearInterval(timer));
	});
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume().once("end", () => process.exit());
