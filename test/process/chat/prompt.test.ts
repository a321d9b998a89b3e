/** The prompt of a conversation by keys and screens: what is typed and pasted, and what of it the agent is sent. */
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasTmux } from "../../fixtures/terminal.ts";
import { says } from "../api/api-run.ts";
import { startTalkService } from "../conversation/conversation-run.ts";
import { temporaryHome } from "../program.ts";
import { chatInTerminal, listens } from "./chat-terminal.ts";

const answer = (text: string) => ({ content: [says(text)] });
const SHIFT_ENTER = ["-l", "\u001b[13;2u"];

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	test("a paste of many lines is one mark, sends nothing, and is sent whole", async () => {
		const api = await startTalkService({ "line 499": answer("All read.") });
		const talk = await chatInTerminal(api);
		const lines = Array.from({ length: 500 }, (_, n) => `line ${n} 漢字`).join("\n");
		talk.terminal.press("-l", "see ");
		talk.terminal.paste(lines);
		await talk.terminal.shows(/> see \[pasted 500 lines\]\n/);
		talk.terminal.press("-l", "x");
		await talk.terminal.shows(/> see \[pasted 500 lines\]x\n/);
		expect(talk.runs()).toEqual([]);
		talk.terminal.press("BSpace", "Enter");
		await talk.terminal.shows(/All read\./);
		expect(JSON.stringify(api.requests[0]?.body.messages)).toContain(JSON.stringify(`see ${lines}`).slice(1, -1));
	});

	test("a paste without marks sends nothing either", async () => {
		const api = await startTalkService({});
		const talk = await chatInTerminal(api);
		talk.terminal.press("-l", "one\rtwo\rthree\r");
		await talk.terminal.shows(/> one\n {2}two\n {2}three\n/);
		expect(talk.runs()).toEqual([]);
	});

	test("more lines, wide letters and edited words arrive as they were shown", async () => {
		const api = await startTalkService({ 漢字: answer("Understood.") });
		const talk = await chatInTerminal(api);
		talk.terminal.press("-l", "漢字 one tow");
		talk.terminal.press(...SHIFT_ENTER);
		talk.terminal.press("-l", "last\\");
		await talk.terminal.shows(/^ {2}last\\$/m); // what comes in one read with the Enter is a paste, in which it stays
		talk.terminal.press("Enter");
		await talk.terminal.shows(/^ {2}last$/m);
		talk.terminal.press("-l", "line");
		talk.terminal.press("Up", "Up", "End", "C-w");
		talk.terminal.press("-l", "two 👩‍👩‍👧!");
		talk.terminal.press("Left", "BSpace");
		await talk.terminal.shows(/> 漢字 one two !\n {2}last\n {2}line\n/);
		talk.terminal.press("Enter");
		await talk.terminal.shows(/Understood\./);
		expect(JSON.stringify(api.requests[0]?.body.messages)).toContain("漢字 one two !\\nlast\\nline");
	});

	test("Up and Down move between the rows that are shown", async () => {
		const talk = await chatInTerminal(await startTalkService({}));
		talk.terminal.press("-l", "x".repeat(195));
		await talk.terminal.shows(/> x{96}\n {2}x{96}\n {2}xxx\n/);
		talk.terminal.press("Up", "Up");
		talk.terminal.press("-l", "!");
		await talk.terminal.shows(/> xxx!x{92}\n/);
	});

	test("the person's own editor gets the message and gives it back", async () => {
		const home = temporaryHome();
		const editor = join(home, "editor");
		writeFileSync(editor, '#!/bin/sh\necho "in the editor"; read -r answer; echo "more $answer" >> "$1"\n');
		chmodSync(editor, 0o700);
		const api = await startTalkService({});
		const talk = await chatInTerminal(api, { home, env: `EDITOR=${editor} TMPDIR=${home}` });
		talk.terminal.press("-l", "a message");
		talk.terminal.press("C-g");
		await talk.terminal.shows(/in the editor/);
		talk.terminal.press("-l", "words");
		talk.terminal.press("Enter");
		await talk.terminal.shows(/> a message\n {2}more words\n/);
		talk.terminal.press("C-x", "C-e");
		await talk.terminal.shows(/in the editor[\s\S]*in the editor/);
		talk.terminal.press("Enter");
		await talk.terminal.shows(/> a message\n {2}more words\n {2}more\n/);
		expect(readdirSync(home).filter((name) => name.startsWith("agentree-message-"))).toEqual([]);
	});

	test("the next conversation of the directory has the messages, and Ctrl-R finds them", async () => {
		const api = await startTalkService({ fix: answer("Fixed."), tests: answer("Tested.") });
		const talk = await chatInTerminal(api);
		talk.say("fix the build");
		await talk.happens(listens);
		talk.say("run the tests");
		await talk.terminal.shows(/Tested\./);
		await talk.waitsForPerson(2);
		talk.terminal.press("C-d");
		await talk.terminal.shows(/To resume: agent -c/);
		talk.terminal.type("clear; node -e 0");
		const next = await chatInTerminal(api, { home: talk.home, name: "next" });
		next.terminal.press("Up", "Up");
		await next.terminal.shows(/> fix the build\n/);
		next.terminal.press("C-c");
		await next.terminal.showsNo(/> fix the build\n/);
		next.terminal.press("C-r");
		next.terminal.press("-l", "build");
		await next.terminal.shows(/search: build\n> fix the build\n/);
		next.terminal.press("Escape");
		await next.terminal.showsNo(/search:/);
		await next.terminal.shows(/> fix the build\n/);
		const history = join(talk.home, "agentree", "history");
		expect(readdirSync(history).map((name) => statSync(join(history, name)).mode & 0o777)).toEqual([0o600]);
	});

	test("Tab completes files and commands, lists what there is to choose, and goes through it", async () => {
		const home = temporaryHome();
		mkdirSync(join(home, "some files"));
		for (const name of ["one.txt", "other.txt"]) writeFileSync(join(home, "some files", name), "");
		const talk = await chatInTerminal(await startTalkService({}), { home });
		talk.terminal.press("-l", "see @some");
		talk.terminal.press("Tab");
		await talk.terminal.shows(/> see @"some files\/\n/);
		talk.terminal.press("Tab");
		await talk.terminal.shows(/> see @"some files\/o\none.txt +other.txt\n/);
		talk.terminal.press("Tab", "Tab");
		await talk.terminal.shows(/> see @"some files\/other.txt"\n/);
		talk.terminal.press("Enter");
		await talk.terminal.showsNo(/one.txt +other.txt/);
		await talk.terminal.shows(/> see @"some files\/other.txt"/);
		expect(talk.runs()).toEqual([]);
		talk.terminal.press("C-c");
		talk.terminal.press("-l", "/hel");
		talk.terminal.press("Tab");
		await talk.terminal.shows(/> \/help/);
	});
});
