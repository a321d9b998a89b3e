/** A conversation in whose way something stands: it was suspended for long, its supervisor hangs, or the terminal is gone. */
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { hasEnded, procTable } from "../../../src/processes/table/process-table.ts";
import { hasTmux } from "../../fixtures/terminal.ts";
import { WAIT } from "../../wait.ts";
import { runs, says } from "../api/api-run.ts";
import { startTalkService } from "../conversation/conversation-run.ts";
import { chatInTerminal, listens } from "./chat-terminal.ts";

const REPLIES = { hello: { content: [says("Good day.")] }, work: { content: [runs("t1", "echo at work; sleep 300")] } };

const isGone = (pid: number) => {
	const info = procTable.read(pid);
	return info === undefined || hasEnded(info);
};

const suspend = (pid: number) => {
	process.kill(pid, "SIGSTOP");
	return vi.waitFor(() => expect(procTable.read(pid)?.state).toBe("T"), WAIT);
};

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	// Seen to fail: a supervisor closes a watcher that leaves 16 MiB unread, and that was taken for its death.
	test("suspended while more was said than a watcher may leave unread, it goes on with fg", async () => {
		const much = `${"x".repeat(99)}\n`.repeat(100_000);
		const api = await startTalkService({
			begin: { content: [says(much), runs("t1", "echo next")], pieceSize: 50_000 },
			next: { content: [says(`${much}The end.`)], pieceSize: 50_000 },
			after: { content: [says("It goes on.")] },
		});
		const talk = await chatInTerminal(api);
		talk.say("begin");
		await talk.terminal.shows(/x{99}/);
		talk.terminal.press("C-z");
		await talk.happens(listens);
		await talk.terminal.shows(/Stopped/);
		talk.terminal.type("fg");
		await talk.terminal.shows(/The end\.\n\n>\n/);
		talk.say("after");
		await talk.terminal.shows(/> after\n\nIt goes on\./);
		expect(talk.runs()).toHaveLength(1);
	});

	// Seen to fail: nobody looked after the supervisor, and the conversation waited for its end forever.
	test("a suspended supervisor is not waited for: leaving ends its run all the same, and says how", async () => {
		const api = await startTalkService(REPLIES);
		const talk = await chatInTerminal(api, { args: "talk hello" });
		await talk.waitsForPerson();
		const { supervisor, run } = talk.runFile();
		await suspend(supervisor.pid);
		talk.terminal.press("C-d");
		await talk.terminal.shows(/ending the run … press again to quit immediately/);
		talk.terminal.press("C-d");
		await talk.terminal.shows(new RegExp(`stopped run ${run}, whose[\\s\\S]*To resume: agent -c`));
		talk.terminal.type("echo code $?");
		await talk.terminal.shows(/code 0/);
		await talk.terminal.isRestored();
		expect(isGone(supervisor.pid)).toBe(true);
	});

	test("a stop that a suspended supervisor does not answer leaves no agent", async () => {
		const api = await startTalkService(REPLIES);
		const talk = await chatInTerminal(api, { args: "talk work" });
		await talk.terminal.shows(/at work/);
		const { supervisor, run } = talk.runFile();
		const [agent] = talk.events().flatMap((event) => (event.event === "agent_joined" ? [event.pid] : []));
		await suspend(supervisor.pid);
		talk.terminal.press("C-d");
		await talk.terminal.shows(/the agent is working: {2}s stop/);
		talk.terminal.press("s", "C-d");
		await talk.terminal.shows(new RegExp(`stopped run ${run}, whose`));
		expect([supervisor.pid, agent ?? 0].map(isGone)).toEqual([true, true]);
	});

	test("a closed terminal ends a conversation whose supervisor is suspended", async () => {
		const api = await startTalkService(REPLIES);
		const talk = await chatInTerminal(api, { args: "talk hello" });
		await talk.waitsForPerson(); // a chat whose run only begins is ended in another way
		const { supervisor } = talk.runFile();
		await suspend(supervisor.pid);
		talk.terminal.close();
		await vi.waitFor(() => expect([talk.pid, supervisor.pid].map(isGone)).toEqual([true, true]), WAIT);
	});

	// Seen to fail with lines that waited as strings: it needed 208 MB more.
	test.skipIf(!existsSync("/proc/self/status"))(
		"20 MB of answers, which come faster than the terminal takes them, cost it a bounded room",
		async () => {
			const line = "The **quick** brown fox jumps over the `lazy` dog, and so on until the end of the line.\n";
			const much = line.repeat(5_000_000 / line.length);
			const answer = (end: string) => ({ content: [says(`${much}\n${end}`)], pieceSize: 20_000 });
			const api = await startTalkService({ one: answer("End of one."), two: answer("End of two.") });
			const talk = await chatInTerminal(api);
			const before = mostMegabytes(talk.pid);
			for (const word of ["one", "two", "one", "two"]) {
				talk.say(word);
				await talk.happens(listens, talk.events().filter(listens).length + 1);
				await talk.terminal.shows(new RegExp(`End of ${word}\\.\\n\\n>`));
			}
			expect(mostMegabytes(talk.pid) - before).toBeLessThan(170);
		},
		120_000,
	);

	test.each<{ how: string; hurt: (path: string) => void }>([
		{ how: "emptied", hurt: (path) => truncateSync(path, 0) },
		{ how: "torn", hurt: (path) => truncateSync(path, readFileSync(path).length - 7) },
		{ how: "overwritten", hurt: (path) => writeFileSync(path, "{nonsense\n".repeat(3)) },
		{ how: "removed", hurt: (path) => rmSync(path) },
	])("of a transcript that is $how while it is watched what is said after that is shown", async ({ hurt }) => {
		const api = await startTalkService({
			...REPLIES,
			...{ again: { content: [says("Once more.")] }, third: { content: [says("And more.")] } },
		});
		const talk = await chatInTerminal(api, { args: "talk hello" });
		await talk.happens(listens);
		hurt(join(talk.runs()[0] ?? "", "1/transcript.jsonl"));
		talk.say("again");
		await talk.terminal.shows(/> again\n\nOnce more\.[\s\S]*\n>\n/);
		talk.say("third");
		await talk.terminal.shows(/> third\n\nAnd more\.[\s\S]*\n>\n/);
		talk.terminal.press("C-d");
		await talk.terminal.shows(/To resume: agent -c/);
	});
});

function mostMegabytes(pid: number): number {
	const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
	return Number(kilobytes) / 1024;
}
