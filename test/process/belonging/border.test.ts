/** What commands of an agent try on the run's socket, and with `agent stop`: the gate believes nothing that it is told. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import { AGENT_PROGRAM, type Program, startLine, startProgram } from "../program.ts";
import { IS_SANDBOXED } from "../sandboxed.ts";

const RAW = fileURLToPath(new URL("../../fixtures/raw-client.cjs", import.meta.url));
const HELLO = '{"say":"hello","version":2,"role":"agent","pid":PID}';
const JOIN = '{"say":"join","pid":PID,"pidNamespace":"NS","cwd":"/","task":"x","limits":{}}';
const STOP = '{"say":"stop_agent","agent":"1","reason":"r","signal":9,"isHurry":true}';
const RECORD = '{"say":"record","entry":{"role":"user","content":[{"type":"text","text":"x"}]}}';

const NO_CGROUP = "unshare --user --map-root-user --mount";
const HIDE = "mount -t tmpfs none /sys/fs/cgroup";
const mayHide = spawnSync("bash", ["-c", `${NO_CGROUP} sh -c '${HIDE}'`]).status === 0;

type Refused = Extract<RunEvent, { event: "client_refused" }>;

function refusedIn(program: Program): Pick<Refused, "agent" | "reason">[] {
	return program.events().flatMap((event) => {
		if (event.event !== "client_refused") return [];
		const { agent, reason } = event;
		return [agent === undefined ? { reason } : { agent, reason }];
	});
}

test("what comes over the socket out of shape or order closes that connection with a line in the log, and the run goes on", async () => {
	// Seen to fail with the parser of before: whoever sends `stop_agent` stops the run.
	const attempts = [
		["junk"],
		['{"say":"watch"}'],
		[STOP],
		[HELLO, '{"say":"dance"}'],
		[HELLO, JOIN, JOIN],
		[HELLO, JOIN, STOP],
		[HELLO, JOIN, '{"say":"command_started","command":1,"text":"ls","pid":1,"startTime":"1"}'],
		[HELLO, JOIN, `FLOOD 20000 ${RECORD}`],
		[HELLO.replace("agent", "person"), STOP],
	];
	const lines = attempts.map((said) => `node ${RAW} ${said.map((line) => `'${line}'`).join(" ")}`);
	const task = `agent "until [ -e go ]; do sleep 0.02; done; echo untouched" & ${lines.join("; ")}; touch go; wait`;
	const program = startProgram(["run", "--model", "shell", task]);
	const { code, stdout } = await program.ended;
	expect([code, stdout.toString().split("\n").at(-2)]).toEqual([0, "untouched"]);
	const told = stdout
		.toString()
		.split("\n")
		.filter((line) => line.includes("refused"));
	expect(told).toEqual([...Array(4).fill("refused closed"), "challenge refused closed"]);
	const early = `before its hello; the run's supervisor is agentree ${versionOf(program)}`;
	expect(refusedIn(program)).toEqual([
		{ reason: "a message that is not an object" },
		{ reason: `"watch" ${early}` },
		{ reason: `"stop_agent" ${early}` },
		{ reason: 'an unknown message: "dance"' },
		{ agent: "1.2", reason: '"join" from an agent that has joined' },
		{ agent: "1.3", reason: '"stop_agent" from an agent that has joined' },
		{ agent: "1.4", reason: "a command that no answer asks for" },
		{ agent: "1.5", reason: "more than 16 entries between two questions" },
		{ reason: '"stop_agent" before its proof' },
	]);
	const endings = program.events().flatMap((event) => (event.event === "agent_ended" ? [event.ending.by] : []));
	expect(endings).toEqual(["crashed", "crashed", "crashed", "crashed", "answer", "answer"]);
});

function versionOf(program: Program): string {
	const [first] = program.events();
	return first?.event === "run_started" ? first.version : "";
}

/** Each way in which a command may have left what it comes from. */
const STOPS = `
run=${"$"}{AGENTREE_AGENT%/*}
clean() { env -i HOME="$HOME" PATH="$PATH" AGENTREE_HOME="$AGENTREE_HOME" XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR" "$@"; }
program="${process.execPath} ${AGENT_PROGRAM}"
agent "agent 'touch below; sleep 631' & sleep 632" & until [ -e below ]; do sleep 0.02; done
agent stop; echo "own run $?"
agent kill $run/1.1.1; echo "below $?"
clean $program stop $run/1; echo "cleared $?"
clean setsid $program kill $run; echo "session of its own $?"
(clean AGENTREE_AGENT=$run/1 setsid -f sh -c "$program kill $run/1.1; echo forged \\$? > told; $program kill $run; echo orphan \\$? >> told; mv told orphan" </dev/null >/dev/null 2>&1 &)
until [ -s orphan ]; do sleep 0.05; done; cat orphan
agent 'agent stop 1.1; echo "beside $?"; agent kill 1.2; echo "itself $?"; agent stop 1; echo "above $?"'
agent stop 1.1; echo "child $?"
wait`;

test.each([
	{ how: "with cgroups, where they can be made", line: 'exec "$@"' },
	...(mayHide ? [{ how: "without a cgroup", line: `exec ${NO_CGROUP} sh -c '${HIDE} && exec "$@"' sh "$@"` }] : []),
])(
	"an agent stops what is below it and nothing else, whatever its command has left behind: $how",
	async ({ line }) => {
		// Seen to fail, in each line but "below" and "child", with the rights of a person given to whoever knows the key.
		const program = startLine(`${line} run --model shell "$TASK"`, { env: { TASK: STOPS } });
		const { code, stdout } = await program.ended;
		const told = stdout
			.toString()
			.split("\n")
			.filter((text) => / \d+$/.test(text) && !text.startsWith("agent"));
		const cleared = ["cleared", "session of its own", "forged", "orphan"].map(
			(how) => `${how} ${IS_SANDBOXED ? 2 : 4}`,
		); // sees no run
		expect([code, told]).toEqual([
			0,
			["own run 4", "below 0", ...cleared, "beside 4", "itself 4", "above 4", "child 0"],
		]);
		expect(stdout.toString()).toContain(
			"agent: inside a run an agent can stop only agents below it: 1.2 can stop 1.2.1, but not 1.1\n",
		);
		const endings = program.events().flatMap((event) => {
			return event.event === "agent_ended" ? [`${event.agent} ${event.ending.by}`] : [];
		});
		expect(endings).toEqual(["1.1.1 stopped", "1.2 answer", "1.1 stopped", "1 answer"]);
	},
	60_000,
);
