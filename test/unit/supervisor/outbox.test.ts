import { expect, test, vi } from "vitest";
import { AgentreeError } from "../../../src/core/errors.ts";
import { NO_USAGE } from "../../../src/core/model/usage.ts";
import { Outbox } from "../../../src/supervisor/agent-exchange.ts";
import type { RepliesAwaitingSnapshot } from "../../../src/supervisor/agents/tree-keeper.ts";
import type { Worktrees } from "../../../src/supervisor/agents/worktrees.ts";
import type { ModelCalls } from "../../../src/supervisor/calls/model-calls.ts";
import type { ReplyFacts } from "../../../src/supervisor/conversations/replies.ts";
import type { CommandPermission } from "../../../src/supervisor/permissions/command-permission.ts";
import type { ToAgent } from "../../../src/wire/agent-messages.ts";
import { WAIT } from "../../wait.ts";
import { fakeCore, part } from "./fake-core.ts";

interface Parts {
	answers: Partial<RepliesAwaitingSnapshot>;
	permission: Partial<CommandPermission>;
	calls: Partial<ModelCalls>;
	worktrees: Partial<Worktrees>;
}

/** With what agents are told by it. */
function told({ answers, permission, calls, worktrees }: Partial<Parts>, facts: Partial<ReplyFacts> = {}) {
	const sent: ToAgent[] = [];
	const { core, dispatched, state } = fakeCore();
	core.conversations.open({ agent: "1" }, "be brief", { isConversation: false, mayAnswerNothing: false, ...facts });
	const outbox = new Outbox(core, {
		answers: part<RepliesAwaitingSnapshot>({ send: (_, message) => void sent.push(message), ...answers }),
		permission: part<CommandPermission>({ ofCalls: () => ({ refused: {}, unsure: [] }), ask: () => {}, ...permission }),
		calls: part<ModelCalls>({ partialText: () => "", ...calls }),
		worktrees: part<Worktrees>({ settle: async () => undefined, lineOfStopped: () => undefined, ...worktrees }),
	});
	return { outbox, sent, dispatched, stops: state.stops };
}

const perhapsKept = (agent: string) => `perhaps kept of ${agent}`;

test("who is stopped, or whose call failed or is not tried again, is told what of an answer had come", () => {
	const { outbox, sent } = told({ calls: { partialText: (agent) => `so far by ${agent}` } });
	const ending = { by: "stopped", reason: "Ctrl-C", signal: 2 } as const;
	outbox.tell("1", { say: "stop", ending });
	outbox.tell("1", { say: "ask_refused", limit: "max-tokens", reason: "spent" });
	outbox.tell("1", { say: "ask_failed", reason: "cut", exitCode: 75 });
	outbox.tell("1", { say: "finished" });
	const text = "so far by 1";
	expect(sent).toEqual([
		{ say: "stop", ending, text },
		{ say: "reply", text, tell: [expect.stringMatching(/^Stop here: spent\. .*Report now/)] },
		{ say: "over", ending: { by: "limit", limit: "max-tokens", reason: "spent" }, text },
		{ say: "finished" },
	]);
});

const CALL = (id: string) => ({ type: "tool_use" as const, id, name: "bash", input: { command: "make" } });
const answer = (...ids: string[]) => ({
	...{ say: "answer" as const, stopReason: "tool_use", usage: NO_USAGE },
	content: ids.map(CALL),
});

test("what is known of the calls of an answer goes along with it, and a person is asked behind it", () => {
	const what = { is: "command", command: "make", directory: "/", because: "" } as const;
	const order: string[] = [];
	const judged = { refused: { b: "denied" }, unsure: [{ call: "c", what }] };
	const permission = { ofCalls: () => judged, ask: () => void order.push("asked") };
	const { outbox, sent } = told({ permission, answers: { send: () => void order.push("sent") } });
	outbox.tell("1", answer("a", "b", "c"));
	expect([order, sent]).toEqual([["sent", "asked"], []]);
	const other = told({ permission });
	other.outbox.tell("1", answer("a", "b", "c"));
	expect(other.sent).toMatchObject([{ refused: { b: "denied" }, unsure: ["c"] }]);
});

