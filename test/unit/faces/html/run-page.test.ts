import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { runPage } from "../../../../src/faces/html/run-page.ts";
import { createRun } from "../../../../src/record/run-writer.ts";
import { agentFile, agentJoined, runFile, runStarted, T0, temporaryHome } from "../../record/fabricate.ts";
import { type Fabricated, recordedRun } from "../json/fabricated-run.ts";
import { END, EVENTS, recordRun } from "../print/recorded-run.ts";

const pageOf = (run: Fabricated) => [...runPage(recordedRun(run))].join("");
/** The style is in the page as it is in its file, and its digest follows from it. */
const withoutStyle = (page: string) => page.replace(/<style>.*<\/style>/s, "").replace(/sha256-[^']*/, "sha256-…");

test("a page has the run, its answer, the tree, the time of each agent, and what each did, with all that is hostile as text", async () => {
	const directory = recordRun(temporaryHome(), {});
	const damage = ["events.jsonl line 7: not valid JSON, <skipped>"];
	const page = pageOf({ directory, events: [...EVENTS, ...END], now: T0 + 68_200, damage });
	await expect(withoutStyle(page)).toMatchFileSnapshot("run-page.txt");
});

test("the page of a run that is alive says so, and what is under way has no end", () => {
	const directory = recordRun(temporaryHome(), {});
	const page = pageOf({ directory, events: EVENTS.slice(0, 8), now: T0 + 5_000 });
	expect(page).toContain("The run is still running; this page shows it at 2026-11-27 20:15:35.");
	expect(page).toContain('<p class="end busy">waiting 2s, $ agent &#34;count (+1)</p>');
});

test("pauses and messages are on the bars and in the histories", () => {
	const directory = recordRun(temporaryHome(), {});
	const acts: RunEvent[] = [
		{ event: "agent_paused", at: T0 + 1_000, agent: "1", from: null },
		{ event: "message_sent", at: T0 + 1_200, agent: "1", from: "1.1", text: "mind <the> tests" },
		{ event: "agent_continued", at: T0 + 1_500, agent: "1", from: null },
	];
	const events = [...EVENTS.slice(0, 4), ...acts, ...EVENTS.slice(4)];
	const page = pageOf({ directory, events, now: T0 + 68_200 });
	expect(page).toContain(
		"<title>1: ran 1m05s, thought 1s, paused 500ms, waited for agents 250ms, queued 20ms, 1 message</title>",
	);
	expect(page).toContain('<rect class="paused" x="7" y="2" width="4" height="8"/>');
	const mark =
		'<rect class="message" x="8" width="3" height="10"><title>20:15:31 message from agent 1.1: mind &#60;the&#62; tests';
	expect(page).toContain(mark);
	expect(
		page
			.match(/<h4>turn 1(?:.*\n){4}/)?.[0]
			.replace(/<[^>]*>/g, "")
			.trim()
			.split("\n"),
	).toEqual([
		"turn 1 20:15:30 took 2s · 1.2k in / 80 out, $0.0123",
		"20:15:31 was paused by you, with all agents below it",
		"20:15:31 was sent a message by agent 1.1: mind &#60;the&#62; tests",
		"20:15:31 was continued by you, with all agents below it",
	]);
});

/** Of the elements and attributes that are on a page: `a href`, `pre`. */
function markupIn(page: string): string[] {
	const tags = [...page.matchAll(/<([a-z][a-z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"]*")?)*)\s*\/?>/g)];
	const names = tags.flatMap(([, name = "", attributes = ""]) => [
		name,
		...[...attributes.matchAll(/\s([a-zA-Z-]+)(?==|\s|$)/g)].map(([, attribute]) => `${name} ${attribute}`),
	]);
	return [...new Set(names)].sort();
}

test("whatever all texts of a run say, a page has the same elements as with plain ones, and nothing from elsewhere", () => {
	const markup = markupIn(pageWith("plain"));
	expect(markup.length).toBeGreaterThan(40);
	const hostile = `"'></title></style></pre><script src=//x.test/a.js></script><img src=x onerror="a()"><a href='javascript:a()' style="background:url(//x.test)">x\u202e\u001b]8;;http://x.test\u0007`;
	const page = pageWith(hostile);
	expect(markupIn(page)).toEqual(markup);
	const links = [...page.matchAll(/<[a-z][^>]*\shref="([^"]*)"/g)].map(([, href]) => href);
	expect(links.filter((href) => !/^#agent-[\d.]+$/.test(href ?? ""))).toEqual([]);
	expect(pageWith("plain")).not.toMatch(/\/\/|url\(|src=|@import|<script|<link|<iframe|\son[a-z]+=/);
});

test("a browser takes the style, and by the page's own policy nothing else", () => {
	const page = pageWith("plain");
	const digest = createHash("sha256")
		.update(/<style>(.*)<\/style>/s.exec(page)?.[1] ?? "")
		.digest("base64");
	const policy = `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`;
	expect(page).toContain(`<meta http-equiv="Content-Security-Policy" content="${policy}">`);
	expect(page.indexOf("Content-Security-Policy")).toBeLessThan(page.indexOf("<style>"));
});

/** A page of a run in which each text that comes from elsewhere is `text`. */
function pageWith(text: string): string {
	const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
	const ending = { by: "failure", reason: text, exitCode: 1 } as const;
	const charge = { usage, costUsd: 0.1 };
	const end = { by: "stopped", reason: text } as const;
	const at = T0 + 200;
	const started = { event: "command_started", at, agent: "1", pid: 7, startTime: "1", log: "out/0001.log" } as const;
	const events: RunEvent[] = [
		runStarted({ task: text, model: text, cwd: text }),
		{ ...agentJoined("1", T0, { task: text }), model: text } as RunEvent,
		agentJoined("1.1", T0, { task: text, command: 1 }),
		{ event: "turn_started", at, agent: "1", turn: 1, isLast: false },
		{ event: "turn_retrying", at, agent: "1", turn: 1, attempt: 1, waitMs: 9, reason: text, ...charge },
		{ event: "turn_ended", at: at + 50, agent: "1", turn: 1, stopReason: text, ...charge },
		{ ...started, command: 1, text },
		{ ...started, command: 2, text },
		{ event: "command_ended", at: at + 60, agent: "1", command: 1, end, outputBytes: 3, leftRunning: [] },
		{ event: "child_refused", at, parent: "1", code: text, reason: text, task: text },
		{ event: "turn_started", at: at + 70, agent: "1", turn: 2, isLast: false },
		{ event: "turn_failed", at: at + 80, agent: "1", turn: 2, reason: text, ...charge },
		{ event: "agent_paused", at: at + 81, agent: "1", from: null },
		{ event: "message_sent", at: at + 82, agent: "1", from: null, text },
		{ event: "run_ended", at: T0 + 900, ending, exitCode: 1, survivors: [] },
	];
	const file = { task: text, cwd: text, model: text, version: text };
	const run = createRun(temporaryHome(), runFile());
	run.addAgent(agentFile({ task: `do ${text}`, cwd: text, model: text }));
	const call = (id: string) =>
		({ type: "tool_use", id, name: text, input: id === "a" ? { command: text } : text }) as const;
	const content = [
		{ type: "text", text } as const,
		{ type: "thinking", thinking: text, signature: "s" } as const,
		...[call("a"), call("b")],
		{ type: `odd ${text}` } as never,
	];
	run.record("1", { role: "user", at, content: [{ type: "text", text }] });
	const note = { role: "note", at, turn: 1, usage, costUsd: 1 } as const;
	run.record("1", { ...note, note: "call", outcome: "failed", reason: text, partial: text });
	const compaction = { summary: text, keptMessages: 1, tokensBefore: 2, tokensAfter: 1 };
	run.record("1", { role: "note", note: "compaction", at, turn: 1, how: "summary", ...compaction });
	run.record("1", { role: "note", note: "resumed", at, reason: text });
	run.record("1", { role: "assistant", at, turn: 1, model: text, stopReason: text, usage, costUsd: 1, content });
	const result = { type: "tool_result", tool_use_id: "a", content: `${`${text}\n`.repeat(20)}` } as const;
	const commands = [{ command: 1, toolUseId: "a", end, outputBytes: 3, log: "out/0001.log" }];
	run.record("1", { role: "user", at, content: [result], commands });
	run.close();
	return pageOf({ directory: run.directory, events, now: T0 + 900, file, damage: [text] });
}
