import { expect, test } from "vitest";
import { Person, startConversation, startTalkService } from "./conversation-run.ts";

const says = (text: string) => ({ content: [{ type: "text", text }] });

test("the root listens after its answer, and goes on with what the person says, in one history", async () => {
	const api = await startTalkService({ begin: says("hello"), "and then": says("more") });
	const program = startConversation({ api });
	const person = await Person.joins(program);
	await person.until(() => person.state === "listening");
	expect(await person.says("and then?")).toEqual({ say: "sent", agent: "1", arrives: "next_call" });
	await person.until(() => person.run.agents["1"]?.turns === 2 && person.state === "listening");
	expect(api.requests[1]?.body.messages.map(({ role, content }) => [role, content[0]])).toMatchObject([
		["user", { text: "begin" }],
		["assistant", { text: "hello" }],
		["user", { text: "and then?" }],
	]);
	expect(await person.asks({ say: "close" })).toBeUndefined();
	expect((await program.ended).code).toBe(0);
});
