import { expect, test } from "vitest";
import { completersOf } from "../../../../src/faces/chat/line-input.ts";
import { bestFirst } from "../../../../src/tui/editor/completion.ts";
import { Chat } from "./chat-of.ts";

const ROLES = ["security-review", "Plan-b", "review", "explore", "plan", "code"];

function completers() {
	const { state } = new Chat();
	const roles = ROLES.map((name) => ({ name, description: `does ${name}` }));
	return completersOf({ ...state, facts: { ...state.facts, roles } });
}

test.each([
	{ typed: "", offers: ROLES },
	{ typed: "plan", offers: ["plan"] },
	{ typed: "p", offers: ["plan"] },
	{ typed: "P", offers: ["Plan-b"] },
	{ typed: "S", offers: ["security-review"] },
	{ typed: "re", offers: ["review"] },
	{ typed: "b", offers: ["Plan-b"] },
	{ typed: "od", offers: ["code"] },
	{ typed: "zz", offers: [] },
])("of the roles $offers may be meant by $typed", ({ typed, offers }) => {
	expect(
		completers()
			.argumentsOf("role", typed)
			.map(({ text }) => text),
	).toEqual(offers);
});

test("of names that begin so the very one comes first, and the others in their order", () => {
	expect(bestFirst("plan", ["planner", "other", "plan", "plan-b"], String)).toEqual(["plan", "planner", "plan-b"]);
	expect(
		completers()
			.commands("ex")
			.map(({ text }) => text),
	).toEqual(["export", "expand"]);
});

test("where no command begins so its other words are offered, then those that have it in them", () => {
	expect(
		completers()
			.commands("cle")
			.map(({ text, note }) => [text, note]),
	).toEqual([["clear", "start a new chat"]]);
	expect(
		completers()
			.commands("pact")
			.map(({ text }) => text),
	).toEqual(["compact"]);
});
