/** Answers that have to fit a JSON Schema, whole program. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runs, says, startApiRun } from "../api/api-run.ts";
import { runProgram, temporaryHome } from "../program.ts";

const SCHEMA = {
	type: "object",
	properties: { name: { type: "string" }, size: { type: "integer", minimum: 1 } },
	required: ["name", "size"],
	additionalProperties: false,
};
const GOOD = '{"name":"a","size":2}';
const said = (...texts: string[]) => texts.map((text) => ({ content: [says(text)] }));

function homeWith(schema: unknown = SCHEMA): string {
	const home = temporaryHome();
	writeFileSync(join(home, "s.json"), typeof schema === "string" ? schema : JSON.stringify(schema));
	return home;
}

async function run(texts: string[], args: string[] = [], schema: unknown = SCHEMA) {
	const home = homeWith(schema);
	const { api, program } = await startApiRun({ look: said(...texts) }, ["--json-schema", "s.json", ...args, "look"], {
		home,
	});
	const { code, stdout, stderr } = await program.ended;
	return { api, program, exit: code, stdout: stdout.toString(), stderr: stderr.toString() };
}

test("an answer that fits is printed, and the model was told the schema", async () => {
	const { api, exit, stdout } = await run([GOOD]);
	expect([exit, stdout]).toEqual([0, `${GOOD}\n`]);
	expect(api.requests[0]?.body.system).toContain('"additionalProperties":false');
});

// Seen to fail: the first byte of such a file was no JSON.
test("a schema file may begin with a BOM, and an answer that has its JSON between words is printed as that alone", async () => {
	const text = `From {"name": "a longer one", "size": "none"} follows:\n\n${GOOD}\n\nDone.`;
	const { program, exit, stdout } = await run([text], [], `\uFEFF${JSON.stringify(SCHEMA)}`);
	expect([exit, stdout]).toEqual([0, `${GOOD}\n`]);
	const again = await runProgram(["wait", "--output-format", "text"], { home: program.home });
	expect(again).toMatchObject({ exit: 0, stdout: `${GOOD}\n` });
});

test("an answer that does not fit twice is asked for again, with what is wrong, and the third one is printed alone", async () => {
	const { api, exit, stdout, stderr } = await run([
		"Here it is: {}",
		'{"name": 7, "more": 1}',
		`\`\`\`json\n${GOOD}\n\`\`\``,
	]);
	expect([exit, stdout, stderr]).toEqual([0, `${GOOD}\n`, ""]);
	const told = api.requests.slice(1).map(({ body }) => {
		const block = body.messages.at(-1)?.content[0];
		return block?.type === "text" ? block.text : "";
	});
	expect(told[0]).toMatch(/- the value must have required property 'name'\n/);
	expect(told[1]).toMatch(
		/- the value must have required property 'size'\n[\s\S]*additional properties \(more\)\n- at \/name: must be string/,
	);
	expect(api.requests.map(({ refusal }) => refusal)).toEqual([undefined, undefined, undefined]);
});

test("one that never fits is exit code 1, with the reasons on stderr and nothing on stdout", async () => {
	const { api, exit, stdout, stderr } = await run(Array(9).fill('{"name":"a"}'));
	expect([exit, stdout]).toEqual([1, ""]);
	expect(stderr).toBe(
		"agent 1: failure: the answer does not match the JSON Schema (answered 4 times): the value must have required property 'size'\n",
	);
	expect(api.requests.length).toBe(4);
});

test("json has the value, too", async () => {
	const { stdout } = await run([`\`\`\`\n${GOOD}\n\`\`\``], ["--output-format", "json"]);
	expect(JSON.parse(stdout)).toMatchObject({
		result: GOOD,
		structured_output: { name: "a", size: 2 },
		is_error: false,
	});
});

test("a child agent has a schema of its own, which its parent has not, and its answer goes down a pipe", async () => {
	const home = homeWith();
	const line = "set -o pipefail; agent --json-schema s.json 'count it' | tr a-z A-Z; echo code $?";
	const { api, program } = await startApiRun(
		{
			look: [{ content: [runs("toolu_1", line)] }, { content: [says("no JSON at all")] }],
			"count it": said("nothing", GOOD),
		},
		["look"],
		{ home },
	);
	expect((await program.ended).stdout.toString()).toBe("no JSON at all\n");
	const result = api.requests.find(
		({ body }) => body.messages.length === 3 && JSON.stringify(body.messages).includes("toolu_1"),
	);
	const block = result?.body.messages.at(-1)?.content[0];
	expect(block?.type === "tool_result" && block.content).toBe('{"NAME":"A","SIZE":2}\ncode 0\n');
	const file = JSON.parse(readFileSync(join(await program.runDirectory(), "1/1/agent.json"), "utf8"));
	expect(JSON.parse(file.json_schema)).toEqual(SCHEMA);
});

test.each([
	["no JSON", "{", /^agent: --json-schema s\.json: not JSON: [^\n]+\n$/],
	["no schema", "[1]", /^agent: --json-schema s\.json: a JSON Schema is an object\n$/],
	["an unknown type", { type: "strng" }, /^agent: --json-schema s\.json: not a JSON Schema: [^\n]+\n$/],
	[
		"a reference that leads nowhere",
		{ $ref: "https://example.com/other.json" },
		/^agent: --json-schema s\.json: not a JSON Schema: [^\n]+\n$/,
	],
	[
		"too much",
		JSON.stringify({ description: "x".repeat(140_000) }),
		/^agent: --json-schema s\.json: it is larger than 128 KiB, [^\n]+\n$/,
	],
])("a file with %s is wrong usage before anything starts", async (_, schema, complaint) => {
	const home = homeWith(schema);
	const end = await runProgram(["run", "--model", "shell", "--json-schema", "s.json", "echo 1"], { home });
	expect(end).toEqual({ exit: 2, stdout: "", stderr: expect.stringMatching(complaint) });
});

test("a file that is not there is wrong usage; an older draft is known by its name; what a command printed is checked once", async () => {
	const home = homeWith({
		$schema: "http://json-schema.org/draft-07/schema#",
		definitions: { n: { type: "number" } },
		items: [{ $ref: "#/definitions/n" }],
	});
	const shell = (schema: string, task: string) =>
		runProgram(["run", "--model", "shell", "--json-schema", schema, task], { home });
	expect(await shell("none.json", "true")).toMatchObject({
		exit: 2,
		stderr: "agent: --json-schema none.json: cannot be read (no such file)\n",
	});
	expect(await shell("s.json", "echo '[1]'")).toMatchObject({ exit: 0, stdout: "[1]\n" });
	expect(await shell("s.json", "echo '[true]'")).toMatchObject({
		...{ exit: 1, stdout: "" }, // nor is it printed
		stderr: expect.stringContaining("at /0: must be number"),
	});
});

test("at a limit stdout has what fits, or nothing; then stderr says where the text is", async () => {
	const home = homeWith();
	const limited = async (report: string) => {
		const { program, api } = await startApiRun(
			{ look: [{ content: [runs("toolu_1", "true")] }, { content: [says(report)] }] },
			["look", "--json-schema", "s.json", "--max-turns", "1"],
			{ home },
		);
		const { code, stdout, stderr } = await program.ended;
		return { code, stdout: stdout.toString(), stderr: stderr.toString(), last: api.requests.at(-1)?.body };
	};
	const fits = await limited(`\`\`\`json\n${GOOD}\n\`\`\``);
	expect(fits).toMatchObject({ code: 3, stdout: `${GOOD}\n` });
	expect(JSON.stringify(fits.last?.messages.at(-1))).toContain("only the JSON value, matching the schema");
	expect(await limited("not done yet")).toMatchObject({
		...{ code: 3, stdout: "" },
		stderr: expect.stringMatching(
			/^agent 1: limit: .*; its last text is not JSON that fits the schema; to see it: agent show \S+\/1\n$/,
		),
	});
});
