import { expect, test } from "vitest";
import type { ToAgent } from "../../../src/protocol/agent-messages.ts";
import { Outbox } from "../../../src/supervisor/outbox.ts";

test("who is stopped, or whose call failed or is not tried again, is told what of an answer had come", () => {
	const sent: ToAgent[] = [];
	const outbox = new Outbox({
		answers: { send: (_, message) => void sent.push(message) },
		journal: { isBroken: false },
		calls: { partialText: (agent) => `so far by ${agent}` },
		machine: { end: () => Promise.resolve() as never },
		keepsBackground: false,
		stops: () => new Map(),
	});
	const ending = { by: "stopped", reason: "Ctrl-C", signal: 2 } as const;
	outbox.tell("1", { say: "stop", ending });
	outbox.tell("1", { say: "ask_failed", reason: "cut", exitCode: 75 });
	outbox.tell("1", { say: "ask_refused", limit: "max-tokens", reason: "spent" });
	outbox.tell("1", { say: "finished" });
	const partial = "so far by 1";
	expect(sent).toEqual([
		{ say: "stop", ending, partial },
		{ say: "ask_failed", reason: "cut", exitCode: 75, partial },
		{ say: "ask_refused", limit: "max-tokens", reason: "spent", partial },
		{ say: "finished" },
	]);
});
