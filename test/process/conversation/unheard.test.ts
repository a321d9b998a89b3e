/** An agent may end before it gets a message: whichever way it ends, the person is told, and when it is resumed it gets it. */
import { expect, test } from "vitest";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import { runs, says } from "../api/api-run.ts";
import { runProgram } from "../program.ts";
import { Person, startConversation, startTalkService } from "./conversation-run.ts";

/** A root whose child runs a command, for which a message waits. */
async function withWaitingMessage(line = "agent child") {
	const api = await startTalkService({
		begin: { content: [runs("toolu_1", line)] },
		child: { content: [runs("toolu_2", "sleep 1000")] },
		"Stop here": { content: [says("report")] },
		next: { content: [says("went on")] },
	});
	const program = startConversation({ api });
	const person = await Person.joins(program);
	await person.until(() => person.run.agents["1.1"]?.running.length === 1);
	const sent = await person.asks({ say: "send", agent: "1.1", text: "look\nhere" });
	expect(sent).toMatchObject({ say: "sent", arrives: "command_end" });
	return { program, person };
}

const UNHEARD = { event: "message_unheard", agent: "1.1", from: null, text: "look here" };
const isUnheard = ({ event }: RunEvent) => event === "message_unheard";

test.each<{ how: string; end: (person: Person) => unknown }>([
	{ how: "an interruption of the root", end: (person) => person.interrupts() },
	{
		how: "a stop of the agent",
		end: (person) => person.asks({ say: "stop_agent", agent: "1.1", signal: 15, isHurry: false, reason: "enough" }),
	},
	{
		how: "a stop of the run",
		end: (person) => person.asks({ say: "stop_agent", agent: "1", signal: 15, isHurry: false, reason: "enough" }),
	},
	{ how: "its death", end: (person) => process.kill(person.run.agents["1.1"]?.pid ?? 0, "SIGKILL") },
])("$how", async ({ end }) => {
	const { person } = await withWaitingMessage();
	void end(person);
	await person.until(() => person.events.some(isUnheard));
	expect(person.events.find(isUnheard)).toMatchObject(UNHEARD);
	const names = person.events.filter((event) => "agent" in event && event.agent === "1.1").map(({ event }) => event);
	expect(names.slice(-2)).toEqual(["agent_ended", "message_unheard"]);
});

test("a limit of time: the agent gets it with its last call", async () => {
	const { person } = await withWaitingMessage("agent --max-time 3s child");
	await person.until(() => person.events.some(({ event }) => event === "agent_ended"));
	const names = person.events.filter((event) => "agent" in event && event.agent === "1.1").map(({ event }) => event);
	expect(names).toContain("message_delivered");
	expect(names).not.toContain("message_unheard");
});

test("the death of the supervisor: it is told when the conversation goes on", async () => {
	const { program } = await withWaitingMessage();
	program.kill("SIGKILL");
	await program.ended;
	const again = startConversation({ home: program.home, resume: {}, api: await startTalkService({}) });
	const back = await Person.joins(again);
	await back.until(() => back.state === "listening");
	const log = await runProgram(["log"], { home: program.home, cwd: program.home });
	expect(log.stdout).toMatch(/ 1\.1 +ended before it received the message from you: look here\n/);
	await back.asks({ say: "close" });
});

test("the history of the agent tells it, too", async () => {
	const { program, person } = await withWaitingMessage();
	await person.interrupts();
	await person.listens();
	await person.asks({ say: "close" });
	await program.ended;
	const shown = await runProgram(["show", "-v", "1.1"], { home: program.home, cwd: program.home });
	expect(shown.stdout).toContain("ended before it received the message from you: look here");
});