test("out of time, the calls of an answer are refused, and no person is asked about them", () => {
	const asked: string[] = [];
	const permission = {
		ofCalls: (_: string, calls: readonly { id: string }[]) => {
			asked.push(...calls.map(({ id }) => id));
			return { refused: {}, unsure: [] };
		},
		ask: () => {},
	};
	const { outbox, sent } = told({ permission });
	outbox.tell("1", { say: "out_of_time", reason: "time is nearly over" });
	outbox.tell("1", answer("a"));
	expect([sent.at(-1), asked]).toEqual([expect.objectContaining({ refused: { a: "time is nearly over" } }), []]);
});

test("an answer that has to fit a schema is checked before the agent is told, and what is wrong is told to its model", async () => {
	const checked: string[] = [];
	const check = async (text: string) => {
		checked.push(text);
		return text === "1" ? ({ is: "fits", text } as const) : ({ is: "wrong", problems: ["it is no JSON"] } as const);
	};
	const { outbox, sent } = told({}, { check });
	const says = (text: string) => ({ ...answer(), stopReason: "end_turn", content: [{ type: "text" as const, text }] });
	outbox.tell("1", says("one"));
	await vi.waitFor(() => expect(sent).toHaveLength(1), WAIT);
	expect(sent[0]).toMatchObject({ say: "reply", tell: [expect.stringContaining("- it is no JSON\nAnswer again")] });
	outbox.tell("1", says("1"));
	await vi.waitFor(() => expect(sent).toHaveLength(2), WAIT);
	expect([sent[1], checked]).toEqual([{ say: "over", ending: { by: "answer" }, text: "1" }, ["one", "1"]]);
});

test("the root of a conversation waits after its answer, and listens from then on", () => {
	const { outbox, sent, dispatched } = told({}, { isConversation: true });
	outbox.tell("1", { ...answer(), stopReason: "end_turn", content: [{ type: "text", text: "hello" }] });
	expect(sent).toMatchObject([{ say: "reply", waits: true, answer: { content: [{ text: "hello" }] } }]);
	expect(dispatched).toEqual([{ is: "listens", agent: "1" }]);
	outbox.tell("1", { say: "go_on" });
	outbox.tell("1", { say: "close" });
	expect(sent.slice(1)).toEqual([{ say: "reply" }, { say: "over", ending: { by: "answer" } }]);
});

test("an agent is told with the end of its run what became of its worktree, and one that is stopped does not wait for that", async () => {
	const worktrees = { settle: async (agent: string) => `kept of ${agent}`, lineOfStopped: perhapsKept };
	const { outbox, sent, stops } = told({ worktrees });
	outbox.end({ do: "end", agent: "1.1", isGone: false });
	await vi.waitFor(() => expect(sent).toEqual([{ say: "finished", notice: "kept of 1.1" }]), WAIT);
	stops.set("1.2", { by: "stopped", reason: "", signal: 15 });
	outbox.end({ do: "end", agent: "1.2", isGone: false });
	expect(sent.at(-1)).toEqual({ say: "finished", notice: "perhaps kept of 1.2" });
});

// Seen to fail: where git had gone meanwhile, the rejection ended the whole run as a bug.
test("an agent whose worktree cannot be looked at is told where it is", async () => {
	const settle = () => Promise.reject(new AgentreeError("usage", "there is no git"));
	const { outbox, sent } = told({ worktrees: { settle, lineOfStopped: perhapsKept } });
	outbox.end({ do: "end", agent: "1.1", isGone: false });
	await vi.waitFor(() => expect(sent).toEqual([{ say: "finished", notice: "perhaps kept of 1.1" }]), WAIT);
});
