/** A conversation keeps its files before the first command after each message, and `agent undo` puts them back. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
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
	expect(await undo("--yes")).toMatchObject({ exit: 0, stderr: expect.stringContaining("do not know of that") });
	expect(contentsOf(top)).toEqual({ a: "644 one\ntwo\n", "d/": "", "d/b": "644 new\n" });
	expect((await undo("--yes")).exit).toBe(0);
	expect(contentsOf(top)).toEqual({ a: "644 one\n" });
	await person.asks({ say: "close" });
	expect((await program.ended).code).toBe(0);
	expect((await undo("--list")).stdout.split("\n")).toHaveLength(5);
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
