/** Full contexts, whole program: against a service that counts, and with scripts. Each request is one that it takes. */
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { History } from "../../../src/agent/context/history.ts";
import { addUsage, NO_USAGE } from "../../../src/core/model/usage.ts";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import type { TranscriptEntry } from "../../../src/core/schemas/transcript.ts";
import { forEachEntry } from "../../../src/record/read-events.ts";
import { type FakeAnswer, lastText, type RecordedRequest, startFakeApi } from "../../fixtures/fake-api.ts";
import type { FakeTurn } from "../../fixtures/fake-api-stream.ts";
import { runProgram, startProgram, temporaryHome } from "../program.ts";
import { KEY, runs, says, taskOf } from "./api-run.ts";

const ROUNDS = 13;
const LONG = "head -c 15000 /dev/zero | tr '\\0' x";
const isSummary = ({ body }: RecordedRequest) => lastText(body.messages).includes("Write down all that is needed");
const tokensOf = ({ raw }: RecordedRequest) => Math.ceil(raw.length / 4);

/** Counts the bytes of what was dropped, by the path that stands for it. */
const countDropped = ({ raw }: RecordedRequest) => `wc -c < ${/the whole is in (\/[^\]]+)\]/.exec(raw)?.[1]}`;

/** The root starts one agent, which looks at long files and at what was dropped; the second of its summaries is empty. */
async function startService() {
	let rounds = 0;
	let summaries = 0;
	let hasCounted = false;
	const answer = (request: RecordedRequest): FakeTurn["content"] => {
		if (isSummary(request)) return ++summaries === 2 ? [] : [says(`SUMMARY ${summaries}: ${rounds} files`)];
		if (taskOf(request) === "delegate")
			return request.body.messages.length === 1 ? [runs("r", 'agent "look at all"')] : [says("all seen")];
		rounds += 1;
		const thinks = { type: "thinking" as const, thinking: "hm", signature: `s${rounds}` };
		if (request.raw.includes("the whole is in") && !hasCounted) {
			hasCounted = true;
			return [thinks, runs(`c${rounds}`, countDropped(request))];
		}
		return rounds > ROUNDS ? [says("seen")] : [thinks, runs(`c${rounds}`, `: ${rounds}; ${LONG}`)];
	};
	const api = await startFakeApi((request) => {
		const usage = { input: 100, cacheRead: tokensOf(request) - 100, output: 50 };
		return { content: answer(request), usage, pieceSize: 1_000 };
	});
	onTestFinished(() => api.close());
	return api;
}

const ofChild = (events: RunEvent[], event: RunEvent["event"]) =>
	events.filter((one) => one.event === event && "agent" in one && one.agent === "1.1");

// Seen to fail: without the threshold no summary is asked for; when results stay that the note drops, a request is too long.
test("a child's long conversation is kept below its threshold by summaries, which its transcript tells and add up", async () => {
	const api = await startService();
	const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url };
	const args = ["run", "--compact-at", "2%", "--output-format", "stream-json", "delegate"];
	const program = startProgram(args, { env });
	const { code, stdout } = await program.ended;
	expect([code, stdout.toString("utf8").includes("SUMMARY")]).toEqual([0, false]);
	expect(api.requests.map(({ refusal }) => refusal).filter((refusal) => refusal !== undefined)).toEqual([]);

	const child = api.requests.filter((request) => taskOf(request) === "look at all");
	const summaries = child.filter(isSummary);
	expect(summaries.length).toBeGreaterThanOrEqual(3);
	expect(child.length).toBe(ROUNDS + 1 + summaries.length);
	for (const request of summaries) {
		expect(request.body).not.toHaveProperty("tool_choice"); // with another one no message is read from the cache
		expect([request.body.system, request.body.tools]).toEqual([child[0]?.body.system, child[0]?.body.tools]);
		const next = child[child.indexOf(request) + 1];
		expect(next?.raw.length).toBeLessThan(request.raw.length * 0.8);
	}
	for (const request of child) expect(tokensOf(request)).toBeLessThan(25_000);

	const directory = await program.runDirectory();
	const history = new History((log) => join(directory, "1", "1", log));
	const entries: TranscriptEntry[] = [];
	forEachEntry(directory, "1.1", (entry) => entries.push(entry));
	for (const entry of entries.slice(0, -1)) history.add(entry);
	expect(history.requestMessages).toEqual(child.at(-1)?.body.messages);
	const notes = entries.flatMap((entry) => (entry.role === "note" && entry.note === "compaction" ? [entry] : []));
	expect(notes.map(({ how }) => how)).toContain("dropped_results");
	expect(notes.map(({ how }) => how)).toContain("summary");

	const events = program.events();
	expect(ofChild(events, "history_compacted")).toEqual(
		notes.map(({ how, tokensBefore, tokensAfter }) => ({
			...{ event: "history_compacted", at: expect.any(Number), agent: "1.1", how, tokensBefore, tokensAfter },
		})),
	);
	const turns = ofChild(events, "turn_started").filter((event) => !("purpose" in event));
	expect(turns.length).toBe(ROUNDS + 1);
	const charged = ofChild(events, "turn_ended").map((event) => ("usage" in event ? event.usage : NO_USAGE));
	const written = entries.map((entry) => ("usage" in entry ? entry.usage : NO_USAGE));
	expect(written.reduce(addUsage)).toEqual(charged.reduce(addUsage));

	const results = entries.flatMap((entry) => (entry.role === "user" ? entry.content : []));
	expect(results).toContainEqual(expect.objectContaining({ content: "15000\n" })); // also in a sandbox in another one
	const shown = await runProgram(["show", `${basename(directory)}/1.1`], { home: program.home });
	const marked = shown.stdout.split("\n").filter((line) => line.startsWith("== "));
	expect(marked.length).toBe(notes.length);
});

