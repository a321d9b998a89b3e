/** Questions about commands in a conversation: they outlive the screen, and end with what is interrupted. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runs, says } from "../api/api-run.ts";
import { Person, startConversation, startTalkService } from "../conversation/conversation-run.ts";

const asking = { waits: true, mode: "always" } as const;

async function talk() {
	const api = await startTalkService({
		begin: { content: [runs("toolu_1", "touch one"), runs("toolu_2", "touch two")], stopReason: "tool_use" },
		"None of it was done": { content: [says("told")] },
		next: { content: [runs("toolu_3", "touch three")], stopReason: "tool_use" },
		"(no output)": { content: [says("done")] },
	});
	const program = startConversation({ api, settings: { asking } });
	return { program, person: await Person.joins(program) };
}

const has = (home: string, name: string) => existsSync(join(home, name));

test("an interruption withdraws what was asked, runs none of it, and the conversation goes on", async () => {
	const { program, person } = await talk();
	await person.until(() => person.run.questions?.length === 2);
	expect(person.run.agents["1"]?.asking).toMatchObject({ questions: [1, 2] });
	expect(await person.interrupts()).toMatchObject({ say: "interrupted", was: "running" });
	await person.listens();
	expect(person.run.questions).toEqual([]);
	expect(person.events.filter(({ event }) => event === "question_withdrawn")).toHaveLength(2);
	await person.says("next");
	await person.until(() => person.run.questions?.length === 1);
	const [question] = person.run.questions ?? [];
	expect(question).toMatchObject({ what: { command: "touch three" } });
	await person.asks({ say: "answer", question: question?.number ?? 0, answer: { is: "allow" } });
	await person.listens(2);
	expect(["one", "two", "three"].map((name) => has(program.home, name))).toEqual([false, false, true]);
});

test("a screen that dies leaves its questions open, and who comes next answers them", async () => {
	const { program, person } = await talk();
	await person.until(() => person.run.questions?.length === 2);
	const other = await Person.joins(program);
	expect(other.run.questions).toMatchObject([{ number: 1 }, { number: 2 }]);
	expect(await other.asks({ say: "answer", question: 2, answer: { is: "allow" } })).toMatchObject({
		say: "answer_taken",
	});
	await person.until(() => person.run.questions?.length === 1);
	expect(await person.asks({ say: "answer", question: 2, answer: { is: "no" } })).toEqual({
		...{ say: "refused", reason: "question 2 was already answered: yes" },
	});
	expect(await person.asks({ say: "answer", question: 1, answer: { is: "no", words: "not one" } })).toMatchObject({
		say: "answer_taken",
	});
	await other.listens();
	expect(["one", "two"].map((name) => has(program.home, name))).toEqual([false, true]);
});
