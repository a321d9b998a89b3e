import { expect, test, vi } from "vitest";
import { AgentreeError } from "../../../src/core/errors.ts";
import { Outbox } from "../../../src/supervisor/outbox.ts";
import type { ToAgent } from "../../../src/wire/agent-messages.ts";
import { WAIT } from "../../wait.ts";

type Deps = ConstructorParameters<typeof Outbox>[0];

/** With what agents are told by it. */
function told(deps: Partial<Deps>): { outbox: Outbox; sent: ToAgent[] } {
	const sent: ToAgent[] = [];
	const outbox = new Outbox({
		answers: { send: (_, message) => void sent.push(message) },
		journal: { isBroken: false },
		calls: { partialText: () => "" },
		machine: { end: () => Promise.resolve() as never },
		keepsBackground: false,
		stops: () => new Map(),
		worktrees: { settle: async () => undefined, lineOfStopped: () => undefined },
		...deps,
	});
	return { outbox, sent };
}

const perhapsKept = (agent: string) => `perhaps kept of ${agent}`;

test("who is stopped, or whose call failed or is not tried again, is told what of an answer had come", () => {
	const { outbox, sent } = told({ calls: { partialText: (agent) => `so far by ${agent}` } });
	const ending = { by: "stopped", reason: "Ctrl-C", signal: 2 } as const;
	outbox.tell("1", { say: "stop", ending });
	outbox.tell("1", { say: "ask_failed", reason: "cut", exitCode: 75 });
	outbox.tell("1", { say: "ask_refused", limit: "max-tokens", reason: "spent" });
	outbox.tell("1", { say: "finished" });
	const partial = "so far by 1";
	expect(sent).toEqual([
		{ say: "stop", ending, partial },
		{ say: "ask_failed", reason: "cut", exitCode: 75, partial },
		{ say: "ask_refused", limit: "max-tokens", reason: "spent", partial },
		{ say: "finished" },
	]);
});

test("an agent is told with the end of its run what became of its worktree, and one that is stopped does not wait for that", async () => {
	const stopped = new Map<string, never>();
	const worktrees = { settle: async (agent: string) => `kept of ${agent}`, lineOfStopped: perhapsKept };
	const { outbox, sent } = told({ stops: () => stopped, worktrees });
	outbox.end({ do: "end", agent: "1.1", isGone: false });
	await vi.waitFor(() => expect(sent).toEqual([{ say: "finished", notice: "kept of 1.1" }]), WAIT);
	stopped.set("1.2", undefined as never);
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
