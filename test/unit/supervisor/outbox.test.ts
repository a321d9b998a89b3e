import { expect, test } from "vitest";
import type { ToAgent } from "../../../src/protocol/messages.ts";
import { Teller } from "../../../src/supervisor/outbox.ts";

test("who is stopped, or whose call failed or is not tried again, is told what of an answer had come", () => {
	const sent: ToAgent[] = [];
	const teller = new Teller({
		roster: { send: (_, message) => void sent.push(message) },
		record: { isBroken: false },
		calls: { partialText: (agent) => `so far by ${agent}` },
		reaper: { reap: () => Promise.resolve() as never },
		keepsBackground: false,
		stops: () => ({}),
	});
	const ending = { by: "stopped", reason: "Ctrl-C", signal: 2 } as const;
	teller.tell("1", { say: "stop", ending });
	teller.tell("1", { say: "ask_failed", reason: "cut", exitCode: 75 });
	teller.tell("1", { say: "ask_refused", limit: "max-tokens", reason: "spent" });
	teller.tell("1", { say: "finished" });
	const partial = "so far by 1";
	expect(sent).toEqual([
		{ say: "stop", ending, partial },
		{ say: "ask_failed", reason: "cut", exitCode: 75, partial },
		{ say: "ask_refused", limit: "max-tokens", reason: "spent", partial },
		{ say: "finished" },
	]);
});
