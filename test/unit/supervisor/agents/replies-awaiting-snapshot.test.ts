import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import type { FileSnapshots } from "../../../../src/supervisor/agents/file-snapshots.ts";
import { RepliesAwaitingSnapshot } from "../../../../src/supervisor/agents/file-snapshots.ts";
import type { ToAgent } from "../../../../src/wire/agent-messages.ts";
import { fakeCore, part } from "../fake-core.ts";

const WITH_COMMAND: ToAgent = {
	say: "reply",
	answer: { content: [{ type: "tool_use", id: "t", name: "bash", input: {} }], usage: NO_USAGE },
};
const WORDS: ToAgent = { say: "reply", answer: { content: [{ type: "text", text: "done" }], usage: NO_USAGE } };

function heldAnswers(isKeeping: boolean) {
	const sent: string[] = [];
	const waiting: (() => void)[] = [];
	const { core } = fakeCore({ registry: { send: (agent, { say }) => void sent.push(`${agent} ${say}`) } });
	const snapshots = part<FileSnapshots>({ waitFor: (then) => isKeeping && waiting.push(then) > 0 });
	const answers = new RepliesAwaitingSnapshot(core, snapshots);
	const kept = () => {
		for (const then of waiting.splice(0)) then();
	};
	return { answers, sent, kept };
}

test("an answer with commands waits until the files are kept, and what is told meanwhile comes behind it", () => {
	const { answers, sent, kept } = heldAnswers(true);
	answers.send("1", WITH_COMMAND);
	answers.send("1", { say: "children", command: 1, alive: 0 });
	answers.send("1.1", WITH_COMMAND);
	answers.send("1.2", WORDS);
	expect(sent).toEqual(["1.2 reply"]);
	kept();
	expect(sent).toEqual(["1.2 reply", "1 reply", "1 children", "1.1 reply"]);
	answers.send("1", { say: "children", command: 1, alive: 1 });
	expect(sent.at(-1)).toBe("1 children");
});

test.each(["stop", "interrupt"] as const)("a %s lets the answer go at once, before itself", (say) => {
	const { answers, sent, kept } = heldAnswers(true);
	answers.send("1", WITH_COMMAND);
	const ending = { by: "stopped", reason: "", signal: 15 } as const;
	answers.send("1", say === "stop" ? { say, ending } : { say });
	expect(sent).toEqual(["1 reply", `1 ${say}`]);
	kept();
	expect(sent).toHaveLength(2);
});

test("when nothing is being kept no answer waits", () => {
	const { answers, sent } = heldAnswers(false);
	answers.send("1", WITH_COMMAND);
	expect(sent).toEqual(["1 reply"]);
});