const scripted = (turns: string, compaction: string) => {
	const home = temporaryHome();
	writeFileSync(join(home, "s.yaml"), `agents:\n  - compaction: ${compaction}\n    turns:\n${turns}`);
	return home;
};
const LOOK = `      - run: "${LONG.replaceAll("\\", "\\\\")}"\n        usage: { input: 9000 }\n`;
const FULL = '      - error: { status: 400, message: "prompt is too long: 1200000 tokens > 1000000 maximum" }\n';

test("a service that says once that the prompt is too long gets a shorter one; one that always says it ends the agent", async () => {
	const once = scripted(`${LOOK.repeat(3)}${FULL}      - say: "{{agent}} is done"\n`, '"3 files"');
	const args = ["run", "--model", "script:s.yaml", "look"];
	expect(await runProgram(args, { home: once })).toEqual({ exit: 0, stdout: "1 is done\n", stderr: "" });
	const always = scripted(`${LOOK.repeat(3)}${FULL.repeat(9)}`, '"3 files"');
	const end = await runProgram(args, { home: always });
	expect(end).toEqual({
		exit: 1,
		stdout: "",
		stderr: expect.stringMatching(
			/^agent 1: failure: the model's context is full and cannot be reduced further \(.*\): give it a smaller task\n$/,
		),
	});
});

// Seen to fail: in a sandbox the path that stands for a result was another one for the agent than for its supervisor.
test("results dropped for a limit's report, and more when it goes on, can be read by the paths that stand for them", async () => {
	const tooLong = (n: number): FakeAnswer => ({
		error: { status: 400, type: "invalid_request_error", message: `prompt is too long: ${n} tokens > 1000000 maximum` },
	});
	const refused = { report: 0, again: 0 };
	const api = await startFakeApi((request) => {
		const { tool_choice: choice, messages } = request.body;
		const answered = messages.filter(({ role }) => role === "assistant").length;
		if (isSummary(request)) return { content: [] };
		if (choice?.type === "none")
			return refused.report++ === 0 ? tooLong(1_200_000) : { content: [says("as far as I got")] };
		if (answered < 6) return { content: [runs(`c${answered}`, LONG)] };
		if (answered === 7 && refused.again++ === 0) return tooLong(3_000_000);
		return { content: answered === 7 ? [runs("w", countDropped(request))] : [says(lastText(messages))] };
	});
	onTestFinished(() => api.close());
	const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url };
	const program = startProgram(["run", "--max-turns", "6", "look"], { env });
	const { code, stdout } = await program.ended;
	expect([code, stdout.toString("utf8")]).toEqual([3, "as far as I got\n"]);
	const run = basename(await program.runDirectory());
	const more = await runProgram(["resume", run, "go on", "--max-turns", "20"], { env, home: program.home });
	expect(more).toEqual({ exit: 0, stdout: "15000\n", stderr: "" });
	const dropped = program.events().filter((event) => event.event === "history_compacted");
	expect(dropped.map(({ how }) => how)).toEqual(["dropped_results", "dropped_results"]);
});

test("stopped while a summary is written, the agent ends as stopped, without the summary's words", async () => {
	const says = `      - say: I look\n${LOOK.replace("-", " ")}`;
	const home = scripted(`${LOOK}${says}`, '{ say: "a summary of it all", delay: 1m }');
	const program = startProgram(["run", "--model", "script:s.yaml", "--compact-at", "0.001", "look"], { home });
	await program.waitForEvent((event) => event.event === "turn_started" && event.purpose === "compaction");
	program.kill("SIGINT");
	const { code, stdout } = await program.ended;
	expect([code, stdout.toString("utf8")]).toEqual([130, "I look\n"]);
});
