import { expect, test } from "vitest";
import { filterMatches, type Searched, textMatches } from "../../../../../src/faces/dashboard/scene/agent-search.ts";
import { answerOf } from "../../../../../src/faces/dashboard/scene/scene.ts";
import { RunView } from "../../../../../src/view/agents/run-view.ts";
import { SIXTY_ACTIVITY, SIXTY_ANSWERS, SIXTY_NOW, SIXTY_RUN } from "../../../../fixtures/sixty-agents.ts";

const SEARCHED: Searched = {
	view: new RunView({
		...{ run: SIXTY_RUN, now: SIXTY_NOW, activity: SIXTY_ACTIVITY },
		says: (agent) => answerOf(agent, SIXTY_ANSWERS),
	}),
};

function filtered(filter: string): string[] {
	return Object.values(SIXTY_RUN.agents)
		.filter(filterMatches(filter, SEARCHED))
		.map(({ id }) => id);
}

test.each([
	["failed", ["1.1.9", "1.2.7", "1.4.7"]],
	["FAILED linker", ["1.4.7"]],
	["stuck", ["1.4.1"]],
	["retrying", ["1.3.4", "1.4.3"]],
	["fail", ["1.1.9", "1.2.7", "1.4.7"]],
	["overloaded alive", ["1.3.4", "1.4.3"]],
	["waiting", ["1", "1.1", "1.3", "1.4", "1.6"]],
	["1.4.1", ["1.4.1"]],
	["flock 1.3.", ["1.3.1", "1.3.5"]],
	["three linker", ["1.4.6"]],
	["of 1.6.9", ["1.6.9"]],
	["failed alive", []],
])("the filter %s leaves %o", (filter, expected) => {
	expect(filtered(filter)).toEqual(expected);
});

test("without words all match", () => {
	expect(filtered(" ").length).toBe(61);
	expect([filtered("alive").length, filtered("ended").length]).toEqual([34, 27]);
});

test("a text is looked for whole, also the name of a state", () => {
	const found = (text: string) => Object.values(SIXTY_RUN.agents).filter(textMatches(text, SEARCHED)).length;
	expect([found("Piece 3 of area"), found("failed"), found("piece 3 linker")]).toEqual([6, 3, 0]);
});
