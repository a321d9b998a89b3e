/** How a conversation ends that nobody ends by a key: signals, a closed terminal, a supervisor that is killed, Ctrl-Z. */
import { describe, expect, test, vi } from "vitest";
import { hasEnded, procTable } from "../../../src/processes/table/process-table.ts";
import { hasTmux } from "../../fixtures/terminal.ts";
import { WAIT } from "../../wait.ts";
import { runs, says } from "../api/api-run.ts";
import { startTalkService } from "../conversation/conversation-run.ts";
import { runProgram } from "../program.ts";
import { type ChatInTerminal, chatInTerminal, listens } from "./chat-terminal.ts";

const answer = (text: string) => ({ content: [says(text)] });
const bash = (command: string) => ({ content: [says("I run it."), runs("t1", command)] });

const isGone = (pid: number) => {
	const info = procTable.read(pid);
	return info === undefined || hasEnded(info);
};

/** Nothing of the run lives any more, and its end is written. */
async function runEnds(talk: ChatInTerminal) {
	await talk.happens(({ event }) => event === "run_ended");
	const { supervisor } = talk.runFile();
	await vi.waitFor(() => expect(isGone(supervisor.pid)).toBe(true), WAIT);
}

const REPLIES = {
	hello: answer("Good day."),
	work: bash("echo at work; sleep 300"),
	"go on": answer("I go on."),
};

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	test.each([
		["SIGTERM", 143],
		["SIGHUP", 129],
	] as const)("%s ends the run as a stop does, and the conversation can be gone on with", async (signal, code) => {
		const api = await startTalkService(REPLIES);
		const talk = await chatInTerminal(api, { args: "talk work" });
		await talk.terminal.shows(/at work/);
		process.kill(talk.pid, signal);
		await runEnds(talk);
		await vi.waitFor(() => expect(isGone(talk.pid)).toBe(true), WAIT);
		await talk.terminal.isRestored();
		expect(talk.runFile()).toMatchObject({ ending: { by: "stopped", reason: `the chat received ${signal}` } });
		expect(talk.runFile().exitCode).toBe(code);
		const again = await chatInTerminal(api, { args: "-c", home: talk.home, name: "other" });
		await again.terminal.shows(/I run it\.[\s\S]*was stopped here \(the chat received/);
		again.say("go on");
		await again.terminal.shows(/I go on\./);
	});

	test("a terminal that is closed ends the run, also while the agent waits", async () => {
		const api = await startTalkService(REPLIES);
		const talk = await chatInTerminal(api, { args: "talk hello" });
		await talk.waitsForPerson();
		talk.terminal.close();
		await runEnds(talk);
		await vi.waitFor(() => expect(isGone(talk.pid)).toBe(true), WAIT);
	});

	test("a supervisor that is killed is said, with how to go on; the terminal is restored", async () => {
		const api = await startTalkService(REPLIES);
		const talk = await chatInTerminal(api, { args: "talk work" });
		await talk.terminal.shows(/at work/);
		process.kill(talk.runFile().supervisor.pid, "SIGKILL");
		await talk.terminal.shows(/the supervisor of run \w{4} died[^\n]*\nTo resume: agent -c/);
		talk.terminal.type("echo code $?");
		await talk.terminal.shows(/code 75/);
		await talk.terminal.isRestored();
		const fresh = await chatInTerminal(api, { home: talk.home, name: "fresh" });
		await fresh.terminal.shows(/unfinished here: work \(interrupted, \d+s ago\); to resume: \/resume, or agent -c/);
		fresh.terminal.press("C-d");
		const again = await chatInTerminal(api, { args: "-c", home: talk.home, name: "other" });
		await again.terminal.shows(/crashed here \(its supervisor died\) and was resumed/);
		again.say("go on");
		await again.terminal.shows(/I go on\./);
	});

	// Seen to fail: it was called interrupted.
	test.each(["stop", "kill -9"])(
		"a conversation that waits when it is ended by %s has answered, and says so",
		async (how) => {
			const api = await startTalkService(REPLIES);
			const talk = await chatInTerminal(api, { args: "talk hello" });
			const { home } = talk;
			await talk.waitsForPerson();
			if (how === "stop") await runProgram(["stop"], { home });
			else process.kill(talk.runFile().supervisor.pid, "SIGKILL");
			await talk.terminal.shows(/To resume: agent -c/);
			const { stdout: listed } = await runProgram(["ls"], { home });
			expect(listed).toMatch(/ answered .* hello\n$/);
			const { stdout: shown } = await runProgram(["show"], { home });
			expect(shown).toMatch(/state +ended while waiting for you: (stopped|crashed): /);
			const fresh = await chatInTerminal(api, { home, name: "fresh" });
			expect(await fresh.terminal.shows(/for more/)).not.toMatch(/unfinished here/);
		},
	);

	test("Ctrl-Z suspends the conversation and not its run, and fg draws it again", async () => {
		const api = await startTalkService({
			...REPLIES,
			begin: bash("until [ -e go ]; do sleep 0.05; done; echo gone"),
			gone: answer("Done."),
		});
		const talk = await chatInTerminal(api, { args: "talk begin" });
		await talk.terminal.shows(/\$ until/);
		talk.terminal.press("C-z");
		await talk.terminal.shows(/Stopped/);
		await talk.terminal.isRestored();
		talk.terminal.type("clear; touch go");
		await talk.happens(listens);
		talk.terminal.resize(70, 20);
		talk.terminal.type("fg");
		await talk.terminal.shows(/Done\.\s+> *\n.*context/);
		talk.say("hello");
		await talk.terminal.shows(/> hello\n\nGood day\./);
	});

	test("without a key the conversation stays, and the first message is in the line again", async () => {
		const api = await startTalkService(REPLIES);
		const talk = await chatInTerminal(api, { env: "; unset ANTHROPIC_API_KEY" });
		await talk.terminal.shows(/no key for the model/);
		talk.say("hello");
		await talk.terminal.shows(/no key for the model[\s\S]*no key for the model[\s\S]*\n> hello\n/);
		expect(talk.runs()).toEqual([]);
		talk.terminal.press("C-c");
		await talk.terminal.showsNo(/\n> hello/);
		talk.terminal.press("C-d");
		await vi.waitFor(() => expect(isGone(talk.pid)).toBe(true), WAIT);
		await talk.terminal.isRestored();
	});

	test("Ctrl-C ends a command of the person's own, and all that it started", async () => {
		const api = await startTalkService(REPLIES);
		const talk = await chatInTerminal(api);
		talk.say("!echo $$; sleep 301 & sleep 302");
		const shown = await talk.terminal.shows(/sleep 302\n {2}\d+\n/);
		const own = Number(/sleep 302\n {2}(\d+)/.exec(shown)?.[1]);
		talk.terminal.press("C-c");
		await talk.terminal.shows(/ended by SIGTERM|exit status 143/);
		await vi.waitFor(() => {
			const alive = procTable.list().filter((info) => info.session === procTable.read(own)?.session && !hasEnded(info));
			expect(isGone(own) && alive.length <= 1).toBe(true);
		}, WAIT);
	});

	// Seen to fail without a guard: both sleeps lived on.
	test("a command of the person's own ends with a conversation that is killed", async () => {
		const api = await startTalkService(REPLIES);
		const talk = await chatInTerminal(api);
		talk.say("!trap '' TERM; echo $$ of; sleep 303 & sleep 304");
		const shown = await talk.terminal.shows(/\n {2}\d+ of\n/);
		const session = Number(/\n {2}(\d+) of\n/.exec(shown)?.[1]);
		const alive = () => procTable.list().filter((info) => info.session === session && !hasEnded(info));
		const started = procTable.list().filter(({ parent }) => parent === talk.pid);
		expect([started.length, alive().length]).toEqual([2, 4]); // the command, and who ends it
		process.kill(talk.pid, "SIGKILL");
		await vi.waitFor(() => expect([alive(), started.filter(({ pid }) => !isGone(pid))]).toEqual([[], []]), WAIT);
	});
});
