import { expect, test } from "vitest";
import type { Message } from "../../../../src/core/model/message.ts";
import { checkRequest } from "../../../../src/models/protocol/check-request.ts";

const user = (...content: unknown[]) => ({ role: "user", content }) as Message;
const assistant = (...content: unknown[]) => ({ role: "assistant", content }) as Message;
const text = (words: string) => ({ type: "text", text: words });
const call = (id: string, input: unknown = { command: "ls" }) => ({ type: "tool_use", id, name: "bash", input });
const result = (id: string, content = "out") => ({ type: "tool_result", tool_use_id: id, content });
const check = (...messages: Message[]) => checkRequest({ messages });

test("a history in order is accepted: several calls, results first, text after them, unknown blocks", () => {
	expect(
		check(
			user(text("do it")),
			assistant({ type: "thinking", thinking: "", signature: "s" }, text("yes"), call("a"), call("b")),
			user(result("a", ""), result("b"), text("go on")),
			assistant({ type: "new_block", data: 1 }),
			user(text("🙂")),
		),
	).toBeUndefined();
});

test.each([
	["no message", [], "at least one message"],
	["an assistant first", [assistant(text("hi"))], 'first message must use the "user" role'],
	["two users in a row", [user(text("a")), user(text("b"))], 'multiple "user" roles in a row'],
	["an assistant last", [user(text("a")), assistant(text("b"))], "must end with a user message"],
	["an open call last", [user(text("a")), assistant(call("x"))], "without `tool_result` blocks immediately after: x"],
	["an empty message", [user()], "messages.0: all messages must have non-empty content"],
	["an empty text", [user(text(""))], "messages.0.content.0: text content blocks must be non-empty"],
	["a text of white space", [user(text(" \n"))], "must contain non-whitespace text"],
	["a missing result", [user(text("a")), assistant(call("x"), call("y")), user(result("x"))], "immediately after: y."],
	[
		"a late result",
		[user(text("a")), assistant(call("x")), user(text("b")), assistant(text("c")), user(result("x"))],
		"messages.1: `tool_use` ids were found without",
	],
	["a result without a call", [user(result("x"))], "unexpected `tool_use_id` found in `tool_result` blocks: x"],
	["two results for a call", [user(text("a")), assistant(call("x")), user(result("x"), result("x"))], "single result"],
	["text before a result", [user(text("a")), assistant(call("x")), user(text("b"), result("x"))], "must come first"],
	[
		"an id used twice",
		[user(text("a")), assistant(call("x")), user(result("x")), assistant(call("x")), user(result("x"))],
		"must be unique, found twice: x",
	],
	["an id with a dot", [user(text("a")), assistant(call("x.1")), user(result("x.1"))], "should match pattern"],
	[
		"a tool without a name",
		[user(text("a")), assistant({ ...call("x"), name: "" }), user(result("x"))],
		"tool_use.name",
	],
	["an input that is a list", [user(text("a")), assistant(call("x", ["ls"])), user(result("x"))], "valid dictionary"],
	[
		"thinking last",
		[user(text("a")), assistant({ type: "thinking", thinking: "", signature: "s" }), user(text("b"))],
		"The final block in an assistant message cannot be `thinking`",
	],
	["a call of the user", [user(call("x"))], "can only be in `assistant` messages"],
	["half a character in a text", [user(text("a\ud83d"))], "lone surrogate in a string of messages.0"],
	[
		"half a character deep in a call",
		[user(text("a")), assistant(call("x", { command: ["\ude00"] })), user(result("x"))],
		"lone surrogate in a string of messages.1",
	],
] as [string, Message[], string][])("%s is refused in the service's words", (_, messages, words) => {
	expect(check(...messages)).toContain(words);
});
