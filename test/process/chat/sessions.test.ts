/** Conversations that are gone on with: chosen from a list, copied, cut, and begun anew. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { hasTmux, openTerminal } from "../../fixtures/terminal.ts";
import { WAIT } from "../../wait.ts";
import { runs, says } from "../api/api-run.ts";
import { startTalkService } from "../conversation/conversation-run.ts";
import { temporaryHome } from "../program.ts";
import { chatInTerminal, chatLine, listens } from "./chat-terminal.ts";

const answer = (text: string) => ({ content: [says(text)] });
const bash = (id: string, command: string) => ({ content: [says("I run it."), runs(id, command)] });

const REPLIES = { apples: answer("About apples."), pears: answer("About pears."), "go on": answer("I go on.") };

/** Says each, and leaves. */
async function haveTalked(api: Awaited<ReturnType<typeof startTalkService>>, ...messages: readonly string[]) {
	const home = temporaryHome();
	for (const [n, message] of messages.entries()) {
		const talk = await chatInTerminal(api, { home, args: `talk '${message}'`, name: `before-${n}` });
		await talk.waitsForPerson(n + 1);
		talk.terminal.press("C-d");
		await talk.terminal.shows(/To resume: agent -c/);
		talk.terminal.close();
	}
	return home;
}

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	test("-r offers the conversations of the directory, words narrow them, and Enter goes on with one", async () => {
		const api = await startTalkService(REPLIES);
		const home = await haveTalked(api, "of apples", "of pears");
		const talk = await chatInTerminal(api, { home, args: "-r" });
		await talk.terminal.shows(/resume: *\n[\s\S]*> \w{4} .*of pears\n {2}\w{4} .*of apples\n/);
		talk.terminal.press("-l", "apples");
		await talk.terminal.shows(/> \w{4} .*of apples\n {2}Type to filter/);
		talk.terminal.press("Enter");
		await talk.terminal.shows(/resuming run \w{4} in ~[\s\S]*About apples\./);
		talk.say("go on");
		await talk.terminal.shows(/I go on\./);
		expect(talk.runs()).toHaveLength(2);
	});

	test("/resume leaves for another conversation, /new for a new one, and /fork for a copy", async () => {
		const api = await startTalkService(REPLIES);
		const home = await haveTalked(api, "of apples");
		const talk = await chatInTerminal(api, { home, args: "talk 'of pears'" });
		await talk.happens(listens, 2);
		talk.say("/resume");
		await talk.terminal.shows(/> \w{4} .*of apples\n/);
		talk.terminal.press("Enter");
		await talk.terminal.shows(/resuming run \w{4} in ~[\s\S]*About apples\./);
		talk.say("/fork");
		await talk.terminal.shows(/run \w{4} is a copy of run \w{4}, which is unchanged[\s\S]*was resumed[\s\S]*\n> *\n/);
		talk.say("go on");
		await talk.terminal.shows(/I go on\./);
		expect(talk.runs()).toHaveLength(3);
		talk.say("/new");
		await talk.terminal.shows(/agentree [\d.]+: claude-sonnet-5-5 in ~\n.*for more\n\n?> *\n/);
		expect(talk.runs()).toHaveLength(3);
	});

	// Seen to fail: a terminal ends the lines that it reads by itself with a line feed, which was taken for Ctrl-J.
	test("a message that is typed before the prompt is there is sent, and what goes on is said at once", async () => {
		const api = await startTalkService(REPLIES);
		const home = await haveTalked(api, "of apples");
		const terminal = openTerminal(home, "early");
		terminal.type(chatLine(api, home, "-c"));
		terminal.type("go on");
		await terminal.shows(/resuming run \w{4}: of apples\n[\s\S]*resuming run \w{4} in ~[\s\S]*I go on\./);
	});

	// Seen to fail: the line of the conversation that ended took it, and was gone with that.
	test("what is typed right behind /new and /fork is said in the conversation that comes", async () => {
		const api = await startTalkService(REPLIES);
		const talk = await chatInTerminal(api, { args: "talk 'of apples'" });
		const say = async (command: string, message: string) => {
			talk.terminal.press("-l", command);
			await talk.terminal.shows(new RegExp(`> ${command}\\n`)); // in one read with more it could be a paste
			talk.terminal.press("Enter");
			talk.say(message);
		};
		await talk.waitsForPerson();
		await say("/new", "of pears");
		await talk.terminal.shows(/> of pears\n[\s\S]*\nAbout pears\./);
		await vi.waitFor(() => expect(talk.terminal.title()).toBe("agentree: waiting for you"), WAIT);
		await say("/fork", "go on");
		await talk.terminal.shows(/is a copy of run[\s\S]*> go on\n[\s\S]*\nI go on\./);
		expect(talk.runs()).toHaveLength(3);
	});

	// Seen to fail: the one that was left, or closed, ended the conversation under the other.
	test("two terminals share a conversation: each sees all, and it goes on at the one that stays", async () => {
		const api = await startTalkService(REPLIES);
		const first = await chatInTerminal(api, { args: "talk 'of apples'" });
		await first.happens(listens);
		const second = await chatInTerminal(api, { home: first.home, args: "-c", name: "second" });
		await second.terminal.shows(/About apples\./);
		second.say("of pears");
		await first.terminal.shows(/> of pears\n\nAbout pears\./);
		await vi.waitFor(() => expect(first.terminal.title()).toBe("agentree: waiting for you"), WAIT);
		first.terminal.press("C-d");
		await first.terminal.shows(/run \w{4} is still running; to return: agent -c here/);
		second.say("go on");
		await second.terminal.shows(/I go on\./);
		const third = await chatInTerminal(api, { home: first.home, args: "-c", name: "third" });
		second.terminal.close();
		third.say("of pears");
		await third.terminal.shows(/I go on\.\n\n> of pears\n\nAbout pears\./);
		third.terminal.press("C-d");
		await third.terminal.shows(/To resume: agent -c/);
		expect(third.runFile()).toMatchObject({ ending: { by: "answer" } });
	});

	test("/undo puts files back, and cuts the conversation before the message, which is in the line again", async () => {
		const api = await startTalkService({
			first: bash("t1", "echo one > kept"),
			second: bash("t2", "echo two > kept; echo new > made"),
			...{ one: answer("First done."), two: answer("Second done."), t2: answer("Done.") },
		});
		const home = temporaryHome();
		const project = join(home, "project");
		mkdirSync(project);
		const talk = await chatInTerminal(api, { home, args: "-C project" });
		talk.say("first");
		await talk.happens(listens, 1);
		talk.say("second");
		await talk.waitsForPerson(2);
		expect(existsSync(join(project, "made"))).toBe(true);
		talk.say("/undo");
		await talk.terminal.shows(/back to before "second"[\s\S]*M kept[\s\S]*A made[\s\S]*b files and conversation/);
		talk.terminal.press("-l", "b");
		await talk.terminal.shows(/restored 1 file, removed 1 file[\s\S]*is a copy of run[\s\S]*\n> second\n/);
		expect(readFileSync(join(project, "kept"), "utf8")).toBe("one\n");
		expect(existsSync(join(project, "made"))).toBe(false);
		expect(talk.runs()).toHaveLength(2);
	});
});
