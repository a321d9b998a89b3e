import { expect, test } from "vitest";
import { requestRefusal } from "../../../../src/supervisor/clients/rights.ts";

type Request = Parameters<typeof requestRefusal>[0];

const ALL = ["1", "1.1", "1.2", "1.2.1", "1.2.3.4", "1.20", "1.1.2", "1.20.1"];
const pause = (agent: string): Request => ({ say: "pause", agent, isHard: false });
const send = (agent: string): Request => ({ say: "send", agent, text: "x" });

test.each<{ may: string; request: (agent: string) => Request; to: string[]; refused: string }>([
	{
		may: "pause what is below it, and nothing else",
		request: pause,
		to: ["1.2.1", "1.2.3.4"],
		refused: "inside a run an agent can pause only agents below it: 1.2 can pause 1.2.1, but not ",
	},
	{
		may: "send to its parent, its siblings and what is below it",
		request: send,
		to: ["1", "1.1", "1.2.1", "1.2.3.4", "1.20"],
		refused:
			"inside a run an agent can send messages only to its parent, its siblings and agents below it: 1.2 cannot send to ",
	},
	{
		may: "read what the record has of itself and of what is below it",
		request: (agent) => ({ say: "copy_record", agent }),
		to: ["1.2", "1.2.1", "1.2.3.4"],
		refused: "inside a run an agent can read only itself and agents below it: 1.2 cannot read ",
	},
])("an agent may $may", ({ request, to, refused }) => {
	const others = ALL.filter((agent) => !to.includes(agent));
	expect(ALL.filter((agent) => requestRefusal(request(agent), "1.2") === undefined)).toEqual(to);
	for (const agent of others)
		if (agent !== "1.2" || !refused.includes("send"))
			expect(requestRefusal(request(agent), "1.2")).toBe(`${refused}${agent}`);
});

test("an agent sends nothing to itself, and nothing to its grandparent", () => {
	expect(requestRefusal(send("1.2"), "1.2")).toBe("agent 1.2 cannot send a message to itself");
	expect(requestRefusal(send("1"), "1.2.1")).toMatch(/1\.2\.1 cannot send to 1$/);
});

test("a person may stop and send to everyone, and has no plan, no question and no copies", () => {
	for (const agent of ALL)
		expect([requestRefusal(pause(agent), null), requestRefusal(send(agent), null)]).toEqual([undefined, undefined]);
	expect(requestRefusal({ say: "todo", change: { do: "list" } }, null)).toContain("only an agent itself");
	expect(requestRefusal({ say: "question", text: "?" }, null)).toContain("only an agent can ask a person");
	expect(requestRefusal({ say: "copy_record", agent: "1" }, null)).toContain("can be read directly");
});

test.each<Request>([
	{ say: "withdraw", agent: "1.2" },
	{ say: "hang_up", reason: "r", signal: 1 },
	{ say: "answer", question: 1, answer: { is: "allow" } },
	{ say: "name", name: "n" },
	{ say: "watch", talks: true },
])("only a person may $say", (request) => {
	expect(requestRefusal(request, "1.2")).toMatch(/^only a person can .*agent 1\.2 is inside/);
	expect(requestRefusal(request, null)).toBeUndefined();
});
