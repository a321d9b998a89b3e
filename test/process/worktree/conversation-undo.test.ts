/** A conversation keeps its files before the first command after each message, and `agent undo` puts them back. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { UserBlock } from "../../../src/core/model/message.ts";
import { readTranscript } from "../../fixtures/read-transcript.ts";
import { runs, says } from "../api/api-run.ts";
import {
	Person,
	type Replies,
	startConversation,
	startTalkService,
	type TalkOptions,
} from "../conversation/conversation-run.ts";
import { runProgram, temporaryHome } from "../program.ts";
import { contentsOf } from "./project.ts";

const textOfBlock = (block: UserBlock) => (block.type === "text" ? [block.text] : []);

async function talkIn(replies: Replies, options: TalkOptions = {}, programs?: Record<string, string>) {
	const home = temporaryHome();
	const top = join(home, "project");
	mkdirSync(top);
	writeFileSync(join(top, "a"), "one\n");
	const bin = join(home, "programs");
	mkdirSync(bin);
	for (const [name, text] of Object.entries(programs ?? {})) writeFileSync(join(bin, name), text, { mode: 0o755 });
	const api = await startTalkService(replies);
	const env = {
		...{
			PATH: `${bin}:${process.env.PATH}`,
			HOME: home,
			XDG_RUNTIME_DIR: `${home}/run`,
			AGENTREE_HOME: `${home}/agentree`,
		},
		GIT_CONFIG_NOSYSTEM: "1",
	};
	const program = startConversation({ api, home, ...options, settings: { cwd: top, env, ...options.settings } });
	const person = await Person.joins(program);
	const undo = (...args: string[]) => runProgram(["undo", ...args], { home, cwd: top });
	return { program, person, top, undo };
}

const TWICE: Replies = {
	first: { content: [runs("toolu_1", "echo two >> a; mkdir d; echo new > d/b")] },
	second: { content: [runs("toolu_2", 'rm -r d; agent --model shell "echo three >> a"')] },
	"": { content: [says("done")] },
};

test("each message can be undone, what child agents did, too, and what came before it stays", async () => {
	const { program, person, top, undo } = await talkIn(TWICE, { task: "first" });
	await person.until(() => person.state === "listening");
	await person.says("second");
	await person.until(() => (person.run.agents["1"]?.turns ?? 0) >= 4 && person.state === "listening");
	expect(contentsOf(top)).toEqual({ a: "644 one\ntwo\nthree\n" });
	const kept = program.events().filter(({ event }) => event === "tree_kept");
	expect(kept).toMatchObject([
		{ agent: "1", id: 1, top },
		{ agent: "1", id: 2, top },
	]);
	const names = program.events().map(({ event }) => event);
	expect(names.indexOf("tree_kept")).toBeLessThan(names.indexOf("command_started"));
	expect(names.lastIndexOf("tree_kept")).toBeLessThan(names.lastIndexOf("command_started"));
	const shown = await undo();
	expect(shown.stdout).toMatch(/^back to before "second"/);
	expect(shown.stdout).toMatch(/ {2}M a {2}\+1 -0\n {2}D d\/b/);
	expect(await undo("--yes")).toMatchObject({
		exit: 0,
		stderr: expect.stringContaining("the agent will be told with your next message"),
	});
	expect(contentsOf(top)).toEqual({ a: "644 one\ntwo\n", "d/": "", "d/b": "644 new\n" });
	expect((await undo("--yes")).exit).toBe(0);
	expect(contentsOf(top)).toEqual({ a: "644 one\n" });
	await person.asks({ say: "close" });
	expect((await program.ended).code).toBe(0);
	expect((await undo("--list")).stdout.split("\n")).toHaveLength(5);
});

// Seen to fail: the model went on with what it knew of the files.
test("the agent is told of an undo with the person's next message, and once", async () => {
	const replies = { again: { content: [says("done")] }, ...TWICE };
	const { program, person, undo } = await talkIn(replies, { task: "first" });
	await person.until(() => person.state === "listening");
	expect((await undo("--yes")).exit).toBe(0);
	await person.says("again");
	await person.until(() => person.run.agents["1"]?.turns === 3 && person.state === "listening");
	await person.says("and again");
	await person.until(() => person.run.agents["1"]?.turns === 4 && person.state === "listening");
	const note = /^\[I used undo to restore 2 files to their state before my message "first" \(undo 2\)\. .*\]$/;
	const { values } = readTranscript(await program.runDirectory(), "1");
	const texts = values.flatMap((entry) => (entry.role === "user" ? entry.content : [])).flatMap(textOfBlock);
	expect(texts.map((text) => text.split("\n\n"))).toEqual([
		["first"],
		["again", expect.stringMatching(note)],
		["and again"],
	]);
	await person.asks({ say: "close" });
	await program.ended;
});

test("a message that is taken back, or waits, does not tell an undo twice", async () => {
	const { person, undo, program } = await talkIn(TWICE, { task: "first" });
	await person.until(() => person.state === "listening");
	expect((await undo("--yes")).exit).toBe(0);
	await person.asks({ say: "pause", agent: "1", isHard: false });
	await person.says("again");
	await person.says("more");
	const waiting = () => person.run.agents["1"]?.messages?.map(({ text }) => text.includes("[I used undo to restore"));
	expect(waiting()).toEqual([true, false]);
	await person.asks({ say: "withdraw", agent: "1" });
	expect(await person.asks({ say: "withdraw", agent: "1" })).toEqual({ say: "withdrawn", agent: "1", text: "again" });
	await person.says("other");
	expect(waiting()).toEqual([true]);
	void person.asks({ say: "stop_agent", agent: "1", signal: 15, isHurry: false, reason: "enough" });
	await program.ended;
});

/** It never comes to an end, but for what asks it for its version. */
const SLOW_GIT = `#!/bin/bash
case "$*" in *--version) echo git version 2.39.0 ;; *) exec sleep 1000 ;; esac
`;

test("a command waits no longer than 10 s for git, an interruption does not wait, and the run's end leaves none of it", async () => {
	const { program, person, top } = await talkIn(TWICE, { task: "first" }, { git: SLOW_GIT });
	await person.until(() => person.state === "running");
	expect(await person.interrupts()).toMatchObject({ say: "interrupted" });
	await person.until(() => person.state === "listening");
	expect(program.events().map(({ event }) => event)).not.toContain("command_started");
	expect(readFileSync(join(top, "a"), "utf8")).toBe("one\n");
	await person.says("first, again");
	await person.until(() => person.state === "listening" && (person.run.agents["1"]?.commands ?? 0) > 0);
	expect(program.events().find(({ event }) => event === "tree_not_kept")).toMatchObject({
		reason: expect.stringContaining("10 s"),
	});
	expect(readFileSync(join(top, "a"), "utf8")).toBe("one\ntwo\n");
	await person.asks({ say: "close" });
	expect((await program.ended).code).toBe(0);
});

test("without git it is said once, and the conversation goes on", async () => {
	const env = { PATH: "/nonexistent" };
	const { program, person } = await talkIn(
		{ first: { content: [runs("toolu_1", "echo hi")] }, "": { content: [says("done")] } },
		{ task: "first", settings: { env } },
	);
	await person.until(() => person.state === "listening");
	await person.says("again");
	await person.until(() => (person.run.agents["1"]?.turns ?? 0) >= 3 && person.state === "listening");
	expect(program.events().filter(({ event }) => event.startsWith("tree_"))).toMatchObject([
		{ event: "tree_not_kept", agent: "1", reason: "git is not installed" },
	]);
	await person.asks({ say: "close" });
});
