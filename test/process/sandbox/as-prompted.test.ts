/** What the prompt says of commands holds in a sandbox: a model that does as it says gets what it says. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startProgram, temporaryHome } from "../program.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

const SERVE =
	"require('node:http').createServer((_, to) => to.end('served')).listen(0, '127.0.0.1', function () { require('node:fs').writeFileSync('/tmp/port', String(this.address().port)) })";
const GET =
	"fetch('http://localhost:' + require('node:fs').readFileSync('/tmp/port', 'utf8')).then((got) => got.text()).then(console.log, () => { console.log('nobody'); process.exitCode = 1 })";
const TURNS = [
	`node -e "${SERVE}" > /tmp/log 2>&1 &\nuntil [ -s /tmp/port ]; do sleep 0.02; done; echo $! > /tmp/pid`,
	`node -e "${GET}"; kill -0 "$(cat /tmp/pid)" 2> /dev/null || echo no such process here`,
	`touch /tmp/.end-1-1; while node -e "${GET}" > /dev/null; do sleep 0.02; done; echo ended`,
	'agent "a" > /tmp/a & p=$!; agent "b" > /tmp/b & q=$!; wait $p; echo a=$?; wait $q; echo b=$?; cat /tmp/a /tmp/b',
	"x=1; cd /; echo file > /tmp/kept",
	"echo [$x]; pwd; cat /tmp/kept",
	"echo x > /usr/outside",
	"seq 100000 | tr '\\n' ' '",
].map((run) => ({ run }));

const AGENTS = [
	{ task: "go", turns: [...TURNS, { say: "done" }] },
	{ task: "a", turns: [{ say: "from a" }] },
	{ task: "b", turns: [{ error: { status: 400 } }] },
];

describe.skipIf(NO_SANDBOX !== undefined)(`what the prompt says${SKIPPED}`, () => {
	test("of servers, children side by side, files, refusals and long output is so", async () => {
		const home = temporaryHome();
		writeFileSync(join(home, "script.yaml"), JSON.stringify({ agents: AGENTS }));
		const cwd = join(home, "project");
		mkdirSync(cwd);
		const env = { AGENTREE_SANDBOX: "workspace" };
		const program = startProgram(["run", "-q", "--model", `script:${home}/script.yaml`, "go"], { home, cwd, env });
		expect((await program.ended).code).toBe(0);
		const lines = readFileSync(join(await program.runDirectory(), "1/transcript.jsonl"), "utf8")
			.trim()
			.split("\n");
		const results = lines
			.map((line) => JSON.parse(line).content)
			.flatMap((content) => content.filter((block: { type: string }) => block.type === "tool_result"))
			.map((block: { content: string }) => block.content);
		const [served, got, ended, children, _, after, refused, long = ""] = results;
		expect(served).toMatch(/^\(no output\)\n\[left running: .*; to end it: touch \/tmp\/\.end-1-1; /);
		expect(got).toBe("served\nno such process here\n");
		expect(ended).toMatch(/^ended\n/);
		expect(children).toMatch(/^(agent .*\n)*a=0\n(agent .*\n)*b=1\nfrom a\n/);
		expect(after).toBe(`[]\n${cwd}\nfile\n`);
		expect(refused).toContain("[blocked by the sandbox: ");
		expect(long.length).toBeLessThanOrEqual(20_000);
		expect(long).toContain("the whole is in ");
	});
});
