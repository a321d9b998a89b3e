import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RecordCopies } from "../../../../src/supervisor/sandboxes/record-copies.ts";
import type { Sandboxes } from "../../../../src/supervisor/sandboxes/sandboxes.ts";
import { temporaryHome } from "../../record/fabricate.ts";
import { fakeCore, part } from "../fake-core.ts";

const AGENTS = ["1", "1.1", "1.2", "1.2.1"];
const EVENTS = [
	{ event: "run_started", run: "r", task: "all secret" },
	{ event: "run_named", name: "secret" },
	...AGENTS.map((agent) => ({ event: "agent_joined", agent, task: `secret of ${agent}` })),
	...AGENTS.map((agent) => ({ event: "command_started", agent, text: `secret of ${agent}` })),
	{ event: "message_sent", agent: "1.1", from: "1", text: "secret of 1.1" },
	{ event: "place_replaced", path: "/secret" },
	{ event: "run_ended" },
];

function copiesIn(directory: string, placeOf: (id: string) => string): RecordCopies {
	const { core } = fakeCore({ directory, registry: { get: () => ({ file: { sandbox: {} } }) as never } });
	return new RecordCopies(core, part<Sandboxes>({ placeOf }));
}

/** A run with these events, of which `by` gets a copy for the agent. */
async function copied(agent: string, by: string) {
	const directory = join(temporaryHome(), "run");
	mkdirSync(join(directory, "1/2/1"), { recursive: true });
	mkdirSync(join(directory, "output", by.replaceAll(".", "/")), { recursive: true });
	writeFileSync(
		join(directory, "run.json"),
		JSON.stringify({ run: "r", task: "all secret", name: "secret", cwd: "/p" }),
	);
	writeFileSync(
		join(directory, "events.jsonl"),
		`${EVENTS.map((event) => `${JSON.stringify(event)}\n`).join("")}{"cut`,
	);
	writeFileSync(join(directory, agent.replaceAll(".", "/"), "agent.json"), "{}");
	const told: object[] = [];
	const copies = copiesIn(directory, (id) => join("output", id.replaceAll(".", "/")));
	await copies.give({ send: (message) => void told.push(message) }, agent, by);
	const place = join(directory, "output", by.replaceAll(".", "/"), ".record-1");
	const read = (name: string) => readFileSync(join(place, name), "utf8");
	return { directory, told, place, read };
}

// Seen to fail: an agent could read the commands, the plans and the messages of all others, and the task of the run.
test("a copy of the record tells an agent of its own branch alone, and how those above it began", async () => {
	const { told, read } = await copied("1.2.1", "1.2");
	expect(told).toEqual([{ say: "record_copied", directory: expect.stringMatching(/\/1\/2\/\.record-1$/) }]);
	expect(JSON.parse(read("run.json"))).toEqual({ run: "r", task: "", cwd: "/p" });
	const events = read("events.jsonl")
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line));
	expect(events).toEqual([
		{ event: "run_started", run: "r", task: "" },
		{ event: "agent_joined", agent: "1", task: "" },
		...EVENTS.filter(({ event, ...of }) => "agent" in of && of.agent.startsWith("1.2") && event !== "message_sent"),
		{ event: "run_ended" },
	]);
});

test("the root agent has all of it", async () => {
	const { directory, read } = await copied("1.2", "1");
	for (const name of ["run.json", "events.jsonl"]) expect(read(name)).toBe(readFileSync(join(directory, name), "utf8"));
});

test("a copy is written through no link", async () => {
	const elsewhere = temporaryHome();
	const { directory, place } = await copied("1.2", "1.2");
	const copies = copiesIn(directory, () => "output/1/2");
	symlinkSync(elsewhere, join(place, "..", ".record-2"));
	const told: { say: string }[] = [];
	const give = () => copies.give({ send: (message) => void told.push(message) }, "1.2", "1.2");
	await give();
	await give();
	expect(told.map(({ say }) => say)).toEqual(["record_copied", "record_copied"]);
	expect(readdirSync(elsewhere)).toEqual([]);
});
