/** `agent send`, from outside and inside: what is sent is in the next call of its agent, and survives the supervisor. */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { MessageEntry } from "../../../src/core/schemas/transcript.ts";
import { readTranscript } from "../../fixtures/read-transcript.ts";
import { type Program, runProgram, startProgram, temporaryHome } from "../program.ts";

/** The script model checks each request by the service's rules, so a message in the wrong place fails its run. */
const FAMILY = `
agents:
  - task: outer
    turns:
      - run: agent inner
      - say: "outer is done"
  - task: inner
    turns:
      - run: mkfifo gate; agent send 1 'from below'; agent send 1.1 me; echo $?; cat gate
      - say: "inner is done"
`;

async function startFamily(): Promise<Program> {
	const home = temporaryHome();
	writeFileSync(join(home, "s.yaml"), FAMILY);
	const program = startProgram(["run", "-m", "script:s.yaml", "outer"], { home });
	await program.waitForEvent((event) => event.event === "message_sent");
	return program;
}

test("messages come with the next call: to a child that runs a command, and to a parent that waits for that", async () => {
	const program = await startFamily();
	const { home } = program;
	const toChild = await runProgram(["send", "1.1", "look at the tests"], { home });
	expect(toChild).toMatchObject({
		exit: 0,
		stdout: expect.stringMatching(/1\.1: it gets .* when its command ends\n$/),
	});
	const toParent = await runProgram(["send", "--json"], { home, stdin: "from stdin" });
	expect(JSON.parse(toParent.stdout)).toMatchObject({ agent: "1", arrives: "children_end" });
	appendFileSync(join(home, "gate"), "");
	expect(await program.ended).toMatchObject({ code: 0, stdout: Buffer.from("outer is done\n") });
	const directory = await program.runDirectory();
	expect(told(directory, "1.1")).toEqual([["person", "[Message from the person]\n\nlook at the tests"]]);
	expect(told(directory, "1")).toEqual([
		["1.1", "[Message from agent 1.1]\n\nfrom below"],
		["person", "[Message from the person]\n\nfrom stdin"],
	]);
	expect(JSON.stringify(messagesOf(directory, "1.1"))).toContain("cannot send a message to itself\\n4");
	const turns = program.events().filter(({ event }) => event === "turn_started");
	expect(turns).toHaveLength(4);
	expect(await runProgram(["send", "late"], { home })).toMatchObject({
		exit: 4,
		stderr: expect.stringMatching(/^agent: run \S+ has ended \(answer\); to continue it: agent resume/),
	});
});

test("a message that had not arrived when the supervisor was killed arrives when the run is resumed", async () => {
	// Seen to be lost with the messages kept beside the run's state.
	const program = await startFamily();
	const { home } = program;
	await runProgram(["send", "1", "later"], { home });
	program.kill("SIGKILL");
	await program.ended;
	expect(await runProgram(["resume"], { home })).toMatchObject({ exit: 0 });
	expect(told(await program.runDirectory(), "1").map(([, text]) => text)).toEqual([
		"[Message from agent 1.1]\n\nfrom below",
		"[Message from the person]\n\nlater",
	]);
});

function messagesOf(directory: string, agent: string): MessageEntry[] {
	return readTranscript(directory, agent).values.flatMap((entry) => (entry.role === "note" ? [] : [entry]));
}

/** What was told to the agent, with who has said it. */
function told(directory: string, agent: string): (string | undefined)[][] {
	return messagesOf(directory, agent).flatMap((entry) => {
		if (entry.role !== "user" || entry.from === undefined) return [];
		return entry.content.map((block) => [entry.from, block.type === "text" ? block.text : undefined]);
	});
}
