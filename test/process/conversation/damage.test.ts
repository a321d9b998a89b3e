/** The files of a conversation are damaged while it lives, or while nobody holds it: it goes on, and what is sound is kept. */
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { FakeApi } from "../../fixtures/fake-api.ts";
import { readTranscript } from "../../fixtures/read-transcript.ts";
import { says } from "../api/api-run.ts";
import { runProgram } from "../program.ts";
import { Person, startConversation, startTalkService } from "./conversation-run.ts";

const DAMAGES: Record<string, (path: string) => void> = {
	torn: (path) => truncateSync(path, readFileSync(path).length - 7),
	overwritten: (path) => writeFileSync(path, "\u0000\u0001{nonsense\n".repeat(50)),
	removed: (path) => rmSync(path),
};
const CASES = [
	...["torn", "overwritten", "removed"].map((damage) => ({ file: "1/transcript.jsonl", damage })),
	...["torn", "removed"].map((damage) => ({ file: "events.jsonl", damage })),
	...["torn", "removed"].map((damage) => ({ file: "run.json", damage })),
	{ file: "1/agent.json", damage: "torn" },
];

const TOLD: Record<string, RegExp> = {
	"1/transcript.jsonl": /^agent 1: .*(transcript|task)/,
	"events.jsonl": /^agent: events\.jsonl /,
	"run.json": /^agent: cannot read \S+run\.json: .*; rebuilt from the run's other files\n$/,
	"1/agent.json": /^agent 1: cannot read \S+agent\.json: .*; rebuilt\n$/,
};

const textsOf = (api: FakeApi) =>
	(api.requests.at(-1)?.body.messages ?? []).map(({ content }) => content.map((block) => Object(block).text));

async function begun() {
	const answers = ["begin", "next", "last", "more"].map((word) => [word, { content: [says(`answer to ${word}`)] }]);
	const api = await startTalkService(Object.fromEntries(answers));
	const program = startConversation({ api });
	const person = await Person.joins(program);
	await person.listens(1);
	const directory = await program.runDirectory();
	const hurt = (file: string, damage: string) => DAMAGES[damage]?.(join(directory, file));
	return { api, program, person, directory, hurt };
}

describe("while it lives", () => {
	test.each(CASES)("$file is $damage", async ({ file, damage }) => {
		const { api, program, person, directory, hurt } = await begun();
		hurt(file, damage);
		await person.says("next");
		await person.listens(2);
		await person.asks({ say: "close" });
		expect((await program.ended).code).toBe(0);
		const again = startConversation({ api, home: program.home, resume: {} });
		const back = await Person.joins(again);
		await back.until(() => back.state === "listening");
		await back.says("last");
		await back.until(() => api.requests.length === 3 && back.state === "listening");
		expect(api.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
		const sound = { torn: [["begin", "next"]], overwritten: [["next"]], removed: [["next"]] }[damage];
		const before = file === "1/transcript.jsonl" ? sound : [["begin"], ["answer to begin"], ["next"]];
		expect(textsOf(api)).toEqual([...(before ?? []), ["answer to next"], ["last"]]);
		await back.asks({ say: "close" });
		await again.ended;
		expect(readTranscript(directory, "1").values.at(-1)).toMatchObject({ content: [{ text: "answer to last" }] });
	});
});

describe("between two times", () => {
	test.each(CASES)("$file is $damage", async ({ file, damage }) => {
		const { api, program, person, directory, hurt } = await begun();
		await person.says("next");
		await person.listens(2);
		await person.asks({ say: "close" });
		await program.ended;
		hurt(file, damage);
		const env = { ANTHROPIC_API_KEY: "sk-ant-dummy-4f1d9c7e", ANTHROPIC_BASE_URL: api.url };
		const more = await runProgram(["run", "-c", "more"], { home: program.home, cwd: program.home, env });
		expect(more).toMatchObject({
			exit: 0,
			stdout: "answer to more\n",
			stderr: expect.stringMatching(TOLD[file] ?? /^$/),
		});
		expect(api.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
		const sound = { torn: [["begin"], ["answer to begin"], ["next", "more"]] }[damage] ?? [["begin", "more"]];
		const all = [["begin"], ["answer to begin"], ["next"], ["answer to next"], ["more"]];
		expect(textsOf(api)).toEqual(file === "1/transcript.jsonl" ? sound : all);
		expect(readTranscript(directory, "1").values.at(-1)).toMatchObject({ content: [{ text: "answer to more" }] });
	});
});
