import { expect, test } from "vitest";
import { MAX_MESSAGE_CHARS } from "../../../../src/core/model/message-marks.ts";
import type { UndoNotes } from "../../../../src/supervisor/agents/mailbox.ts";
import { Mailbox } from "../../../../src/supervisor/agents/mailbox.ts";
import { startScenario } from "../decide/scenario.ts";
import { fakeCore, part } from "../fake-core.ts";

test("a person may send a long paste, and an agent is told to put it into a file", () => {
	const run = startScenario();
	run.root();
	const { core, dispatched } = fakeCore({ state: run.state() });
	const mailbox = new Mailbox(core, part<UndoNotes>({ with: (text) => text }));
	const said: string[] = [];
	const watcher = { send: (message: { say: string }) => void said.push(message.say) };
	const text = "x".repeat(MAX_MESSAGE_CHARS + 1);
	mailbox.handle(watcher, { say: "send", agent: "1", text, by: "1.1" });
	expect({ said, dispatched }).toEqual({ said: ["refused"], dispatched: [] });
	mailbox.handle(watcher, { say: "send", agent: "1", text, by: null });
	expect(said).toEqual(["refused", "sent"]);
	expect(dispatched).toEqual([{ is: "message", agent: "1", from: null, text }]);
});
