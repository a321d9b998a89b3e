/** What a person does in a conversation that goes on before the process of its agent is there. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { hasTmux } from "../../fixtures/terminal.ts";
import { says } from "../api/api-run.ts";
import { startTalkService } from "../conversation/conversation-run.ts";
import { chatInTerminal } from "./chat-terminal.ts";

const HOOK = fileURLToPath(new URL("../../fixtures/late-root.cjs", import.meta.url));
const answer = (text: string) => ({ content: [says(text)] });

/** A conversation that was left, and is gone on with; its agent begins once `begin` was called. */
async function goOn() {
	const api = await startTalkService({ hello: answer("Good day."), "go on": answer("I go on.") });
	const before = await chatInTerminal(api, { args: "talk hello" });
	await before.waitsForPerson();
	before.terminal.press("C-d");
	await before.terminal.shows(/To resume: agent -c/);
	const file = join(before.home, "begin");
	const env = `NODE_OPTIONS=--require=${HOOK} ROOT_MAY_BEGIN=${file}`;
	const talk = await chatInTerminal(api, { args: "-c", home: before.home, name: "again", env });
	return { talk, begin: () => writeFileSync(file, "") };
}

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	test("a message that is said before the agent is there is answered", async () => {
		const { talk, begin } = await goOn();
		talk.say("go on");
		await talk.terminal.shows(/\n> *\nstarting/);
		begin();
		await talk.terminal.shows(/was resumed[\s\S]*> go on\n[\s\S]*I go on\./);
	});

	test("who leaves before the agent is there leaves when it is, and the run ends", async () => {
		const { talk, begin } = await goOn();
		talk.terminal.press("C-d");
		await talk.terminal.shows(/s stop · l leave running/);
		begin();
		await talk.terminal.shows(/To resume: agent -c/);
		await talk.terminal.isRestored();
		expect(talk.runFile()).toMatchObject({ ending: { by: "answer" }, exitCode: 0 });
	});
});
