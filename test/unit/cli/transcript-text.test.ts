import { expect, test } from "vitest";
import { eventLine } from "../../../src/cli/event-text.ts";
import { PLAIN } from "../../../src/cli/paint.ts";
import { entryLines } from "../../../src/cli/transcript-text.ts";
import type { CommandEnd } from "../../../src/core/command.ts";
import type { AssistantBlock } from "../../../src/core/model.ts";
import type { AssistantEntry, CommandRecord, UserEntry } from "../../../src/core/transcript.ts";
import { T0 } from "../store/fabricate.ts";

const view = { paint: PLAIN, durationOf: () => undefined, pathOf: (log: string) => `/run/1/${log}` };

test.each([19, 20, 21, 23])("of a result of %d lines at most 20 are shown, and the rest is counted", (lines) => {
	const content = Array.from({ length: lines }, (_, i) => `line ${i + 1}`).join("\n");
	const shown = entryLines(result(`${content}\n`), view);
	const more = lines - 20;
	expect(shown.filter((line) => line.startsWith("    line"))).toHaveLength(Math.min(20, lines));
	expect(shown.filter((line) => line.includes("more"))).toEqual(
		more > 0 ? [`    … ${more} more ${more === 1 ? "line" : "lines"} (/run/1/out/0001.log)`] : [],
	);
});

test("a result without a record still shows, and says where the whole is", () => {
	const entry: UserEntry = { role: "user", at: T0, content: [toolResult("x\n".repeat(22))] };
	expect(entryLines(entry, view).slice(-2)).toEqual(["    x", "    … 2 more lines (agent show --json)"]);
});

test.each([
	[{ by: "signal", signal: "SIGKILL" }, "    command 1: killed by SIGKILL"],
	[{ by: "timeout", afterMs: 120_000 }, "    command 1: timed out after 120 s"],
	[{ by: "not_started", reason: "no \u001b[2Jbash" }, "    command 1: not started: no bash"],
] satisfies [CommandEnd, string][])("a command that ended by %j says so", (end, line) => {
	expect(entryLines({ ...result(""), commands: [{ ...record, end }] }, view)).toEqual([line]);
});

test("what is no command of ours, and blocks that came later, are shown for what they are", () => {
	const blocks = [
		{ type: "redacted_thinking", data: "x" },
		{ type: "tool_use", id: "a", name: "edit", input: { path: "x\u001b" } },
		{ type: "tool_use", id: "b", name: "bash", input: null },
		{ type: "server_dance" },
	] as AssistantBlock[];
	expect(entryLines(answer(blocks), view).slice(2)).toEqual([
		"(thinking that the service does not show)",
		'$ edit {"path":"x\\u001b"}',
		"$ bash null",
		"(server_dance)",
	]);
});

test("nothing that a terminal obeys comes out of an answer, a command, a result or an event", () => {
	const evil = "\u001b]52;c;aGk=\u0007\u001b[2J\u009b1m\rx\u0008";
	const lines = [
		...entryLines(answer([{ type: "text", text: evil }]), view),
		...entryLines(answer([{ type: "thinking", thinking: evil, signature: "" }]), view),
		...entryLines(answer([{ type: "tool_use", id: "a", name: evil, input: { command: evil } }]), view),
		...entryLines(result(evil), view),
		eventLine({ event: "agent_stopping", at: T0, agent: "1", reason: evil }),
	];
	expect(lines.join("")).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/);
});

const record: CommandRecord = {
	command: 1,
	tool_use_id: "a",
	end: { by: "exit", code: 0 },
	output_bytes: 1,
	log: "out/0001.log",
};

function toolResult(content: string) {
	return { type: "tool_result", tool_use_id: "a", content } as const;
}

function result(content: string): UserEntry {
	return { role: "user", at: T0, content: [toolResult(content)], commands: [record] };
}

function answer(content: AssistantBlock[]): AssistantEntry {
	const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
	const about = { at: T0, turn: 1, model: "m", stop_reason: "end_turn", usage, cost_usd: 0 };
	return { role: "assistant", content, ...about };
}
