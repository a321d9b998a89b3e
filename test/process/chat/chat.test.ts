/** A conversation by keys and screens: the program, a shell, a terminal, and a service that streams. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { hasTmux } from "../../fixtures/terminal.ts";
import { WAIT } from "../../wait.ts";
import { KEY, runs, says } from "../api/api-run.ts";
import { startTalkService } from "../conversation/conversation-run.ts";
import { temporaryHome } from "../program.ts";
import { chatInTerminal, listens } from "./chat-terminal.ts";

const answer = (text: string) => ({ content: [says(text)] });
const bash = (command: string) => ({ content: [says("I run it."), runs("t1", command)] });

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	test("agent alone is a conversation: each message is answered, and leaving ends the run with its answer", async () => {
		const api = await startTalkService({ hello: answer("Good day."), again: answer("Once more.") });
		const talk = await chatInTerminal(api);
		expect(talk.runs()).toEqual([]);
		talk.say("hello");
		await talk.terminal.shows(/> hello\n[\s\S]*Good day\./);
		await talk.happens(listens);
		talk.say("again");
		await talk.terminal.shows(/> again\n\nOnce more\./);
		await talk.waitsForPerson(2);
		talk.terminal.press("C-d");
		await talk.terminal.shows(/To resume: agent -c here, or agent -r \w{4}\n/);
		expect(talk.runFile()).toMatchObject({
			task: "hello",
			isConversation: true,
			ending: { by: "answer" },
			exitCode: 0,
		});
		await talk.terminal.isRestored();
	});

	test("the key of a file of another tool serves a conversation when the file is named", async () => {
		const api = await startTalkService({ hello: answer("Good day.") });
		const home = temporaryHome();
		writeFileSync(join(home, "auth.json"), '{"ANTHROPIC_API_KEY": "key-of-the-tool"}');
		const talk = await chatInTerminal(api, {
			...{ home, args: "--credentials-file auth.json", env: "; unset ANTHROPIC_API_KEY" },
		});
		talk.say("hello");
		await talk.terminal.shows(/Good day\./);
		expect(api.requests[0]?.headers.authorization).toBe("Bearer key-of-the-tool");
	});

	test("keys of a pipe that --env-file names are there for the first message, and for the next conversation", async () => {
		const api = await startTalkService({ hello: answer("Good day."), other: answer("Another one.") });
		const args = `--env-file <(echo ANTHROPIC_API_KEY=${KEY})`;
		const talk = await chatInTerminal(api, { args, env: "; unset ANTHROPIC_API_KEY" });
		talk.say("hello");
		await talk.terminal.shows(/> hello\n[\s\S]*Good day\./);
		await talk.happens(listens);
		talk.say("/new");
		await talk.terminal.shows(/Good day\.\n[\s\S]*\/help for more/);
		talk.say("other");
		await talk.terminal.shows(/> other\n[\s\S]*Another one\./);
	});

	test("a message that is sent while a command runs waits, and is delivered before the next call", async () => {
		const api = await startTalkService({
			begin: bash("until [ -e go ]; do sleep 0.05; done; echo gone"),
			steer: answer("Steered."),
		});
		const talk = await chatInTerminal(api, { args: "talk begin" });
		await talk.terminal.shows(/\$ until [\s\S]*running/);
		talk.say("steer this way");
		await talk.terminal.shows(/> steer this way\s+queued/);
		talk.say("!touch go");
		await talk.terminal.shows(/gone\n[\s\S]*> steer this way\n\nSteered\./);
		expect(api.requests).toHaveLength(2);
		expect(JSON.stringify(api.requests[1]?.body.messages.at(-1))).toMatch(/gone.*steer this way/);
	});

	test("Up takes a queued message back, and Esc ends the command and brings back what waits", async () => {
		const api = await startTalkService({ begin: bash("echo at work; sleep 60"), now: answer("As you like.") });
		const talk = await chatInTerminal(api, { args: "talk begin" });
		await talk.terminal.shows(/at work/);
		talk.say("first thought");
		await talk.terminal.shows(/> first thought\s+queued/);
		talk.terminal.press("Up");
		await talk.terminal.shows(/\n> first thought\n(?!.*queued)/);
		talk.terminal.press("Enter");
		await talk.terminal.shows(/> first thought\s+queued/);
		talk.terminal.press("Escape");
		await talk.happens(listens);
		await talk.terminal.shows(/\n> first thought\n[^\n]*$/);
		talk.say(", now");
		await talk.terminal.shows(/> first thought, now\n\nAs you like\./);
		const last = JSON.stringify(api.requests.at(-1)?.body.messages);
		expect(last).toMatch(/at work/);
		expect(last).toMatch(/interrupted/);
	});

	test("leaving while the agent works asks; left running it is taken up again from another terminal", async () => {
		const api = await startTalkService({
			begin: bash("until [ -e go ]; do sleep 0.05; done; echo gone"),
			gone: answer("It is done."),
		});
		const talk = await chatInTerminal(api, { args: "talk begin" });
		await talk.terminal.shows(/\$ until/);
		talk.terminal.press("C-d");
		await talk.terminal.shows(/the agent is working: +s stop · l leave running · Esc cancel/);
		talk.terminal.press("Escape");
		await talk.terminal.showsNo(/Esc cancel/);
		talk.terminal.press("C-d");
		await talk.terminal.shows(/Esc cancel/);
		talk.terminal.press("l");
		await talk.terminal.shows(/run \w{4} is still running; to return: agent -c here/);
		await talk.terminal.isRestored();
		talk.terminal.type("touch go");
		const again = await chatInTerminal(api, { args: "-c", home: talk.home, name: "other" });
		await again.terminal.shows(/It is done\./);
		again.terminal.press("C-d");
		await again.terminal.shows(/To resume: agent -c/);
		expect(again.runFile()).toMatchObject({ ending: { by: "answer" } });
		expect(again.runs()).toHaveLength(1);
	});

	test("what the agent works with is changed for the next call, and a question beside the conversation is not kept", async () => {
		const api = await startTalkService({
			hello: answer("Good day."),
			weather: answer("It rains."),
			again: answer("Once more."),
		});
		const talk = await chatInTerminal(api, { args: "talk hello" });
		await talk.happens(listens);
		talk.say("/model opus");
		await talk.happens(({ event }) => event === "agent_changed");
		talk.say("/btw the weather?");
		await talk.terminal.shows(/> \/btw the weather\?\n[\s\S]*It rains\./);
		talk.say("again");
		await talk.terminal.shows(/Once more\./);
		expect(api.requests.map(({ body }) => body.model)).toEqual([
			"claude-sonnet-5-5",
			"claude-opus-5-5",
			"claude-opus-5-5",
		]);
		expect(JSON.stringify(api.requests.at(-1)?.body.messages)).not.toContain("weather");
	});

	test("/tree shows the dashboard over the conversation, which shows what came meanwhile when q comes back", async () => {
		const api = await startTalkService({
			begin: bash("until [ -e go ]; do sleep 0.05; done; echo gone"),
			gone: answer("It is done."),
		});
		const talk = await chatInTerminal(api, { args: "talk begin" });
		await talk.terminal.shows(/\$ until/);
		talk.say("/tree");
		await talk.terminal.shows(/Tree +sort[\s\S]*quit/);
		writeFileSync(join(talk.home, "go"), "");
		await talk.happens(listens);
		talk.terminal.press("q");
		await talk.terminal.shows(/gone\n[\s\S]*It is done\.\s+> *\n/);
		talk.terminal.press("C-d");
		await talk.terminal.shows(/To resume: agent -c/);
		await talk.terminal.isRestored();
	});

	test("Esc while an answer streams keeps what was said, and Ctrl-Enter ends one for the next message", async () => {
		const hold = () => new Promise<void>(() => {});
		const streams = (text: string) => ({
			...answer(`${text}\nand more of it`),
			pieceSize: 30,
			beforeEvent: (_: string, n: number) => (n < 4 ? undefined : hold()),
		});
		const api = await startTalkService({
			first: streams("The first line of an answer."),
			second: streams("A line of the second answer."),
			third: answer("The third."),
		});
		const talk = await chatInTerminal(api, { args: "talk first" });
		await talk.terminal.shows(/The first line/);
		talk.terminal.press("Escape");
		await talk.happens(listens);
		talk.say("second");
		await talk.terminal.shows(/A line of the second/);
		talk.terminal.press("-l", "third");
		talk.terminal.press("-l", "\u001b[13;5u"); // Ctrl-Enter
		await talk.terminal.shows(/> third\n\nThe third\./);
		const last = JSON.stringify(api.requests.at(-1)?.body.messages);
		expect(last).toMatch(
			/The first line of an answer\.[\s\S]*interrupted[\s\S]*A line of the second answer\.[\s\S]*third/,
		);
		expect(api.requests).toHaveLength(3);
	});

	test("Enter on an empty line delivers what waits at once: the command under way is ended", async () => {
		const api = await startTalkService({ begin: bash("echo at work; sleep 60"), hurry: answer("At once.") });
		const talk = await chatInTerminal(api, { args: "talk begin" });
		await talk.terminal.shows(/at work/);
		talk.say("hurry");
		await talk.terminal.shows(/> hurry\s+queued/);
		talk.terminal.press("Enter");
		await talk.terminal.shows(/> hurry\n\nAt once\./);
	});

	test("/copy gives the newest answer, or one before it, to the terminal's clipboard", async () => {
		const api = await startTalkService({ hello: answer("Good **day**."), again: answer("Once more.") });
		const talk = await chatInTerminal(api, { args: "talk hello" });
		await talk.happens(listens);
		talk.say("again");
		await talk.happens(listens, 2);
		const file = join(talk.home, "written");
		talk.terminal.record(file);
		const copied = (text: string) => `\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`;
		talk.say("/copy");
		await vi.waitFor(() => expect(readFileSync(file, "latin1")).toContain(copied("Once more.")), WAIT);
		talk.say("/copy 2");
		await vi.waitFor(() => expect(readFileSync(file, "latin1")).toContain(copied("Good **day**.")), WAIT);
	});

	test("/export writes the run as a page, and replaces no file", async () => {
		const api = await startTalkService({ hello: answer("Good day.") });
		const talk = await chatInTerminal(api, { args: "talk hello" });
		await talk.happens(listens);
		talk.say("/export page.html");
		await talk.terminal.shows(/wrote .*page\.html/);
		expect(readFileSync(join(talk.home, "page.html"), "utf8")).toContain("Good day.");
		talk.say("/export page.html");
		await talk.terminal.shows(/page\.html.*exists/);
	});
});
