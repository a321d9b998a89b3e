/** Questions of agents, answered by keys in a conversation, in a real terminal. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { hasTmux } from "../../fixtures/terminal.ts";
import { WAIT } from "../../wait.ts";
import { runs, says } from "../api/api-run.ts";
import { startTalkService } from "../conversation/conversation-run.ts";
import { AGENT_PROGRAM, runProgram } from "../program.ts";
import { chatInTerminal, listens } from "./chat-terminal.ts";

const service = (command: string) =>
	startTalkService({
		begin: { content: [runs("t1", command)] },
		"None of it was done": { content: [says("It was refused.")] },
		"(no output)": { content: [says("It is done.")] },
		8080: { content: [says("It listens at 8080.")] },
	});

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	test("a command is shown above the line, is read with Tab, and runs after y", async () => {
		const talk = await chatInTerminal(await service("touch one &&\n\ttouch two"), { args: "talk --ask always begin" });
		const { terminal, home } = talk;
		await terminal.shows(
			/ \? question 1 {2}1 begin .* Tab to answer\s+\$ touch one && ⏎ touch two {2}\(no rule allows/,
		);
		await vi.waitFor(() => expect(terminal.title()).toBe("agentree: asks"), WAIT);
		terminal.press("y"); // is text: the person has not turned to it
		await terminal.shows(/Tab on an empty line to answer/);
		terminal.press("BSpace", "Tab");
		await terminal.shows(/Question 1 of agent 1, waiting \d+s\nRun this command\?\n\$ touch one &&\n {6}touch two/);
		await terminal.shows(/\ny {4}yes, once\n/);
		expect(existsSync(join(home, "one"))).toBe(false);
		terminal.press("y");
		await terminal.shows(/It is done\./);
		expect(["one", "two"].map((name) => existsSync(join(home, name)))).toEqual([true, true]);
	});

	test("words refuse it, while the line stays as it was", async () => {
		const talk = await chatInTerminal(await service("touch one"), {
			args: "talk --ask always begin",
			env: "NO_COLOR=1",
		});
		await talk.terminal.shows(/Tab to answer/);
		talk.terminal.press("Tab");
		await talk.terminal.shows(/n {4}no, with a reason/);
		talk.terminal.press("n");
		await talk.terminal.shows(/No, with an optional reason/);
		talk.say("not before the tests");
		await talk.terminal.shows(/It was refused\./);
		await talk.terminal.shows(/got an answer to question 1: no: not before the tests/);
		expect(existsSync(join(talk.home, "one"))).toBe(false);
	});

	test("what a child asks is answered by a number, on a small terminal, too", async () => {
		const child = "agent -m shell 'agent ask \"Which port?\" --choices 80,8080'";
		const talk = await chatInTerminal(await service(child), { args: "talk --ask-wait begin" });
		await talk.terminal.shows(/\? question 1 {2}1\.1 /);
		talk.terminal.resize(40, 12);
		await talk.terminal.shows(/ \? question 1 .*Tab to answer/);
		talk.terminal.press("Tab");
		await talk.terminal.shows(/Question 1 of agent 1\.1[\s\S]*Which port\?[\s\S]*2 {2}8080/);
		talk.terminal.press("Down", "Down", "Enter");
		await talk.terminal.shows(/It listens at 8080\./);
	});

	test("what was answered elsewhere is said, and takes no key", async () => {
		const talk = await chatInTerminal(await service("touch one"), { args: "talk --ask always begin" });
		await talk.terminal.shows(/Tab to answer/);
		talk.terminal.press("Tab");
		await talk.terminal.shows(/Question 1 of agent 1, waiting/);
		expect(await runProgram(["answer", "1", "no"], { home: talk.home })).toMatchObject({ exit: 0 });
		await talk.terminal.shows(/Answered elsewhere: no\. Esc to close/);
		talk.terminal.press("y", "q");
		await talk.happens(listens);
		await talk.terminal.shows(/Answered elsewhere/);
		talk.terminal.press("Escape");
		await talk.terminal.showsNo(/Answered elsewhere/);
		expect(existsSync(join(talk.home, "one"))).toBe(false);
	});

	test("after kill -9 of the conversation a dashboard shows the question, and answers it", async () => {
		const talk = await chatInTerminal(await service("touch one"), { args: "talk --ask always begin" });
		await talk.terminal.shows(/Tab to answer/);
		process.kill(talk.pid, "SIGKILL");
		await talk.terminal.shows(/Killed/);
		talk.terminal.type(`reset; ${process.execPath} ${AGENT_PROGRAM} attach`);
		await talk.terminal.shows(/\? question 1 .* r to answer/);
		talk.terminal.press("r");
		await talk.terminal.shows(/Question 1 of agent 1, waiting/);
		talk.terminal.press("y");
		await talk.happens(listens);
		expect(existsSync(join(talk.home, "one"))).toBe(true);
		await runProgram(["stop"], { home: talk.home });
	});

	test("without a sandbox and questions that is always on the screen", async () => {
		const talk = await chatInTerminal(await service("touch one"), {
			...{ args: "--dangerously-skip-permissions", env: "NO_COLOR=1" },
		});
		await talk.terminal.shows(/^NO SANDBOX, NO QUESTIONS: agents can do everything you can/m);
		await talk.terminal.shows(/\nNO SANDBOX, NO QUESTIONS {2}\S+/);
		talk.say("begin");
		await talk.terminal.shows(/It is done\.[\s\S]*\nNO SANDBOX, NO QUESTIONS {2}\S+/);
		expect(existsSync(join(talk.home, "one"))).toBe(true);
	});
});
