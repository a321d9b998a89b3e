/** What terminals send for keys by the protocols that a conversation asks them for, and that they are asked for it no longer afterwards. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import { hasTmux } from "../../fixtures/terminal.ts";
import { WAIT } from "../../wait.ts";
import { runs, says } from "../api/api-run.ts";
import { startTalkService } from "../conversation/conversation-run.ts";
import { temporaryHome } from "../program.ts";
import { chatInTerminal, listens } from "./chat-terminal.ts";

const HOOK = fileURLToPath(new URL("../../fixtures/plant-bug.cjs", import.meta.url));
const CSI = "\u001b[";
const WORK = { content: [says("I run it."), runs("t1", "echo at work; sleep 300")] };

const PROTOCOLS = [
	{
		...{ protocol: "kitty's protocol", shiftEnter: `${CSI}13;2u`, altEnter: `${CSI}13;3u`, ctrlEnter: `${CSI}13;5u` },
		...{ escape: `${CSI}27u`, enter: `${CSI}13;1:1u`, again: `${CSI}33;1:2u`, released: `${CSI}13;1:3u${CSI}27;1:3u` },
	},
	{
		...{ protocol: "modifyOtherKeys", shiftEnter: `${CSI}27;2;13~`, altEnter: `${CSI}27;3;13~` },
		...{ ctrlEnter: `${CSI}27;5;13~`, escape: "\u001b", enter: "\r", again: "!", released: "" },
	},
];

/** Modes that a terminal is asked for, and those in which it is left, as it was told. */
function modesIn(bytes: string): { asked: number; left: Record<string, boolean> } {
	const changes = [...bytes.matchAll(/\u001b\[(\?1004|\?2004|>4|>|<)(;1m|h|l|m|5u|u)/g)];
	const left: Record<string, boolean> = {};
	for (const [, mode = "", what = ""] of changes) {
		const isOn = what === "h" || what === ";1m" || what === "5u";
		left[mode === "<" ? ">" : mode] = isOn;
	}
	return { asked: changes.filter(([, , what]) => what === "5u").length, left };
}
const OFF = { "?1004": false, "?2004": false, ">4": false, ">": false };

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	test.each(PROTOCOLS)("by $protocol keys mean what they are, and releases and the focus are none", async (keys) => {
		const api = await startTalkService({ three: WORK, now: WORK });
		const talk = await chatInTerminal(api);
		const send = (text: string) => text !== "" && talk.terminal.press("-l", text);
		for (const text of ["one", keys.shiftEnter, "two", keys.altEnter, "three", keys.again]) send(text);
		for (const text of [keys.released, `${CSI}O`, keys.released, `${CSI}I`]) send(text);
		await talk.terminal.shows(/> one\n {2}two\n {2}three!\n/);
		send(keys.enter);
		await talk.terminal.shows(/> one\n> two\n> three!\n[\s\S]*at work/);
		send("now");
		send(keys.ctrlEnter);
		await talk.terminal.shows(/interrupted[\s\S]*> now\n[\s\S]*at work/);
		send(keys.released);
		send(keys.escape);
		await talk.happens(listens);
		expect(api.requests).toHaveLength(2);
	});

	const ENDS = [
		{ end: "Ctrl-D", asked: 1, act: (talk: Talk) => talk.terminal.press("C-d") },
		{ end: "SIGTERM", asked: 1, act: (talk: Talk) => process.kill(talk.pid, "SIGTERM") },
		{ end: "SIGHUP", asked: 1, act: (talk: Talk) => process.kill(talk.pid, "SIGHUP") },
		{ end: "an error that nobody catches", asked: 1, act: (talk: Talk) => writeFileSync(join(talk.home, "due"), "") },
		{ end: "Ctrl-Z", asked: 1, act: (talk: Talk) => talk.terminal.press("C-z") },
		{
			...{ end: "Ctrl-Z, fg and Ctrl-D", asked: 2 },
			act: async ({ terminal }: Talk) => {
				terminal.press("C-z");
				await terminal.shows(/Stopped/);
				terminal.type("clear; fg");
				await terminal.shows(/\n> *\n.*claude/);
				terminal.press("C-d");
			},
		},
	];
	test.each(ENDS)("the terminal is asked for nothing any more after $end", async ({ act, asked }) => {
		const api = await startTalkService({ hello: { content: [says("Good day.")] } });
		const home = temporaryHome();
		const bytes = join(home, "bytes");
		const bug = `; bind 'set enable-bracketed-paste off'; export BUG_IN='agent conversation' BUG_WHEN=${home}/due NODE_OPTIONS='--require ${HOOK}'`;
		const talk = await chatInTerminal(api, { args: "talk hello", home, env: bug, record: bytes });
		await talk.waitsForPerson(); // now Ctrl-D asks nothing
		await act(talk);
		await vi.waitFor(() => expect(modesIn(readFileSync(bytes, "utf8"))).toEqual({ asked, left: OFF }), WAIT);
		await talk.terminal.isRestored();
	});
});

type Talk = Awaited<ReturnType<typeof chatInTerminal>>;
