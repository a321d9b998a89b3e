/** A conversation whose files are damaged is gone on with at a terminal, which says what is lost. */
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasTmux } from "../../fixtures/terminal.ts";
import { says } from "../api/api-run.ts";
import { startTalkService } from "../conversation/conversation-run.ts";
import { chatInTerminal } from "./chat-terminal.ts";

const tear = (path: string) => truncateSync(path, readFileSync(path).length - 7);

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	test.each<{ file: string; how: string; hurt: (path: string) => void; told: RegExp }>([
		{
			file: "1/transcript.jsonl",
			how: "torn",
			hurt: tear,
			told: /was\s+resumed;\s+the\s+last\s+line\s+of\s+agent\s+1's\s+transcript\s+was\s+torn,\s+dropped/,
		},
		{
			file: "1/transcript.jsonl",
			how: "overwritten",
			hurt: (path) => writeFileSync(path, "{nonsense\n{more\n"),
			told: /skipped a line that is not a message/,
		},
		{ file: "events.jsonl", how: "torn", hurt: tear, told: /the last line is torn, dropped/ },
		{ file: "run.json", how: "removed", hurt: (path) => rmSync(path), told: /rebuilt/ },
		{
			file: "1/agent.json",
			how: "torn",
			hurt: tear,
			told: /was\s+resumed;\s+cannot\s+read[\s\S]*rebuilt/,
		},
	])("$file is $how", async ({ file, hurt, told }) => {
		const api = await startTalkService({
			hello: { content: [says("Good day.")] },
			again: { content: [says("Once more.")] },
		});
		const before = await chatInTerminal(api, { args: "talk hello" });
		await before.waitsForPerson();
		before.terminal.press("C-d");
		await before.terminal.shows(/To resume: agent -c/);
		hurt(join(before.runs()[0] ?? "", file));
		const talk = await chatInTerminal(api, { args: "-c", home: before.home, name: "again" });
		talk.say("again");
		await talk.terminal.shows(/Once more\./);
		const shown = talk.terminal.scrollback().join("\n");
		expect(shown).toMatch(told);
	});
});
